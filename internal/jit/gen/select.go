package gen

import (
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/ir"
)

// A selector makes the plan of a block. It sees neither registers nor the assembler.
type selector struct{ *plan }

// newPlan selects the code of a block. The plan uses the tables.
func newPlan(t target, b *lower.Block, tables *tables) *plan {
	k := &selector{&plan{target: t, b: b, choices: make([]choice, len(b.Steps)), tables: tables, exitFrom: len(b.Steps)}}
	k.plainTypes()
	k.chooseForms()
	k.faster = k.fast()
	k.finish()
	return k.plan
}

// finish makes the plan once forms have been chosen.
func (k *selector) finish() {
	k.segment()
	if len(k.segments) == 0 && !k.whole {
		return
	}
	k.readers()
	k.countReads()
	for i := range k.segments {
		if !k.single {
			k.trees(&k.segments[i])
		}
		k.pairs(&k.segments[i])
	}
	k.findExits()
	k.jointLoads()
	k.splitAddresses()
	k.impliedGuards()
	k.readers()
	k.makers()
	for i := range k.segments {
		k.segmentFacts(&k.segments[i])
	}
}

// plainTypes replaces the types of steps by equivalent ones that have code: for bitwise ops, and for conversions of
// zero-extended values.
func (k *selector) plainTypes() {
	for i := range k.b.Steps {
		s := &k.b.Steps[i]
		switch {
		case s.Kind != lower.Compute:
		case (s.Op == ir.And || s.Op == ir.Or || s.Op == ir.Xor || s.Op == ir.Not || s.Op == ir.Bfi) && s.Type.Bits() == 32:
			s.Type, s.From = ir.I32, ir.I32
		case s.Op == ir.UToF && s.From.Bits() < 32 && s.From != ir.I1:
			s.From = ir.I32
		}
	}
}

// chooseForms chooses the form of each step by itself.
func (k *selector) chooseForms() {
	k.whole = true
	for i := range k.b.Steps {
		c := &k.choices[i]
		c.form, c.nan = k.formOf(&k.b.Steps[i]), -1
		k.whole = k.whole && c.form != formNone
	}
	for i := range k.b.Steps {
		if k.whole && k.b.Steps[i].Hoistable {
			k.choices[i].form = formCount
		}
	}
}

// drop removes a step whose work another step does.
func (k *selector) drop(i, into int) { k.choices[i].into = int32(into) + 1 }

// dropped reports whether there is no code for a step since another one does its work.
func (p *plan) dropped(i int) bool { return p.choices[i].into != 0 }

// looped reports whether the step is part of a loop.
func (p *plan) looped(i int) bool { return p.choices[i].phase == inLoop && !p.dropped(i) }

// findExits finds the last step before which the code may exit, and steps that the caller executes.
func (k *selector) findExits() {
	if !k.whole {
		k.lastExit = len(k.b.Steps)
		return
	}
	for i := range k.choices {
		switch k.choices[i].form.class() {
		case classMemory:
			if k.choices[i].into != onEntry {
				k.lastExit = i
			}
		case classCaller:
			k.lastExit, k.fallsBack = i, true
		}
	}
}

// readsOf returns the places that the code of step i reads.
func (p *plan) readsOf(i int) []lower.Place {
	switch c := &p.choices[i]; {
	case c.into == unneeded && i > p.exitFrom: // the caller may execute it
	case c.into != 0:
		return nil
	case c.isAffine() && i < p.exitFrom:
		return valuesOf(&p.b.Steps[i])
	case c.form == formLogKnown && i < p.exitFrom:
		return nil
	case c.form == formTernary:
		return c.tree.leaves
	}
	args := p.b.Steps[i].Args
	if x := p.splitOf(i); x != nil {
		args = append([]lower.Place{x.low, x.high}, args[1:]...)
	}
	for _, g := range p.implies(i) {
		args = append(args[:len(args):len(args)], g.words[0], g.words[1])
	}
	return args
}

// A def is a result of a step.
type def struct{ step, res int32 }

// readers finds the last reader of each result.
func (k *selector) readers() {
	k.defs.clear()
	steps := k.b.Steps
	read := func(p lower.Place, at int) {
		if d, ok := k.defs.get(p); ok {
			k.choices[d.step].last[d.res] = int32(at)
		}
	}
	for i := range steps {
		s := &steps[i]
		for _, p := range k.readsOf(i) {
			read(p, i)
		}
		read(s.Mask, i)
		for r, p := range s.Res {
			if r < results {
				k.choices[i].last[r] = -1
				k.defs.put(p, def{int32(i), int32(r)})
			} else {
				k.defs.drop(p)
			}
		}
	}
	for _, p := range k.b.Term {
		read(p, len(steps))
	}
}

// makers finds the step that defines each location.
func (k *selector) makers() {
	k.made.clear()
	for i := range k.b.Steps {
		for _, r := range k.b.Steps[i].Res {
			if _, again := k.made.get(r); again {
				k.made.put(r, -1)
			} else {
				k.made.put(r, i)
			}
		}
	}
}

// maker returns the step that defines a location; -1: none does, or several do.
func (k *selector) maker(p lower.Place) int {
	if i, ok := k.made.get(p); ok {
		return i
	}
	return -1
}

// uses finds the readers of the results of the segment's uniform steps. Masks are also live where code may exit
// afterwards: a step that writes a register under a full mask does not name the mask, but the caller reads it.
func (k *selector) uses(g *segment) {
	defs := &k.defs
	defs.clear()
	at := func(d def) *use { return &k.choices[d.step].uses[d.res] }
	read := func(p lower.Place, i int) {
		if p.Kind != lower.InWord && p.Kind != lower.InMask {
			return
		}
		d, ok := defs.get(wordOf(p))
		if !ok {
			return
		}
		if c := &k.choices[i]; c.phase == k.choices[d.step].phase && c.form != formUniformFloat {
			at(d).last = i
		} else {
			at(d).out = true
		}
	}
	for i := g.from; i < g.to; i++ {
		s := &k.b.Steps[i]
		for _, p := range k.readsOf(i) {
			read(p, i)
		}
		read(s.Mask, i)
		for r, p := range s.Res {
			if p.Kind != lower.InWord && p.Kind != lower.InMask {
				continue
			}
			defs.drop(wordOf(p))
			if d := (def{int32(i), int32(r)}); r < 2 && k.choices[i].phase != inLoop {
				defs.put(wordOf(p), d)
				at(d).out = p.Kind == lower.InMask && i < k.lastExit
			}
		}
	}
	for i := g.from; i < g.to; i++ {
		for r, p := range k.b.Steps[i].Res {
			d := def{int32(i), int32(r)}
			if now, ok := defs.get(wordOf(p)); ok && now == d && int(k.choices[i].last[r]) >= g.to {
				at(d).out = true
			}
		}
	}
}
