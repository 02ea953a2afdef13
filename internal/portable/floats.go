package portable

import (
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/num"
)

// Functions of package num on rows, by signature.
type (
	row1    = func(m num.Mode, d *[64]uint32, a num.Arg32, n int)
	row2    = func(m num.Mode, d *[64]uint32, a, b num.Arg32, n int)
	row3    = func(m num.Mode, d *[64]uint32, a, b, c num.Arg32, n int)
	vec1    = func(m num.Mode, d *[64]uint64, a num.Arg64, n int)
	vec2    = func(m num.Mode, d *[64]uint64, a, b num.Arg64, n int)
	vec3    = func(m num.Mode, d *[64]uint64, a, b, c num.Arg64, n int)
	rowTest = func(m num.Mode, a, b num.Arg32, n int) uint64
	vecTest = func(m num.Mode, a, b num.Arg64, n int) uint64
	widen   = func(m num.Mode, d *[64]uint64, a num.Arg32, n int)
	narrow  = func(m num.Mode, d *[64]uint32, a num.Arg64, n int)
)

// A float is the function of package num for an op.
type float struct {
	op       ir.Op
	to, from int // bits of the op's type and of the first operand
	run      any // one of the types above
}

var floats = [...]float{
	{ir.FAdd, 32, 32, row2(num.RowsAdd32)}, {ir.FSub, 32, 32, row2(num.RowsSub32)}, {ir.FMul, 32, 32, row2(num.RowsMul32)},
	{ir.FMulZ, 32, 32, row2(num.RowsMulZ32)}, {ir.FDiv, 32, 32, row2(num.RowsDiv32)}, {ir.FRcp, 32, 32, row1(num.RowsRcp32)},
	{ir.FSqrt, 32, 32, row1(num.RowsSqrt32)}, {ir.FFma, 32, 32, row3(num.RowsFMA32)}, {ir.FMad, 32, 32, row3(num.RowsMad32)},
	{ir.FMinNum, 32, 32, row2(num.RowsMinNum32)}, {ir.FMaxNum, 32, 32, row2(num.RowsMaxNum32)},
	{ir.FMinSel, 32, 32, row2(num.RowsMinSel32)}, {ir.FMaxSel, 32, 32, row2(num.RowsMaxSel32)},
	{ir.FSat, 32, 32, row1(num.RowsSat32)}, {ir.FCanon, 32, 32, row1(num.RowsCanon32)},
	{ir.FFloor, 32, 32, row1(num.RowsFloor32)}, {ir.FCeil, 32, 32, row1(num.RowsCeil32)},
	{ir.FTrunc, 32, 32, row1(num.RowsTrunc32)}, {ir.FRndne, 32, 32, row1(num.RowsRndne32)}, {ir.FFract, 32, 32, row1(num.RowsFract32)},
	{ir.FEq, 32, 32, rowTest(num.RowsEq32)}, {ir.FLt, 32, 32, rowTest(num.RowsLt32)}, {ir.FLe, 32, 32, rowTest(num.RowsLe32)},
	{ir.FUnord, 32, 32, rowTest(num.RowsUnord32)},
	{ir.SToF, 32, 32, row1(num.RowsSToF32)}, {ir.UToF, 32, 32, row1(num.RowsUToF32)},
	{ir.UToF, 32, 16, row1(num.RowsUToF32)}, {ir.UToF, 32, 8, row1(num.RowsUToF32)}, // operands are zero-extended
	{ir.FToS, 32, 32, row1(num.RowsFToS32)}, {ir.FToU, 32, 32, row1(num.RowsFToU32)},
	{ir.FCvt, 64, 32, widen(num.RowsWiden32)}, {ir.FCvt, 32, 64, narrow(num.RowsNarrow64)}, {ir.FCvt, 32, 16, row1(num.RowsWiden16)},
	{ir.FAdd, 64, 64, vec2(num.RowsAdd64)}, {ir.FSub, 64, 64, vec2(num.RowsSub64)}, {ir.FMul, 64, 64, vec2(num.RowsMul64)},
	{ir.FDiv, 64, 64, vec2(num.RowsDiv64)}, {ir.FFma, 64, 64, vec3(num.RowsFMA64)}, {ir.FSqrt, 64, 64, vec1(num.RowsSqrt64)},
	{ir.FRcp, 64, 64, vec1(num.RowsRcp64)}, {ir.FSinRev, 64, 64, vec1(num.RowsSinRev64)}, {ir.FCosRev, 64, 64, vec1(num.RowsCosRev64)},
	{ir.FEq, 64, 64, vecTest(num.RowsEq64)}, {ir.FLt, 64, 64, vecTest(num.RowsLt64)}, {ir.FLe, 64, 64, vecTest(num.RowsLe64)},
	{ir.SToF, 64, 32, widen(num.RowsSToF64)}, {ir.UToF, 64, 32, widen(num.RowsUToF64)}, {ir.FToS, 32, 64, narrow(num.RowsFToS64)},
	{ir.FToU, 32, 64, narrow(num.RowsFToU64)},
}

// onFloats selects the function of package num for the op.
func (p *binder) onFloats(s *lower.Step, o *op, args []lower.Place) bool {
	if s.Type.Elems() != 1 || len(s.Inst.Args) == 0 {
		return false
	}
	for i := range floats {
		if f := &floats[i]; f.op == s.Op && f.to == s.Type.Bits() && f.from == s.From.Bits() {
			o.run = o.float(f.run, args)
			o.put(args)
			return true
		}
	}
	return false
}

// float returns the op of a function of package num for operands at these places.
func (o *op) float(run any, args []lower.Place) func(r *runner, o *op) bool {
	var k [3]lower.Kind
	for i := range args {
		k[i] = args[i].Kind
	}
	switch f := run.(type) {
	case row1:
		return func(r *runner, o *op) bool { f(o.mode, r.row(o.d), r.arg32(0, k[0], o.a), r.n); return true }
	case row2:
		return func(r *runner, o *op) bool {
			f(o.mode, r.row(o.d), r.arg32(0, k[0], o.a), r.arg32(1, k[1], o.b), r.n)
			return true
		}
	case row3:
		return func(r *runner, o *op) bool {
			f(o.mode, r.row(o.d), r.arg32(0, k[0], o.a), r.arg32(1, k[1], o.b), r.arg32(2, k[2], o.c), r.n)
			return true
		}
	case rowTest:
		return func(r *runner, o *op) bool {
			r.words[o.d] = f(o.mode, r.arg32(0, k[0], o.a), r.arg32(1, k[1], o.b), r.n) & r.full
			return true
		}
	case widen:
		return func(r *runner, o *op) bool { f(o.mode, r.vec(o.d), r.arg32(0, k[0], o.a), r.n); return true }
	case narrow:
		return func(r *runner, o *op) bool { f(o.mode, r.row(o.d), r.arg64(0, k[0], o.a), r.n); return true }
	}
	return o.double(run, k)
}

// double is float for operands and results of 64 bits.
func (o *op) double(run any, k [3]lower.Kind) func(r *runner, o *op) bool {
	switch f := run.(type) {
	case vec1:
		return func(r *runner, o *op) bool { f(o.mode, r.vec(o.d), r.arg64(0, k[0], o.a), r.n); return true }
	case vec2:
		return func(r *runner, o *op) bool {
			f(o.mode, r.vec(o.d), r.arg64(0, k[0], o.a), r.arg64(1, k[1], o.b), r.n)
			return true
		}
	case vec3:
		return func(r *runner, o *op) bool {
			f(o.mode, r.vec(o.d), r.arg64(0, k[0], o.a), r.arg64(1, k[1], o.b), r.arg64(2, k[2], o.c), r.n)
			return true
		}
	case vecTest:
		return func(r *runner, o *op) bool {
			r.words[o.d] = f(o.mode, r.arg64(0, k[0], o.a), r.arg64(1, k[1], o.b), r.n) & r.full
			return true
		}
	}
	panic("portable: a function of another shape")
}

// vec returns a vector in the form that package num takes.
func (r *runner) vec(at int32) *[64]uint64 { return (*[64]uint64)(&r.vecs[at]) }

// arg32 returns the 32-bit operand i in the form that package num takes.
func (r *runner) arg32(i int, k lower.Kind, at int32) num.Arg32 {
	if k == lower.InRow {
		return num.Arg32{V: r.row(at), K: ir.MaxLanes - 1}
	}
	v := &r.scratch().numbers[i]
	v[0] = uint32(r.words[at])
	return num.Arg32{V: v}
}

// arg64 returns the 64-bit operand i in the form that package num takes.
func (r *runner) arg64(i int, k lower.Kind, at int32) num.Arg64 {
	if k == lower.InVec {
		return num.Arg64{V: r.vec(at), K: ir.MaxLanes - 1}
	}
	v := &r.scratch().wides[i]
	v[0] = r.words[at]
	return num.Arg64{V: v}
}

// onLanes builds an op from its scalar function, lane by lane, if operands and results are rows: the less frequent
// floats, and integers of other widths.
func (p *binder) onLanes(s *lower.Step, o *op, args []lower.Place) bool {
	if s.Wave || len(s.Res) != 1 || s.Res[0].Kind != lower.InRow || s.Op.Info().Class != ir.Pure {
		return false
	}
	var k [3]lower.Kind
	for i := range args {
		t := p.ir.Vals[s.Inst.Args[i]].Type
		if k[i] = args[i].Kind; k[i] != lower.InRow && k[i] != lower.InWord || t.Bits() > 32 || t == ir.I1 {
			return false
		}
	}
	n, from := s.Type.Bits(), s.From.Bits()
	o.put(args)
	if s.Op == ir.SFU {
		o.run = special(k[0], num.SFU(s.Imm).Function())
		return true
	}
	switch f := s.Inst.Meaning().(type) {
	case ir.Int1:
		o.run = each1(k, func(a uint64, _ *op) uint64 { return f(n, a) })
	case ir.IntCvt:
		o.run = each1(k, func(a uint64, _ *op) uint64 { return f(from, n, a) })
	case ir.BitsAt:
		o.run = each1(k, func(a uint64, o *op) uint64 { return f(from, n, o.imm, a) })
	case ir.Flt1:
		o.run = each1(k, func(a uint64, o *op) uint64 { return f(n, o.mode, a) })
	case ir.FltCvt:
		o.run = each1(k, func(a uint64, o *op) uint64 { return f(from, n, o.mode, a) })
	case ir.Int2:
		o.run = each2(k, func(a, b uint64, _ *op) uint64 { return f(n, a, b) })
	case ir.BitsInto:
		o.run = each2(k, func(a, b uint64, o *op) uint64 { return f(n, from, o.imm, a, b) })
	case ir.Flt2:
		o.run = each2(k, func(a, b uint64, o *op) uint64 { return f(n, o.mode, a, b) })
	case ir.Int3:
		o.run = each3(k, func(a, b, c uint64, _ *op) uint64 { return f(n, a, b, c) })
	case ir.Flt3:
		o.run = each3(k, func(a, b, c uint64, o *op) uint64 { return f(n, o.mode, a, b, c) })
	default:
		return false
	}
	return true
}

// special is a function of a special function unit.
func special(k lower.Kind, f func(a uint32) uint32) func(r *runner, o *op) bool {
	return func(r *runner, o *op) bool {
		d, a := r.row(o.d), r.arg32(0, k, o.a)
		for i := range r.st.Lanes {
			d[i&63] = f(a.V[i&a.K&63])
		}
		return true
	}
}

func each1(k [3]lower.Kind, f func(a uint64, o *op) uint64) func(r *runner, o *op) bool {
	return func(r *runner, o *op) bool {
		d, a := r.row(o.d), r.arg32(0, k[0], o.a)
		for i := range r.st.Lanes {
			d[i&63] = uint32(f(a.At(i), o))
		}
		return true
	}
}

func each2(k [3]lower.Kind, f func(a, b uint64, o *op) uint64) func(r *runner, o *op) bool {
	return func(r *runner, o *op) bool {
		d, a, b := r.row(o.d), r.arg32(0, k[0], o.a), r.arg32(1, k[1], o.b)
		for i := range r.st.Lanes {
			d[i&63] = uint32(f(a.At(i), b.At(i), o))
		}
		return true
	}
}

func each3(k [3]lower.Kind, f func(a, b, c uint64, o *op) uint64) func(r *runner, o *op) bool {
	return func(r *runner, o *op) bool {
		d, a, b, c := r.row(o.d), r.arg32(0, k[0], o.a), r.arg32(1, k[1], o.b), r.arg32(2, k[2], o.c)
		for i := range r.st.Lanes {
			d[i&63] = uint32(f(a.At(i), b.At(i), c.At(i), o))
		}
		return true
	}
}
