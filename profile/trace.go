package profile

import (
	"bytes"
	"cmp"
	"container/heap"
	"encoding/binary"
	"slices"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// A Trace is what the waves of a launch, or of a stage of a draw, did, each in its order.
type Trace struct {
	Code   ir.Code
	Kernel string
	Sizes  exec.Sizes
	Draw   *Draw       // that the stage is of; nil: it is a launch
	Waves  []WaveTrace // by group, z before y before x, then by wave
	Blocks []*Block    // of the code, that engines compiled
	// Left is the number of waves whose traces were not kept: those of the last groups.
	Left  int
	Steps int // of the waves whose traces were kept
}

// A Draw is the draw that waves are of. Each is a group of its own, in the order in which they began.
type Draw struct {
	Number   int // of the draws since Record was first called, from 0
	Name     string
	Fragment bool // the waves are of fragments; else of vertices
}

// A WaveTrace is what a wave did.
type WaveTrace struct {
	Group [3]uint32
	Wave  int    // in the group
	Lanes uint64 // that exist when a wave of a draw begins; 0: of a launch
	steps []byte
	of    *[]*Block
}

// A Block is the instructions that waves execute from its first one to its last, each once.
type Block struct {
	Code   ir.Code
	Number int // of this profiler's blocks
	Insts  []ir.Mark
}

// A Step is a part of what a wave did: it entered a block, or one of the instructions of the block that it entered
// last has accessed memory.
type Step struct {
	Enters *Block // nil: it is an access
	Inst   int    // of the block: the one that accesses memory
	// Lines, Passes and Free are those of this request: see [Access].
	Lines, Passes, Free uint32
}

// A Cursor reads the steps of a wave.
type Cursor struct {
	left []byte
	of   []*Block
}

// Steps returns a cursor before the first step.
func (w *WaveTrace) Steps() Cursor { return Cursor{w.steps, *w.of} }

// Same reports whether waves of a profiler have the same steps.
func (w *WaveTrace) Same(o *WaveTrace) bool { return w.of == o.of && bytes.Equal(w.steps, o.steps) }

// Kinds of steps, in the low bits of their first number. A block has its number above them, an access its
// instruction.
const (
	enters = iota
	oneLine
	inLines
	inPasses
	kinds
)

// Next reads the next step; false: there is none.
func (c *Cursor) Next() (s Step, ok bool) {
	if len(c.left) == 0 {
		return s, false
	}
	first := c.number()
	switch first % kinds {
	case enters:
		s.Enters = c.of[first/kinds]
		return s, true
	case oneLine:
		s.Lines = 1
	case inLines:
		s.Lines = c.number()
	case inPasses:
		s.Lines, s.Passes, s.Free = c.number(), c.number(), c.number()
	}
	s.Inst = int(first / kinds)
	return s, true
}

func (c *Cursor) number() uint32 {
	if b := c.left[0]; b < 0x80 {
		c.left = c.left[1:]
		return uint32(b)
	}
	n, size := binary.Uvarint(c.left)
	c.left = c.left[size:]
	return uint32(n)
}

// appendStep appends an access to the steps of a wave.
func appendStep(to []byte, inst int, a *Access) []byte {
	number := func(n uint64) { to = binary.AppendUvarint(to, min(n, 1<<32-1)) }
	switch first := uint64(inst * kinds); {
	case a.Passes > 0:
		number(first + inPasses)
		number(a.Lines)
		number(a.Passes)
		number(a.Free)
	case a.Lines == 1:
		number(first + oneLine)
	default:
		number(first + inLines)
		number(a.Lines)
	}
	return to
}

// tracing is the traces of a profiler.
type tracing struct {
	blocks   []*Block
	limit    int // steps that are kept, of all launches
	steps    int // that are
	launches []*tracedLaunch
	begun    int // launches that had begun when the last one did
	draws    int
}

// A tracedLaunch is a launch of which waves are traced. Of waves beyond the limit the last groups are left out,
// whatever the order in which they run: kept are the groups before which, with themselves, there are no more steps
// than the limit.
type tracedLaunch struct {
	Trace
	of     *code // nil: not known
	all    *tracing
	drawn  uint32 // waves of the stage that have begun
	lanes  uint64 // of the last of them
	waves  map[placed]*traced
	begun  []*traced // waves in the order in which they began
	groups byGroup   // of waves, once there were too many steps
	full   bool      // there were
	end    [3]uint32 // the first group that is left out, if there were
	room   []byte    // for steps
	spare  []traced
}

// A placed is a wave's place in its launch.
type placed struct {
	group [3]uint32
	wave  int
}

// A traced is the trace of a wave as it grows.
type traced struct {
	at    placed
	lanes uint64
	data  []byte
	steps int
	gone  bool
}

// Record has the profiler also trace waves, at most so many steps of the launches until Traces is called: those of the
// first launches, and of one that has more those of its first groups. It is called before a launch, the first time
// before any.
func (p *Profiler) Record(limit int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.traces == nil {
		p.traces = &tracing{}
	}
	p.traces.limit = limit
}

// Traces returns the traces of the launches since the last call, in the order in which they began. No launch may be
// running.
func (p *Profiler) Traces() (list []Trace) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.traces == nil {
		return nil
	}
	for _, l := range p.traces.launches {
		t := l.Trace
		if l.of != nil {
			t.Blocks = slices.Clip(l.of.entered)
		}
		t.Waves = make([]WaveTrace, 0, len(l.begun))
		for _, w := range l.begun {
			if w.gone {
				t.Left++
			} else {
				t.Waves = append(t.Waves, WaveTrace{w.at.group, w.at.wave, w.lanes, w.data, &p.traces.blocks})
			}
		}
		slices.SortFunc(t.Waves, func(a, b WaveTrace) int {
			return cmp.Or(compareGroups(a.Group, b.Group), cmp.Compare(a.Wave, b.Wave))
		})
		list = append(list, t)
	}
	p.traces.launches, p.traces.begun, p.traces.steps = nil, 0, 0
	return list
}

// compareGroups orders groups as they are started.
func compareGroups(a, b [3]uint32) int {
	return cmp.Or(cmp.Compare(a[2], b[2]), cmp.Compare(a[1], b[1]), cmp.Compare(a[0], b[0]))
}

// launch notes a launch.
func (t *tracing) launch(of *code, kernel string, sizes exec.Sizes) {
	l := &tracedLaunch{Trace: Trace{Kernel: kernel, Sizes: sizes}, of: of, all: t, waves: map[placed]*traced{}}
	if of != nil {
		l.Code = of.Code
	}
	t.launches = append(t.launches, l)
}

// again forgets the launches since the last Save.
func (t *tracing) again() {
	for _, l := range t.launches[t.begun:] {
		t.steps -= l.Steps
	}
	t.launches = t.launches[:t.begun]
}

// drawn notes that a wave of a draw begins.
func (p *Profiler) drawn(e *exec.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.traces == nil {
		return
	}
	l := p.traces.stage(e.Kernel)
	l.lanes = e.State.Live
	if l.drawn++; l.drawn == 1 {
		item := e.Stage.Item(0)
		d := &Draw{Name: item.Draw, Fragment: item.Fragment}
		if !p.traces.goesOn(l.Kernel, d) {
			p.traces.draws++
		}
		d.Number, l.Draw = p.traces.draws-1, d
	}
}

// stage returns the launch that is the last stage with a name: those of one draw may take turns.
func (t *tracing) stage(name string) *tracedLaunch {
	for i := len(t.launches) - 1; i >= 0; i-- {
		if t.launches[i].Kernel == name {
			return t.launches[i]
		}
	}
	t.launch(nil, name, exec.Sizes{}) // somebody observes without having watched
	return t.launches[len(t.launches)-1]
}

// goesOn reports whether a stage is of the draw that the stages before are of: a draw has each stage once, and that of
// fragments last.
func (t *tracing) goesOn(kernel string, d *Draw) (goes bool) {
	for _, l := range slices.Backward(t.launches) {
		switch x := l.Draw; {
		case x == nil && !goes: // the stage itself
		case x == nil || x.Number != t.draws-1:
			return goes
		case x.Name != d.Name, x.Fragment, l.Kernel == kernel && !d.Fragment:
			return false
		default:
			goes = true
		}
	}
	return goes
}

// entry returns the site of the probe that says that a block is entered.
func (p *Profiler) entry(b *block) *site {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.traces != nil && b.entry == nil {
		b.entry = &site{enters: &Block{b.of.Code, len(p.traces.blocks), b.marks}, of: b.of}
		b.entry.to = b.entry
		p.add(b.entry)
		p.traces.blocks = append(p.traces.blocks, b.entry.enters)
		b.of.entered = append(b.of.entered, b.entry.enters)
	}
	return b.entry
}

// record counts the probes of a wave, and appends what it did to its trace.
func (s *shard) record(p *Profiler, e *exec.Event) {
	p.mu.Lock()
	launch, w := p.traces.wave(e)
	p.mu.Unlock()
	data, steps := s.steps[:0], 0
	for i := range e.Probes {
		r := &e.Probes[i]
		if r.Kind >= uint64(len(s.sites)) {
			continue
		}
		x := s.sites[r.Kind]
		if steps++; x.enters != nil {
			data = binary.AppendUvarint(data, uint64(x.enters.Number*kinds+enters))
			continue
		}
		was := s.accesses[r.Kind]
		s.hear(r)
		var all Access
		for k := range was {
			now := &s.accesses[r.Kind][k]
			all.Lines += now.Lines - was[k].Lines
			all.Passes += now.Passes - was[k].Passes
			all.Free += now.Free - was[k].Free
		}
		data = appendStep(data, x.mark, &all)
	}
	s.steps = data
	p.mu.Lock()
	defer p.mu.Unlock()
	if !w.gone { // others may leave the wave out meanwhile
		if w.steps += steps; len(w.data) == 0 {
			w.data = launch.keep(data)
		} else {
			w.data = append(w.data, data...)
		}
		launch.grown(steps)
	}
}

// wave returns the trace of a wave that runs: of a draw the one that has begun last.
func (t *tracing) wave(e *exec.Event) (*tracedLaunch, *traced) {
	at := placed{e.Group, e.Wave}
	var l *tracedLaunch
	switch {
	case e.Stage != nil:
		l = t.stage(e.Kernel)
		at = placed{group: [3]uint32{l.drawn - min(l.drawn, 1)}}
	default:
		if len(t.launches) == 0 { // somebody observes without having watched
			t.launch(nil, "", exec.Sizes{})
		}
		l = t.launches[len(t.launches)-1]
	}
	w := l.waves[at]
	if w == nil {
		if len(l.spare) == 0 {
			l.spare = make([]traced, 256)
		}
		w, l.spare = &l.spare[0], l.spare[1:]
		w.at, w.lanes, l.waves[at], l.begun = at, l.lanes, w, append(l.begun, w)
		if w.gone = l.full && compareGroups(at.group, l.end) >= 0; l.full && !w.gone {
			heap.Push(&l.groups, at)
		}
	}
	return l, w
}

// roomOf is how much room for steps is made at once.
const roomOf = 1 << 16

// keep returns steps in memory of their own. Most waves tell all of theirs at once.
func (l *tracedLaunch) keep(data []byte) []byte {
	if len(data) > roomOf/4 {
		return bytes.Clone(data)
	}
	if len(data) > len(l.room) {
		l.room = make([]byte, roomOf)
	}
	kept := l.room[:len(data):len(data)]
	copy(kept, data)
	l.room = l.room[len(data):]
	return kept
}

// grown notes that a wave has done more steps, and leaves out the last groups beyond the limit.
func (l *tracedLaunch) grown(steps int) {
	t := l.all
	l.Steps, t.steps = l.Steps+steps, t.steps+steps
	if t.steps > t.limit && !l.full {
		l.full = true
		for at := range l.waves {
			l.groups = append(l.groups, at)
		}
		heap.Init(&l.groups)
	}
	for t.steps > t.limit && len(l.groups) > 0 {
		last := l.groups[0].group
		for l.end = last; len(l.groups) > 0 && l.groups[0].group == last; {
			w := l.waves[heap.Pop(&l.groups).(placed)]
			l.Steps, t.steps = l.Steps-w.steps, t.steps-w.steps
			w.gone, w.data = true, nil
		}
	}
}

// byGroup is a heap of waves with those of the last group first.
type byGroup []placed

func (h byGroup) Len() int           { return len(h) }
func (h byGroup) Less(i, j int) bool { return compareGroups(h[i].group, h[j].group) > 0 }
func (h byGroup) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }

// Push is for package heap.
func (h *byGroup) Push(x any) { *h = append(*h, x.(placed)) }

// Pop is for package heap.
func (h *byGroup) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}
