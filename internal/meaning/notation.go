package meaning

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/num"
)

// An infix is an operator between two operands.
type infix struct {
	text  string
	binds int
}

// infixesOf are the ops that are written between their operands. Those of signed and unsigned numbers that are alike have a letter.
func infixesOf() map[ir.Op]infix {
	return map[ir.Op]infix{
		ir.IAdd: {"+", bindAdd}, ir.ISub: {"-", bindAdd}, ir.IMul: {"*", bindMul}, ir.And: {"&", bindAnd}, ir.Or: {"|", bindOr}, ir.Xor: {"^", bindXor},
		ir.Shl: {"<<", bindShift}, ir.ShlX: {"<<", bindShift}, ir.ShrU: {">>u", bindShift}, ir.ShrUX: {">>u", bindShift}, ir.ShrS: {">>s", bindShift},
		ir.ShrSX: {">>s", bindShift}, ir.Eq: {"==", bindCompare}, ir.Ne: {"!=", bindCompare}, ir.ULt: {"<u", bindCompare}, ir.ULe: {"<=u", bindCompare},
		ir.SLt: {"<s", bindCompare}, ir.SLe: {"<=s", bindCompare}, ir.FAdd: {"+", bindAdd}, ir.FSub: {"-", bindAdd}, ir.FMul: {"*", bindMul},
		ir.FDiv: {"/", bindMul}, ir.FEq: {"==", bindCompare}, ir.FLt: {"<", bindCompare}, ir.FLe: {"<=", bindCompare},
	}
}

// roundsOf are the ops whose results are rounded.
func roundsOf() map[ir.Op]bool {
	return map[ir.Op]bool{ir.FAdd: true, ir.FSub: true, ir.FMul: true, ir.FMulZ: true, ir.FDiv: true, ir.FSqrt: true, ir.FFma: true, ir.FMad: true,
		ir.FLdexp: true, ir.FCvt: true, ir.SToF: true, ir.UToF: true}
}

// wordsOf are ops that manuals call otherwise than the IR; all others keep their name.
func wordsOf() map[ir.Op]string {
	return map[ir.Op]string{
		ir.FSat: "sat", ir.FSqrt: "sqrt", ir.FMulZ: "mulz", ir.FMad: "mad", ir.FMinNum: "min", ir.FMaxNum: "max", ir.FFloor: "floor", ir.FCeil: "ceil", ir.FTrunc: "trunc",
		ir.FRndne: "rndne", ir.FFract: "fract", ir.FLdexp: "ldexp", ir.FRcp: "rcp", ir.FRsq: "rsq", ir.FExp2: "exp2", ir.FLog2: "log2", ir.FSinRev: "sin2pi",
		ir.FCosRev: "cos2pi", ir.FSin: "sin", ir.FCos: "cos", ir.FCanon: "canonical", ir.FUnord: "unordered", ir.FClass: "class",
	}
}

// result is the expression of result k of an op.
func (w *writer) result(in *ir.Inst, k int) expr {
	e := func(i int) expr { return w.exprs[in.Args[i]] }
	t := w.b.Vals[int(in.Res)+k].Type
	if op, ok := tables().infixes[in.Op]; ok {
		return expr{w.side(in, 0, op.binds) + " " + op.text + " " + w.side(in, 1, op.binds+1), op.binds, tables().rounds[in.Op]}
	}
	switch in.Op {
	case ir.Const:
		return expr{constant(t, in.Imm), bindName, false}
	case ir.Get:
		return w.get(in)
	case ir.Cast:
		return e(0)
	case ir.FFma:
		return expr{w.side(in, 0, bindMul) + " * " + w.side(in, 1, bindMul+1) + " + " + w.side(in, 2, bindAdd+1), bindAdd, true}
	case ir.Ballot:
		if e(0).text == "1" { // of all that run
			return expr{execName, bindName, false}
		}
	case ir.FNeg, ir.INeg:
		return expr{"-" + w.side(in, 0, bindUnary), bindUnary, false}
	case ir.Not:
		return expr{"~" + w.side(in, 0, bindUnary), bindUnary, false}
	case ir.FAbs:
		return expr{"|" + e(0).text + "|", bindName, false}
	case ir.Select:
		return expr{w.side(in, 0, bindOr) + " ? " + w.side(in, 1, bindOr) + " : " + w.side(in, 2, bindSelect), bindSelect, false}
	case ir.Pack:
		return w.pack(in)
	case ir.ZExt: // of a register's low part, above which there are zeros: as of f16
		if t == ir.I32 && ofType(w.b.Vals[in.Args[0]].Type) == nil && w.halves(in.Args[0]) {
			return e(0)
		}
		return w.called(in, k, t)
	case ir.Extract:
		return expr{bitsOf(w.side(in, 0, bindName), int(in.Imm), t.Bits()), bindName, false}
	case ir.Unpack:
		return expr{bitsOf(w.side(in, 0, bindName), k*t.Bits(), t.Bits()), bindName, false}
	case ir.AddC, ir.SubB, ir.AddOv, ir.SubOv:
		return w.carried(in, k)
	case ir.AtomicRMW:
		return expr{fmt.Sprintf("%s(%s[%s], %s)", atomicName(in), memory(in), e(0).text, w.list(in.Args[1:])), bindName, false}
	case ir.Load:
		return expr{fmt.Sprintf("%s[%s]", memory(in), e(0).text), bindName, false}
	}
	return w.called(in, k, t)
}

// halves is whether a value is a float of 16 bits as an integer.
func (w *writer) halves(v ir.Val) bool {
	for i := range w.b.Ops {
		if in := &w.b.Ops[i]; in.NRes > 0 && in.Res == v {
			return in.Op == ir.Cast && w.b.Vals[in.Args[0]].Type == ir.F16
		}
	}
	return false
}

// carriesOf are what the second result of sums and differences is called.
func carriesOf() map[ir.Op]carry {
	return map[ir.Op]carry{
		ir.AddC: {" + ", "carry"}, ir.SubB: {" - ", "borrow"}, ir.AddOv: {" + ", "overflow"}, ir.SubOv: {" - ", "overflow"},
	}
}

// carried is a sum or difference, or its flag.
func (w *writer) carried(in *ir.Inst, k int) expr {
	op := tables().carries[in.Op]
	text := w.side(in, 0, bindAdd) + op.sign + w.side(in, 1, bindAdd+1)
	if len(in.Args) > 2 && w.exprs[in.Args[2]].text != "0" {
		text += op.sign + w.side(in, 2, bindAdd+1)
	}
	if k == 1 {
		return expr{call(op.flag, text), bindName, false}
	}
	return expr{text, bindAdd, false}
}

// called is a result that is written as a call.
func (w *writer) called(in *ir.Inst, k int, t ir.Type) expr {
	name := in.Op.String()
	switch word, ok := tables().words[in.Op]; {
	case ok:
		name = word
	case in.Op == ir.ZExt:
		name = fmt.Sprintf("u%d", t.Bits())
	case in.Op == ir.SExt:
		name = fmt.Sprintf("s%d", t.Bits())
	case in.Op == ir.Trunc:
		name = fmt.Sprintf("low%d", t.Bits())
	case in.Op == ir.FCvt || in.Op == ir.SToF || in.Op == ir.UToF:
		name = t.String()
	case in.Op == ir.Insert:
		name = fmt.Sprintf("insert%d", in.Imm)
	}
	text := call(name, w.list(in.Args))
	if in.NRes > 1 {
		text += []string{".low", ".high"}[min(k, 1)]
	}
	return expr{text, bindName, tables().rounds[in.Op]}
}

// side is operand i in an operator that binds so tightly, in brackets if it binds less. What has been rounded before says how.
func (w *writer) side(in *ir.Inst, i, binds int) string {
	e := w.exprs[in.Args[i]]
	if e.rounded && tables().rounds[in.Op] {
		return call(strings.Fields(in.Mode.String() + " rounded")[0], e.text)
	}
	if e.binds < binds {
		return "(" + e.text + ")"
	}
	return e.text
}

// pack is two halves as one: an operand of two cells by its name, else both in braces, the high one first.
func (w *writer) pack(in *ir.Inst) expr {
	low, high := w.exprs[in.Args[0]].text, w.exprs[in.Args[1]].text
	if name, ok := strings.CutSuffix(low, "[0]"); ok && high == name+"[1]" {
		return expr{name, bindName, false}
	}
	return expr{"{" + high + ", " + low + "}", bindName, false}
}

// bitsOf are bits of a value as [high:low].
func bitsOf(text string, at, n int) string {
	if n == 1 {
		return fmt.Sprintf("%s[%d]", text, at)
	}
	return fmt.Sprintf("%s[%d:%d]", text, at+n-1, at)
}

// constant is a bit pattern as people write it.
func constant(t ir.Type, v uint64) string {
	switch {
	case t == ir.F32:
		return strconv.FormatFloat(float64(math.Float32frombits(uint32(v))), 'g', -1, 32)
	case t == ir.F64:
		return strconv.FormatFloat(math.Float64frombits(v), 'g', -1, 64)
	case t == ir.F16:
		return strconv.FormatFloat(math.Float64frombits(num.FCvt(16, 64, num.ModeSet, v)), 'g', -1, 32)
	case v < 1024:
		return strconv.FormatUint(v, 10)
	}
	if s := int64(num.SExt(t.Bits(), 64, v)); s < 0 && s > -1024 {
		return strconv.FormatInt(s, 10)
	}
	return fmt.Sprintf("%#x", v)
}

// atomicName is what an atomic op does.
func atomicName(in *ir.Inst) string {
	name, _ := ir.AtomicName(in.Mem.Atomic)
	return "atomic_" + name
}
