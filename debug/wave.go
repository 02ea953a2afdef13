package debug

import (
	"fmt"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// A Key identifies a wave in the whole run.
type Key struct {
	Launch int // of the run, from 1; in a draw, the number of its wave, from -1 down
	exec.Where
}

// A Wave is a wave of the present workgroup.
type Wave struct {
	Key
	ID      int // from 1, the same in each run
	State   *exec.State
	Env     *exec.Env // nil: it has not run yet
	Program *exec.Program
	Waiting bool // at a barrier
	calls   []call
	called  uint64 // the return address of the call that has just run; 0: none
}

// A call is an active call of a wave.
type call struct{ behind uint64 }

// A Frame is a call frame of a wave.
type Frame struct {
	PC uint64
	// Outer frames are at the return addresses of their calls.
	Outer bool
}

// Frames returns the frames of the wave, innermost first.
func (w *Wave) Frames(pc uint64) []Frame {
	list := []Frame{{PC: pc}}
	if w.State.Machine.Control == ir.MaskStack {
		for i := len(w.State.Stack) - 1; i >= 0; i-- {
			if t := &w.State.Stack[i]; t.Kind == exec.TokenCall || t.Kind == exec.TokenCallLimited {
				list = append(list, Frame{t.PC, true})
			}
		}
		return list
	}
	for i := len(w.calls) - 1; i >= 0; i-- {
		list = append(list, Frame{w.calls[i].behind, true})
	}
	return list
}

// LaneState returns the state of a lane: active, inactive, waiting at another address, or terminated.
func (w *Wave) LaneState(lane int) string {
	st := w.State
	pc, waits := st.WaitsAt(lane)
	switch {
	case st.Live>>lane&1 == 0:
		return "ended"
	case st.Exec>>lane&1 != 0:
		return "runs"
	case waits && w.Program != nil:
		return fmt.Sprintf("waits at %#x", ir.PlaceOf(w.Program, pc).Addr)
	}
	return "off"
}

// Depth returns how many calls the wave is in.
func (w *Wave) Depth() int { return w.depth() }

// depth returns how many calls the wave is in.
func (w *Wave) depth() int { return len(w.Frames(0)) - 1 }

// maxCalls limits the recorded calls of a wave.
const maxCalls = 1 << 12

// arrived updates the calls before an instruction.
func (w *Wave) arrived(at *exec.Step) {
	if w.State.Machine.Control == ir.MaskStack { // it has a stack of its own
		return
	}
	if w.called != 0 && w.called != at.PC && len(w.calls) < maxCalls {
		w.calls = append(w.calls, call{w.called})
	}
	w.called = 0
	if n := len(w.calls); n > 0 && w.calls[n-1].behind == at.PC {
		w.calls = w.calls[:n-1]
	}
}

// PC returns where the wave continues.
func (w *Wave) PC() uint64 {
	if w.Program == nil {
		return w.State.At.Key.PC
	}
	return w.State.At.PC(w.Program)
}

// Observe implements exec.Observer: waves of a workgroup are known from its start.
func (s *Session) Observe(e exec.Event) {
	switch e.Kind {
	case exec.LaunchStart:
		s.launch++
		s.starts = true
	case exec.GroupStart:
		s.endWaves()
	case exec.WaveStart:
		s.addWave(e.Where, e.State)
	case exec.WaveEnd:
		s.endWave(e.State)
	case exec.BarrierReached:
		if w := s.waveOf(e.State); w != nil {
			w.Waiting = true
		}
	case exec.BarrierReleased:
		for _, w := range s.waves {
			w.Waiting = false
		}
	}
}

func (s *Session) waveOf(st *exec.State) *Wave {
	for _, w := range s.waves {
		if w.State == st {
			return w
		}
	}
	return nil
}

func (s *Session) addWave(where exec.Where, st *exec.State) *Wave {
	key := Key{s.launch, where}
	id := s.ids[key]
	if id == 0 {
		id = s.kept.id + len(s.ids) + 1
		s.ids[key] = id
	}
	w := &Wave{Key: key, ID: id, State: st}
	s.waves = append(s.waves, w)
	if !s.replaying() {
		s.to.Begun(w)
	}
	return w
}

func (s *Session) endWave(st *exec.State) {
	for i, w := range s.waves {
		if w.State == st {
			s.waves = append(s.waves[:i:i], s.waves[i+1:]...)
			if !s.replaying() {
				s.to.Ended(w)
			}
			return
		}
	}
}

// turnOf makes the wave of a step the running one.
func (s *Session) turnOf(at *exec.Step) {
	w := s.wave
	switch {
	case s.launch == 0:
		w = s.drawn(at)
	case w == nil || w.State != at.State || w.Where != at.Env.Where:
		if w = s.waveOf(at.State); w == nil || w.Where != at.Env.Where {
			w = s.addWave(at.Env.Where, at.State)
		}
	}
	if w != s.wave {
		if s.wave = w; len(s.turns) < maxTurns {
			s.turns = append(s.turns, turn{s.steps, w.ID})
		}
	}
	w.Env, w.Program, w.Waiting = at.Env, at.Program, false
}

// drawn returns the wave of a step of a draw. Their starts are not reported, and all have the same name: a wave that
// has run nothing is a new one.
func (s *Session) drawn(at *exec.Step) *Wave {
	w := s.wave
	begins := at.State.Clock == 0 && at.Sub == 0 && (w == nil || s.drewAt != s.steps)
	if w != nil && w.State == at.State && w.Where == at.Env.Where && !begins {
		return w
	}
	s.endWaves()
	s.draws++
	s.drewAt = s.steps
	w = &Wave{Key: Key{-s.draws, at.Env.Where}, ID: s.draws, State: at.State}
	s.waves = append(s.waves, w)
	if !s.replaying() {
		s.to.Begun(w)
	}
	return w
}
