package debug

import (
	"math/bits"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/spell"
)

// A Count is how often an instruction has begun: in waves, and in lanes of them that were active.
type Count struct{ Waves, Lanes uint64 }

// String returns "2 waves, 100 lanes".
func (n Count) String() string {
	return spell.Count(n.Waves, "wave") + ", " + spell.Count(n.Lanes, "lane")
}

// Counting reports whether the session counts instructions.
func (s *Session) Counting() bool { return s.ran != nil }

// StartCounting makes the session count how often each instruction begins, from the beginning of the run. It may be
// called before Start. If the run has stopped elsewhere, it runs again up to there: it goes, as after BackTo. While a
// session counts, the run looks at each instruction.
func (s *Session) StartCounting() (goes bool) {
	h := s.Halted()
	if s.ran != nil || h == nil && s.cancel != nil {
		return false
	}
	s.ran = map[*Code]map[uint64]Count{}
	if h == nil { // it has not begun
		return false
	}
	switch {
	case h.Pos == s.first:
	case h.Reason == AtFault: // before the instruction, and into it again
		s.halted.Store(nil)
		s.again(order{kind: toTarget, target: h.Pos}, func() { s.order = order{kind: forPoints} })
	default:
		s.goBack(h.Pos, h.Reason)
	}
	return h.Pos != s.first
}

// StopCounting drops the counts.
func (s *Session) StopCounting() { s.ran = nil }

// Counts returns how often each instruction of a code has begun before the present position, by address in memory; nil
// unless the session counts. The caller must not change it, and the next instruction does.
func (s *Session) Counts(c *Code) map[uint64]Count { return s.ran[c] }

// LineCounts returns how often lines of a source file have begun: as often as the instruction of the line that ran
// most.
func (s *Session) LineCounts(c *Code, path string) map[int]Count {
	lines := map[int]Count{}
	for pc, n := range s.ran[c] {
		p := c.Place(pc).Position()
		if p.File != path {
			continue
		}
		if m := lines[p.Line]; n.Waves > m.Waves || n.Waves == m.Waves && n.Lanes > m.Lanes {
			lines[p.Line] = n
		}
	}
	return lines
}

// count counts an instruction that begins. times is 1, or ^0 if it was counted before and the run is before it again.
func (s *Session) count(at *exec.Step, c *Code, times uint64) {
	if s.ran == nil {
		return
	}
	of := s.ran[c]
	if of == nil {
		of = map[uint64]Count{}
		s.ran[c] = of
	}
	n := of[at.PC]
	n = Count{n.Waves + times, n.Lanes + times*uint64(bits.OnesCount64(at.State.Exec))}
	if of[at.PC] = n; n.Waves == 0 {
		delete(of, at.PC)
	}
}
