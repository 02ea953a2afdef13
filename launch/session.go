package launch

import (
	"context"
	"errors"
	"fmt"

	"github.com/heddle-gpu/heddle/exec"
)

// A Session is a launch that is taken in steps: Run goes through one, and so may a debugger. It may be
// shared by goroutines, each with a Slot of its own.
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
	room   uint64 // slots that the limit of memory has room for
	meter  *exec.Meter
}

// Begin checks the launch and begins it. Groups may be taken in any order; the same bytes as from Run come
// from that of their indexes. The limits of the launch hold for all slots together.
func (l *Launch) Begin(ctx context.Context) (*Session, error) {
	if err := l.whole(ctx); err != nil {
		return nil, err
	}
	if l.Watcher != nil {
		l = l.watched()
	}
	s := &Session{l: l, meter: exec.NewMeter(ctx, l.Limits)}
	var err error
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
	s.observe(exec.Event{Kind: exec.LaunchStart, Where: exec.Where{Kernel: l.Kernel}})
	return s, nil
}

// whole says what a launch lacks: in a worker it would be found too late to be an error.
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

// Groups is the number of groups; their indexes are below it.
func (s *Session) Groups() uint64 { return s.groups }

// End tells the observer that the launch is over.
func (s *Session) End() {
	s.observe(exec.Event{Kind: exec.LaunchEnd, Where: exec.Where{Kernel: s.l.Kernel}})
}

// fitMemory finds how many slots are within the limit of memory: one at least, or there is no launch.
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
