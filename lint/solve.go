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

// states are the states at the starts of blocks, for the blocks of a component at a time: blocks between which no
// control passes do not affect each other.
type states struct {
	in      []*state          // by block; nil: not yet solved, or reported
	of      []int32           // by block: the first of its component; -1: no entry leads to the block
	order   []int32           // the blocks in the order in which they are visited, component by component
	first   []int32           // by component: the begin of its part of order
	left    []int32           // by component: blocks that are not reported
	entries map[int32][]int32 // by block: the entries that begin there
	dirty   []bool            // by block
	w       *walker
	budget  int      // steps left for all components that are not yet solved
	todo    int      // instructions of those components
	spare   []*state // of earlier components
}

// components finds the components of blocks.
func (a *analysis) components() {
	c := &a.states
	n := len(a.blocks)
	c.in, c.of, c.dirty = make([]*state, n), make([]int32, n), make([]bool, n)
	for i := range c.of {
		c.of[i] = int32(i)
	}
	for i := range a.blocks {
		for _, to := range a.blocks[i].succ() {
			x, y := c.root(int32(i)), c.root(to)
			c.of[max(x, y)] = min(x, y)
		}
	}
	c.first, c.left = make([]int32, n+1), make([]int32, n)
	order := a.order()
	for _, b := range order {
		c.left[c.root(b)]++
		c.dirty[b] = true
		c.todo += int(a.blocks[b].n)
	}
	for b := range n {
		c.of[b] = c.root(int32(b))
	}
	for b := range n {
		if !c.dirty[b] {
			c.of[b] = -1
		}
	}
	clear(c.dirty)
	for i, k := range c.left {
		c.first[i+1] = c.first[i] + k
	}
	c.order = make([]int32, len(order))
	at := slices.Clone(c.first)
	for _, b := range order {
		c.order[at[c.of[b]]] = b
		at[c.of[b]]++
	}
	c.w, c.budget = a.newWalker(false), stepsEach*c.todo+1<<20
	c.entries = map[int32][]int32{}
	for i := range a.code.Entries {
		if s := a.stepAt(a.code.Entries[i].Addr); s >= 0 {
			b := a.look(s).block
			c.entries[b] = append(c.entries[b], int32(i))
		}
	}
}

// root returns the first block of a component, as far as it is known.
func (c *states) root(b int32) int32 {
	for c.of[b] != b {
		c.of[b] = c.of[c.of[b]]
		b = c.of[b]
	}
	return b
}

// state returns the state of a block, not reached if it is new.
func (c *states) state(b int32) *state {
	if c.in[b] == nil {
		if n := len(c.spare); n > 0 {
			c.in[b], c.spare = c.spare[n-1], c.spare[:n-1]
			c.in[b].reached = false
		} else {
			c.in[b] = &state{}
		}
	}
	return c.in[b]
}

// stateOf returns the state at the start of a block, nil if no path leads there. It is called once for each block.
func (a *analysis) stateOf(b int32) *state {
	c := &a.states
	root := c.of[b]
	if root < 0 {
		return nil
	}
	if c.left[root] == c.first[root+1]-c.first[root] {
		a.solve(c.order[c.first[root]:c.first[root+1]])
	}
	if c.left[root]--; c.in[b] == nil || !c.in[b].reached {
		return nil
	}
	return c.in[b]
}

// release keeps the memory of the states of a component whose blocks have all been reported.
func (c *states) release(b int32) {
	root := c.of[b]
	if root < 0 || c.left[root] > 0 {
		return
	}
	for _, b := range c.order[c.first[root]:c.first[root+1]] {
		if c.in[b] != nil {
			c.spare = append(c.spare, c.in[b])
			c.in[b] = nil
		}
	}
}

// solve computes the states at the starts of the blocks of a component. Every round visits the blocks whose state has
// changed, in order; it takes as many rounds as loops are nested, and a few more. A component whose paths need more
// steps than its budget is reported as tangled, with the findings up to then.
func (a *analysis) solve(order []int32) {
	c := &a.states
	budget := a.budget(order)
	c.budget -= budget
	defer func() { c.budget += max(budget, 0) }()
	for _, b := range order {
		for _, i := range c.entries[b] {
			c.state(b).meet(a.begin(&a.code.Entries[i]))
			c.dirty[b] = true
		}
	}
	w := c.w
	for more := true; more; {
		more = false
		for _, b := range order {
			if !c.dirty[b] {
				continue
			}
			c.dirty[b] = false
			w.st.copyFrom(c.state(b))
			w.block(&a.blocks[b])
			// The cost of lists grows with them.
			if budget -= int(a.blocks[b].n) + len(w.st.pending) + len(w.st.recent) + len(w.st.dropped); budget < 0 {
				a.saysTangled(order)
				return
			}
			for _, s := range a.blocks[b].succ() {
				if c.state(s).meet(&w.st) {
					c.dirty[s], more = true, true
				}
			}
		}
	}
}

// stepsEach is the number of steps for each instruction that every component may take.
const stepsEach = 64

// budget returns the number of steps that the next component may take: those for its instructions, and half of what
// other components will not need, so that none takes the steps of all others; the last one may take them all.
func (a *analysis) budget(order []int32) int {
	c := &a.states
	n := 0
	for _, b := range order {
		n += int(a.blocks[b].n)
	}
	own := stepsEach * n
	free := c.budget - stepsEach*c.todo
	if c.todo -= n; c.todo > 0 {
		free /= 2
	}
	return own + free
}

// saysTangled reports a component for which no fixed point was found in time.
func (a *analysis) saysTangled(order []int32) {
	n, first := 0, a.look(a.blocks[order[0]].first).addr
	for _, i := range order {
		b := &a.blocks[i]
		b.tangled, n, first = true, n+int(b.n), min(first, a.look(b.first).addr)
	}
	a.findAt(a.rule(ruleTangle), first, fmt.Sprintf("the paths of %d instructions are too tangled to follow them all", n))
}

func (w *walker) block(b *block) {
	w.group, w.loose = false, b.tangled
	i := b.first
	for range b.n {
		w.step(i)
		i = w.next(i)
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
			if succ := a.blocks[f.b].succ(); f.next < len(succ) {
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
			visit(a.look(i).block)
		}
	}
	slices.Reverse(order)
	return order
}

// report walks all blocks once more and adds findings.
func (a *analysis) report() {
	w, k := a.newWalker(true), a.newConsts()
	a.group = map[int32]uint64{}
	a.components()
	for i := range a.blocks {
		st := a.stateOf(int32(i))
		if st != nil {
			a.blocks[i].reached = true
			w.st.copyFrom(st)
			w.block(&a.blocks[i])
			if w.group && a.flow.Group != nil {
				a.groups(k, &a.blocks[i])
			}
		}
		a.states.release(int32(i))
	}
	a.states = states{}
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
	k.begin()
	for j, n := b.first, b.n; n > 0; j, n = a.next(j), n-1 {
		s := a.look(j)
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
	for i := range int32(a.count) {
		s := a.look(i)
		name, end := s.in.Def.Name, s.addr+uint64(s.size)
		if s.falls && s.traits&isa.TraitCall == 0 {
			entry, is := begins[end]
			switch {
			case !a.inside(end) && s.vague:
			case !a.inside(end):
				a.find(a.rule(ruleOffEnd), i, -1, name+": execution runs off the end of the code", "")
			case is && a.after(s) >= 0:
				a.find(a.rule(ruleFallsInto), i, a.after(s), fmt.Sprintf("%s: execution runs into %s", name, orAddr(entry, end)), "")
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
			a.find(a.rule(ruleOutside), i, -1, fmt.Sprintf("%s: %s %#x, where there is no code", name, goes, s.target), "")
		} else if o := cover[(s.target-a.code.Base)/uint64(a.unit)]; o != 0 && a.to(s) != o-1 {
			a.find(a.rule(ruleInto), i, o-1, fmt.Sprintf("%s: %s %#x, into %s at %#x", name, goes, s.target,
				a.look(o-1).in.Def.Name, a.look(o-1).addr), "")
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
	for i := range int32(a.count) {
		s := a.look(i)
		first := int(s.addr-a.code.Base) / a.unit
		for u := first + 1; u < first+int(s.size)/a.unit && u < len(c); u++ {
			c[u] = i + 1
		}
	}
	return c
}
