package attila

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// V is a value of the IR: the meaning columns name its methods.
type V = ir.V

// soa says whether an instruction is legal in scalar mode. docs/reference/attila.md 4 and 11.
type soa uint8

const (
	whole  soa = iota // yes
	single            // with a mask of one component
	noSOA
)

// row is an instruction.
type row struct {
	op   uint64
	name string
	form *form
	soa  soa
	mean mean
	doc  string
}

// A form is what rows share: operands, and what the fields of others hold when they are encoded.
type form struct {
	args    []isa.Arg // in text order, without guard, saturate and flags
	srcs    int       // how many of src1 to src3
	imm     *isa.Kind // of the immediate that may take the place of source 2
	results int       // results in front of the sources
	result  bool      // a register with mask and saturate
	typ     ir.Type   // of the sources
	jump    bool
	kills   bool // may set kill flags
	unit    bool // source 2 is a texture unit or attribute
	idle    []isa.Fixed
	canon   func(in *isa.Inst)
}

// A mean is a meaning, and which components it reads of its sources and writes of its result.
type mean struct {
	lift isa.Eff
	// reads are the components of each source, bit c for component c, before the swizzle; byMask: those of the write mask.
	reads [3]uint8
	// all says that the result is written whole under the simulator, whatever the mask.
	all func(in *isa.Inst) bool
}

// What a meaning reads of a source, besides sets of components.
const (
	byMask  = 1 << 7
	compX   = 1 << 0
	compY   = 1 << 1
	compZ   = 1 << 2
	compW   = 1 << 3
	compAll = compX | compY | compZ | compW
)

// uses reports whether component c of source i is read.
func (m *mean) uses(in *isa.Inst, i, c int) bool {
	if m.reads[i] == byMask {
		return m.writes(in, c)
	}
	return m.reads[i]>>c&1 != 0
}

// writes reports whether component c of the result is written.
func (m *mean) writes(in *isa.Inst, c int) bool {
	return masks(in.Get(nameMask), c) || m.all != nil && m.all(in)
}

// rowOf is the row of the table that an instruction is.
func rowOf(in *isa.Inst) *row { return in.Def.Data.(*row) }

// registers is the number of sources that have a bank: an immediate takes the place of the second.
func (f *form) registers(in *isa.Inst) int {
	if f.immediate(in) {
		return f.srcs - 1
	}
	return f.srcs
}

// immediate reports whether an immediate takes the place of source 2.
func (f *form) immediate(in *isa.Inst) bool { return f.imm != nil && in.Has(nameImm) }

// sourceIndex is the number of a source operand: in front of the first there may be a suffix and a result.
func sourceIndex(in *isa.Inst, a *isa.Arg) int { return a.Index() - rowOf(in).form.first() }

// first is the index of the first source in the row's args.
func (f *form) first() int {
	n := 0
	if f.result {
		n++ // the suffix
	}
	return n + f.results
}

// usesRel reports whether the instruction addresses a constant relatively. A jump does not, though its text may say so.
// docs/reference/attila.md 12 no. 5.
func usesRel(in *isa.Inst) bool { return !rowOf(in).form.jump && showsRel(in) }

// showsRel reports whether the text of a constant is relative.
func showsRel(in *isa.Inst) bool {
	f := rowOf(in).form
	for i := range f.registers(in) {
		if isParam(srcBankOf(in, i)) {
			return relOf(in).on
		}
	}
	return false
}

// A boolSource is a boolean source taken apart: a component of a constant, a predicate, or true and false.
type boolSource struct {
	param, literal bool
	not            bool // of a literal: its value
	bank, n, swz   uint64
}

func splitBool(in *isa.Inst, i int) boolSource {
	b := boolSource{bank: srcBankOf(in, i), n: srcReg(in, i), swz: srcSwz(in, i), not: negated(in, i)}
	b.param = isParam(b.bank)
	b.literal = !b.param && absolutes(in, i)
	return b
}

// boolRel is the relative addressing of conditions.
func boolRel(in *isa.Inst) relField {
	rel := relOf(in)
	if !rowOf(in).form.jump {
		rel.comp = relBoolComp
	}
	return rel
}

// relBoolComp is the component of the address register that relative constants of andp take.
const relBoolComp = 1
