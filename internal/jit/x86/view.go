package x86

// Kinds of operands.
const (
	General   = iota + 1 // register
	Vector               // register
	MaskReg              // register
	Memory               // with a general register as index, or none
	Gathered             // memory with a vector as index
	Immediate            // number
	Target               // of a jump
	Rounding             // Num is 0 to 3 as in MXCSR, or 4: use MXCSR; exceptions are suppressed in both cases
)

// NoRegister is the number of an absent base or index, NextIP that of a base which is the address of the next
// instruction.
const (
	NoRegister = none
	NextIP     = ripBase
)

// A View is an operand in a form for emulators.
type View struct {
	What        int
	Num         int   // of a register or rounding
	Bits        int   // of a register, or of the vector that is an index
	Base, Index int   // registers of memory
	Scale       int   // power of two
	Imm         int64 // number, displacement, or byte distance from the next instruction
	Size        int   // bytes of memory, of one element for gathers and broadcasts; 0: any
	Bcst        int   // number of elements of a broadcast
	Mask        int   // write mask, 0: none
	Zero        bool
}

// registerBits are the bits of registers, and of vectors of indices, by kind.
var registerBits = [...]struct {
	kind kind
	bits int
}{{r8, 8}, {r16, 16}, {r32, 32}, {r64, 64}, {vx, 128}, {vy, 256}, {vz, 512}, {kreg, 64}, {vsibX, 128}, {vsibY, 256}, {vsibZ, 512}}

// View returns the contents of the operand.
func (o Operand) View() View {
	v := View{
		Num: int(o.num), Imm: o.imm, Size: int(o.size), Bcst: int(o.bcst), Mask: int(o.mask), Zero: o.zero,
		Base: int(o.base), Index: int(o.index), Scale: int(o.scale),
	}
	for _, r := range registerBits {
		if r.kind == o.kind {
			v.Bits = r.bits
		}
	}
	switch {
	case o.kind&(r8|r16|r32|r64) != 0:
		v.What = General
	case o.kind&anyVec != 0:
		v.What = Vector
	case o.kind == kreg:
		v.What = MaskReg
	case o.kind == memory:
		v.What = Memory
	case o.kind&anyVSIB != 0:
		v.What = Gathered
	case o.kind == imm:
		v.What = Immediate
	case o.kind == target:
		v.What = Target
	case o.kind == rounding:
		v.What = Rounding
	}
	return v
}

// Ops returns the number of instruction names.
func Ops() int { return len(compiled().names) }
