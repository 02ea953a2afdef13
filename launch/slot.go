package launch

import (
	"fmt"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// A Slot holds one group in flight, for the use of one goroutine. It reuses states and memory from group to group.
type Slot struct {
	Group Group
	Waves []Wave // of the group

	s           *Session
	engine      exec.Engine
	layout      *exec.Layout // of states
	runner      exec.Runner
	crew        exec.GroupRunner // the runner, if waves may run together; nil: an observer looks at them, or they share registers
	turns       []exec.WaveTurn  // of waves that can run together, and their numbers in who
	who         []int
	probes      *exec.ProbeLog // nil without an observer
	foot        *mem.Footprint // of the group; nil: not recorded
	apart       bool           // foot tells the waves of the group apart
	met         bool           // with apart: two waves have met
	local       []*mem.Space   // group memory, nil if the launch has none
	bytes       []byte         // of local, first those without their shadow
	banks       int            // of local, without their shadow
	shadowAt    int            // where their shadow begins in bytes
	shadowed    groupShadow    // what that holds when a group begins
	ones        *exec.State    // see undefine
	undefined   map[startKey]*exec.Undefined
	made        []Wave        // Waves, and those of earlier, larger groups
	begun       int           // number of the group's waves that have started
	next        int           // the wave that runs next, if it can run
	came        []arrival     // waves that have arrived at an incomplete barrier and have continued
	env         exec.Env      // initial environment of the group's waves
	known       bool          // env is that of the launch
	restartable bool          // environments stay the same from group to group
	number      int           // in the session
	tallies     []uint64      // of the watcher, for the waves of the slot; nil: its code does not count
	shares      bool          // the machine has registers that waves of a group share
	deadAtExit  bool          // the waves' registers are dead at exit: no observer looks at them
	liveOut     *exec.LiveOut // if deadAtExit: of waves with the entry of the last one
	initCache
}

// A Wave is one wave of a group in flight.
type Wave struct {
	State   *exec.State
	Env     exec.Env // what it can access, and in Count what it has done
	Waiting bool     // at a barrier that is not complete
	At      exec.Barrier
	own     ownMemory
	owns    bool // own is made
	begun   bool // the wave was used for a group of the launch before
}

// ready reports whether the wave can run.
func (v *Wave) ready() bool { return !v.Waiting && !v.State.Ended() }

// NewSlot returns an empty slot.
func (s *Session) NewSlot() *Slot {
	w := &Slot{engine: s.l.Engine, layout: s.layout, runner: s.l.Engine.NewRunner(s.l.Program)}
	for _, f := range s.layout.Machine.Files {
		w.shares = w.shares || f.Group
	}
	if s.l.Observer != nil {
		w.probes = &exec.ProbeLog{Observer: s.l.Observer}
	}
	if !s.looks && !w.shares {
		w.crew, _ = w.runner.(exec.GroupRunner)
	}
	w.join(s)
	return w
}

// join makes an empty slot one of the session.
func (w *Slot) join(s *Session) {
	w.s, w.number = s, int(s.slots.Add(1))-1
	_, w.restartable = s.l.Target.(Restartable)
	if s.l.tallier != nil {
		w.tallies = s.l.tallier.Tallies(w.number)
	}
	if n, banks := s.l.GroupBytes, max(s.l.GroupBanks, 1); n <= 0 {
		w.local, w.bytes = nil, nil
	} else if w.local == nil || w.banks != banks || w.local[0].Bytes() != uint64(n) {
		w.makeLocal(n, banks)
	}
}

// makeLocal allocates group memory, banks of n bytes each, and after it their shadow.
func (w *Slot) makeLocal(n, banks int) {
	stride := (n + mem.Align - 1) / mem.Align * mem.Align
	w.local, w.banks, w.shadowAt = make([]*mem.Space, banks), banks, stride*banks
	all := banks
	if s := w.s.l.shadowing(); s != nil {
		w.local, all = make([]*mem.Space, s.Banks[ir.GroupSpace]+banks), 2*banks
	}
	w.bytes, w.shadowed = mem.Alloc(stride*all), groupShadow{}
	for i := range all {
		data := w.bytes[i*stride:][:n:n]
		local, err := mem.NewSpace("group", mem.Segment{Name: "group", Data: data, Rights: mem.ReadWrite})
		if err != nil {
			panic("launch: " + err.Error())
		}
		at := i
		if i >= banks {
			at += len(w.local) - 2*banks
		}
		w.local[at] = local
	}
}

// clearLocal zeroes group memory.
func (w *Slot) clearLocal() { clear(w.bytes[:min(w.shadowAt, len(w.bytes))]) }

// Begin creates the waves of the group of that index; a group that is still in the slot is discarded. The caller must
// call End after an error, too.
func (w *Slot) Begin(index uint64) error {
	if w.place(index) {
		w.repeat()
		return nil
	}
	w.Waves, w.begun, w.next = nil, 0, 0
	if index >= w.s.groups {
		return fmt.Errorf("launch: group %d of %d", index, w.s.groups)
	}
	l, size := w.s.l, w.Group.Size
	w.Group = l.Grid.group(index, w.s.layout.Lanes)
	w.Group.Slot = w.number
	g := &w.Group
	env := w.environment()
	if l.Observer != nil {
		w.s.observe(exec.Event{Kind: exec.GroupStart, Where: env.Where})
	}
	if err := w.prepare(env); err != nil {
		return fmt.Errorf("launch: kernel %s: %w", l.Kernel, err)
	}
	if err := w.newGroup(env); err != nil {
		return fmt.Errorf("launch: kernel %s group %v: %w", l.Kernel, g.ID, err)
	}
	for i := range w.Waves {
		if err := w.wave(i, env); err != nil {
			return fmt.Errorf("launch: kernel %s group %v wave %d: %w", l.Kernel, g.ID, i, err)
		}
	}
	w.learn(size == g.Size)
	return nil
}

// environment returns the initial environment of the group's waves, before the target changes it.
func (w *Slot) environment() *exec.Env {
	l, env := w.s.l, &w.env
	if !w.restartable || !w.known {
		*env, w.known = l.Env, true
		env.Probes, env.Where, env.Count, env.Faults = w.probes, exec.Where{Kernel: l.Kernel}, exec.Counters{}, exec.FaultLog{}
	}
	env.Group, env.Footprint = w.Group.ID, w.foot
	return env
}

// prepare makes room for the waves of the group, and zeroes its memory.
func (w *Slot) prepare(env *exec.Env) error {
	w.clearLocal()
	if w.local != nil {
		env.Spaces[ir.GroupSpace] = w.local
	}
	for len(w.made) < w.Group.Waves {
		w.made = append(w.made, Wave{State: w.layout.NewState()})
	}
	w.Waves, w.came = w.made[:w.Group.Waves], w.came[:0]
	for i := range w.Waves { // remove the group before, in case this one cannot start
		v := &w.Waves[i]
		if !v.owns {
			own, err := w.s.newOwn(i)
			if err != nil {
				return err
			}
			v.own, v.owns = own, true
		}
		v.Env.Count, v.Env.Faults, v.Waiting, v.At = exec.Counters{}, exec.FaultLog{}, false, exec.Barrier{}
		v.State.ResetFor(w.s.l.Program)
	}
	return nil
}

// wave starts a wave; env is that of the group.
func (w *Slot) wave(i int, env *exec.Env) error {
	l, v := w.s.l, &w.Waves[i]
	if w.restartable && v.begun {
		v.Env.Group, v.Env.Footprint = env.Group, env.Footprint
	} else {
		v.Env, v.begun = *env, true
		v.Env.Wave = i
	}
	v.own.give(&v.Env)
	v.State.Tallies = w.tallies
	var before *exec.Env // for undefine
	if l.shadowing() != nil {
		env := v.Env
		before = &env
	}
	v.State.Start(l.Entry.PC, w.Group.Lanes(i, w.s.layout.Lanes))
	if err := l.Target.InitWave(&w.Group, i, v.State, &v.Env); err != nil {
		return err
	}
	v.State.Goto(v.State.At.Key.PC) // in the mode that InitWave has set
	if err := w.undefine(i, v.State, before); err != nil {
		return err
	}
	v.Env.LiveOut = w.liveOutOf(v.State)
	w.begun++
	if w.s.looks {
		w.s.observe(exec.Event{Kind: exec.WaveStart, Where: v.Env.Where, State: v.State})
	}
	return nil
}

// liveOutOf returns the live-out registers of a wave that starts, for engines; nil if all may be read.
func (w *Slot) liveOutOf(st *exec.State) *exec.LiveOut {
	if !w.deadAtExit || st.Diverged() {
		return nil
	}
	if w.liveOut == nil || w.liveOut.Entry() != st.At.Key {
		w.liveOut = w.s.l.Program.LiveOut(st.At.Key)
	}
	return w.liveOut
}

// Next returns the wave whose turn it is; false if all have ended. Waves take turns in the order of their numbers. A
// barrier at which all waves wait is complete. If all wait, but at different barriers, it returns the first of them,
// and its turn is a fault.
func (w *Slot) Next() (wave int, ok bool) {
	if i, ok := w.turn(); ok {
		return i, true
	}
	if w.ended() {
		return 0, false
	}
	if w.Release() {
		return w.turn()
	}
	return w.stuck()
}

// ended reports whether all waves have ended.
func (w *Slot) ended() bool {
	for i := range w.Waves {
		if !w.Waves[i].State.Ended() {
			return false
		}
	}
	return true
}

// turn returns the first wave that can run, from next on.
func (w *Slot) turn() (wave int, ok bool) {
	for i := min(w.next, len(w.Waves)); i < len(w.Waves); i++ {
		if w.Waves[i].ready() {
			return i, true
		}
	}
	for i := range min(w.next, len(w.Waves)) {
		if w.Waves[i].ready() {
			return i, true
		}
	}
	return 0, false
}

// Turn runs a wave, any that can run, to the end of its turn: StopYield, StopBarrier, StopEnd or StopFault. If b.Steps
// is not 0, it may stop earlier with StopBudget, and then it is still the wave's turn. So the waves of a group switch
// at the same points whatever b is. A wave that cannot run stops at once.
func (w *Slot) Turn(wave int, b exec.Budget) exec.Stop {
	v := &w.Waves[wave]
	switch {
	case v.State.Ended():
		return exec.Stop{Reason: exec.StopEnd}
	case v.Waiting:
		if _, ok := w.stuck(); ok {
			return w.never(v)
		}
		return exec.Stop{Reason: exec.StopBarrier, At: v.At}
	}
	b.Counted = b.Counted || w.s.l.Counted
	for i := 0; i < len(w.Waves) && !b.Yields; i++ {
		b.Yields = i != wave && w.Waves[i].ready()
	}
	stop := w.run(v, b)
	w.endTurn(wave, stop)
	w.share(wave)
	w.after(wave, stop)
	return stop
}

// all gives a turn, as Turn does, to each wave from first on that can run, up to and including the first whose stop may
// affect the others. It returns the stop of the last of them. If not ok, nothing is gained by it and no wave has run.
func (w *Slot) all(first int, b exec.Budget) (stop exec.Stop, ok bool) {
	if w.crew == nil || len(w.Waves) < 2 || w.apart {
		return stop, false
	}
	w.collect(first)
	if len(w.turns) < 2 {
		return stop, false
	}
	b.Counted, b.Yields = b.Counted || w.s.l.Counted, true
	return w.ran(w.s.meter.RunAll(w.crew, w.turns, b))
}

// collect sets turns to the waves from first on that can run.
func (w *Slot) collect(first int) {
	w.turns, w.who = w.turns[:0], w.who[:0]
	for i := first; i < len(w.Waves); i++ {
		if v := &w.Waves[i]; v.ready() {
			w.turns, w.who = append(w.turns, exec.WaveTurn{State: v.State, Env: &v.Env}), append(w.who, i)
		}
	}
}

// ran handles the stops of the first n of turns. It returns the stop of the last of them; not ok if n is 0.
func (w *Slot) ran(n int) (stop exec.Stop, ok bool) {
	for i := range n {
		stop = w.turns[i].Stop
		w.after(w.who[i], stop)
	}
	return stop, n > 0
}

// after handles the stop of a wave at the end of its turn.
func (w *Slot) after(wave int, stop exec.Stop) {
	v := &w.Waves[wave]
	w.next = wave + 1
	kind := exec.EventKind(0)
	switch stop.Reason {
	case exec.StopBudget:
		w.next = wave
	case exec.StopFault:
		kind = exec.FaultRaised
	case exec.StopBarrier:
		w.arrive(wave, stop.At)
		kind = exec.BarrierReached
	case exec.StopEnd:
		kind = exec.WaveEnd
	}
	if kind != 0 && (w.s.looks || kind == exec.FaultRaised && w.s.l.Observer != nil) {
		w.s.observe(exec.Event{Kind: kind, Where: v.Env.Where, State: v.State, Fault: stop.Fault, Barrier: stop.At})
	}
	if stop.Reason == exec.StopBarrier && (stop.At.Lanes != 0 || len(w.came) > 0) && w.full(stop.At.Number) {
		w.open(stop.At.Number)
	}
}

// share copies to all waves of the group what one may have written to the cells that they share.
func (w *Slot) share(wave int) {
	if p := w.s.l.Program; w.shares && len(w.Waves) > 1 && p.Shares() {
		for i := range w.Waves {
			if i != wave {
				w.Waves[i].State.TakeShared(w.Waves[wave].State, p)
			}
		}
	}
}

// run runs a wave within the budget; if Steps is 0, there is no budget.
func (w *Slot) run(v *Wave, b exec.Budget) exec.Stop {
	part := b
	for begin := v.State.Clock; ; {
		stop := w.s.meter.Run(w.runner, w.s.l.Program.Code, v.State, &v.Env, part)
		done := v.State.Clock - begin
		if stop.Reason != exec.StopBudget || b.Steps != 0 && done >= b.Steps {
			return stop
		}
		if b.Steps != 0 {
			part.Steps = b.Steps - done
		}
	}
}

// Count returns what the waves of the group have done so far.
func (w *Slot) Count() (c exec.Counters) {
	for i := range w.Waves {
		c.Add(&w.Waves[i].Env.Count)
	}
	return c
}

// End notifies the observer that the group is over, whether or not its waves have ended.
func (w *Slot) End() { w.over(w.Group.ID) }

// over is End for the group of that ID, whose waves are still in the slot.
func (w *Slot) over(id [3]uint32) {
	if w.s.l.Observer != nil {
		w.s.observe(exec.Event{Kind: exec.GroupEnd, Where: exec.Where{Kernel: w.s.l.Kernel, Group: id}, Faults: w.faults()})
	}
}

// faults returns what the waves of the group have recorded; nil: nothing.
func (w *Slot) faults() (log *exec.FaultLog) {
	for i := range w.Waves {
		if f := &w.Waves[i].Env.Faults; f.Count != 0 {
			if log == nil {
				log = &exec.FaultLog{}
			}
			log.Merge(f)
		}
	}
	return log
}
