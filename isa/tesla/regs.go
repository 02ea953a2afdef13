package tesla

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Files of the machine, by index. docs/reference/tesla.md 3.
const (
	FileR    = iota // general registers
	FileA           // address registers, 16 bits each; $a0 is never written
	FileC           // flags, four cells per register: see FlagZ
	FileO           // outputs, one word each: o[0x4] is cell 1
	FileSR          // special registers: information about a thread from its launch
	FileExec        // the active mask
	FileKill        // fragments that are discarded
	FileEmit        // vertices and primitives emitted by a geometry program: see EmitVertices
)

// Numbers of registers.
const (
	NumR  = 128
	NumA  = 8
	NumC  = 4
	NumO  = 128 // words
	NumSR = 16
	Banks = 16 // of c[] and of g[]
)

// Flags of a condition register, by cell and by bit of its value.
const (
	FlagZ = iota // zero, or not a number
	FlagS        // negative, or not a number
	FlagC        // carry
	FlagO        // overflow
	flags
)

// Special registers by cell of FileSR. docs/reference/tesla.md 3.
const (
	SRPhysID   = 0
	SRClock    = 1
	SRVStride  = 3
	SRSampleID = 8
)

// StackDepth is the number of tokens of a warp's control stack, and Lanes the threads of a warp.
const (
	StackDepth = 256
	Lanes      = 32
)

// Cells of FileEmit, and a record of a vertex emitted by a geometry program.
const (
	EmitVertices   = 0 // how many
	EmitPrimitives = 1 // how many have ended
	EmitBytes      = 4 * (NumO + 1)
)

// Banks of memory that programs cannot name: the locks of words of s[], and the output of a geometry program.
const (
	LockBank = 1
	EmitBank = 1
)

var machine = &ir.Machine{
	Name: "tesla",
	Files: []ir.File{
		FileR:    {Name: "r", Kind: ir.Lane32, Count: NumR, Unset: true},
		FileA:    {Name: "a", Kind: ir.Lane32, Count: NumA, Unset: true},
		FileC:    {Name: "c", Kind: ir.Lane1, Count: flags * NumC, Unset: true},
		FileO:    {Name: "o", Kind: ir.Lane32, Count: NumO, Range: ir.RangeZero, Unset: true},
		FileSR:   {Name: "sr", Kind: ir.Lane32, Count: NumSR},
		FileExec: {Name: "exec", Kind: ir.ExecMask, Count: 1},
		FileKill: {Name: "discarded", Kind: ir.Lane1, Count: 1},
		FileEmit: {Name: "emitted", Kind: ir.Lane32, Count: 2},
	},
	Widths:     []int{Lanes, 1, 4, 64},
	Control:    ir.MaskStack,
	StackDepth: StackDepth,
	Spaces:     ir.Spaces{ir.ConstSpace: Banks, ir.GlobalSpace: Banks, ir.GroupSpace: 1 + LockBank, ir.PrivateSpace: 1 + EmitBank},
}

var specials = [NumSR]string{"physid", "clock", "sr2", "vstride", "pm0", "pm1", "pm2", "pm3", "sampleid",
	"sr9", "sr10", "sr11", "sr12", "sr13", "sr14", "sr15"}

// cell resolves a register name: r5, r4d (two cells), r4q (four), a1, c0 (its four flags), c0.z, o[0x4], physid,
// discarded; with or without the $ of assembly.
func cell(_ int, name string) ([]ir.Cell, error) {
	bare := strings.TrimPrefix(name, "$")
	none := fmt.Errorf("tesla: no register %q", name)
	for i, s := range specials {
		if s == bare {
			return isa.Cells(FileSR, i, 1), nil
		}
	}
	if bare == machine.Files[FileKill].Name {
		return isa.Cells(FileKill, 0, 1), nil
	}
	if bare == "vertices" || bare == "primitives" {
		return isa.Cells(FileEmit, strings.Index("vp", bare[:1]), 1), nil
	}
	if at, ok := strings.CutPrefix(bare, "o["); ok {
		n, err := strconv.ParseUint(strings.TrimSuffix(at, "]"), 0, 32)
		if err != nil || n%4 != 0 || n/4 >= NumO || !strings.HasSuffix(at, "]") {
			return nil, none
		}
		return isa.Cells(FileO, int(n/4), 1), nil
	}
	if len(bare) < 2 {
		return nil, none
	}
	digits := strings.TrimRight(bare[1:], "dqzsco.")
	n, err := strconv.Atoi(digits)
	if err != nil || strconv.Itoa(n) != digits {
		return nil, none
	}
	cs := named(bare[0], n, bare[1+len(digits):])
	if cs == nil {
		return nil, none
	}
	return cs, nil
}

// named returns the cells of register n of a file by its letter and what follows the number; nil: there are none.
func named(letter byte, n int, suffix string) []ir.Cell {
	size := map[string]int{"": 1, "d": 2, "q": 4}[suffix]
	flag := strings.Index("zsco", strings.TrimPrefix(suffix, "."))
	switch {
	case letter == 'r' && size > 0 && n%size == 0 && n+size <= NumR:
		return isa.Cells(FileR, n, size)
	case letter == 'a' && size == 1 && n < NumA:
		return isa.Cells(FileA, n, 1)
	case letter == 'c' && size == 1 && n < NumC:
		return isa.Cells(FileC, flags*n, flags)
	case letter == 'c' && n < NumC && len(suffix) == 2 && flag >= 0:
		return isa.Cells(FileC, flags*n+flag, 1)
	}
	return nil
}

// cellName is the inverse of cell for one cell.
func cellName(c ir.Cell) string {
	switch c.File {
	case FileKill:
		return machine.Files[FileKill].Name
	case FileEmit:
		return [...]string{EmitVertices: "vertices", EmitPrimitives: "primitives"}[c.Index]
	case FileR, FileA:
		return machine.Files[c.File].Name + strconv.Itoa(int(c.Index))
	case FileC:
		return fmt.Sprintf("c%d.%c", c.Index/flags, "zsco"[c.Index%flags])
	case FileO:
		return fmt.Sprintf("o[%#x]", 4*c.Index)
	case FileSR:
		return specials[c.Index]
	}
	return ""
}
