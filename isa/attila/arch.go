package attila

import (
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Files of the machine, by index. docs/reference/attila.md 3.
const (
	FileI      = iota // inputs, four cells per register
	FileO             // outputs
	FileR             // temporaries
	FileA             // address registers
	FileP             // predicates
	FileKill          // kill flags, one per sample
	FileZ             // exported depth, one per sample
	FileSample        // the current sample
	FileAcc           // the fixed-point accumulator: for each component sign, integer, fraction low, fraction high
	FileExec
)

// Numbers of registers.
const (
	NumIn     = 48 // 16, three times that for micropolygon fragments
	NumOut    = 16
	NumTemp   = 32
	NumAddr   = 2
	NumPred   = 32
	NumSample = 16
	NumUnit   = 16
	NumConst  = 512
)

var machine = &ir.Machine{
	Name: "attila",
	Files: []ir.File{
		FileI:      {Name: "i", Kind: ir.Lane32, Count: 4 * NumIn},
		FileO:      {Name: "o", Kind: ir.Lane32, Count: 4 * NumOut},
		FileR:      {Name: "r", Kind: ir.Lane32, Count: 4 * NumTemp, Unset: true},
		FileA:      {Name: "a", Kind: ir.Lane32, Count: 4 * NumAddr, Unset: true},
		FileP:      {Name: "p", Kind: ir.Lane1, Count: NumPred, Unset: true},
		FileKill:   {Name: "kill", Kind: ir.Lane1, Count: NumSample, Range: ir.RangeZero},
		FileZ:      {Name: "z", Kind: ir.Lane32, Count: NumSample, Range: ir.RangeZero},
		FileSample: {Name: "sample", Kind: ir.Lane32, Count: 1},
		FileAcc:    {Name: "acc", Kind: ir.Lane32, Count: 16},
		FileExec:   {Name: "exec", Kind: ir.ExecMask, Count: 1},
	},
	Widths:  []int{4, 1, 16, 64},
	Control: ir.MaskData,
	Spaces:  ir.Spaces{ir.ConstSpace: 1},
}

// Variants by index.
const (
	Text = iota // the instruction-set text
	Sim         // the reference simulator
)

// nopWord is nop as the reference encodes it.
var nopWord = bits.Word{Lo: 0x00_00_00_f7_39_ce_00_00, Hi: 0x00_1b_00_1b_00_00_1b_00}

// cell resolves a register name: i6.x, r3 (all four components), p3, kill0, z2, sample, acc.x (its four words).
func cell(_ int, name string) ([]ir.Cell, error) {
	reg, comp, dot := strings.Cut(name, ".")
	file, n, err := splitName(reg)
	if err != nil {
		return nil, err
	}
	f := &machine.Files[file]
	vector := f.Kind == ir.Lane32 && file <= FileA || file == FileAcc
	if !vector {
		if dot || n >= f.Count {
			return nil, fmt.Errorf("attila: no register %q", name)
		}
		return isa.Cells(file, n, 1), nil
	}
	c := strings.Index(comps, comp)
	switch {
	case dot && (len(comp) != 1 || c < 0), 4*n >= f.Count:
		return nil, fmt.Errorf("attila: no register %q", name)
	case file == FileAcc && dot:
		return isa.Cells(file, 4*c, 4), nil
	case file == FileAcc:
		return isa.Cells(file, 0, f.Count), nil
	case dot:
		return isa.Cells(file, 4*n+c, 1), nil
	}
	return isa.Cells(file, 4*n, 4), nil
}

// splitName splits a register name without component into file and number.
func splitName(name string) (file, n int, err error) {
	for i := range FileExec {
		f := &machine.Files[i]
		digits, ok := strings.CutPrefix(name, f.Name)
		if !ok {
			continue
		}
		if digits == "" && (i == FileSample || i == FileAcc) {
			return i, 0, nil
		}
		if _, err := fmt.Sscanf(digits+"\n", "%d\n", &n); err == nil && n >= 0 && fmt.Sprint(n) == digits && i != FileSample && i != FileAcc {
			return i, n, nil
		}
	}
	return 0, 0, fmt.Errorf("attila: no register %q", name)
}

// cellName is the inverse of cell: r3.x, p3, kill0, sample. Words of the accumulator have no names of their own.
func cellName(c ir.Cell) string {
	f := &machine.Files[c.File]
	switch int(c.File) {
	case FileI, FileO, FileR, FileA:
		return fmt.Sprintf("%s%d.%c", f.Name, c.Index/4, comps[c.Index%4])
	case FileP, FileKill, FileZ:
		return fmt.Sprint(f.Name, c.Index)
	case FileSample:
		return f.Name
	}
	return ""
}

// comps are the components of a register.
const comps = "xyzw"

// component returns the index in comps, -1 if c is none of them.
func component(c byte) int {
	if c < 'w' || c > 'z' {
		return -1
	}
	return int(c-'x') & 3 // w, before x, is the last
}

// wordBytes is the size of an instruction.
const wordBytes = 16
