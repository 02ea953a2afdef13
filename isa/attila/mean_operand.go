package attila

import (
	"fmt"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/num"
)

// floatMode: denormals are kept, rounding is to nearest, saturation keeps -0 and makes NaN 1.
// docs/reference/attila.md 5.
const floatMode = num.ModeSet | num.SatNaNOne | num.SatNegZero

// A state is what Before has computed for the present instruction.
type state struct {
	consts [3][]V // the words of constant operands
	row    *row
	mask   V
}

func start(l *isa.Lift) {
	l.Float(floatMode)
	if l.Data == nil {
		l.Data = &state{}
	}
	*of(l) = state{}
}

// lifted wraps all semantics: guard and constants before, the end flag after.
var lifted = &isa.Form{Before: before, After: after}

func of(l *isa.Lift) *state { return l.Data.(*state) }

func before(l *isa.Lift) {
	st := of(l)
	st.row = rowOf(l.In)
	if why := outside(l.In); why != "" {
		l.Fail(ir.TrapReserved, l.In.Def.Name+": "+why)
		return
	}
	if g := splitGuard(l.In.Get(nameGuard)); g.on {
		p := l.Get(predCell(g.pred), ir.I1)
		if g.not {
			p = p.Not()
		}
		l.Guard(p)
	}
	loadConstants(l, st)
}

func after(l *isa.Lift) {
	if l.In.Get(nameEnd) != 0 && !l.Done() {
		l.End()
	}
}

// outside names a register of the instruction that does not exist; the reference accesses whatever is stored there.
func outside(in *isa.Inst) string {
	f := rowOf(in).form
	for i := range f.registers(in) {
		n := srcReg(in, i)
		switch bank := srcBankOf(in, i); {
		case f.typ != ir.I1 && n >= limits[bank]:
			return fmt.Sprintf("there is no register %s", regNames[bank][n])
		case f.typ == ir.I1 && !isParam(bank) && !absolutes(in, i) && n >= NumPred:
			return fmt.Sprintf("there is no predicate p%d", n)
		}
	}
	if in.Has(nameDst) {
		switch n := in.Get(nameDst); {
		case f.result && n >= limits[in.Get(nameRBank)]:
			return fmt.Sprintf("there is no register %s", regNames[in.Get(nameRBank)][n])
		case !f.result && n >= NumPred:
			return fmt.Sprintf("there is no predicate p%d", n)
		}
	}
	if f.unit && in.Get(nameSrc2) >= NumUnit || in.Opt(nameSample) >= NumSample {
		return fmt.Sprintf("there is no unit, attribute or sample %d", max(in.Opt(nameSample), in.Opt(nameSrc2)))
	}
	if usesRel(in) && relOf(in).reg >= NumAddr {
		return fmt.Sprintf("there is no register a%d", relOf(in).reg)
	}
	return ""
}

// constant is the access to a constant: four words.
var constant = ir.Mem{Space: ir.ConstSpace, Elem: 4, Count: 4, Align: 4}

// loadConstants reads all constant operands: once per wave, or at the address of each lane's address register. None
// of them is read unless all exist.
func loadConstants(l *isa.Lift, st *state) {
	n := st.row.form.registers(l.In)
	var addrs [3]V
	count := 0 // of ops that can fault
	if st.row.form.unit {
		count++
	}
	var mask V
	if usesRel(l.In) {
		mask = l.Exec()
	}
	for i := range n {
		if isParam(srcBankOf(l.In, i)) {
			addrs[i] = constAddress(l, i)
			count++
		}
	}
	for _, a := range addrs {
		if a.Valid() && count > 1 {
			l.Check(constant, false, a, mask)
		}
	}
	for i, a := range addrs {
		if a.Valid() {
			st.consts[i] = l.Load(constant, ir.I32, a, mask)
		}
	}
}

// constAddress returns the address of constant operand i in bytes. docs/reference/attila.md 7.
func constAddress(l *isa.Lift, i int) V {
	n := srcReg(l.In, i)
	if srcBankOf(l.In, i) == bankParam2 {
		n += 256
	}
	if !usesRel(l.In) {
		return l.I64(16 * n)
	}
	rel := relOf(l.In)
	index := l.Get(addressCell(l.In, rel), ir.I32).SExt(ir.I64)
	return index.Add(l.I64(n + uint64(rel.offset))).Mul(l.I64(16))
}

// read returns component c of source i, swizzled, in the form's type, with absolute value and sign. Scalar operands
// are component 3.
func read(l *isa.Lift, i, c int) V {
	t := of(l).row.form.typ
	var v V
	switch {
	case i == 1 && of(l).row.form.immediate(l.In):
		v = l.I32(uint32(l.In.Get(nameImm)))
	case isParam(srcBankOf(l.In, i)):
		v = of(l).consts[i][pick(srcSwz(l.In, i), c)]
	default:
		v = l.Get(sourceCell(l.In, i, c), ir.I32)
	}
	return signed(l, i, v.As(t))
}

// signed applies the absolute flag of source i, then the negate flag.
func signed(l *isa.Lift, i int, v V) V {
	abs, neg := absolutes(l.In, i), negated(l.In, i)
	if v.Type() == ir.F32 {
		if abs {
			v = v.FAbs()
		}
		if neg {
			v = v.FNeg()
		}
		return v
	}
	if abs {
		v = intAbsolute(l, v)
	}
	if neg {
		v = v.Neg()
	}
	return v
}

// intAbsolute is |v|; the simulator converts v to a float and back.
func intAbsolute(l *isa.Lift, v V) V {
	if departs(l, intAbs) {
		defer l.Float(floatMode.WithRound(num.RNE))()
		return v.SToF(ir.F32).FAbs().FToU(ir.I32)
	}
	return v.SLt(v.K(0)).Select(v.Neg(), v)
}

// mask returns the lanes in which the instruction has effects.
func mask(l *isa.Lift) V {
	st := of(l)
	if !st.mask.Valid() {
		st.mask = l.Mask()
	}
	return st.mask
}

// named reports whether component c of the result is written.
func named(l *isa.Lift, c int) bool { return masks(l.In.Get(nameMask), c) }

// write writes the components of the result in the mask, saturated if it consists of floats.
func write(l *isa.Lift, out [4]V) {
	for c, v := range out {
		if named(l, c) {
			setResult(l, c, v)
		}
	}
}

func setResult(l *isa.Lift, c int, v V) {
	if v.Type() == ir.F32 && l.In.Get(nameSat) != 0 {
		v = v.FSat()
	}
	l.Set(resultCell(l.In, c), v.As(ir.I32), mask(l))
}
