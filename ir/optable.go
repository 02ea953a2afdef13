package ir

import "github.com/heddle-gpu/heddle/num"

// The ops, in the order of the table.
const (
	Const Op = iota
	Cast
	IAdd
	ISub
	IMul
	MulHiU
	MulHiS
	MulWideU
	MulWideS
	AddC
	SubB
	AddOv
	SubOv
	UAddSat
	USubSat
	SAddSat
	SSubSat
	And
	Or
	Xor
	Not
	INeg
	Shl
	ShrU
	ShrS
	ShlX
	ShrUX
	ShrSX
	Ror
	FShr
	UMin
	UMax
	SMin
	SMax
	UAbsDiff
	SAbsDiff
	UBfe
	SBfe
	Bfi
	Bfm
	Popcount
	Clz
	Ctz
	ClsS
	BitRev
	BytePerm
	UDot4
	SDot4
	Eq
	Ne
	ULt
	ULe
	SLt
	SLe
	Select
	Trunc
	ZExt
	SExt
	Pack
	Unpack
	Extract
	Insert
	FAdd
	FSub
	FMul
	FMulZ
	FDiv
	FSqrt
	FFma
	FMad
	FNeg
	FAbs
	FMinNum
	FMaxNum
	FMinSel
	FMaxSel
	FSat
	FCanon
	FFloor
	FCeil
	FTrunc
	FRndne
	FFract
	FLdexp
	FFrexpMant
	FFrexpExp
	FEq
	FLt
	FLe
	FUnord
	FClass
	FCvt
	FToS
	FToU
	SToF
	UToF
	FRcp
	FRsq
	FExp2
	FLog2
	FSinRev
	FCosRev
	FSin
	FCos
	SFU
	LaneID
	Ballot
	Lanes
	Any
	All
	ReadLane
	ReadFirst
	Shuffle
	ScatterLane
	Get
	Set
	GetX
	SetX
	Live
	SetLast
	Load
	Store
	AtomicRMW
	Check
	Tex
	Sample
	Image
	Fetch
	Input
	Output
	Clock
	CtlCheck
	Issue
	Wait
	Probe
	Tally
	Unlikely
	Stable
	Clip
	Jump
	Branch
	JumpX
	End
	Retire
	Barrier
	Trap
	CtlStep
	CtlStepX
	numOps
)

// The bound of approximate ops: at most this many ulp between the correctly rounded value and hardware. Source:
// docs/reference/gcn.md 3.6.
const approxNote = " Correctly rounded here; hardware's own bits are not published."

var ops = [numOps]OpInfo{
	//          name        rule        class scope flags     meaning                 shadow    fidelity doc
	Const:    {"const", "-> t", Pure, InLane, HasImm, nil, AlwaysDefined, Exact, "The bit pattern Imm in every lane."},
	Cast:     {"cast", "u -> t", Pure, InLane, 0, Int1(same), Bitwise, Exact, "The same bits as another type of the same width."},
	IAdd:     {"iadd", "i i -> i", Pure, InLane, Commutes, Int2(num.Add), CarryUp, Exact, "a+b modulo 2^n."},
	ISub:     {"isub", "i i -> i", Pure, InLane, 0, Int2(num.Sub), CarryUp, Exact, "a-b modulo 2^n."},
	IMul:     {"imul", "i i -> i", Pure, InLane, Commutes, Int2(num.Mul), CarryUp, Exact, "a*b modulo 2^n."},
	MulHiU:   {"mulhiu", "i i -> i", Pure, InLane, Commutes, Int2(num.MulHiU), AnyToAll, Exact, "Bits n to 2n-1 of the unsigned product."},
	MulHiS:   {"mulhis", "i i -> i", Pure, InLane, Commutes, Int2(num.MulHiS), AnyToAll, Exact, "Bits n to 2n-1 of the signed product."},
	MulWideU: {"mulwideu", "i i -> i i", Pure, InLane, Commutes, Int2x2(num.MulWideU), AnyToAll, Exact, "Low and high half of the unsigned 2n-bit product."},
	MulWideS: {"mulwides", "i i -> i i", Pure, InLane, Commutes, Int2x2(num.MulWideS), AnyToAll, Exact, "Low and high half of the signed 2n-bit product."},
	AddC:     {"addc", "s s i1 -> s i1", Pure, InLane, Commutes, Int3x2(num.AddC), CarryUp, Exact, "a+b+c modulo 2^n, and the carry out of bit n-1."},
	SubB:     {"subb", "s s i1 -> s i1", Pure, InLane, 0, Int3x2(num.SubB), CarryUp, Exact, "a-b-c modulo 2^n, and the borrow: 1 if a < b+c, unsigned."},
	AddOv:    {"addov", "s s -> s i1", Pure, InLane, Commutes, Int2x2(num.AddOv), CarryUp, Exact, "a+b modulo 2^n, and 1 on signed overflow."},
	SubOv:    {"subov", "s s -> s i1", Pure, InLane, 0, Int2x2(num.SubOv), CarryUp, Exact, "a-b modulo 2^n, and 1 on signed overflow."},
	UAddSat:  {"uaddsat", "i i -> i", Pure, InLane, Commutes, Int2(num.UAddSat), AnyToAll, Exact, "a+b, at most 2^n-1; unsigned."},
	USubSat:  {"usubsat", "i i -> i", Pure, InLane, 0, Int2(num.USubSat), AnyToAll, Exact, "a-b, at least 0; unsigned."},
	SAddSat:  {"saddsat", "i i -> i", Pure, InLane, Commutes, Int2(num.SAddSat), AnyToAll, Exact, "a+b clamped to the signed range."},
	SSubSat:  {"ssubsat", "i i -> i", Pure, InLane, 0, Int2(num.SSubSat), AnyToAll, Exact, "a-b clamped to the signed range."},
	And:      {"and", "b b -> b", Pure, InLane, Commutes, Int2(num.And), Bitwise, Exact, "Bits set in both."},
	Or:       {"or", "b b -> b", Pure, InLane, Commutes, Int2(num.Or), Bitwise, Exact, "Bits set in either."},
	Xor:      {"xor", "b b -> b", Pure, InLane, Commutes, Int2(num.Xor), Bitwise, Exact, "Bits set in one of the two."},
	Not:      {"not", "b -> b", Pure, InLane, 0, Int1(num.Not), Bitwise, Exact, "All bits inverted."},
	INeg:     {"ineg", "i -> i", Pure, InLane, 0, Int1(num.Neg), CarryUp, Exact, "0-a modulo 2^n."},
	Shl:      {"shl", "i i -> i", Pure, InLane, 0, Int2(num.Shl), AnyToAll, Exact, "a shifted left by b modulo n."},
	ShrU:     {"shru", "i i -> i", Pure, InLane, 0, Int2(num.ShrU), AnyToAll, Exact, "a shifted right by b modulo n, zeros from above."},
	ShrS:     {"shrs", "i i -> i", Pure, InLane, 0, Int2(num.ShrS), AnyToAll, Exact, "a shifted right by b modulo n, sign bits from above."},
	ShlX:     {"shlx", "i i -> i", Pure, InLane, 0, Int2(num.ShlX), AnyToAll, Exact, "a shifted left by b, all of b unsigned: 0 from n on."},
	ShrUX:    {"shrux", "i i -> i", Pure, InLane, 0, Int2(num.ShrUX), AnyToAll, Exact, "a shifted right by b, all of b unsigned: 0 from n on."},
	ShrSX:    {"shrsx", "i i -> i", Pure, InLane, 0, Int2(num.ShrSX), AnyToAll, Exact, "a shifted right by b, all of b unsigned: all sign bits from n on."},
	Ror:      {"ror", "i i -> i", Pure, InLane, 0, Int2(num.Ror), AnyToAll, Exact, "a rotated right by b modulo n."},
	FShr:     {"fshr", "i i i -> i", Pure, InLane, 0, Int3(num.FShr), AnyToAll, Exact, "Low n bits of the 2n-bit a:b (a high) shifted right by c modulo n."},
	UMin:     {"umin", "i i -> i", Pure, InLane, Commutes, Int2(num.UMin), AnyToAll, Exact, "The smaller, unsigned."},
	UMax:     {"umax", "i i -> i", Pure, InLane, Commutes, Int2(num.UMax), AnyToAll, Exact, "The larger, unsigned."},
	SMin:     {"smin", "i i -> i", Pure, InLane, Commutes, Int2(num.SMin), AnyToAll, Exact, "The smaller, signed."},
	SMax:     {"smax", "i i -> i", Pure, InLane, Commutes, Int2(num.SMax), AnyToAll, Exact, "The larger, signed."},
	UAbsDiff: {"uabsdiff", "i i -> i", Pure, InLane, Commutes, Int2(num.UAbsDiff), AnyToAll, Exact, "The larger minus the smaller, unsigned."},
	SAbsDiff: {"sabsdiff", "i i -> i", Pure, InLane, Commutes, Int2(num.SAbsDiff), AnyToAll, Exact, "The larger minus the smaller, compared signed, as an unsigned number modulo 2^n."},
	UBfe:     {"ubfe", "i i i -> i", Pure, InLane, 0, Int3(num.UBfe), AnyToAll, Exact, "c bits of a from bit b up, zero-extended; b and c modulo n; bits beyond the top are 0."},
	SBfe:     {"sbfe", "i i i -> i", Pure, InLane, 0, Int3(num.SBfe), AnyToAll, Exact, "c bits of a from bit b up, sign-extended; b and c modulo n; 0 if c is 0."},
	Bfi:      {"bfi", "i i i -> i", Pure, InLane, 0, Int3(num.Bfi), Bitwise, Exact, "b where a has ones, c where a has zeros."},
	Bfm:      {"bfm", "i i -> i", Pure, InLane, 0, Int2(num.Bfm), AnyToAll, Exact, "a modulo n ones, shifted left by b modulo n."},
	Popcount: {"popcount", "i -> i", Pure, InLane, 0, Int1(num.Popcount), AnyToAll, Exact, "Number of ones."},
	Clz:      {"clz", "i -> i", Pure, InLane, 0, Int1(num.Clz), AnyToAll, Exact, "Zeros above the highest one; n for 0."},
	Ctz:      {"ctz", "i -> i", Pure, InLane, 0, Int1(num.Ctz), AnyToAll, Exact, "Zeros below the lowest one; n for 0."},
	ClsS:     {"clss", "i -> i", Pure, InLane, 0, Int1(num.ClsS), AnyToAll, Exact, "Distance from the top bit to the first bit that differs from it; n if none does."},
	BitRev:   {"bitrev", "i -> i", Pure, InLane, 0, Int1(num.BitRev), Permutes, Exact, "Bit i becomes bit n-1-i."},
	BytePerm: {"byteperm", "i32 i32 i32 -> i32", Pure, InLane, 0, Int3(num.BytePerm), AnyToAll, Exact, "Byte i is chosen by byte i of c: 0-3 byte of b, 4-7 byte of a, 8-11 sign of byte 1, 3 of b, 1, 3 of a, 12 zero, above 12 0xff."},
	UDot4:    {"udot4", "v4i8 v4i8 -> i32", Pure, InLane, Commutes, Int2(num.UDot4), AnyToAll, Exact, "The sum of the products of the four elements, unsigned."},
	SDot4:    {"sdot4", "v4i8 v4i8 -> i32", Pure, InLane, Commutes, Int2(num.SDot4), AnyToAll, Exact, "The sum of the products of the four elements, signed, modulo 2^32."},
	Eq:       {"eq", "i i -> c", Pure, InLane, Commutes, Int2(num.Eq), AnyToAll, Exact, "a = b."},
	Ne:       {"ne", "i i -> c", Pure, InLane, Commutes, Int2(num.Ne), AnyToAll, Exact, "a differs from b."},
	ULt:      {"ult", "i i -> c", Pure, InLane, 0, Int2(num.ULt), AnyToAll, Exact, "a < b, unsigned."},
	ULe:      {"ule", "i i -> c", Pure, InLane, 0, Int2(num.ULe), AnyToAll, Exact, "a <= b, unsigned."},
	SLt:      {"slt", "i i -> c", Pure, InLane, 0, Int2(num.SLt), AnyToAll, Exact, "a < b, signed."},
	SLe:      {"sle", "i i -> c", Pure, InLane, 0, Int2(num.SLe), AnyToAll, Exact, "a <= b, signed."},
	Select:   {"select", "i1 t t -> t", Pure, InLane, 0, Int3(choose), Selects, Exact, "b if a is 1, c if it is 0."},
	Trunc:    {"trunc", "j -> k", Pure, InLane, 0, IntCvt(num.Trunc), Permutes, Exact, "The low bits."},
	ZExt:     {"zext", "u -> s", Pure, InLane, 0, IntCvt(num.ZExt), Permutes, Exact, "Zeros above."},
	SExt:     {"sext", "u -> s", Pure, InLane, 0, IntCvt(num.SExt), Permutes, Exact, "Copies of the top bit above."},
	Pack:     {"pack", "u u -> t", Pure, InLane, 0, Int2(packHalves), Permutes, Exact, "a in the low half, b in the high half of a value twice as wide."},
	Unpack:   {"unpack", "u -> t t", Pure, InLane, 0, Int1x2(unpackHalves), Permutes, Exact, "The low and the high half."},
	Extract:  {"extract", "u -> t", Pure, InLane, HasImm, BitsAt(extractBits), Permutes, Exact, "The bits of a from bit Imm up, as many as the result has."},
	Insert:   {"insert", "t u -> t", Pure, InLane, HasImm, BitsInto(insertBits), Permutes, Exact, "a with the bits from bit Imm up replaced by b."},

	FAdd:       {"fadd", "f f -> f", Pure, InLane, Commutes | HasMode, Flt2(num.FAdd), AnyToAll, Exact, "a+b, rounded once."},
	FSub:       {"fsub", "f f -> f", Pure, InLane, HasMode, Flt2(num.FSub), AnyToAll, Exact, "a-b, rounded once."},
	FMul:       {"fmul", "f f -> f", Pure, InLane, Commutes | HasMode, Flt2(num.FMul), AnyToAll, Exact, "a*b, rounded once."},
	FMulZ:      {"fmulz", "f f -> f", Pure, InLane, Commutes | HasMode, Flt2(num.FMulZ), AnyToAll, Exact, "a*b, but +0 if either is zero, whatever the other."},
	FDiv:       {"fdiv", "f f -> f", Pure, InLane, HasMode, Flt2(num.FDiv), AnyToAll, Exact, "a/b, rounded once."},
	FSqrt:      {"fsqrt", "f -> f", Pure, InLane, HasMode, Flt1(num.FSqrt), AnyToAll, Exact, "The square root, rounded once; sqrt(-0) = -0."},
	FFma:       {"ffma", "f f f -> f", Pure, InLane, HasMode, Flt3(num.FMA), AnyToAll, Exact, "a*b+c, rounded once."},
	FMad:       {"fmad", "f f f -> f", Pure, InLane, HasMode, Flt3(num.FMad), AnyToAll, Exact, "a*b+c in two steps: the product is cut to the type's precision, whatever its exponent, and the sum is rounded once. Where c is a zero nothing is cut: it is fadd of fmul and c. tiny=unbounded is about fmul only."},
	FNeg:       {"fneg", "f -> f", Pure, InLane, 0, Int1(fneg), Bitwise, Exact, "The sign bit inverted, NaN included; nothing is flushed."},
	FAbs:       {"fabs", "f -> f", Pure, InLane, 0, Int1(fabs), Bitwise, Exact, "The sign bit cleared, NaN included; nothing is flushed."},
	FMinNum:    {"fminnum", "f f -> f", Pure, InLane, HasMode, Flt2(num.FMinNum), AnyToAll, Exact, "The smaller; a NaN operand loses; -0 is below +0."},
	FMaxNum:    {"fmaxnum", "f f -> f", Pure, InLane, HasMode, Flt2(num.FMaxNum), AnyToAll, Exact, "The larger; a NaN operand loses; -0 is below +0."},
	FMinSel:    {"fminsel", "f f -> f", Pure, InLane, HasMode, Flt2(num.FMinSel), AnyToAll, Exact, "a if a < b, else b; so b if either is NaN."},
	FMaxSel:    {"fmaxsel", "f f -> f", Pure, InLane, HasMode, Flt2(num.FMaxSel), AnyToAll, Exact, "a if a > b, else b; so b if either is NaN."},
	FSat:       {"fsat", "f -> f", Pure, InLane, HasMode, Flt1(num.FSat), AnyToAll, Exact, "Clamped to [0, 1]; what NaN becomes is in the mode."},
	FCanon:     {"fcanon", "f -> f", Pure, InLane, HasMode, Flt1(num.FCanon), AnyToAll, Exact, "The same number, denormals flushed as the mode says, NaN quieted."},
	FFloor:     {"ffloor", "f -> f", Pure, InLane, HasMode, Flt1(num.FFloor), AnyToAll, Exact, "The next integer toward -infinity."},
	FCeil:      {"fceil", "f -> f", Pure, InLane, HasMode, Flt1(num.FCeil), AnyToAll, Exact, "The next integer toward +infinity."},
	FTrunc:     {"ftrunc", "f -> f", Pure, InLane, HasMode, Flt1(num.FTrunc), AnyToAll, Exact, "The next integer toward zero."},
	FRndne:     {"frndne", "f -> f", Pure, InLane, HasMode, Flt1(num.FRndne), AnyToAll, Exact, "The nearest integer, ties to even."},
	FFract:     {"ffract", "f -> f", Pure, InLane, HasMode, Flt1(num.FFract), AnyToAll, Exact, "a minus its floor, at most the largest number below 1."},
	FLdexp:     {"fldexp", "h i32 -> h", Pure, InLane, HasMode, Flt2(num.FLdexp), AnyToAll, Exact, "a times 2^b, b signed, rounded once."},
	FFrexpMant: {"ffrexpmant", "f -> f", Pure, InLane, HasMode, Flt1(num.FFrexpMant), AnyToAll, Exact, "a scaled by a power of two to a magnitude in [0.5, 1); 0, infinity and NaN as they are."},
	FFrexpExp:  {"ffrexpexp", "h -> i32", Pure, InLane, HasMode, Flt1(num.FFrexpExp), AnyToAll, Exact, "e such that |a| * 2^-e is in [0.5, 1); 0 for 0, infinity and NaN."},
	FEq:        {"feq", "f f -> c", Pure, InLane, Commutes | HasMode, Flt2(num.FEq), AnyToAll, Exact, "a = b; 0 if either is NaN; the zeros are equal."},
	FLt:        {"flt", "f f -> c", Pure, InLane, HasMode, Flt2(num.FLt), AnyToAll, Exact, "a < b; 0 if either is NaN."},
	FLe:        {"fle", "f f -> c", Pure, InLane, HasMode, Flt2(num.FLe), AnyToAll, Exact, "a <= b; 0 if either is NaN."},
	FUnord:     {"funord", "f f -> c", Pure, InLane, Commutes | HasMode, Flt2(num.FUnord), AnyToAll, Exact, "Either is NaN."},
	FClass:     {"fclass", "h -> i32", Pure, InLane, HasMode, Flt1(num.FClass), AnyToAll, Exact, "One bit of: 0 signalling NaN, 1 quiet NaN, 2 -inf, 3 -normal, 4 -denormal, 5 -0, 6 +0, 7 +denormal, 8 +normal, 9 +inf."},
	FCvt:       {"fcvt", "g -> h", Pure, InLane, HasMode, FltCvt(num.FCvt), AnyToAll, Exact, "The same number in another float type, rounded once."},
	FToS:       {"ftos", "g -> s", Pure, InLane, HasMode, FltCvt(num.FToS), AnyToAll, Exact, "Rounded to an integer as the mode says, clamped to the signed range; NaN gives 0."},
	FToU:       {"ftou", "g -> s", Pure, InLane, HasMode, FltCvt(num.FToU), AnyToAll, Exact, "Rounded to an integer as the mode says, clamped to the unsigned range; NaN gives 0."},
	SToF:       {"stof", "j -> h", Pure, InLane, HasMode, FltCvt(num.SToF), AnyToAll, Exact, "A signed integer, rounded once."},
	UToF:       {"utof", "j -> h", Pure, InLane, HasMode, FltCvt(num.UToF), AnyToAll, Exact, "An unsigned integer, rounded once."},
	FRcp:       {"frcp", "f -> f", Pure, InLane, HasMode, Flt1(num.FRcp), AnyToAll, Approximate, "1/a." + approxNote},
	FRsq:       {"frsq", "f -> f", Pure, InLane, HasMode, Flt1(num.FRsq), AnyToAll, Approximate, "1/sqrt(a)." + approxNote},
	FExp2:      {"fexp2", "f -> f", Pure, InLane, HasMode, Flt1(num.FExp2), AnyToAll, Approximate, "2^a." + approxNote},
	FLog2:      {"flog2", "f -> f", Pure, InLane, HasMode, Flt1(num.FLog2), AnyToAll, Approximate, "Logarithm to base 2." + approxNote},
	FSinRev:    {"fsinrev", "f -> f", Pure, InLane, HasMode, Flt1(num.FSinRev), AnyToAll, Approximate, "Sine of a revolutions (a times 2 pi)." + approxNote},
	FCosRev:    {"fcosrev", "f -> f", Pure, InLane, HasMode, Flt1(num.FCosRev), AnyToAll, Approximate, "Cosine of a revolutions (a times 2 pi)." + approxNote},
	FSin:       {"fsin", "f -> f", Pure, InLane, HasMode, Flt1(num.FSin), AnyToAll, Approximate, "Sine of a radians, any a." + approxNote},
	FCos:       {"fcos", "f -> f", Pure, InLane, HasMode, Flt1(num.FCos), AnyToAll, Approximate, "Cosine of a radians, any a." + approxNote},

	SFU: {"sfu", "i32 -> i32", Pure, InLane, HasImm, BitsAt(sfu), AnyToAll, Exact, "The function Imm of a special function unit (num.SFU) at the bits a, by the unit's own tables."},

	LaneID:      {"laneid", "-> i32", Cross, InLane, 0, WaveFn(laneID), AlwaysDefined, Exact, "The number of the lane."},
	Ballot:      {"ballot", "i1 i1 -> i64w", Cross, InWave, 0, WaveFn(ballot), Bitwise, Exact, "Bit i is lane i's a, 0 in lanes outside the mask b."},
	Lanes:       {"lanes", "i64w -> i1v", Cross, InLane, 0, WaveFn(lanes), Bitwise, Exact, "Lane i gets bit i; bits beyond the wave are dropped."},
	Any:         {"any", "i1 i1 -> i1w", Cross, InWave, 0, WaveFn(anyLane), AnyToAll, Exact, "Some lane of the mask b has a = 1."},
	All:         {"all", "i1 i1 -> i1w", Cross, InWave, 0, WaveFn(allLanes), AnyToAll, Exact, "Every lane of the mask b has a = 1; so 1 for an empty mask."},
	ReadLane:    {"readlane", "t i32w -> tw", Cross, InWave, 0, WaveFn(readLane), Permutes, Exact, "a of lane b modulo the wave's width, active or not."},
	ReadFirst:   {"readfirst", "t i1 -> tw", Cross, InWave, 0, WaveFn(readFirst), Permutes, Exact, "a of the lowest lane of the mask b; of lane 0 if it is empty."},
	Shuffle:     {"shuffle", "t i32 i1 -> tv i1v", Cross, InGroup, HasImm | OptImm, WaveFn(shuffle), Permutes, Exact, "a of lane b, and 1 if that lane exists, is in the mask c, and is in the same aligned group of Imm lanes (2, 4, 8, 16 or 32; 0: the whole wave); else 0 and 0. b is the number of a lane of the wave, unsigned and not reduced."},
	ScatterLane: {"scatterlane", "t i32 i1 -> tv i1v", Cross, InWave, 0, WaveFn(scatterLane), Permutes, Exact, "Each lane of the mask c sends its a to lane b; the highest sender wins. Second result: the lane received one; else 0 and 0."},

	Get:       {"get", "-> t", Reg, InLane, 0, nil, ShadowLoad, Exact, "The cell."},
	Set:       {"set", "t i1? ->", Reg, InLane, Masked, nil, ShadowStore, Exact, "Writes the cell in the lanes of the mask; a cell that is one per wave, and the execution mask itself, take no mask."},
	GetX:      {"getx", "i32 i1? -> t", Reg, InLane, Masked | CanFault, nil, ShadowLoad, Exact, "The cell of the file at Cell.Index + a, a signed; outside the file the file's range rule holds. The mask says which lanes' index may fault: the other lanes read as well, and get 0 where they would have faulted. Of a file that is one per wave each lane reads the cell that its own index names; without a mask it is one read for the wave."},
	SetX:      {"setx", "i32 t i1? ->", Reg, InCells, Masked | CanFault, nil, ShadowStore, Exact, "Writes the cell of the file at Cell.Index + a in the lanes of the mask; outside the file the file's range rule holds. Of a file that is one per wave each lane of the mask writes the cell that its own index names, and of several lanes at one cell the highest wins; without a mask it is one write for the wave."},
	Live:      {"live", "-> i1v", Reg, InLane, 0, nil, AlwaysDefined, Exact, "The lanes that exist and have not ended."},
	SetLast:   {"setlast", "t i1 ->", Reg, InWave, Masked, nil, ShadowStore, Exact, "Writes a cell that is one per wave with the value of the highest lane of the mask; nothing if it is empty."},
	Load:      {"load", "j i1? -> t*", Memory, InMemory, Masked | CanFault, nil, ShadowLoad, Exact, "Mem.Count elements from address a; 0 in lanes outside the mask. A narrow element is extended to the type."},
	Store:     {"store", "j t* i1? ->", Memory, InMemory, Masked | CanFault, nil, ShadowStore, Exact, "The low Mem.Elem bytes of each element to address a up. Of two lanes at one address the higher wins."},
	AtomicRMW: {"atomic", "j t t? i1? -> t", Memory, InMemory, Masked | CanFault, nil, ShadowLoad, Exact, "Mem.Atomic on the element at address a with data b (and comparand c); the old value. Lane by lane, lowest first."},
	Check:     {"check", "j i1? ->", Memory, InMemory, HasImm | Masked | CanFault, nil, ShadowStore, Exact, "Faults if a load (Imm 0) or a store (Imm 1) of Mem.Bytes at address a would."},
	Tex:       {"tex", "f32 f32 f32 f32 i32 i1 -> f32 f32 f32 f32", Resource, InQuad, Masked | CanFault, nil, AnyToAll, Exact, "The texel of texture unit e at coordinates a, b, c, filtered as the unit says; d is a bias or a level of detail if Tex says so, else not used. Lanes 4k to 4k+3 are a quad: what is found by comparing lanes (level of detail, cube face) sees the coordinates of all four, active or not; a lane that the wave lacks counts as lane 4k. 0 in lanes outside the mask f, whose unit is not looked at. No such unit faults."},
	Sample:    {"sample", "i32* i1 -> i32*", Resource, InQuad, Masked | CanFault, nil, AnyToAll, Exact, "A texel, four texels to be mixed, or a level of detail of the image that the first Img.Words operands describe, words as the guest has them; then come x, y, z, slice, w, least, ref, all floats, and offset, six bits for each axis at bits 0, 8 and 16; under slopes, how x, y, z change to the next lane and to the next row. Img says which of them count. Quads are those of tex. Packed, the instruction does not say what its operands are: x, y, z and slice hold those that the image takes, in this order: its coordinates, the layer as an integer if it has layers, ref if it compares, w. 0 in lanes outside the mask. Descriptors that stand for nothing fault, as does memory that a texel does not reach."},
	Image:     {"image", "i32* i1 -> i32*", Resource, InLane, Masked | CanFault, nil, AnyToAll, Exact, "What Img.Do asks of the image that the first Img.Words operands describe, without an access: where the texel at x, y, z, slice, level, all integers, lies in global memory (low and high half of its address, and its bytes, 0 if there is no such texel); a texel's four components from its bytes in four words, or the other way round; how large a level is; the components of the texel at x, y, z, slice, level, offset (as that of sample), 0 if there is no such texel, or packed: coordinates, layer, level. 0 in lanes outside the mask. Descriptors that stand for nothing fault; like a check, it may stand before another op that can."},
	Fetch:     {"fetch", "i32 i32 i1 -> t t t t", Resource, InMemory, Masked | CanFault, nil, AnyToAll, Exact, "Element a, unsigned, of attribute stream b, converted from the stream's format: the bits of four components. 0 in lanes outside the mask c. No such stream faults, as does memory that the stream's address does not reach."},
	Input:     {"input", "i32 f32? f32? i1 -> t*", Resource, InLane, Masked | CanFault, nil, AnyToAll, Exact, "Components of stage input a, found as IO.How says; b and c are an offset in pixels if it asks for one. 0 in lanes outside the mask. What the slot a names is the launch's affair; no such input faults."},
	Output:    {"output", "i32 t* i1 ->", Resource, InMemory, Masked | CanFault, nil, ShadowStore, Exact, "Components of stage output a in the lanes of the mask. What the slot a names is the launch's affair; no such output faults, and then no lane has put out anything."},
	Clock:     {"clock", "-> i64w", Reg, InScalar, 0, nil, AlwaysDefined, Modelled, "Guest instructions that the wave has begun: our stand-in for a cycle counter (option clock)."},
	CtlCheck:  {"ctlcheck", "i1v ->", Reg, InControl, Masked | CanFault, nil, AlwaysDefined, Exact, "Faults if the step Alt (a ControlKind) would that ends this mark with ctl and the lanes a. It stands in front of the mark's other effects, so that a step that is refused leaves none behind."},
	Issue:     {"issue", "->", Marker, InScalar, HasImm, nil, AlwaysDefined, Exact, "An operation began on queue Imm of the machine. It will write some cells, which nobody may touch until it has ended, and read others, which nobody may write (Block.Touched)."},
	Wait:      {"wait", "->", Marker, InScalar, HasImm, nil, AlwaysDefined, Exact, "Waits until at most Alt operations of queue Imm are pending; 0 if the queue is unordered."},
	Probe:     {"probe", "u* i1 ->", Marker, InWave, HasImm | Masked, nil, AlwaysDefined, Exact, "Tells the observer that the lanes of the mask are here: an event of kind Imm with up to four operands. Without a lane, and where nobody observes, nothing."},
	Tally:     {"tally", "i64w ->", Marker, InScalar, HasImm, nil, AlwaysDefined, Exact, "Adds a to counter Imm of who observes the code: see Machine.Tallies."},
	Unlikely:  {"unlikely", "i1 ->", Marker, InWave, Masked, nil, AlwaysDefined, Exact, "The mask is expected to have no lane. The op does nothing; the ops after it handle the lanes of the mask. It precedes the accesses and effects of its mark, so that an engine may run code for an empty mask, and return to the start of the mark if the mask is not empty."},
	Stable:    {"stable", "u ->", Marker, InWave, 0, nil, AlwaysDefined, Exact, "The value, i1 or i32, is expected to be the same in all lanes, and each time the block runs. The op does nothing. It precedes the accesses and effects of its mark, so that an engine may run code for one value, and return to the start of the mark if the value is another one."},
	Clip:      {"clip", "i i i1 i1 ->", Marker, InWave, HasImm | Masked, nil, AlwaysDefined, Exact, "Lanes of the mask d in which c is 0 do not access memory: a, unsigned, is beyond b, which is bound Imm of the machine. Their loads give 0 and their stores are dropped. The op does nothing; a sanitizer reports them."},
	Jump:      {"jump", "->", Ctl, InControl, HasImm, nil, AlwaysDefined, Exact, "Goes on at Imm. If it yields, other waves of the group run first."},
	Branch:    {"branch", "i1w ->", Ctl, InControl, HasImm, nil, AlwaysDefined, Exact, "Goes on at Imm if a is 1, else at Alt. One decision a wave."},
	JumpX:     {"jumpx", "i64w ->", Ctl, InControl, 0, nil, AlwaysDefined, Exact, "Goes on at a."},
	End:       {"end", "->", Ctl, InControl, 0, nil, AlwaysDefined, Exact, "All lanes of the wave end."},
	Retire:    {"retire", "i1 ->", Ctl, InControl, HasImm | Masked, nil, AlwaysDefined, Exact, "The lanes of the mask end and leave the execution mask; the others go on at Imm. Under a policy only lanes that run end."},
	Barrier:   {"barrier", "i32w? ->", Ctl, InControl, HasImm | OptAlt, nil, AlwaysDefined, Exact, "Waits at the group's barrier number Alt until every wave of the group that has not ended is there, or waves with a lanes in all if a is given; then goes on at Imm. With Alt + 256 the wave counts as there and goes on at once; with Alt + 512 it only waits, while somebody is there and others are missing."},
	Trap:      {"trap", "->", Ctl, InControl, HasImm, nil, AlwaysDefined, Exact, "Faults for the reason Imm (a TrapReason), explained by Text."},
	CtlStep:   {"ctl", "i1v ->", Ctl, InControl, HasImm | Masked, nil, AlwaysDefined, Exact, "A step of the machine's divergence policy; Alt is the kind (a ControlKind), Imm its target, a the lanes that take it; the other running lanes go on at Block.Next."},
	CtlStepX:  {"ctlx", "i64 i1v ->", Ctl, InControl, Masked, nil, AlwaysDefined, Exact, "As ctl, with a target for each lane: a; b are the lanes that take the step."},
}
