package launch

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/heddle-gpu/heddle/exec"
)

// A Session is a launch that runs in steps, as Run or a debugger takes them. Goroutines may share it, each with a Slot
// of its own.
//
//	s, err := l.Begin(ctx)
//	slot := s.NewSlot()
//	for i := range s.Groups() {
//		err := slot.Begin(i)
//		for wave, ok := slot.Next(); ok; wave, ok = slot.Next() {
//			stop := slot.Turn(wave, exec.Budget{})
//		}
//		slot.End()
//	}
//	s.End()
type Session struct {
	l      *Launch
	layout *exec.Layout
	groups uint64
	room   uint64 // number of slots that fit in the limit of memory
	meter  *exec.Meter
	slots  atomic.Int64 // made so far
	looks  bool         // there is an observer that looks at waves
}

// Begin checks and starts the launch. Groups may be taken in any order; in the order of their indexes they leave the
// same bytes as Run. The limits of the launch apply to all slots together.
func (l *Launch) Begin(ctx context.Context) (*Session, error) {
	if err := l.whole(ctx); err != nil {
		return nil, err
	}
	var err error
	if l.Watcher != nil {
		if l, err = l.watched(); err != nil {
			return nil, err
		}
	}
	s := &Session{l: l, meter: exec.NewMeter(ctx, l.Limits), looks: exec.LooksAtWaves(l.Observer)}
	if s.layout, err = exec.NewLayout(l.Program.Machine(), l.Lanes); err != nil {
		return nil, err
	}
	if s.groups, err = l.Grid.check(); err != nil {
		return nil, err
	}
	if n := l.Limits.Groups; n != 0 && s.groups > n {
		return nil, fmt.Errorf("launch: %d groups; the limit is %d", s.groups, n)
	}
	if err := s.fitMemory(); err != nil {
		return nil, err
	}
	s.observe(exec.Event{Kind: exec.LaunchStart, Where: exec.Where{Kernel: l.Kernel}, Sizes: l.sizes()})
	return s, nil
}

// sizes returns what the launch takes.
func (l *Launch) sizes() *exec.Sizes {
	b := l.Grid.Block
	return &exec.Sizes{Items: int(max(b[0], 1)) * int(max(b[1], 1)) * int(max(b[2], 1)), Group: l.GroupBytes, Vector: l.Vector, Scalar: l.Scalar}
}

// whole returns an error if the launch is incomplete: a worker would detect it too late to return an error.
func (l *Launch) whole(ctx context.Context) error {
	switch {
	case ctx == nil:
		return errors.New("launch: no context")
	case l.Engine == nil:
		return errors.New("launch: no engine")
	case l.Program == nil || l.Program.Code == nil:
		return errors.New("launch: no program")
	case l.Target == nil:
		return errors.New("launch: no target to begin its waves")
	}
	return nil
}

// Groups returns the number of groups; indexes are less than it.
func (s *Session) Groups() uint64 { return s.groups }

// End notifies the observer that the launch is over.
func (s *Session) End() {
	s.observe(exec.Event{Kind: exec.LaunchEnd, Where: exec.Where{Kernel: s.l.Kernel}})
}

// fitMemory computes how many slots fit in the limit of memory. It is an error if not even one does.
func (s *Session) fitMemory() error {
	limit := s.l.Limits.Memory
	if limit == 0 {
		limit = DefaultMemory
	}
	shared := uint64(0)
	for _, banks := range s.l.Env.Spaces {
		for _, space := range banks {
			if space != nil {
				shared += space.Bytes()
			}
		}
	}
	whole := s.l.Grid.group(0, s.layout.Lanes)
	each := uint64(max(s.l.GroupBytes, 0))*uint64(max(s.l.GroupBanks, 1)) + uint64(whole.Waves*s.layout.Bytes()) + s.ownBytes(whole.Waves)
	if s.l.shadowing() != nil { // of registers it is counted
		each += each - uint64(whole.Waves*s.layout.Bytes())
	}
	if shared+each > limit {
		return fmt.Errorf("launch: %d bytes of buffers and %d for a group in flight; the limit is %d", shared, each, limit)
	}
	s.room = (limit - shared) / each
	return nil
}

func (s *Session) observe(e exec.Event) {
	if s.l.Observer != nil {
		s.l.Observer.Observe(e)
	}
}
