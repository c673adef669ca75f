package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	procv3 "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/http/ext_proc/v3"
)

// runSilent opens streams that have been decided and wait for a response, as long answers do, and keeps them open.
func runSilent(args []string) error {
	fs := flag.NewFlagSet("silent", flag.ExitOnError)
	target := fs.String("target", "127.0.0.1:9002", "address of the picker")
	useTLS := fs.Bool("tls", true, "TLS, any certificate")
	n := fs.Int("n", 10000, "streams")
	per := fs.Int("per-connection", 200, "streams on one connection")
	hold := fs.Duration("hold", 20*time.Second, "how long they stay open")
	model := fs.String("model", "bench-model", "model name in the bodies")
	pid := fs.Int("pid", 0, "process id of the picker")
	fs.Parse(args)

	wl, err := pickWorkload("S", *model)
	if err != nil {
		return err
	}
	p := &player{timeout: *hold + time.Minute}
	for _, pr := range wl.prompts {
		p.scripts = append(p.scripts, script{pr, cut(pr.body, 32768, true, requestBody)})
	}
	if p.conns, err = dial(*target, *useTLS, (*n+*per-1) / *per); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	before := statusKB(*pid, "VmRSS")
	var failed atomic.Int64
	var wg sync.WaitGroup
	for k := range 32 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := k; i < *n; i += 32 {
				st, err := p.begin(ctx, p.conns[i / *per], rand.New(rand.NewPCG(7, uint64(i))), procv3.ProcessingMode_FULL_DUPLEX_STREAMED)
				if err == nil {
					_, err = picked(st)
				}
				if err != nil && failed.Add(1) == 1 {
					fmt.Println("error:", err)
				}
			}
		}()
	}
	wg.Wait()
	fmt.Printf("open %d, failed %d, RSS %d -> %d MB\n", *n-int(failed.Load()), failed.Load(), before>>10, statusKB(*pid, "VmRSS")>>10)
	time.Sleep(*hold)
	if failed.Load() > 0 {
		return fmt.Errorf("%d streams failed", failed.Load())
	}
	return nil
}
