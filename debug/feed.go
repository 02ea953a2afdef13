package debug

import (
	"context"
	"errors"
	"sync"
)

// A Piece is work that a program submits while it runs, such as a dispatch.
type Piece interface {
	// Run executes the piece, under the debugger unless s is nil. It may be called again, and must do the same then: what
	// a Run under the debugger writes to memory is seen by nobody else before Keep.
	Run(ctx context.Context, s *Session) error
	// Keep makes what the last Run under the debugger has written final.
	Keep()
}

// A Feed is a program that goes on beside the debugger and submits pieces of work. A session can join it and leave it
// again: its run is Feed.Run. While one has joined, pieces run one after another. The session goes back within a piece,
// but not to earlier ones.
type Feed struct {
	pieces chan *fed
	over   chan struct{} // closed by End
	err    error         // of End

	mu     sync.Mutex
	leaves chan struct{} // closed when the session leaves; nil: none has joined
	now    *fed          // the piece that runs; it belongs to Run
}

// A fed piece waits for its end.
type fed struct {
	Piece
	ctx  context.Context
	done chan error // receives errLeft if the session has left before the end
}

var errLeft = errors.New("the debugger has left")

// ErrJoined is the error of a second session that joins.
var ErrJoined = errors.New("another debugger has joined the program")

// NewFeed returns a program that no session has joined.
func NewFeed() *Feed {
	return &Feed{pieces: make(chan *fed), over: make(chan struct{})}
}

// Join lets a session join, which must be started next with Feed.Run; pieces that begin from now on wait for it.
func (f *Feed) Join() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.leaves != nil {
		return ErrJoined
	}
	f.leaves = make(chan struct{})
	return nil
}

// Leave is called when a session that has joined has quit, or is over. A piece that was running under it runs again,
// without a debugger.
func (f *Feed) Leave() {
	f.mu.Lock()
	defer f.mu.Unlock()
	close(f.leaves)
	f.leaves = nil
	if x := f.now; x != nil {
		f.now = nil
		x.done <- errLeft
	}
}

// End tells the session that the program has ended.
func (f *Feed) End(err error) {
	f.err = err
	close(f.over)
}

// Do executes a piece, under the session that has joined if there is one.
func (f *Feed) Do(ctx context.Context, p Piece) error {
	f.mu.Lock()
	leaves := f.leaves
	f.mu.Unlock()
	if leaves == nil {
		return p.Run(ctx, nil)
	}
	x := &fed{p, ctx, make(chan error, 1)}
	select {
	case f.pieces <- x:
	case <-leaves:
		return p.Run(ctx, nil)
	case <-ctx.Done():
		return ctx.Err()
	}
	err := <-x.done
	if err == errLeft {
		return p.Run(ctx, nil)
	}
	return err
}

// Run implements [Run].
func (f *Feed) Run(ctx context.Context, s *Session) error {
	for {
		if f.now == nil {
			select {
			case x := <-f.pieces:
				f.now = x
			case <-f.over:
				return f.err
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		x := f.now
		if err := x.ctx.Err(); err != nil {
			f.now = nil
			x.done <- err
			continue
		}
		s.gone = x.ctx.Done()
		within, stop := context.WithCancel(x.ctx)
		unlink := context.AfterFunc(ctx, stop)
		err := x.Run(within, s)
		unlink()
		stop()
		if s.leaving != nil || s.quit.Load() {
			return err
		}
		if s.strayed() {
			s.order, s.next = order{kind: forPoints}, nil
		}
		x.Keep()
		s.keep()
		f.now = nil
		x.done <- err
	}
}

// keep makes the present position the first that the session can go back to.
func (s *Session) keep() {
	s.endWaves()
	s.first, s.kept.launch, s.kept.id = s.steps, s.launch, s.kept.id+len(s.ids)
	s.turns, s.edits, s.wave, s.code, s.finding = s.turns[:0], s.edits[:0], nil, nil, nil
	clear(s.ids)
	clear(s.probing)
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.byCode)
	for _, p := range s.points {
		p.kept, p.early, p.hits = p.Hits(), 0, p.hits[:0]
	}
}
