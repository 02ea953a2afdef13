package lint

import (
	"slices"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// consts are the cells with known values in a block, because its instructions compute them from constants. For a cell
// with a value per lane they are those of the lanes that the last write went to.
type consts struct {
	a     *analysis
	value []uint64
	made  []int32  // by cell: the block in which it is known
	block int32    // from 1
	vals  []uint64 // of the present IR block
	known []bool
	sets  []setting
}

// A setting is a cell that the present step sets to a known value.
type setting struct {
	cell  int
	value uint64
}

func (a *analysis) newConsts() *consts {
	return &consts{a: a, value: make([]uint64, a.cells), made: make([]int32, a.cells)}
}

// begin makes all cells unknown.
func (k *consts) begin() { k.block++ }

// cell returns the value of a cell, false if it is unknown.
func (k *consts) cell(c ir.Cell) (uint64, bool) {
	i := k.a.index(c)
	return k.value[i], k.made[i] == k.block
}

// lift returns the step's block if all its inputs are known, else nil.
func (k *consts) lift(s step) *ir.Block {
	m := k.a.m
	for _, sp := range s.reads {
		if m.Files[sp.Cell.File].Kind == ir.ExecMask { // which lanes are written does not matter
			continue
		}
		for i := range sp.Count {
			if _, ok := k.cell(ir.Cell{File: sp.Cell.File, Index: sp.Cell.Index + i}); !ok {
				return nil
			}
		}
	}
	if k.a.decode(s.addr) != nil {
		return nil
	}
	return k.a.t.LiftOne(&k.a.bundle, 0)
}

// step evaluates a step. It returns the address at which control continues, if the step computes it and it is known.
func (k *consts) step(s step) (pc uint64, ok bool) {
	if k.sets = k.sets[:0]; s.open || len(s.writes) > 0 {
		if blk := k.lift(s); blk != nil {
			pc, ok = k.evaluate(blk)
		}
	}
	for _, sp := range s.writes {
		for i := range sp.Count {
			k.made[k.a.index(ir.Cell{File: sp.Cell.File, Index: sp.Cell.Index + i})] = 0
		}
	}
	for _, x := range k.sets {
		k.value[x.cell], k.made[x.cell] = x.value, k.block
	}
	if s.traits&isa.TraitCall != 0 {
		k.begin()
	}
	return pc, ok
}

// evaluate evaluates a lifted step and records the cells that it sets to known values.
func (k *consts) evaluate(b *ir.Block) (pc uint64, ok bool) {
	n := len(b.Vals)
	k.vals, k.known = slices.Grow(k.vals[:0], n)[:n], slices.Grow(k.known[:0], n)[:n]
	clear(k.known)
	var args [8]uint64
	for i := range b.Ops {
		op := &b.Ops[i]
		switch op.Op {
		case ir.Get:
			k.vals[op.Res], k.known[op.Res] = k.cell(op.Cell)
			continue
		case ir.Set:
			if v := op.Args[0]; k.known[v] {
				k.sets = append(k.sets, setting{k.a.index(op.Cell), k.vals[v]})
			}
			continue
		case ir.JumpX:
			return k.vals[op.Args[0]], k.known[op.Args[0]]
		}
		if op.Op.Info().Class != ir.Pure || len(op.Args) > len(args) || !k.allKnown(op.Args) {
			continue
		}
		for j, v := range op.Args {
			args[j] = k.vals[v]
		}
		r0, r1 := ir.EvalLane(b, op, args[:len(op.Args)])
		k.vals[op.Res], k.known[op.Res] = r0, true
		if op.NRes > 1 {
			k.vals[op.Res+1], k.known[op.Res+1] = r1, true
		}
	}
	return 0, false
}

func (k *consts) allKnown(vs []ir.Val) bool {
	for _, v := range vs {
		if !k.known[v] {
			return false
		}
	}
	return true
}

// computed resolves addresses that blocks compute from constants: callees become entries, jumps get targets. It
// returns the addresses that were not known before.
func (a *analysis) computed() (more []uint64) {
	k := a.newConsts()
	for i := range a.blocks {
		b := &a.blocks[i]
		if !a.opensIn(b) {
			continue
		}
		k.begin()
		for j, n := b.first, b.n; n > 0; j, n = a.next(j), n-1 {
			s := a.look(j)
			pc, ok := k.step(s)
			if !ok || !s.open || !a.inside(pc) {
				continue
			}
			a.aim(j, pc)
			*a.flags(j) |= flagComputed
			if s.traits&isa.TraitCall == 0 {
				*a.flags(j) |= flagJumps
			} else {
				a.callee(pc)
			}
			if a.stepAt(pc) < 0 {
				more = append(more, pc)
			}
		}
	}
	return more
}

// opensIn reports whether a step of a block goes to an unknown address.
func (a *analysis) opensIn(b *block) bool {
	for j, n := b.first, b.n; n > 0; j, n = a.next(j), n-1 {
		if *a.flags(j)&flagOpen != 0 {
			return true
		}
	}
	return false
}

// callee makes the address of a call an entry.
func (a *analysis) callee(pc uint64) {
	if !a.entered[pc] {
		a.enter(Entry{Addr: pc, Function: true})
		a.rep.Functions++
	}
}

func (a *analysis) enter(e Entry) {
	a.entered[e.Addr] = true
	a.code.Entries = append(a.code.Entries, e)
}
