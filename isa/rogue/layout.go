package rogue

import (
	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/group"
)

// Bits are numbered by byte and bit: 8*byte + bit. docs/reference/rogue.md 2 and 3.

// span is bits hi to lo of byte b.
func span(b, hi, lo int) bits.Ranges { return bits.Ranges{bits.Span(8*b+lo, 8*b+hi)} }

// bit is bit i of byte b.
func bit(b, i int) bits.Ranges { return span(b, i, i) }

// several joins pieces, low bits first.
func several(pieces ...bits.Ranges) (rs bits.Ranges) {
	for _, p := range pieces {
		rs = append(rs, p...)
	}
	return rs
}

// holds fixes bits hi to lo of byte b to a value in all words of a row.
func holds(b, hi, lo int, v uint64) isa.Fixed { return isa.Must(8*b+lo, 8*b+hi, v) }

// A layout is the name of an encoding in the tables of the reference, and its size.
type layout struct {
	name  string
	bytes int
}

func (l layout) encoding() *isa.Encoding {
	return &isa.Encoding{Name: l.name, Bits: 8 * l.bytes, Unclaimed: isa.Zero, Source: "docs/reference/rogue.md 3"}
}

// A mapping is a variant of a map as a row. docs/reference/rogue.md 2.
type mapping struct {
	layout
	fix []isa.Fixed
	group.Map
}

// lowerMaps and upperMaps are in the order in which they are tried: the shortest map that holds all sources is used.
func lowerMaps() []mapping { return sourceMaps("lo", span(4, 4, 4)) }
func upperMaps() []mapping { return sourceMaps("up", nil) }

func sourceMaps(half string, mux3 bits.Ranges) []mapping {
	aLow, bLow, cLow := span(0, 5, 0), span(1, 4, 0), span(3, 5, 0)
	bankA1, bankB1, bankC2 := bit(0, 6), bit(1, 5), span(3, 7, 6)
	aHigh7 := several(aLow, bit(2, 2))
	bankA2, bankA3 := several(bankA1, bit(2, 4)), several(bankA1, bit(2, 4), bit(4, 3))
	bankB2, b7 := several(bankB1, bit(2, 3)), several(bLow, span(2, 1, 0))
	ext0, short := holds(0, 7, 7, 1), holds(0, 7, 7, 0)
	sel := func(sel, ext1 uint64, more ...isa.Fixed) []isa.Fixed {
		return append([]isa.Fixed{ext0, holds(1, 7, 7, sel), holds(1, 6, 6, ext1)}, more...)
	}
	none := bits.Ranges(nil)
	one := mapping{fix: []isa.Fixed{short}, Map: mapOf(none, bankA1, aLow)}
	oneWide := mapping{fix: sel(0, 0), Map: mapOf(span(1, 5, 4), several(bankA1, span(1, 3, 2)), several(aLow, span(1, 1, 0), span(2, 2, 0)))}
	two := mapping{fix: sel(1, 0), Map: mapOf(none, bankA1, aLow, bankB1, bLow)}
	two7 := mapping{fix: sel(1, 1, holds(2, 7, 7, 0)), Map: mapOf(span(2, 6, 5), bankA2, aHigh7, bankB2, b7)}
	twoWide := mapping{fix: sel(1, 1, holds(2, 7, 7, 1)), Map: mapOf(several(span(2, 6, 5), bit(3, 4)),
		several(bankA1, bit(2, 4), bit(3, 3)), several(aLow, bit(2, 2), bit(3, 1), span(3, 7, 5)), bankB2, several(bLow, span(2, 1, 0), bit(3, 0)))}
	three7 := mapping{fix: sel(0, 1, holds(2, 7, 7, 0)), Map: mapOf(span(2, 6, 5), bankA2, aHigh7, bankB2, b7, bankC2, cLow)}
	b8, bankC3, c8 := several(bLow, span(2, 1, 0), bit(4, 0)), several(bankC2, bit(4, 7)), several(cLow, span(4, 6, 5))
	a8 := several(aLow, bit(2, 2), bit(4, 1))
	a11, c11 := several(a8, span(5, 2, 0)), several(c8, span(5, 5, 3))
	if half == "up" { // S5 has no high bits of the bank, and at most 8 bits of the number
		bankC3, c11 = bankC2, c8
	}
	mux := several(span(2, 6, 5), mux3)
	three8 := mapping{fix: sel(0, 1, holds(2, 7, 7, 1), holds(4, 2, 2, 0)), Map: mapOf(mux, bankA3, a8, bankB2, b8, bankC3, c8)}
	threeWide := mapping{fix: sel(0, 1, holds(2, 7, 7, 1), holds(4, 2, 2, 1)), Map: mapOf(mux, bankA3, a11, bankB2, b8, bankC3, c11)}
	list := []mapping{one, oneWide, two, two7, twoWide, three7, three8, threeWide}
	sizes := [...]int{1, 3, 2, 3, 4, 4, 5, 6}
	lower := [...]string{"1lo_1b6i", "1lo_3b11i_2m", "2lo_1b6i_1b5i", "2lo_2b7i_2b7i_2m", "2lo_3b11i_2b8i_3m", "3lo_2b7i_2b7i_2b6i_2m", "3lo_3b8i_2b8i_3b8i_3m", "3lo_3b11i_2b8i_3b11i_3m"}
	upper := [...]string{"1up_1b6i", "1up_3b11i", "2up_1b6i_1b5i", "2up_2b7i_2b7i", "2up_3b11i_2b8i", "3up_2b7i_2b7i_2b6i", "3up_3b8i_2b8i_2b8i", "3up_3b11i_2b8i_2b8i"}
	for i := range list {
		list[i].bytes, list[i].name = sizes[i], lower[i]
		if half == "up" {
			list[i].name, list[i].Selector = upper[i], nil
		}
	}
	return list
}

// mapOf is a map with a selector, or none, and the banks and numbers of its operands.
func mapOf(selector bits.Ranges, operands ...bits.Ranges) (m group.Map) {
	m.Selector = selector
	for i := 0; i < len(operands); i += 2 {
		m.Fields = append(m.Fields, group.Field{Bank: operands[i], Number: operands[i+1]})
	}
	return m
}

// destMaps are the maps of one result, then those of two.
func destMaps() []mapping {
	bank0, low0 := several(bit(0, 7), span(2, 2, 1)), several(span(0, 6, 0), bit(2, 0))
	bank1, low1 := several(bit(1, 6), span(2, 6, 5)), several(span(1, 5, 0), span(2, 4, 3))
	return []mapping{
		{layout{"1_1b6i", 1}, []isa.Fixed{holds(0, 7, 7, 0)}, mapOf(nil, bit(0, 6), span(0, 5, 0))},
		{layout{"1_3b11i", 2}, []isa.Fixed{holds(0, 7, 7, 1)}, mapOf(nil, several(bit(0, 6), span(1, 3, 2)), several(span(0, 5, 0), span(1, 1, 0), span(1, 6, 4)))},
		{layout{"2_1b7i_1b6i", 2}, []isa.Fixed{holds(1, 7, 7, 0)}, mapOf(nil, bit(0, 7), span(0, 6, 0), bit(1, 6), span(1, 5, 0))},
		{layout{"2_3b8i_3b8i", 3}, []isa.Fixed{holds(1, 7, 7, 1), holds(2, 7, 7, 0)}, mapOf(nil, bank0, low0, bank1, low1)},
		{layout{"2_3b11i_3b11i", 4}, []isa.Fixed{holds(1, 7, 7, 1), holds(2, 7, 7, 1)}, mapOf(nil, bank0, several(low0, span(3, 2, 0)), bank1, several(low1, span(3, 5, 3)))},
	}
}
