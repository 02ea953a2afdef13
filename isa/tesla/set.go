package tesla

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

// declare is the instruction set as data.
func declare() *isa.Arch {
	for _, fill := range [...]func(){fillTexts, fillPrefixes, fillWords, fillRegisters, fillFlags, fillTextures, fillAddresses, fillWhats, fillSources, fillNumbers, fillFields, fillOperands} {
		fill()
	}
	return &isa.Arch{
		Name: "tesla", Doc: "NVIDIA Tesla, G80 to GT215", Variants: variants, Stages: stages, StageNames: stageNames, Dialects: dialects, Reword: reword, Names: names, Unit: 4, Longest: 8, Defs: defs(),
		Machine: func(int) *ir.Machine { return machine }, Sep: " ", Long: "long ", Comments: []string{"//", "#!"}, Before: before, After: after, Cell: cell, CellName: cellName,
		Options: options, Rules: rules(), Flow: newFlow(), Validate: validate, Pairs: true, Branch: branch, Advise: advise, Foreign: foreign, Waits: waits, Costs: costs, Memories: [ir.FlatSpace]string{ir.GroupSpace: "shared", ir.PrivateSpace: "local", ir.ConstSpace: "constant"}, Terms: terms, LongText: longText,
		Loose: true, // the independent model of tesla-audit treats such bits as zeros
		Nop:   func(int) []byte { return []byte{0x01, 0, 0, 0xf0, 0x80, 0x07, 0, 0xe0} },
	}
}

func defs() (ds []isa.Def) {
	rows := slices.Concat(on(unitSP, moveRows(), addRows(), mulRows(), madRows(), compareRows(), shiftRows(), logicRows(), floatRows()), on(unitDP, doubleRows()), on(unitSP, cvtRows()),
		memoryRows(), on(unitGlobal, atomicRows()), on(unitSFU, interpRows()), on(unitTex, texRows()), on(unitControl, flowRows()))
	ds = make([]isa.Def, 0, len(rows))
	twins := map[string]bool{"cvt": true, "ld": true} // types that differ only where no value is read have one text
	for i := range rows {
		ds = append(ds, rows[i].def())
		if ds[i].Short { // the text of a long form may fit
			twins[ds[i].Name] = true
		}
	}
	for i := range ds {
		ds[i].Twin = !ds[i].Short && twins[ds[i].Name]
	}
	return ds
}

// branch returns the code address that an instruction names.
func branch(b *isa.Bundle, i int) (uint64, bool) {
	in := &b.Parts[i]
	if !in.Has(nameTarget) {
		return 0, false
	}
	return in.Get(nameTarget) * codeUnit, true
}
