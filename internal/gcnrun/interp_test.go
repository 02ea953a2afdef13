package gcnrun

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa/gcn"
)

// params are P0, P10 and P20 of attribute 5, component z, by lane; no other attribute exists.
type params [3][64]uint32

func (p *params) Input(c *exec.IOCall) (uint64, error) {
	for m := c.Lanes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		if slot := gcn.Attribute(c.Slot[lane]); slot.Number() != 5 || slot.Component() != 2 || slot.PrimMask() != 0xffffff {
			return c.Lanes, errors.New("another attribute")
		}
		c.Value[0][lane] = p[map[ir.How]int{ir.HowP0: 0, ir.HowP10: 1, ir.HowP20: 2}[c.How]][lane]
	}
	return 0, nil
}

// roundings are the rounding modes by their codes in MODE.
var roundings = [4]big.RoundingMode{big.ToNearestEven, big.ToPositiveInf, big.ToNegativeInf, big.ToZero}

// rounded rounds x to so many bits, a denormal f32 to zero.
func rounded(x *big.Float, prec uint, mode big.RoundingMode) *big.Float {
	return new(big.Float).SetPrec(prec).SetMode(mode).Set(x)
}

func bigOf(x float64) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(x) }

// twoSteps returns a*b rounded to f32, plus c, rounded again.
func twoSteps(a, b, c float64, mode big.RoundingMode) *big.Float {
	p := rounded(new(big.Float).SetPrec(200).Mul(bigOf(a), bigOf(b)), 24, mode)
	return rounded(new(big.Float).SetPrec(200).Add(p, bigOf(c)), 24, mode)
}

// An interpCase is an instruction and its result by the document, as a function of P0, P10, P20, coordinate, and c or
// the old destination, all as numbers. half says which sources are f16, and whether the result is.
type interpCase struct {
	text         string
	f            func(p [3]float64, i, c float64, mode big.RoundingMode) *big.Float
	f16, result  bool
	shift        uint // of the halves in words
	oldIsF16, c2 bool // c is source 2, and an f16
}

func p1(p [3]float64, i, _ float64, m big.RoundingMode) *big.Float  { return twoSteps(p[1], i, p[0], m) }
func p2(p [3]float64, i, c float64, m big.RoundingMode) *big.Float  { return twoSteps(p[2], i, c, m) }
func p1l(p [3]float64, i, c float64, m big.RoundingMode) *big.Float { return twoSteps(p[1], i, c, m) }
func neg(f func([3]float64, float64, float64, big.RoundingMode) *big.Float) func([3]float64, float64, float64, big.RoundingMode) *big.Float {
	return func(p [3]float64, i, c float64, m big.RoundingMode) *big.Float { return f(p, -i, c, m) }
}

var interpCases = []interpCase{
	{text: "v_interp_p1_f32_e32 v10, v2, attr5.z", f: p1},
	{text: "v_interp_p2_f32_e32 v10, v2, attr5.z", f: p2},
	{text: "v_interp_p1_f32_e64 v10, v2, attr5.z", f: p1},
	{text: "v_interp_p2_f32_e64 v10, -v2, attr5.z", f: neg(p2)},
	{text: "v_interp_p1ll_f16 v10, v2, attr5.z", f: p1, f16: true},
	{text: "v_interp_p1ll_f16 v10, v2, attr5.z high", f: p1, f16: true, shift: 16},
	{text: "v_interp_p1lv_f16 v10, v2, attr5.z, v3", f: p1l, f16: true, c2: true, oldIsF16: true},
	{text: "v_interp_p1lv_f16 v10, v2, attr5.z, v3 high", f: p1l, f16: true, c2: true, oldIsF16: true, shift: 16},
	{text: "v_interp_p2_f16 v10, v2, attr5.z, v3", f: p2, f16: true, c2: true, result: true},
	{text: "v_interp_p2_f16 v10, v2, attr5.z, v3 high", f: p2, f16: true, c2: true, result: true, shift: 16},
}

// TestInterpolation: each step in every rounding mode against exact arithmetic, in active lanes; the others are
// unchanged.
func TestInterpolation(t *testing.T) {
	for n, c := range interpCases {
		for mode := range uint32(4) {
			c.run(t, mode, uint64(n))
		}
	}
	testInterpMov(t)
	testInterpEdges(t)
}

func (c *interpCase) run(t *testing.T, mode uint32, seed uint64) {
	m := newMemRun(t)
	m.st.Set(gcn.CellMode, 0, 0x3c0|mode|mode<<2)
	rnd := rand.New(rand.NewPCG(seed, uint64(mode)))
	num := func() float64 { // a number of moderate size that f16 can represent
		return math.Ldexp(float64(rnd.IntN(2047)-1023), rnd.IntN(6)-12)
	}
	word := func(x float64, f16 bool) uint32 {
		if f16 {
			return uint32(floatTypes["f16"].pattern(x))<<c.shift | uint32(rnd.IntN(1<<15))<<(16-c.shift)
		}
		return math.Float32bits(float32(x))
	}
	p := &params{}
	m.io.Inputs = p
	var want [64]float64
	const old = 10
	var before [64]uint32
	for lane := range 64 {
		x := [3]float64{num(), num(), num()}
		for i := range x {
			p[i][lane] = word(x[i], c.f16)
		}
		coord := float64(float32(rnd.Float64()))
		prior := num()
		m.st.Set(gcn.VGPR(2), lane, math.Float32bits(float32(coord)))
		m.st.Set(gcn.VGPR(3), lane, word(prior, c.oldIsF16))
		m.st.Set(gcn.VGPR(old), lane, math.Float32bits(float32(prior)))
		before[lane] = m.st.Get(gcn.VGPR(old), lane)
		r := c.f(x, coord, prior, roundings[mode])
		if c.result {
			r = rounded(r, 11, roundings[mode])
		}
		want[lane], _ = r.Float64()
	}
	m.st.Exec = 0xfffe_ffff_7fff_fff5
	m.run(c.text)
	ft := floatTypes["f32"]
	if c.result {
		ft = floatTypes["f16"]
	}
	for lane := range 64 {
		got := m.st.Get(gcn.VGPR(old), lane)
		if m.st.Exec>>lane&1 == 0 {
			if got != before[lane] {
				t.Errorf("%s: lane %d, which does not run, is %#x, was %#x", c.text, lane, got, before[lane])
			}
			continue
		}
		if c.result && math.Abs(want[lane]) < 1.0/(1<<14) {
			continue // a denormal f16, which has fewer bits
		}
		if ft.value(uint64(got)) != want[lane] || c.result && got>>16 != 0 {
			t.Errorf("%s, rounding %d, lane %d: %v, want %v", c.text, mode, lane, ft.value(uint64(got)), want[lane])
			return
		}
	}
}

// pattern returns the bits of a number that the format can represent.
func (f floatType) pattern(x float64) uint64 {
	sign := uint64(0)
	if math.Signbit(x) {
		sign = 1 << (f.bits - 1)
	}
	frac, e := math.Frexp(math.Abs(x))
	if frac == 0 {
		return sign
	}
	m := uint64(frac * float64(uint64(2)<<f.mant)) // including the hidden bit
	if e += f.bias - 1; e < 1 {
		return sign | m>>(1-e)
	}
	return sign | uint64(e)<<f.mant | m&(1<<f.mant-1)
}

// testInterpMov: the bits of a parameter are copied, whatever they are.
func testInterpMov(t *testing.T) {
	for i, name := range []string{"p0", "p10", "p20"} {
		for _, form := range []string{"_e32", "_e64"} {
			m := newMemRun(t)
			p := &params{}
			for lane := range 64 {
				p[i][lane] = 0x7f800001 + uint32(lane)*0x01010101
			}
			m.io.Inputs = p
			m.run(fmt.Sprintf("v_interp_mov_f32%s v10, %s, attr5.z", form, name))
			m.wantV(10, func(lane int) uint32 { return 0x7f800001 + uint32(lane)*0x01010101 })
		}
	}
}

// testInterpEdges: denormals are flushed in any mode; clamp and omod; an attribute that does not exist.
func testInterpEdges(t *testing.T) {
	one, denormal := math.Float32bits(1), uint32(0x00400000)
	for _, c := range []struct {
		text           string
		mode           uint32
		p0, p10, coord uint32
		want           uint32
	}{
		{"v_interp_p1_f32_e32 v10, v2, attr5.z", 0x3f0, denormal, denormal, one, 0},
		{"v_interp_p1_f32_e32 v10, v2, attr5.z", 0x3f0, 0, one, denormal, 0},
		{"v_interp_p1_f32_e64 v10, v2, attr5.z clamp", 0x1c0, math.Float32bits(3), one, one, one},
		{"v_interp_p1_f32_e64 v10, v2, attr5.z mul:4", 0x1c0, math.Float32bits(3), one, one, math.Float32bits(16)},
		{"v_interp_p1_f32_e64 v10, |v2|, attr5.z", 0x1c0, math.Float32bits(3), one, math.Float32bits(-2), math.Float32bits(5)},
		{"v_interp_p1_f32_e32 v10, v2, attr5.z", 0x1c0, math.Float32bits(float32(math.Inf(1))), one, one, 0x7f800000},
	} {
		m := newMemRun(t)
		m.st.Set(gcn.CellMode, 0, c.mode)
		p := &params{}
		for lane := range 64 {
			p[0][lane], p[1][lane] = c.p0, c.p10
		}
		m.io.Inputs = p
		m.v(2, all(c.coord))
		m.run(c.text)
		if got := m.st.Get(gcn.VGPR(10), 7); got != c.want {
			t.Errorf("%s: %#x, want %#x", c.text, got, c.want)
		}
	}
	m := newMemRun(t)
	m.io.Inputs = &params{}
	if f := m.try("v_interp_p1_f32_e32 v10, v2, attr6.z"); f == nil || f.Err == nil {
		t.Errorf("an attribute that there is not: %v", f)
	}
}
