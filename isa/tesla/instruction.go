package tesla

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// V is a value of the IR.
type V = ir.V

// An operand is a part of a form: its text, and how semantics read or write it.
type operand struct {
	arg     isa.Arg
	get     func(l *isa.Lift, a *isa.Arg) V    // its value; nil: it is no source
	put     func(l *isa.Lift, a *isa.Arg, v V) // nil: it is no result
	located bool                               // it is a source that may be memory
	at      place                              // of such a source
	size    size
	uses    []string // the shared fields that it reads
}

// A form is the operands of an instruction in one layout, in text order.
type form struct {
	enc     *isa.Encoding
	ops     []operand
	args    []isa.Arg
	srcs    []int // indices in ops, and in args
	dsts    []int
	located []int    // of the sources that may be memory
	fulls   bool     // an operand is the only one that uses the address register
	carries bool     // an operand is the $c of the guard
	asked   bool     // the predicate is an operand: there is no guard
	first   place    // of the first source that may be memory
	legal   [4]uint8 // by stage: the legal memorySigns of its words
}

// A row is an instruction in one form.
type row struct {
	name     string
	op       uint64
	fix      []isa.Fixed
	form     *form
	mean     isa.Meaning
	doc      string
	ref      string // section of the reference
	stages   uint32
	variants uint32
	lack     isa.Lack
	note     string
	option   string // that selects the semantics, if sources are silent
	sign     sign   // of 16-bit sources, if no field says it
	bytes    int    // of an access to l[] or g[]
	unit     unit
	traits   isa.Traits // besides those that follow from the form and the operands
}

// origin returns the location of source i, one of those that may be memory, and its arg.
func (f *form) origin(in *isa.Inst, i int) (origin, *isa.Arg) {
	a := &in.Def.Args[i]
	return locate(in, f.ops[i].at, f.ops[i].size, a.Get(in.Word)), a
}

func rowOf(in *isa.Inst) *row { return in.Def.Data.(*row) }
