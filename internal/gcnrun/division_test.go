package gcnrun

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/heddle-gpu/heddle/isa/gcn"
)

// A division is the parameters of a format for the steps of a division. docs/reference/gcn.md 7.3.
type division struct {
	floatType
	far, scale, tiny, under int
	nan                     uint64
	exponents               []int // worth trying
}

var divisions = map[string]*division{
	"f16": {floatTypes["f16"], 0, 0, 0, -26, 0xfe00, []int{0, 1, 2, 14, 15, 16, 26, 27, 28, 29, 30}},
	"f32": {floatTypes["f32"], 96, 64, 23, -150, 0xffc00000, []int{0, 1, 2, 22, 23, 24, 95, 96, 97, 127, 150, 151, 152, 222, 223, 252, 253, 254}},
	"f64": {floatTypes["f64"], 768, 128, 53, -1075, 0xfff8000000000000, []int{0, 1, 2, 52, 53, 54, 767, 768, 769, 1023, 1075, 1076, 1077, 1500, 2044, 2045, 2046}},
}

func (d *division) exp(x uint64) int     { return int(x >> d.mant & d.special()) }
func (d *division) special() uint64      { return 1<<(d.bits-1-d.mant) - 1 }
func (d *division) sign() uint64         { return 1 << (d.bits - 1) }
func (d *division) isZero(x uint64) bool { return x&^d.sign() == 0 }
func (d *division) isInf(x uint64) bool  { return x&^d.sign() == d.special()<<d.mant }
func (d *division) isNaN(x uint64) bool  { return x&^d.sign() > d.special()<<d.mant }

// denormal reports whether a ratio is too small for a normal number, and does not round to 0.
func (d *division) denormal(num, den float64) bool {
	q := new(big.Float).Quo(big.NewFloat(math.Abs(num)), big.NewFloat(math.Abs(den)))
	least := new(big.Float).SetMantExp(big.NewFloat(1), 1-d.bias)
	half := new(big.Float).SetMantExp(big.NewFloat(1), -d.bias-d.mant)
	return q.Cmp(least) < 0 && q.Cmp(half) > 0
}

// scaled returns v times 2^n in the format; number returns the value of a pattern that is not a NaN.
func (d *division) scaled(v float64, n int) float64 {
	v = math.Ldexp(v, n)
	if d.bits == 32 {
		v = float64(float32(v))
	}
	return v
}

func (d *division) number(x uint64) float64 {
	if d.isInf(x) {
		return math.Inf(1 - 2*int(x>>(d.bits-1)))
	}
	return d.value(x)
}

// divScale returns the result of v_div_scale for a, the denominator b and the numerator c. NaN matches any result.
func (d *division) divScale(a, b, c uint64) (r float64, mask bool) {
	v, up, down := d.value(a), d.scaled(d.value(a), d.scale), d.scaled(d.value(a), -d.scale)
	if d.isZero(b) || d.isZero(c) {
		return math.NaN(), false
	}
	recip, quot := d.denormal(1, d.value(b)), d.denormal(d.value(c), d.value(b))
	switch {
	case d.exp(c)-d.exp(b) >= d.far:
		if a == b {
			return up, true
		}
		return v, true
	case d.exp(b) == 0:
		return up, false
	case recip && quot:
		if a == b {
			return down, true
		}
		return v, true
	case recip:
		return down, false
	case quot:
		if a == c {
			return up, true
		}
		return v, true
	case d.exp(c) <= d.tiny:
		return up, false
	}
	return v, false
}

// divFixup returns the result of v_div_fixup for the quotient a, the denominator b and the numerator c.
func (d *division) divFixup(a, b, c uint64) uint64 {
	quiet, sign, inf := uint64(1)<<(d.mant-1), (b^c)&d.sign(), d.special()<<d.mant
	switch {
	case d.isNaN(c):
		return c | quiet
	case d.isNaN(b):
		return b | quiet
	case d.isZero(b) && d.isZero(c), d.isInf(b) && d.isInf(c):
		return d.nan
	case d.isZero(b), d.isInf(c):
		return sign | inf
	case d.isInf(b), d.isZero(c), d.exp(c)-d.exp(b) < d.under:
		return sign
	case d.isNaN(a):
		return sign | inf
	}
	return a&^d.sign() | sign
}

// set writes a number to a register, or a pair.
func (d *division) set(m *memRun, r int, x uint64) {
	m.v(r, all(uint32(x)))
	m.v(r+1, all(uint32(x>>32)))
}

func (d *division) regs(r int) string {
	if d.bits == 64 {
		return fmt.Sprintf("v[%d:%d]", r, r+1)
	}
	return fmt.Sprintf("v%d", r)
}

func (d *division) get(m *memRun, r, lane int) uint64 {
	x := uint64(m.st.Get(gcn.VGPR(r), lane))
	if d.bits == 64 {
		x |= uint64(m.st.Get(gcn.VGPR(r+1), lane)) << 32
	}
	return x
}

func TestDivScale(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 8))
	for _, name := range []string{"f32", "f64"} {
		d := divisions[name]
		for _, eb := range append(d.exponents, -1) {
			for _, ec := range append(d.exponents, -1) {
				b, c := d.draw(rnd, eb), d.draw(rnd, ec)
				for _, a := range []uint64{b, c} {
					m := newMemRun(t)
					m.st.Set(gcn.CellMode, 0, 0x3f0)
					d.set(m, 2, a)
					d.set(m, 4, b)
					d.set(m, 6, c)
					m.run("v_div_scale_" + name + " " + d.regs(8) + ", s[2:3], " + d.regs(2) + ", " + d.regs(4) + ", " + d.regs(6))
					want, mask := d.divScale(a, b, c)
					got := d.get(m, 8, 0)
					same := d.isNaN(got)
					if !math.IsNaN(want) {
						same = d.number(got) == want
					}
					if !same || (m.st.Get(gcn.SGPR(2), 0) != 0) != mask {
						t.Errorf("v_div_scale_%s of %#x, %#x, %#x is %#x and %#x, want %v, %v", name, a, b, c, got, m.st.Get(gcn.SGPR(2), 0), want, mask)
					}
				}
			}
		}
	}
}

// draw returns a random number with an exponent; zero for -1.
func (d *division) draw(rnd *rand.Rand, exponent int) uint64 {
	if exponent < 0 {
		return rnd.Uint64() & 1 << (d.bits - 1)
	}
	return d.random(rnd, exponent)
}

// TestDivFmas: the fused sum is scaled where VCC is set, up if the addend is 2 or more.
func TestDivFmas(t *testing.T) {
	for _, c := range []struct {
		a, b, c float64
		sign    int
	}{{3, 5, 1.5, -1}, {3, 5, 2, 1}, {3, 5, 3, 1}, {3, -5, -2, 1}, {3, 5, -1.999, -1}, {3, 5, 0, -1}} {
		for name, d := range divisions {
			if d.scale == 0 {
				continue
			}
			pattern := math.Float64bits
			if d.bits == 32 {
				pattern = func(x float64) uint64 { return uint64(math.Float32bits(float32(x))) }
			}
			m := newMemRun(t)
			m.st.Set(gcn.CellMode, 0, 0x3f0)
			m.s64(int(gcn.CellVCC.Index), 0xaaaaaaaaaaaaaaaa)
			for i, x := range []float64{c.a, c.b, c.c} {
				d.set(m, 2+2*i, pattern(x))
			}
			m.run("v_div_fmas_" + name + " " + d.regs(8) + ", " + d.regs(2) + ", " + d.regs(4) + ", " + d.regs(6))
			sum := d.value(pattern(c.a))*d.value(pattern(c.b)) + d.value(pattern(c.c))
			if d.bits == 32 {
				sum = float64(float32(sum))
			}
			if got, want := d.value(d.get(m, 8, 9)), math.Ldexp(sum, c.sign*d.scale); got != want { // lane 9 is odd
				t.Errorf("v_div_fmas_%s of %v, %v, %v is %v, want %v", name, c.a, c.b, c.c, got, want)
			}
			if got := uint64(m.st.Get(gcn.VGPR(8), 8)); d.bits == 32 && d.value(got) != sum {
				t.Errorf("v_div_fmas_%s without scale is %v, want %v", name, d.value(got), sum)
			}
		}
	}
}

func TestDivFixup(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 9))
	for name, d := range divisions {
		inf := d.special() << d.mant
		special := []uint64{0, d.sign(), inf, inf | d.sign(), inf | 1, inf | d.sign() | 1<<(d.mant-1) | 5}
		numbers := append([]uint64(nil), special...)
		for _, e := range d.exponents {
			numbers = append(numbers, d.random(rnd, e))
		}
		var list [][3]uint64
		for _, b := range numbers {
			for _, c := range numbers {
				for _, a := range []uint64{d.random(rnd, d.bias), d.random(rnd, 1), inf | 1<<(d.mant-1), inf} {
					list = append(list, [3]uint64{a, b, c})
				}
			}
		}
		for len(list) > 0 {
			n := min(len(list), 64)
			d.fixup(t, name, list[:n])
			list = list[n:]
		}
	}
}

// fixup runs quotients, denominators and numerators, one per lane.
func (d *division) fixup(t *testing.T, name string, list [][3]uint64) {
	m := newMemRun(t)
	m.st.Set(gcn.CellMode, 0, 0x3f0)
	for k := range 3 {
		at := func(i int) uint64 { return list[min(i, len(list)-1)][k] }
		m.v(2+2*k, func(i int) uint32 { return uint32(at(i)) })
		m.v(3+2*k, func(i int) uint32 { return uint32(at(i) >> 32) })
	}
	m.run("v_div_fixup_" + name + " " + d.regs(8) + ", " + d.regs(2) + ", " + d.regs(4) + ", " + d.regs(6))
	for i, x := range list {
		if got, want := d.get(m, 8, i), d.divFixup(x[0], x[1], x[2]); got != want {
			t.Errorf("v_div_fixup_%s of %#x is %#x, want %#x", name, x, got, want)
		}
	}
}
