package vectors

import (
	"cmp"
	"slices"

	"github.com/heddle-gpu/heddle/internal/meaning"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// A use is how an instruction uses a cell that it reads, which restricts sensible values.
type use uint8

const (
	asNumber  use = iota
	asAddress     // or the low half of one
	asHigh        // the high half of an address
	asIndex       // of a register
	asLane        // the number of a lane
)

// A plan is the state that a block reads and may change.
type plan struct {
	machine *ir.Machine
	block   *ir.Block
	cells   []ir.Cell // read or written, sorted by file and index; without the execution mask
	reads   map[ir.Cell]bool
	writes  map[ir.Cell]bool
	uses    map[ir.Cell]use
	formats map[ir.Cell]meaning.Format
	exec    bool // the execution mask is accessed
	sets    bool // the execution mask is written
	lanes   int  // number of lanes of a test
	varies  bool // something depends on the lane
	memory  bool // memory may be accessed
	steps   int  // number of marks of the instruction
}

// window is the number of registers of a file that are listed, from the first on, if an index computed at run time
// selects one.
const window = 8

// usualLanes is the default number of lanes of a test.
const usualLanes = 16

func newPlan(t *isa.Target, blk *ir.Block) *plan {
	m := t.Machine()
	p := &plan{machine: m, block: blk, reads: map[ir.Cell]bool{}, writes: map[ir.Cell]bool{}, uses: map[ir.Cell]use{}, steps: len(blk.Marks)}
	seen := map[ir.Cell]bool{}
	add := func(c ir.Cell, write bool) {
		if m.Kind(c) == ir.ExecMask {
			p.exec, p.sets = true, p.sets || write
			return
		}
		p.varies = p.varies || m.Kind(c).PerLane()
		p.writes[c] = p.writes[c] || write
		p.reads[c] = p.reads[c] || !write
		if !seen[c] {
			seen[c] = true
			p.cells = append(p.cells, c)
		}
	}
	for i := range blk.Ops {
		in := &blk.Ops[i]
		switch in.Op {
		case ir.Get, ir.Set, ir.SetLast:
			add(in.Cell, in.Op != ir.Get)
		case ir.GetX, ir.SetX:
			file := m.Files[in.Cell.File].Count
			for k := range min(window, file-int(in.Cell.Index)) {
				add(ir.Cell{File: in.Cell.File, Index: in.Cell.Index + uint16(k)}, false)
			}
		case ir.Live, ir.LaneID:
			p.exec, p.varies = true, true
		case ir.Retire, ir.CtlStep, ir.CtlStepX:
			p.exec, p.sets, p.varies = true, true, true
		}
		class := in.Op.Info().Class
		p.memory = p.memory || class == ir.Memory || class == ir.Resource
	}
	slices.SortFunc(p.cells, byPlace)
	p.trace()
	fs := meaning.NewFormats()
	fs.Add(m, blk)
	p.formats = fs.Reads
	p.lanes = p.width()
	return p
}

func byPlace(a, b ir.Cell) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Index, b.Index))
}

// width returns the number of lanes of a test: whole waves if an op combines distant lanes, or if nothing depends on
// the lane.
func (p *plan) width() int {
	full, n := p.machine.Widths[0], usualLanes
	if !p.varies {
		return full
	}
	for i := range p.block.Ops {
		in := &p.block.Ops[i]
		if in.Op.Info().Class != ir.Cross || in.Op == ir.Ballot || in.Op == ir.Lanes || in.Op == ir.Any || in.Op == ir.All || in.Op == ir.LaneID {
			continue
		}
		if in.Scope(p.machine) == ir.InWave {
			n = full
		}
	}
	return min(n, full)
}

// trace finds the cells from which addresses, indexes and lane numbers are computed.
func (p *plan) trace() {
	b := p.block
	makers := make([]*ir.Inst, len(b.Vals))
	for i := range b.Ops {
		for k := range int(b.Ops[i].NRes) {
			makers[int(b.Ops[i].Res)+k] = &b.Ops[i]
		}
	}
	type step struct {
		v ir.Val
		u use
	}
	var todo []step
	for i := range b.Ops {
		in := &b.Ops[i]
		switch {
		case in.Op.Info().Class == ir.Memory:
			todo = append(todo, step{in.Args[0], asAddress})
		case in.Op == ir.JumpX, in.Op == ir.CtlStepX:
			todo = append(todo, step{in.Args[0], asAddress})
		case in.Op == ir.GetX, in.Op == ir.SetX:
			todo = append(todo, step{in.Args[0], asIndex})
		case in.Op == ir.ReadLane, in.Op == ir.Shuffle, in.Op == ir.ScatterLane:
			todo = append(todo, step{in.Args[1], asLane})
		}
	}
	seen := map[step]bool{}
	for len(todo) > 0 {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[s] {
			continue
		}
		seen[s] = true
		in := makers[s.v]
		if in.Op == ir.Get {
			if old, ok := p.uses[in.Cell]; !ok || s.u < old {
				p.uses[in.Cell] = s.u
			}
			continue
		}
		for k, a := range in.Args {
			if in.Op == ir.Select && k == 0 || in.Op.Info().Class == ir.Memory || b.Vals[a].Type == ir.I1 {
				continue
			}
			u := s.u
			if in.Op == ir.Pack && k == 1 && u == asAddress {
				u = asHigh
			}
			todo = append(todo, step{a, u})
		}
	}
}

// trapped returns why the block cannot run: it ends in a trap that is not a trap instruction.
func trapped(b *ir.Block) (ir.TrapReason, string) {
	if t := b.Term(); t.Op == ir.Trap {
		return ir.TrapReason(t.Imm), b.Why
	}
	return 0, ""
}
