package manual

import (
	"fmt"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Idle lists the modifiers of a bundle that have no effect in a mode although they would in another, and the fields of
// the mode that cause it. It compares the semantics with and without the modifier.
func Idle(t *isa.Target, b *isa.Bundle, mode uint32) (notes []string) {
	for i := range b.Parts {
		in := &b.Parts[i]
		for k := range in.Def.Args {
			a := &in.Def.Args[k]
			if a.Place == isa.Operand || a.Get(in.Word) == a.Default {
				continue
			}
			without := isa.Bundle{Parts: slices.Clone(b.Parts), Pad: b.Pad, Own: b.Own}
			without.Parts[i].Word = a.Put(in.Word, a.Default)
			differ := func(mode uint32) bool { return !sameMeaning(t, b, &without, mode) }
			if len(t.Modes) == 0 || differ(mode) {
				continue
			}
			if fields := blockers(t.Modes, mode, differ); fields != nil {
				notes = append(notes, fmt.Sprintf("%s has no effect under %s", a.Name, strings.Join(fields, " and ")))
			}
		}
	}
	return notes
}

// blockers returns the fields of a mode, one or two, that must change for a difference.
func blockers(fields []isa.ModeField, mode uint32, differ func(mode uint32) bool) []string {
	for i := range fields {
		for _, m := range fields[i].Others(mode) {
			if differ(m) {
				return []string{fields[i].Text(mode)}
			}
		}
	}
	for i := range fields {
		for _, m := range fields[i].Others(mode) {
			for k := range fields[:i] {
				if slices.ContainsFunc(fields[k].Others(m), differ) {
					return []string{fields[k].Text(mode), fields[i].Text(mode)}
				}
			}
		}
	}
	return nil
}

// sameMeaning reports whether two bundles have the same semantics in a mode.
func sameMeaning(t *isa.Target, a, b *isa.Bundle, mode uint32) bool {
	x, y := t.LiftOne(a, mode), t.LiftOne(b, mode)
	return slices.EqualFunc(x.Ops, y.Ops, func(p, q ir.Inst) bool { return p.Same(&q) })
}
