package x86

import (
	"fmt"
	"strconv"
	"strings"
)

// A kind is the kind of an operand; patterns are sets of kinds.
type kind uint16

const (
	r8 kind = 1 << iota
	r16
	r32
	r64
	vx // 128 bits
	vy
	vz
	kreg
	memory
	vsibX // memory with a vector of 128 bits as index
	vsibY
	vsibZ
	imm
	target
	rounding
)

const (
	anyReg  = r8 | r16 | r32 | r64 | vx | vy | vz | kreg
	anyVec  = vx | vy | vz
	anyVSIB = vsibX | vsibY | vsibZ
	anyMem  = memory | anyVSIB
)

// none stands for no register, ripBase for the address of the next instruction.
const (
	none    = 0xff
	ripBase = 0xfe
)

// An Operand is a register, memory, an immediate, a jump target or a rounding. Operands are values; methods return
// changed copies.
type Operand struct {
	kind  kind
	num   uint8 // register, or rounding
	mask  uint8 // write mask, 1 to 7; 0: none; the constant none: an operand that cannot have a mask
	zero  bool
	base  uint8
	index uint8
	scale uint8 // power of two
	bcst  uint8 // number of elements that a broadcast element in memory fills
	size  uint8 // bytes of memory, 0: implied by the instruction
	imm   int64 // immediate, displacement, or number of a label
}

// General registers of 64 bits.
var (
	RAX = Operand{kind: r64, num: 0}
	RCX = Operand{kind: r64, num: 1}
	RDX = Operand{kind: r64, num: 2}
	RBX = Operand{kind: r64, num: 3}
	RSP = Operand{kind: r64, num: 4}
	RBP = Operand{kind: r64, num: 5}
	RSI = Operand{kind: r64, num: 6}
	RDI = Operand{kind: r64, num: 7}
	R8  = Operand{kind: r64, num: 8}
	R9  = Operand{kind: r64, num: 9}
	R10 = Operand{kind: r64, num: 10}
	R11 = Operand{kind: r64, num: 11}
	R12 = Operand{kind: r64, num: 12}
	R13 = Operand{kind: r64, num: 13}
	R14 = Operand{kind: r64, num: 14}
	R15 = Operand{kind: r64, num: 15}
)

// Roundings, each with exceptions suppressed: to nearest even, down, up, to zero, and as in MXCSR.
var (
	RoundNearest = Operand{kind: rounding, num: 0}
	RoundDown    = Operand{kind: rounding, num: 1}
	RoundUp      = Operand{kind: rounding, num: 2}
	RoundZero    = Operand{kind: rounding, num: 3}
	NoExceptions = Operand{kind: rounding, num: sae}
)

// sae is the number of the operand that only suppresses exceptions.
const sae = 4

// G returns general register i, 0 to 15, of that many bits: 8, 16, 32 or 64. With eight bits it is always the lowest
// byte.
func G(bits, i int) Operand {
	switch bits {
	case 8:
		return register(r8, i, 16)
	case 16:
		return register(r16, i, 16)
	case 32:
		return register(r32, i, 16)
	case 64:
		return register(r64, i, 16)
	}
	panic("x86: a general register of " + strconv.Itoa(bits) + " bits")
}

// R32 is general register i with 32 bits.
func R32(i int) Operand { return register(r32, i, 16) }

// R64 is general register i.
func R64(i int) Operand { return register(r64, i, 16) }

// X is vector register i, 0 to 31, with 128 bits.
func X(i int) Operand { return register(vx, i, 32) }

// Y is vector register i with 256 bits.
func Y(i int) Operand { return register(vy, i, 32) }

// Z is vector register i with 512 bits.
func Z(i int) Operand { return register(vz, i, 32) }

// V is vector register i with that many bits: 128, 256 or 512.
func V(bits, i int) Operand {
	switch bits {
	case 128:
		return X(i)
	case 256:
		return Y(i)
	case 512:
		return Z(i)
	}
	panic("x86: a vector register of " + strconv.Itoa(bits) + " bits")
}

// K is mask register i, 0 to 7.
func K(i int) Operand { return register(kreg, i, 8) }

func register(k kind, i, n int) Operand {
	if uint(i) >= uint(n) {
		panic("x86: there is no register " + strconv.Itoa(i) + " of " + strconv.Itoa(n))
	}
	return Operand{kind: k, num: uint8(i)}
}

// Imm returns an immediate. It may be given as a signed or as an unsigned number of the size that the instruction has
// for it.
func Imm(v int64) Operand { return Operand{kind: imm, imm: v} }

// At returns the memory at a 64-bit general register plus disp bytes.
func At(base Operand, disp int32) Operand {
	return Operand{kind: memory, base: address(base), index: none, imm: int64(disp)}
}

func address(r Operand) uint8 {
	if r.kind != r64 {
		panic("x86: " + r.String() + " is no base or index")
	}
	return r.num
}

// Plus returns the memory n bytes further on. It is not permitted for memory at a label.
func (o Operand) Plus(n int32) Operand {
	if o.kind&anyMem == 0 || o.base == ripBase {
		panic("x86: " + o.String() + " is not in memory, or at a label")
	}
	o.imm += int64(n)
	return o
}

// Index returns o plus a register times scale, which is 1, 2, 4 or 8: a 64-bit general register other than rsp, or a
// vector for gathers and scatters.
func (o Operand) Index(r Operand, scale int) Operand {
	switch {
	case o.kind != memory || o.index != none || o.base == ripBase:
		panic("x86: " + o.String() + " takes no index")
	case scale != 1 && scale != 2 && scale != 4 && scale != 8:
		panic("x86: scale " + strconv.Itoa(scale))
	case r.kind == vx:
		o.kind = vsibX
	case r.kind == vy:
		o.kind = vsibY
	case r.kind == vz:
		o.kind = vsibZ
	case address(r) == 4:
		panic("x86: rsp is no index")
	}
	o.index = r.num
	for ; scale > 1; scale >>= 1 {
		o.scale++
	}
	return o
}

// Size returns memory of that many bytes, for instructions that have several sizes.
func (o Operand) Size(bytes int) Operand {
	if o.kind&anyMem == 0 || bytes < 1 || bytes > 64 || bytes&(bytes-1) != 0 {
		panic("x86: " + o.String() + " of " + strconv.Itoa(bytes) + " bytes")
	}
	o.size = uint8(bytes)
	return o
}

// Bcst returns one element in memory that is broadcast to n.
func (o Operand) Bcst(n int) Operand {
	if o.kind != memory || n < 2 || n > 32 || n&(n-1) != 0 {
		panic("x86: " + o.String() + " to " + strconv.Itoa(n))
	}
	o.bcst = uint8(n)
	return o
}

// Mask returns a destination with a write mask, k1 to k7: other elements are unchanged.
func (o Operand) Mask(k Operand) Operand {
	if k.kind != kreg || k.num == 0 {
		panic("x86: " + k.String() + " is no write mask")
	}
	o.mask = k.num
	return o
}

// Zero returns a destination with a zeroing mask: other elements become 0.
func (o Operand) Zero(k Operand) Operand {
	o = o.Mask(k)
	o.zero = true
	return o
}

var (
	names8   = [16]string{"al", "cl", "dl", "bl", "spl", "bpl", "sil", "dil", "r8b", "r9b", "r10b", "r11b", "r12b", "r13b", "r14b", "r15b"}
	names16  = [16]string{"ax", "cx", "dx", "bx", "sp", "bp", "si", "di", "r8w", "r9w", "r10w", "r11w", "r12w", "r13w", "r14w", "r15w"}
	names32  = [16]string{"eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", "r8d", "r9d", "r10d", "r11d", "r12d", "r13d", "r14d", "r15d"}
	names64  = [16]string{"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"}
	roundOps = [...]string{"{rn-sae}", "{rd-sae}", "{ru-sae}", "{rz-sae}", "{sae}"}
	pointers = [...]string{1: "byte", 2: "word", 4: "dword", 8: "qword", 16: "xmmword", 32: "ymmword", 64: "zmmword"}
)

// String returns the operand in Intel's syntax.
func (o Operand) String() string {
	s := o.plain()
	if o.mask != 0 {
		s += fmt.Sprintf("{k%d}", o.mask)
	}
	if o.zero {
		s += "{z}"
	}
	return s
}

func (o Operand) plain() string {
	switch o.kind {
	case r8:
		return names8[o.num]
	case r16:
		return names16[o.num]
	case r32:
		return names32[o.num]
	case r64:
		return names64[o.num]
	case vx, vy, vz, kreg:
		return vectorName(o.kind, o.num)
	case imm:
		return strconv.FormatInt(o.imm, 10)
	case target:
		return "L" + strconv.FormatInt(o.imm, 10)
	case rounding:
		return roundOps[o.num]
	case 0:
		return "no operand"
	}
	return o.memory()
}

func vectorName(k kind, n uint8) string {
	head := "k"
	switch k {
	case vx, vsibX:
		head = "xmm"
	case vy, vsibY:
		head = "ymm"
	case vz, vsibZ:
		head = "zmm"
	}
	return head + strconv.Itoa(int(n))
}

func (o Operand) memory() string {
	var b strings.Builder
	if o.size != 0 {
		b.WriteString(pointers[o.size] + " ptr ")
	}
	b.WriteByte('[')
	switch o.base {
	case none:
	case ripBase:
		b.WriteString("rip+L" + strconv.FormatInt(o.imm, 10))
	default:
		b.WriteString(names64[o.base])
	}
	if o.index != none {
		if o.base != none {
			b.WriteByte('+')
		}
		index := names64[o.index&15]
		if o.kind != memory {
			index = vectorName(o.kind, o.index)
		}
		b.WriteString(index + "*" + strconv.Itoa(1<<o.scale))
	}
	switch {
	case o.base == none && o.index == none:
		b.WriteString(strconv.FormatInt(o.imm, 10))
	case o.base != ripBase && o.imm != 0:
		fmt.Fprintf(&b, "%+d", o.imm)
	}
	b.WriteByte(']')
	if o.bcst != 0 {
		fmt.Fprintf(&b, "{1to%d}", o.bcst)
	}
	return b.String()
}

// InMemory reports whether the operand is memory, including broadcasts.
func (o Operand) InMemory() bool { return o.kind&anyMem != 0 }

// Element returns the broadcast element in memory, and whether o is a broadcast.
func (o Operand) Element() (Operand, bool) {
	is := o.bcst != 0
	o.bcst = 0
	return o, is
}
