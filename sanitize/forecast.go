package sanitize

import (
	"cmp"
	"slices"

	"github.com/heddle-gpu/heddle/internal/pass"
	"github.com/heddle-gpu/heddle/ir"
)

// A forecast says what may be outstanding on some path from an entry: all that a run can find is among it. A lane's
// path is all that counts: what lanes elsewhere wait for, or have issued, only ever completes more.
type forecast struct {
	w      *Waits
	of     *waitCode
	code   ir.Code
	entry  ir.Key
	blocks map[ir.Key]*expected
	queue  []*expected // those whose state has changed
	tokens map[ir.ControlKind][]uint64
	busy   map[uint64]bool // by instruction that waits: something that it waits for may be outstanding
	idles  []ir.Key        // blocks that have an instruction that waits for nothing
	issues int             // their numbers
	turns  int             // the same of instructions
	left   int             // how much more is looked at
	// open says that it is not known where the code goes on, early that an instruction may touch a cell before an
	// operation has completed. Then the run has to tell.
	open, early bool
}

// maxExpected is how many instructions are looked at, one with each operation that is outstanding there counted again:
// more count as open.
const maxExpected = 1 << 22

// An expected is a block and the operations that may be outstanding at its start.
type expected struct {
	*ir.Block
	insts   []*inst
	issues  [][]*issue // by instruction and mark; nil: a wait
	next    []ir.Key
	exit    pass.Exit
	state   []held
	reached bool
	queued  bool
}

// An issue is an operation that an instruction issues.
type issue struct {
	number int
	turn   int // of the instruction in its block
	pc     uint64
	stores bool
	*mark
}

// held is an operation that may be outstanding.
type held struct {
	*issue
	age  int  // operations of its queue that were issued later, at least
	many bool // it may be outstanding several times
	done bool // it reads nothing any more
}

// foresee returns what may be outstanding in code that waves enter at a key.
func (x *waitCode) foresee(w *Waits, entry ir.Key) *forecast {
	f := &forecast{w: w, of: x, code: x.Code, entry: entry, blocks: map[ir.Key]*expected{}, tokens: map[ir.ControlKind][]uint64{}, busy: map[uint64]bool{}, left: maxExpected}
	if f.explore(entry); !f.open {
		f.enter(entry, nil)
	}
	for len(f.queue) > 0 && !f.open {
		x := f.queue[len(f.queue)-1]
		f.queue, x.queued = f.queue[:len(f.queue)-1], false
		state := slices.Clone(x.state)
		for i := range x.insts {
			if f.left -= 1 + len(state); f.left < 0 {
				f.open = true
				break
			}
			state = f.step(x, i, state)
		}
		for _, k := range x.next {
			f.enter(k, state)
		}
	}
	for k, x := range f.blocks {
		if !f.open && f.lastIdle(x.Block) >= 0 {
			f.idles = append(f.idles, k)
		}
	}
	f.blocks, f.queue, f.tokens = nil, nil, nil
	return f
}

// explore finds the blocks, and where each goes on.
func (f *forecast) explore(entry ir.Key) {
	var ends []*expected // that go on where a token says
	for work := []ir.Key{entry}; len(work) > 0 && !f.open; {
		k := work[len(work)-1]
		if work = work[:len(work)-1]; f.blocks[k] == nil {
			x := f.look(k)
			if f.open {
				return
			}
			f.blocks[k] = x
			work = append(work, x.next...)
			if t := x.Term(); t.Op == ir.CtlStep && len(tokensOf[ir.ControlKind(t.Alt)]) > 0 {
				ends = append(ends, x)
			}
		}
		if len(work) > 0 {
			continue
		}
		for _, x := range ends { // by the tokens known so far
			for _, kind := range tokensOf[ir.ControlKind(x.Term().Alt)] {
				for _, pc := range f.tokens[kind] {
					if k := (ir.Key{PC: pc, Mode: x.exit.Mode}); !slices.Contains(x.next, k) {
						x.next, work = append(x.next, k), append(work, k)
					}
				}
			}
		}
	}
}

// tokensOf are the steps that push the tokens at which another step may go on.
var tokensOf = map[ir.ControlKind][]ir.ControlKind{
	ir.CtlJoin:   {ir.CtlPush},
	ir.CtlBreak:  {ir.CtlPushBreak},
	ir.CtlReturn: {ir.CtlPushReturn, ir.CtlCall, ir.CtlCallLimited},
}

// look returns a block, what its instructions do, and where lanes may go on after it, but for tokens, which it notes.
func (f *forecast) look(k ir.Key) *expected {
	b, err := f.code.Block(k)
	if f.open = err != nil; f.open {
		return nil
	}
	x := &expected{Block: b, exit: pass.ExitOf(f.code.Machine(), b)}
	if f.left -= len(b.Marks); f.left < 0 || x.exit.Open > pass.OpenStack {
		f.open = true
		return nil
	}
	for _, pc := range x.exit.To {
		x.next = append(x.next, ir.Key{PC: pc, Mode: x.exit.Mode})
	}
	if t := b.Term(); t.Op == ir.CtlStep {
		switch kind := ir.ControlKind(t.Alt); kind {
		case ir.CtlPush, ir.CtlPushBreak, ir.CtlPushReturn: // no lane goes to the target yet
			f.tokens[kind] = append(f.tokens[kind], t.Imm)
			x.next = []ir.Key{{PC: b.Next, Mode: x.exit.Mode}}
		case ir.CtlCall, ir.CtlCallLimited:
			f.tokens[kind] = append(f.tokens[kind], b.Next)
		case ir.CtlQuadOn, ir.CtlQuadPop: // lanes that wait elsewhere run
			f.open = true
		}
	}
	if !b.Serial {
		f.instructions(x)
	}
	return x
}

// instructions finds what the instructions of a block do.
func (f *forecast) instructions(x *expected) {
	c := copyOf(f.code.Machine(), x.Block)
	c.by = definers(x.Block)
	for at := range x.Marks {
		lo, hi := x.MarkOps(at)
		in, _ := c.look(at, lo, hi)
		list := make([]*issue, len(in.marks))
		for i := range in.marks {
			if m := &in.marks[i]; !m.wait {
				list[i] = &issue{f.issues, f.turns, in.pc, in.stores && len(m.writes) == 0, m}
				f.issues++
			}
		}
		f.turns++
		x.insts, x.issues = append(x.insts, in), append(x.issues, list)
	}
}

// enter adds what may be outstanding at the start of a block.
func (f *forecast) enter(k ir.Key, state []held) {
	x := f.blocks[k]
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
	if f.code.Machine().Queues[h.queue].Group {
		return false // the access counts as one to other memory
	}
	for _, t := range in.touches {
		in1 := func(sp ir.Span) bool { return within(sp, t.cell) }
		if slices.ContainsFunc(h.writes, in1) && !(t.writes && inOrder(f.code.Machine(), in, h.queue, t.cell)) || t.writes && !h.done && in.pc != h.pc && slices.ContainsFunc(h.reads, in1) {
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

// wait completes operations as waitCode.wait does. none says that on no path more than those were outstanding that may
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
	}), counted <= m.n && !queues[m.queue].Outside
}

// ended removes the operations that are over, and what others of their instructions do: see operation.endWith.
func ended(state []held, over func(held) bool) []held {
	for _, o := range state {
		if !over(o) || len(o.reads) != 0 {
			continue
		}
		for i := range state {
			if h := &state[i]; h.turn == o.turn && h.queue != o.queue {
				h.done = true
			}
		}
	}
	return slices.DeleteFunc(state, over)
}

// clean reports whether no instruction can touch a cell too early.
func (f *forecast) clean() bool { return f != nil && !f.open && !f.early }

// idle reports whether the instruction at pc waits for nothing.
func (f *forecast) idle(pc uint64) bool {
	busy, waits := f.busy[pc]
	return waits && !busy
}

// lastIdle returns the last mark of a block that waits for nothing, or -1.
func (f *forecast) lastIdle(b *ir.Block) int {
	at := len(b.Marks) - 1
	for at >= 0 && !f.idle(b.Marks[at].PC) {
		at--
	}
	return at
}

// idling is code with a probe of the instructions of a block that wait for nothing, the first time that a wave comes to
// the last of them. Of a wave that faults before that none is told.
type idling struct {
	ir.Code
	f     *forecast
	m     *ir.Machine
	cells map[ir.Key]ir.Cell // by block: whether the wave has been there
}

// idling returns the code with those probes.
func (f *forecast) idling() ir.Code {
	if len(f.idles) == 0 {
		return f.code
	}
	m := *f.code.Machine()
	p := &idling{f.code, f, &m, map[ir.Key]ir.Cell{}}
	for i, k := range f.idles {
		p.cells[k] = ir.Cell{File: uint8(len(m.Files)), Index: uint16(i)}
	}
	m.Files = append(slices.Clone(m.Files), ir.File{Name: "waited", Kind: ir.Wave1, Count: len(f.idles), Observer: true})
	return p
}

// Unwrap returns the code without probes.
func (p *idling) Unwrap() ir.Code { return p.Code }

// Machine returns the machine with the cells.
func (p *idling) Machine() *ir.Machine { return p.m }

// Block returns the block with its probe.
func (p *idling) Block(at ir.Key) (*ir.Block, error) {
	b, err := p.Code.Block(at)
	cell, is := p.cells[at]
	if err != nil || !is {
		return b, err
	}
	last := p.f.lastIdle(b)
	c := copyOf(p.m, b)
	c.by, c.To.Plain = definers(b), b
	for at := range b.Marks {
		c.Begin(at)
		lo, hi := b.MarkOps(at)
		place := hi
		if at == last {
			_, place = c.look(at, lo, hi)
			place = min(place, hi-1)
		}
		for i := lo; i < hi; i++ {
			if i == place {
				p.probe(&c, cell)
			}
			if i == len(b.Ops)-1 { // the terminator
				yes := c.Add(ir.Inst{Op: ir.Const, Type: ir.I1, Imm: 1})
				c.Add(ir.Inst{Op: ir.Set, Type: ir.I1, Cell: cell, Args: []ir.Val{yes}})
			}
			c.Keep(i)
		}
	}
	return c.To, c.Err
}

// probe adds the probe of the block, of a wave that has not been at its end.
func (p *idling) probe(c *copying, cell ir.Cell) {
	t := told{mask: wholeWave}
	for _, m := range c.From.Marks {
		if p.f.idle(m.PC) {
			t.idle = append(t.idle, &inst{of: p.f.of, pc: m.PC})
		}
	}
	been := c.Add(ir.Inst{Op: ir.Get, Type: ir.I1, Cell: cell})
	c.tell(p.f.w, t, c.Op(ir.And, ir.I1, c.executes(), c.Op(ir.Not, ir.I1, been)))
}
