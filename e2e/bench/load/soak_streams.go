package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	corev3 "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	logdatav3 "github.com/envoyproxy/go-control-plane/envoy/data/accesslog/v3"
	procv3 "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/http/ext_proc/v3"
	logv3 "github.com/envoyproxy/go-control-plane/envoy/service/accesslog/v3"
	pb "github.com/envoyproxy/go-control-plane/envoy/service/ext_proc/v3"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

const logMethod = "/envoy.service.accesslog.v3.AccessLogService/StreamAccessLogs"

func (s *soak) player(w string) *player {
	s.playersMu.RLock()
	defer s.playersMu.RUnlock()
	return s.players[w]
}

// redial lets later streams meet the certificate of the day; those that run keep their connections.
func (s *soak) redial() {
	conns, err := dial(s.target, s.useTLS, 4)
	if err != nil {
		s.check(err)
		return
	}
	s.playersMu.Lock()
	defer s.playersMu.Unlock()
	var old []*grpc.ClientConn
	for w, p := range s.players {
		old = p.conns
		s.players[w] = &player{conns: conns, scripts: p.scripts, answer: p.answer, timeout: p.timeout}
	}
	time.AfterFunc(2*time.Minute, func() {
		for _, c := range old {
			c.Close()
		}
	})
}

// begin sends a whole request on that connection.
func (p *player) begin(ctx context.Context, c *grpc.ClientConn, r *rand.Rand, answers procv3.ProcessingMode_BodySendMode) (grpc.ClientStream, error) {
	st, err := open(ctx, c)
	if err != nil {
		return nil, err
	}
	sc := &p.scripts[r.IntN(len(p.scripts))]
	head := requestHeaders("stream", len(sc.body), false)
	head.ProtocolConfig.ResponseBodyMode = answers
	if err := st.SendMsg(head); err != nil {
		return nil, err
	}
	for _, f := range sc.frames {
		if err := st.SendMsg(f); err != nil {
			return nil, err
		}
	}
	return st, nil
}

// picked reads the answers of the request phase and gives the metadata of the first.
func picked(st grpc.ClientStream) (*structpb.Struct, error) {
	var data *structpb.Struct
	for {
		var m pb.ProcessingResponse
		if err := st.RecvMsg(&m); err != nil {
			return nil, err
		}
		if h := m.GetRequestHeaders(); h != nil {
			if destination(h.GetResponse()) == "" {
				return nil, errors.New("headers without " + destKey)
			}
			data = m.GetDynamicMetadata()
		} else if b := m.GetRequestBody().GetResponse().GetBodyMutation().GetStreamedResponse(); b == nil {
			return nil, fmt.Errorf("unexpected %T", m.Response)
		} else if b.EndOfStream {
			return data, nil
		}
	}
}

func (s *soak) whole(w string, r *rand.Rand) {
	p := s.player(w)
	if x := p.play(r.IntN(len(p.scripts)), time.Time{}); x.err != "" {
		s.check(errors.New(w + " " + x.err))
	}
	s.done[w].Add(1)
}

// slow reads an SSE answer 2 ms a message, so that the picker has to hold back.
func (s *soak) slow(r *rand.Rand) {
	p := s.player("O")
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	st, err := p.begin(ctx, p.conns[0], r, procv3.ProcessingMode_FULL_DUPLEX_STREAMED)
	if err == nil {
		_, err = picked(st)
	}
	if err == nil {
		err = st.SendMsg(p.answer.headers)
	}
	if err == nil {
		go func() {
			for _, f := range p.answer.frames {
				if st.SendMsg(f) != nil {
					return
				}
			}
		}()
		for got := 0; err == nil && got < len(p.answer.body); {
			time.Sleep(2 * time.Millisecond)
			var m pb.ProcessingResponse
			if err = st.RecvMsg(&m); err == nil {
				got += len(m.GetResponseBody().GetResponse().GetBodyMutation().GetStreamedResponse().GetBody())
			}
		}
	}
	if err != nil {
		s.check(fmt.Errorf("slow: %w", err))
	}
	s.done["slow"].Add(1)
}

// cancelled leaves in a phase of its choice.
func (s *soak) cancelled(r *rand.Rand) {
	p := s.player([]string{"S", "M", "X", "O"}[r.IntN(4)])
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	defer s.done["cancelled"].Add(1)
	st, err := open(ctx, p.conns[r.IntN(len(p.conns))])
	if err != nil {
		s.check(fmt.Errorf("cancelled: %w", err))
		return
	}
	sc := &p.scripts[r.IntN(len(p.scripts))]
	steps := []func() error{
		func() error { return st.SendMsg(requestHeaders("cancelled", len(sc.body), false)) },
		func() error { return st.SendMsg(sc.frames[0]) },
		func() error {
			for _, f := range sc.frames[1:] {
				if err := st.SendMsg(f); err != nil {
					return err
				}
			}
			return nil
		},
		func() error { _, err := picked(st); return err },
		func() error { return st.SendMsg(p.answer.headers) },
		func() error { return st.SendMsg(p.answer.frames[0]) },
		func() error { var m pb.ProcessingResponse; return st.RecvMsg(&m) },
	}
	for _, step := range steps[:r.IntN(len(steps)+1)] {
		if err := step(); err != nil {
			s.check(fmt.Errorf("cancelled: %w", err))
			return
		}
	}
}

// short is a stream that ends with the request phase; one access-log entry in ten is lost.
func (s *soak) short(r *rand.Rand) {
	p := s.player("S")
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	st, err := p.begin(ctx, p.conns[r.IntN(len(p.conns))], r, procv3.ProcessingMode_NONE)
	if err != nil {
		s.check(fmt.Errorf("short: %w", err))
		return
	}
	data, err := picked(st)
	if err != nil {
		s.check(fmt.Errorf("short: %w", err))
		return
	}
	st.CloseSend()
	if r.IntN(10) == 0 {
		s.done["lost"].Add(1)
		return
	}
	spaces := map[string]*structpb.Struct{}
	for name, v := range data.GetFields() {
		spaces[name] = v.GetStructValue()
	}
	entry := &logdatav3.HTTPAccessLogEntry{
		CommonProperties: &logdatav3.AccessLogCommon{Metadata: &corev3.Metadata{FilterMetadata: spaces}},
		Response:         &logdatav3.HTTPResponseProperties{ResponseCode: wrapperspb.UInt32(200)},
	}
	s.logMu.Lock()
	defer s.logMu.Unlock()
	s.check(s.log.SendMsg(&logv3.StreamAccessLogsMessage{LogEntries: &logv3.StreamAccessLogsMessage_HttpLogs{
		HttpLogs: &logv3.StreamAccessLogsMessage_HTTPAccessLogEntries{LogEntry: []*logdatav3.HTTPAccessLogEntry{entry}}}}))
	s.done["logged"].Add(1)
}
