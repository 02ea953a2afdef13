package lint

import (
	"bytes"
	"hash/maphash"

	"github.com/heddle-gpu/heddle/internal/pass"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// A step is a reachable instruction. Millions are kept, so what equal instructions have in common is apart.
type step struct {
	*form
	exits
	computed bool // target is an address that the block computes from constants
	block    int32
	addr     uint64
	target   uint64 // of jumps, or where other lanes continue
}

// A place is what a step has besides its form.
type place struct {
	at    uint32 // of the instruction, in units from the start of the code
	form  uint32 // its number
	goes  uint32 // 1 + the index of the target in analysis.targets; 0: there is none
	block int32
	flags flags
	size  uint16 // of the bundle, in bytes
}

// Places are a part of the list of steps: a list in one piece would be copied as it grows.
type places [1 << placesBits]place

const placesBits = 14

// Flags are what is asked of all steps one after another, which needs no form.
type flags uint16

const (
	flagFalls flags = 1 << iota
	flagJumps
	flagOpen
	flagComputed // see step.computed
	flagNext     // the step that follows in memory is the next one of the list
	flagInline   // there is a next step, and no other follows
	flagLeads    // it is reached from elsewhere than the previous step: it begins a block
	flagNames    // see form.names
	flagVague    // see form.vague
	flagCall     // isa.TraitCall
	flagLanes    // isa.TraitLanes
	flagHeld     // sweep has checked it
)

// Exits say where control continues after a step.
type exits struct {
	falls bool // at the next instruction
	jumps bool // at the target
	open  bool // at an unknown address
}

func (e exits) flags() flags {
	return flagIf(e.falls, flagFalls) | flagIf(e.jumps, flagJumps) | flagIf(e.open, flagOpen)
}

func flagIf(is bool, f flags) flags {
	if is {
		return f
	}
	return 0
}

// A form is what follows from the bytes of an instruction. It is not changed once its effects are known.
type form struct {
	in     isa.Inst // the leading part of the bundle that was decoded first; its address is not the step's
	code   []byte   // of that bundle
	number uint32
	traits isa.Traits
	known  bool // the effects are
	effects
	marks []mark
	nest  isa.Nesting
	usual exits
	moves bool           // the exits depend on the address
	vague bool           // it is unknown whether control continues
	names bool           // other lanes continue at the target, or later
	ctl   ir.ControlKind // its control stack operation; 0: none
	parts bool           // only the lanes of a condition take it
}

// Effects are what an instruction does to a state. They are found when they are first needed.
type effects struct {
	reads  []ir.Span
	writes []ir.Span
	some   []ir.Span // some of them are written
	kept   []ir.Span // a part of each is written
	drops  []ir.Span
	firsts []recent // without the step
	states int32    // wait states that it takes
}

// A made is a step under construction.
type made struct {
	*form
	exits
	target uint64
}

// Forms are found again by their bytes, as code repeats itself, and by their number. Only the latest are kept: code
// that does not repeat itself would need a form for each of its instructions. Others are made again.
type forms struct {
	kept   uint32  // keptForms
	ring   []*form // by number
	count  uint32
	byHash []hashed
	seed   maphash.Seed
	spare  []form // memory of forms
	bundle isa.Bundle
	touch  isa.Touched
	copy   form
}

const (
	keptForms = 1 << 15
	hashForms = 1 << 16
)

// A hashed is a form to be found by a hash of its bytes.
type hashed struct {
	rest uint32 // of the hash
	next uint32 // 1 + the number of the form; 0: none
}

// find returns the form of an instruction, or nil, and where it is to be: in place of the oldest.
func (l *forms) find(code []byte) (*form, *hashed) {
	hash := maphash.Bytes(l.seed, code)
	set := (*[4]hashed)(l.byHash[hash%hashForms&^3:])
	oldest := &set[0]
	for k := range set {
		h := &set[k]
		if h.rest == uint32(hash>>32) && h.next != 0 {
			if f := l.ring[(h.next-1)%l.kept]; f.number == h.next-1 && bytes.Equal(code, f.code) {
				return f, h
			}
		}
		if h.next < oldest.next {
			oldest = h
		}
	}
	oldest.rest = uint32(hash >> 32)
	return nil, oldest
}

// add returns a new form.
func (l *forms) add() *form {
	if len(l.spare) == 0 {
		l.spare = make([]form, 64)
	}
	f := &l.spare[0]
	l.spare = l.spare[1:]
	if f.number = l.count; len(l.ring) < int(l.kept) {
		l.ring = append(l.ring, f)
	} else {
		l.ring[l.count%l.kept] = f
	}
	l.count++
	return f
}

// end returns the address after a step.
func (s step) end() uint64 { return s.addr + uint64(len(s.code)) }

// look returns a step.
func (a *analysis) look(i int32) step {
	p := a.place(i)
	f := a.forms.ring[p.form%a.forms.kept]
	if f.number != p.form || !f.known {
		f = a.again(p)
	}
	s := step{form: f, exits: exits{p.flags&flagFalls != 0, p.flags&flagJumps != 0, p.flags&flagOpen != 0}, computed: p.flags&flagComputed != 0, block: p.block,
		addr: a.addr(p)}
	if p.goes != 0 {
		s.target = a.targets[p.goes-1]
	}
	return s
}

// again returns the form of a step with its effects. The bundle decoded last and what it touches are kept.
func (a *analysis) again(p *place) *form {
	l := &a.forms
	a.remade++
	a.bundle, l.bundle = l.bundle, a.bundle
	a.touched, l.touch = l.touch, a.touched
	if err := a.decode(a.addr(p)); err != nil {
		panic("lint: a step does not decode: " + err.Error())
	}
	f := a.newStep().form
	if p.form = f.number; !f.known {
		a.effectsOf(f)
	}
	a.bundle, l.bundle = l.bundle, a.bundle
	a.touched, l.touch = l.touch, a.touched
	return f
}

// place returns what a step has of its own.
func (a *analysis) place(i int32) *place { return &a.places[i>>placesBits][i&(1<<placesBits-1)] }

// flags returns the flags of a step.
func (a *analysis) flags(i int32) *flags { return &a.place(i).flags }

// addr returns the address of a step.
func (a *analysis) addr(p *place) uint64 { return a.code.Base + uint64(p.at)*uint64(a.unit) }

// blockOf returns the block of a step.
func (a *analysis) blockOf(i int32) int32 { return a.place(i).block }

// after returns the step that follows one in memory, if control may continue there, else -1.
func (a *analysis) after(i int32) int32 {
	p := a.place(i)
	if p.flags&flagFalls == 0 {
		return -1
	}
	return a.stepAt(a.addr(p) + uint64(p.size))
}

// next is after when steps are linked.
func (a *analysis) next(i int32) int32 {
	if a.place(i).flags&flagNext != 0 {
		return i + 1
	}
	return a.after(i)
}

// to returns the step at the target, or -1 if control does not continue there.
func (a *analysis) to(i int32) int32 {
	p := a.place(i)
	if p.flags&flagJumps == 0 {
		return -1
	}
	return a.stepAt(a.target(p))
}

// target returns where a step jumps, or where other lanes continue; 0 if there is no such address.
func (a *analysis) target(p *place) uint64 {
	if p.goes == 0 {
		return 0
	}
	return a.targets[p.goes-1]
}

// add adds a step at an address.
func (a *analysis) add(s *made, pc uint64) {
	at := (pc - a.code.Base) / uint64(a.unit)
	if a.count>>placesBits == len(a.places) {
		a.places = append(a.places, new(places))
	}
	i := int32(a.count)
	*a.place(i) = place{at: uint32(at), form: s.number, block: -1, size: uint16(len(s.code)),
		flags: s.exits.flags() | flagIf(s.names, flagNames) | flagIf(s.vague, flagVague) |
			flagIf(s.traits&isa.TraitCall != 0, flagCall) | flagIf(s.traits&isa.TraitLanes != 0, flagLanes)}
	a.count++
	a.at[at] = int32(a.count)
	a.longest = max(a.longest, len(s.code))
	if a.seen |= s.traits; s.traits&a.watch != 0 {
		a.watched = append(a.watched, i)
	}
	if s.jumps || s.names {
		a.setTarget(i, s.target)
	}
}

func (a *analysis) setTarget(i int32, pc uint64) {
	a.targets = append(a.targets, pc)
	a.place(i).goes = uint32(len(a.targets))
}

// aim records at which address a step continues that has an unknown one.
func (a *analysis) aim(i int32, pc uint64) {
	*a.flags(i) &^= flagOpen
	a.setTarget(i, pc)
}

// newStep returns the step of the bundle that was decoded last.
func (a *analysis) newStep() made {
	off := a.bundle.Addr() - a.code.Base
	code := a.code.Bytes[off:][:a.bundle.Size()]
	f, slot := a.forms.find(code)
	if f == nil {
		f = a.forms.add()
		slot.next = f.number + 1
		s := made{form: f}
		f.code = code
		a.newForm(&s)
		return s
	}
	if !f.moves {
		return made{form: f, exits: f.usual}
	}
	a.forms.copy = *f
	s := made{form: &a.forms.copy}
	s.marks = nil
	a.leave(&s)
	s.form = f
	return s
}

// newForm finds all of the bundle's form but its effects.
func (a *analysis) newForm(s *made) {
	b := &a.bundle
	lead := &b.Parts[0]
	if a.flow.Lead != nil {
		lead = a.flow.Lead(b)
	}
	s.in = *lead
	for i := range b.Parts {
		s.traits |= a.traitsOf(&b.Parts[i])
	}
	a.leave(s)
	s.usual, s.moves = s.exits, a.moves(s)
	if a.flow.Nest != nil {
		s.nest = a.flow.Nest(a.t, b)
	}
}

// effectsOf finds the effects of the bundle's form.
func (a *analysis) effectsOf(f *form) {
	f.known = true
	a.touches(f)
	f.kept = a.keep(a.touched.Kept)
	if a.flow.Drops != nil {
		f.drops = a.keep(a.flow.Drops(&f.in, nil))
	}
	if a.flow.Pending != nil {
		a.ops = a.flow.Pending(&f.in, &a.touched, a.ops[:0])
		for i := range a.ops {
			if o := &a.ops[i]; o.Wait {
				f.marks = append(f.marks, mark{queue: o.Queue, wait: true})
			} else {
				a.issue(f, o.Queue, o.Writes, o.Reads)
			}
		}
	}
	a.hazardsOf(f)
}

// leave finds where control continues after the bundle.
func (a *analysis) leave(s *made) {
	s.exits = exits{falls: true}
	switch {
	case s.traits&isa.TraitGoes != 0:
		g := a.flow.Goes(&a.bundle)
		s.falls, s.jumps, s.open, s.vague, s.target = g.Falls, g.Jumps, g.Open, g.Vague, g.Target
	case s.traits&isa.TraitControl != 0:
		a.control(s)
	case s.traits&isa.TraitEnd != 0:
		s.falls = false
	}
}

// moves reports whether a step at another address may continue elsewhere, relative to it or not.
func (a *analysis) moves(s *made) bool {
	return s.jumps || s.names || s.traits&(isa.TraitGoes|isa.TraitControl) != 0 && (a.t.Branch == nil || a.branches(&a.bundle))
}

// touches finds the cells that the bundle touches.
func (a *analysis) touches(s *form) {
	b := &a.bundle
	if a.flow.Touches != nil {
		a.touched.Begin(b)
		a.flow.Touches(a.t, b, &a.touched)
		s.reads, s.writes, s.some = a.keep(a.touched.Reads), a.keep(a.touched.Writes), a.keep(a.touched.Perhaps)
		return
	}
	a.buf, a.buf2 = a.buf[:0], a.buf2[:0]
	for i := range b.Parts {
		a.touched.Of(&b.Parts[i])
		a.buf, a.buf2 = append(a.buf, a.touched.Reads...), append(a.buf2, a.touched.Writes...)
	}
	a.touched.Bundle = b
	s.reads, s.writes = a.keep(a.buf), a.keep(a.buf2)
}

// traitsOf returns the traits of an instruction's row and its own.
func (a *analysis) traitsOf(in *isa.Inst) isa.Traits {
	t := a.traits[in.Def.ID]
	if a.flow.More != nil {
		t |= a.flow.More(in, t)
	}
	return t
}

func (a *analysis) issue(f *form, queue int, writes, reads []ir.Span) {
	f.marks = append(f.marks, mark{queue: queue, writes: a.keep(writes), reads: a.keep(reads)})
}

func (a *analysis) keep(spans []ir.Span) []ir.Span { return a.spans.keep(spans) }

// An arena has copies of lists in common memory.
type arena[T any] []T

func (m *arena[T]) keep(list []T) []T {
	n := len(list)
	if n == 0 {
		return nil
	}
	if n > len(*m) {
		*m = make([]T, max(n, 512))
	}
	kept := (*m)[:n:n]
	*m = (*m)[n:]
	copy(kept, list)
	return kept
}

// control computes from the lift where control continues after a step, and what it waits for. For a row that cannot
// be lifted, its traits and Arch.Branch are used.
func (a *analysis) control(s *made) {
	b := &a.bundle
	blk := a.t.LiftOne(b, 0)
	for i := range blk.Ops {
		op := &blk.Ops[i]
		switch op.Op {
		case ir.Wait:
			s.marks = append(s.marks, mark{queue: int(op.Imm), wait: true, n: int(op.Alt)})
		case ir.Issue:
			if a.flow.Pending == nil {
				w, r := blk.Touched(op)
				a.issue(s.form, int(op.Imm), w, r)
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
	next := b.Addr() + uint64(b.Size())
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
func (a *analysis) unlifted(s *made) {
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
