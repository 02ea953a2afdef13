package lint

import (
	"slices"

	"github.com/heddle-gpu/heddle/internal/pass"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// A step is a reachable instruction.
type step struct {
	in     isa.Inst // the leading part of the bundle, with the address of the bundle
	size   int32    // bytes of the bundle
	traits isa.Traits
	reads  piece // of analysis.spans
	writes piece
	some   piece // of analysis.spans: some of them are written
	marks  piece // of analysis.marks
	kept   piece // of analysis.spans: a part of each is written
	drops  piece // of analysis.spans
	nest   isa.Nesting

	falls  bool   // control may continue at the next instruction
	jumps  bool   // control may continue at target
	open   bool   // control may continue at an unknown address
	vague  bool   // it is unknown whether control continues
	names  bool   // other lanes continue at target, or later
	target uint64 // guest address
	next   int32  // the next step, if falls; -1: there is none
	to     int32  // the step at target; -1: there is none
	leads  bool   // it is reached from elsewhere than the previous step: it begins a block
	block  int32
	ctl    ir.ControlKind // its control stack operation; 0: none
	parts  bool           // only the lanes of a condition take it

	computed bool // target is an address that the block computes from constants
}

// A piece is a range of one of the lists of an analysis.
type piece struct{ lo, hi int32 }

// A mark is an operation that is issued, or a wait for operations.
type mark struct {
	queue         int
	wait          bool
	n             int // of a wait: how many may stay outstanding
	writes, reads piece
}

// A block is a basic block of steps.
type block struct {
	first int32
	n     int32
	succ  []int32
	entry []int32 // entries that begin here
}

// stepAt returns the step that begins at an address, or -1.
func (a *analysis) stepAt(addr uint64) int32 {
	off := addr - a.code.Base
	if addr < a.code.Base || off >= uint64(len(a.code.Bytes)) || off%uint64(a.unit) != 0 {
		return -1
	}
	return a.at[off/uint64(a.unit)] - 1
}

// inside reports whether an address can be that of an instruction.
func (a *analysis) inside(addr uint64) bool {
	off := addr - a.code.Base
	return addr >= a.code.Base && off < uint64(len(a.code.Bytes)) && off%uint64(a.unit) == 0
}

// maxRounds limits how often computed addresses lead to more code with computed addresses.
const maxRounds = 8

// explore follows control from the entries, and from addresses that blocks compute from constants.
func (a *analysis) explore() {
	var todo []uint64
	for _, e := range a.code.Entries {
		todo = append(todo, e.Addr)
		if e.Function {
			a.rep.Functions++
		} else {
			a.rep.Kernels++
		}
	}
	for range maxRounds {
		a.walk(todo)
		if a.code.Guess {
			a.guess()
		}
		a.link()
		if todo = a.computed(); len(todo) == 0 {
			break
		}
	}
	a.link()
	if a.m.Control == ir.MaskStack {
		a.followStack()
		a.link() // breaking threads have a target
	}
	a.rep.Reached = len(a.steps)
}

// walk decodes all code reachable from the addresses.
func (a *analysis) walk(todo []uint64) {
	for len(todo) > 0 {
		pc := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for a.inside(pc) && a.stepAt(pc) < 0 {
			if a.faults[pc] != nil {
				break
			}
			if err := a.decode(pc); err != nil {
				a.faults[pc] = err
				break
			}
			s := a.newStep()
			if s.jumps || s.names {
				todo = append(todo, s.target)
			}
			a.at[(pc-a.code.Base)/uint64(a.unit)] = int32(len(a.steps)) + 1
			a.steps = append(a.steps, s)
			if !s.falls {
				break
			}
			pc += uint64(s.size)
		}
	}
}

// guess makes unreachable code an entry, from the first byte to the last.
func (a *analysis) guess() {
	for off := 0; off < len(a.code.Bytes); {
		addr := a.code.Base + uint64(off)
		if i := a.stepAt(addr); i >= 0 {
			off += int(a.steps[i].size)
			continue
		}
		if a.faults[addr] != nil || a.decode(addr) != nil {
			off += a.unit
			continue
		}
		size := a.bundle.Size()
		if a.padding(a.code.Bytes[off : off+size]) {
			off += size
			continue
		}
		a.enter(Entry{Addr: addr, Grows: true, guessed: true})
		a.rep.Kernels++
		a.walk([]uint64{addr})
	}
}

// newStep returns the step of the bundle that was decoded last.
func (a *analysis) newStep() (s step) {
	b := &a.bundle
	lead := &b.Parts[0]
	if a.flow.Lead != nil {
		lead = a.flow.Lead(b)
	}
	s = step{in: *lead, size: int32(b.Size()), falls: true, next: -1, to: -1, block: -1}
	s.in.Addr = b.Addr()
	for i := range b.Parts {
		s.traits |= a.traitsOf(&b.Parts[i])
	}
	a.touches(&s)
	lo := len(a.marks)
	switch {
	case s.traits&isa.TraitGoes != 0:
		g := a.flow.Goes(b)
		s.falls, s.jumps, s.open, s.vague, s.target = g.Falls, g.Jumps, g.Open, g.Vague, g.Target
	case s.traits&isa.TraitControl != 0:
		a.control(&s)
	case s.traits&isa.TraitEnd != 0:
		s.falls = false
	}
	if a.flow.Nest != nil {
		s.nest = a.flow.Nest(a.t, b)
	}
	s.kept = a.keep(a.touched.Kept)
	if a.flow.Drops != nil {
		s.drops = a.keep(a.flow.Drops(lead, nil))
	}
	if a.flow.Pending != nil {
		a.ops = a.flow.Pending(lead, &a.touched, a.ops[:0])
		for i := range a.ops {
			if o := &a.ops[i]; o.Wait {
				a.marks = append(a.marks, mark{queue: o.Queue, wait: true})
			} else {
				a.issue(o.Queue, o.Writes, o.Reads)
			}
		}
	}
	s.marks = piece{int32(lo), int32(len(a.marks))}
	return s
}

// touches finds the cells that the bundle touches.
func (a *analysis) touches(s *step) {
	b := &a.bundle
	if a.flow.Touches != nil {
		a.touched.Begin(b)
		a.flow.Touches(a.t, b, &a.touched)
		s.reads, s.writes, s.some = a.keep(a.touched.Reads), a.keep(a.touched.Writes), a.keep(a.touched.Perhaps)
		return
	}
	r, w := len(a.spans), 0
	for i := range b.Parts {
		a.touched.Of(&b.Parts[i])
		a.spans = append(a.spans, a.touched.Reads...)
	}
	w = len(a.spans)
	for i := range b.Parts {
		if len(b.Parts) > 1 {
			a.touched.Of(&b.Parts[i])
		}
		a.spans = append(a.spans, a.touched.Writes...)
	}
	a.touched.Bundle = b
	s.reads, s.writes = piece{int32(r), int32(w)}, piece{int32(w), int32(len(a.spans))}
}

// traitsOf returns the traits of an instruction's row and its own.
func (a *analysis) traitsOf(in *isa.Inst) isa.Traits {
	t := a.traits[in.Def.ID]
	if a.flow.More != nil {
		t |= a.flow.More(in, t)
	}
	return t
}

func (a *analysis) issue(queue int, writes, reads []ir.Span) {
	a.marks = append(a.marks, mark{queue: queue, writes: a.keep(writes), reads: a.keep(reads)})
}

func (a *analysis) keep(spans []ir.Span) piece {
	lo := len(a.spans)
	a.spans = append(a.spans, spans...)
	return piece{int32(lo), int32(len(a.spans))}
}

// control computes from the lift where control continues after a step, and what it waits for. For a row that cannot
// be lifted, its traits and Arch.Branch are used.
func (a *analysis) control(s *step) {
	b := &a.bundle
	blk := a.t.LiftOne(b, 0)
	for i := range blk.Ops {
		op := &blk.Ops[i]
		switch op.Op {
		case ir.Wait:
			a.marks = append(a.marks, mark{queue: int(op.Imm), wait: true, n: int(op.Alt)})
		case ir.Issue:
			if a.flow.Pending == nil {
				w, r := blk.Touched(op)
				a.issue(int(op.Imm), w, r)
			}
		}
	}
	if blk.Term().Op == ir.Trap { // a trap handler may return
		a.unlifted(s)
		return
	}
	if a.m.Control == ir.MaskStack && a.stackStep(s, blk) {
		return
	}
	next := b.Addr() + uint64(s.size)
	e := pass.ExitOf(a.m, blk)
	s.falls, s.open = false, e.Open != pass.Closed && e.Open != pass.OpenMode
	if e.Open == pass.OpenMode {
		s.falls = true // the target is known; the mode does not matter here
	}
	for _, pc := range e.To {
		if pc == next {
			s.falls = true
		} else {
			s.jumps, s.target = true, pc
		}
	}
	if s.traits&isa.TraitCall != 0 {
		s.falls = true
	}
}

// unlifted handles a step whose row has no semantics.
func (a *analysis) unlifted(s *step) {
	s.falls, s.vague = s.traits&isa.TraitEnd == 0, true
	for i := range a.bundle.Parts {
		if a.t.Branch == nil {
			break
		}
		if pc, ok := a.t.Branch(&a.bundle, i); ok {
			s.jumps, s.target = true, pc
		}
	}
}

// link finds the neighbours of steps and makes blocks.
func (a *analysis) link() {
	for i := range a.steps {
		a.steps[i].leads = false
	}
	for _, e := range a.code.Entries {
		if i := a.stepAt(e.Addr); i >= 0 {
			a.steps[i].leads = true
		}
	}
	preds := make([]uint8, len(a.steps)) // steps that fall through to it: two, if bytes are decoded in two ways
	for i := range a.steps {
		s := &a.steps[i]
		s.next, s.to = -1, -1
		if s.falls {
			s.next = a.stepAt(s.in.Addr + uint64(s.size))
		}
		if s.jumps {
			s.to = a.stepAt(s.target)
		}
		if s.to >= 0 {
			a.steps[s.to].leads = true
		}
		if s.next >= 0 {
			preds[s.next] = min(preds[s.next]+1, 2)
			n := &a.steps[s.next]
			n.leads = n.leads || preds[s.next] > 1 || !s.inline()
		}
	}
	a.makeBlocks(preds)
}

// inline reports whether only the next step follows a step.
func (s *step) inline() bool { return s.falls && !s.jumps && (!s.open || s.traits&isa.TraitCall != 0) }

func (a *analysis) makeBlocks(preds []uint8) {
	a.blocks = a.blocks[:0]
	for i := range a.steps {
		if a.steps[i].leads || preds[i] == 0 {
			b := block{first: int32(i)}
			for j := int32(i); ; {
				s := &a.steps[j]
				s.block = int32(len(a.blocks))
				b.n++
				if !s.inline() || s.next < 0 || a.steps[s.next].leads {
					break
				}
				j = s.next
			}
			a.blocks = append(a.blocks, b)
		}
	}
	for i := range a.blocks {
		b := &a.blocks[i]
		s := &a.steps[a.last(b)]
		for _, j := range []int32{s.next, s.to} {
			if j >= 0 {
				b.succ = append(b.succ, a.steps[j].block)
			}
		}
		slices.Sort(b.succ)
		b.succ = slices.Compact(b.succ)
	}
	for i, e := range a.code.Entries {
		if s := a.stepAt(e.Addr); s >= 0 {
			b := &a.blocks[a.steps[s].block]
			b.entry = append(b.entry, int32(i))
		}
	}
}

// last returns the last step of a block.
func (a *analysis) last(b *block) int32 {
	i := b.first
	for range b.n - 1 {
		i = a.steps[i].next
	}
	return i
}
