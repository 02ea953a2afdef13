package emit

import (
	"sync"

	"github.com/heddle-gpu/heddle/exec/jit/cpu"
	"github.com/heddle-gpu/heddle/exec/jit/x86"
	"github.com/heddle-gpu/heddle/ir"
)

// A row is how an op is carried out.
type row struct {
	typ  ir.Type // as that of the op
	args int
	code func(e *Emitter, c *Call)
	need cpu.Set // beyond Level512, which then is the least
}

// any32 is every type of 32 bits: the op only moves them.
const any32 = ir.Type(0xff)

// conversions are the ops whose operands have another type than their result.
var conversions = map[ir.Op]ir.Type{ir.SToF: ir.I32, ir.UToF: ir.I32, ir.FToS: ir.F32, ir.FToU: ir.F32}

// ops are the ops that there is code for.
var ops = sync.OnceValue(rows)

func rows() []row {
	return []row{
		ir.IAdd:     {ir.I32, 2, commuting(x86.VPADDD, x86.VPADDD), 0},
		ir.ISub:     {ir.I32, 2, plain(x86.VPSUBD), 0},
		ir.IMul:     {ir.I32, 2, commuting(x86.VPMULLD, x86.VPMULLD), 0},
		ir.MulHiU:   {ir.I32, 2, highProduct(x86.VPMULUDQ), 0},
		ir.MulHiS:   {ir.I32, 2, highProduct(x86.VPMULDQ), 0},
		ir.And:      {ir.I32, 2, commuting(x86.VPANDD, x86.VPAND), 0},
		ir.Or:       {ir.I32, 2, commuting(x86.VPORD, x86.VPOR), 0},
		ir.Xor:      {ir.I32, 2, commuting(x86.VPXORD, x86.VPXOR), 0},
		ir.Not:      {ir.I32, 1, withWord(0xffffffff, (*Emitter).xor), 0},
		ir.INeg:     {ir.I32, 1, negate, 0},
		ir.Shl:      {ir.I32, 2, shiftModulo(x86.VPSLLVD), 0},
		ir.ShrU:     {ir.I32, 2, shiftModulo(x86.VPSRLVD), 0},
		ir.ShrS:     {ir.I32, 2, shiftModulo(x86.VPSRAVD), 0},
		ir.ShlX:     {ir.I32, 2, plain(x86.VPSLLVD), 0},
		ir.ShrUX:    {ir.I32, 2, plain(x86.VPSRLVD), 0},
		ir.ShrSX:    {ir.I32, 2, plain(x86.VPSRAVD), 0},
		ir.Ror:      {ir.I32, 2, rotate, 0},
		ir.FShr:     {ir.I32, 3, funnel, 0},
		ir.UMin:     {ir.I32, 2, commuting(x86.VPMINUD, x86.VPMINUD), 0},
		ir.UMax:     {ir.I32, 2, commuting(x86.VPMAXUD, x86.VPMAXUD), 0},
		ir.SMin:     {ir.I32, 2, commuting(x86.VPMINSD, x86.VPMINSD), 0},
		ir.SMax:     {ir.I32, 2, commuting(x86.VPMAXSD, x86.VPMAXSD), 0},
		ir.UAbsDiff: {ir.I32, 2, distance(x86.VPMAXUD, x86.VPMINUD), 0},
		ir.SAbsDiff: {ir.I32, 2, distance(x86.VPMAXSD, x86.VPMINSD), 0},
		ir.USubSat:  {ir.I32, 2, overshoot, 0},
		ir.UBfe:     {ir.I32, 3, extractBits(x86.VPSRLVD), 0},
		ir.SBfe:     {ir.I32, 3, extractBits(x86.VPSRAVD), 0},
		ir.Bfi:      {ir.I32, 3, insertBits, 0},
		ir.Bfm:      {ir.I32, 2, maskOfBits, 0},
		ir.Popcount: {ir.I32, 1, unary(x86.VPOPCNTD), cpu.AVX512VPOPCNTDQ},
		ir.Clz:      {ir.I32, 1, unary(x86.VPLZCNTD), cpu.AVX512CD},
		ir.Eq:       {ir.I32, 2, compare(cmpEQ, equal), 0},
		ir.Ne:       {ir.I32, 2, compare(cmpNE, unequal), 0},
		ir.ULt:      {ir.I32, 2, compare(cmpLT|unsigned, below), 0},
		ir.ULe:      {ir.I32, 2, compare(cmpLE|unsigned, belowOrEqual), 0},
		ir.SLt:      {ir.I32, 2, compare(cmpLT, less), 0},
		ir.SLe:      {ir.I32, 2, compare(cmpLE, lessOrEqual), 0},
		ir.Select:   {any32, 3, choose, 0},
		ir.FAdd:     {ir.F32, 2, float(x86.VADDPS), 0},
		ir.FSub:     {ir.F32, 2, float(x86.VSUBPS), 0},
		ir.FMul:     {ir.F32, 2, float(x86.VMULPS), 0},
		ir.FDiv:     {ir.F32, 2, float(x86.VDIVPS), 0},
		ir.FSqrt:    {ir.F32, 1, float(x86.VSQRTPS), 0},
		ir.FFma:     {ir.F32, 3, float(x86.VFMADD213PS), 0},
		ir.FMad:     {ir.F32, 3, multiplyAdd, cpu.AVX512F},
		ir.FMulZ:    {ir.F32, 2, legacyProduct, 0},
		ir.FRcp:     {ir.F32, 1, reciprocal, 0},
		ir.FRndne:   {ir.F32, 1, integral(0), 0},
		ir.FFloor:   {ir.F32, 1, integral(1), 0},
		ir.FCeil:    {ir.F32, 1, integral(2), 0},
		ir.FTrunc:   {ir.F32, 1, integral(3), 0},
		ir.FMinSel:  {ir.F32, 2, selected(x86.VMINPS), 0},
		ir.FMaxSel:  {ir.F32, 2, selected(x86.VMAXPS), 0},
		ir.FMinNum:  {ir.F32, 2, extreme(x86.VMINPS, (*Emitter).or), 0},
		ir.FMaxNum:  {ir.F32, 2, extreme(x86.VMAXPS, (*Emitter).and), 0},
		ir.FSat:     {ir.F32, 1, saturate, 0},
		ir.FCanon:   {ir.F32, 1, canonical, 0},
		ir.FFract:   {ir.F32, 1, fraction, 0},
		ir.FRsq:     {ir.F32, 1, reciprocalRoot, 0},
		ir.SToF:     {ir.F32, 1, fromSigned, 0},
		ir.UToF:     {ir.F32, 1, fromUnsigned, 0},
		ir.FToS:     {ir.I32, 1, toSigned, 0},
		ir.FToU:     {ir.I32, 1, toUnsigned, 0},
		ir.FNeg:     {ir.F32, 1, withWord(signBit, (*Emitter).xor), 0},
		ir.FAbs:     {ir.F32, 1, withWord(^uint32(signBit), (*Emitter).and), 0},
		ir.FEq:      {ir.F32, 2, compareFloats(0x00), 0},
		ir.FLt:      {ir.F32, 2, compareFloats(0x11), 0},
		ir.FLe:      {ir.F32, 2, compareFloats(0x12), 0},
		ir.FUnord:   {ir.F32, 2, compareFloats(unordered), 0},
	}
}
