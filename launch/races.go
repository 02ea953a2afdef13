package launch

import (
	"context"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// A Racer is a Watcher that may look for races. Then Run first runs a launch with the code of Filter, which does not
// have to find any, and compares what groups, and waves of groups, access between barriers ([mem.Footprint]). Only if
// some of it may be a race, it restores memory and runs the launch again, in order on one worker, with the code of
// Watch. So findings do not depend on the number of workers.
type Racer interface {
	Watcher
	// Racing reports whether it looks for races in the memory of groups, and in global memory.
	Racing() (group, global bool)
	// Memory tells what the next launch accesses. own reports whether an address of bank 0 of global memory is only the
	// wave's; nil: none is.
	Memory(env *exec.Env, own func(wave int, addr uint64) bool)
	// Filter is Watch for the first run, with the observer of that run; nil: it needs none. group says that groups have
	// memory.
	Filter(code ir.Code, windows []exec.Window, group bool) (ir.Code, exec.Observer)
	// Narrow says what Watch need look at, by the address in its bank, until the launch ends: whether it is the memory of
	// groups, and where in global memory.
	Narrow(group bool, global []mem.Extent)
	// Suspects reports whether that observer has seen what may be a race since Filter.
	Suspects() bool
}

// A Repeater is a Watcher that Run tells when a launch runs more than once.
type Repeater interface {
	Watcher
	// Save is called before the launch.
	Save()
	// Again drops what has been found since Save: the launch runs again from its start.
	Again()
}

// repeater returns the watcher if it is one, and otherwise one that does nothing.
func (l *Launch) repeater() Repeater {
	if r, ok := l.Watcher.(Repeater); ok {
		return r
	}
	return noRepeater{}
}

type noRepeater struct{ Watcher }

func (noRepeater) Save()  {}
func (noRepeater) Again() {}

// racer returns the watcher if it looks for races; nil otherwise. global says that it does in global memory, too.
func (l *Launch) racer() (r Racer, global bool) {
	if r, ok := l.Watcher.(Racer); ok {
		if group, global := r.Racing(); group || global {
			return r, global
		}
	}
	return nil, false
}

// runRacing is Run if races are looked for.
func (l *Launch) runRacing(ctx context.Context, res *Result) error {
	if l.mapped() == "" && !l.Relaxed { // otherwise memory cannot be restored, or is shared with what goes on beside
		if sure, err := l.runFilter(ctx, res); sure || err != nil {
			return err
		}
		if l.Done != nil {
			l.Done.Add(-int64(res.Groups))
		}
	}
	s, err := l.Begin(ctx)
	if err != nil {
		return err
	}
	*res = Result{Workers: 1, Serial: s.groups > 1}
	if res.Serial {
		res.Why = "races are looked for"
	}
	d := &dispatch{Session: s, res: res}
	d.run()
	return d.err
}

// runFilter runs the launch without looking for races. It is sure if there can be none; otherwise memory is as before.
func (l *Launch) runFilter(ctx context.Context, res *Result) (sure bool, err error) {
	d := &dispatch{}
	r, global := l.racer()
	defer func() { d.close() }()
	for workers := l.Workers; ; {
		r.Memory(&l.Env, l.owns())
		l.begins()
		code, observer := r.Filter(l.Program.Code, l.Env.Windows, l.GroupBytes > 0)
		w, err := l.watchedBy(code, observer)
		if err != nil {
			return false, err
		}
		w.Workers = workers
		if !global && observer == nil && (l.GroupBytes == 0 || !r.Suspects() && l.Grid.group(0, max(l.Lanes, 1)).Waves == 1) {
			got, err := w.Run(ctx)
			*res = *got
			return true, err
		}
		s, err := w.Begin(ctx)
		if err != nil {
			return false, err
		}
		*res = Result{}
		d = &dispatch{Session: s, res: res, prints: d.prints, racing: true, learns: l.Observer == nil, waves: mem.InLocal}
		if global {
			d.waves = mem.InAll
		}
		d.setWorkers()
		if d.collects = global && d.res.Workers == 1; d.collects {
			d.prints.Collect()
		}
		d.run()
		d.reachedMore()
		suspects := r.Suspects()
		if d.met == nil && !d.inOrder && !suspects {
			return true, d.err
		}
		uncertain := d.met != nil && d.met.Uncertain && !d.inOrder
		if d.collects && !suspects && !uncertain {
			r.Narrow(d.prints.Suspects())
		}
		d.prints.Undo()
		l.repeater().Again()
		if !uncertain && (suspects || !global || d.collects) {
			return false, nil
		}
		if !uncertain {
			workers = 1 // to collect
		}
		if l.Done != nil {
			l.Done.Add(-int64(res.Groups))
		}
	}
}

// record makes the footprint of a slot.
func (d *dispatch) record(w *Slot) {
	switch {
	case d.prints == nil:
	case d.racing && w.s.l.Grid.group(0, w.s.layout.Lanes).Waves > 1:
		w.foot, w.apart = d.prints.NewOfWaves(d.waves, w.local[:min(len(w.local), w.banks)]...), true
	case d.waves != mem.InOwn:
		w.foot = d.prints.New()
	}
}

// endTurn notes that a wave has ended its turn.
func (w *Slot) endTurn(wave int, stop exec.Stop) {
	if !w.apart || w.foot == nil {
		return
	}
	over := stop.Reason == exec.StopEnd || stop.Reason == exec.StopBarrier && stop.At.Kind == ir.BarrierSync
	if w.foot.EndTurn(wave, over) {
		w.met = true
	}
}
