package rogue

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/num"
)

// Sums of products, in f16. docs/reference/rogue.md 5.10.

// Operations between products by code.
const (
	opAdd = iota
	opSub
	opMin
	opMax
	opRSub
)

func one16(l *isa.Lift) V { return l.Const(ir.F16, 0x3c00) }

// halfOf is the part of a word that an operand reads, as f16.
func halfOf(l *isa.Lift, v V, form uint64) V {
	switch {
	case form == formF32:
		return v.As(ir.F32).FCvt(ir.F16)
	case form < formU8:
		return half16(l, v, int(form-formF16))
	}
	b := v.ShrU(l.I32(8 * uint32(form-formU8))).And(l.I32(255))
	return b.UToF(ir.F32).FDiv(l.Const(ir.F32, 0x437f0000)).FCvt(ir.F16)
}

// abs16 clears the sign.
func abs16(v V) V { return v.As(ir.I16).And(v.As(ir.I16).K(0x7fff)).As(ir.F16) }

// neg16 flips the sign.
func neg16(v V) V { return v.As(ir.I16).Xor(v.As(ir.I16).K(0x8000)).As(ir.F16) }

// value is an operand with its modifiers applied: floor, absolute value, clamp, then negation or the difference to 1.
func (x *sopArg) value(l *isa.Lift) V {
	in, form := l.In, x.get(l.In, partElement)
	var v V
	switch sel := x.selector(in); sel {
	case pickZ:
		v = factorZ(l, form)
	case pickZero:
		v = l.Const(ir.F16, 0)
	default:
		v = halfOf(l, data(l).source(l, int(sel)), form)
	}
	if x.get(in, partFloor) != 0 {
		v = v.FUnord(v).Select(v, v.FFloor())
	}
	if x.get(in, partAbs) != 0 {
		v = abs16(v)
	}
	if x.get(in, partClamp) != 0 {
		v = v.FSat()
	}
	if x.get(in, partNeg) != 0 {
		v = neg16(v)
	}
	if x.get(in, partOneMinus) != 0 {
		v = one16(l).FSub(v)
	}
	return v
}

// factorZ is min(s1, 1 - s0), of the parts of these words that the form selects.
func factorZ(l *isa.Lift, form uint64) V {
	var v [2]V
	for n := range v {
		v[n] = halfOf(l, data(l).source(l, n), form)
		if l.In.Opt(nameZAbs) != 0 {
			v[n] = abs16(v[n])
		}
		if l.In.Opt(nameZClamp) != 0 {
			v[n] = v[n].FSat()
		}
	}
	return v[1].FMinNum(one16(l).FSub(v[0]))
}

// sopFma is a*b + c, with or without rounding of the product.
func sopFma(l *isa.Lift, a, b, c V) V {
	if l.Option(optSOP) == sopFused {
		return a.Fma(b, c)
	}
	return a.FMul(b).FAdd(c)
}

// sopCombine is x[0]*x[1] op x[2]*x[3].
func sopCombine(l *isa.Lift, op uint64, x []V) V {
	second := x[2].FMul(x[3])
	switch op {
	case opAdd:
		return sopFma(l, x[0], x[1], second)
	case opSub:
		return sopFma(l, x[0], x[1], neg16(second))
	case opRSub:
		return sopFma(l, neg16(x[0]), x[1], second)
	case opMin:
		return x[0].FMul(x[1]).FMinNum(second)
	}
	return x[0].FMul(x[1]).FMaxNum(second)
}

// sopTwo computes j and k: eight operands, two operations.
func sopTwo(l *isa.Lift) {
	defer keepDenormals(l.Builder)()
	st, x := data(l), info(l.In).sop
	var v [8]V
	for i := range v {
		v[i] = x.operands[i].value(l)
	}
	var out [2]V
	for i, op := range [...]uint64{l.In.Get(nameJop), l.In.Get(nameKop)} {
		of := v[4*i : 4*i+4]
		switch x.results[i].get(l.In, partOut) {
		case outSum:
			out[i] = sopCombine(l, op, of)
		case outFirst:
			out[i] = of[0]
		default:
			out[i] = of[2]
		}
	}
	switch {
	case x.results[0].parts[partElement] < 0:
		for i := range out {
			st.w[i] = out[i].FCvt(ir.F32).As(ir.I32)
		}
	case x.bytes:
		st.w[0] = l.I32(0)
		for i := range out {
			v, mask := spreadOut(l, out[i], x.results[i].get(l.In, partElement))
			st.w[0] = st.w[0].And(l.I32(^mask)).Or(v)
		}
	default:
		a, b := x.results[0].get(l.In, partElement), x.results[1].get(l.In, partElement)
		st.w[0] = halves(l, out[0], 1<<a).Or(halves(l, out[1], 1<<b))
	}
	x.move(l)
}

// spreadOut places a result in bytes or halves of a word; mask is their bits.
func spreadOut(l *isa.Lift, v V, elements uint64) (w V, mask uint32) {
	if elements < 16 {
		for e := range 4 {
			if elements>>e&1 != 0 {
				mask |= 0xff << (8 * e)
			}
		}
		return byteOf(l, v).Mul(l.I32(0x01010101 & mask)), mask
	}
	for e := range 2 {
		if elements>>e&1 != 0 {
			mask |= 0xffff << (16 * e)
		}
	}
	return halves(l, v, elements&3), mask
}

// byteOf converts an f16 to a fraction of 255, to nearest.
func byteOf(l *isa.Lift, v V) V {
	defer l.Float(l.Builder.Mode().WithRound(num.RNE))()
	return v.FSat().FCvt(ir.F32).FMul(l.Const(ir.F32, 0x437f0000)).FToU(ir.I32)
}

// sopFour computes four sums of three operands each.
func sopFour(l *isa.Lift) {
	defer keepDenormals(l.Builder)()
	st, x := data(l), info(l.In).sop
	var v [12]V
	for i := range v {
		v[i] = x.operands[i].value(l)
	}
	var out [4]V
	for i := range out {
		out[i] = sopFma(l, v[3*i], v[3*i+1], v[3*i+2])
		if x.results[i].get(l.In, partClamp) != 0 {
			out[i] = out[i].FSat()
		}
	}
	if x.bytes {
		st.w[0] = l.I32(0)
		for i := range out {
			st.w[0] = st.w[0].Or(byteOf(l, out[i]).Shl(l.I32(8 * uint32(i))))
		}
	} else {
		for i := range 2 {
			st.w[i] = halves(l, out[2*i], 1).Or(halves(l, out[2*i+1], 2))
		}
	}
	x.move(l)
}

// move moves a source into w1, if the text has a move.
func (x *sop) move(l *isa.Lift) {
	if x.moves >= 0 {
		data(l).w[1] = data(l).source(l, int(x.moves))
	}
}
