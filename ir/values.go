package ir

import "github.com/heddle-gpu/heddle/num"

// The methods of V, one for each pure or cross-lane op; the op table says what each does.

func (a V) op1(op Op) V      { return a.b.push(Inst{Op: op, Type: a.Type(), Args: a.b.args(a)}) }
func (a V) op2(op Op, b V) V { return a.b.push(Inst{Op: op, Type: a.Type(), Args: a.b.args(a, b)}) }
func (a V) op3(op Op, b, c V) V {
	return a.b.push(Inst{Op: op, Type: a.Type(), Args: a.b.args(a, b, c)})
}
func (a V) to2(op Op, t Type, b V) V {
	return a.b.push(Inst{Op: op, Type: t, Args: a.b.args(a, b)})
}
func (a V) to(op Op, t Type) V { return a.b.push(Inst{Op: op, Type: t, Args: a.b.args(a)}) }

func (a V) next(i int) V { return V{a.b, a.id + Val(i)} }

func (a V) Not() V        { return a.op1(Not) }
func (a V) Neg() V        { return a.op1(INeg) }
func (a V) Popcount() V   { return a.op1(Popcount) }
func (a V) Clz() V        { return a.op1(Clz) }
func (a V) Ctz() V        { return a.op1(Ctz) }
func (a V) ClsS() V       { return a.op1(ClsS) }
func (a V) BitRev() V     { return a.op1(BitRev) }
func (a V) FSqrt() V      { return a.op1(FSqrt) }
func (a V) FNeg() V       { return a.op1(FNeg) }
func (a V) FAbs() V       { return a.op1(FAbs) }
func (a V) FSat() V       { return a.op1(FSat) }
func (a V) FCanon() V     { return a.op1(FCanon) }
func (a V) FFloor() V     { return a.op1(FFloor) }
func (a V) FCeil() V      { return a.op1(FCeil) }
func (a V) FTrunc() V     { return a.op1(FTrunc) }
func (a V) FRndne() V     { return a.op1(FRndne) }
func (a V) FFract() V     { return a.op1(FFract) }
func (a V) FFrexpMant() V { return a.op1(FFrexpMant) }
func (a V) FRcp() V       { return a.op1(FRcp) }
func (a V) FRsq() V       { return a.op1(FRsq) }
func (a V) FExp2() V      { return a.op1(FExp2) }
func (a V) FLog2() V      { return a.op1(FLog2) }
func (a V) FSinRev() V    { return a.op1(FSinRev) }
func (a V) FCosRev() V    { return a.op1(FCosRev) }
func (a V) FSin() V       { return a.op1(FSin) }
func (a V) FCos() V       { return a.op1(FCos) }

func (a V) Add(b V) V      { return a.op2(IAdd, b) }
func (a V) Sub(b V) V      { return a.op2(ISub, b) }
func (a V) Mul(b V) V      { return a.op2(IMul, b) }
func (a V) MulHiU(b V) V   { return a.op2(MulHiU, b) }
func (a V) MulHiS(b V) V   { return a.op2(MulHiS, b) }
func (a V) UAddSat(b V) V  { return a.op2(UAddSat, b) }
func (a V) USubSat(b V) V  { return a.op2(USubSat, b) }
func (a V) SAddSat(b V) V  { return a.op2(SAddSat, b) }
func (a V) SSubSat(b V) V  { return a.op2(SSubSat, b) }
func (a V) And(b V) V      { return a.op2(And, b) }
func (a V) Or(b V) V       { return a.op2(Or, b) }
func (a V) Xor(b V) V      { return a.op2(Xor, b) }
func (a V) Shl(b V) V      { return a.op2(Shl, b) }
func (a V) ShrU(b V) V     { return a.op2(ShrU, b) }
func (a V) ShrS(b V) V     { return a.op2(ShrS, b) }
func (a V) ShlX(b V) V     { return a.op2(ShlX, b) }
func (a V) ShrUX(b V) V    { return a.op2(ShrUX, b) }
func (a V) ShrSX(b V) V    { return a.op2(ShrSX, b) }
func (a V) Ror(b V) V      { return a.op2(Ror, b) }
func (a V) UMin(b V) V     { return a.op2(UMin, b) }
func (a V) UMax(b V) V     { return a.op2(UMax, b) }
func (a V) SMin(b V) V     { return a.op2(SMin, b) }
func (a V) SMax(b V) V     { return a.op2(SMax, b) }
func (a V) UAbsDiff(b V) V { return a.op2(UAbsDiff, b) }
func (a V) SAbsDiff(b V) V { return a.op2(SAbsDiff, b) }
func (a V) Bfm(b V) V      { return a.op2(Bfm, b) }
func (a V) UDot4(b V) V    { return a.to2(UDot4, I32, b) }
func (a V) SDot4(b V) V    { return a.to2(SDot4, I32, b) }
func (a V) FAdd(b V) V     { return a.op2(FAdd, b) }
func (a V) FSub(b V) V     { return a.op2(FSub, b) }
func (a V) FMul(b V) V     { return a.op2(FMul, b) }
func (a V) FMulZ(b V) V    { return a.op2(FMulZ, b) }
func (a V) FDiv(b V) V     { return a.op2(FDiv, b) }
func (a V) FMinNum(b V) V  { return a.op2(FMinNum, b) }
func (a V) FMaxNum(b V) V  { return a.op2(FMaxNum, b) }
func (a V) FMinSel(b V) V  { return a.op2(FMinSel, b) }
func (a V) FMaxSel(b V) V  { return a.op2(FMaxSel, b) }
func (a V) FLdexp(b V) V   { return a.op2(FLdexp, b) }
func (a V) Eq(b V) V       { return a.op2(Eq, b) }
func (a V) Ne(b V) V       { return a.op2(Ne, b) }
func (a V) ULt(b V) V      { return a.op2(ULt, b) }
func (a V) ULe(b V) V      { return a.op2(ULe, b) }
func (a V) SLt(b V) V      { return a.op2(SLt, b) }
func (a V) SLe(b V) V      { return a.op2(SLe, b) }
func (a V) FEq(b V) V      { return a.op2(FEq, b) }
func (a V) FLt(b V) V      { return a.op2(FLt, b) }
func (a V) FLe(b V) V      { return a.op2(FLe, b) }
func (a V) FUnord(b V) V   { return a.op2(FUnord, b) }

func (a V) FShr(b, c V) V     { return a.op3(FShr, b, c) }
func (a V) UBfe(b, c V) V     { return a.op3(UBfe, b, c) }
func (a V) SBfe(b, c V) V     { return a.op3(SBfe, b, c) }
func (a V) Bfi(b, c V) V      { return a.op3(Bfi, b, c) }
func (a V) BytePerm(b, c V) V { return a.op3(BytePerm, b, c) }
func (a V) Fma(b, c V) V      { return a.op3(FFma, b, c) }
func (a V) Mad(b, c V) V      { return a.op3(FMad, b, c) }

// MulWideU is the low and the high half of the unsigned product.
func (a V) MulWideU(b V) (lo, hi V) { lo = a.op2(MulWideU, b); return lo, lo.next(1) }

// MulWideS is the low and the high half of the signed product.
func (a V) MulWideS(b V) (lo, hi V) { lo = a.op2(MulWideS, b); return lo, lo.next(1) }

// AddC is a+b+carry and the carry out.
func (a V) AddC(b, carry V) (sum, out V) { sum = a.op3(AddC, b, carry); return sum, sum.next(1) }

// SubB is a-b-borrow and the borrow out.
func (a V) SubB(b, borrow V) (diff, out V) { diff = a.op3(SubB, b, borrow); return diff, diff.next(1) }

// AddOv is a+b and signed overflow.
func (a V) AddOv(b V) (sum, ov V) { sum = a.op2(AddOv, b); return sum, sum.next(1) }

// SubOv is a-b and signed overflow.
func (a V) SubOv(b V) (diff, ov V) { diff = a.op2(SubOv, b); return diff, diff.next(1) }

// Select is yes where the condition a is 1, else no. If a is the result of comparing packed values it selects in
// each element.
func (a V) Select(yes, no V) V {
	if t := a.Type(); t.Elems() > 1 {
		return a.op3(Bfi, yes.As(t), no.As(t)).As(yes.Type())
	}
	return a.b.push(Inst{Op: Select, Type: yes.Type(), Args: a.b.args(a, yes, no)})
}

// As reinterprets the bits as type t of the same width.
func (a V) As(t Type) V {
	if a.Type() == t {
		return a
	}
	if a.Type().Bits() != t.Bits() {
		panic("ir: cast: " + a.Type().String() + " to " + t.String())
	}
	return a.to(Cast, t)
}

// Trunc, ZExt and SExt change the width of an integer; for the same width they append no op.
func (a V) Trunc(t Type) V { return a.resize(Trunc, t, a.Type().Bits() > t.Bits()) }
func (a V) ZExt(t Type) V  { return a.resize(ZExt, t, a.Type().Bits() < t.Bits()) }
func (a V) SExt(t Type) V  { return a.resize(SExt, t, a.Type().Bits() < t.Bits()) }

func (a V) resize(op Op, t Type, ok bool) V {
	if a.Type() == t {
		return a
	}
	if !ok {
		panic("ir: " + op.String() + ": " + a.Type().String() + " to " + t.String())
	}
	return a.to(op, t)
}

// Pack is a value of type t with a in the low and high in the high half.
func (a V) Pack(high V, t Type) V {
	if t.Bits() != 2*a.Type().Bits() {
		panic("ir: pack: " + a.Type().String() + " to " + t.String())
	}
	return a.b.push(Inst{Op: Pack, Type: t, Args: a.b.args(a, high)})
}

// Unpack is the low and the high half of a as type t.
func (a V) Unpack(t Type) (lo, hi V) {
	if 2*t.Bits() != a.Type().Bits() {
		panic("ir: unpack: " + a.Type().String() + " to " + t.String())
	}
	lo = a.to(Unpack, t)
	return lo, lo.next(1)
}

// Extract is the bits of a starting at bit at, as type t.
func (a V) Extract(at int, t Type) V {
	if at < 0 || at+t.Bits() > a.Type().Bits() {
		panic("ir: extract: beyond " + a.Type().String())
	}
	return a.b.push(Inst{Op: Extract, Type: t, Imm: uint64(at), Args: a.b.args(a)})
}

// Insert is a with the bits starting at bit at replaced by piece.
func (a V) Insert(piece V, at int) V {
	if at < 0 || at+piece.Type().Bits() > a.Type().Bits() {
		panic("ir: insert: beyond " + a.Type().String())
	}
	return a.b.push(Inst{Op: Insert, Type: a.Type(), Imm: uint64(at), Args: a.b.args(a, piece)})
}

// SFU is the special function f of the bits a (i32).
func (a V) SFU(f num.SFU) V {
	return a.b.push(Inst{Op: SFU, Type: I32, Imm: uint64(f), Args: a.b.args(a)})
}

// FFrexpExp is the exponent of a as i32.
func (a V) FFrexpExp() V { return a.op1(FFrexpExp) }

// FClass is the class of a as one bit of an i32.
func (a V) FClass() V { return a.op1(FClass) }

// FCvt is a rounded to the float type t.
func (a V) FCvt(t Type) V { return a.to(FCvt, t) }

// FToS and FToU are a as a signed or unsigned integer of type t.
func (a V) FToS(t Type) V { return a.to(FToS, t) }
func (a V) FToU(t Type) V { return a.to(FToU, t) }

// SToF and UToF are the signed or unsigned integer a as float type t.
func (a V) SToF(t Type) V { return a.to(SToF, t) }
func (a V) UToF(t Type) V { return a.to(UToF, t) }

func (a V) cross(op Op, t Type, b V) V { return a.b.push(Inst{Op: op, Type: t, Args: a.b.args(a, b)}) }

// Ballot is the condition a in the lanes of the mask as a uniform 64-bit value.
func (a V) Ballot(mask V) V { return a.cross(Ballot, I64, mask) }

// Lanes distributes the bits of a, a uniform i64, over the lanes.
func (a V) Lanes() V { return a.to(Lanes, I1) }

// Any reports whether a is true in a lane of the mask, All whether in each.
func (a V) Any(mask V) V { return a.cross(Any, I1, mask) }
func (a V) All(mask V) V { return a.cross(All, I1, mask) }

// ReadLane is the value of a in one lane, active or not.
func (a V) ReadLane(lane V) V { return a.cross(ReadLane, a.Type(), lane) }

// ReadFirst is the value of a in the lowest lane of the mask.
func (a V) ReadFirst(mask V) V { return a.cross(ReadFirst, a.Type(), mask) }

// Shuffle is the value of a in another lane, and whether that lane exists and is in the mask.
func (a V) Shuffle(lane, mask V) (v, ok V) {
	v = a.op3(Shuffle, lane, mask)
	return v, v.next(1)
}

// ShuffleIn is Shuffle within aligned groups of 2, 4, 8, 16 or 32 lanes. Lanes are still numbered from the start of
// the wave.
func (a V) ShuffleIn(group int, lane, mask V) (v, ok V) {
	v = a.b.push(Inst{Op: Shuffle, Type: a.Type(), Imm: uint64(group), Args: a.b.args(a, lane, mask)})
	return v, v.next(1)
}

// ScatterLane sends a to another lane. The results are the value that each lane received, and whether it received
// one.
func (a V) ScatterLane(lane, mask V) (v, ok V) {
	v = a.op3(ScatterLane, lane, mask)
	return v, v.next(1)
}
