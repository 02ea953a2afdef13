package attila

import (
	"math/bits"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// validate reports registers that do not exist, and constants that become relative because another one is.
func validate(v *isa.View) (fs []isa.Finding) {
	in := v.Inst()
	if why := outside(in); why != "" {
		fs = append(fs, isa.Finding{Rule: ruleRegister, Msg: in.Def.Name + ": " + why, Source: "docs/reference/attila.md 3"})
	}
	seen := map[uint64]bool{}
	f := rowOf(in).form
	for i := range f.registers(in) {
		if bank := srcBankOf(in, i); isParam(bank) && f.typ != ir.I1 {
			seen[srcReg(in, i)|bank<<8] = true
		}
	}
	if usesRel(in) && len(seen) > 1 {
		fs = append(fs, isa.Finding{Rule: ruleRelative, Source: "docs/reference/attila.md 7",
			Msg: in.Def.Name + ": two constants, and relative addressing holds for both"})
	}
	return fs
}

// Scalar reports whether the instruction is legal in scalar mode, where an instruction writes one component.
// docs/reference/attila.md 11.
func Scalar(in *isa.Inst) bool {
	switch rowOf(in).soa {
	case whole:
		return true
	case noSOA:
		return false
	}
	return bits.OnesCount64(in.Get(nameMask)) == 1
}
