package rogue

import (
	"slices"
	"sync"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/group"
)

// Set is the instruction set, compiled once.
var Set = sync.OnceValue(func() *isa.Set {
	s, err := isa.Compile(Declared())
	if err != nil {
		panic(err)
	}
	link(s.Defs)
	return s
})

// Declared returns the declaration of the set: its rows, not compiled.
var Declared = sync.OnceValue(declare)

// declare returns the instruction set as data.
func declare() *isa.Arch {
	fill()
	return &isa.Arch{
		Name: "rogue", Doc: "PowerVR Rogue", Variants: variants, Dialects: dialects, Syntaxes: syntaxes, Classes: classNames, Names: names[:], Unit: 2, Longest: group.MaxBytes, Defs: defs(),
		Machine: func(int) *ir.Machine { return machine }, Sep: ", ", Comments: []string{"//", "/*"}, AnyCase: true, Cell: cell, CellName: cellName, Branch: branch, Advise: advise, Foreign: foreign, Waits: waitLines, Costs: costs, Memories: [ir.FlatSpace]string{ir.ConstSpace: "constants"}, Terms: terms, Options: options, Bounds: bounds, Entries: entries, Rules: rules(), Flow: newFlow(), Validate: validator(),
		Lexis: lexis, Start: start, Before: before, Open: open, Gaps: sync.OnceValue(gaps), Nop: func(int) []byte { return []byte{0x02, 0x80, 0x6e, 0x00} },
		Group: groups(),
	}
}

func defs() (ds []isa.Def) {
	rows := slices.Concat(headerRows(), floatRows(), singleRows(), narrowRows(), wideRows(), packRows(), testRows(), moveRows(), outputRows(), stateRows(), memoryRows(), sampleRows(),
		bitPhase0Rows(), logicalRows(), bitPhase2Rows(), flowRows(), iterateRows(), mapRows())
	rows = append(rows, textRows(rows)...)
	rows = append(append(rows, twinsOf(rows)...), heardRows()...)
	encodings := map[layout]*isa.Encoding{}
	for i := range rows {
		r := &rows[i]
		enc := encodings[r.layout]
		if enc == nil {
			enc = r.layout.encoding()
			encodings[r.layout] = enc
		}
		for _, class := range r.classes {
			ds = append(ds, r.def(class, enc, i))
		}
	}
	twins := slices.IndexFunc(ds, func(d isa.Def) bool { return d.Alias })
	for r, f := range shorten(ds[:twins]) {
		r.short = f
	}
	return ds
}

// bounds are the error bounds of approximate functions.
func bounds() []isa.Bound {
	return []isa.Bound{{Of: []string{"frcp", "frsq", "flog", "fexp", "fsqrt"}, ULP: 2, Text: "an ulp or two", Source: "docs/reference/rogue.md 5.1"}}
}
