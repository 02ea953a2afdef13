// Package toygroup is a third toy: bundles of many parts, whose rows depend on their place in the bundle.
//
// A lane has sixteen registers r0-r15, two index registers i0 and i1 and a flag p0; a wave has sixteen registers
// sh0-sh15. A group issues together: all of it reads before any of it writes. In memory a group is
//
//	header, phase 2, phase 1, phase 0, a source for each s0-s3 that a phase uses, up to two outputs, padding
//
// or a control header, one control instruction, padding. Its length is a multiple of two bytes. Padding of n bytes is
// FF if n is odd, and then F0 + words, FF FF ...
//
//	header      0-3 words of the group modulo 16, 4-7 bytes before the sources, 8-9 condition, 10-11 outputs,
//	            12-13 phases, 14 control, 15 a third byte: 16-17 repetitions - 1, 18 end, 19 atomic
//	phases      4-7 opcode, one to three bytes
//	source      0-3 number, 4 bank, 7 zero; or 4-6 bank, 7 one, 8-15 offset
//	output      0-3 number, 4-5 ft, 6-7 zero; or 7 one, 8-9 bank
//	control     0-7 opcode, 8-23 bytes from the end of the group
//
// Phase n computes ftn. A repeated group runs once for each repetition, with the next registers of r and sh. The
// condition of the header guards the whole group. An atomic group runs lane by lane. The execution mask is data in a
// register: there is no stack.
//
// There are two dialects. In brief a group is one line, and sources have names: main { add ft0, s0, s1; src r1; src
// sh2; out r3, ft0 }. In lines it is one line per part, those after the first start with +, and registers replace the
// sources.
package toygroup

import (
	"fmt"
	"sync"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Files of the machine, by index.
const (
	FileR = iota
	FileSh
	FileI
	FileP
	FileExec
)

var machine = &ir.Machine{
	Name: "toygroup",
	Files: []ir.File{
		FileR:    {Name: "r", Kind: ir.Lane32, Count: 16},
		FileSh:   {Name: "sh", Kind: ir.Wave32, Count: 16, Range: ir.RangeWrap},
		FileI:    {Name: "i", Kind: ir.Lane32, Count: 2},
		FileP:    {Name: "p", Kind: ir.Lane1, Count: 1},
		FileExec: {Name: "exec", Kind: ir.ExecMask, Count: 1},
	},
	Widths:  []int{8, 4, 32},
	Control: ir.MaskData,
}

// Classes of parts, in the order of text.
const (
	classHeader = iota
	classPhase0
	classPhase1
	classPhase2
	classControl
	classSource
	classOutput
	numClasses
)

// inMemory is the position of a class in memory.
var inMemory = [numClasses]int{classHeader: 0, classPhase2: 1, classPhase1: 2, classPhase0: 3, classControl: 4, classSource: 5, classOutput: 6}

// Dialects by index.
const (
	Brief = iota
	Lines
)

// Names of the fields used in semantics and texts.
const (
	nameLen isa.Name = iota
	nameSplit
	nameCond
	nameOutputs
	namePhases
	nameRepeat
	nameEnd
	nameAtom
	nameNeg0 // to nameNeg0 + 3, by source
	nameNeg1
	nameNeg2
	nameNeg3
	nameSat
	nameImm
	nameAmount
	nameFt
	nameTest
	nameNumber
	nameBank
	nameOffset
	nameTarget
)

var names = []string{nameLen: "len", nameSplit: "split", nameCond: "cond", nameOutputs: "outputs", namePhases: "phases", nameRepeat: "repeat",
	nameEnd: "end", nameAtom: "atom", nameNeg0: "neg0", nameNeg1: "neg1", nameNeg2: "neg2", nameNeg3: "neg3", nameSat: "sat", nameImm: "imm", nameAmount: "amount",
	nameFt: "ft", nameTest: "test", nameNumber: "number", nameBank: "bank", nameOffset: "offset", nameTarget: "target"}

// Arch returns the declaration.
func Arch() *isa.Arch {
	return &isa.Arch{
		Loose: true,
		Name:  "toygroup", Doc: "a toy of groups, for tests", Variants: []isa.Variant{{Name: "x1"}}, Dialects: []string{Brief: "brief", Lines: "lines"},
		Classes: []string{"group header", "phase 0", "phase 1", "phase 2", "control instruction", "source", "output"},
		Names:   names, Unit: 2, Longest: maxGroup, Defs: defs(), Machine: func(int) *ir.Machine { return machine }, Sep: ", ",
		Comments: []string{"//", "/*"}, Start: start, Cell: cell, Validate: validate, Layout: layout, Open: open, Branch: branch,
		Nop:   func(int) []byte { return []byte{0x32, 0x40, 0x00, 0xff} },
		Group: &isa.Group{Split: split, Join: join, Parse: parse, Lift: lift, Pad: pad, Sample: sample},
	}
}

// Set is the instruction set, compiled once.
var Set = sync.OnceValue(func() *isa.Set {
	s, err := isa.Compile(Arch())
	if err != nil {
		panic(err)
	}
	return s
})

func cell(_ int, name string) ([]ir.Cell, error) {
	for i, f := range machine.Files {
		for n := range f.Count {
			if fmt.Sprint(f.Name, n) == name {
				return []ir.Cell{{File: uint8(i), Index: uint16(n)}}, nil
			}
		}
	}
	return nil, fmt.Errorf("toygroup: no register %q", name)
}

// validate: the outputs of a group must be different registers.
func validate(v *isa.View) []isa.Finding {
	if v.Inst().Def.Class != classOutput || v.Part == 0 {
		return nil
	}
	before := &v.Bundle.Parts[v.Part-1]
	if before.Def.Class == classOutput && before.Opt(nameBank) == v.Inst().Opt(nameBank) && before.Get(nameNumber) == v.Inst().Get(nameNumber) {
		return []isa.Finding{{Rule: "two-outputs", Msg: "both outputs write one register", Source: "toygroup, package comment"}}
	}
	return nil
}

// layout aligns labels to multiples of four bytes by padding of the previous group.
func layout(_ *isa.Target, units []isa.Unit) (changed bool) {
	moved := uint64(0)
	for i := range units[:max(len(units), 1)-1] {
		u, next := &units[i], &units[i+1]
		end := u.Addr + uint64(u.Bundle.Size())
		if next.Addr == end && next.Label && (end+moved)%4 != 0 {
			u.Pad, changed = u.Bundle.Pad+2, true
			moved += 2
		}
	}
	return changed
}

// branch returns the target of a branch, relative to the end of the group.
func branch(b *isa.Bundle, i int) (uint64, bool) {
	in := &b.Parts[i]
	if !in.Has(nameTarget) {
		return 0, false
	}
	return b.Addr() + uint64(b.Size()) + uint64(int64(int16(in.Get(nameTarget)))), true
}
