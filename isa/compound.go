package isa

import "github.com/heddle-gpu/heddle/ir"

// A Compound is a register of 32 bits whose bits are in several cells: GCN's STATUS shows SCC, which is a cell of its
// own.
type Compound struct {
	Name string
	Cell ir.Cell // all bits except Bits
	Bits []CompoundBit
}

// A CompoundBit is a bit of a Compound that is not in its Cell.
type CompoundBit struct {
	At    uint8
	Shows CompoundKind
	Cell  ir.Cell // of Shows
}

// A CompoundKind says what a bit of a Compound shows.
type CompoundKind uint8

const (
	ShowsCell CompoundKind = iota // the one-bit cell; writable
	ShowsZero                     // whether the execution mask, or the pair of cells at Cell, is 0; read-only
	ShowsOne                      // always 1; read-only
)
