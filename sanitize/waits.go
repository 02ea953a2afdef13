package sanitize

import (
	"cmp"
	"maps"
	"math/bits"
	"slices"
	"sync"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// Waits finds instructions that read or write a cell which an outstanding operation will write in the same lanes, that
// write one which it has yet to read, and barriers that come before a store to group memory has ended. A run here
// completes operations at once, so that what such an instruction reads is right only by luck. An instruction
// reads its registers in all lanes that execute it, so a read of another active lane's register is found; if an
// instruction names the one lane that it reads or writes, active or not, that lane counts. Reads of inactive lanes,
// as by a sample that takes coordinates of a whole quad, are not found. Two operations of an ordered queue may write
// one register: the later one does so later. Instructions that only ever wait for nothing are told apart: see Idle. It
// is an exec.Observer, and may observe any number of launches, one after another.
//
// Where no path from the entry leads to such an instruction, which Begins finds out before the launch, the code runs
// with hardly a probe. Otherwise each instruction has one.
type Waits struct {
	tell func(Finding) // of a new one; may be nil

	mu      sync.Mutex
	code    ir.Code
	entry   *ir.Key // of the launch to come; nil: unknown
	ahead   *forecast
	made    kept
	windows []exec.Window
	busy    map[uint64]bool // instructions that wait, in forecasts so far, for what may be outstanding
	told    kinds[told]     // from firstWaits on
	waves   map[waveKey]*pendingWave
	turns   uint64
	found   map[[2]uint64]*Early
	waits   map[uint64]*Idle // instructions that wait, by address

	before struct { // the launch under way
		found map[[2]uint64]*Early
		waits map[uint64]*Idle
	}
}

// An Early is an instruction that touches a cell before another's operation has completed; it describes the first
// time.
type Early struct {
	Kernel   string
	Group    [3]uint32
	Wave     int
	Lane     int // the lowest lane that executes it while the operation is outstanding there
	Cell     ir.Cell
	Register string      // the cell as users write it
	Writes   bool        // it writes the cell, else it reads it
	Source   bool        // the operation has yet to read the cell, else to write it
	Barrier  bool        // it is a barrier, and the operation a store to group memory: no cell
	At       Instruction // that touches the cell
	From     Instruction // whose operation is outstanding
	Count    uint64      // how often it was found
}

func (e *Early) String() string {
	f := e.Finding()
	return f.String()
}

// An Idle is an instruction that has waited, and each time nothing that it waits for was outstanding. If all paths are
// known, nothing is outstanding on any of them.
type Idle struct {
	Kernel string
	At     Instruction
	Count  uint64 // how many waves ran it

	busy bool // it has waited for something
}

func (i *Idle) String() string {
	f := i.Finding()
	return f.String()
}

// firstWaits is the kind of the first probe of Waits: those of others are lower.
const firstWaits = 1 << 33

// inst is what a guest instruction touches, issues and waits for.
type inst struct {
	pc      uint64
	touches []touched
	marks   []mark
	flat    int  // mask in which its access is to the memory of the group; wholeWave: it has no flat address
	stores  bool // it stores to group memory
	barrier bool // it arrives at a barrier
}

// A touched cell is read or written in the lanes of a mask.
type touched struct {
	cell   ir.Cell
	writes bool
	mask   int // index among the masks of the instruction; wholeWave: all lanes that execute it
}

// wholeWave in place of a mask means all lanes that execute an instruction.
const wholeWave = -1

// A told is the information of a kind of probe: a mask of an instruction, or, with wholeWave, the lanes that execute
// it, which comes last.
type told struct {
	inst *inst
	mask int
	idle []*inst // in place of the others: instructions that wait for nothing
}

// A mark is an operation that is issued, with what it writes, or a wait for at most n of a queue.
type mark struct {
	queue, n int
	wait     bool
	writes   []ir.Span
	reads    []ir.Span
	own      int // mask in which it writes per-lane cells; wholeWave: all lanes that execute the instruction
	source   int // the same of those that it reads
}

type waveKey struct {
	group [3]uint32
	wave  int
}

// An operation is outstanding in some lanes. If data masks lanes it counts for the wave, and reads and writes in its
// own lanes.
type operation struct {
	queue  int
	lanes  uint64
	own    uint64 // lanes in which it writes cells with a value per lane
	source uint64 // lanes in which it reads such cells
	pc     uint64
	turn   uint64 // identifies the instruction: operations that one issued on several queues share it
	writes []ir.Span
	reads  []ir.Span
	stores bool // to group memory, and no more
	n      int  // how many operations this stands for: of an instruction on an unordered queue
}

// A pendingWave is the outstanding operations of a wave, and the masks of the present instruction.
type pendingWave struct {
	ops    []operation
	masks  []uint64
	after  []int           // by queue, of wait: operations after the present one
	waited map[uint64]bool // instructions that have waited
}

// Begins says where the waves of the next launch begin: see launch.Beginner.
func (w *Waits) Begins(at ir.Key) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.entry = &at
}

// Watch returns code to run in place of a launch's.
func (w *Waits) Watch(code ir.Code, windows []exec.Window) ir.Code {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !slices.Equal(w.windows, windows) {
		w.windows, w.made = windows, kept{}
	}
	w.waves = map[waveKey]*pendingWave{}
	w.ready()
	if w.entry == nil || w.ahead == nil || w.made.from != code || w.ahead.entry != *w.entry {
		w.ahead, w.made = nil, kept{}
		if w.entry != nil {
			w.look(code, *w.entry)
		}
	}
	w.entry = nil
	return w.made.of(code, func() ir.Code {
		w.code, w.told = code, nil
		if w.ahead.clean() {
			return w.ahead.idling()
		}
		return &waiting{code, w}
	})
}

// look looks ahead.
func (w *Waits) look(code ir.Code, entry ir.Key) {
	w.ahead = w.foresee(code, entry)
	if w.ahead.open {
		return
	}
	for pc, busy := range w.ahead.busy {
		if busy {
			w.busy[pc] = true
		}
		if x := w.waits[pc]; x != nil {
			x.busy = x.busy || busy
		}
	}
}

// OnlyProbes says that probes, and the end of groups, are all that it looks at.
func (w *Waits) OnlyProbes() bool { return true }

// ready makes what launches share.
func (w *Waits) ready() {
	if w.found == nil {
		w.found, w.waits, w.busy = map[[2]uint64]*Early{}, map[uint64]*Idle{}, map[uint64]bool{}
	}
}

// Found returns the findings, by the addresses of the instructions.
func (w *Waits) Found() []*Early {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.SortedFunc(maps.Values(w.found), func(x, y *Early) int { return cmp.Or(cmp.Compare(x.At.PC, y.At.PC), cmp.Compare(x.From.PC, y.From.PC)) })
}

// Idle returns the instructions that have only ever waited for nothing, by address. That is no defect: another launch
// may take a path on which something is outstanding.
func (w *Waits) Idle() (list []*Idle) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, x := range w.waits {
		if !x.busy {
			list = append(list, x)
		}
	}
	slices.SortFunc(list, func(x, y *Idle) int { return cmp.Compare(x.At.PC, y.At.PC) })
	return list
}

// Observe handles an event.
func (w *Waits) Observe(e exec.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	key := waveKey{e.Group, e.Wave}
	switch e.Kind {
	case exec.GroupStart, exec.GroupEnd:
		maps.DeleteFunc(w.waves, func(k waveKey, _ *pendingWave) bool { return k.group == e.Group })
	case exec.Probed:
		pw := w.waves[key]
		if pw == nil {
			pw = &pendingWave{waited: map[uint64]bool{}}
			w.waves[key] = pw
		}
		for i := range e.Probes {
			if t := w.told.of(firstWaits, e.Probes[i].Kind); t != nil {
				w.hear(pw, &e.Where, t, e.Probes[i].Lanes)
			}
		}
	}
}

// hear handles a probe: a mask of an instruction, or the lanes that execute it. There is no probe event for an empty
// mask.
func (w *Waits) hear(pw *pendingWave, at *exec.Where, t *told, lanes uint64) {
	for _, x := range t.idle {
		w.waited(pw, x, at, false)
	}
	if t.inst == nil {
		return
	}
	if t.mask == wholeWave {
		w.step(pw, at, t.inst, lanes)
		clear(pw.masks)
		return
	}
	for len(pw.masks) <= t.mask {
		pw.masks = append(pw.masks, 0)
	}
	pw.masks[t.mask] = lanes
}

// in returns the lanes of a mask of the instruction that lanes execute.
func (pw *pendingWave) in(mask int, lanes uint64) uint64 {
	switch {
	case mask == wholeWave:
		return lanes
	case mask < len(pw.masks):
		return pw.masks[mask]
	}
	return 0
}

// step advances the outstanding operations over an instruction that some lanes execute.
func (w *Waits) step(pw *pendingWave, at *exec.Where, x *inst, lanes uint64) {
	for i := range pw.ops {
		o := &pw.ops[i]
		for _, sp := range o.writes {
			w.early(pw, at, x, o, sp, lanes)
		}
		for _, sp := range o.reads {
			w.overwritten(pw, at, x, o, sp, lanes)
		}
	}
	w.turns++
	waits, busy := false, false
	for i := range x.marks {
		if m := &x.marks[i]; m.wait {
			waits, busy = true, w.wait(pw, m, lanes) || busy
		} else {
			own := w.lanesOf(pw, x, m, lanes)
			pw.ops = w.begin(pw.ops, operation{m.queue, lanes, own & pw.in(m.own, lanes), own & pw.in(m.source, lanes), x.pc, w.turns, m.writes, m.reads,
				x.stores && len(m.writes) == 0, 1})
		}
	}
	if waits {
		w.waited(pw, x, at, busy)
	}
	if x.barrier {
		for i := range pw.ops {
			if o := &pw.ops[i]; o.stores && o.lanes&lanes != 0 {
				w.find(at, x, o, Early{Lane: bits.TrailingZeros64(o.lanes & lanes), Register: "group memory", Barrier: true})
			}
		}
	}
}

// lanesOf returns the lanes in which an operation of an instruction accesses something: see ir.Queue.Group.
func (w *Waits) lanesOf(pw *pendingWave, x *inst, m *mark, lanes uint64) uint64 {
	group := uint64(0)
	if x.flat != wholeWave {
		group = pw.in(x.flat, lanes)
	}
	if w.code.Machine().Queues[m.queue].Group {
		return group
	}
	return ^group
}

// waited counts an instruction that waits.
func (w *Waits) waited(pw *pendingWave, x *inst, at *exec.Where, busy bool) {
	i := w.waits[x.pc]
	if i == nil {
		i = &Idle{Kernel: at.Kernel, At: instructionAt(w.code, x.pc), busy: w.busy[x.pc]}
		w.waits[x.pc] = i
	}
	if !pw.waited[x.pc] {
		pw.waited[x.pc] = true
		i.Count++
	}
	i.busy = i.busy || busy
}

// begin adds an operation. The first one of a full queue has completed; in an unordered queue an instruction has one,
// which stands for all.
func (w *Waits) begin(ops []operation, o operation) []operation {
	q := &w.code.Machine().Queues[o.queue]
	if q.Unordered {
		if i := slices.IndexFunc(ops, func(x operation) bool { return x.queue == o.queue && x.pc == o.pc }); i >= 0 {
			ops[i].lanes |= o.lanes
			ops[i].own |= o.own
			ops[i].source |= o.source
			ops[i].n = min(ops[i].n+1, q.Max)
			return ops
		}
		return append(ops, o)
	}
	n := 0
	for _, x := range ops {
		if x.queue == o.queue {
			n++
		}
	}
	if n >= q.Max {
		first := slices.IndexFunc(ops, func(x operation) bool { return x.queue == o.queue })
		over := ops[first]
		ops = slices.Delete(ops, first, first+1)
		for i := range ops {
			ops[i].endWith(&over)
		}
	}
	return append(ops, o)
}

// endWith ends what the operation reads if another one of its instruction has completed: that has been read once it has
// written. The reverse does not hold.
func (o *operation) endWith(over *operation) {
	if o.turn == over.turn && len(over.reads) == 0 {
		o.reads = nil // it still counts
	}
}

// early records the cells of a span that an instruction touches in lanes in which an operation will write them.
func (w *Waits) early(pw *pendingWave, at *exec.Where, x *inst, o *operation, sp ir.Span, lanes uint64) {
	pending := o.lanes
	if w.code.Machine().Kind(sp.Cell).PerLane() {
		pending = o.own
	}
	for i := range x.touches {
		t := &x.touches[i]
		if both := pending & pw.in(t.mask, lanes); both != 0 && within(sp, t.cell) && !(t.writes && inOrder(w.code.Machine(), x, o.queue, t.cell)) {
			w.find(at, x, o, Early{Lane: bits.TrailingZeros64(both), Cell: t.cell, Writes: t.writes})
		}
	}
}

// overwritten records the cells of a span that an instruction writes in lanes in which an operation has yet to read
// them.
func (w *Waits) overwritten(pw *pendingWave, at *exec.Where, x *inst, o *operation, sp ir.Span, lanes uint64) {
	pending := o.lanes
	if w.code.Machine().Kind(sp.Cell).PerLane() {
		pending = o.source
	}
	for i := range x.touches {
		t := &x.touches[i]
		if both := pending & pw.in(t.mask, lanes); t.writes && both != 0 && within(sp, t.cell) && x.pc != o.pc {
			w.find(at, x, o, Early{Lane: bits.TrailingZeros64(both), Cell: t.cell, Writes: true, Source: true})
		}
	}
}

// find counts a finding about an instruction and an operation, and completes its description the first time.
func (w *Waits) find(at *exec.Where, x *inst, o *operation, e Early) {
	key := [2]uint64{x.pc, o.pc}
	if e := w.found[key]; e != nil {
		e.Count++
		return
	}
	e.Kernel, e.Group, e.Wave, e.At, e.From, e.Count = at.Kernel, at.Group, at.Wave, instructionAt(w.code, x.pc), instructionAt(w.code, o.pc), 1
	if !e.Barrier {
		e.Register = nameOf(w.code, e.Cell)
	}
	if w.found[key] = &e; w.tell != nil {
		w.tell(e.Finding())
	}
}

// inOrder reports whether the instruction writes the cell by an operation that completes after the outstanding one:
// on the same ordered queue.
func inOrder(m *ir.Machine, x *inst, queue int, c ir.Cell) bool {
	return !m.Queues[queue].Unordered && slices.ContainsFunc(x.marks, func(m mark) bool {
		return !m.wait && m.queue == queue && slices.ContainsFunc(m.writes, func(sp ir.Span) bool { return within(sp, c) })
	})
}

// within reports whether a cell is one of a span.
func within(sp ir.Span, c ir.Cell) bool {
	return c.File == sp.Cell.File && c.Index >= sp.Cell.Index && c.Index < sp.Cell.Index+sp.Count
}

// nameOf returns a cell as users write it.
func nameOf(code ir.Code, c ir.Cell) string {
	if d, ok := ir.Describe(code); ok {
		return d.ValueName(c)
	}
	return code.Machine().CellName(c)
}

// wait completes operations in some lanes: all of the counter, or of each queue that completes in order all but the
// last n. It reports whether more than n were outstanding.
func (w *Waits) wait(pw *pendingWave, m *mark, lanes uint64) (busy bool) {
	queues := w.code.Machine().Queues
	keep, all := pw.ops[:0], 0
	pw.after = append(pw.after[:0], make([]int, len(queues))...)
	for i := range pw.ops {
		if o := &pw.ops[i]; counts(queues, o.queue, m.queue) && o.lanes&lanes != 0 {
			pw.after[o.queue]++
			all += o.n
		}
	}
	var over []operation
	for _, o := range pw.ops {
		if counts(queues, o.queue, m.queue) && o.lanes&lanes != 0 {
			if pw.after[o.queue]--; m.n == 0 || !queues[o.queue].Unordered && pw.after[o.queue] >= m.n {
				o.lanes &^= lanes
				o.own &^= lanes
				o.source &^= lanes
				over = append(over, o)
			}
		}
		keep = append(keep, o)
	}
	for i := range keep {
		for k := range over {
			if o := &keep[i]; o.lanes&^lanes == 0 && o.queue != over[k].queue {
				o.endWith(&over[k])
			}
		}
	}
	pw.ops = slices.DeleteFunc(keep, func(o operation) bool { return o.lanes == 0 })
	return all > m.n
}

// counts reports whether operations of a queue count in another's counter.
func counts(queues []ir.Queue, queue, counter int) bool {
	return queue == counter || queues[queue].Counter == counter+1
}
