package attila

import (
	"sync"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// arch is the declaration without rows and options.
var arch = isa.Arch{
	Name: "attila",
	Doc:  "UPC ATTILA, the unified shader",
	Variants: []isa.Variant{
		Text: {Name: "attila", Aliases: []string{"unified", "unified-vector16"}, Doc: "the instruction-set text, corrected"},
		Sim:  {Name: "sim", Aliases: []string{"attila-sim"}, Doc: "the reference simulator where it departs from the text"},
	},
	Names:    names,
	Unit:     wordBytes,
	Longest:  wordBytes,
	Machine:  func(int) *ir.Machine { return machine },
	Sep:      ", ",
	Suffix:   "_",
	Comments: []string{"#", "//", "/*"},
	Nop:      func(int) []byte { return nopWord.Append(nil, wordBytes) },
	Start:    start,
	Cell:     cell,
	CellName: cellName,
	Rules:    rules,
	Validate: validate,
	Branch:   branchTarget,
	Terms:    terms,
	Costs:    costs,
	Memories: [ir.FlatSpace]string{ir.ConstSpace: "constants"},
	Foreign:  foreign,
	Gaps:     sync.OnceValue(gaps),
	Bounds:   bounds,
}

// Set is the instruction set, compiled once.
var Set = sync.OnceValue(func() *isa.Set {
	s, err := isa.Compile(Declared())
	if err != nil {
		panic(err)
	}
	return s
})

// Declared returns the declaration of the set: its rows, not compiled.
var Declared = sync.OnceValue(func() *isa.Arch {
	fillNames()
	fillFields()
	arch.Defs, arch.Options = defs(), options()
	return &arch
})

func branchTarget(b *isa.Bundle, i int) (uint64, bool) {
	in := &b.Parts[i]
	if !rowOf(in).form.jump {
		return 0, false
	}
	return jumpTo(in, in.Get(nameImm)), true
}

// gaps describes opcodes without a row. docs/reference/attila.md 2.2 and 4.
func gaps() []isa.Gap {
	is := func(op ...uint64) []isa.FieldIn { return []isa.FieldIn{{At: opcode, Values: op}} }
	return []isa.Gap{
		{If: is(0x05), Msg: "opcode 0x%02x is unassigned; once bra"},
		{If: is(0x06), Msg: "opcode 0x%02x is unassigned; once cal"},
		{If: is(0x1a), Msg: "opcode 0x%02x is unassigned; once ret"},
		{If: is(0x0e), Msg: "flr, opcode 0x0e, is named but implemented nowhere"},
		{If: is(), Msg: "opcode 0x%02x is unassigned"},
	}
}

// bounds returns those of approximate functions: the simulator uses its host's library.
func bounds() []isa.Bound {
	return []isa.Bound{{Of: []string{"sin", "cos", "ex2", "lg2", "exp", "log", "lit"}, ULP: 1, Text: "1 ulp, which is what the cases of the reference allow", Source: "docs/reference/attila.md 6.4"}}
}
