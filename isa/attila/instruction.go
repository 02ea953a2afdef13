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
	op    uint64
	name  string
	class class
	form  *form
	soa   soa
	mean  mean
	doc   string
}

// A form is what rows share: operands, and the encoded values of unused fields.
type form struct {
	args    []isa.Arg // in text order, without guard, saturate and flags
	srcs    int       // how many of src1 to src3
	imm     *isa.Kind // kind of the immediate that may replace source 2
	results int       // number of results before the sources
	result  bool      // a register with mask and saturate
	typ     ir.Type   // of the sources
	jump    bool
	kills   bool // may set kill flags
	unit    bool // source 2 is a texture unit or attribute
	idle    []isa.Fixed
	canon   func(in *isa.Inst)
}

// A mean is semantics, and the components that they read of the sources and write of the result.
type mean struct {
	lift isa.Effect
	// reads are the components of each source, bit c for component c, before the swizzle; byMask: those of the write
	// mask.
	reads [3]uint8
	// all reports that the simulator writes the whole result, whatever the mask.
	all func(in *isa.Inst) bool
}

// Values of reads besides sets of components.
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

// rowOf returns the row of the table that an instruction is.
func rowOf(in *isa.Inst) *row { return in.Def.Data.(*row) }

// registers returns the number of sources that have a bank: an immediate replaces the second.
func (f *form) registers(in *isa.Inst) int {
	if f.immediate(in) {
		return f.srcs - 1
	}
	return f.srcs
}

// immediate reports whether an immediate replaces source 2.
func (f *form) immediate(in *isa.Inst) bool { return f.imm != nil && in.Has(nameImm) }

// sourceIndex returns the number of a source operand: a suffix and a result may precede the first.
func sourceIndex(in *isa.Inst, a *isa.Arg) int { return a.Index() - rowOf(in).form.first() }

// first returns the index of the first source in the row's args.
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

// A boolSource is the parts of a boolean source: a component of a constant, a predicate, or true and false.
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

// boolRel returns the relative addressing of conditions.
func boolRel(in *isa.Inst) relField {
	rel := relOf(in)
	if !rowOf(in).form.jump {
		rel.comp = relBoolComp
	}
	return rel
}

// relBoolComp is the component of the address register that relative constants of andp use.
const relBoolComp = 1
