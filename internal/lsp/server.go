package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"github.com/heddle-gpu/heddle/isa"
)

// Options of Serve.
type Options struct {
	// Target is the target of documents that do not declare one; nil: it is unknown.
	Target *isa.Target
	// Delay is how long after a change its diagnostics are computed; 0: 150 ms. See AtOnce.
	Delay time.Duration
	// Log receives messages for users of the server; nil: they are dropped.
	Log     io.Writer
	Version string // reported to the client
}

// AtOnce is the Delay for diagnostics directly after a change.
const AtOnce time.Duration = -1

// Serve answers a client until it sends exit. The error is nil if it sent shutdown before, ErrExit if it did not.
func Serve(ctx context.Context, in io.Reader, out io.Writer, opt Options) error {
	if opt.Delay == 0 {
		opt.Delay = 150 * time.Millisecond
	}
	if opt.Log == nil {
		opt.Log = io.Discard
	}
	ctx, stop := context.WithCancel(ctx)
	s := &session{ctx: ctx, opt: opt, log: log.New(opt.Log, "heddle lsp: ", log.Ltime), w: &writer{w: out},
		methods: methods(), docs: map[string]*snapshot{}, open: map[string]context.CancelFunc{},
		slots: make(chan struct{}, max(2, runtime.GOMAXPROCS(0)))}
	defer s.leave()
	defer stop()
	return s.serve(newReader(in))
}

// leave waits for running requests, but not long: nothing reads their answers any more.
func (s *session) leave() {
	done := make(chan struct{})
	go func() {
		s.work.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(time.Second):
	}
}

// ErrExit says that a session ended without shutdown: by exit alone, or with its input.
var ErrExit = errors.New("the client went without shutdown")

// A session is the state of one client.
type session struct {
	ctx      context.Context
	opt      Options
	log      *log.Logger
	w        *writer
	methods  map[string]handler
	client   client
	config   config
	encoding encoding
	ready    bool // initialize has been answered
	ended    bool // shutdown has been requested
	slots    chan struct{}
	work     sync.WaitGroup

	mu   sync.Mutex
	docs map[string]*snapshot          // open documents; only the reading goroutine changes the map
	open map[string]context.CancelFunc // unanswered requests, by ID
}

// A handler is a method. It runs in the order of messages, and may return a part to be run concurrently.
type handler struct {
	run    func(s *session, params json.RawMessage) (outcome, error)
	always bool // also before initialize
}

// An outcome is the result of a method, or a function that computes it.
type outcome struct {
	result any
	later  func(ctx context.Context) (any, error)
}

// serve handles messages until the session ends.
func (s *session) serve(r *reader) error {
	for {
		m, err := r.next()
		var bad *rpcError
		switch {
		case errors.As(err, &bad):
			s.log.Printf("a message that cannot be read: %v", bad)
			if err := s.w.reply(nil, nil, bad); err != nil {
				return err
			}
		case err == io.EOF && (s.ended || !s.ready): // the session is over, or never began
			return nil
		case err == io.EOF:
			return ErrExit
		case err != nil:
			return fmt.Errorf("reading a message: %w", err)
		case m.Method == nil: // a response: no answer to a request of ours matters
		case *m.Method == "exit" && m.ID == nil:
			if s.ended {
				return nil
			}
			return ErrExit
		case m.ID == nil:
			s.notified(*m.Method, m.Params)
		default:
			if err := s.asked(m); err != nil {
				return err
			}
		}
	}
}

// notified handles a notification. Unknown ones, and all before initialize, are dropped, as the protocol requires.
func (s *session) notified(method string, params json.RawMessage) {
	h, ok := s.methods[method]
	if !ok || !s.ready || s.ended {
		return
	}
	if _, err := s.first(h, params); err != nil {
		s.log.Printf("%s: %v", method, err)
	}
}

// first runs the part of a handler that runs at once.
func (s *session) first(h handler, params json.RawMessage) (r outcome, err error) {
	defer s.caught(&err)
	return h.run(s, params)
}

// caught turns a panic into an error of the request, and logs the stack.
func (s *session) caught(err *error) {
	if e := recover(); e != nil {
		s.log.Printf("panic: %v\n%s", e, debug.Stack())
		*err = failf(codeInternal, "a fault of heddle: %v", e)
	}
}

// asked answers a request.
func (s *session) asked(m *message) error {
	h, ok := s.methods[*m.Method]
	switch {
	case s.ended:
		return s.w.reply(m.ID, nil, failf(codeInvalidRequest, "%s after shutdown", *m.Method))
	case !s.ready && !h.always:
		return s.w.reply(m.ID, nil, failf(codeNotInitialized, "%s before initialize", *m.Method))
	case !ok:
		return s.w.reply(m.ID, nil, failf(codeNoMethod, "no method %q", *m.Method))
	}
	r, err := s.first(h, m.Params)
	if err != nil || r.later == nil {
		return s.w.reply(m.ID, r.result, asRPC(err))
	}
	return s.begin(m, r.later)
}

// begin answers a request on a new goroutine.
func (s *session) begin(m *message, later func(context.Context) (any, error)) error {
	key := string(m.ID)
	ctx, cancel := context.WithCancel(s.ctx)
	s.mu.Lock()
	_, twice := s.open[key]
	if !twice {
		s.open[key] = cancel
	}
	s.mu.Unlock()
	if twice {
		cancel()
		return s.w.reply(m.ID, nil, failf(codeInvalidRequest, "a request %s is under way already", key))
	}
	s.work.Go(func() {
		defer cancel()
		result, err := s.second(ctx, later)
		s.mu.Lock()
		delete(s.open, key)
		s.mu.Unlock()
		if ctx.Err() != nil {
			err = failf(codeCancelled, "cancelled")
		}
		if err := s.w.reply(m.ID, result, asRPC(err)); err != nil {
			s.log.Printf("the answer to %s: %v", *m.Method, err)
		}
	})
	return nil
}

// second runs the concurrent part of a handler, of which a limited number run at a time.
func (s *session) second(ctx context.Context, later func(context.Context) (any, error)) (result any, err error) {
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer s.caught(&err)
	return later(ctx)
}

// asRPC returns an error in the form of the protocol.
func asRPC(err error) *rpcError {
	var e *rpcError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &e):
		return e
	case errors.Is(err, errStale):
		return failf(codeModified, "the document has changed")
	case errors.Is(err, context.Canceled):
		return failf(codeCancelled, "cancelled")
	}
	return failf(codeFailed, "%v", err)
}

// decode reads parameters.
func decode(params json.RawMessage, to any) error {
	if len(params) == 0 {
		params = json.RawMessage("{}")
	}
	if err := json.Unmarshal(params, to); err != nil {
		return failf(codeInvalidParams, "%v", err)
	}
	return nil
}

// at returns a method that runs in the order of messages.
func at[P any](f func(s *session, p *P) (any, error)) handler {
	return handler{run: func(s *session, params json.RawMessage) (outcome, error) {
		var p P
		if err := decode(params, &p); err != nil {
			return outcome{}, err
		}
		result, err := f(s, &p)
		return outcome{result: result}, err
	}}
}

// of returns a method that runs on a document as it is when the message arrives.
func of[P interface{ document() string }](f func(d *snapshot, p P) (any, error)) handler {
	return handler{run: func(s *session, params json.RawMessage) (outcome, error) {
		var p P
		if err := decode(params, &p); err != nil {
			return outcome{}, err
		}
		d := s.docs[p.document()]
		if d == nil {
			return outcome{}, failf(codeInvalidParams, "%q is not open", p.document())
		}
		return outcome{later: func(context.Context) (any, error) {
			result, err := f(d, p)
			if d.abandoned.Load() {
				return nil, errStale
			}
			return result, err
		}}, nil
	}}
}
