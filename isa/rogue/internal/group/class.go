package group

import (
	"slices"

	"github.com/heddle-gpu/heddle/isa"
)

// MaxBytes is the largest size of a group.
const MaxBytes = 32

// Classes of parts, in the order of text; those before the maps are instructions.
const (
	Header = iota
	P0
	P0Elements // instructions of phase 0 whose three bytes begin like others of two bytes
	P1
	Pack
	Test
	Move
	Backend
	Bitmask // has the bytes of the bit unit's phase 0
	Shift1  // a view of them
	Count   // a view of them
	Logical
	Shift2  // has the byte of the bit unit's phase 2
	BitTest // a view of it
	Control // header and instruction of a control group
	Lower
	Upper
	Selectors
	Dest
	Dest2
	NumClasses
)

// IsView reports whether parts of the class share the bytes of the part before.
func IsView(class uint8) bool { return class == Shift1 || class == Count || class == BitTest }

// Phases of a main group, as bits.
const (
	HasP0 = 1 << iota
	HasP1
	HasP2
	HasBackend
)

// PhaseSets are the possible sets of phases of a main group, by number.
var PhaseSets = [8]uint8{HasP0, HasP2, HasBackend, HasP0 | HasP1, HasP0 | HasP2, HasP0 | HasP1 | HasP2, HasP0 | HasP2 | HasBackend, HasP0 | HasP1 | HasP2 | HasBackend}

// PhaseOf is the phase of a class of a main group, as a bit; 0: it belongs to none.
func PhaseOf(class uint8) uint8 {
	switch class {
	case P0, P0Elements:
		return HasP0
	case P1:
		return HasP1
	case Pack, Test, Move:
		return HasP2
	case Backend:
		return HasBackend
	}
	return 0
}

// BitPhaseOf is the phase of a class of a bit group, as a bit; 0: it belongs to none.
func BitPhaseOf(class uint8) uint8 {
	switch class {
	case Bitmask, Shift1, Count:
		return 1
	case Logical:
		return 2
	case Shift2, BitTest:
		return 4
	}
	return 0
}

// bitPhaseClasses are the units of the phases of the bit unit, from the highest down.
var bitPhaseClasses = [...][]int{{Shift2, BitTest}, {Logical}, {Bitmask, Shift1, Count}}

// Tags of rows that the decoder asks for.
const (
	TagBits    = "bit-unit" // a header of the bit unit
	TagSources = "sources"  // a control instruction that has sources
	TagResult  = "result"   // and one that has a result
)

// EndOfPhase2 is the field that marks the last instruction of phase 2.
const EndOfPhase2 = "p2end"

// IsBits reports whether a row is of a header of the bit unit.
func IsBits(d *isa.Def) bool { return slices.Contains(d.Tags, TagBits) }

// IsMapped reports whether a row is of a control instruction whose groups have maps.
func IsMapped(d *isa.Def) bool {
	return slices.Contains(d.Tags, TagSources) || slices.Contains(d.Tags, TagResult)
}

// IsSourceless reports whether a row is of a control instruction with a result and no source. Such groups need no
// source maps; the form says whether they have some.
func IsSourceless(d *isa.Def) bool {
	return slices.Contains(d.Tags, TagResult) && !slices.Contains(d.Tags, TagSources)
}

// Bits of the header, from the first byte on.
const (
	lengthBits  = 15 // words of the group modulo 16
	assistShift = 4  // bytes before phases 1 and 0 modulo 16
	phasesShift = 12
	extBit      = 0x80 // of the second byte: the header has a third one
	aluShift    = 5    // of the third byte
	aluControl  = 3

	BitW0      = 9 // there is a result w0
	BitW1      = 10
	BitOverlap = 11 // the group checks for overlaps
	BitAtomic  = 19
	BitEnd     = 23 // the program ends
)

// results is the number of results that a header names.
func results(header uint64) int { return int(header>>BitW0&1 + header>>BitW1&1) }

// length is the number of bytes of a group.
func length(header uint64) int {
	if n := int(header&lengthBits) * 2; n != 0 {
		return n
	}
	return MaxBytes
}
