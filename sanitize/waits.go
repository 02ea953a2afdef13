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

// Waits finds instructions that read or write a cell which an operation that is still pending in the same lanes will write. A run
// here completes operations at once, so what such an instruction reads is right only by luck. An instruction reads its registers
// in all lanes that run it, so a lane that reads those of another one that runs, too, is found. What reads lanes that do not run,
// as a sample does that takes coordinates of a whole quad, is not. It is an exec.Observer, and may look at any number of launches,
// one after another.
type Waits struct {
	mu    sync.Mutex
	code  ir.Code
	insts []inst // by kind of probe, from firstWaits
	waves map[waveKey]*[]operation
	turns uint64
	found map[[2]uint64]*Early
}

// An Early is an instruction that touches a cell before the operation of another has ended, the first time that it does.
type Early struct {
	Kernel   string
	Group    [3]uint32
	Wave     int
	Lane     int // the lowest lane that runs it while the operation is pending there
	Cell     ir.Cell
	Register string      // the cell as users write it
	Writes   bool        // it writes the cell, else it reads it
	At       Instruction // that touches the cell
	From     Instruction // whose operation is pending
	Count    uint64      // how often it was found
}

func (e *Early) String() string {
	does := "reads"
	if e.Writes {
		does = "writes"
	}
	return fmt.Sprintf("%v of wave %d lane %d %s %s, which %v has not written yet: nothing has waited for it", e.At, e.Wave, e.Lane, does, e.Register, e.From)
}

// firstWaits is the kind of the first probe of Waits: those of others lie below.
const firstWaits = 1 << 33

// inst is what a guest instruction touches, begins and waits for.
type inst struct {
	pc            uint64
	reads, writes []ir.Cell
	marks         []mark
}

// A mark is an operation that begins, with what it writes, or a wait for at most n of a queue.
type mark struct {
	queue, n int
	wait     bool
	writes   []ir.Span
}

type waveKey struct {
	group [3]uint32
	wave  int
}

// An operation is pending in some lanes.
type operation struct {
	queue  int
	lanes  uint64
	pc     uint64
	turn   uint64 // of the instruction: operations that one began, on several queues, have one
	writes []ir.Span
}

// Watch gives code to run in place of a launch's.
func (w *Waits) Watch(code ir.Code, _ []exec.Window) ir.Code {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.code, w.waves = code, map[waveKey]*[]operation{}
	if w.found == nil {
		w.found = map[[2]uint64]*Early{}
	}
	return &waiting{code, w}
}

// Found are what was found, by the addresses of the instructions.
func (w *Waits) Found() (list []*Early) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, x := range w.found {
		list = append(list, x)
	}
	slices.SortFunc(list, func(x, y *Early) int { return cmp.Or(cmp.Compare(x.At.PC, y.At.PC), cmp.Compare(x.From.PC, y.From.PC)) })
	return list
}

// waiting is code with a probe in front of each instruction.
type waiting struct {
	ir.Code
	w *Waits
}

// Unwrap is the code without probes.
func (p *waiting) Unwrap() ir.Code { return p.Code }

// Block is the block with its probes. A serial block is one instruction that touches cells of a wave only.
func (p *waiting) Block(at ir.Key) (*ir.Block, error) {
	b, err := p.Code.Block(at)
	if err != nil || b.Serial || len(p.Machine().Queues) == 0 {
		return b, err
	}
	m := p.Machine()
	n := *b
	n.Ops, n.Vals, n.Marks = nil, nil, slices.Clone(b.Marks)
	to, next := make([]ir.Val, len(b.Vals)), 0
	for i := range b.Ops {
		for ; next < len(b.Marks) && int(b.Marks[next].Op) == i; next++ {
			n.Marks[next].Op = int32(len(n.Ops))
			if err := p.probe(m, &n, b, next); err != nil {
				return nil, err
			}
		}
		in := b.Ops[i]
		in.Args = make([]ir.Val, len(in.Args))
		for k, v := range b.Ops[i].Args {
			in.Args[k] = to[v]
		}
		for k := range in.NRes {
			to[int(in.Res)+int(k)] = ir.Val(len(n.Vals) + int(k))
		}
		old := in.Res
		in.Res = ir.Val(len(n.Vals))
		n.Vals = append(n.Vals, b.Vals[old:int(old)+int(in.NRes)]...)
		n.Ops = append(n.Ops, in)
	}
	return &n, nil
}

// probe adds the probe of a mark, if its instruction touches a register, begins an operation or waits.
func (p *waiting) probe(m *ir.Machine, n, b *ir.Block, at int) error {
	end := len(b.Ops)
	if at+1 < len(b.Marks) {
		end = int(b.Marks[at+1].Op)
	}
	x := inst{pc: b.Marks[at].PC}
	for i := int(b.Marks[at].Op); i < end; i++ {
		switch in := &b.Ops[i]; in.Op {
		case ir.Get:
			x.reads = append(x.reads, in.Cell)
		case ir.Set:
			x.writes = append(x.writes, in.Cell)
		case ir.Issue:
			writes, _ := b.Touched(in)
			x.marks = append(x.marks, mark{queue: int(in.Imm), writes: writes})
		case ir.Wait:
			x.marks = append(x.marks, mark{queue: int(in.Imm), n: int(in.Alt), wait: true})
		}
	}
	if len(x.reads)+len(x.writes)+len(x.marks) == 0 {
		return nil
	}
	// Where data masks lanes the wave waits, whatever the mask.
	who := ir.Inst{Op: ir.Live}
	if c, ok := execCell(m); ok && m.Control != ir.MaskData {
		who = ir.Inst{Op: ir.Get, Type: ir.I1, Cell: c}
	}
	lanes, err := n.Add(m, who)
	if err != nil {
		return err
	}
	_, err = n.Add(m, ir.Inst{Op: ir.Probe, Imm: p.w.add(x), Args: []ir.Val{lanes}})
	return err
}

// execCell is the cell of the active mask.
func execCell(m *ir.Machine) (ir.Cell, bool) {
	for i := range m.Files {
		if m.Files[i].Kind == ir.ExecMask {
			return ir.Cell{File: uint8(i)}, true
		}
	}
	return ir.Cell{}, false
}

// add makes the kind of a probe.
func (w *Waits) add(x inst) uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.insts = append(w.insts, x)
	return firstWaits + uint64(len(w.insts)) - 1
}

// Observe is told of what happens.
func (w *Waits) Observe(e exec.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	key := waveKey{e.Group, e.Wave}
	switch e.Kind {
	case exec.WaveStart:
		w.waves[key] = new([]operation)
	case exec.WaveEnd:
		delete(w.waves, key)
	case exec.Probed:
		ops := w.waves[key]
		if ops == nil {
			return
		}
		for i := range e.Probes {
			if p := &e.Probes[i]; p.Kind >= firstWaits && p.Kind-firstWaits < uint64(len(w.insts)) {
				*ops = w.step(*ops, &e.Where, &w.insts[p.Kind-firstWaits], p.Lanes)
			}
		}
	}
}

// step is what is pending behind an instruction that some lanes ran.
func (w *Waits) step(ops []operation, at *exec.Where, x *inst, lanes uint64) []operation {
	for i := range ops {
		o := &ops[i]
		if o.lanes&lanes == 0 {
			continue
		}
		for _, sp := range o.writes {
			w.early(at, x, o, sp, x.reads, lanes, false)
			w.early(at, x, o, sp, x.writes, lanes, true)
		}
	}
	w.turns++
	for i := range x.marks {
		if m := &x.marks[i]; m.wait {
			ops = w.wait(ops, m, lanes)
		} else {
			ops = w.begin(ops, operation{m.queue, lanes, x.pc, w.turns, m.writes})
		}
	}
	return ops
}

// begin adds an operation. Of a queue that is full the first one has ended; in one without order only what writes matters.
func (w *Waits) begin(ops []operation, o operation) []operation {
	q := &w.code.Machine().Queues[o.queue]
	if q.Unordered {
		i := slices.IndexFunc(ops, func(x operation) bool { return x.queue == o.queue && x.pc == o.pc })
		switch {
		case len(o.writes) == 0:
			return ops
		case i >= 0:
			ops[i].lanes |= o.lanes
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

// early notes the cells that an instruction touches in some lanes while an operation is to write them.
func (w *Waits) early(at *exec.Where, x *inst, o *operation, sp ir.Span, cells []ir.Cell, lanes uint64, writes bool) {
	for _, c := range cells {
		if c.File != sp.Cell.File || c.Index < sp.Cell.Index || c.Index >= sp.Cell.Index+sp.Count {
			continue
		}
		key := [2]uint64{x.pc, o.pc}
		if e := w.found[key]; e != nil {
			e.Count++
			continue
		}
		w.found[key] = &Early{Kernel: at.Kernel, Group: at.Group, Wave: at.Wave, Lane: bits.TrailingZeros64(o.lanes & lanes), Cell: c, Register: w.name(c),
			Writes: writes, At: instructionAt(w.code, x.pc), From: instructionAt(w.code, o.pc), Count: 1}
	}
}

// name is a cell as users write it.
func (w *Waits) name(c ir.Cell) string {
	if d, ok := ir.Describe(w.code); ok {
		return d.ValueName(c)
	}
	return w.code.Machine().CellName(c)
}

// wait ends operations in some lanes: all of the queue, or of a queue whose operations end in order all but the last n. Where one
// instruction began operations on several queues, as one whose address says which of them it is on, one that has ended counts.
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
				over = append(over, o.turn)
			}
		}
		keep = append(keep, o)
	}
	for i := range keep {
		if o := &keep[i]; slices.Contains(over, o.turn) && o.lanes&^lanes == 0 {
			o.writes = nil // it counts on
		}
	}
	return slices.DeleteFunc(keep, func(o operation) bool { return o.lanes == 0 })
}

// counts reports whether operations of a queue count in another's counter.
func counts(queues []ir.Queue, queue, counter int) bool {
	return queue == counter || queues[queue].Counter == counter+1
}
