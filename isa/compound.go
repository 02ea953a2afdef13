package isa

import "github.com/heddle-gpu/heddle/ir"

// A Compound is a register of 32 bits that is put together from several cells: GCN's STATUS has the scalar condition, which is a cell of its own.
type Compound struct {
	Name string
	Cell ir.Cell // what it shows but for Bits
	Bits []CompoundBit
}

// A CompoundBit is a bit of a Compound that lives elsewhere.
type CompoundBit struct {
	At    uint8
	Shows CompoundKind
	Cell  ir.Cell // of Shows
}

// A CompoundKind says what a bit of a Compound shows.
type CompoundKind uint8

const (
	ShowsCell CompoundKind = iota // the one-bit cell: whoever changes the bit changes the cell
	ShowsZero                     // whether the execution mask is 0, or the cell and the one behind it are: it cannot be changed
	ShowsOne                      // 1
)
