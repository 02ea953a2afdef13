package rogue

import (
	"slices"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/isa"
)

// Values of the selector of a factor or addend, besides sources 0 to 5.
const (
	pickZ    = 6 // min(s1, 1 - s0)
	pickZero = 7
)

// Parts of its word that an operand of a sum of products reads, by code.
const (
	formF32 = 0
	formF16 = 1 // the high half
	formU8  = 4 // to 7, by byte
)

// Results that a sum of products writes: the sum, or its first or second factor.
const (
	outSum = iota
	outFirst
	outSecond
)

// Parts of an operand or result by index, and their names.
const (
	partElement = iota
	partNeg
	partOneMinus
	partClamp
	partAbs
	partFloor
	partOut
	numSOPParts
)

var sopParts = [numSOPParts]string{partElement: "element", partNeg: "neg", partOneMinus: "oneminus", partClamp: "clamp", partAbs: "abs", partFloor: "flr", partOut: "out"}

// A sopArg is the location of the parts of an operand or result; -1: it has no such part.
type sopArg struct {
	arg   uint8
	parts [numSOPParts]int8
}

// get is the value of a part; 0 if there is none.
func (x *sopArg) get(in *isa.Inst, part int) uint64 {
	if i := x.parts[part]; i >= 0 {
		return in.Def.Args[x.arg].Part(in.Word, int(i))
	}
	return 0
}

// at is the location of a part.
func (x *sopArg) at(d *isa.Def, part int) bits.Ranges { return d.Args[x.arg].Parts[x.parts[part]].At }

// selector is the source that an operand selects.
func (x *sopArg) selector(in *isa.Inst) uint64 { return in.Def.Args[x.arg].Get(in.Word) }

// A sop is the location of the operands and results of a sum of products, in the order of text.
type sop struct {
	operands, results []sopArg
	bytes             bool // results are bytes of w0
	moves             int8 // the source that is moved into w1; -1: none
}

// shapeOf finds operands and results: these have an element or select the result.
func shapeOf(args []isa.Arg) *sop {
	x := sop{moves: -1}
	for i := range args {
		at := sopArg{arg: uint8(i)}
		for p := range at.parts {
			at.parts[p] = int8(slices.IndexFunc(args[i].Parts, func(q isa.Part) bool { return q.Name == sopParts[p] }))
		}
		switch {
		case len(args[i].Parts) == 0:
		case len(args[i].At) > 0:
			x.operands = append(x.operands, at)
		default:
			x.results = append(x.results, at)
		}
	}
	return &x
}

// sources are the sources that the operands select; bit n is source n.
func (x *sop) sources(in *isa.Inst) (used uint8) {
	for i := range x.operands {
		switch v := x.operands[i].selector(in); {
		case v < pickZ:
			used |= 1 << v
		case v == pickZ:
			used |= 3
		}
	}
	if x.moves >= 0 {
		used |= 1 << x.moves
	}
	return used
}
