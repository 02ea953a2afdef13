package gcn

import (
	"strconv"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/num"
)

// V is a value of the IR: the meaning columns name its methods.
type V = ir.V

// Short names for the meaning column.
type (
	m1   = isa.Unary
	m2   = isa.Binary
	m3   = isa.Ternary
	m2x2 = isa.Binary2
	m3x2 = isa.Ternary2
	eff  = isa.Effect
)

// start prepares a lift: the float mode of f32, for code that names no type.
func start(l *isa.Lift) { l.Float(floatMode(l.Mode, f32, f32)) }

// skipVector leaves out a vector instruction while MODE says that they are skipped. docs/reference/gcn.md 3.3.
func skipVector(l *isa.Lift) {
	if l.Mode>>modeVSkip&1 != 0 && entryOf(l).vector {
		l.Skip()
	}
}

// floatMode returns the mode of an op that reads type in and returns type out, under the MODE register. Input
// denormals follow the input type's bit, rounding and output denormals the output's. docs/reference/gcn.md 3.
func floatMode(mode uint32, in, out typ) num.Mode {
	round := func(t typ) num.Mode {
		if t == f32 {
			return num.Mode(mode >> modeRound32 & 3)
		}
		return num.Mode(mode >> modeRound64 & 3)
	}
	denorm := func(t typ) uint32 {
		if t == f32 {
			return mode >> modeDenorm32 & 3
		}
		return mode >> modeDenorm64 & 3
	}
	if !out.float() {
		out = in
	}
	m := num.ModeSet | num.NaNFirst | round(out)
	if in.float() && denorm(in)&1 == 0 {
		m |= num.FlushIn
	}
	if denorm(out)&2 == 0 {
		m |= num.FlushOut
	}
	if mode>>modeDX10Clamp&1 != 0 {
		m |= num.DX10Clamp
	}
	if mode>>modeIEEE&1 != 0 {
		m |= num.IEEE
	}
	return m
}

// An entry is a row in one form as its lift sees it; Def.Data holds it.
type entry struct {
	gen      *gen // the generation
	in, out  typ  // of the first float source and of the first result, for the float mode
	src      [3]source
	dst      [2]result
	sources  int
	results  int
	branches bool
	images   struct {
		address int  // the address registers that every image has
		sampler bool // there is an S#
	}
	vector bool // skipped while MODE says so
	unit   unit
	class  string // of its unit: see Arch.Costs
}

// A source is an operand that the semantics read: its type, where it is encoded, its number among the sources that
// have modifiers, and how its form reads it. A result is the same for an operand that is written.
type source struct {
	t    typ
	at   isa.Name
	n    isa.Name
	read func(l *isa.Lift, s *source) V
}

type result struct {
	t     typ
	at    isa.Name
	write func(l *isa.Lift, r *result, x V)
}

func entryOf(l *isa.Lift) *entry { return l.In.Def.Data.(*entry) }

// genOf returns the generation whose instruction is lifted.
func genOf(l *isa.Lift) *gen { return &gens[l.Target.Variant] }

// readSource and writeResult use the functions in the entry of the row.
func readSource(l *isa.Lift, i int) V {
	s := &entryOf(l).src[i]
	return s.read(l, s)
}

func writeResult(l *isa.Lift, i int, x V) {
	r := &entryOf(l).dst[i]
	r.write(l, r, x)
}

// scalarWord returns one 32-bit word of the scalar source space, which is uniform. code is 0 to 127.
func scalarWord(l *isa.Lift, code int) V {
	switch code {
	case codeExec, codeExec + 1:
		lo, hi := execBits(l).Unpack(ir.I32)
		if code == codeExec {
			return lo
		}
		return hi
	}
	return l.Get(SGPR(code), ir.I32)
}

// execBits returns EXEC as a uniform 64-bit value.
func execBits(l *isa.Lift) V { return l.Exec().Ballot(l.I1(true)) }

// scalar returns n words (1 or 2) of the scalar space as i32 or i64.
func scalar(l *isa.Lift, code, words int) V {
	if code == codeExec && words == 2 {
		return execBits(l)
	}
	if words == 1 {
		return scalarWord(l, code)
	}
	return scalarWord(l, code).Pack(scalarWord(l, code+1), ir.I64)
}

// setScalar writes a uniform i32 or i64 to scalar registers.
func setScalar(l *isa.Lift, code int, v V) {
	if v.Type().Bits() == 64 {
		v = v.As(ir.I64)
		if code == codeExec {
			l.Set(CellExec, v.Lanes(), V{})
			return
		}
		lo, hi := v.Unpack(ir.I32)
		l.Set(SGPR(code), lo, V{})
		l.Set(SGPR(code+1), hi, V{})
		return
	}
	v = v.As(ir.I32)
	switch code {
	case codeExec:
		_, hi := execBits(l).Unpack(ir.I32)
		l.Set(CellExec, v.Pack(hi, ir.I64).Lanes(), V{})
	case codeExec + 1:
		lo, _ := execBits(l).Unpack(ir.I32)
		l.Set(CellExec, lo.Pack(v, ir.I64).Lanes(), V{})
	default:
		l.Set(SGPR(code), v, V{})
	}
}

// vgpr returns vector registers from n on as a value of the type.
func vgpr(l *isa.Lift, n int, t typ) V {
	if t.words() == 2 {
		return l.Get(VGPR(n), ir.I32).Pack(l.Get(VGPR(n+1), ir.I32), t.irType())
	}
	v := l.Get(VGPR(n), ir.I32)
	if t.bits() == 16 {
		return v.Extract(0, t.irType())
	}
	return v.As(t.irType())
}

// setVGPR writes a value to vector registers from n on, in the lanes of the mask. A 16-bit result clears the high half.
func setVGPR(l *isa.Lift, n int, v, m V) {
	switch v.Type().Bits() {
	case 64:
		lo, hi := v.Unpack(ir.I32)
		l.Set(VGPR(n), lo, m)
		l.Set(VGPR(n+1), hi, m)
	case 32:
		l.Set(VGPR(n), v.As(ir.I32), m)
	default:
		l.Set(VGPR(n), v.As(ir.IntOf(v.Type().Bits())).ZExt(ir.I32), m)
	}
}

// operand returns the operand of a source code of 8 or 9 bits as a value of the type: register, constant or literal.
func operand(l *isa.Lift, code int, t typ) V {
	switch {
	case code >= codeVGPR:
		return vgpr(l, code-codeVGPR, t)
	case code < codeInt0 && code != codeNull:
		v := scalar(l, code, t.words())
		if t.bits() == 16 {
			return v.Extract(0, t.irType())
		}
		return v.As(t.irType())
	case code == codeLiteral:
		return l.Const(t.irType(), literalValue(l.In.Literal(), t))
	case code == codeVCCZ, code == codeEXECZ, code == codeSCC:
		return flagValue(l, code, t)
	case code == codeLDSDirect:
		return ldsDirect(l, t)
	case reservedNames[code] != "":
		l.Fail(ir.TrapReserved, "source code "+strconv.Itoa(code)+" is reserved on this generation")
		return l.Const(t.irType(), 0)
	}
	return l.Const(t.irType(), entryOf(l).gen.codes.constant(code, t))
}

// literalValue returns a 32-bit literal as the operand type reads it: the high half of an f64, low bits of 16-bit
// types.
func literalValue(lit uint64, t typ) uint64 {
	switch {
	case t == f64:
		return lit << 32
	case t.bits() == 16:
		return lit & 0xffff
	}
	return lit
}

// flagValue returns VCCZ, EXECZ or SCC as 0 or 1.
func flagValue(l *isa.Lift, code int, t typ) V {
	var c V
	switch code {
	case codeVCCZ:
		c = vccz(l)
	case codeEXECZ:
		c = l.Exec().Any(l.I1(true)).Not()
	default:
		c = l.Get(CellSCC, ir.I1)
	}
	return c.ZExt(ir.IntOf(t.bits())).As(t.irType())
}

// vccz reports whether VCC is zero.
func vccz(l *isa.Lift) V { return scalar(l, codeVCC, 2).Eq(l.I64(0)) }
