package sanitize

import (
	"cmp"
	"slices"

	"github.com/heddle-gpu/heddle/ir"
)

// A forecast says what may be outstanding on some path from an entry: all that a run can find is among it. A lane's
// path is all that counts: what lanes elsewhere wait for, or have issued, only ever completes more.
type forecast struct {
	w      *Waits
	code   ir.Code
	entry  ir.Key
	blocks map[uint64]*expected // by address: what blocks issue and wait for does not depend on the mode
	queue  []*expected          // those whose state has changed
	tokens map[ir.ControlKind][]uint64
	busy   map[uint64]bool // by instruction that waits: something that it waits for may be outstanding
	issues int
	// open says that it is not known where the code goes on, early that an instruction may touch a cell before an
	// operation has completed. Then the run has to tell.
	open, early bool
}

// maxExpected is how many blocks are looked at: more count as open.
const maxExpected = 1 << 14

// An expected is a block and the operations that may be outstanding at its start.
type expected struct {
	*ir.Block
	insts   []*inst
	issues  [][]*issue // by instruction and mark; nil: a wait
	next    []uint64
	state   []held
	reached bool
	queued  bool
}

// An issue is an operation that an instruction issues.
type issue struct {
	number int
	pc     uint64
	stores bool
	*mark
}

// held is an operation that may be outstanding.
type held struct {
	*issue
	age  int  // operations of its queue that were issued later, at least
	many bool // it may be outstanding several times
	done bool // it reads and writes nothing any more
}

// foresee returns what may be outstanding in code that waves enter at a key.
func (w *Waits) foresee(code ir.Code, entry ir.Key) *forecast {
	f := &forecast{w: w, code: code, entry: entry, blocks: map[uint64]*expected{}, tokens: map[ir.ControlKind][]uint64{}, busy: map[uint64]bool{}}
	if f.explore(entry); f.open {
		return f
	}
	f.enter(entry.PC, nil)
	for len(f.queue) > 0 {
		x := f.queue[len(f.queue)-1]
		f.queue, x.queued = f.queue[:len(f.queue)-1], false
		state := slices.Clone(x.state)
		for i := range x.insts {
			state = f.step(x, i, state)
		}
		for _, pc := range x.next {
			f.enter(pc, state)
		}
	}
	return f
}

// explore finds the blocks, and where each goes on.
func (f *forecast) explore(entry ir.Key) {
	var ends []*expected // that go on where a token says
	for work := []ir.Key{entry}; len(work) > 0 && !f.open; {
		k := work[len(work)-1]
		if work = work[:len(work)-1]; f.blocks[k.PC] != nil {
			continue
		}
		b, err := f.code.Block(k)
		if f.open = err != nil || len(f.blocks) == maxExpected; f.open {
			return
		}
		x := &expected{Block: b}
		f.blocks[k.PC] = x
		f.look(x)
		x.next, f.open = f.leads(b)
		if t := b.Term(); t.Op == ir.CtlStep && len(tokensOf[ir.ControlKind(t.Alt)]) > 0 {
			ends = append(ends, x)
		}
		for _, pc := range x.next {
			work = append(work, ir.Key{PC: pc, Mode: k.Mode})
		}
	}
	for _, x := range ends {
		for _, k := range tokensOf[ir.ControlKind(x.Term().Alt)] {
			x.next = append(x.next, f.tokens[k]...)
		}
	}
}

// tokensOf are the steps that push the tokens at which another step may go on.
var tokensOf = map[ir.ControlKind][]ir.ControlKind{
	ir.CtlJoin:   {ir.CtlPush},
	ir.CtlBreak:  {ir.CtlPushBreak},
	ir.CtlReturn: {ir.CtlPushReturn, ir.CtlCall, ir.CtlCallLimited},
}

// leads returns where lanes may go on after a block, but for tokens, which it notes. open says that there is more.
func (f *forecast) leads(b *ir.Block) (next []uint64, open bool) {
	switch t := b.Term(); t.Op {
	case ir.Jump, ir.Barrier, ir.Retire:
		return []uint64{t.Imm}, false
	case ir.Branch:
		return []uint64{t.Imm, t.Alt}, false
	case ir.CtlStep:
		k := ir.ControlKind(t.Alt)
		switch k {
		case ir.CtlPush, ir.CtlPushBreak, ir.CtlPushReturn:
			f.tokens[k] = append(f.tokens[k], t.Imm)
		case ir.CtlCall, ir.CtlCallLimited:
			f.tokens[k] = append(f.tokens[k], b.Next)
		}
		if next = []uint64{b.Next}; k.HasTarget() {
			next = append(next, t.Imm)
		}
		return next, k == ir.CtlQuadOn || k == ir.CtlQuadPop // lanes that wait elsewhere run
	case ir.End, ir.Trap:
		return nil, false
	}
	return nil, true
}

// look finds what the instructions of a block do.
func (f *forecast) look(x *expected) {
	if x.Serial {
		return
	}
	c := copyOf(f.code.Machine(), x.Block)
	c.by = definers(x.Block)
	for at := range x.Marks {
		lo, hi := x.MarkOps(at)
		in, _ := c.look(at, lo, hi)
		list := make([]*issue, len(in.marks))
		for i := range in.marks {
			if m := &in.marks[i]; !m.wait {
				list[i] = &issue{f.issues, in.pc, in.stores && len(m.writes) == 0, m}
				f.issues++
			}
		}
		x.insts, x.issues = append(x.insts, in), append(x.issues, list)
	}
}

// enter adds what may be outstanding at the start of a block.
func (f *forecast) enter(pc uint64, state []held) {
	x := f.blocks[pc]
	changed := !x.reached
	x.reached = true
	for _, h := range state {
		i, is := slices.BinarySearchFunc(x.state, h, func(a, b held) int { return cmp.Compare(a.number, b.number) })
		if !is {
			x.state, changed = slices.Insert(x.state, i, h), true
			continue
		}
		was := x.state[i]
		x.state[i] = held{h.issue, min(was.age, h.age), was.many || h.many, was.done && h.done}
		changed = changed || x.state[i] != was
	}
	if changed && !x.queued {
		x.queued, f.queue = true, append(f.queue, x)
	}
}

// step advances the operations over instruction i of a block.
func (f *forecast) step(x *expected, i int, state []held) []held {
	in := x.insts[i]
	f.early = f.early || slices.ContainsFunc(state, func(h held) bool { return f.touches(in, h) })
	none, waits := true, false
	for k := range in.marks {
		m := &in.marks[k]
		if m.wait {
			var idle bool
			state, idle = f.wait(m, state)
			none, waits = none && idle, true
			continue
		}
		state = f.issue(x.issues[i][k], state)
	}
	if waits {
		f.busy[in.pc] = f.busy[in.pc] || !none // it may be in several blocks
	}
	if in.barrier {
		f.early = f.early || slices.ContainsFunc(state, func(h held) bool { return h.stores })
	}
	return state
}

// touches reports whether an instruction may touch a cell before an operation has.
func (f *forecast) touches(in *inst, h held) bool {
	if h.done {
		return false
	}
	for _, t := range in.touches {
		in1 := func(sp ir.Span) bool { return within(sp, t.cell) }
		if slices.ContainsFunc(h.writes, in1) && !(t.writes && inOrder(f.code.Machine(), in, h.queue, t.cell)) || t.writes && in.pc != h.pc && slices.ContainsFunc(h.reads, in1) {
			return true
		}
	}
	return false
}

// issue adds an operation.
func (f *forecast) issue(n *issue, state []held) []held {
	q := &f.code.Machine().Queues[n.queue]
	over := func(h held) bool { return false }
	if !q.Unordered {
		for i := range state {
			if h := &state[i]; h.queue == n.queue {
				h.age++
			}
		}
		over = func(h held) bool { return h.queue == n.queue && h.age >= q.Max }
	}
	state = ended(state, over)
	i, is := slices.BinarySearchFunc(state, n.number, func(h held, number int) int { return cmp.Compare(h.number, number) })
	if !is {
		return slices.Insert(state, i, held{issue: n})
	}
	state[i] = held{issue: n, many: true}
	return state
}

// wait completes operations as Waits.wait does. none says that on no path more than those were outstanding that may
// stay.
func (f *forecast) wait(m *mark, state []held) (left []held, none bool) {
	queues := f.code.Machine().Queues
	counted := 0
	for _, h := range state {
		if !counts(queues, h.queue, m.queue) {
			continue
		}
		if counted++; h.many {
			counted = m.n + 1
			break
		}
	}
	return ended(state, func(h held) bool {
		return counts(queues, h.queue, m.queue) && (m.n == 0 || !queues[h.queue].Unordered && h.age >= m.n)
	}), counted <= m.n
}

// ended removes the operations that are over, and what others of their instructions do: see operation.endWith.
func ended(state []held, over func(held) bool) []held {
	for _, o := range state {
		if !over(o) || len(o.reads) != 0 {
			continue
		}
		for i := range state {
			if h := &state[i]; h.pc == o.pc && h.queue != o.queue {
				h.done = true
			}
		}
	}
	return slices.DeleteFunc(state, over)
}

// mayWait reports whether something that the instruction at pc waits for may be outstanding on some path: not if paths
// are unknown.
func (f *forecast) mayWait(pc uint64) bool {
	return f != nil && !f.open && f.busy[pc]
}

// clean reports whether no instruction can touch a cell too early.
func (f *forecast) clean() bool { return f != nil && !f.open && !f.early }

// idling is code with a probe of the instructions of a block that wait for nothing, the first time that a wave comes to
// the last of them.
type idling struct {
	ir.Code
	w     *Waits
	m     *ir.Machine
	busy  map[uint64]bool    // of the forecast
	cells map[uint64]ir.Cell // by the address of the block: whether the wave has been there
}

// idling returns the code with those probes.
func (f *forecast) idling() ir.Code {
	p := &idling{f.code, f.w, nil, f.busy, map[uint64]ir.Cell{}}
	m := *f.code.Machine()
	for pc, x := range f.blocks {
		if p.last(x.Block) >= 0 {
			p.cells[pc] = ir.Cell{File: uint8(len(m.Files)), Index: uint16(len(p.cells))}
		}
	}
	if len(p.cells) == 0 {
		return f.code
	}
	m.Files = append(slices.Clone(m.Files), ir.File{Name: "waited", Kind: ir.Wave1, Count: len(p.cells)})
	p.m = &m
	return p
}

// idle reports whether the instruction at pc waits for nothing.
func (p *idling) idle(pc uint64) bool {
	busy, waits := p.busy[pc]
	return waits && !busy
}

// last returns the last mark of a block that waits for nothing, or -1.
func (p *idling) last(b *ir.Block) int {
	at := len(b.Marks) - 1
	for at >= 0 && !p.idle(b.Marks[at].PC) {
		at--
	}
	return at
}

// Unwrap returns the code without probes.
func (p *idling) Unwrap() ir.Code { return p.Code }

// Machine returns the machine with the cells.
func (p *idling) Machine() *ir.Machine { return p.m }

// Block returns the block with its probe.
func (p *idling) Block(at ir.Key) (*ir.Block, error) {
	b, err := p.Code.Block(at)
	if err != nil {
		return nil, err
	}
	cell, is := p.cells[at.PC]
	last := p.last(b)
	if !is || last < 0 {
		return b, nil
	}
	c := reloader{copying: copyOf(p.m, b)}
	c.by = definers(b)
	for at := range b.Marks {
		c.begin(at)
		lo, hi := b.MarkOps(at)
		_, place := c.look(at, lo, hi)
		for i := lo; i < hi; i++ {
			if at == last && i == place {
				p.probe(&c, cell)
			}
			c.copy(i)
		}
	}
	return c.n, c.err
}

// probe adds the probe of the block.
func (p *idling) probe(c *reloader, cell ir.Cell) {
	t := told{mask: wholeWave}
	for _, m := range c.from.Marks {
		if p.idle(m.PC) {
			t.idle = append(t.idle, &inst{pc: m.PC})
		}
	}
	been, yes := c.put(ir.Inst{Op: ir.Get, Type: ir.I1, Cell: cell}), c.put(ir.Inst{Op: ir.Const, Type: ir.I1, Imm: 1})
	lanes := c.op(ir.And, ir.I1, c.put(c.executes()), c.op(ir.Xor, ir.I1, been, yes))
	c.put(ir.Inst{Op: ir.Probe, Imm: p.w.add(t), Args: []ir.Val{lanes}})
	c.put(ir.Inst{Op: ir.Set, Type: ir.I1, Cell: cell, Args: []ir.Val{yes}})
}
