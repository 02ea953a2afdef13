package tesla

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/num"
)

var (
	two32   = []ir.Type{ir.I32, ir.I32}
	three32 = []ir.Type{ir.I32, ir.I32, ir.I32}
)

// withSigns is a with the absolute value and the sign that the fields ask for.
func withSigns(n int, a uint64, fields map[isa.Name]uint64, neg, abs isa.Name) uint64 {
	top := uint64(1) << (n - 1)
	if fields[abs] != 0 {
		a &^= top
	}
	return a ^ fields[neg]*top
}

// add32, mul32 and mad32 are the sums and products of f32.
func add32(a, b uint64, round int) uint64 {
	x, y := realOf(32, a, false), realOf(32, b, false)
	if x.nan || y.nan {
		return f32NaN
	}
	s, invalid := sumOf(x, y, false)
	if invalid {
		return f32NaN
	}
	return bitsOf(32, round, flushed, s)
}

func mul32(a, b uint64, round int, zeroWins bool) uint64 {
	x, y := realOf(32, a, false), realOf(32, b, false)
	if zeroWins && (x.zero() || y.zero()) {
		return 0
	}
	if x.nan || y.nan {
		return f32NaN
	}
	p, invalid := productOf(x, y)
	if invalid {
		return f32NaN
	}
	return bitsOf(32, round, unbounded, p)
}

func mad32(a, b, c uint64, zeroWins bool) uint64 {
	x, y, z := realOf(32, a, false), realOf(32, b, false), realOf(32, c, false)
	if zeroWins && (x.zero() || y.zero()) {
		return add32(0, c, toNearest)
	}
	if x.nan || y.nan || z.nan {
		return f32NaN
	}
	p, invalid := productOf(x, y)
	switch {
	case invalid:
		return f32NaN
	case x.zero() || y.zero() || z.zero():
		return add32(mul32(a, b, toNearest, false), c, toNearest)
	case !p.inf:
		grid := exponent(p.r) - 23
		p.r = scaled(new(big.Rat).SetInt(onGrid(p.r, grid, toZero)), grid)
		if p.neg {
			p.r.Neg(p.r)
		}
	}
	s, invalid := sumOf(p, z, false)
	if invalid {
		return f32NaN
	}
	return bitsOf(32, toNearest, flushed, s)
}

// result32 is an f32 with its flags.
func result32(v uint64) outcome { return outcome{v, floatSigns(32, v, false)} }

// modesOfSaturation are a variant, the option sat-nan, and the results of saturation for a NaN operand and for a new
// NaN.
var modesOfSaturation = []struct {
	variant    int
	option     string
	given, new uint64
}{{G80, "nan", f32NaN, f32NaN}, {G84, "zero", f32NaN, f32NaN}, {MCP77, "zero", f32NaN, f32NaN}, {G200, "nan", f32NaN, f32NaN}, {G200, "zero", 0, f32NaN}, {GT215, "zero", 0, 0}}

// saturated32 is v in [0, 1], as an option and operands have it.
func saturated32(v uint64, given, fresh uint64, operands []uint64) uint64 {
	for _, a := range operands {
		if realOf(32, a, false).nan {
			fresh = given
		}
	}
	return saturatedBits(v, fresh)
}

func TestSingleSums(t *testing.T) {
	for bits := range uint64(8) {
		for round := range 4 {
			fields := map[isa.Name]uint64{nameNeg1: bits & 1, nameNeg2: bits >> 1 & 1, nameSat: bits >> 2, nameRound: uint64(round)}
			if round == toDown || round == toUp {
				continue // no instruction has them
			}
			for _, m := range modesOfSaturation {
				c := trial{name: "add", mean: of2(fadd), srcs: two32, dst: ir.I32, fields: fields, variant: m.variant, options: map[string]string{"sat-nan": m.option}}
				c.adjust = func(a []uint64) {
					if a[0]&3 == 0 { // so that sums cancel
						a[1] = a[0] ^ a[1]&0x80000003
					}
				}
				c.against(t, 250, func(a []uint64) outcome {
					v := add32(withSigns(32, a[0], fields, nameNeg1, nameAbs1), withSigns(32, a[1], fields, nameNeg2, nameAbs2), round)
					if fields[nameSat] != 0 {
						v = saturated32(v, m.given, m.new, a[:2])
					}
					return result32(v)
				})
			}
		}
	}
}

func TestSingleProducts(t *testing.T) {
	for bits := range uint64(8) {
		for i, m := range modesOfSaturation {
			round, zero := bits>>1&1*3, []string{"ieee", "zero"}[i&1]
			fields := map[isa.Name]uint64{nameNeg1: bits & 1, nameNeg2: bits >> 1 & 1, nameSat: bits >> 2, nameRound: round}
			c := trial{name: "mul", mean: of2(fmul), srcs: two32, dst: ir.I32, fields: fields, variant: m.variant,
				options: map[string]string{"sat-nan": m.option, "zero-product": zero}, adjust: nearTiny}
			c.against(t, 400, func(a []uint64) outcome {
				v := mul32(withSigns(32, a[0], fields, nameNeg1, nameAbs1), withSigns(32, a[1], fields, nameNeg2, nameAbs2), int(round), zero == "zero")
				if fields[nameSat] != 0 {
					v = saturated32(v, m.given, m.new, a[:2])
				}
				return result32(v)
			})
		}
	}
}

// nearTiny makes products about the least normal number, sometimes: some of these so near that it matters whether
// they are rounded before the comparison.
func nearTiny(a []uint64) {
	if a[0]&3 != 0 {
		return
	}
	e := 1 + a[0]>>24%126
	m, n := a[0]&0x7fffff|1<<23, a[1]&0x7fffff|1<<23
	if a[0]&4 == 0 {
		n = (1<<47 - 1<<22 - 1) / m
	}
	a[0] = a[0]&0x80000000 | e<<23 | m&0x7fffff
	a[1] = a[1]&0x80000000 | (127-e)<<23 | n&0x7fffff
}

func TestSingleMads(t *testing.T) {
	for bits := range uint64(8) {
		for i, m := range modesOfSaturation {
			zero := []string{"ieee", "zero"}[i&1]
			fields := map[isa.Name]uint64{nameNeg1: bits & 1, nameNeg3: bits >> 1 & 1, nameSat: bits >> 2}
			c := trial{name: "mad", mean: of3(fmad), srcs: three32, dst: ir.I32, fields: fields, variant: m.variant,
				options: map[string]string{"sat-nan": m.option, "zero-product": zero}}
			c.adjust = func(a []uint64) {
				switch {
				case a[2]&3 == 0: // so that the sum cancels
					a[2] = mul32(a[0], a[1], toZero, false) ^ a[2]&0x80000000 + a[2]>>2&3
				case a[2]&3 == 1: // so that it is about the least normal number
					nearTiny(a)
					a[2] = a[2]&0x80000003 | 1<<23
				}
			}
			c.against(t, 400, func(a []uint64) outcome {
				v := mad32(withSigns(32, a[0], fields, nameNeg1, nameAbs1), a[1], withSigns(32, a[2], fields, nameNeg3, nameAbs2), zero == "zero")
				if fields[nameSat] == 0 {
					return result32(v)
				}
				v = saturated32(v, m.given, m.new, a[:3])
				if m.given == 0 && (realOf(32, a[0], false).nan || realOf(32, a[1], false).nan) {
					v = 0 // though a zero has won
				}
				return result32(v)
			})
		}
	}
}

// chosen returns min and max of two floats of n bits; NaNs lose.
func chosen(n int, a, b uint64, least bool, denormals bool, nan uint64) uint64 {
	x, y := realOf(n, a, denormals), realOf(n, b, denormals)
	switch {
	case x.nan && y.nan:
		return nan
	case x.nan:
		x = y
	case !y.nan:
		o := order(x, y)
		if o == 0 {
			o = int(flagOf(y.neg)) - int(flagOf(x.neg)) // -0 is less
		}
		if o < 0 != least {
			x = y
		}
	}
	return bitsOf(n, toNearest, kept, x)
}

func TestSingleComparisons(t *testing.T) {
	for bits := range uint64(16) {
		fields := map[isa.Name]uint64{nameNeg1: bits & 1, nameNeg2: bits >> 1 & 1, nameAbs1: bits >> 2 & 1, nameAbs2: bits >> 3, nameCond: 0}
		ab := func(a []uint64) (x, y uint64) {
			return withSigns(32, a[0], fields, nameNeg1, nameAbs1), withSigns(32, a[1], fields, nameNeg2, nameAbs2)
		}
		c := trial{name: "min", mean: of2(fmin), srcs: two32, dst: ir.I32, fields: fields, adjust: sometimesEqual}
		c.against(t, 500, func(a []uint64) outcome { x, y := ab(a); return result32(chosen(32, x, y, true, false, f32NaN)) })
		c = trial{name: "max", mean: of2(fmax), srcs: two32, dst: ir.I32, fields: fields, adjust: sometimesEqual}
		c.against(t, 500, func(a []uint64) outcome { x, y := ab(a); return result32(chosen(32, x, y, false, false, f32NaN)) })
		for cond := range uint64(16) {
			fields[nameCond] = cond
			c = trial{name: "set", mean: of2(fset), srcs: two32, dst: ir.I32, fields: fields, adjust: sometimesEqual}
			c.against(t, 200, func(a []uint64) outcome {
				x, y := ab(a)
				return compares(cond, realOf(32, x, false), realOf(32, y, false))
			})
		}
	}
}

// compares is 32 ones if one of the conditions holds.
func compares(cond uint64, x, y real) outcome {
	which := 3
	if !x.nan && !y.nan {
		which = order(x, y) + 1
	}
	if cond>>which&1 != 0 {
		return outcome{0xffffffff, ccS}
	}
	return outcome{0, ccZ}
}

func TestSingleChoice(t *testing.T) {
	for neg := range uint64(2) {
		c := trial{name: "slct", mean: of3(fslct), srcs: three32, dst: ir.I32, fields: map[isa.Name]uint64{nameNeg3: neg}}
		c.against(t, 2000, func(a []uint64) outcome {
			v, x := a[1], realOf(32, a[2]^neg<<31, false)
			if !x.nan && (!x.neg || x.zero()) {
				v = a[0]
			}
			switch {
			case v&f32NaN == 0:
				return outcome{v, ccZ}
			default:
				return outcome{v, v >> 31 << FlagS}
			}
		})
	}
}

func TestSpecialFunctions(t *testing.T) {
	for f := range num.NumSFU {
		for bits := range uint64(4) {
			fields := map[isa.Name]uint64{nameNeg1: bits & 1, nameAbs1: bits >> 1, nameCDst: 0}
			c := trial{name: f.String(), mean: of1(special(f)), srcs: []ir.Type{ir.I32}, dst: ir.I32, fields: fields}
			c.against(t, 300, func(a []uint64) outcome {
				return outcome{uint64(f.Of(uint32(withSigns(32, a[0], fields, nameNeg1, nameAbs1)))), 15}
			})
		}
	}
	for sat := range uint64(2) {
		for _, m := range modesOfSaturation {
			c := trial{name: "ex2", mean: of1(fex2), srcs: []ir.Type{ir.I32}, dst: ir.I32, fields: map[isa.Name]uint64{nameSat: sat, nameCDst: 0}, variant: m.variant,
				options: map[string]string{"sat-nan": m.option}}
			c.against(t, 300, func(a []uint64) outcome {
				v := uint64(num.TeslaEx2.Of(uint32(a[0])))
				if sat != 0 {
					v = saturatedBits(v, m.given)
				}
				return outcome{v, 15}
			})
		}
	}
}

// Each lane of a quad has its own operation, on a source of one lane and its own second source.
func TestQuads(t *testing.T) {
	for trials, from := range []uint64{0, 1, 2, 3, 4, 5, 6, 7, 0, 3, 4, 5} {
		for _, out := range []string{"zero", "infinity"} {
			for stage := range stages {
				quadTrial(t, uint64(trials)*0x35a7%251, from, out, stage)
			}
		}
	}
}

func quadTrial(t *testing.T, ops, from uint64, out string, stage int) {
	t.Helper()
	fields := map[isa.Name]uint64{nameQuadLane: from}
	for i, n := range quadNames {
		fields[n] = ops >> (2 * i) & 3
	}
	c := trial{name: fmt.Sprint("quadop from ", from), mean: of2(quadop), srcs: two32, dst: ir.I32, fields: fields, stage: stage, options: map[string]string{"quad-outside": out}}
	args := make([][]uint64, Lanes)
	for i := range args {
		args[i] = []uint64{edgeFloats[(i*7+int(ops))%len(edgeFloats)], edgeFloats[(i*5+3)%len(edgeFloats)], 0}
	}
	for i, got := range c.run(c.lift(t), args) {
		lane := i&^3 | int(from)
		if from >= 4 {
			lane = i ^ 1<<(from&1)
		}
		a, b := args[lane][0], args[i][1]
		v := uint64(0)
		switch fields[quadNames[i&3]] {
		case 0:
			v = add32(a, b, toNearest)
		case 1:
			v = add32(b, a^1<<31, toNearest)
		case 2:
			v = add32(a, b^1<<31, toNearest)
		case 3:
			v = add32(b, 0, toNearest)
		}
		if from >= 4 && stage != FP {
			v = map[string]uint64{"zero": 0, "infinity": 0x7f800000}[out]
		}
		if want := result32(v); got != want {
			t.Fatalf("%s %s %s lane %d, operations %#x: %#x, want %#x", c.name, stages[stage], out, i, ops, got, want)
		}
	}
}

var edgeFloats = []uint64{0x3f800000, 0x40000000, 0xc0400000, 0x80000000, 0, 0x7fffff, 0x800000, 0x7f800000, 0x7fc00001, 0x3f000001, 0xbf800001, 0x4b800000}
