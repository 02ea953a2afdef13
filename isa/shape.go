package isa

import (
	"slices"
	"sync/atomic"

	"github.com/heddle-gpu/heddle/bits"
)

// A shape is what rows share that have one layout and the same list of Args, and fix the same bits to the same
// values: the part of a compiled row that does not depend on its mnemonic, opcode and semantics. It is made once for
// all of them.
type shape struct {
	args    []Arg // completed
	mask    bits.Word
	fixed   bits.Word // in the mask, without the opcode
	claimed bits.Word
	idle    bits.Word              // of Idle, without claimed bits
	rest    bits.Word              // initial word of text, besides the fixed bits: idle and defaults
	prints  atomic.Pointer[prints] // nil until a word is printed; see Def.prints
	checks  []check
	watched bits.Word // of the fields of checks, if there is a usual value
	calm    bits.Word // their usual value, which is not reserved
	lit     []slot    // fields whose value may ask for the literal
	canons  []canon
	ops     []*Arg // in args
	free    [numPlaces][]uint8
	heads   byteSet // first bytes of the suffixes
	choice  *choice // of them; nil: not all are read by the fast path
	names   []uint8 // by Name: 1 + the index in slots; 0: none
	slots   []slot
	fields  []*slot // of the encoding, by Name; nil: no such field
}

// A shapeKey identifies the lists of a row by their addresses: rows that share them have one shape. Equal lists at
// different addresses are not compared.
type shapeKey struct {
	enc                *Encoding
	args               *Arg
	fix, idle          *Fixed
	nArgs, nFix, nIdle uint32
}

func keyOf(d *Def) shapeKey {
	return shapeKey{d.Enc, first(d.Args), first(d.Fix), first(d.Idle), uint32(len(d.Args)), uint32(len(d.Fix)), uint32(len(d.Idle))}
}

// first returns the address of a list's first element, nil if it is empty.
func first[T any](list []T) *T {
	if len(list) == 0 {
		return nil
	}
	return &list[0]
}

// A maker makes the shapes of a set: it records what it has seen, and allocates the many small lists in large pieces.
type maker struct {
	used     []bool // by Name: a row or layout has it
	shapes   room[shape]
	sides    room[sides]
	parts    room[Part]
	checks   room[check]
	slots    room[slot]
	numbers  room[uint8]
	operands room[*Arg]
	refused  map[*Kind][]uint64 // see check.reserved
	readings map[*Kind]*reading
	reads    room[reading]
	words    room[shortWord]
	choices  map[choiceKey]*choice
}

func newMaker(names int) *maker {
	return &maker{used: make([]bool, names), shapes: room[shape]{chunk: 32}, sides: room[sides]{chunk: 32}, parts: room[Part]{chunk: 32},
		checks: room[check]{chunk: 64}, slots: room[slot]{chunk: 128}, numbers: room[uint8]{chunk: 4096}, operands: room[*Arg]{chunk: 256}, refused: map[*Kind][]uint64{}, readings: map[*Kind]*reading{},
		reads: room[reading]{chunk: 64}, words: room[shortWord]{chunk: 128}, choices: map[choiceKey]*choice{}}
}

// reserved returns the reserved values of a kind as a bit each; nil: there are none.
func (m *maker) reserved(k *Kind) []uint64 {
	if len(k.Reserved) == 0 {
		return nil
	}
	if list, ok := m.refused[k]; ok {
		return list
	}
	var list []uint64
	if slices.Contains(k.Reserved, true) {
		list = make([]uint64, (len(k.Reserved)+63)/64)
	}
	for v, no := range k.Reserved {
		if no {
			list[v/64] |= 1 << (v % 64)
		}
	}
	m.refused[k] = list
	return list
}

// A room is memory that is handed out in small pieces.
type room[T any] struct {
	left  []T
	chunk int // how many values are allocated at a time
}

// take returns a slice of n zero values.
func (r *room[T]) take(n int) []T {
	if len(r.left) < n {
		r.left = make([]T, max(n, r.chunk))
	}
	piece := r.left[:n:n]
	r.left = r.left[n:]
	return piece
}
