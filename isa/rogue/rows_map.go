package rogue

import (
	"strings"

	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/group"
)

// upper is a name in the spelling of the reference.
func upper(name string) string { return strings.ToUpper(name) }

// headerRows are the headers of main and bit groups. docs/reference/rogue.md 2.
func headerRows() []row {
	phases := hidden(namePhases, span(1, 6, 4))
	long := append(headerArgs(longCC()), phases, hidden(nameEnd, bit(2, 7)), hidden(nameAtom, bit(2, 3)), hidden(nameRepeat, span(2, 2, 1)))
	headers := []uint8{group.Header}
	return []row{
		{name: "main", classes: headers, layout: layout{"main_brief", 2}, fix: []isa.Fixed{holds(1, 7, 7, 0)}, args: append(headerArgs(bit(1, 0)), phases), mean: isa.Effect(nothing), doc: "a group of the main unit", ref: "2"},
		{name: "main", classes: headers, layout: layout{"main", 3}, fix: []isa.Fixed{holds(1, 7, 7, 1), holds(2, 6, 4, 0)}, args: long, mean: isa.Effect(nothing), doc: "a group of the main unit that repeats, ends the program, or has another condition", ref: "2"},
		{name: "bitwise", bits: true, classes: headers, layout: layout{"bitwise", 3}, fix: []isa.Fixed{holds(1, 7, 7, 1), holds(2, 6, 4, 4)}, args: long, mean: isa.Effect(nothing), doc: "a group of the bit unit", ref: "2"},
	}
}

// mapRows are the maps of sources and results, and the internal selectors. docs/reference/rogue.md 2.
func mapRows() (rows []row) {
	for _, half := range [...]struct {
		class uint8
		list  []mapping
		doc   string
	}{{group.Lower, lowerMaps(), "sources s0 to s2 and the selector of is0"}, {group.Upper, upperMaps(), "sources s3 to s5"}, {group.Dest, destMaps()[:2], "w0 or w1"}, {group.Dest2, destMaps()[2:], "w0 and w1"}} {
		var before []*group.Map
		for i := range half.list {
			m := &half.list[i]
			m.Prepare(m.bytes, before)
			before = append(before, &m.Map)
			bank, number := nameB0, nameN0
			if half.class >= group.Dest {
				bank, number = nameDB0, nameD0
			}
			r := row{name: m.name, classes: []uint8{half.class}, layout: m.layout, fix: m.fix, mean: isa.Effect(nothing), doc: half.doc, ref: "2", mapping: m}
			for j, f := range m.Fields {
				r.args = append(r.args, hidden(bank+isa.Name(j), f.Bank), hidden(number+isa.Name(j), f.Number))
			}
			if len(m.Selector) > 0 {
				mux := hidden(nameMux, m.Selector)
				if m.Selector.Len() > 2 {
					mux.Kind = muxKind
				}
				r.args = append(r.args, mux)
			}
			rows = append(rows, r)
		}
	}
	iss := row{name: "iss", classes: []uint8{group.Selectors}, layout: layout{"iss", 1}, mean: isa.Effect(nothing), doc: "the selectors is1 to is5", ref: "2"}
	third := hidden(nameIS3, span(0, 3, 2))
	iss.args = []isa.Arg{hidden(nameIS1, bit(0, 0)), hidden(nameIS2, bit(0, 1)), third, hidden(nameIS4, span(0, 5, 4)), hidden(nameIS5, span(0, 7, 6))}
	return append(rows, iss)
}
