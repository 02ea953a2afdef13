package manual

import (
	"slices"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// maxTried limits the values of an operand's field that are tried.
const maxTried = 1024

// illustrated returns an instruction of the row that can run and has different registers as operands.
func illustrated(t *isa.Target, d *isa.Def) isa.Inst {
	_, first, _ := tried(t, d) // if a row cannot run, any word will do
	return illustrate(t, d, first)
}

// illustrate returns the first instruction, changed so that its registers differ.
func illustrate(t *isa.Target, d *isa.Def, first isa.Inst) isa.Inst {
	in := first
	var to isa.Touched
	to.Begin(bundleOf(t, in))
	var used []ir.Span
	for i := range d.Args {
		a := &d.Args[i]
		if a.At == nil || a.RoleIn(&in) == isa.NoRole {
			continue
		}
		here := to.Operand(&in, a, nil)
		if len(here) == 0 {
			continue
		}
		if try, cells, ok := best(t, &to, in, a, used); ok {
			in, here = try, cells
		}
		used = append(used, here...)
	}
	if f, _ := fidelity(lift(t, in), d); f == ir.NotRunnable {
		return first
	}
	return in
}

// best returns the instruction with an operand that does not overlap those used: a per-lane register, else one of the
// file of the first, else the present one, else any.
func best(t *isa.Target, to *isa.Touched, in isa.Inst, a *isa.Arg, used []ir.Span) (isa.Inst, []ir.Span, bool) {
	m := t.Machine()
	try, cells, ok := another(to, in, a, used, func(f uint8) bool { return m.Files[f].Kind == ir.Lane32 })
	if !ok && len(used) > 0 {
		try, cells, ok = another(to, in, a, used, func(f uint8) bool { return f == used[0].Cell.File })
	}
	if !ok && !apart(to.Operand(&in, a, nil), used) {
		try, cells, ok = another(to, in, a, used, func(uint8) bool { return true })
	}
	return try, cells, ok
}

// another returns the instruction with a register of a suitable file as operand a that does not overlap those used.
func another(to *isa.Touched, in isa.Inst, a *isa.Arg, used []ir.Span, file func(uint8) bool) (isa.Inst, []ir.Span, bool) {
	for v := range uint64(min(1<<min(a.At.Len(), 16), maxTried)) {
		if v < uint64(len(a.Kind.Reserved)) && a.Kind.Reserved[v] {
			continue
		}
		try := in
		try.Word = a.Put(try.Word, v)
		if try.Def.Check != nil && try.Def.Check(&try) != "" || try.Def.EncodedSize(try.Word) != int(in.Size) {
			continue
		}
		cells := to.Operand(&try, a, nil)
		if len(cells) > 0 && apart(cells, used) && !slices.ContainsFunc(cells, func(c ir.Span) bool { return !file(c.Cell.File) }) {
			return try, cells, true
		}
	}
	return in, nil, false
}

// apart reports whether cells do not overlap those used.
func apart(cells, used []ir.Span) bool {
	return !slices.ContainsFunc(cells, func(c ir.Span) bool {
		return slices.ContainsFunc(used, func(u ir.Span) bool {
			return c.Cell.File == u.Cell.File && c.Cell.Index < u.Cell.Index+u.Count && u.Cell.Index < c.Cell.Index+c.Count
		})
	})
}
