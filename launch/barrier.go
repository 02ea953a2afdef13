package launch

import (
	"fmt"

	"github.com/heddle-gpu/heddle/exec"
)

// full reports whether the barrier of that number is over: if all waves that have not ended wait at it, or, if
// one of those at it says for how many lanes, waves of so many.
func (w *Slot) full(number int) bool {
	here, others := 0, 0
	lanes, need := uint64(0), uint32(0)
	for i := range w.Waves {
		switch v := &w.Waves[i]; {
		case v.Waiting && v.At.Number == number:
			here++
			lanes += uint64(v.State.Lanes)
			need = max(need, v.At.Lanes)
		case !v.State.Ended():
			others++
		}
	}
	if need != 0 {
		return lanes >= uint64(need)
	}
	return here > 0 && others == 0
}

// open lets the waves at a barrier go on.
func (w *Slot) open(number int) {
	for i := range w.Waves {
		if v := &w.Waves[i]; v.Waiting && v.At.Number == number {
			v.Waiting, v.At = false, exec.Barrier{}
		}
	}
	where := w.Waves[0].Env.Where
	where.Wave = 0
	w.s.observe(exec.Event{Kind: exec.BarrierReleased, Where: where})
}

// Release ends the barriers at which all wait that they are for. It reports false, and does nothing, if a wave
// of the group can run, or there is no such barrier. Barriers for fewer lanes than the group has are over when
// those are there, whoever else can run.
func (w *Slot) Release() bool {
	for i := range w.Waves {
		if w.Waves[i].ready() {
			return false
		}
	}
	over := false
	for i := range w.Waves {
		if v := &w.Waves[i]; v.Waiting && w.full(v.At.Number) {
			w.open(v.At.Number)
			over = true
		}
	}
	if over {
		w.next = 0
	}
	return over
}

// stuck is the lowest wave that waits, if no wave can run and no barrier will be over.
func (w *Slot) stuck() (wave int, ok bool) {
	for i := len(w.Waves) - 1; i >= 0; i-- {
		switch v := &w.Waves[i]; {
		case v.ready() || v.Waiting && w.full(v.At.Number):
			return 0, false
		case v.Waiting:
			wave, ok = i, true
		}
	}
	return wave, ok
}

// never is the fault of a wave that waits for others which will not come.
func (w *Slot) never(v *Wave) exec.Stop {
	f := exec.NewFault(exec.FaultBarrier, &v.Env, w.s.l.Program.Code, v.State.At.Key.PC)
	what := "all waves"
	if v.At.Lanes != 0 {
		what = fmt.Sprintf("waves of %d lanes", v.At.Lanes)
	}
	f.Text = fmt.Sprintf("waits in front of this at barrier %d for %s", v.At.Number, what)
	for i := range w.Waves {
		if o := &w.Waves[i]; o.Waiting && o.At.Number != v.At.Number {
			f.Text += fmt.Sprintf(", wave %d at barrier %d", i, o.At.Number)
		}
	}
	f.Text += ": nobody else can come"
	w.s.observe(exec.Event{Kind: exec.FaultRaised, Where: v.Env.Where, State: v.State, Fault: f})
	return exec.Stop{Reason: exec.StopFault, Fault: f}
}
