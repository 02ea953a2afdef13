package rogue

import (
	"cmp"
	"strconv"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Kinds of operands and modifiers; fill makes them.
var (
	sources                   [6]*isa.Kind
	negate                    *isa.Kind
	absolute                  *isa.Kind
	floor                     *isa.Kind
	element                   *isa.Kind
	half                      *isa.Kind
	plain                     *isa.Kind // a field without text
	idle                      *isa.Kind // a field without text whose value means nothing
	upperHalf, thirdUpper     *isa.Kind
	satKind, lpKind, partKind *isa.Kind
	drcs                      *isa.Kind
	predOut, muxKind          *isa.Kind
	predIn                    *isa.Kind
)

// fill makes the kinds.
func fill() {
	for n := range sources {
		sources[n] = sourceKind(n)
		sources[n].Native = []string{"s" + strconv.Itoa(n)}
	}
	negate, absolute, floor = flag("neg"), flag("abs"), flag("flr")
	element, half = dotted("an element", "- e1 e2 e3"), dotted("an element", "- e1")
	also(element, 0, ".e0")
	also(half, 0, ".e0")
	plain = &isa.Kind{Name: "a field"}
	idle = &isa.Kind{Name: "a field that does nothing", Canon: func(uint64) uint64 { return 0 }}
	upperHalf = dotted("an element", "e2 e3")
	thirdUpper = sourceElement(2, ".e2")
	satKind, lpKind = flag("sat"), flag("lp")
	partKind = dotted("a part of a range reduction", "a b")
	also(partKind, 0, ".parta")
	also(partKind, 1, ".partb")
	muxKind = &isa.Kind{Name: "the selector of is0", Reserved: []bool{6: true, 7: true}}
	drcs = words("a data fence", "drc0", "drc1")
	predOut, predIn = pred("P0 or _"), pred("P0 or _")
}

// hidden is a field without text.
func hidden(n isa.Name, at bits.Ranges) isa.Arg {
	return isa.Arg{Name: names[n], Kind: plain, At: at, Place: isa.Hidden}
}

// ignored is a field that the instruction does not use.
func ignored(n isa.Name, at bits.Ranges) isa.Arg {
	return isa.Arg{Name: names[n], Kind: idle, At: at, Place: isa.Hidden}
}

// suffix is a modifier of the mnemonic.
func suffix(n isa.Name, at bits.Ranges, k *isa.Kind) isa.Arg {
	return isa.Arg{Name: names[n], Kind: k, At: at, Place: isa.Suffix}
}

// on is a suffix that is present if its bit is set.
func on(n isa.Name, at bits.Ranges, text string) isa.Arg { return suffix(n, at, flag(text)) }

// operand is an operand with bits of its own.
func operand(n isa.Name, at bits.Ranges, k *isa.Kind) isa.Arg {
	return isa.Arg{Name: names[n], Kind: k, At: at}
}

// word is an operand without bits. It prints as the first text; the others are only read.
func word(texts ...string) isa.Arg {
	return isa.Arg{Name: texts[0], Kind: fixed(texts...), At: bits.Ranges{}}
}

// must is a suffix without bits that the text must have.
func must(text string) isa.Arg {
	return isa.Arg{Name: text, Kind: fixed("." + text), At: bits.Ranges{}, Place: isa.Suffix, Needed: true}
}

// source is source n as an operand, with its modifiers.
func source(n int, parts ...isa.Part) isa.Arg {
	return isa.Arg{Name: "s" + strconv.Itoa(n), Kind: sources[n], At: bits.Ranges{}, Parts: parts, AnyOrder: true}
}

// part is a modifier after an operand.
func part(n isa.Name, at bits.Ranges, k *isa.Kind) isa.Part {
	return isa.Part{Name: names[n], At: at, Kind: k, Side: isa.After}
}

// def is the row as isa.Def, in one of its classes.
func (r *row) def(class uint8, enc *isa.Encoding, rank int) isa.Def {
	d := isa.Def{Name: r.name, Spell: r.spell, Also: r.also, Variants: 1, Class: class, Enc: enc, Fix: r.fix, Args: r.args, Doc: r.doc, Source: "docs/reference/rogue.md " + r.ref,
		Meaning: r.mean, Form: routed, Fidelity: cmp.Or(r.fidelity, ir.Exact), Note: r.note, Entry: r.entry, Options: r.options, Rank: rank, Check: r.check, Forbids: r.bars, Private: r.private, Alias: r.alias, Tags: r.tags(class), Data: r}
	if len(r.options) > 0 {
		d.Fidelity = ir.Modelled
	}
	if r.mean == nil {
		d.Lack, d.Fidelity = cmp.Or(r.lack, isa.LackUnbuilt), ir.NotRunnable
	}
	return d
}
