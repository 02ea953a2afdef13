package isa

import (
	"errors"
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/bits"
)

// An Encoding is the bit layout of a family of instructions. Bits are numbered as in the manual; bits that no range
// claims assemble as 0.
type Encoding struct {
	Name    string
	Bits    int // without a literal: 8 to 128
	Fixed   []Fixed
	Opcode  bits.Ranges
	Fields  []Field
	Literal *Literal // a constant that may follow; nil: none
	// Unclaimed is the policy for set bits that neither the layout nor the row claims.
	Unclaimed Policy
	// First gives the rows of this encoding precedence over others that match the same word.
	First  bool
	Source string // document and section
}

// Fixed is a range that always holds one value.
type Fixed struct {
	At    bits.Range
	Value uint64
}

// Must is a range of bits that identifies an encoding or a row.
func Must(lo, hi int, value uint64) Fixed { return Fixed{bits.Span(lo, hi), value} }

// A Field is a named range of a layout and the kind of its value.
type Field struct {
	Name string
	At   bits.Ranges
	Kind *Kind
}

// Bits returns the field in bits lo to hi.
func Bits(name string, lo, hi int, k *Kind) Field {
	return Field{name, bits.Ranges{bits.Span(lo, hi)}, k}
}

// A Literal is a constant that follows an instruction if a field asks for it.
type Literal struct {
	Fields []string // any of these may ask for it
	Code   uint64   // the value that asks for it
	Always bool     // it is always present
	At     bits.Range
}

// end returns the length in bytes of an instruction with the literal.
func (l *Literal) end() int { return (int(l.At.Hi) + 1) / 8 }

// Policy is the treatment of set bits that nothing claims.
type Policy uint8

const (
	Unknown Policy = iota // kept, reported by lint
	Ignored               // kept, silent: hardware is known to ignore them
	Zero                  // a decode error
)

// field returns the field of that name, or nil if there is none.
func (e *Encoding) field(name string) *Field {
	for i := range e.Fields {
		if e.Fields[i].Name == name {
			return &e.Fields[i]
		}
	}
	return nil
}

// CheckLayout reports fields of an encoding that overlap each other or its fixed bits, except for alternatives named
// in share.
func (e *Encoding) CheckLayout(share ...string) error {
	var used bits.Word
	add := func(name string, m bits.Word) error {
		if !used.And(m).IsZero() && !strings.Contains(" "+strings.Join(share, " ")+" ", " "+name+" ") {
			return fmt.Errorf("isa: encoding %s: %s overlaps another field", e.Name, name)
		}
		used = used.Or(m)
		return nil
	}
	var errs []error
	for _, f := range e.Fixed {
		errs = append(errs, add("fixed bits", f.At.Mask()))
	}
	errs = append(errs, add("opcode", e.Opcode.Mask()))
	for _, f := range e.Fields {
		errs = append(errs, add(f.Name, f.At.Mask()))
	}
	return errors.Join(errs...)
}

// A slot is the position of a value in a word, compiled: one run of bits, or two in one half of the word.
type slot struct {
	at    bits.Ranges
	mask  uint64 // of the value
	upper uint64 // the bits of mask that lie in the second run; 0: there is one run
	shift uint8
	next  uint8 // how far the bits of the second run lie above those of the value
	half  half
}

// A half says in which half of a word the bits of a slot lie.
type half uint8

const (
	lowHalf half = iota // one run, or none
	highHalf
	lowTwo // two runs
	highTwo
	several // in both halves, or in more runs
)

// newSlot compiles the ranges; a range across the middle of the word becomes two.
func newSlot(at bits.Ranges) slot {
	if len(at) == 1 && at[0].Lo < 64 && at[0].Hi >= 64 {
		at = bits.Ranges{{Lo: at[0].Lo, Hi: 63}, {Lo: 64, Hi: at[0].Hi}}
	}
	s := slot{at: at, mask: bits.Ones(at.Len())}
	switch {
	case len(at) == 0:
	case len(at) == 1:
		s.half, s.shift = half(at[0].Lo/64), at[0].Lo%64
	case len(at) == 2 && at[0].Lo/64 == at[1].Hi/64 && at[0].Hi < at[1].Lo:
		n := at[0].Len()
		s.half, s.shift, s.next = lowTwo+half(at[0].Lo/64), at[0].Lo%64, at[1].Lo%64-uint8(n)
		s.upper = s.mask &^ bits.Ones(n)
	default:
		s.half = several
	}
	return s
}

func (s *slot) get(w bits.Word) uint64 {
	switch s.half {
	case lowHalf:
		return w.Lo >> (s.shift & 63) & s.mask
	case highHalf:
		return w.Hi >> (s.shift & 63) & s.mask
	}
	return s.runs(w)
}

// runs is get for several runs.
func (s *slot) runs(w bits.Word) uint64 {
	x := w.Lo
	switch s.half {
	case several:
		return s.at.Get(w)
	case highTwo:
		x = w.Hi
	}
	return x>>(s.shift&63)&(s.mask&^s.upper) | x>>(s.next&63)&s.upper
}

func (s *slot) put(w bits.Word, v uint64) bits.Word {
	s.set(&w, v)
	return w
}

// set stores the value in the word.
func (s *slot) set(w *bits.Word, v uint64) {
	if s.half == lowHalf {
		w.Lo = w.Lo&^(s.mask<<(s.shift&63)) | v&s.mask<<(s.shift&63)
		return
	}
	s.setRuns(w, v)
}

// setRuns is set for anything but one run in the lower half.
func (s *slot) setRuns(w *bits.Word, v uint64) {
	in := &w.Lo
	switch s.half {
	case highHalf, highTwo:
		in = &w.Hi
	case several:
		*w = s.at.Put(*w, v)
		return
	}
	low := s.mask &^ s.upper
	m := low<<(s.shift&63) | s.upper<<(s.next&63)
	*in = *in&^m | v&low<<(s.shift&63) | v&s.upper<<(s.next&63)
}
