package irgen

import (
	"fmt"
	"math/rand/v2"

	"github.com/heddle-gpu/heddle/ir"
)

// An emitter translates the statements of a program to blocks, choosing among equivalent instructions.
type emitter struct {
	r      *rand.Rand
	m      *ir.Machine
	p      *Program
	ins    []instr
	labels []int // position by label
	starts map[int]bool
	fn     int     // the function being emitted
	ends   []label // of the enclosing loops, innermost last
	entry  []label // by function
}

// An instr is one guest instruction; one that ends its block makes the terminator.
type instr struct {
	build func(b *ir.Builder)
	ends  bool
}

// A label is a place in the code, by number.
type label int

// firstPC is the address of programs; instructions have four bytes.
const firstPC = 0x100

func (e *emitter) label() label {
	e.labels = append(e.labels, -1)
	return label(len(e.labels) - 1)
}

func (e *emitter) at(l label) uint64 { return firstPC + 4*uint64(e.labels[l]) }

func (e *emitter) place(l label) {
	e.labels[l] = len(e.ins)
	e.starts[len(e.ins)] = true
}

func (e *emitter) put(ends bool, build func(b *ir.Builder)) {
	e.ins = append(e.ins, instr{build, ends})
	if ends {
		e.starts[len(e.ins)] = true
	}
}

// A condition makes a mask in a block.
type condition func(b *ir.Builder) ir.V

func running(b *ir.Builder) ir.V { return b.Exec() }

func laneCell(i int) ir.Cell { return ir.Cell{Index: uint16(i)} }

// bit returns the condition that a bit of the result is want, sometimes only in the active lanes.
func (e *emitter) bit(n uint32, want bool) condition {
	narrow := e.r.IntN(2) == 0
	return func(b *ir.Builder) ir.V {
		v := b.Get(laneCell(cellH), ir.I32)
		if !want {
			v = v.Not()
		}
		c := v.ShrU(b.I32(n)).Trunc(ir.I1)
		if narrow {
			c = c.And(b.Exec())
		}
		return c
	}
}

// over returns the condition that a loop has run often enough.
func over(n *node) condition {
	return func(b *ir.Builder) ir.V {
		max := b.Get(laneCell(cellX), ir.I32).ShrU(b.I32(n.bit)).And(b.I32(3))
		return max.ULe(b.Get(laneCell(n.cell), ir.I32))
	}
}

// step emits a control step; its target may be placed later.
func (e *emitter) step(k ir.ControlKind, c condition, to label) {
	e.put(true, func(b *ir.Builder) {
		if k.HasTarget() {
			b.Control(k, c(b), e.at(to))
		} else {
			b.Control(k, c(b), 0)
		}
	})
}

func (e *emitter) jump(to label) { e.put(true, func(b *ir.Builder) { b.Jump(e.at(to)) }) }

// set emits an instruction that writes a cell of the active lanes.
func (e *emitter) set(cell int, value func(b *ir.Builder) ir.V) {
	e.put(false, func(b *ir.Builder) { b.Set(laneCell(cell), value(b), b.Exec()) })
}

func (e *emitter) program() {
	e.starts = map[int]bool{0: true}
	for range e.p.funcs {
		e.entry = append(e.entry, e.label())
	}
	e.set(cellH, func(b *ir.Builder) ir.V { return b.Get(laneCell(cellX), ir.I32).Xor(b.I32(0x5bd1e995)) })
	for fn, body := range e.p.funcs {
		e.fn, e.ends = fn, nil
		e.place(e.entry[fn])
		e.list(body)
		switch {
		case fn > 0:
			e.leave(running)
		case e.m.Control == ir.LowestPC && e.r.IntN(3) == 0:
			e.put(true, func(b *ir.Builder) { b.ControlX(ir.CtlLink, b.Exec(), b.I64(ir.Nowhere)) })
		default:
			e.retire(running)
		}
	}
	e.p.Entry = firstPC
	e.p.Blocks = e.blocks()
}

// blocks divides the instructions at labels and after those that end a block.
func (e *emitter) blocks() (bs []*ir.Block) {
	for i := 0; i < len(e.ins); {
		pc := firstPC + 4*uint64(i)
		b := ir.NewBuilder(e.m, ir.Key{PC: pc})
		for first := i; i < len(e.ins) && (i == first || !e.starts[i]); i++ {
			b.Mark(firstPC+4*uint64(i), 4, 0)
			e.ins[i].build(b)
		}
		if !b.Done() {
			b.Jump(firstPC + 4*uint64(i))
		}
		blk := b.Finish()
		if err := ir.Verify(e.m, blk); err != nil {
			panic(fmt.Sprintf("irgen: %v\n%s", err, ir.Print(e.m, blk)))
		}
		bs = append(bs, blk)
	}
	return bs
}

func (e *emitter) retire(c condition) {
	next := e.label()
	e.put(true, func(b *ir.Builder) { b.Retire(c(b), e.at(next)) })
	e.place(next)
}

func (e *emitter) list(ns []node) {
	for i := range ns {
		n := &ns[i]
		switch n.kind {
		case nodeWork:
			e.set(cellH, func(b *ir.Builder) ir.V {
				return b.Get(laneCell(cellH), ir.I32).Mul(b.I32(workFactor)).Add(b.I32(n.k))
			})
		case nodeExit:
			e.retire(e.bit(n.bit, true))
		case nodeReturn:
			e.leave(e.bit(n.bit, true))
		case nodeQuad:
			e.quad()
		case nodeLimited:
			e.step(ir.CtlCallLimited, running, e.entry[n.fn])
		default:
			if e.m.Control == ir.MaskStack {
				e.onStack(n)
			} else {
				e.onPCs(n)
			}
		}
	}
}

// quad emits shuffles in quads, including helper lanes, into a cell that is not read.
func (e *emitter) quad() {
	e.step(ir.CtlQuadOn, running, 0)
	e.set(cellSpare, func(b *ir.Builder) ir.V {
		v, _ := b.Get(laneCell(cellH), ir.I32).Shuffle(b.LaneID().Xor(b.I32(2)), b.Exec())
		return v
	})
	e.step(ir.CtlQuadPop, running, 0)
}

// onStack emits the policy-dependent statements for MaskStack.
func (e *emitter) onStack(n *node) {
	switch n.kind {
	case nodeIf:
		yes, meet := e.label(), e.label()
		joins := e.r.IntN(4) != 0 // lanes that diverge without a place to reconverge do so at a later one
		if joins {
			e.step(ir.CtlPush, running, meet)
		}
		e.step(ir.CtlDiverge, e.bit(n.bit, true), yes)
		e.list(n.other)
		e.jump(meet)
		e.place(yes)
		e.list(n.body)
		e.place(meet)
		if joins {
			e.step(ir.CtlJoin, running, 0)
		}
	case nodeLoop:
		top, end := e.label(), e.label()
		e.set(n.cell, func(b *ir.Builder) ir.V { return b.I32(0) })
		e.step(ir.CtlPushBreak, running, end)
		e.place(top)
		e.step(ir.CtlBreak, over(n), 0)
		e.count(n)
		e.list(n.body)
		e.jump(top)
		e.place(end)
	case nodeBreak:
		e.step(ir.CtlBreak, e.bit(n.bit, true), 0)
	case nodeCallIf:
		e.step(ir.CtlCall, e.bit(n.bit, true), e.entry[n.fn])
	case nodeCall:
		if e.r.IntN(2) == 0 {
			e.step(ir.CtlCall, running, e.entry[n.fn])
			return
		}
		back := e.label()
		e.step(ir.CtlPushReturn, running, back)
		e.jump(e.entry[n.fn])
		e.place(back)
	case nodeEither:
		back := e.label()
		e.step(ir.CtlPushReturn, running, back)
		e.either(n, ir.CtlDiverge)
		e.place(back)
	}
}

func (e *emitter) count(n *node) {
	e.set(n.cell, func(b *ir.Builder) ir.V { return b.Get(laneCell(n.cell), ir.I32).Add(b.I32(1)) })
}

// either emits a branch to one function or the other, by lane.
func (e *emitter) either(n *node, k ir.ControlKind) {
	c := e.bit(n.bit, true)
	e.put(true, func(b *ir.Builder) {
		b.ControlX(k, b.Exec(), c(b).Select(b.I64(e.at(e.entry[n.fn])), b.I64(e.at(e.entry[n.fn2]))))
	})
}

// part returns a step that branches in some lanes under LowestPC: whether lanes reconverge there has no effect.
func (e *emitter) part() ir.ControlKind {
	if e.r.IntN(2) == 0 {
		return ir.CtlDiverge
	}
	return ir.CtlReconverge
}

// move branches with the active lanes under LowestPC.
func (e *emitter) move(to label) {
	if e.r.IntN(3) == 0 {
		e.jump(to)
		return
	}
	e.step(e.part(), running, to)
}

// leave returns from the function in the lanes of c.
func (e *emitter) leave(c condition) {
	if e.m.Control == ir.MaskStack {
		e.step(ir.CtlReturn, c, 0)
		return
	}
	k, link := e.part(), laneCell(cellLink+e.fn)
	if e.r.IntN(3) == 0 {
		k = ir.CtlLink // every address here is valid
	}
	e.put(true, func(b *ir.Builder) { b.ControlX(k, c(b), b.Get(link, ir.I32).ZExt(ir.I64)) })
}

// onPCs emits the policy-dependent statements for LowestPC.
func (e *emitter) onPCs(n *node) {
	link := func(fn int, back label) {
		e.set(cellLink+fn, func(b *ir.Builder) ir.V { return b.I32(uint32(e.at(back))) })
	}
	switch n.kind {
	case nodeIf:
		no, meet := e.label(), e.label()
		e.step(e.part(), e.bit(n.bit, false), no)
		e.list(n.body)
		e.move(meet)
		e.place(no)
		e.list(n.other)
		if e.r.IntN(2) == 0 {
			e.step(ir.CtlReconverge, running, meet)
		}
		e.place(meet)
	case nodeLoop:
		top, end := e.label(), e.label()
		e.ends = append(e.ends, end)
		e.set(n.cell, func(b *ir.Builder) ir.V { return b.I32(0) })
		e.place(top)
		e.step(e.part(), over(n), end)
		e.count(n)
		e.list(n.body)
		e.move(top)
		e.place(end)
		e.ends = e.ends[:len(e.ends)-1]
	case nodeBreak:
		e.step(e.part(), e.bit(n.bit, true), e.ends[len(e.ends)-1])
	case nodeCall, nodeCallIf:
		back := e.label()
		link(n.fn, back)
		if n.kind == nodeCall {
			e.move(e.entry[n.fn])
		} else {
			e.step(e.part(), e.bit(n.bit, true), e.entry[n.fn])
		}
		e.place(back)
	case nodeEither:
		back := e.label()
		link(n.fn, back)
		link(n.fn2, back)
		e.either(n, e.part())
		e.place(back)
	}
}
