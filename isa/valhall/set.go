package valhall

import (
	"slices"
	"sync"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Set is the instruction set, compiled once.
var Set = sync.OnceValue(func() *isa.Set {
	s, err := isa.Compile(Declared())
	if err != nil {
		panic(err)
	}
	return s
})

// Declared returns the declaration of the set: its rows, not compiled.
var Declared = sync.OnceValue(declare)

// declare returns the instruction set as data.
func declare() *isa.Arch {
	for _, fill := range [...]func(){fillWords, fillOperands, fillNumbers, fillForms} {
		fill()
	}
	return &isa.Arch{
		Name: "valhall", Doc: "Arm Mali, Valhall v9 to v14", Variants: variants, Dialects: dialects, PrintDialect: printDialect, Reword: reword, Names: names, Unit: wordBytes, Longest: wordBytes, Defs: defs(),
		Machine: func(int) *ir.Machine { return machine }, Sep: ", ", Comments: []string{"//"}, Lexis: []isa.Lexis{{Comments: []string{"//"}, Starts: []string{"#"}}}, Cell: cell, CellName: cellName, Branch: branch, Advise: advise, Foreign: foreign, Implied: implied, Withheld: withheld, Waits: waitLines, Costs: costLines, Memories: [ir.FlatSpace]string{ir.GroupSpace: "workgroup", ir.PrivateSpace: "thread-local"}, Terms: terms, Rules: rules(),
		Options: options, Bounds: bounds, Start: start, Before: before, After: after, Flow: newFlow(), Validate: validate, TellsPC: tellsPC,
		Nop: func(int) []byte { return []byte{0, 0, 0, 0, 0, 0xc0, 0, 0} },
	}
}

func defs() (ds []isa.Def) {
	rows := slices.Concat(flowRows(), memoryRows(), bufferRows(), varyingRows(), pixelRows(), convertRows(), integerRows(), laneRows(), wideRows(), matrixRows(), floatRows(), logicRows(), compareRows(),
		textureRows(), varyingTextureRows())
	ds = make([]isa.Def, 0, len(rows))
	for i := range rows {
		ds = append(ds, rows[i].def())
	}
	return ds
}

// branch is the code address that an instruction names.
func branch(b *isa.Bundle, i int) (uint64, bool) {
	in := &b.Parts[i]
	if !rowOf(in).form.jumps {
		return 0, false
	}
	return jumpTo(in, in.Get(nameTarget)), true
}

// tellsPC reports whether a source is the address of the next instruction.
func tellsPC(in *isa.Inst) bool {
	f := rowOf(in).form
	if !f.page || in.Get(namePage) != PageIdentity {
		return false
	}
	for i := range f.srcs {
		if v := in.Def.Args[f.srcs[i].arg].Get(in.Word); v>>1 == (firstSpecial+2*SpecialPC)>>1 {
			return true
		}
	}
	return false
}

// bounds are the error bounds of approximate functions.
func bounds() []isa.Bound {
	return []isa.Bound{{Of: []string{"FRCP.", "FRSQ."}, ULP: 1, Text: "about 1 ulp", Source: "docs/reference/valhall.md 10.1"}}
}
