package sanitize

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"sync"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// Waits finds instructions that read or write a cell which an outstanding operation will write in the same lanes. A
// run here completes operations at once, so that what such an instruction reads is right only by luck. An instruction
// reads its registers in all lanes that execute it, so a read of another active lane's register is found; if an
// instruction names the one lane that it reads or writes, active or not, that lane counts. Reads of inactive lanes,
// as by a sample that takes coordinates of a whole quad, are not found. Two operations of an ordered queue may write
// one register: the later one does so later. It is an exec.Observer, and may observe any number of launches, one
// after another.
type Waits struct {
	mu    sync.Mutex
	code  ir.Code
	told  []told // by kind of probe, from firstWaits
	waves map[waveKey]*pendingWave
	turns uint64
	found map[[2]uint64]*Early
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
	At       Instruction // that touches the cell
	From     Instruction // whose operation is outstanding
	Count    uint64      // how often it was found
}

func (e *Early) String() string {
	does := "reads"
	if e.Writes {
		does = "writes"
	}
	return fmt.Sprintf("%v of wave %d lane %d %s %s, which %v has not written yet: nothing has waited for it", e.At, e.Wave, e.Lane, does, e.Register, e.From)
}

// firstWaits is the kind of the first probe of Waits: those of others are lower.
const firstWaits = 1 << 33

// inst is what a guest instruction touches, issues and waits for.
type inst struct {
	pc      uint64
	touches []touched
	marks   []mark
	own     int // mask in which its operations write per-lane cells; wholeWave: all lanes that execute it
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
}

// A mark is an operation that is issued, with what it writes, or a wait for at most n of a queue.
type mark struct {
	queue, n int
	wait     bool
	writes   []ir.Span
}

type waveKey struct {
	group [3]uint32
	wave  int
}

// An operation is outstanding in some lanes. If data masks lanes it counts for the wave, and writes in its own lanes.
type operation struct {
	queue  int
	lanes  uint64
	own    uint64 // lanes in which it writes cells with a value per lane
	pc     uint64
	turn   uint64 // identifies the instruction: operations that one issued on several queues share it
	writes []ir.Span
}

// A pendingWave is the outstanding operations of a wave, and the masks of the present instruction.
type pendingWave struct {
	ops   []operation
	masks []uint64
}

// Watch returns code to run in place of a launch's.
func (w *Waits) Watch(code ir.Code, _ []exec.Window) ir.Code {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.code, w.waves = code, map[waveKey]*pendingWave{}
	if w.found == nil {
		w.found = map[[2]uint64]*Early{}
	}
	return &waiting{code, w}
}

// Found returns the findings, by the addresses of the instructions.
func (w *Waits) Found() (list []*Early) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, x := range w.found {
		list = append(list, x)
	}
	slices.SortFunc(list, func(x, y *Early) int { return cmp.Or(cmp.Compare(x.At.PC, y.At.PC), cmp.Compare(x.From.PC, y.From.PC)) })
	return list
}

// Observe handles an event.
func (w *Waits) Observe(e exec.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	key := waveKey{e.Group, e.Wave}
	switch e.Kind {
	case exec.WaveStart:
		w.waves[key] = new(pendingWave)
	case exec.WaveEnd:
		delete(w.waves, key)
	case exec.Probed:
		pw := w.waves[key]
		if pw == nil {
			return
		}
		for i := range e.Probes {
			if p := &e.Probes[i]; p.Kind >= firstWaits && p.Kind-firstWaits < uint64(len(w.told)) {
				w.hear(pw, &e.Where, &w.told[p.Kind-firstWaits], p.Lanes)
			}
		}
	}
}

// hear handles a probe: a mask of an instruction, or the lanes that execute it. There is no probe event for an empty
// mask.
func (w *Waits) hear(pw *pendingWave, at *exec.Where, t *told, lanes uint64) {
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
		for _, sp := range pw.ops[i].writes {
			w.early(pw, at, x, &pw.ops[i], sp, lanes)
		}
	}
	w.turns++
	for i := range x.marks {
		if m := &x.marks[i]; m.wait {
			pw.ops = w.wait(pw.ops, m, lanes)
		} else {
			pw.ops = w.begin(pw.ops, operation{m.queue, lanes, pw.in(x.own, lanes), x.pc, w.turns, m.writes})
		}
	}
}

// begin adds an operation. The first one of a full queue has completed; in an unordered queue only operations that
// write matter.
func (w *Waits) begin(ops []operation, o operation) []operation {
	q := &w.code.Machine().Queues[o.queue]
	if q.Unordered {
		i := slices.IndexFunc(ops, func(x operation) bool { return x.queue == o.queue && x.pc == o.pc })
		switch {
		case len(o.writes) == 0:
			return ops
		case i >= 0:
			ops[i].lanes |= o.lanes
			ops[i].own |= o.own
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
		turn := ops[first].turn
		ops = slices.Delete(ops, first, first+1)
		for i := range ops {
			if ops[i].turn == turn {
				ops[i].writes = nil
			}
		}
	}
	return append(ops, o)
}

// early records the cells of a span that an instruction touches in lanes in which an operation will write them.
func (w *Waits) early(pw *pendingWave, at *exec.Where, x *inst, o *operation, sp ir.Span, lanes uint64) {
	pending := o.lanes
	if w.code.Machine().Kind(sp.Cell).PerLane() {
		pending = o.own
	}
	for i := range x.touches {
		t := &x.touches[i]
		both := pending & pw.in(t.mask, lanes)
		if both == 0 || !within(sp, t.cell) || t.writes && w.inOrder(x, o, t.cell) {
			continue
		}
		key := [2]uint64{x.pc, o.pc}
		if e := w.found[key]; e != nil {
			e.Count++
			continue
		}
		w.found[key] = &Early{Kernel: at.Kernel, Group: at.Group, Wave: at.Wave, Lane: bits.TrailingZeros64(both), Cell: t.cell, Register: nameOf(w.code, t.cell),
			Writes: t.writes, At: instructionAt(w.code, x.pc), From: instructionAt(w.code, o.pc), Count: 1}
	}
}

// inOrder reports whether the instruction writes the cell by an operation that completes after the outstanding one:
// on the same ordered queue.
func (w *Waits) inOrder(x *inst, o *operation, c ir.Cell) bool {
	return !w.code.Machine().Queues[o.queue].Unordered && slices.ContainsFunc(x.marks, func(m mark) bool {
		return !m.wait && m.queue == o.queue && slices.ContainsFunc(m.writes, func(sp ir.Span) bool { return within(sp, c) })
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

// wait completes operations in some lanes: all of the queue, or in a queue that completes in order all but the last
// n. If one instruction issued operations on several queues, because its address determines which of them it uses,
// completion on one counts.
func (w *Waits) wait(ops []operation, m *mark, lanes uint64) []operation {
	queues := w.code.Machine().Queues
	keep, left := ops[:0], 0
	var over []uint64
	for i := range ops {
		if counts(queues, ops[i].queue, m.queue) {
			left++
		}
	}
	for _, o := range ops {
		if counts(queues, o.queue, m.queue) {
			if left--; m.n == 0 || !queues[o.queue].Unordered && left >= m.n {
				o.lanes &^= lanes
				o.own &^= lanes
				over = append(over, o.turn)
			}
		}
		keep = append(keep, o)
	}
	for i := range keep {
		if o := &keep[i]; slices.Contains(over, o.turn) && o.lanes&^lanes == 0 {
			o.writes = nil // it still counts
		}
	}
	return slices.DeleteFunc(keep, func(o operation) bool { return o.lanes == 0 })
}

// counts reports whether operations of a queue count in another's counter.
func counts(queues []ir.Queue, queue, counter int) bool {
	return queue == counter || queues[queue].Counter == counter+1
}
