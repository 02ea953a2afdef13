package meaning

import (
	"github.com/heddle-gpu/heddle/ir"
)

// Formats are the formats of the cells that code reads and writes. A cell that is only copied has none.
type Formats struct {
	Reads  map[ir.Cell]Format // of the first use as a number
	Writes map[ir.Cell]Format // of the last write
	Given  map[ir.Cell]Format // before the code, as far as known
}

// NewFormats returns empty formats.
func NewFormats() *Formats {
	return &Formats{map[ir.Cell]Format{}, map[ir.Cell]Format{}, map[ir.Cell]Format{}}
}

// Add adds a block that runs after the previous ones.
func (fs *Formats) Add(m *ir.Machine, b *ir.Block) {
	made, wanted := fs.made(b), wanted(b)
	for i := range b.Ops {
		in := &b.Ops[i]
		if in.Op != ir.Get || m.Kind(in.Cell) == 0 {
			continue
		}
		if _, before := fs.Writes[in.Cell]; before {
			continue // written by the code itself
		}
		if _, known := fs.Reads[in.Cell]; !known && wanted[in.Res] != nil {
			fs.Reads[in.Cell] = wanted[in.Res]
		}
	}
	for i := range b.Ops {
		if in := &b.Ops[i]; in.Op == ir.Set {
			fs.Writes[in.Cell] = made[in.Args[0]]
		}
	}
}

// of returns the known format of a cell.
func (fs *Formats) of(c ir.Cell) Format {
	if f, ok := fs.Writes[c]; ok {
		return f
	}
	return orElse(fs.Given[c], fs.Reads[c])
}

// kindsOf returns the kinds of results of integer ops. Ops that only move bits are not included.
func kindsOf() map[ir.Op]Kind {
	return map[ir.Op]Kind{
		ir.IAdd: Integer, ir.ISub: Integer, ir.IMul: Integer, ir.INeg: Integer, ir.AddC: Integer, ir.SubB: Integer, ir.Shl: Integer, ir.ShlX: Integer,
		ir.And: Integer, ir.Or: Integer, ir.Xor: Integer, ir.Not: Integer, ir.Bfi: Integer, ir.Bfm: Integer, ir.BitRev: Integer, ir.BytePerm: Integer,
		ir.Ror: Integer, ir.FShr: Integer, ir.Clz: Integer, ir.Ctz: Integer, ir.ClsS: Integer, ir.SFU: Float,
		ir.MulHiS: Signed, ir.MulWideS: Signed, ir.AddOv: Signed, ir.SubOv: Signed, ir.SAddSat: Signed, ir.SSubSat: Signed, ir.ShrS: Signed, ir.ShrSX: Signed,
		ir.SMin: Signed, ir.SMax: Signed, ir.SBfe: Signed, ir.SDot4: Signed, ir.FToS: Signed, ir.FFrexpExp: Signed,
		ir.MulHiU: Unsigned, ir.MulWideU: Unsigned, ir.UAddSat: Unsigned, ir.USubSat: Unsigned, ir.ShrU: Unsigned, ir.ShrUX: Unsigned,
		ir.UMin: Unsigned, ir.UMax: Unsigned, ir.UAbsDiff: Unsigned, ir.SAbsDiff: Unsigned, ir.UBfe: Unsigned, ir.Popcount: Unsigned,
		ir.UDot4: Unsigned, ir.FToU: Unsigned, ir.FClass: Unsigned, ir.LaneID: Unsigned, ir.Ballot: Mask,
	}
}

// usesOf returns the kinds of operands of ops with results of another kind, or conditions.
func usesOf() map[ir.Op]Kind {
	return map[ir.Op]Kind{
		ir.SLt: Signed, ir.SLe: Signed, ir.ULt: Unsigned, ir.ULe: Unsigned, ir.Eq: Integer, ir.Ne: Integer, ir.SToF: Signed, ir.UToF: Unsigned, ir.Lanes: Mask,
	}
}

// made returns the formats of the values of a block, from the ops that define them.
func (fs *Formats) made(b *ir.Block) []Format {
	made := make([]Format, len(b.Vals))
	for i := range b.Ops {
		in := &b.Ops[i]
		for k := range int(in.NRes) {
			made[int(in.Res)+k] = fs.result(b, made, in, k)
		}
	}
	return made
}

// result returns the format of result k of an op.
func (fs *Formats) result(b *ir.Block, made []Format, in *ir.Inst, k int) Format {
	t := b.Vals[int(in.Res)+k].Type
	if f := ofType(t); f != nil {
		return f
	}
	arg := func(i int) Format { return made[in.Args[i]] }
	width := func(i int) int { return b.Vals[in.Args[i]].Type.Bits() }
	switch in.Op {
	case ir.Get:
		return fs.of(in.Cell)
	case ir.Cast, ir.ReadLane, ir.ReadFirst, ir.Shuffle, ir.ScatterLane:
		return arg(0)
	case ir.ZExt:
		return orElse(arg(0), one(width(0), Unsigned))
	case ir.Load:
		return loaded(in)
	case ir.And, ir.Or, ir.Xor, ir.Not: // of masks give a mask
		for i := range in.Args {
			if k, ok := arg(i).Whole(t.Bits()); ok && k == Mask {
				return one(t.Bits(), Mask)
			}
		}
	case ir.SExt:
		return one(t.Bits(), Signed)
	case ir.Trunc:
		return arg(0).Cut(0, t.Bits())
	case ir.Extract:
		return arg(0).Cut(int(in.Imm), t.Bits())
	case ir.Insert:
		return append(arg(0).without(int(in.Imm), width(1)), arg(1).Move(int(in.Imm))...)
	case ir.Unpack:
		return arg(0).Cut(k*t.Bits(), t.Bits())
	case ir.Pack:
		return Join([]Format{arg(0), arg(1)}, width(0))
	case ir.Select:
		return orElse(arg(1), arg(2))
	}
	if kind := tables().kinds[in.Op]; kind != Unknown {
		return each(t, kind)
	}
	return nil
}

func orElse(f, other Format) Format {
	if f != nil {
		return f
	}
	return other
}

// loaded returns the format of a load that extends its element.
func loaded(in *ir.Inst) Format {
	switch n := 8 * int(in.Mem.Elem); {
	case n >= in.Type.Bits():
		return nil
	case in.Mem.Signed:
		return one(in.Type.Bits(), Signed)
	default:
		return one(n, Unsigned)
	}
}

// wanted returns the formats of the first uses of values.
func wanted(b *ir.Block) []Format {
	wanted := make([]Format, len(b.Vals))
	for i := len(b.Ops) - 1; i >= 0; i-- {
		in := &b.Ops[i]
		for k, v := range in.Args {
			if f := use(b, wanted, in, k); f != nil {
				wanted[v] = f
			}
		}
	}
	return wanted
}

// use returns the format in which an op uses its operand k.
func use(b *ir.Block, wanted []Format, in *ir.Inst, k int) Format {
	t := b.Vals[in.Args[k]].Type
	if f := ofType(t); f != nil {
		return f
	}
	var result Format
	if in.NRes > 0 {
		result = wanted[in.Res]
		if f := ofType(b.Vals[in.Res].Type); f != nil {
			result = f
		}
	}
	switch in.Op {
	case ir.Cast, ir.ReadLane, ir.ReadFirst, ir.Shuffle, ir.ScatterLane:
		if k == 0 {
			return result
		}
		return nil
	case ir.ZExt:
		if k, ok := result.Whole(b.Vals[in.Res].Type.Bits()); ok && k != Float {
			return one(t.Bits(), Unsigned)
		}
		return result.Cut(0, t.Bits())
	case ir.Trunc:
		return result.Cut(0, t.Bits())
	case ir.SExt:
		return one(t.Bits(), Signed)
	case ir.Extract:
		return result.Move(int(in.Imm)).Cut(0, t.Bits())
	case ir.Insert:
		if k == 1 {
			return result.Cut(int(in.Imm), t.Bits())
		}
		return nil // the other bits are unused
	case ir.Pack:
		return result.Cut(k*t.Bits(), t.Bits())
	case ir.Unpack:
		high := wanted[int(in.Res)+1]
		return Join([]Format{result, high}, t.Bits()/2)
	case ir.Select:
		return result
	}
	if kind := tables().uses[in.Op]; kind != Unknown {
		return each(t, kind)
	}
	if in.Op == ir.SFU {
		return nil // a float or a fixed-point number: the function decides
	}
	if kind := tables().kinds[in.Op]; kind != Unknown && (k == 0 || in.Type.Bits() == t.Bits()) {
		return each(t, kind)
	}
	return nil
}
