package gen

import (
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/num"
)

// wide64Code returns the code of a step on 64-bit values, nil if there is none.
func (p *plan) wide64Code(s *lower.Step) wide64Code {
	if s.Kind != lower.Compute || len(s.Res) == 0 {
		return nil
	}
	if s.Type == ir.F64 || s.From == ir.F64 {
		if code := p.float64Code(s); code != nil {
			return code
		}
	}
	ok := false
	switch s.Op {
	case ir.ZExt: // rows are zero-extended
		ok = s.Type == ir.I64 && s.From != ir.I1 && s.From.Bits() <= 32 && s.Args[0].Kind == lower.InRow
	case ir.SExt:
		ok = s.Type == ir.I64 && s.From == ir.I32 && s.Args[0].Kind == lower.InRow
	case ir.SToF, ir.UToF:
		ok = s.Type == ir.F32 && s.From == ir.I64 && s.Args[0].Kind == lower.InVec
	case ir.Pack:
		ok = s.Type.Bits() == 64 && s.From.Bits() == 32 && all(s.Args, lower.InRow)
	case ir.Trunc, ir.Unpack:
		ok = s.Type.Bits() == 32 && s.From.Bits() == 64 && s.Args[0].Kind == lower.InVec
	case ir.Select:
		ok = s.Type.Bits() == 64 && s.Args[0].Kind != lower.InRow && all(s.Args[1:], lower.InVec)
	default:
		ok = s.Type == ir.I64 && all(s.Args, lower.InVec)
	}
	if !ok {
		return nil
	}
	return p.codeOf(ops64(), s.Op)
}

// float64Code returns the code of a step with f64 results or operands, nil if there is none.
func (p *plan) float64Code(s *lower.Step) wide64Code {
	m := s.Mode
	if s.Op.Info().Flags&ir.HasMode != 0 && (m.Has(num.FlushOut) && m.Has(num.FlushBefore) || m.NaN() == num.NaNOnes) {
		return nil
	}
	ok := false
	switch s.Op {
	case ir.FLdexp:
		ok = s.Type == ir.F64 && all(s.Args[:1], lower.InVec) && all(s.Args[1:], lower.InRow) && (p.wide() || m.Round() == num.RNE)
	case ir.SToF, ir.UToF:
		ok = s.Type == ir.F64 && s.From == ir.I32 && all(s.Args, lower.InRow)
	case ir.FCvt:
		ok = s.Type == ir.F64 && s.From == ir.F32 && all(s.Args, lower.InRow) ||
			s.Type == ir.F32 && s.From == ir.F64 && all(s.Args, lower.InVec) && s.Res[0].Kind == lower.InRow && m.NaN() != num.NaNSecond
	case ir.FClass:
		ok = s.Type == ir.F64 && all(s.Args, lower.InVec) && s.Res[0].Kind == lower.InRow
	case ir.FToS, ir.FToU:
		ok = s.Type == ir.I32 && s.From == ir.F64 && all(s.Args, lower.InVec)
	default:
		ok = s.Type == ir.F64 && all(s.Args, lower.InVec)
	}
	if !ok {
		return nil
	}
	return p.codeOf(floatOps64(), s.Op)
}

// codeOf returns the code of an op in a table, nil if there is none.
func (p *plan) codeOf(ops []code64, op ir.Op) wide64Code {
	switch {
	case int(op) >= len(ops):
		return nil
	case p.wide():
		return ops[op].avx512
	}
	return ops[op].avx2
}
