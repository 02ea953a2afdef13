package attila

import (
	"fmt"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/num"
)

// floatMode: denormals are kept, rounding is to nearest, saturation keeps -0 and makes NaN 1. isa/attila.md section 5.
const floatMode = num.ModeSet | num.SatNaNOne | num.SatNegZero

// An operand state is what Before has found out about the instruction under way.
type state struct {
	consts [3][]V // the words of constant operands
	row    *row
	mask   V
}

func start(l *isa.Lift) {
	l.Float(floatMode)
	l.Data = &state{}
}

// lifted surrounds every meaning: guard and constants before it, the end flag after it.
var lifted = &isa.Form{Before: before, After: after}

func of(l *isa.Lift) *state { return l.Data.(*state) }

func before(l *isa.Lift) {
	st := of(l)
	*st = state{row: l.In.Def.Data.(*row)}
	if why := outside(l.In); why != "" {
		l.Fail(ir.TrapReserved, l.In.Def.Name+": "+why)
		return
	}
	l.Guard(V{})
	if g := l.In.Word.Lo >> 10; g&1 != 0 {
		p := l.Get(predCell(g>>2&31), ir.I1)
		if g&2 != 0 {
			p = p.Not()
		}
		l.Guard(p)
	}
	loadConstants(l, st)
}

func after(l *isa.Lift) {
	if l.In.Word.Lo>>bitEnd&1 != 0 && !l.Done() {
		l.End()
	}
}

func predCell(n uint64) ir.Cell { return ir.Cell{File: FileP, Index: uint16(n)} }

// limits are how many registers a bank has.
var limits = [8]uint64{bankIn: NumIn, bankOut: NumOut, bankParam: 256, bankTemp: NumTemp, bankAddr: NumAddr, bankParam2: 256}

// files are the register files by bank.
var files = [8]uint8{bankIn: FileI, bankOut: FileO, bankTemp: FileR, bankAddr: FileA}

// outside says which register of the instruction does not exist; the reference reads and writes whatever lies there.
func outside(in *isa.Inst) string {
	w, f := in.Word, in.Def.Data.(*row).form
	for i := range f.registers(in) {
		if n := srcReg(w, i) & 255; n >= limits[bank(w, i)] {
			return fmt.Sprintf("there is no register %s", regNames[bank(w, i)][n])
		}
	}
	for i := range f.srcs {
		if n := srcReg(w, i) & 255; f.typ == ir.I1 && !isParam(bank(w, i)) && !literalBool(w, i) && n >= NumPred {
			return fmt.Sprintf("there is no predicate p%d", n)
		}
	}
	switch d := in.Def.Arg("dst"); {
	case f.result && d.Get(w) >= limits[w.Lo>>bitRBank&7]:
		return fmt.Sprintf("there is no register %s", regNames[w.Lo>>bitRBank&7][d.Get(w)])
	case d != nil && !f.result && d.Get(w) >= NumPred:
		return fmt.Sprintf("there is no predicate p%d", d.Get(w))
	}
	if n := w.Hi >> 24 & 255; f == ft && n >= NumUnit || in.Def.Arg("sample") != nil && n >= NumSample {
		return fmt.Sprintf("there is no unit, attribute or sample %d", n)
	}
	if r, _, _ := relField(w); usesRel(in) && r >= NumAddr {
		return fmt.Sprintf("there is no register a%d", r)
	}
	return ""
}

// registers is the number of sources that are registers of four components.
func (f *form) registers(in *isa.Inst) int {
	switch {
	case f.typ == ir.I1:
		return 0
	case in.Def.Enc == immForm:
		return f.srcs - 1
	}
	return f.srcs
}

// srcReg is register number and swizzle of source i.
func srcReg(w bits.Word, i int) uint64 { return w.Hi >> [...]int{0, 24, 40}[i] & 0xffff }

// usesRel reports whether the instruction addresses a constant relatively.
func usesRel(in *isa.Inst) bool {
	f := in.Def.Data.(*row).form
	n := f.srcs
	if in.Def.Enc == immForm {
		n--
	}
	for i := range n {
		if isParam(bank(in.Word, i)) {
			return relative(in.Word) && !f.jump
		}
	}
	return false
}

// constant is the access to a constant: four words.
var constant = ir.Mem{Space: ir.ConstSpace, Elem: 4, Count: 4, Align: 4}

// loadConstants reads all constant operands: once a wave, or where each lane's address register says. None of them
// is read unless all are there.
func loadConstants(l *isa.Lift, st *state) {
	n := st.row.form.srcs
	if l.In.Def.Enc == immForm {
		n--
	}
	var addrs [3]V
	count := 0 // of ops that can fault
	if st.row.form == ft {
		count++
	}
	var mask V
	if usesRel(l.In) {
		mask = l.Exec()
	}
	for i := range n {
		if isParam(bank(l.In.Word, i)) {
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

// constAddress is the address of constant operand i in bytes. isa/attila.md section 7.
func constAddress(l *isa.Lift, i int) V {
	n := srcReg(l.In.Word, i) & 255
	if bank(l.In.Word, i) == bankParam2 {
		n += 256
	}
	if !usesRel(l.In) {
		return l.I64(16 * n)
	}
	r, c, off := relField(l.In.Word)
	if st := of(l); st.row.form.typ == ir.I1 {
		c = 1 // see relBool
	}
	index := l.Get(ir.Cell{File: FileA, Index: uint16(4*r + c)}, ir.I32).SExt(ir.I64)
	return index.Add(l.I64(n + uint64(off))).Mul(l.I64(16))
}

// read is component c of source i, swizzled, as the form's type, with absolute value and sign. Component 3 is what
// scalar operands are.
func read(l *isa.Lift, i, c int) V {
	w, t := l.In.Word, of(l).row.form.typ
	var v V
	switch b := bank(w, i); {
	case i == 1 && l.In.Def.Enc == immForm:
		v = l.I32(uint32(w.Hi >> 32))
	case isParam(b):
		v = of(l).consts[i][pick(srcReg(w, i)>>8, c)]
	default:
		v = l.Get(ir.Cell{File: files[b], Index: uint16(srcReg(w, i)&255)*4 + uint16(pick(srcReg(w, i)>>8, c))}, ir.I32)
	}
	return signed(l, i, v.As(t))
}

// signed applies the absolute flag of source i, then the negate flag.
func signed(l *isa.Lift, i int, v V) V {
	w := l.In.Word
	if v.Type() == ir.F32 {
		if absolute(w, i) {
			v = v.FAbs()
		}
		if negated(w, i) {
			v = v.FNeg()
		}
		return v
	}
	if absolute(w, i) {
		v = intAbsolute(l, v)
	}
	if negated(w, i) {
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

// mask is the lanes in which the instruction has effects.
func mask(l *isa.Lift) V {
	st := of(l)
	if !st.mask.Valid() {
		st.mask = l.Mask()
	}
	return st.mask
}

// writeMask reports whether component c of the result is written.
func writeMask(l *isa.Lift, c int) bool { return l.In.Word.Lo>>bitMask>>(3-c)&1 != 0 }

// write writes the components of the result that the mask names, saturated if it is of floats.
func write(l *isa.Lift, out [4]V) {
	for c, v := range out {
		if writeMask(l, c) {
			setResult(l, c, v)
		}
	}
}

func setResult(l *isa.Lift, c int, v V) {
	w := l.In.Word
	n := l.In.Def.Arg("dst").Get(w)
	if v.Type() == ir.F32 && w.Lo>>bitSat&1 != 0 {
		v = v.FSat()
	}
	l.Set(ir.Cell{File: files[w.Lo>>bitRBank&7], Index: uint16(4*n) + uint16(c)}, v.As(ir.I32), mask(l))
}
