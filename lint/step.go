package lint

import (
	"bytes"
	"hash/maphash"
	"slices"

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

// A place is what a step has besides its form and its flags.
type place struct {
	at    uint32 // of the instruction, in units from the start of the code
	form  uint32 // index in analysis.forms
	goes  uint32 // 1 + the index of the target in analysis.targets; 0: there is none
	block int32
}

// Places are a part of the list of steps: a list in one piece would be copied as it grows.
type places struct {
	list  [1 << placesBits]place
	flags [1 << placesBits]flags
}

const placesBits = 14

// Flags are exits, and what is found out about a step later.
type flags uint8

const (
	flagFalls flags = 1 << iota
	flagJumps
	flagOpen
	flagComputed // see step.computed
	flagNext     // the step that follows in memory is the next one of the list
	flagInline   // there is a next step, and no other follows
	flagLeads    // it is reached from elsewhere than the previous step: it begins a block
)

// Exits say where control continues after a step.
type exits struct {
	falls bool // at the next instruction
	jumps bool // at the target
	open  bool // at an unknown address
}

func (e exits) flags() (f flags) {
	if e.falls {
		f |= flagFalls
	}
	if e.jumps {
		f |= flagJumps
	}
	if e.open {
		f |= flagOpen
	}
	return f
}

// A form is what follows from the bytes of an instruction.
type form struct {
	in     isa.Inst // the leading part of the bundle that was decoded first; its address is not the step's
	first  uint64   // offset of that bundle
	size   int32    // bytes of the bundle
	traits isa.Traits
	reads  piece // of analysis.spans
	writes piece
	some   piece // of analysis.spans: some of them are written
	marks  piece // of analysis.marks
	kept   piece // of analysis.spans: a part of each is written
	drops  piece // of analysis.spans
	firsts piece // of analysis.firsts
	states int32 // wait states that it takes
	nest   isa.Nesting
	usual  exits
	moves  bool           // the exits depend on the address
	vague  bool           // it is unknown whether control continues
	names  bool           // other lanes continue at the target, or later
	ctl    ir.ControlKind // its control stack operation; 0: none
	parts  bool           // only the lanes of a condition take it
}

// A made is a step under construction.
type made struct {
	form
	exits
	target uint64
	number uint32 // of its form
}

// recentForms is how many forms are found again by their bytes: code repeats itself.
const recentForms = 1 << 16

// look returns a step.
func (a *analysis) look(i int32) step {
	part, k := a.places[i>>placesBits], i&(1<<placesBits-1)
	p, f := &part.list[k], part.flags[k]
	s := step{form: a.forms[p.form], exits: exits{f&flagFalls != 0, f&flagJumps != 0, f&flagOpen != 0}, computed: f&flagComputed != 0, block: p.block,
		addr: a.code.Base + uint64(p.at)*uint64(a.unit)}
	if p.goes != 0 {
		s.target = a.targets[p.goes-1]
	}
	return s
}

// flags returns the flags of a step.
func (a *analysis) flags(i int32) *flags { return &a.places[i>>placesBits].flags[i&(1<<placesBits-1)] }

// place returns what a step has of its own.
func (a *analysis) place(i int32) *place { return &a.places[i>>placesBits].list[i&(1<<placesBits-1)] }

// after returns the step that follows one in memory, if control may continue there, else -1.
func (a *analysis) after(s step) int32 {
	if !s.falls {
		return -1
	}
	return a.stepAt(s.addr + uint64(s.size))
}

// next is after for the number of a step, when steps are linked.
func (a *analysis) next(i int32) int32 {
	if *a.flags(i)&flagNext != 0 {
		return i + 1
	}
	return a.after(a.look(i))
}

// to returns the step at the target, or -1 if control does not continue there.
func (a *analysis) to(s step) int32 {
	if !s.jumps {
		return -1
	}
	return a.stepAt(s.target)
}

// add adds a step at an address.
func (a *analysis) add(s *made, pc uint64) {
	at := (pc - a.code.Base) / uint64(a.unit)
	if a.count>>placesBits == len(a.places) {
		a.places = append(a.places, new(places))
	}
	*a.place(int32(a.count)) = place{at: uint32(at), form: s.number, block: -1}
	*a.flags(int32(a.count)) = s.exits.flags()
	a.count++
	a.at[at] = int32(a.count)
	if s.jumps || s.names {
		a.setTarget(int32(a.count-1), s.target)
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
	slot := &a.recent[maphash.Bytes(a.seed, code)%recentForms]
	if *slot != 0 {
		f := a.forms[*slot-1]
		if bytes.Equal(code, a.code.Bytes[f.first:][:f.size]) {
			s := made{form: *f, exits: f.usual, number: *slot - 1}
			if f.moves {
				marks := len(a.marks)
				a.leave(&s)
				a.marks = a.marks[:marks]
			}
			return s
		}
	}
	s := a.newForm()
	s.first, s.number = off, uint32(len(a.forms))
	a.forms = append(a.forms, &s.form)
	*slot = s.number + 1
	return s
}

// newForm returns the step of the bundle, with a form of its own.
func (a *analysis) newForm() (s made) {
	b := &a.bundle
	lead := &b.Parts[0]
	if a.flow.Lead != nil {
		lead = a.flow.Lead(b)
	}
	s.in, s.size = *lead, int32(b.Size())
	for i := range b.Parts {
		s.traits |= a.traitsOf(&b.Parts[i])
	}
	a.touches(&s)
	lo := len(a.marks)
	a.leave(&s)
	s.usual, s.moves = s.exits, a.moves(&s)
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
	a.hazardsOf(&s.form)
	return s
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
func (a *analysis) touches(s *made) {
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
func (a *analysis) control(s *made) {
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

// anywhere reports whether an instruction has one of the traits.
func (a *analysis) anywhere(traits isa.Traits) bool {
	return slices.ContainsFunc(a.forms, func(f *form) bool { return f.traits&traits != 0 })
}
