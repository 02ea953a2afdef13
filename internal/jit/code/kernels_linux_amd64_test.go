package code

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/heddle-gpu/heddle/internal/jit/x86"
)

// A kernel is generated code that keeps its values in as many registers as it can, between rows that it loads at entry
// and stores at exit. Args[0] is the number of remaining iterations; each takes one from the budget.
type kernel struct {
	name string
	rows int // of 16 words
	mode uint32
	make func(a *x86.Asm, bits int)
	want func(row int, words *[16]uint32, rounds uint64) // the effect of the iterations on a row
}

// kernels are integers in vectors, floats whose result depends on MXCSR, mask registers, and general registers.
var kernels = []kernel{
	{"integers", 12, mxcsr(nearest, false, false), integerKernel, wantIntegers},
	{"floats", 12, mxcsr(toZero, true, true), floatKernel, wantFloats},
	{"general", 1, mxcsr(nearest, false, false), generalKernel, wantGeneral},
	{"masks", 7, mxcsr(nearest, false, false), maskKernel, wantMasks},
}

// Constants of the integer kernel: a step is x*factor + term + row.
const (
	factor = 1664525
	term   = 1013904223
)

// frame emits what all kernels share: load, the loop with its budget, store, and the resume entry.
func frame(a *x86.Asm, load, round, store func()) {
	again, body, leave, done := a.NewLabel(), a.NewLabel(), a.NewLabel(), a.NewLabel()
	a.Bind(again)
	a.Emit(x86.MOV, x86.RSI, at(OffV))
	a.Emit(x86.MOV, x86.RCX, at(OffArgs))
	a.Emit(x86.MOV, x86.RDX, at(OffBudget))
	load()
	a.Bind(body)
	a.Emit(x86.SUB, x86.RCX, x86.Imm(1))
	a.Emit(x86.JB, x86.To(done))
	round()
	a.Emit(x86.SUB, x86.RDX, x86.Imm(1))
	a.Emit(x86.JNS, x86.To(body))
	a.Bind(leave)
	store()
	a.Emit(x86.MOV, at(OffArgs), x86.RCX)
	a.Emit(x86.LEA, x86.RAX, x86.RIP(again))
	a.Emit(x86.MOV, at(OffResume), x86.RAX)
	a.Emit(x86.MOV, at(OffReason).Size(4), x86.Imm(int64(OutOfBudget)))
	a.Emit(x86.RET)
	a.Bind(done)
	store()
	a.Emit(x86.MOV, at(OffReason).Size(4), x86.Imm(int64(Ended)))
	a.Emit(x86.RET)
}

// each calls f for each vector of n rows, with its number and its operand: twice as many with 256 bits.
func each(bits, n int, f func(i int, reg, mem x86.Operand)) {
	count := min(n*512/bits, 12)
	for i := range count {
		f(i, x86.V(bits, i), x86.At(x86.RSI, int32(i*bits/8)))
	}
}

func integerKernel(a *x86.Asm, bits int) {
	f, c := x86.V(bits, 13), x86.V(bits, 14)
	frame(a, func() {
		for reg, v := range map[x86.Operand]int64{f: factor, c: term} {
			a.Emit(x86.MOV, x86.R32(0), x86.Imm(v))
			a.Emit(x86.VMOVD, x86.X(15), x86.R32(0))
			a.Emit(x86.VPBROADCASTD, reg, x86.X(15))
		}
		each(bits, 12, func(_ int, reg, mem x86.Operand) { a.Emit(x86.VMOVUPS, reg, mem) })
	}, func() {
		each(bits, 12, func(_ int, reg, _ x86.Operand) {
			a.Emit(x86.VPMULLD, reg, reg, f)
			a.Emit(x86.VPADDD, reg, reg, c)
		})
	}, func() {
		each(bits, 12, func(_ int, reg, mem x86.Operand) { a.Emit(x86.VMOVUPS, mem, reg) })
	})
}

// wantIntegers computes the rows of the kernel's twelve registers.
func wantIntegers(_ int, words *[16]uint32, rounds uint64) {
	for i := range words {
		for range rounds {
			words[i] = words[i]*factor + term
		}
	}
}

// floatKernel adds to each number a value that leaves it unchanged only if the rounding is toward zero and subnormals
// are flushed.
func floatKernel(a *x86.Asm, bits int) {
	half, tiny := x86.V(bits, 13), x86.V(bits, 14)
	frame(a, func() {
		for reg, v := range map[x86.Operand]float32{half: 0x1.8p-24, tiny: 0x1p-127} {
			a.Emit(x86.MOV, x86.R32(0), x86.Imm(int64(math.Float32bits(v))))
			a.Emit(x86.VMOVD, x86.X(15), x86.R32(0))
			a.Emit(x86.VPBROADCASTD, reg, x86.X(15))
		}
		each(bits, 12, func(_ int, reg, mem x86.Operand) { a.Emit(x86.VMOVUPS, reg, mem) })
	}, func() {
		scratch := x86.V(bits, 12)
		each(bits, 12, func(i int, reg, _ x86.Operand) {
			a.Emit(x86.VMULPS, scratch, tiny, tiny) // 0
			a.Emit(x86.VADDPS, scratch, scratch, tiny)
			if i%2 == 0 {
				a.Emit(x86.VADDPS, reg, reg, half)
			}
			a.Emit(x86.VADDPS, reg, reg, scratch)
		})
	}, func() {
		each(bits, 12, func(_ int, reg, mem x86.Operand) { a.Emit(x86.VMOVUPS, mem, reg) })
	})
}

// wantFloats expects ones, as the rows begin here, and zeros in every other register: a subnormal is added to them.
func wantFloats(int, *[16]uint32, uint64) {}

// generalRegs are the general registers in which that kernel has values.
var generalRegs = []int{0, 3, 8, 9, 10, 11, 12, 13}

func generalKernel(a *x86.Asm, _ int) {
	place := func(i int) x86.Operand { return x86.At(x86.RSI, int32(8*i)) }
	frame(a, func() {
		for i, r := range generalRegs {
			a.Emit(x86.MOV, x86.R64(r), place(i))
		}
	}, func() {
		for i, r := range generalRegs {
			from := generalRegs[(i+1)%len(generalRegs)]
			a.Emit(x86.RORX, x86.R64(14), x86.R64(from), x86.Imm(23))
			a.Emit(x86.ADD, x86.R64(r), x86.R64(14))
			a.Emit(x86.MOV, x86.R64(15), x86.Imm(-0x61c8864680b583eb))
			a.Emit(x86.IMUL, x86.R64(r), x86.R64(15))
			a.Emit(x86.POPCNT, x86.R64(14), x86.R64(r))
			a.Emit(x86.XOR, x86.R64(r), x86.R64(14))
		}
	}, func() {
		for i, r := range generalRegs {
			a.Emit(x86.MOV, place(i), x86.R64(r))
		}
	})
}

func wantGeneral(_ int, words *[16]uint32, rounds uint64) {
	v := (*[8]uint64)(unsafe.Pointer(words))
	for range rounds {
		for i := range v {
			v[i] += bits.RotateLeft64(v[(i+1)%len(v)], -23)
			v[i] *= 0x9e3779b97f4a7c15
			v[i] ^= uint64(bits.OnesCount64(v[i]))
		}
	}
}

// maskKernel keeps seven masks in k1 to k7, which an iteration rotates and counts into vector registers 16 and up.
func maskKernel(a *x86.Asm, _ int) {
	frame(a, func() {
		a.Emit(x86.MOV, x86.R32(0), x86.Imm(1))
		a.Emit(x86.VPBROADCASTD, x86.Z(31), x86.R32(0))
		for i := range 7 {
			a.Emit(x86.VMOVDQU32, x86.Z(16+i), x86.At(x86.RSI, int32(64*i)))
			a.Emit(x86.MOVZX, x86.R32(0), x86.At(x86.RSI, int32(64*7+2*i)).Size(2))
			a.Emit(x86.KMOVW, x86.K(1+i), x86.R32(0))
		}
	}, func() {
		for i := range 7 {
			a.Emit(x86.VPADDD, x86.Z(16+i).Mask(x86.K(1+i)), x86.Z(16+i), x86.Z(31))
			a.Emit(x86.KSHIFTLW, x86.K(1+i), x86.K(1+i), x86.Imm(1))
			a.Emit(x86.KMOVW, x86.R32(0), x86.K(1+i))
			a.Emit(x86.TEST, x86.R32(0), x86.R32(0))
			a.Emit(x86.SETE, x86.G(8, 0))
			a.Emit(x86.MOVZX, x86.R32(0), x86.G(8, 0))
			a.Emit(x86.NEG, x86.R32(0)) // all bits once the mask is empty
			a.Emit(x86.KMOVW, x86.R32(3), x86.K(1+i))
			a.Emit(x86.OR, x86.R32(0), x86.R32(3))
			a.Emit(x86.KMOVW, x86.K(1+i), x86.R32(0))
		}
	}, func() {
		for i := range 7 {
			a.Emit(x86.VMOVDQU32, x86.At(x86.RSI, int32(64*i)), x86.Z(16+i))
			a.Emit(x86.KMOVW, x86.R32(0), x86.K(1+i))
			a.Emit(x86.MOV, x86.At(x86.RSI, int32(64*7+2*i)), x86.G(16, 0))
		}
	})
}

// wantMasks expects masks that begin as 0xffff.
func wantMasks(_ int, words *[16]uint32, rounds uint64) {
	mask := uint16(0xffff)
	for range rounds {
		for i := range words {
			words[i] += uint32(mask >> i & 1)
		}
		if mask <<= 1; mask == 0 {
			mask = 0xffff
		}
	}
}
