package tesla

import (
	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/isa"
)

// Operands of forms: their fields and texts; the way to read and write them is in mean_operand.go.

func span(lo, hi int) bits.Ranges { return bits.Ranges{bits.Span(lo, hi)} }

// text returns an operand that consists of words only.
func text(words string) operand { return operand{arg: word(words)} }

// pick returns an operand that is one of a few words.
func pick(name string, lo, hi int, k *isa.Kind) operand {
	return operand{arg: isa.Arg{Name: name, At: span(lo, hi), Kind: k}}
}

// having returns the operand with parts before it.
func (o operand) having(parts ...isa.Part) operand {
	o.arg.Parts = append(parts, o.arg.Parts...)
	return o
}

// bitPart returns a part before an operand, of one bit.
func bitPart(name string, at int, k *isa.Kind) isa.Part {
	return isa.Part{Name: name, At: span(at, at), Kind: k, Side: isa.Before}
}

func sat(at int) isa.Part  { return bitPart("sat", at, saturate) }
func neg1(at int) isa.Part { return bitPart("neg1", at, negate) }
func neg2(at int) isa.Part { return bitPart("neg2", at, negate) }
func neg3(at int) isa.Part { return bitPart("neg3", at, negate) }
func abs1(at int) isa.Part { return bitPart("abs1", at, absolute) }
func abs2(at int) isa.Part { return bitPart("abs2", at, absolute) }

// mcdst is the $c that may precede a result.
var mcdst = isa.Part{Name: "cdst", Side: isa.Before}

func define(name string, at bits.Ranges, k *isa.Kind, width int) isa.Arg {
	return isa.Arg{Name: name, At: at, Kind: k, Role: isa.Define, Width: width}
}

func use(name string, at bits.Ranges, k *isa.Kind, width int) isa.Arg {
	return isa.Arg{Name: name, At: at, Kind: k, Role: isa.Use, Width: width}
}

// Results.
var (
	sDst   operand
	sDstH  operand
	lDst   operand
	lDstH  operand
	lDstD  operand
	llDst  operand
	llDstH operand
	aDst   operand
	cDst   operand
)

// loaded is a result of either width.
var loaded operand

// stored is a source of either width.
var stored operand

// Sources that are registers.
var (
	src1  operand
	src1H operand
	src1D operand
	src2  operand
	src2H operand
	src2D operand
	src3  operand
	src3D operand
	again operand
	aSrc  operand
)

// mayBeMemory is a source that may be memory.
func mayBeMemory(p place, z size) operand {
	name, fields := "src1", []string{"sel", "mem", "inc", "addr"}
	switch p {
	case immFirst:
		fields = []string{"mem", "inc", "addr"}
	case shortSecond:
		name = "src2"
	case longSecond:
		name, fields = "src2", append(fields, "bank")
	case longThird:
		name, fields = "src3", append(fields, "bank")
	}
	width := 32
	if z == half {
		width = 16
	}
	return operand{arg: use(name, nil, sources[p][z], width), located: true, at: p, size: z, uses: fields,
		get: func(l *isa.Lift, a *isa.Arg) V { return getLocated(l, a, p, z) }}
}

// Sources that may be memory, by the names of the reference text.
var (
	ssh, ssw   operand
	sch, scw   operand
	ish, isw   operand
	lsh, lsw   operand
	lc2h, lc2w operand
	lc3h, lc3w operand
)

// Constants.
var (
	immH operand
	immW operand
)

// constantIn is a constant of a field.
func constantIn(name string, lo, hi int, k *isa.Kind) operand {
	return operand{arg: isa.Arg{Name: name, At: span(lo, hi), Kind: k},
		get: func(l *isa.Lift, a *isa.Arg) V { return l.I32(uint32(a.Get(l.In.Word))) }}
}

// narrow is the constant as 16 bits.
func (o operand) narrow() operand {
	o.get = func(l *isa.Lift, a *isa.Arg) V { return l.Const(i16, a.Get(l.In.Word)) }
	return o
}

// carryIn is the $c of the guard, whose carry addc reads; flagsIn all of it.
var carryIn, flagsIn operand

// shortCarry is $c0, which short and immediate forms of addc read.
var shortCarry = operand{arg: isa.Arg{Name: "carry", At: nothing, Kind: carryZero, Role: isa.Use, Width: flags}}

// memory returns an operand whose address has a field of its own. define: it is written.
func memory(lo, hi int, k *isa.Kind, role isa.Role, fields ...string) operand {
	return operand{arg: isa.Arg{Name: "address", At: span(lo, hi), Kind: k, Role: role, Width: 32}, uses: fields}
}

// after returns the operand with a word after it.
func (o operand) after(k *isa.Kind, name string, at int) operand {
	o.arg.Parts = append(o.arg.Parts, isa.Part{Name: name, At: span(at, at), Kind: k, Side: isa.After})
	return o
}

// fillOperands makes the operands that rows share.
func fillOperands() {
	carryIn = operand{arg: isa.Arg{Name: "carry", At: nothing, Kind: guardCarry, Role: isa.Use, Width: flags}}
	flagsIn = operand{arg: isa.Arg{Name: "carry", At: nothing, Kind: guardFlags, Role: isa.Use, Width: flags}}
	sDst = operand{arg: define("dst", nil, lowRegister, 32), put: putRegister}
	sDstH = operand{arg: define("dst", nil, lowHalf, 16), put: putHalf}
	lDst = operand{arg: define("dst", span(2, 8), register, 32), put: putRegister}
	lDstH = operand{arg: define("dst", span(2, 8), halfRegister, 16), put: putHalf}
	lDstD = operand{arg: define("dst", span(2, 8), pairRegister, 64), put: putPair}
	llDst = operand{arg: define("dst", nil, anyResult, 32), put: putResult}
	llDstH = operand{arg: define("dst", nil, halfResult, 16), put: putHalfResult}
	aDst = operand{arg: define("dst", span(2, 4), addressRegister, 16), put: putAddress}
	cDst = operand{arg: define("flags", span(36, 37), flagRegister, flags)}
	loaded = operand{arg: define("dst", nil, eitherResult, 32), put: putEither}
	loaded.arg.Parts = []isa.Part{{Name: "wide", At: span(58, 58), Kind: hidden}}
	stored = operand{arg: use("src3", nil, eitherStored, 32), get: getEither}
	stored.arg.Parts = []isa.Part{{Name: "wide", At: span(53, 53), Kind: hidden}}
	src1 = operand{arg: use("src1", nil, register, 32), get: getRegister}
	src1H = operand{arg: use("src1", nil, halfRegister, 16), get: getHalf}
	src1D = operand{arg: use("src1", nil, pairRegister, 64), get: getPair}
	src2 = operand{arg: use("src2", nil, register, 32), get: getRegister}
	src2H = operand{arg: use("src2", nil, halfRegister, 16), get: getHalf}
	src2D = operand{arg: use("src2", nil, pairRegister, 64), get: getPair}
	src3 = operand{arg: use("src3", nil, register, 32), get: getRegister}
	src3D = operand{arg: use("src3", nil, pairRegister, 64), get: getPair}
	again = operand{arg: use("again", nothing, accumulator, 32), get: getAgain}
	aSrc = operand{arg: use("areg", addrBits, addressRegister, 16), get: getAddress}
	ssh, ssw = mayBeMemory(shortFirst, half), mayBeMemory(shortFirst, whole)
	sch, scw = mayBeMemory(shortSecond, half), mayBeMemory(shortSecond, whole)
	ish, isw = mayBeMemory(immFirst, half), mayBeMemory(immFirst, whole)
	lsh, lsw = mayBeMemory(longFirst, half), mayBeMemory(longFirst, whole)
	lc2h, lc2w = mayBeMemory(longSecond, half), mayBeMemory(longSecond, whole)
	lc3h, lc3w = mayBeMemory(longThird, half), mayBeMemory(longThird, whole)
	immH = operand{arg: isa.Arg{Name: "imm", Width: 16}, get: func(l *isa.Lift, a *isa.Arg) V { return l.Const(i16, a.Get(l.In.Word)&0xffff) }}
	immW = operand{arg: isa.Arg{Name: "imm", Width: 32}, get: func(l *isa.Lift, a *isa.Arg) V { return l.I32(uint32(a.Get(l.In.Word))) }}
}
