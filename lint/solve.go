package lint

import (
	"fmt"
	"maps"
	"slices"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// begin returns the state at an entry.
func (a *analysis) begin(e *Entry) *state {
	n := (a.cells + 63) / 64
	s := &state{reached: true, must: make([]uint64, n), may: make([]uint64, n), begun: a.begun}
	switch {
	case e.Function:
		s.called, s.begun = true, 0
		for _, q := range a.flow.Callers {
			s.callers |= 1 << q
		}
	case e.Begins != nil:
		a.set(s, e.Begins)
		copy(s.may, s.must)
	default:
		for k := range s.must {
			s.must[k] = ^uint64(0)
		}
		for _, c := range a.flow.Never {
			if e.guessed {
				break
			}
			s.must[a.index(c)>>6] &^= 1 << (a.index(c) & 63)
		}
		if a.flow.Begin != nil {
			a.set(s, a.flow.Begin(a.t, nil))
		}
		copy(s.may, s.must)
	}
	return s
}

// set records that spans have a value on every path.
func (a *analysis) set(s *state, spans []ir.Span) {
	for _, sp := range spans {
		for k := range sp.Count {
			setBit(s.must, a.index(ir.Cell{File: sp.Cell.File, Index: sp.Cell.Index + k}))
		}
	}
}

// solve computes the states at the starts of blocks. Every round visits the blocks whose state has changed, in order;
// it takes as many rounds as loops are nested, and a few more. Code whose paths need more than a fixed number of
// steps per instruction is reported as tangled, with the findings up to then.
func (a *analysis) solve() {
	a.in = make([]state, len(a.blocks))
	order, dirty := a.order(), make([]bool, len(a.blocks))
	for _, e := range a.code.Entries {
		if i := a.stepAt(e.Addr); i >= 0 {
			b := a.steps[i].block
			a.in[b].meet(a.begin(&e))
			dirty[b] = true
		}
	}
	w, budget := a.newWalker(false), 64*len(a.steps)+1<<20
	for more := true; more; {
		more = false
		for _, b := range order {
			if !dirty[b] {
				continue
			}
			dirty[b] = false
			w.st.copyFrom(&a.in[b])
			w.block(&a.blocks[b])
			// The cost of lists grows with them.
			if budget -= int(a.blocks[b].n) + len(w.st.pending) + len(w.st.recent) + len(w.st.dropped); budget < 0 {
				a.tangle = true
				return
			}
			for _, s := range a.blocks[b].succ {
				if a.in[s].meet(&w.st) {
					dirty[s], more = true, true
				}
			}
		}
	}
}

func (w *walker) block(b *block) {
	i := b.first
	for range b.n {
		w.step(i)
		i = w.steps[i].next
	}
}

// order returns the reachable blocks in reverse postorder: each before its successors, except for back edges.
func (a *analysis) order() (order []int32) {
	seen := make([]bool, len(a.blocks))
	type frame struct {
		b    int32
		next int
	}
	var stack []frame
	visit := func(b int32) {
		if seen[b] {
			return
		}
		seen[b] = true
		for stack = append(stack[:0], frame{b, 0}); len(stack) > 0; {
			f := &stack[len(stack)-1]
			if succ := a.blocks[f.b].succ; f.next < len(succ) {
				s := succ[f.next]
				f.next++
				if !seen[s] {
					seen[s] = true
					stack = append(stack, frame{s, 0})
				}
				continue
			}
			order = append(order, f.b)
			stack = stack[:len(stack)-1]
		}
	}
	for _, e := range slices.Backward(a.code.Entries) {
		if i := a.stepAt(e.Addr); i >= 0 {
			visit(a.steps[i].block)
		}
	}
	slices.Reverse(order)
	return order
}

// report walks all blocks once more and adds findings.
func (a *analysis) report() {
	if a.tangle {
		a.findAt(a.rule(ruleTangle), a.code.Base, fmt.Sprintf("the paths of %d instructions are too tangled to follow them all", len(a.steps)))
	}
	w, k := a.newWalker(true), a.newConsts()
	a.group = map[int32]uint64{}
	for i := range a.blocks {
		if !a.in[i].reached {
			continue
		}
		w.st.copyFrom(&a.in[i])
		w.block(&a.blocks[i])
		a.groups(k, &a.blocks[i])
	}
	a.exits()
	a.limits()
	a.barriers()
	a.orders()
	a.apart()
	a.reconverges()
	a.nests()
}

// groups records where accesses of workgroup memory at known addresses end.
func (a *analysis) groups(k *consts, b *block) {
	if a.flow.Group == nil {
		return
	}
	k.begin()
	for j, n := b.first, b.n; n > 0; j, n = a.steps[j].next, n-1 {
		s := &a.steps[j]
		if s.traits&isa.TraitGroup != 0 {
			if _, hi, ok := a.flow.Group(&s.in, k.cell); ok {
				a.group[j] = hi
			}
		}
		k.step(s)
	}
}

// exits checks where steps continue.
func (a *analysis) exits() {
	begins := map[uint64]string{}
	for _, e := range a.code.Entries {
		begins[e.Addr] = e.Name
	}
	cover := a.cover()
	for i := range a.steps {
		s := &a.steps[i]
		name, end := s.in.Def.Name, s.in.Addr+uint64(s.size)
		if s.falls && s.traits&isa.TraitCall == 0 {
			entry, is := begins[end]
			switch {
			case !a.inside(end) && s.vague:
			case !a.inside(end):
				a.find(a.rule(ruleOffEnd), int32(i), -1, name+": execution runs off the end of the code", "")
			case is && s.next >= 0:
				a.find(a.rule(ruleFallsInto), int32(i), s.next, fmt.Sprintf("%s: execution runs into %s", name, orAddr(entry, end)), "")
			}
		}
		if !s.jumps && !s.names {
			continue
		}
		goes := "goes to"
		if s.names {
			goes = "names"
		}
		if !a.inside(s.target) {
			a.find(a.rule(ruleOutside), int32(i), -1, fmt.Sprintf("%s: %s %#x, where there is no code", name, goes, s.target), "")
		} else if o := cover[(s.target-a.code.Base)/uint64(a.unit)]; o != 0 && s.to != o-1 {
			a.find(a.rule(ruleInto), int32(i), o-1, fmt.Sprintf("%s: %s %#x, into %s at %#x", name, goes, s.target,
				a.steps[o-1].in.Def.Name, a.steps[o-1].in.Addr), "")
		}
	}
	for _, addr := range slices.Sorted(maps.Keys(a.faults)) {
		err := a.faults[addr]
		e := isa.AsError(err)
		r := a.rule(e.Code)
		if r == nil && a.opt.Rules == nil {
			r = a.rule(isa.ErrInvalid)
		}
		a.findAt(r, addr, e.Msg)
	}
}

func orAddr(name string, addr uint64) string {
	if name == "" {
		return fmt.Sprintf("the code at %#x", addr)
	}
	return name
}

// cover returns, for each unit of a step but its first, the step + 1.
func (a *analysis) cover() []int32 {
	c := make([]int32, len(a.at))
	for i := range a.steps {
		s := &a.steps[i]
		first := int(s.in.Addr-a.code.Base) / a.unit
		for u := first + 1; u < first+int(s.size)/a.unit && u < len(c); u++ {
			c[u] = int32(i) + 1
		}
	}
	return c
}
