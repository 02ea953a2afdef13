package sanitize

import (
	"slices"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// waiting is code with probes in each instruction.
type waiting struct {
	ir.Code
	w *Waits
}

// Unwrap returns the code without probes.
func (p *waiting) Unwrap() ir.Code { return p.Code }

// Block returns the block with its probes. A serial block is one instruction that touches only per-wave cells.
func (p *waiting) Block(at ir.Key) (*ir.Block, error) {
	b, err := p.Code.Block(at)
	if err != nil || b.Serial || len(p.Machine().Queues) == 0 {
		return b, err
	}
	c := copyOf(p.Machine(), b)
	c.by, c.windows = definers(b), p.w.windows
	for at := range b.Marks {
		c.begin(at)
		lo, hi := b.MarkOps(at)
		x, place := c.look(at, lo, hi)
		for i := lo; i < place; i++ {
			c.copy(i)
		}
		if err := c.probes(p.w, x); err != nil {
			return nil, err
		}
		for i := place; i < hi; i++ {
			c.copy(i)
		}
	}
	return c.n, nil
}

// copying makes a block from another one's ops with additions. The masks are those of the present mark.
type copying struct {
	*ir.Machine
	from, n *ir.Block
	to      []ir.Val // by value of the other block
	by      []int    // by value: the op that has it as result
	masks   []mask
	windows []exec.Window // for lanesInGroup
}

// copyOf begins a block with the marks of another one and without ops.
func copyOf(m *ir.Machine, b *ir.Block) copying {
	n := *b
	n.Ops, n.Vals, n.Marks = nil, nil, slices.Clone(b.Marks)
	return copying{Machine: m, from: b, n: &n, to: make([]ir.Val, len(b.Vals))}
}

// begin makes the next op the first of a mark.
func (c *copying) begin(mark int) { c.n.Marks[mark].Op = int32(len(c.n.Ops)) }

// A mask is a set of lanes: those of a value, the lane that a value names, or the active ones.
type mask struct {
	kind maskKind
	val  ir.Val // of the other block
}

type maskKind uint8

const (
	activeLanes maskKind = iota
	lanesOf
	laneNumber
	lanesInGroup // in which a value is a flat address in the memory of the group
)

// definers returns the ops of a block by the values that they have as results.
func definers(b *ir.Block) []int {
	by := make([]int, len(b.Vals))
	for i := range b.Ops {
		for k := range b.Ops[i].NRes {
			by[int(b.Ops[i].Res)+int(k)] = i
		}
	}
	return by
}

// copy adds op i of the other block.
func (c *copying) copy(i int) {
	in := c.from.Ops[i]
	in.Args = make([]ir.Val, len(in.Args))
	for k, v := range c.from.Ops[i].Args {
		in.Args[k] = c.to[v]
	}
	old := in.Res
	in.Res = ir.Val(len(c.n.Vals))
	for k := range in.NRes {
		c.to[int(old)+int(k)] = in.Res + ir.Val(k)
	}
	c.n.Vals = append(c.n.Vals, c.from.Vals[old:int(old)+int(in.NRes)]...)
	c.n.Ops = append(c.n.Ops, in)
}

// look returns what the instruction of a mark does, and the op before which the probes are placed: after the last op
// that says that a lane is not expected, from where engines go back to the start of the mark, and after the masks of
// the probes.
func (c *copying) look(at, lo, hi int) (x *inst, place int) {
	x, place = &inst{pc: c.from.Marks[at].PC, flat: wholeWave}, lo
	c.masks = c.masks[:0]
	first := c.firstEffect(lo, hi)
	for i := lo; i < hi; i++ {
		switch in := &c.from.Ops[i]; in.Op {
		case ir.Unlikely, ir.Stable:
			place = i + 1
		case ir.Get:
			if c.Kind(in.Cell) == ir.ExecMask {
				continue // no operation writes it
			}
			x.touches = append(x.touches, touched{in.Cell, false, c.reads(i, hi, first)})
		case ir.Set:
			x.touches = append(x.touches, touched{in.Cell, true, c.writes(in, first)})
		case ir.Issue:
			writes, reads := c.from.Touched(in)
			x.marks = append(x.marks, mark{queue: int(in.Imm), writes: writes, reads: reads, own: c.ownOf(writes), source: c.ownOf(reads)})
		case ir.Wait:
			x.marks = append(x.marks, mark{queue: int(in.Imm), n: int(in.Alt), wait: true})
		case ir.Store, ir.AtomicRMW:
			x.stores = x.stores || in.Mem.Space == ir.GroupSpace
		case ir.Barrier:
			_, kind := ir.BarrierAt(in.Alt)
			x.barrier = kind != ir.BarrierWait
		}
	}
	c.flat(x, lo, hi)
	for _, m := range c.masks {
		if m.kind != activeLanes {
			place = max(place, c.by[m.val]+1)
		}
	}
	return x, place
}

// firstEffect returns the first op from lo to hi that accesses memory or has an effect: before it nothing has
// changed.
func (c *copying) firstEffect(lo, hi int) int {
	for i := lo; i < hi; i++ {
		switch in := &c.from.Ops[i]; in.Op.Info().Class {
		case ir.Pure, ir.Cross:
		case ir.Reg:
			if in.Op == ir.Set || in.Op == ir.SetX || in.Op == ir.SetLast {
				return i
			}
		case ir.Marker:
			if in.Op == ir.Probe {
				return i
			}
		default:
			if in.Op != ir.Check {
				return i
			}
		}
	}
	return hi
}

// active returns the cell of the active lanes if data masks lanes: then a wave executes an instruction whatever its
// mask.
func (c *copying) active() (ir.Cell, bool) {
	cell, ok := execCell(c.Machine)
	return cell, ok && c.Control == ir.MaskData
}

// mask returns the index of a mask of the mark.
func (c *copying) mask(m mask) int {
	i := slices.Index(c.masks, m)
	if i < 0 {
		i = len(c.masks)
		c.masks = append(c.masks, m)
	}
	return i
}

// own returns the mask in which cells are touched by default.
func (c *copying) own(cell ir.Cell) int {
	if _, ok := c.active(); ok && c.Kind(cell).PerLane() {
		return c.mask(mask{kind: activeLanes})
	}
	return wholeWave
}

// flat notes the lanes whose access is to the memory of a group, if that decides which operations of an instruction
// there are.
func (c *copying) flat(x *inst, lo, hi int) {
	queues := c.Queues
	if !slices.ContainsFunc(x.marks, func(m mark) bool { return !m.wait && queues[m.queue].Group }) {
		return
	}
	for i := lo; i < hi; i++ {
		in := &c.from.Ops[i]
		if in.Mem.Space == ir.FlatSpace && (in.Op == ir.Load || in.Op == ir.Store || in.Op == ir.AtomicRMW) {
			x.flat = c.mask(mask{lanesInGroup, in.Args[0]})
			return
		}
	}
}

// ownOf returns the mask in which an operation touches the cells of spans; wholeWave if no cell has a value per lane.
func (c *copying) ownOf(spans []ir.Span) int {
	for _, sp := range spans {
		if m := c.own(sp.Cell); m != wholeWave {
			return m
		}
	}
	return wholeWave
}

// reads returns the mask in which op i reads a cell: one lane if that lane is the only use of the value.
func (c *copying) reads(i, hi, first int) int {
	get := &c.from.Ops[i]
	all := c.own(get.Cell)
	if all == wholeWave {
		return all
	}
	lane := mask{kind: activeLanes}
	for k := i + 1; k < len(c.from.Ops); k++ {
		in := &c.from.Ops[k]
		switch {
		case !slices.Contains(in.Args, get.Res):
		case in.Op != ir.ReadLane || k >= hi || c.by[in.Args[1]] >= first || lane.kind == laneNumber:
			return all
		default:
			lane = mask{laneNumber, in.Args[1]}
		}
	}
	return c.mask(lane)
}

// writes returns the mask in which a set writes its cell.
func (c *copying) writes(in *ir.Inst, first int) int {
	all := c.own(in.Cell)
	v, ok := c.from.Mask(in)
	switch {
	case all == wholeWave || !ok:
		return wholeWave
	case c.by[v] >= first:
		return all
	}
	if by := &c.from.Ops[c.by[v]]; by.Op == ir.Get && c.Kind(by.Cell) == ir.ExecMask {
		return all
	}
	return c.mask(mask{lanesOf, v})
}

// execCell returns the cell of the active mask.
func execCell(m *ir.Machine) (ir.Cell, bool) {
	for i := range m.Files {
		if m.Files[i].Kind == ir.ExecMask {
			return ir.Cell{File: uint8(i)}, true
		}
	}
	return ir.Cell{}, false
}

// probes adds the probes of a mark, if its instruction touches a register, issues an operation, waits or arrives at a
// barrier: those of its masks, then that of the lanes that execute it.
func (c *copying) probes(w *Waits, x *inst) error {
	if len(x.touches)+len(x.marks) == 0 && !x.barrier {
		return nil
	}
	for i, m := range c.masks {
		v, err := c.lanes(m)
		if err == nil {
			err = c.tell(w, told{inst: x, mask: i}, v)
		}
		if err != nil {
			return err
		}
	}
	v, err := c.n.Add(c.Machine, c.executes())
	if err != nil {
		return err
	}
	return c.tell(w, told{inst: x, mask: wholeWave}, v)
}

// executes returns the op for the lanes that execute an instruction: if data masks lanes the wave does, whatever the
// mask.
func (c *copying) executes() ir.Inst {
	if cell, ok := execCell(c.Machine); ok && c.Control != ir.MaskData {
		return ir.Inst{Op: ir.Get, Type: ir.I1, Cell: cell}
	}
	return ir.Inst{Op: ir.Live, Type: ir.I1}
}

// lanes returns the value of a mask.
func (c *copying) lanes(m mask) (ir.Val, error) {
	switch m.kind {
	case lanesOf:
		return c.to[m.val], nil
	case lanesInGroup:
		return c.inGroup(c.to[m.val])
	case laneNumber:
		id, err := c.n.Add(c.Machine, ir.Inst{Op: ir.LaneID, Type: ir.I32})
		if err != nil {
			return 0, err
		}
		return c.n.Add(c.Machine, ir.Inst{Op: ir.Eq, Type: ir.I32, Args: []ir.Val{id, c.to[m.val]}})
	}
	cell, _ := c.active()
	return c.n.Add(c.Machine, ir.Inst{Op: ir.Get, Type: ir.I1, Cell: cell})
}

// inGroup returns the lanes in which a flat address is in the memory of the group.
func (c *copying) inGroup(addr ir.Val) (ir.Val, error) {
	r := reloader{copying: *c}
	number := func(x uint64) ir.Val { return r.put(ir.Inst{Op: ir.Const, Type: ir.I64, Imm: x}) }
	lanes := r.put(ir.Inst{Op: ir.Const, Type: ir.I1})
	for _, w := range c.windows {
		if w.Space == ir.GroupSpace {
			lanes = r.op(ir.Or, ir.I1, lanes, r.op(ir.ULt, ir.I64, r.op(ir.ISub, ir.I64, addr, number(w.Base)), number(w.Size)))
		}
	}
	return lanes, r.err
}

// tell adds a probe.
func (c *copying) tell(w *Waits, t told, lanes ir.Val) error {
	_, err := c.n.Add(c.Machine, ir.Inst{Op: ir.Probe, Imm: w.add(t), Args: []ir.Val{lanes}})
	return err
}

// add makes the kind of a probe.
func (w *Waits) add(t told) uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.told.add(firstWaits, t)
}
