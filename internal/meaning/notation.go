package meaning

import (
	"fmt"
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

// infixesOf returns the ops that are written between their operands. Similar operators for signed and unsigned numbers
// are distinguished by a letter.
func infixesOf() map[ir.Op]infix {
	return map[ir.Op]infix{
		ir.IAdd: {"+", bindAdd}, ir.ISub: {"-", bindAdd}, ir.IMul: {"*", bindMul}, ir.And: {"&", bindAnd}, ir.Or: {"|", bindOr}, ir.Xor: {"^", bindXor},
		ir.Shl: {"<<", bindShift}, ir.ShlX: {"<<", bindShift}, ir.ShrU: {">>u", bindShift}, ir.ShrUX: {">>u", bindShift}, ir.ShrS: {">>s", bindShift},
		ir.ShrSX: {">>s", bindShift}, ir.Eq: {"==", bindCompare}, ir.Ne: {"!=", bindCompare}, ir.ULt: {"<u", bindCompare}, ir.ULe: {"<=u", bindCompare},
		ir.SLt: {"<s", bindCompare}, ir.SLe: {"<=s", bindCompare}, ir.FAdd: {"+", bindAdd}, ir.FSub: {"-", bindAdd}, ir.FMul: {"*", bindMul},
		ir.FDiv: {"/", bindMul}, ir.FEq: {"==", bindCompare}, ir.FLt: {"<", bindCompare}, ir.FLe: {"<=", bindCompare},
	}
}

// roundsOf returns the ops whose results are rounded.
func roundsOf() map[ir.Op]bool {
	return map[ir.Op]bool{ir.FAdd: true, ir.FSub: true, ir.FMul: true, ir.FMulZ: true, ir.FDiv: true, ir.FSqrt: true, ir.FFma: true, ir.FMad: true,
		ir.FLdexp: true, ir.FCvt: true, ir.SToF: true, ir.UToF: true}
}

// wordsOf returns the ops that manuals name differently from the IR; all others keep their name.
func wordsOf() map[ir.Op]string {
	return map[ir.Op]string{
		ir.FSat: "sat", ir.FSqrt: "sqrt", ir.FMulZ: "mulz", ir.FMad: "mad", ir.FMinNum: "min", ir.FMaxNum: "max", ir.FFloor: "floor", ir.FCeil: "ceil", ir.FTrunc: "trunc",
		ir.FRndne: "rndne", ir.FFract: "fract", ir.FLdexp: "ldexp", ir.FRcp: "rcp", ir.FRsq: "rsq", ir.FExp2: "exp2", ir.FLog2: "log2", ir.FSinRev: "sin2pi",
		ir.FCosRev: "cos2pi", ir.FSin: "sin", ir.FCos: "cos", ir.FCanon: "canonical", ir.FUnord: "unordered", ir.FClass: "class",
	}
}

// result returns the expression of result k of an op.
func (w *writer) result(in *ir.Inst, k int) expr {
	e := func(i int) expr { return w.exprs[in.Args[i]] }
	t := w.b.Vals[int(in.Res)+k].Type
	if op, ok := tables().infixes[in.Op]; ok {
		return expr{text: w.side(in, 0, op.binds) + " " + op.text + " " + w.side(in, 1, op.binds+1), binds: op.binds, rounded: tables().rounds[in.Op]}
	}
	switch in.Op {
	case ir.Const:
		return named(constant(t, in.Imm))
	case ir.Get:
		return w.get(in)
	case ir.GetX:
		return named(call(in.Op.String(), w.names.Read(in.Cell)+", "+w.operands(in)))
	case ir.Cast:
		return e(0)
	case ir.FFma:
		return expr{text: w.side(in, 0, bindMul) + " * " + w.side(in, 1, bindMul+1) + " + " + w.side(in, 2, bindAdd+1), binds: bindAdd, rounded: true}
	case ir.Ballot:
		if args, mask := w.masked(in); w.exprs[args[0]].runs && (mask == "" || mask == "1") || e(0).text == "1" && mask == "" {
			return named(execName) // as a number
		}
	case ir.FNeg, ir.INeg:
		return expr{text: "-" + w.side(in, 0, bindUnary), binds: bindUnary}
	case ir.Not:
		return expr{text: "~" + w.side(in, 0, bindUnary), binds: bindUnary}
	case ir.FAbs:
		return named("|" + e(0).text + "|")
	case ir.Select:
		return expr{text: w.side(in, 0, bindOr) + " ? " + w.side(in, 1, bindOr) + " : " + w.side(in, 2, bindSelect), binds: bindSelect}
	case ir.Pack:
		return w.pack(in)
	case ir.ZExt: // of the low part of a register with zeros above it: as for f16
		if t == ir.I32 && ofType(w.b.Vals[in.Args[0]].Type) == nil && w.halves(in.Args[0]) {
			return e(0)
		}
		return w.called(in, k, t)
	case ir.Extract:
		return named(bitsOf(w.side(in, 0, bindName), int(in.Imm), t.Bits()))
	case ir.Unpack:
		return named(bitsOf(w.side(in, 0, bindName), k*t.Bits(), t.Bits()))
	case ir.AddC, ir.SubB, ir.AddOv, ir.SubOv:
		return w.carried(in, k)
	case ir.AtomicRMW:
		args, mask := w.masked(in)
		return where(mask, w.atomic(in, args))
	case ir.Load:
		_, mask := w.masked(in)
		return where(mask, fmt.Sprintf("%s[%s]", memory(in), w.element(in, k)))
	}
	return w.called(in, k, t)
}

// where returns an expression that is 0 in lanes outside a mask; "": in all active lanes.
func where(mask, text string) expr {
	if mask == "" {
		return named(text)
	}
	return named("(" + mask + " ? " + text + " : 0)")
}

// element returns the location of element k of a load.
func (w *writer) element(in *ir.Inst, k int) string {
	if k == 0 {
		return w.exprs[in.Args[0]].text
	}
	return fmt.Sprintf("%s + %d", w.side(in, 0, bindAdd), k*int(in.Mem.Elem))
}

// halves reports whether a value is the bits of a 16-bit float as an integer.
func (w *writer) halves(v ir.Val) bool {
	for i := range w.b.Ops {
		if in := &w.b.Ops[i]; in.NRes > 0 && in.Res == v {
			return in.Op == ir.Cast && w.b.Vals[in.Args[0]].Type == ir.F16
		}
	}
	return false
}

// carriesOf returns the name of the second result of sums and differences.
func carriesOf() map[ir.Op]carry {
	return map[ir.Op]carry{
		ir.AddC: {" + ", "carry"}, ir.SubB: {" - ", "borrow"}, ir.AddOv: {" + ", "overflow"}, ir.SubOv: {" - ", "overflow"},
	}
}

// carried returns a sum or difference, or its flag.
func (w *writer) carried(in *ir.Inst, k int) expr {
	op := tables().carries[in.Op]
	text := w.side(in, 0, bindAdd) + op.sign + w.side(in, 1, bindAdd+1)
	if len(in.Args) > 2 && w.exprs[in.Args[2]].text != "0" {
		text += op.sign + w.side(in, 2, bindAdd+1)
	}
	if k == 1 {
		return named(call(op.flag, text))
	}
	return expr{text: text, binds: bindAdd}
}

// called returns a result in the notation of a call.
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
	case in.Op == ir.SFU:
		name = num.SFU(min(in.Imm, uint64(num.NumSFU))).String()
	case in.Op == ir.Insert:
		name = fmt.Sprintf("insert%d", in.Imm)
	}
	text := call(name, w.operands(in))
	if tables().rounds[in.Op] {
		var sides []string
		for i := range in.Args {
			sides = append(sides, w.side(in, i, bindSelect))
		}
		text = call(name, strings.Join(sides, ", "))
	}
	switch {
	case in.Op == ir.MulWideU || in.Op == ir.MulWideS:
		text += [...]string{".low", ".high"}[k]
	case in.NRes > 1:
		text += fmt.Sprintf("[%d]", k)
	}
	exact := in.Op == ir.FCvt && w.b.Vals[in.Args[0]].Type.Bits() <= t.Bits()
	return expr{text: text, binds: bindName, rounded: tables().rounds[in.Op] && !exact}
}

// side returns operand i for an operator of that precedence, in brackets if its own is lower. A value that was rounded
// before shows its rounding.
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

// pack returns two halves as one: an operand of two cells by its name, else both in braces, the high one first.
func (w *writer) pack(in *ir.Inst) expr {
	low, high := w.exprs[in.Args[0]].text, w.exprs[in.Args[1]].text
	for _, halves := range [...][2]string{{"[0]", "[1]"}, {".low", ".high"}} {
		if name, ok := strings.CutSuffix(low, halves[0]); ok && high == name+halves[1] {
			return named(name)
		}
	}
	return named("{" + high + ", " + low + "}")
}

// bitsOf returns bits of a value as [high:low].
func bitsOf(text string, at, n int) string {
	if n == 1 {
		return fmt.Sprintf("%s[%d]", text, at)
	}
	return fmt.Sprintf("%s[%d:%d]", text, at+n-1, at)
}

// constant formats a bit pattern in its usual notation.
func constant(t ir.Type, v uint64) string {
	switch {
	case t.IsFloat():
		return FloatText(t.Bits(), v)
	case v < 1024:
		return strconv.FormatUint(v, 10)
	}
	if s := int64(num.SExt(t.Bits(), 64, v)); s < 0 && s > -1024 {
		return strconv.FormatInt(s, 10)
	}
	return fmt.Sprintf("%#x", v)
}

// atomic returns the text of an atomic op.
func (w *writer) atomic(in *ir.Inst, args []ir.Val) string {
	name, _ := ir.AtomicName(in.Mem.Atomic)
	return fmt.Sprintf("atomic_%s(%s[%s], %s)", name, memory(in), w.exprs[args[0]].text, w.list(args[1:]))
}
