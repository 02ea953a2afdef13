package tesla

import "github.com/heddle-gpu/heddle/isa"

// A sign is whether the 16-bit source of an instruction has one.
type sign uint8

const (
	anySign sign = iota
	noSign
	isSigned
)

// wrongType says why s[] of a type cannot be the first source of an instruction, which has 16 bits; "": it can.
// docs/reference/tesla.md 5.4.
func wrongType(in *isa.Inst, t uint8) string {
	want, narrow := signOfSource(in)
	switch {
	case t == typeB32:
		return "32 bits of s[] for a source of 16 trap (ILLEGAL_MEMORY_SIZE)"
	case narrow && t != typeU8:
		return typeNames[t] + " of s[] for a source of 8 bits traps (ILLEGAL_MEMORY_BYTE)"
	case want == isSigned && t == typeU16, want == noSign && t == typeS16:
		return typeNames[t] + " of s[] for a source of the other sign traps (ILLEGAL_MEMORY_SIGN)"
	}
	return ""
}

// signOfSource returns the signedness of the first source of an instruction, and whether it has 8 bits.
func signOfSource(in *isa.Inst) (s sign, narrow bool) {
	switch {
	case in.Has(nameSigned1):
		return noSign + sign(in.Get(nameSigned1)&1), false
	case in.Has(nameSigned):
		return noSign + sign(in.Get(nameSigned)&1), false
	case in.Has(nameFrom):
		return noSign + sign(in.Get(nameFrom)>>1&1), in.Get(nameFrom)&1 != 0
	}
	return rowOf(in).sign, false
}
