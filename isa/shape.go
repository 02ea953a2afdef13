package isa

import "github.com/heddle-gpu/heddle/bits"

// A shape is what rows have in common that have one layout, the same list of Args, and fix the same bits to the same values:
// all of a compiled row that does not depend on its mnemonic, opcode and meaning. It is made once for all of them.
type shape struct {
	args    []Arg // completed
	mask    bits.Word
	fixed   bits.Word // in the mask, without the opcode
	claimed bits.Word
	idle    bits.Word // of Idle, without claimed bits
	rest    bits.Word // of text that says nothing, beside the fixed bits: idle and defaults
	steps   []step
	leads   []step // of the prefixes, in front of the mnemonic
	checks  []check
	lit     []uint8 // indexes in args whose value may ask for the literal
	canons  []canon
	ops     []uint8 // indexes in args of the operands
	free    [numPlaces][]uint8
	names   []uint8 // by Name: 1 + the index in slots; 0: none
	slots   []slot
	fields  []*slot // of the encoding, by Name; nil: no such field
}

// A shapeKey names the lists of a row by where they lie: rows that share them are of one shape. Equal lists that lie apart
// are not compared.
type shapeKey struct {
	enc         *Encoding
	args        *Arg
	fix, idle   *Fixed
	nArgs       int
	nFix, nIdle int
}

func keyOf(d *Def) shapeKey {
	return shapeKey{d.Enc, first(d.Args), first(d.Fix), first(d.Idle), len(d.Args), len(d.Fix), len(d.Idle)}
}

// first is where a list begins, nil if it is empty.
func first[T any](list []T) *T {
	if len(list) == 0 {
		return nil
	}
	return &list[0]
}
