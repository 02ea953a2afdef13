package sanitize

import (
	"cmp"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strings"
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
	entry   *ir.Key // of the launch or stage to come; nil: unknown
	windows []exec.Window
	codes   kept[waitKey, *waitCode]
	waves   map[waveKey]*pendingWave
	turns   uint64
	found   map[earlyKey]*Early
	waits   map[idleKey]*Idle // instructions that wait

	before struct { // the launch under way
		found map[earlyKey]*Early
		waits map[idleKey]*Idle
	}
}

// A waitCode is code that is watched.
type waitCode struct {
	ir.Code
	first   uint64 // the kind of its first probe
	windows []exec.Window
	ahead   *forecast
	program *exec.Program   // with probes
	busy    map[uint64]bool // instructions that wait, in forecasts so far, for what may be outstanding
	told    kinds[told]     // from first on
}

// waitKey names code with the windows under which it runs.
type waitKey struct {
	code    ir.Code
	windows string
}

// earlyKey is what findings are grouped by: instructions.
type earlyKey struct {
	kernel   string
	pc, from uint64
}

type idleKey struct {
	kernel string
	pc     uint64
}

// An Early is an instruction that touches a cell before another's operation has completed; it describes the first
// time.
type Early struct {
	Kernel   string
	Group    [3]uint32
	Wave     int
	Lane     int        // the lowest lane that executes it while the operation is outstanding there
	Item     *exec.Item // what that lane works on, in a draw; else nil
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

	busy bool      // it has waited for something
	of   *waitCode // its code, the last time
}

func (i *Idle) String() string {
	f := i.Finding()
	return f.String()
}

// firstWaits is the kind of the first probe of Waits: those of others are lower.
const firstWaits = 1 << 33

// inst is what a guest instruction touches, issues and waits for.
type inst struct {
	of      *waitCode
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

// of returns the code of the probe.
func (t *told) of() *waitCode {
	if t.inst == nil {
		return t.idle[0].of
	}
	return t.inst.of
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

// Begins says where the waves of the next launch, or stage of a draw, begin: see exec.Beginner.
func (w *Waits) Begins(at ir.Key) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.entry = &at
}

// Watch returns code to run in place of a launch's.
func (w *Waits) Watch(code ir.Code, windows []exec.Window) ir.Code {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.windows, w.waves = windows, map[waveKey]*pendingWave{}
	w.ready()
	of := w.of(code)
	if w.entry == nil || of.ahead == nil || of.ahead.entry != *w.entry {
		of.ahead, of.program, of.told = nil, nil, nil
		if w.entry != nil {
			of.look(w, *w.entry)
		}
	}
	w.entry = nil
	if of.program == nil {
		if of.program = exec.NewProgram(&waiting{of, w}); of.ahead.clean() {
			of.program = exec.NewProgram(of.ahead.idling())
		}
	}
	return of.program
}

// of returns what is known of the code.
func (w *Waits) of(code ir.Code) *waitCode {
	return w.codes.of(waitKey{code, fmt.Sprint(w.windows)}, func(at int) *waitCode {
		return &waitCode{Code: code, first: firstWaits + uint64(at)*maxSites, windows: w.windows, busy: map[uint64]bool{}}
	})
}

// look looks ahead.
func (x *waitCode) look(w *Waits, entry ir.Key) {
	x.ahead = x.foresee(w, entry)
	for pc, busy := range x.ahead.busy {
		x.busy[pc] = x.busy[pc] || busy && !x.ahead.open
	}
}

// OnlyProbes says that probes, and the end of groups, are all that it looks at.
func (w *Waits) OnlyProbes() bool { return true }

// ready makes what launches share.
func (w *Waits) ready() {
	if w.found == nil {
		w.found, w.waits = map[earlyKey]*Early{}, map[idleKey]*Idle{}
	}
}

// Found returns the findings, by kernel and the addresses of the instructions.
func (w *Waits) Found() []*Early {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.SortedFunc(maps.Values(w.found), func(x, y *Early) int {
		return cmp.Or(strings.Compare(x.Kernel, y.Kernel), cmp.Compare(x.At.PC, y.At.PC), cmp.Compare(x.From.PC, y.From.PC))
	})
}

// Idle returns the instructions that have only ever waited for nothing, by kernel and address. That is no defect:
// another launch may take a path on which something is outstanding.
func (w *Waits) Idle() (list []*Idle) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, x := range w.waits {
		if !x.busy && !x.of.busy[x.At.PC] {
			list = append(list, x)
		}
	}
	slices.SortFunc(list, func(x, y *Idle) int {
		return cmp.Or(strings.Compare(x.Kernel, y.Kernel), cmp.Compare(x.At.PC, y.At.PC))
	})
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
			if t := w.tellsOf(e.Probes[i].Kind); t != nil {
				w.hear(pw, spot{&e.Where, e.Stage}, t, e.Probes[i].Lanes)
			}
		}
	}
}

// tellsOf returns what a kind of probe tells; nil: it is none of this check.
func (w *Waits) tellsOf(kind uint64) *told {
	at := (kind - firstWaits) / maxSites
	if kind < firstWaits || at >= keptCodes || w.codes.made[at] == nil {
		return nil
	}
	of := w.codes.made[at]
	return of.told.of(of.first, kind)
}

// hear handles a probe: a mask of an instruction, or the lanes that execute it. There is no probe event for an empty
// mask.
func (w *Waits) hear(pw *pendingWave, at spot, t *told, lanes uint64) {
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
func (w *Waits) step(pw *pendingWave, at spot, x *inst, lanes uint64) {
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
			waits, busy = true, x.of.wait(pw, m, lanes) || busy
		} else {
			own := w.lanesOf(pw, x, m, lanes)
			pw.ops = x.of.begin(pw.ops, operation{m.queue, lanes, own & pw.in(m.own, lanes), own & pw.in(m.source, lanes), x.pc, w.turns, m.writes, m.reads,
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
	if x.of.Machine().Queues[m.queue].Group {
		return group
	}
	return ^group
}

// waited counts an instruction that waits.
func (w *Waits) waited(pw *pendingWave, x *inst, at spot, busy bool) {
	key := idleKey{at.Kernel, x.pc}
	i := w.waits[key]
	if i == nil {
		i = &Idle{Kernel: at.Kernel, At: instructionAt(x.of.Code, x.pc)}
		w.waits[key] = i
	}
	i.of = x.of
	if !pw.waited[x.pc] {
		pw.waited[x.pc] = true
		i.Count++
	}
	i.busy = i.busy || busy
}

// begin adds an operation. The first one of a full queue has completed; in an unordered queue an instruction has one,
// which stands for all.
func (x *waitCode) begin(ops []operation, o operation) []operation {
	q := &x.Machine().Queues[o.queue]
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
func (w *Waits) early(pw *pendingWave, at spot, x *inst, o *operation, sp ir.Span, lanes uint64) {
	pending := o.lanes
	if x.of.Machine().Kind(sp.Cell).PerLane() {
		pending = o.own
	}
	for i := range x.touches {
		t := &x.touches[i]
		if both := pending & pw.in(t.mask, lanes); both != 0 && within(sp, t.cell) && !(t.writes && inOrder(x.of.Machine(), x, o.queue, t.cell)) {
			w.find(at, x, o, Early{Lane: bits.TrailingZeros64(both), Cell: t.cell, Writes: t.writes})
		}
	}
}

// overwritten records the cells of a span that an instruction writes in lanes in which an operation has yet to read
// them.
func (w *Waits) overwritten(pw *pendingWave, at spot, x *inst, o *operation, sp ir.Span, lanes uint64) {
	pending := o.lanes
	if x.of.Machine().Kind(sp.Cell).PerLane() {
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
func (w *Waits) find(at spot, x *inst, o *operation, e Early) {
	key := earlyKey{at.Kernel, x.pc, o.pc}
	if e := w.found[key]; e != nil {
		e.Count++
		return
	}
	e.Kernel, e.Group, e.Wave, e.At, e.From, e.Count = at.Kernel, at.Group, at.Wave, instructionAt(x.of.Code, x.pc), instructionAt(x.of.Code, o.pc), 1
	if !e.Barrier {
		e.Register = nameOf(x.of.Code, e.Cell)
	}
	e.Item = itemOf(at.stage, e.Lane)
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
func (x *waitCode) wait(pw *pendingWave, m *mark, lanes uint64) (busy bool) {
	queues := x.Machine().Queues
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
	return all > m.n || queues[m.queue].Outside
}

// counts reports whether operations of a queue count in another's counter.
func counts(queues []ir.Queue, queue, counter int) bool {
	return queue == counter || queues[queue].Counter == counter+1
}
