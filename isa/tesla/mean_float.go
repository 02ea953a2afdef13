package tesla

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/num"
)

// Instructions on f32. docs/reference/tesla.md 7.

// f32Mode reads denormals as zeros and returns none; products are rounded with an unbounded exponent.
const f32Mode = num.FlushIn | num.FlushOut | num.FlushUnbounded | num.NaNOnes

// roundings are the values of nameRound.
var roundings = [4]num.Mode{num.RNE, num.RDown, num.RUp, num.RZ}

// rounding returns the rounding mode of the instruction: to nearest by default.
func rounding(l *isa.Lift) num.Mode { return roundings[l.In.Opt(nameRound)&3] }

// f32 sets the mode for what follows.
func f32(l *isa.Lift, round num.Mode) { l.Float(round.With(f32Mode)) }

// signed returns a, the bits of a float, without its sign if the instruction has the word abs, then negated if it has
// neg.
func signed(l *isa.Lift, a V, neg, abs isa.Name) V {
	sign := uint64(1) << (a.Type().Bits() - 1)
	if set(l, abs) {
		a = a.And(a.K(sign - 1))
	}
	if set(l, neg) {
		a = a.Xor(a.K(sign))
	}
	return a
}

// negated returns a source without absolute value.
func negated(l *isa.Lift, a V, neg isa.Name) V {
	if set(l, neg) {
		return a.Xor(a.K(1 << (a.Type().Bits() - 1)))
	}
	return a
}

// floatFlags returns a float result, bits and number, in the current float mode: Z and S are those of a comparison
// with 0.
func floatFlags(l *isa.Lift, v, x V) result {
	if !flagged(l) {
		return result{v: v}
	}
	zero := l.Const(x.Type(), 0)
	return result{v: v, z: zero.FLt(x.FAbs()).Not(), s: zero.FLe(x).Not()}
}

// f32Result returns a result of type F32, saturated if the instruction requests it.
func f32Result(l *isa.Lift, x V, operands ...V) result {
	if set(l, nameSat) {
		x = saturated(l, x, operands...)
	}
	return unsaturated(l, x)
}

// unsaturated returns a result of type F32 without saturation.
func unsaturated(l *isa.Lift, x V) result { return floatFlags(l, x.As(ir.I32), x) }

// satNaN reports whether saturation turns a NaN into 0.
func satNaN(l *isa.Lift) bool {
	return l.Option(optSatNaN) == satZero && (l.Target.Variant == G200 || l.Target.Variant == GT215)
}

// saturated returns x clamped to [0, 1]. G200 turns a NaN into 0 only if one of the operands is one.
func saturated(l *isa.Lift, x V, operands ...V) V {
	if !satNaN(l) {
		return x.FSat()
	}
	restore := l.Float(l.Builder.Mode().With(num.DX10Clamp))
	zero := x.FSat()
	restore()
	if l.Target.Variant != G200 || len(operands) == 0 {
		return zero
	}
	return anyNaN(operands...).Select(zero, x.FSat())
}

// anyNaN reports whether one of the floats is a NaN.
func anyNaN(xs ...V) V {
	is := xs[0].FUnord(xs[len(xs)-1])
	for i := 1; i+1 < len(xs); i++ {
		is = is.Or(xs[i].FUnord(xs[i]))
	}
	return is
}

// fadd: neg1 and neg2 are those of its two sources.
func fadd(l *isa.Lift, a, b V) result {
	f32(l, rounding(l))
	x, y := negated(l, a, nameNeg1).As(ir.F32), negated(l, b, nameNeg2).As(ir.F32)
	return f32Result(l, x.FAdd(y), x, y)
}

func fmul(l *isa.Lift, a, b V) result {
	f32(l, rounding(l))
	x, y := negated(l, a, nameNeg1).As(ir.F32), negated(l, b, nameNeg2).As(ir.F32)
	if l.Option(optZero) == zeroWins {
		return f32Result(l, x.FMulZ(y), x, y)
	}
	return f32Result(l, x.FMul(y), x, y)
}

// fmad truncates the product, and rounds the sum to nearest; neg1 is that of the product.
func fmad(l *isa.Lift, a, b, c V) result {
	f32(l, num.RNE)
	x, y, z := negated(l, a, nameNeg1).As(ir.F32), b.As(ir.F32), negated(l, c, nameNeg3).As(ir.F32)
	v := x.Mad(y, z)
	if l.Option(optZero) != zeroWins {
		return f32Result(l, v, x, y, z)
	}
	zero := l.Const(ir.F32, 0)
	v = x.FEq(zero).Or(y.FEq(zero)).Select(z.FAdd(zero), v)
	if set(l, nameSat) && satNaN(l) { // a NaN hidden by a zero still counts
		return unsaturated(l, anyNaN(x, y).Select(zero, saturated(l, v, x, y, z)))
	}
	return f32Result(l, v, x, y, z)
}

// fcompared reports whether one of the conditions holds between two floats.
func fcompared(l *isa.Lift, cond uint64, x, y V) V {
	if cond&condU != 0 { // not to be in order as none of the others
		return compared(l, ^cond&condOrdered, x, y, V.FEq, V.FLt, V.FLe).Not()
	}
	return compared(l, cond&condOrdered, x, y, V.FEq, V.FLt, V.FLe)
}

// fset gives all ones, or 0.
func fset(l *isa.Lift, a, b V) result {
	f32(l, num.RNE)
	x, y := signed(l, a, nameNeg1, nameAbs1).As(ir.F32), signed(l, b, nameNeg2, nameAbs2).As(ir.F32)
	return intFlags(l, fcompared(l, l.In.Get(nameCond), x, y).Select(a.K(^uint64(0)), a.K(0)))
}

func fmin(l *isa.Lift, a, b V) result { return fminmax(l, a, b, V.FMinNum) }
func fmax(l *isa.Lift, a, b V) result { return fminmax(l, a, b, V.FMaxNum) }

func fminmax(l *isa.Lift, a, b V, choose func(a, b V) V) result {
	f32(l, num.RNE)
	x, y := signed(l, a, nameNeg1, nameAbs1).As(ir.F32), signed(l, b, nameNeg2, nameAbs2).As(ir.F32)
	return unsaturated(l, choose(x, y))
}

// fslct returns a source unchanged, and flags of its bits.
func fslct(l *isa.Lift, a, b, c V) result {
	f32(l, num.RNE)
	v := l.Const(ir.F32, 0).FLe(negated(l, c, nameNeg3).As(ir.F32)).Select(a, b)
	if !flagged(l) {
		return result{v: v}
	}
	z := v.And(v.K(1<<31 - 1)).Eq(v.K(0))
	return result{v: v, z: z, s: v.SLt(v.K(0)).And(z.Not())}
}

// special is a function of the special function unit; what has the words neg and abs applies them.
func special(f num.SFU) mean1 {
	return func(l *isa.Lift, a V) result { return result{v: signed(l, a, nameNeg1, nameAbs1).SFU(f)} }
}

// fex2 may saturate.
func fex2(l *isa.Lift, a V) result {
	v := a.SFU(num.TeslaEx2)
	if set(l, nameSat) {
		f32(l, num.RNE)
		v = saturated(l, v.As(ir.F32)).As(ir.I32)
	}
	return result{v: v}
}

// Operations of quadop, by lane of the quad, and the lane of its first source.
const (
	quadAdd = iota
	quadSubR
	quadSub
	quadMov2

	quadDX = 4 // and 6: the horizontal neighbour
	quadDY = 5 // and 7: the vertical neighbour
)

// quadNames are the operations of lanes 0 to 3.
var quadNames = [4]isa.Name{nameQuad0, nameQuad1, nameQuad2, nameQuad3}

// quadop combines a source of one lane of the quad, active or not, with one of each lane.
func quadop(l *isa.Lift, a, b V) result {
	f32(l, num.RNE)
	from := l.In.Get(nameQuadLane)
	if from >= quadDX && l.In.Stage != FP {
		v := l.Const(ir.F32, 0)
		if l.Option(optQuadOut) == quadOutInf {
			v = l.Const(ir.F32, 0x7f800000)
		}
		return unsaturated(l, v)
	}
	id := l.LaneID()
	lane := id.And(id.K(^uint64(3))).Or(id.K(from))
	switch {
	case from >= quadDX && from&1 != 0:
		lane = id.Xor(id.K(2))
	case from >= quadDX:
		lane = id.Xor(id.K(1))
	}
	a, _ = a.ShuffleIn(4, lane, l.I1(true))
	a = quadSign(l, id, a, quadSubR)
	b = quadSign(l, id, b, quadSub)
	if m := quadLanes(l, quadMov2); m != 0 {
		a = quadBit(id, m).Ne(id.K(0)).Select(a.K(0), a)
	}
	return unsaturated(l, a.As(ir.F32).FAdd(b.As(ir.F32)))
}

// quadLanes returns the lanes of a quad with that operation, bit by bit.
func quadLanes(l *isa.Lift, op uint64) (lanes uint64) {
	for i, n := range quadNames {
		if l.In.Get(n) == op {
			lanes |= 1 << i
		}
	}
	return lanes
}

// quadBit returns the bit of the lane's position in its quad.
func quadBit(id V, lanes uint64) V { return id.K(lanes).ShrU(id.And(id.K(3))).And(id.K(1)) }

// quadSign returns v, negated in lanes with that operation.
func quadSign(l *isa.Lift, id, v V, op uint64) V {
	switch lanes := quadLanes(l, op); lanes {
	case 0:
		return v
	case 15:
		return v.Xor(v.K(1 << 31))
	default:
		return v.Xor(quadBit(id, lanes).Shl(id.K(31)))
	}
}
