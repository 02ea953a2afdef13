package launch

import (
	"fmt"
	"slices"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// An arrival is a wave that has arrived at a barrier which is not over, and does not wait there.
type arrival struct {
	wave int
	at   exec.Barrier
}

// arrive makes a wave one that waits at a barrier, or that has been there.
func (w *Slot) arrive(wave int, at exec.Barrier) {
	switch v := &w.Waves[wave]; {
	case at.Kind == ir.BarrierArrive:
		w.came = append(w.came, arrival{wave, at})
	case at.Kind == ir.BarrierSync || w.begunAt(at.Number):
		v.Waiting, v.At = true, at
	}
}

// begunAt reports whether waves have arrived at a barrier that is not over.
func (w *Slot) begunAt(number int) bool {
	for i := range w.Waves {
		if v := &w.Waves[i]; v.Waiting && v.At.Number == number && v.At.Kind == ir.BarrierSync {
			return true
		}
	}
	return slices.ContainsFunc(w.came, func(a arrival) bool { return a.at.Number == number })
}

// full reports whether the barrier of that number is over: if waves have arrived as often as there are waves that have not ended, or,
// if one of those that have says for how many lanes, waves of so many. What waves that have ended did before counts for lanes only.
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

// open lets the waves at a barrier go on, which begins anew.
func (w *Slot) open(number int) {
	w.came = slices.DeleteFunc(w.came, func(a arrival) bool { return a.at.Number == number })
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
	switch {
	case v.At.Kind == ir.BarrierWait:
		what = "the waves that are missing there"
	case v.At.Lanes != 0:
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
