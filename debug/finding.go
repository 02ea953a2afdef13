package debug

import (
	"github.com/heddle-gpu/heddle/internal/stepping"
	"github.com/heddle-gpu/heddle/sanitize"
)

// Found stops the run before the instruction under way, because a sanitizer has found something there: it is for the
// function that sanitize.New takes. The run begins again to get there, and passes that instruction when it goes on.
func (s *Session) Found(f *sanitize.Finding) {
	if !s.order.replays() && s.order.kind != toTarget && !s.told[s.steps] {
		s.finding = append(s.finding, f)
	}
}

// discovers reports whether the run begins again, to stop before the instruction that has just run.
func (s *Session) discovers() bool {
	found := s.finding
	s.finding = nil
	if len(found) == 0 || s.quit.Load() {
		return false
	}
	if s.told == nil {
		s.told = map[uint64]bool{}
	}
	s.told[s.steps] = true
	s.seen = max(s.seen, s.steps)
	s.leaving, s.next = stepping.ErrAgain, nil
	s.order = order{kind: toTarget, target: s.steps - 1, reason: AtFinding, like: &Halt{Text: found[0].String(), Found: found}}
	return true
}
