package rogue

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/group"
)

// Files of the machine, by index. docs/reference/rogue.md 1 and 4.
const (
	FileR       = iota // temporaries
	FileVi             // vertex inputs
	FileI              // internal registers
	FilePo             // pixel outputs
	FileIdx            // index registers
	FileVo             // vertex outputs
	FileP              // the predicate P0
	FileExec           // Pe
	FileSr             // special registers, by number, that have no file of their own
	FileSh             // shared registers
	FileCf             // coefficients
	FileCfa            // the alternate set of coefficients
	FileSl             // slot registers
	FileG              // globals
	FileDyn            // dynamic constants that a group has read, until its end
	FileLink           // the link address, in bytes
	FileDrop           // lanes that have been dropped: their pixels and vertices are not written
	FileStopped        // lanes whose Pe is 0: the rest of Pe after the end of the task
	FileDepth          // depth set by the fragment
	FileBase           // bases of the numbers of coefficients (bits 0 to 7) and of shared registers (8 to 15)
	FileEmitted        // lanes whose vertex is done
	FileIterW          // kept divisor of the last perspective iteration that keeps it
	FileLocked         // mutexes that any task of the workgroup has locked, one bit each
	FileWoken          // by mutex: how often its sleepers have been woken
	FileHeld           // mutexes that the task itself has locked, one bit each
	FileAsleep         // while the task sleeps on a mutex: twice the wake count at that time, plus 1; else 0
)

// Lanes is the number of lanes of a task; the manual calls them instances.
const Lanes = 32

// Numbers of registers.
const (
	numTemps    = 248
	numOutputs  = 256 // of a vertex
	numShared   = 4096
	numInternal = 8
	numPixels   = 8
	numGlobals  = 8
	numIndex    = 2
	numDynamic  = 32 // that a group can read
	numSpecial  = 240
	numMutex    = 16
)

// machine: a register outside of its file that an index register names reads 0 and is not written.
// docs/reference/rogue.md 8.
var machine = &ir.Machine{
	Name: "rogue",
	Files: []ir.File{
		FileR:    {Name: "r", Kind: ir.Lane32, Count: numTemps, Range: ir.RangeZero, Unset: true},
		FileVi:   {Name: "vi", Kind: ir.Lane32, Count: numTemps, Range: ir.RangeZero},
		FileI:    {Name: "i", Kind: ir.Lane32, Count: numInternal, Unset: true},
		FilePo:   {Name: "po", Kind: ir.Lane32, Count: numPixels, Range: ir.RangeZero, Unset: true},
		FileIdx:  {Name: "idx", Kind: ir.Lane32, Count: numIndex, Unset: true},
		FileVo:   {Name: "vo", Kind: ir.Lane32, Count: numOutputs, Range: ir.RangeZero, Unset: true},
		FileP:    {Name: "p", Kind: ir.Lane1, Count: 1, Unset: true},
		FileExec: {Name: "pe", Kind: ir.ExecMask, Count: 1},
		FileSr:   {Name: "sr", Kind: ir.Lane32, Count: numSpecial},
		FileSh:   {Name: "sh", Kind: ir.Wave32, Count: numShared, Range: ir.RangeZero, Group: true, Unset: true},
		FileCf:   {Name: "cf", Kind: ir.Wave32, Count: numShared, Range: ir.RangeZero, Group: true},
		FileCfa:  {Name: "cfa", Kind: ir.Wave32, Count: numShared, Range: ir.RangeZero, Group: true},
		FileSl:   {Name: "sl", Kind: ir.Wave32, Count: numInternal},
		FileG:    {Name: "g", Kind: ir.Wave32, Count: numGlobals, Group: true, Awaited: true},
		FileDyn:  {Name: "dyn", Kind: ir.Lane32, Count: numDynamic},
		FileLink: {Name: "link", Kind: ir.Wave32, Count: 1},
		FileDrop: {Name: "drop", Kind: ir.Lane1, Count: 1},

		FileStopped: {Name: "stopped", Kind: ir.Lane1, Count: 1},
		FileEmitted: {Name: "emitted", Kind: ir.Lane1, Count: 1},
		FileDepth:   {Name: "depth", Kind: ir.Lane32, Count: 1},
		FileBase:    {Name: "base", Kind: ir.Wave32, Count: 1},
		FileIterW:   {Name: "iterw", Kind: ir.Lane32, Count: 1},

		FileLocked: {Name: "locked", Kind: ir.Wave32, Count: 1, Group: true, Awaited: true, Held: FileHeld},
		FileWoken:  {Name: "woken", Kind: ir.Wave32, Count: numMutex, Group: true, Awaited: true},
		FileHeld:   {Name: "held", Kind: ir.Wave32, Count: 1, Outside: "the task has not locked the mutex that it releases; no source says what that does"},
		FileAsleep: {Name: "asleep", Kind: ir.Wave32, Count: 1},
	},
	Widths:  []int{Lanes, 1, 4, 16, 64},
	Control: ir.MaskData,
	Mode:    ir.Cell{File: FileBase}, ModeMask: 0xffff,
	Queues: queues,
	Spaces: ir.Spaces{ir.GlobalSpace: 1, ir.ConstSpace: 1},
}

// Queues from firstMutex on are mutexes: a pending operation means that the task has locked the mutex. Only lint uses
// them.
const firstMutex = 2

// vertexQueue follows the mutexes: a pending operation means that a vertex output is written and its vertex not done.
// Only lint uses it.
const vertexQueue = firstMutex + numMutex

// queues are the two fences, then the mutexes by number.
var queues = []ir.Queue{
	fence("drc0"), fence("drc1"),
	fence("mutex0"), fence("mutex1"), fence("mutex2"), fence("mutex3"), fence("mutex4"), fence("mutex5"), fence("mutex6"), fence("mutex7"),
	fence("mutex8"), fence("mutex9"), fence("mutex10"), fence("mutex11"), fence("mutex12"), fence("mutex13"), fence("mutex14"), fence("mutex15"),
	vertexQueue: fence("vertex"),
}

// fence is a data fence, which can only be waited for in full.
func fence(name string) ir.Queue { return ir.Queue{Name: name, Unordered: true, Max: 1 << 20} }

// Banks of sources and results.
const (
	bankSpecial = iota
	bankTemp
	bankVtxin
	bankCoeff
	bankShared
	bankCoeffAlt
	bankIdx0
	bankIdx1
	bankNone // of no encoding: a register after the last of its name
)

// Banks of indexed registers.
const (
	idxTemp = iota
	idxVtxin
	idxCoeff
	idxShared
	idxDynamic
	idxSelf
	idxCoeffAlt
	idxPixel
)

// Numbers of the special bank. docs/reference/rogue.md 4. Those that launches fill are cells of FileSr.
const (
	specialPixel    = 32 // to 35
	specialInternal = 36 // to 43
	SpecialFace     = 44
	specialCluster  = 45
	specialInst     = 51
	SpecialSample   = 53
	specialValid    = 63
	SpecialX        = 97 // of the pixel; the next is that of the sample
	SpecialY        = 100
	SpecialGroup    = 102
	specialGlobal   = 104 // to 111
	SpecialLocal    = 112
	specialPixel4   = 164 // to 167
)

// A reg is the register that a source or result names.
type reg struct {
	bank uint8
	n    uint16
}

// operand is the register as an operand of a map.
func (r reg) operand() group.Operand { return group.OperandOf(r.bank, r.n) }

// regOf is the register of an operand.
func regOf(x group.Operand) reg { return reg{x.Bank(), x.Number()} }

// isConstant reports whether number n of the special bank is a constant: those with bit 5 clear.
func isConstant(n uint16) bool { return n&32 == 0 }

// cell is the cell of a register. slots is how many of the internal numbers, the highest, are slot registers (an
// option).
func (r reg) cell(slots int) (c ir.Cell, ok bool) {
	n := r.n
	switch r.bank {
	case bankTemp:
		return ir.Cell{File: FileR, Index: n}, n < numTemps
	case bankVtxin:
		return ir.Cell{File: FileVi, Index: n}, n < numTemps
	case bankCoeff:
		return ir.Cell{File: FileCf, Index: n}, true
	case bankShared:
		return ir.Cell{File: FileSh, Index: n}, true
	case bankCoeffAlt:
		return ir.Cell{File: FileCfa, Index: n}, true
	case bankIdx0, bankIdx1:
		return ir.Cell{File: FileIdx, Index: uint16(r.bank - bankIdx0)}, n == idxSelf
	case bankNone:
		return ir.Cell{}, false
	}
	switch {
	case isConstant(n) || n >= numSpecial:
		return ir.Cell{}, false
	case n < specialInternal:
		return ir.Cell{File: FilePo, Index: n - specialPixel}, true
	case n < specialInternal+numInternal:
		if at := specialInternal + numInternal - 1 - int(n); at < slots {
			return ir.Cell{File: FileSl, Index: uint16(at)}, true
		}
		return ir.Cell{File: FileI, Index: n - specialInternal}, true
	case n >= specialGlobal && n < specialGlobal+numGlobals:
		return ir.Cell{File: FileG, Index: n - specialGlobal}, true
	case n >= specialPixel4 && n < specialPixel4+4:
		return ir.Cell{File: FilePo, Index: n - specialPixel4 + 4}, true
	}
	return ir.Cell{File: FileSr, Index: n}, true
}

// indexed is the bank and the offset from the index register; ok is false if the register is not indexed.
func (r reg) indexed() (bank uint8, offset uint16, ok bool) {
	if r.bank < bankIdx0 || r.bank == bankNone || r.n == idxSelf {
		return 0, 0, false
	}
	return uint8(r.n & 7), r.n >> 3, true
}

// behind is the register n further on, by its name: po4 follows po3, and nothing follows i7.
func (r reg) behind(n int) reg {
	c, _ := r.cell(0)
	switch {
	case n == 0:
	case r.bank >= bankIdx0 && r.n == idxSelf:
		if r.bank += uint8(n); n > 1 || r.bank > bankIdx1 {
			return reg{bank: bankNone}
		}
	case r.bank >= bankIdx0:
		r.n += uint16(n) << 3
	case r.bank == bankSpecial && c.File == FilePo:
		return special(specialPixel, specialPixel4, int(c.Index)+n, numPixels)
	case r.bank == bankSpecial && c.File == FileI:
		return special(specialInternal, specialInternal+4, int(c.Index)+n, numInternal)
	case r.bank == bankSpecial && c.File == FileG:
		return special(specialGlobal, specialGlobal+4, int(c.Index)+n, numGlobals)
	default:
		r.n += uint16(n)
	}
	return r
}

// special is register n of count registers of a name in the special bank: the first four start at low, the others at
// high.
func special(low, high uint16, n, count int) reg {
	switch {
	case n >= count:
		return reg{bank: bankNone}
	case n < 4:
		return reg{bankSpecial, low + uint16(n)}
	}
	return reg{bankSpecial, high + uint16(n-4)}
}

// isPixel reports whether the register is a pixel output.
func (r reg) isPixel() bool {
	if bank, _, ok := r.indexed(); ok {
		return bank == idxPixel
	}
	c, ok := r.cell(0)
	return ok && c.File == FilePo
}

// cell resolves a register name: r5, sh17, p0, pe.
func cell(_ int, name string) ([]ir.Cell, error) {
	for f := range machine.Files {
		if machine.Files[f].Name == name && isSingle(f) {
			return isa.Cells(f, 0, 1), nil
		}
	}
	letters := strings.TrimRight(name, "0123456789")
	n, err := strconv.Atoi(name[len(letters):])
	for f := range machine.Files {
		if x := &machine.Files[f]; err == nil && x.Name == letters && n < x.Count && strconv.Itoa(n) == name[len(letters):] && !isSingle(f) {
			return isa.Cells(f, n, 1), nil
		}
	}
	return nil, fmt.Errorf("rogue: no register %q", name)
}

// isSingle reports whether a file has a single cell, whose name has no number.
func isSingle(file int) bool {
	return file == FileExec || file >= FileLink && file != FileWoken
}

// cellName is the inverse of cell.
func cellName(c ir.Cell) string {
	if isSingle(int(c.File)) {
		return machine.Files[c.File].Name
	}
	return machine.Files[c.File].Name + strconv.Itoa(int(c.Index))
}

// p0 is the cell of the predicate.
var p0 = ir.Cell{File: FileP}
