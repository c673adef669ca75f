package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
)

var soakKinds = []string{"S", "M", "X", "O", "slow", "cancelled", "logged", "lost"}

// A soak keeps every workload, cancels in every phase, slow readers and lost access-log entries going, while endpoints come
// and go, the configuration changes and the certificate is renewed.
type soak struct {
	target             string
	useTLS             bool
	players            map[string]*player // by workload
	playersMu          sync.RWMutex
	log                grpc.ClientStream
	logMu              sync.Mutex
	done               map[string]*atomic.Int64
	errs               atomic.Int64
	firstErrors        []string
	errMu              sync.Mutex
	reloads, rotations atomic.Int64
}

func runSoak(args []string) error {
	fs := flag.NewFlagSet("soak", flag.ExitOnError)
	target := fs.String("target", "127.0.0.1:9002", "address of the picker")
	useTLS := fs.Bool("tls", true, "TLS, any certificate")
	dur := fs.Duration("d", 20*time.Minute, "how long")
	model := fs.String("model", "bench-model", "model name in the bodies")
	endpoints := fs.String("endpoints", "", "the picker's endpoints file: every 5 s it lists others of those it listed at the start")
	configs := fs.String("config", "", "the picker's configuration file, then others whose text it gets in turn, comma list")
	pair := fs.String("pair", "", "folder whose tls.crt and tls.key are renewed every 20 s")
	pid := fs.Int("pid", 0, "process id of the picker")
	metrics := fs.String("metrics", "", "URL of its /metrics")
	gauge := fs.String("gauge", "llm_d_epp_inflight_requests", "series that has to come back to zero after the load")
	fs.Parse(args)

	s := &soak{target: *target, useTLS: *useTLS, players: map[string]*player{}, done: map[string]*atomic.Int64{}}
	conns, err := dial(*target, *useTLS, 4)
	if err != nil {
		return err
	}
	for _, w := range []string{"S", "M", "X", "O"} {
		wl, err := pickWorkload(w, *model)
		if err != nil {
			return err
		}
		p := &player{timeout: time.Minute, conns: conns}
		if p.answer, err = newAnswer(wl.resp, *model, true); err != nil {
			return err
		}
		for _, pr := range wl.prompts {
			p.scripts = append(p.scripts, script{pr, cut(pr.body, 32768, true, requestBody)})
		}
		s.players[w] = p
	}
	for _, kind := range soakKinds {
		s.done[kind] = &atomic.Int64{}
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if s.log, err = conns[0].NewStream(ctx, &grpc.StreamDesc{ClientStreams: true}, logMethod); err != nil {
		return err
	}

	stop := make(chan struct{})
	var wg sync.WaitGroup
	work := func(n int, pause time.Duration, f func(r *rand.Rand)) {
		for k := range n {
			wg.Add(1)
			go func() {
				defer wg.Done()
				r := rand.New(rand.NewPCG(7, uint64(k)))
				for {
					select {
					case <-stop:
						return
					case <-time.After(pause):
						f(r)
					}
				}
			}()
		}
	}
	for _, w := range []string{"S", "M", "X", "O"} {
		work(2, 10*time.Millisecond, func(r *rand.Rand) { s.whole(w, r) })
	}
	work(2, 100*time.Millisecond, s.slow)
	work(2, 20*time.Millisecond, s.cancelled)
	work(2, 10*time.Millisecond, s.short)
	work(1, 15*time.Second, func(*rand.Rand) { s.redial() })
	if *endpoints != "" {
		all, err := readEndpoints(*endpoints)
		if err != nil {
			return err
		}
		defer replace(*endpoints, all.text(all.items))
		work(1, 5*time.Second, func(r *rand.Rand) { s.check(replace(*endpoints, all.some(r))) })
	}
	if *configs != "" {
		files := strings.Split(*configs, ",")
		var texts []string
		for _, f := range files {
			b, err := os.ReadFile(f)
			if err != nil {
				return err
			}
			texts = append(texts, string(b))
		}
		defer replace(files[0], texts[0])
		work(1, 7*time.Second, func(*rand.Rand) {
			s.check(replace(files[0], texts[int(s.reloads.Add(1))%len(texts)]))
		})
	}
	if *pair != "" {
		work(1, 20*time.Second, func(*rand.Rand) { s.check(renew(*pair)); s.rotations.Add(1) })
	}

	series := regexp.MustCompile("^(" + regexp.QuoteMeta(*gauge) + "|jvm_memory_used_bytes)$")
	fmt.Println("| after | RSS MB | threads | descriptors | heap MB | booked | streams | errors |")
	fmt.Println("|---|---|---|---|---|---|---|---|")
	var rss []int
	row := func(since time.Time) float64 {
		m := readMetrics(*metrics, series)
		fds, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", *pid))
		booked, heap := 0.0, 0.0
		for k, v := range m {
			if strings.HasPrefix(k, *gauge) {
				booked += v
			} else if strings.Contains(k, `area="heap"`) {
				heap += v
			}
		}
		var n int64
		for _, c := range s.done {
			n += c.Load()
		}
		rss = append(rss, statusKB(*pid, "VmRSS")>>10)
		fmt.Printf("| %v | %d | %d | %d | %.0f | %.0f | %d | %d |\n", time.Since(since).Round(time.Second), rss[len(rss)-1],
			statusKB(*pid, "Threads"), len(fds), heap/1e6, booked, n, s.errs.Load())
		return booked
	}
	began := time.Now()
	for time.Since(began) < *dur {
		time.Sleep(min(*dur/20, time.Until(began.Add(*dur))+time.Millisecond))
		row(began)
	}
	close(stop)
	wg.Wait()
	booked := 0.0
	for range 12 { // an entry that was lost: two scrapes must show that the engine knows of fewer
		time.Sleep(5 * time.Second)
		if booked = row(began); booked == 0 {
			break
		}
	}
	fmt.Println()
	for _, kind := range soakKinds {
		fmt.Printf("%s %d  ", kind, s.done[kind].Load())
	}
	fmt.Printf("\nconfiguration reloads %d, certificates %d\n", s.reloads.Load(), s.rotations.Load())
	third := len(rss) / 3
	fmt.Printf("RSS, mean of the second and of the last third: %d, %d MB\n", mean(rss[third:2*third]), mean(rss[2*third:]))
	for _, e := range s.firstErrors {
		fmt.Println("error:", e)
	}
	if s.errs.Load() > 0 || booked > 0 {
		return fmt.Errorf("%d errors, %.0f requests still booked", s.errs.Load(), booked)
	}
	return nil
}

func mean(v []int) int {
	sum := 0
	for _, x := range v {
		sum += x
	}
	return sum / max(1, len(v))
}

func (s *soak) check(err error) {
	if err != nil {
		s.errs.Add(1)
		s.errMu.Lock()
		defer s.errMu.Unlock()
		if len(s.firstErrors) < 10 {
			s.firstErrors = append(s.firstErrors, err.Error())
		}
	}
}
