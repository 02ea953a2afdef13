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

// states are the states at the starts of blocks that are reached and not yet reported.
type states struct {
	in      []*state          // by block; nil: not yet reached, or reported
	entries map[int32][]int32 // by block: the entries that begin there
	work    *worklist         // blocks of the present loop
	spare   []*state          // of blocks that are reported
}

func (a *analysis) newStates() *states {
	n := len(a.blocks)
	c := &states{in: make([]*state, n), work: a.newWorklist(), entries: map[int32][]int32{}}
	for i := range a.code.Entries {
		if s := a.stepAt(a.code.Entries[i].Addr); s >= 0 {
			b := a.blockOf(s)
			c.entries[b] = append(c.entries[b], int32(i))
		}
	}
	return c
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

// release keeps the memory of the state of a block that has been reported.
func (c *states) release(b int32) {
	if c.in[b] != nil {
		c.spare = append(c.spare, c.in[b])
		c.in[b] = nil
	}
}

// report walks all blocks and adds findings. Blocks come before their successors, so the state at the start of a block
// that is in no loop is known when it is reached. Loops are solved first.
func (a *analysis) report() {
	a.findOrder()
	w, k, c := a.newWalker(true), a.newConsts(), a.newStates()
	a.group = map[int32]uint64{}
	p := a.newPurse(a.count)
	for loop := range a.loops() {
		for _, b := range loop {
			for _, i := range c.entries[b] {
				c.state(b).meet(a.begin(&a.code.Entries[i]))
			}
		}
		n := a.size(loop)
		if steps := p.take(n); a.repeats(loop) {
			w.says = false
			steps = a.solve(w, c, loop, steps)
			w.says = true
			p.giveBack(steps)
		} else {
			p.giveBack(steps - n)
		}
		a.spreads(loop)
		for _, b := range loop {
			a.reportBlock(w, k, c, b)
		}
		for _, b := range loop {
			c.release(b)
		}
	}
	a.exits()
	a.limits()
	if r := a.rule(isa.RuleBarrier); r != nil && a.stack != nil {
		a.stack.barriers(r)
	}
	a.orders()
	a.diverges()
	a.reconverges()
	a.nests()
}

// spreads marks all blocks of a loop as tangled if one is, and those that follow: what it lacks, they lack.
func (a *analysis) spreads(loop []int32) {
	if !slices.ContainsFunc(loop, func(b int32) bool { return a.blocks[b].tangled }) {
		return
	}
	for _, b := range loop {
		a.blocks[b].tangled = true
		for _, to := range a.blocks[b].succ() {
			a.blocks[to].tangled = true
		}
	}
}

// reportBlock adds the findings about a block, whose state is known.
func (a *analysis) reportBlock(w *walker, k *consts, c *states, at int32) {
	b := &a.blocks[at]
	if c.in[at] == nil || !c.in[at].reached {
		return
	}
	b.reached = true
	w.st.copyFrom(c.in[at])
	w.block(b)
	if w.group && a.flow.Group != nil {
		a.groups(k, b)
	}
	for _, to := range b.succ() {
		if !a.blocks[to].reached {
			c.state(to).meet(&w.st)
		}
	}
}

// size returns the number of instructions of blocks.
func (a *analysis) size(blocks []int32) (n int) {
	for _, b := range blocks {
		n += int(a.blocks[b].n)
	}
	return n
}

// solve computes the states at the starts of the blocks of a loop. Every round visits the blocks whose state has
// changed, in order; it takes as many rounds as loops are nested, and a few more. A loop whose paths need more steps
// than its budget is reported as tangled, with the findings up to then. It returns the steps left.
func (a *analysis) solve(w *walker, c *states, loop []int32, budget int) int {
	first := a.position[loop[0]]
	for _, b := range loop {
		if c.in[b] != nil && c.in[b].reached {
			c.work.add(b)
		}
	}
	for b := c.work.take(); b >= 0; b = c.work.take() {
		w.st.copyFrom(c.state(b))
		remade := a.remade
		w.block(&a.blocks[b])
		// The cost of lists grows with them.
		budget -= int(a.blocks[b].n) + a.remade - remade + len(w.st.pending) + len(w.st.recent) + len(w.st.dropped)
		if budget < 0 {
			c.work.clear()
			a.saysTangled(loop)
			return 0
		}
		for _, s := range a.blocks[b].succ() {
			if at := a.position[s] - first; at >= 0 && int(at) < len(loop) && c.state(s).meet(&w.st) {
				c.work.add(s)
			}
		}
	}
	return budget
}

// An analysis may take stepsEach steps for each instruction of every part of the code, and stepsMore altogether.
const (
	stepsEach = 64
	stepsMore = 1 << 20
)

// A purse has the steps that an analysis may take for all parts of the code, so that no part takes those of others.
type purse struct {
	each int
	left int
	todo int // instructions of parts that have not taken any
}

// newPurse returns the steps for parts of n instructions together.
func (a *analysis) newPurse(n int) purse {
	return purse{each: a.each, left: a.each*n + a.free, todo: n}
}

// take returns the number of steps for the next part, of n instructions: those for its instructions, and half of what
// other parts will not need; the last part may take them all.
func (p *purse) take(n int) int {
	steps := p.each * n
	free := p.left - p.each*p.todo
	if p.todo -= n; p.todo > 0 {
		free /= 2
	}
	steps += max(free, 0)
	p.left -= steps
	return steps
}

// giveBack returns steps that a part has not needed.
func (p *purse) giveBack(steps int) { p.left += max(steps, 0) }

// saysTangled reports a loop for which no fixed point was found in time.
func (a *analysis) saysTangled(order []int32) {
	first := a.addr(a.place(a.blocks[order[0]].first))
	for _, i := range order {
		b := &a.blocks[i]
		b.tangled, first = true, min(first, a.addr(a.place(b.first)))
	}
	a.findAt(a.rule(ruleTangle), first, fmt.Sprintf("the paths of %d instructions are too tangled to follow them all", a.size(order)))
}

func (w *walker) block(b *block) {
	w.group, w.loose, w.excused = false, b.tangled, w.excused[:0]
	i := b.first
	for range b.n {
		w.step(i)
		i = w.next(i)
	}
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
	for i := range int32(a.count) {
		p := a.place(i)
		if p.flags&(flagFalls|flagCall) == flagFalls {
			a.runsInto(i, begins)
		}
		if p.flags&(flagJumps|flagNames) != 0 {
			a.goesTo(i)
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

// runsInto checks what follows a step in memory.
func (a *analysis) runsInto(i int32, begins map[uint64]string) {
	p := a.place(i)
	end := a.addr(p) + uint64(p.size)
	if !a.inside(end) {
		if p.flags&flagVague == 0 {
			a.find(a.rule(ruleOffEnd), i, -1, a.look(i).in.Def.Name+": execution runs off the end of the code", "")
		}
		return
	}
	next := a.after(i)
	if next < 0 || *a.flags(next)&flagLeads == 0 {
		return
	}
	if entry, is := begins[end]; is {
		a.find(a.rule(ruleFallsInto), i, next, fmt.Sprintf("%s: execution runs into %s", a.look(i).in.Def.Name, orAddr(entry, end)), "")
	}
}

// goesTo checks the target of a step.
func (a *analysis) goesTo(i int32) {
	p := a.place(i)
	target, goes := a.target(p), "goes to"
	if p.flags&flagNames != 0 {
		goes = "names"
	}
	if !a.inside(target) {
		a.find(a.rule(ruleOutside), i, -1, fmt.Sprintf("%s: %s %#x, where there is no code", a.look(i).in.Def.Name, goes, target), "")
	} else if o := a.covering(target); o >= 0 && a.to(i) != o {
		a.find(a.rule(ruleInto), i, o, fmt.Sprintf("%s: %s %#x, into %s at %#x", a.look(i).in.Def.Name, goes, target,
			a.look(o).in.Def.Name, a.look(o).addr), "")
	}
}

func orAddr(name string, addr uint64) string {
	if name == "" {
		return fmt.Sprintf("the code at %#x", addr)
	}
	return name
}

// covering returns the step, the last one found, of which an address is in the middle, or -1.
func (a *analysis) covering(addr uint64) int32 {
	at, found := int(addr-a.code.Base)/a.unit, int32(-1)
	for back := 1; back <= min(at, a.longest/a.unit); back++ {
		if i := a.at[at-back] - 1; i > found && int(a.place(i).size)/a.unit > back {
			found = i
		}
	}
	return found
}
