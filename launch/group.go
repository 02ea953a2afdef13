package launch

import (
	"fmt"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// A worker runs one group after another. States and group memory are used again.
type worker struct {
	d      *dispatch
	runner exec.Runner
	local  []*mem.Space // group memory, nil if the launch has none
	bytes  []byte       // of local
	ws     []wave       // of the group
	made   []wave       // ws and those of larger groups before

	count  exec.Counters
	faults exec.FaultLog
	groups uint64
	waves  uint64
}

type wave struct {
	st      *exec.State
	env     exec.Env
	own     ownMemory
	waiting bool // at a barrier
}

func newWorker(d *dispatch) *worker {
	w := &worker{d: d, runner: d.l.Engine.NewRunner(d.l.Program)}
	if n := d.l.GroupBytes; n > 0 {
		seg := mem.NewSegment("group", 0, n, mem.ReadWrite)
		w.bytes = seg.Data
		local, err := mem.NewSpace("group", seg)
		if err != nil {
			panic("launch: " + err.Error())
		}
		w.local = []*mem.Space{local}
	}
	return w
}

// group runs a group to its end.
func (w *worker) group(g Group) error {
	where := exec.Where{Kernel: w.d.l.Kernel, Group: g.ID}
	w.d.observe(exec.Event{Kind: exec.GroupStart, Where: where})
	err := w.begin(&g, where)
	if err == nil {
		err = w.turns(&g)
	}
	for i := range w.ws {
		w.count.Add(&w.ws[i].env.Count)
		w.faults.Merge(&w.ws[i].env.Faults)
	}
	if err == nil {
		w.groups++
	}
	w.d.observe(exec.Event{Kind: exec.GroupEnd, Where: where})
	return err
}

// begin makes the waves of the group.
func (w *worker) begin(g *Group, where exec.Where) error {
	l, lanes := w.d.l, w.d.layout.Lanes
	clear(w.bytes)
	env := l.Env
	env.Where, env.Count, env.Faults = where, exec.Counters{}, exec.FaultLog{}
	if w.local != nil {
		env.Spaces[ir.GroupSpace] = w.local
	}
	for len(w.made) < g.Waves {
		own, err := w.d.newOwn(len(w.made))
		if err != nil {
			return fmt.Errorf("launch: kernel %s: %w", l.Kernel, err)
		}
		w.made = append(w.made, wave{st: w.d.layout.NewState(), own: own})
	}
	w.ws = w.made[:g.Waves]
	for i := range w.ws { // no counts of the group before, should this one not begin
		w.ws[i].env = exec.Env{}
	}
	if err := l.Target.NewGroup(g, &env); err != nil {
		return fmt.Errorf("launch: kernel %s group %v: %w", l.Kernel, g.ID, err)
	}
	for i := range w.ws {
		v := &w.ws[i]
		v.env, v.waiting = env, false
		v.env.Wave = i
		v.own.give(&v.env)
		v.st.Reset()
		v.st.Start(l.Entry.PC, g.Lanes(i, lanes))
		if err := l.Target.InitWave(g, i, v.st, &v.env); err != nil {
			return fmt.Errorf("launch: kernel %s group %v wave %d: %w", l.Kernel, g.ID, i, err)
		}
		v.st.Goto(v.st.At.Key.PC) // under the mode that InitWave has set
		w.waves++
		w.d.observe(exec.Event{Kind: exec.WaveStart, Where: v.env.Where, State: v.st})
	}
	return nil
}

// turns lets the waves of the group run one after another, a while each, until all have ended.
// When each wave that has not ended is at a barrier, the barrier is over.
func (w *worker) turns(g *Group) error {
	for {
		running, waiting := 0, 0
		for i := range w.ws {
			v := &w.ws[i]
			if !v.waiting && !v.st.Ended() {
				if err := w.turn(v); err != nil {
					return err
				}
				if w.d.stop.Load() < g.Index {
					return errPassed
				}
			}
			switch {
			case v.waiting:
				waiting++
			case !v.st.Ended():
				running++
			}
		}
		switch {
		case running+waiting == 0:
			return nil
		case running == 0:
			w.release()
		}
	}
}

// turn runs one wave for a while.
func (w *worker) turn(v *wave) error {
	e := exec.Event{Where: v.env.Where, State: v.st}
	stop := w.d.meter.Run(w.runner, w.d.l.Program.Code, v.st, &v.env)
	switch stop.Reason {
	case exec.StopFault:
		e.Kind, e.Fault = exec.FaultRaised, stop.Fault
		w.d.observe(e)
		return stop.Fault
	case exec.StopBarrier:
		v.waiting = true
		e.Kind = exec.BarrierReached
		w.d.observe(e)
	case exec.StopEnd:
		e.Kind = exec.WaveEnd
		w.d.observe(e)
	}
	return nil
}

func (w *worker) release() {
	for i := range w.ws {
		w.ws[i].waiting = false
	}
	where := w.ws[0].env.Where
	where.Wave = 0
	w.d.observe(exec.Event{Kind: exec.BarrierReleased, Where: where})
}
