package launch

import (
	"fmt"
	"slices"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// An arrival is a wave that has arrived at a barrier that is not complete, without waiting there.
type arrival struct {
	wave int
	at   exec.Barrier
}

// arrive records that a wave waits at a barrier, or has arrived without waiting.
func (w *Slot) arrive(wave int, at exec.Barrier) {
	switch v := &w.Waves[wave]; {
	case at.Kind == ir.BarrierArrive:
		w.came = append(w.came, arrival{wave, at})
	case at.Kind == ir.BarrierSync || w.begunAt(at.Number):
		v.Waiting, v.At = true, at
	}
}

// begunAt reports whether waves have arrived at the barrier of that number and it is not complete.
func (w *Slot) begunAt(number int) bool {
	for i := range w.Waves {
		if v := &w.Waves[i]; v.Waiting && v.At.Number == number && v.At.Kind == ir.BarrierSync {
			return true
		}
	}
	return slices.ContainsFunc(w.came, func(a arrival) bool { return a.at.Number == number })
}

// full reports whether the barrier of that number is complete. If an arrival gives a number of lanes, arrived waves
// must have at least that many lanes; this includes waves that have ended since. Otherwise there must be as many
// arrivals of live waves as there are live waves.
func (w *Slot) full(number int) bool {
	here, alive, some := 0, 0, false
	lanes, need := uint64(0), uint32(0)
	count := func(v *Wave, at exec.Barrier) {
		if at.Number != number || at.Kind == ir.BarrierWait {
			return
		}
		if some = true; !v.State.Ended() {
			here++
		}
		lanes += uint64(v.State.Lanes)
		need = max(need, at.Lanes)
	}
	for i := range w.Waves {
		v := &w.Waves[i]
		if v.Waiting {
			count(v, v.At)
		}
		if !v.State.Ended() {
			alive++
		}
	}
	for _, a := range w.came {
		count(&w.Waves[a.wave], a.at)
	}
	if need != 0 {
		return lanes >= uint64(need)
	}
	return some && here >= alive
}

// open releases the waves at a barrier and resets it.
func (w *Slot) open(number int) {
	w.came = slices.DeleteFunc(w.came, func(a arrival) bool { return a.at.Number == number })
	for i := range w.Waves {
		if v := &w.Waves[i]; v.Waiting && v.At.Number == number {
			v.Waiting, v.At = false, exec.Barrier{}
		}
	}
	if w.apart && w.foot != nil {
		w.foot.Barrier()
	}
	where := w.Waves[0].Env.Where
	where.Wave = 0
	w.s.observe(exec.Event{Kind: exec.BarrierReleased, Where: where, Barrier: exec.Barrier{Number: number}})
}

// Release completes the barriers at which all waves that they are for have arrived. It returns false and does nothing
// if a wave of the group can run, or if there is no such barrier. A barrier for fewer lanes than the group has is
// complete when those have arrived, even if other waves can run.
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

// stuck returns the lowest waiting wave if no wave can run and no barrier is complete: the group is deadlocked.
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

// never returns the fault of a wave that waits for waves which will not arrive.
func (w *Slot) never(v *Wave) exec.Stop {
	f := exec.NewFault(exec.FaultBarrier, &v.Env, w.s.l.Program.Code, v.State.At.Key.PC)
	what := "all waves"
	switch {
	case v.At.Kind == ir.BarrierWait:
		what = "the waves that are missing there"
	case v.At.Lanes != 0:
		what = fmt.Sprintf("waves of %d lanes", v.At.Lanes)
	}
	f.Text = fmt.Sprintf("waits before this instruction at barrier %d for %s", v.At.Number, what)
	for i := range w.Waves {
		if o := &w.Waves[i]; o.Waiting && o.At.Number != v.At.Number {
			f.Text += fmt.Sprintf(", wave %d at barrier %d", i, o.At.Number)
		}
	}
	f.Text += ": no other wave can arrive"
	w.s.observe(exec.Event{Kind: exec.FaultRaised, Where: v.Env.Where, State: v.State, Fault: f})
	return exec.Stop{Reason: exec.StopFault, Fault: f}
}
