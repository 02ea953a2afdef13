package irgen

import "github.com/heddle-gpu/heddle/ir"

// access adds a memory access that may fault as far as the verifier knows, but does not in its window. Stores and
// atomics are returned as effects, to be added after all reads.
func (g *gen) access() []func() {
	w := pick(g.r, g.o.Memory)
	wave := g.r.IntN(4) == 0
	var mask []ir.Val
	if !wave {
		mask = []ir.Val{g.mask()}
	}
	if w.Space == ir.ConstSpace {
		g.load(w, wave, mask)
		return nil
	}
	switch g.r.IntN(4) {
	case 0:
		g.load(w, wave, mask)
		return nil
	case 1:
		return []func(){g.store(w, wave, mask, false)}
	case 2:
		return []func(){g.atomic(w, wave, mask)}
	}
	a, b := g.store(w, wave, mask, true), g.store(w, wave, mask, true)
	return []func(){a, b}
}

// mem chooses an access and returns its address operand.
func (g *gen) mem(w Window, wave bool, elem, count int) (ir.Mem, ir.Val) {
	m := ir.Mem{Space: w.Space, Bank: w.Bank, Elem: uint8(elem), Count: uint8(count), Align: uint8(g.r.IntN(2) * elem)}
	t := ir.I32
	if w.Space == ir.GlobalSpace || w.Space == ir.FlatSpace || w.Base+w.Size > 1<<32 {
		t = ir.I64
	}
	room := g.constant(t, (w.Size/2-1)&^uint64(elem-1))
	off := g.add(ir.Inst{Op: ir.And, Type: t, Args: []ir.Val{g.value(t, wave), room}})
	return m, g.add(ir.Inst{Op: ir.IAdd, Type: t, Args: []ir.Val{off, g.constant(t, w.Base)}})
}

// data returns an element size and a type for it.
func (g *gen) data() (elem int, t ir.Type) {
	for {
		t = pick(g.r, allTypes)
		if t.Bits() < 8 {
			continue
		}
		elem = t.Bits() / 8
		if t.IsInt() {
			elem = min(elem, 1<<g.r.IntN(4))
		}
		return elem, t
	}
}

func (g *gen) load(w Window, wave bool, mask []ir.Val) {
	elem, t := g.data()
	m, at := g.mem(w, wave, elem, 1+g.r.IntN(4))
	m.Signed = 8*elem < t.Bits() && g.r.IntN(2) == 0
	if g.r.IntN(4) == 0 {
		m.Load = ir.Volatile
	}
	g.add(ir.Inst{Op: ir.Load, Type: t, Mem: m, Args: append([]ir.Val{at}, mask...)})
}

// store prepares a store; with checked it is preceded by its check.
func (g *gen) store(w Window, wave bool, mask []ir.Val, checked bool) func() {
	elem, t := g.data()
	m, at := g.mem(w, wave, elem, 1+g.r.IntN(4))
	if checked {
		g.add(ir.Inst{Op: ir.Check, Mem: m, Imm: 1, Args: append([]ir.Val{at}, mask...)})
	}
	args := []ir.Val{at}
	for range m.Count {
		args = append(args, g.value(t, wave))
	}
	in := ir.Inst{Op: ir.Store, Type: t, Mem: m, Args: append(args, mask...)}
	return func() { g.add(in) }
}

func (g *gen) atomic(w Window, wave bool, mask []ir.Val) func() {
	t := pick(g.r, []ir.Type{ir.I32, ir.I64, ir.F32, ir.F64})
	m, at := g.mem(w, wave, t.Bits()/8, 1)
	m.Align = m.Elem
	two := false
	for name := ""; name == ""; name, two = ir.AtomicName(m.Atomic) {
		m.Atomic = uint8(g.r.IntN(int(ir.AtomicFCmpSwap) + 1))
	}
	args := []ir.Val{at, g.value(t, wave)}
	if two {
		args = append(args, g.value(t, wave))
	}
	in := ir.Inst{Op: ir.AtomicRMW, Type: t, Mem: m, Args: append(args, mask...)}
	return func() { g.add(in) }
}
