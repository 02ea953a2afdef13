package gcn

import (
	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/isa"
)

// The forms of EXP: exports of colours, positions and parameters. docs/reference/gcn.md 1 and 8.4.

// expForms returns one form for each set of enabled sources, which the text shows as registers in place of off, with
// and without compr.
func expForms() (fs []form) {
	for compr := range uint64(2) {
		for en := range uint64(16) {
			fs = append(fs, form{layout: layEXP, rank: len(fs), operands: func(b *builder) { expOperands(b, en, compr) }})
		}
	}
	return fs
}

// expOperands adds those of a form. With compr, sources 0 and 1 are both the first register, 2 and 3 the second.
func expOperands(b *builder, en, compr uint64) {
	b.fix("en", en)
	b.fix("compr", compr)
	b.add(isa.Arg{Name: "tgt", Kind: b.k.expTarget()})
	used := -1
	for i := range expSources {
		n := i >> compr
		switch {
		case en>>i&1 == 0:
			b.word("off")
		case n == used:
			b.add(isa.Arg{Name: expSources[n] + " again", Kind: b.k.again(nameVsrc0 + isa.Name(n)), At: bits.Ranges{}})
		default:
			b.vgprs(expSources[n], 1, isa.Use)
			used = n
		}
		b.args[len(b.args)-1].Tight = i == 0 // the target ends in a blank
	}
	b.flags("done")
	if compr != 0 {
		b.wanted("compr")
	}
	b.flags("vm")
	if compr != 0 || en != 0xf {
		b.add(isa.Arg{Name: wordUnread, Kind: b.k.unread(), At: bits.Ranges{}, Place: isa.Modifier})
	}
}
