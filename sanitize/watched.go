package sanitize

import (
	"slices"

	"github.com/heddle-gpu/heddle/ir"
)

// waiting is code with probes in each instruction.
type waiting struct {
	*waitCode
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
	c.by, c.windows = definers(b), p.windows
	for at := range b.Marks {
		c.Begin(at)
		lo, hi := b.MarkOps(at)
		x, place := c.look(at, lo, hi)
		x.of = p.waitCode
		for i := lo; i < place; i++ {
			c.Keep(i)
		}
		c.probes(p.w, x)
		for i := place; i < hi; i++ {
			c.Keep(i)
		}
	}
	return c.To, c.Err
}

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

// look returns what the instruction of a mark does, and the op before which the probes are placed: after the last op
// that says that a lane is not expected, from where engines go back to the start of the mark, and after the masks of
// the probes.
func (c *copying) look(at, lo, hi int) (x *inst, place int) {
	x, place = &inst{pc: c.From.Marks[at].PC, flat: wholeWave}, c.From.AfterGuards(at)
	c.masks = c.masks[:0]
	first := c.firstEffect(lo, hi)
	for i := lo; i < hi; i++ {
		switch in := &c.From.Ops[i]; in.Op {
		case ir.Get:
			if c.Kind(in.Cell) == ir.ExecMask {
				continue // no operation writes it
			}
			x.touches = append(x.touches, touched{in.Cell, false, c.reads(i, hi, first)})
		case ir.Set:
			x.touches = append(x.touches, touched{in.Cell, true, c.writes(in, first)})
		case ir.Issue:
			writes, reads := c.From.Touched(in)
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
		switch in := &c.From.Ops[i]; in.Op.Info().Class {
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
	cell, ok := c.Exec()
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
		in := &c.From.Ops[i]
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
	get := &c.From.Ops[i]
	all := c.own(get.Cell)
	if all == wholeWave {
		return all
	}
	lane := mask{kind: activeLanes}
	for k := i + 1; k < len(c.From.Ops); k++ {
		in := &c.From.Ops[k]
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
	v, ok := c.From.Mask(in)
	switch {
	case all == wholeWave || !ok:
		return wholeWave
	case c.by[v] >= first:
		return all
	}
	if by := &c.From.Ops[c.by[v]]; by.Op == ir.Get && c.Kind(by.Cell) == ir.ExecMask {
		return all
	}
	return c.mask(mask{lanesOf, v})
}

// probes adds the probes of a mark, if its instruction touches a register, issues an operation, waits or arrives at a
// barrier: those of its masks, then that of the lanes that execute it.
func (c *copying) probes(w *Waits, x *inst) {
	if len(x.touches)+len(x.marks) == 0 && !x.barrier {
		return
	}
	for i, m := range c.masks {
		c.tell(w, told{inst: x, mask: i}, c.lanes(m))
	}
	c.tell(w, told{inst: x, mask: wholeWave}, c.executes())
}

// executes returns the lanes that execute an instruction: if data masks lanes the wave does, whatever the mask.
func (c *copying) executes() ir.Val {
	if cell, ok := c.Exec(); ok && c.Control != ir.MaskData {
		return c.Add(ir.Inst{Op: ir.Get, Type: ir.I1, Cell: cell})
	}
	return c.Op(ir.Live, ir.I1)
}

// lanes returns the value of a mask.
func (c *copying) lanes(m mask) ir.Val {
	switch m.kind {
	case lanesOf:
		return c.Vals[m.val]
	case lanesInGroup:
		return c.inGroup(c.Vals[m.val])
	case laneNumber:
		return c.Op(ir.Eq, ir.I32, c.Op(ir.LaneID, ir.I32), c.Vals[m.val])
	}
	cell, _ := c.active()
	return c.Add(ir.Inst{Op: ir.Get, Type: ir.I1, Cell: cell})
}

// inGroup returns the lanes in which a flat address is in the memory of the group.
func (c *copying) inGroup(addr ir.Val) ir.Val {
	number := func(x uint64) ir.Val { return c.Add(ir.Inst{Op: ir.Const, Type: ir.I64, Imm: x}) }
	lanes := c.Add(ir.Inst{Op: ir.Const, Type: ir.I1})
	for _, w := range c.windows {
		if w.Space == ir.GroupSpace {
			lanes = c.Op(ir.Or, ir.I1, lanes, c.Op(ir.ULt, ir.I64, c.Op(ir.ISub, ir.I64, addr, number(w.Base)), number(w.Size)))
		}
	}
	return lanes
}

// tell adds a probe.
func (c *copying) tell(w *Waits, t told, lanes ir.Val) {
	c.Add(ir.Inst{Op: ir.Probe, Imm: w.add(t), Args: []ir.Val{lanes}})
}

// add makes the kind of a probe.
func (w *Waits) add(t told) uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	of := t.of()
	return of.told.add(of.first, t)
}
