package emit

import (
	"sync"

	"github.com/heddle-gpu/heddle/internal/jit/cpu"
	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/ir"
)

// A row is the implementation of an op.
type row struct {
	typ  ir.Type // of the op
	args int
	code func(e *Emitter, c *Call)
	need cpu.Set // features beyond Level512, with 512 bits
	near bool    // only in modes that round to nearest
}

// any32 is every 32-bit type: the op only moves bits.
const any32 = ir.Type(0xff)

// conversions are the ops whose operands have another type than their result.
var conversions = map[ir.Op]ir.Type{ir.SToF: ir.I32, ir.UToF: ir.I32, ir.FToS: ir.F32, ir.FToU: ir.F32, ir.FCvt: ir.F16}

// ops are the ops with code.
var ops = sync.OnceValue(rows)

func rows() []row {
	return []row{
		ir.IAdd:     {ir.I32, 2, commuting(x86.VPADDD, x86.VPADDD), 0, false},
		ir.ISub:     {ir.I32, 2, plain(x86.VPSUBD), 0, false},
		ir.IMul:     {ir.I32, 2, commuting(x86.VPMULLD, x86.VPMULLD), 0, false},
		ir.MulHiU:   {ir.I32, 2, highProduct(x86.VPMULUDQ), 0, false},
		ir.MulHiS:   {ir.I32, 2, highProduct(x86.VPMULDQ), 0, false},
		ir.And:      {ir.I32, 2, commuting(x86.VPANDD, x86.VPAND), 0, false},
		ir.Or:       {ir.I32, 2, commuting(x86.VPORD, x86.VPOR), 0, false},
		ir.Xor:      {ir.I32, 2, commuting(x86.VPXORD, x86.VPXOR), 0, false},
		ir.Not:      {ir.I32, 1, withWord(0xffffffff, (*Emitter).Xor), 0, false},
		ir.INeg:     {ir.I32, 1, negate, 0, false},
		ir.Shl:      {ir.I32, 2, shiftModulo(x86.VPSLLVD, x86.VPSLLD), 0, false},
		ir.ShrU:     {ir.I32, 2, shiftModulo(x86.VPSRLVD, x86.VPSRLD), 0, false},
		ir.ShrS:     {ir.I32, 2, shiftModulo(x86.VPSRAVD, x86.VPSRAD), 0, false},
		ir.ShlX:     {ir.I32, 2, shift(x86.VPSLLVD, x86.VPSLLD), 0, false},
		ir.ShrUX:    {ir.I32, 2, shift(x86.VPSRLVD, x86.VPSRLD), 0, false},
		ir.ShrSX:    {ir.I32, 2, shift(x86.VPSRAVD, x86.VPSRAD), 0, false},
		ir.Ror:      {ir.I32, 2, rotate, 0, false},
		ir.FShr:     {ir.I32, 3, funnel, 0, false},
		ir.UMin:     {ir.I32, 2, commuting(x86.VPMINUD, x86.VPMINUD), 0, false},
		ir.UMax:     {ir.I32, 2, commuting(x86.VPMAXUD, x86.VPMAXUD), 0, false},
		ir.SMin:     {ir.I32, 2, commuting(x86.VPMINSD, x86.VPMINSD), 0, false},
		ir.SMax:     {ir.I32, 2, commuting(x86.VPMAXSD, x86.VPMAXSD), 0, false},
		ir.UAbsDiff: {ir.I32, 2, distance(x86.VPMAXUD, x86.VPMINUD), 0, false},
		ir.SAbsDiff: {ir.I32, 2, distance(x86.VPMAXSD, x86.VPMINSD), 0, false},
		ir.USubSat:  {ir.I32, 2, overshoot, 0, false},
		ir.UAddSat:  {ir.I32, 2, sumUpTo(1<<32 - 1), 0, false},
		ir.UBfe:     {ir.I32, 3, extractBits(x86.VPSRLVD, x86.VPSRLD), 0, false},
		ir.SBfe:     {ir.I32, 3, extractBits(x86.VPSRAVD, x86.VPSRAD), 0, false},
		ir.Bfi:      {ir.I32, 3, insertBits, 0, false},
		ir.Bfm:      {ir.I32, 2, maskOfBits, 0, false},
		ir.BytePerm: {ir.I32, 3, bytePermutation, 0, false},
		ir.BitRev:   {ir.I32, 1, reverse, 0, false},
		ir.Popcount: {ir.I32, 1, population, cpu.AVX512VPOPCNTDQ, false},
		ir.Clz:      {ir.I32, 1, leadingZeros, 0, false},
		ir.Eq:       {ir.I32, 2, compare(cmpEQ, equal), 0, false},
		ir.Ne:       {ir.I32, 2, compare(cmpNE, unequal), 0, false},
		ir.ULt:      {ir.I32, 2, compare(cmpLT|unsigned, below), 0, false},
		ir.ULe:      {ir.I32, 2, compare(cmpLE|unsigned, belowOrEqual), 0, false},
		ir.SLt:      {ir.I32, 2, compare(cmpLT, less), 0, false},
		ir.SLe:      {ir.I32, 2, compare(cmpLE, lessOrEqual), 0, false},
		ir.Select:   {any32, 3, choose, 0, false},
		ir.FAdd:     {ir.F32, 2, float(x86.VADDPS), 0, false},
		ir.FSub:     {ir.F32, 2, float(x86.VSUBPS), 0, false},
		ir.FMul:     {ir.F32, 2, float(x86.VMULPS), 0, false},
		ir.FDiv:     {ir.F32, 2, float(x86.VDIVPS), 0, false},
		ir.FSqrt:    {ir.F32, 1, float(x86.VSQRTPS), 0, false},
		ir.FFma:     {ir.F32, 3, float(x86.VFMADD213PS), 0, false},
		ir.FMad:     {ir.F32, 3, multiplyAdd, 0, false},
		ir.FMulZ:    {ir.F32, 2, legacyProduct, 0, false},
		ir.FRcp:     {ir.F32, 1, reciprocal, 0, false},
		ir.FRndne:   {ir.F32, 1, integral(0), 0, false},
		ir.FFloor:   {ir.F32, 1, integral(1), 0, false},
		ir.FCeil:    {ir.F32, 1, integral(2), 0, false},
		ir.FTrunc:   {ir.F32, 1, integral(3), 0, false},
		ir.FMinSel:  {ir.F32, 2, selected(x86.VMINPS), 0, false},
		ir.FMaxSel:  {ir.F32, 2, selected(x86.VMAXPS), 0, false},
		ir.FMinNum:  {ir.F32, 2, extreme(x86.VMINPS, (*Emitter).Or), 0, false},
		ir.FMaxNum:  {ir.F32, 2, extreme(x86.VMAXPS, (*Emitter).And), 0, false},
		ir.FSat:     {ir.F32, 1, saturate, 0, false},
		ir.FCanon:   {ir.F32, 1, canonical, 0, false},
		ir.FLdexp:   {ir.F32, 2, scaled, 0, false},
		ir.FClass:   {ir.F32, 1, classOf, 0, false},
		ir.FFract:   {ir.F32, 1, fraction, 0, false},
		ir.FRsq:     {ir.F32, 1, reciprocalRoot, 0, false},
		ir.FExp2:    {ir.F32, 1, exponential, 0, true},
		ir.FLog2:    {ir.F32, 1, logarithm, 0, true},
		ir.FSinRev:  {ir.F32, 1, sineRev(0), 0, true},
		ir.FCosRev:  {ir.F32, 1, sineRev(1), 0, true},
		ir.SFU:      {ir.I32, 1, special, 0, false},
		ir.FCvt:     {ir.F32, 1, fromHalf, 0, false},
		ir.SToF:     {ir.F32, 1, fromSigned, 0, false},
		ir.UToF:     {ir.F32, 1, fromUnsigned, 0, false},
		ir.FToS:     {ir.I32, 1, toSigned, 0, false},
		ir.FToU:     {ir.I32, 1, toUnsigned, 0, false},
		ir.FNeg:     {ir.F32, 1, withWord(signBit, (*Emitter).Xor), 0, false},
		ir.FAbs:     {ir.F32, 1, withWord(^uint32(signBit), (*Emitter).And), 0, false},
		ir.FEq:      {ir.F32, 2, compareFloats(0x00), 0, false},
		ir.FLt:      {ir.F32, 2, compareFloats(0x11), 0, false},
		ir.FLe:      {ir.F32, 2, compareFloats(0x12), 0, false},
		ir.FUnord:   {ir.F32, 2, compareFloats(unordered), 0, false},
	}
}
