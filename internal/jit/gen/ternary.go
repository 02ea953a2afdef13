package gen

import (
	"slices"

	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/internal/lower"
)

// ternary emits a tree of several steps: one value is in the register of the result, the last may be a memory operand.
func (c *loopEmitter) ternary(s *lower.Step) {
	t := c.choices[c.now].tree
	v := make([]x86.Operand, len(t.leaves))
	for i, p := range t.leaves {
		v[i] = c.value(p)
	}
	first, last := -1, -1
	for i, p := range t.leaves {
		switch {
		case v[i].InMemory():
			last = i
		case p == s.Res[0] || first < 0 && c.diesInRegister(p):
			first = i
		}
	}
	if first < 0 { // if two values are in memory one is loaded, else any other is copied
		first = slices.IndexFunc(v, func(o x86.Operand) bool { return o.InMemory() && o != v[max(last, 0)] })
	}
	order := make([]int, 0, 3)
	for i := range v {
		if i != last && i != first {
			order = append(order, i)
		}
	}
	if first < 0 {
		if first = last; len(order) > 0 {
			first, order = order[0], order[1:]
		}
	}
	order = append([]int{first}, order...)
	if last >= 0 && last != first {
		order = append(order, last)
	}
	c.emitTruthTable(s, t, v, order)
}

// emitTruthTable emits the instruction with the operands in that order.
func (c *loopEmitter) emitTruthTable(s *lower.Step, t *ternary, v []x86.Operand, order []int) {
	var of [3]uint8
	d := c.resultOver(s, t.leaves[order[0]])
	if v[order[0]] != d {
		c.copy(d, v[order[0]])
	}
	operands := [3]x86.Operand{d, d, d}
	for k, i := range order {
		if k == 1 && len(order) == 2 {
			k = 2 // the operand that may be in memory
		}
		of[i] = ofLeaf[k]
		if k > 0 {
			operands[k] = v[i]
		}
	}
	if operands[1].InMemory() {
		c.copy(c.scratch(1), operands[1])
		operands[1] = c.scratch(1)
	}
	c.a.Emit(x86.VPTERNLOGD, d, operands[1], operands[2], x86.Imm(int64(compose(t.table, of))))
}

// diesInRegister reports whether the register of a value is free after the current step.
func (c *loopEmitter) diesInRegister(p lower.Place) bool {
	i := c.vecs.find(p)
	return i >= 0 && !(c.vecs.regs[i].dirty && c.isLive(&c.vecs.regs[i], c.now)) && !c.isReadSoon(p)
}

// resultOver returns the register of the step's result: that of the value at p, if the value is dead then.
func (c *loopEmitter) resultOver(s *lower.Step, p lower.Place) x86.Operand {
	res := s.Res[0]
	if p == res || p.Kind != lower.InRow || !c.diesInRegister(p) {
		return c.result(s)
	}
	c.vecs.drop(res)
	i := c.vecs.find(p)
	c.vecs.assign(i, register{loc: res, dirty: true, last: int(c.choices[c.now].last[0]), used: c.now})
	return c.v(i)
}
