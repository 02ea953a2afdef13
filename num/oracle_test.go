package num

import (
	"fmt"
	"math"
	"math/big"
	"os"
	"testing"
)

// The oracles of the tests: none of them uses the package's own arithmetic.

// long widens random and exhaustive tests: HEDDLE_LONG=1.
var long = os.Getenv("HEDDLE_LONG") != ""

// count returns a number of trials: for ordinary runs, and for long ones. The race detector makes code about ten
// times slower, so it gets a tenth.
func count(ordinary, thorough int) int {
	switch {
	case long:
		return thorough
	case raceEnabled:
		return max(ordinary/10, 1)
	}
	return ordinary
}

// stride thins a loop: every value in a long run, a tenth under the race detector.
func stride(ordinary int) int {
	switch {
	case long:
		return 1
	case raceEnabled:
		return 10 * ordinary
	}
	return ordinary
}

// newRand is a small generator (splitmix64), so that failures are reproducible anywhere.
func newRand(seed uint64) *random { return &random{seed} }

type random struct{ s uint64 }

func (r *random) next() uint64 {
	r.s += 0x9e3779b97f4a7c15
	z := r.s
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// float returns a pattern of width n: uniform bits, or an exponent near that of 1 so that operands are of similar
// size, or few significant bits so that ties occur.
func (r *random) float(n int) uint64 {
	f := formatOf(n)
	x := r.next() & mask(n)
	kind := r.next()
	if kind&1 != 0 {
		e := f.inf>>1&f.inf>>f.mant + kind>>8%16 - 8
		x = x&^f.inf | e<<f.mant
	}
	if kind&6 == 0 {
		x &^= 1<<(f.mant/2+uint(kind>>16)%(f.mant/2)) - 1
	}
	return x
}

func widthName(n int) string { return fmt.Sprintf("f%d", n) }

// edges are patterns at limits: zeros, ends of the denormal, normal and integer ranges, halves, infinities, NaNs of
// both kinds; with both signs and neighbours.
func edges(n int) []uint64 {
	f := formatOf(n)
	one := f.inf >> 1 & f.inf
	ulp := uint64(1) << f.mant
	base := []uint64{0, 1 << (f.mant - 1), ulp, 2 * ulp, one - ulp, one, one + ulp, one + 2*ulp, one + ulp/2, one + ulp | ulp/2,
		one + uint64(f.mant-1)*ulp, one + uint64(f.mant)*ulp, one + uint64(f.mant+1)*ulp, one - uint64(f.mant+1)*ulp, one - uint64(f.mant)*ulp,
		f.inf - ulp, f.inf, f.inf | f.quiet, f.inf | f.quiet>>1, f.abs}
	for _, e := range []uint64{7, 8, 15, 16, 31, 32, 63, 64} { // integer limits
		if b := one + e*ulp; b < f.inf {
			base = append(base, b)
		}
	}
	seen := map[uint64]bool{}
	var out []uint64
	for _, b := range base {
		for _, d := range []uint64{0, 1, ^uint64(0)} {
			for _, s := range []uint64{0, f.sign} {
				x := (b+d)&f.abs | s
				if !seen[x] {
					seen[x] = true
					out = append(out, x)
				}
			}
		}
	}
	return out
}

// allModes are the roundings with each way to flush; the NaN rule varies along.
func allModes() []Mode {
	var out []Mode
	rules := []Mode{NaNFirst, NaNCanon, NaNOnes, NaNSecond, NaNNegative, NaNNegative | NaNSecond}
	for r := RNE; r <= RZ; r++ {
		for _, fl := range []Mode{0, FlushIn, FlushOut, FlushOut | FlushBefore, FlushOut | FlushUnbounded, FlushIn | FlushOut} {
			out = append(out, ModeSet|r|fl|rules[len(out)%len(rules)])
		}
	}
	return out
}

// layout restates the formats: bits of significand, exponent bias.
func layout(n int) (mant, bias int) {
	switch n {
	case 16:
		return 10, 15
	case 32:
		return 23, 127
	}
	return 52, 1023
}

func isNaNBits(n int, a uint64) bool {
	mant, bias := layout(n)
	top := uint64(2*bias+1) << mant
	return a&^(1<<(n-1)) > top
}

// float64Of is the value of a; binary64 can represent those of all widths. NaNs lose their payload.
func float64Of(n int, a uint64) float64 {
	switch n {
	case 32:
		return float64(math.Float32frombits(uint32(a)))
	case 64:
		return math.Float64frombits(a)
	}
	e, frac, sign := int(a>>10&31), float64(a&1023), 1.0
	if a>>15 != 0 {
		sign = -1
	}
	switch {
	case e == 31 && frac != 0:
		return math.NaN()
	case e == 31:
		return math.Inf(int(sign))
	case e == 0:
		return sign * math.Ldexp(frac, -24)
	}
	return sign * math.Ldexp(1024+frac, e-25)
}

// flushedOperand is a as the op sees it.
func flushedOperand(n int, m Mode, a uint64) uint64 {
	mant, bias := layout(n)
	if m&FlushIn != 0 && a>>mant&uint64(2*bias+1) == 0 {
		a = a >> (n - 1) << (n - 1)
	}
	return a
}

// wantNaN restates the NaN rules for operands of which some may be NaNs.
func wantNaN(n int, m Mode, operands ...uint64) uint64 {
	mant, bias := layout(n)
	exps, quiet := uint64(2*bias+1)<<mant, uint64(1)<<(mant-1)
	switch m & (7 << 6) {
	case 1 << 6:
		return exps | quiet
	case 2 << 6:
		return exps | (quiet<<1 - 1)
	case 3 << 6:
		if len(operands) > 1 {
			operands = append(operands[1:len(operands):len(operands)], operands[0])
		}
	}
	for _, a := range operands {
		if isNaNBits(n, a) {
			return a | quiet
		}
	}
	if m&NaNNegative != 0 {
		return 1<<(n-1) | exps | quiet
	}
	return exps | quiet
}

// wantSpecial is x, a zero or infinite, as a pattern of width n; for specials.
func wantSpecial(n int, x float64) uint64 {
	mant, bias := layout(n)
	var sign uint64
	if math.Signbit(x) {
		sign = 1 << (n - 1)
	}
	if x == 0 {
		return sign
	}
	return sign | uint64(2*bias+1)<<mant
}

// roundRat rounds x, not 0, as the mode says: by long division on the grid of the result. away, if not 0, says that
// the exact value differs from x by a negligible amount: +1 its magnitude is larger, -1 smaller.
func roundRat(n int, m Mode, x *big.Rat, away int) uint64 {
	mant, bias := layout(n)
	neg := x.Sign() < 0
	abs := new(big.Rat).Abs(x)
	if away != 0 { // move by 2^-400 of it
		eps := new(big.Rat).SetFrac(big.NewInt(int64(away)), new(big.Int).Lsh(big.NewInt(1), 400))
		abs.Mul(abs, eps.Add(eps, big.NewRat(1, 1)))
	}
	e := abs.Num().BitLen() - abs.Denom().BitLen() // 2^(e-1) < abs < 2^(e+1)
	if abs.Cmp(pow2(e)) < 0 {
		e--
	}
	emin := 1 - bias
	grid := max(e, emin) - mant
	if m&FlushOut != 0 && e < emin {
		if m&FlushBefore != 0 || m&FlushUnbounded != 0 && gridRound(m, neg, abs, e-mant).Cmp(pow2(emin)) < 0 {
			return uint64(truth(neg)) << (n - 1)
		}
	}
	v := gridRound(m, neg, abs, grid)
	sign := truth(neg) << (n - 1)
	if m&FlushOut != 0 && v.Cmp(pow2(emin)) < 0 {
		return sign
	}
	if v.Cmp(pow2(bias+1)) >= 0 {
		r := m & 3
		if r == RZ || r == RUp && neg || r == RDown && !neg {
			return sign | uint64(2*bias+1)<<mant - 1
		}
		return sign | uint64(2*bias+1)<<mant
	}
	f, _ := v.Float64() // exact: v has the precision of the format
	switch n {
	case 64:
		return sign | math.Float64bits(f)
	case 32:
		return sign | uint64(math.Float32bits(float32(f)))
	}
	return sign | index16(f)
}

// index16 is the pattern of the binary16 number f, which is not negative.
func index16(f float64) uint64 {
	if f < 0x1p-14 {
		return uint64(f * 0x1p24)
	}
	fr, e := math.Frexp(f)
	return uint64(e+14)<<10 + uint64(fr*2048) - 1024
}

// gridRound is abs rounded to a multiple of 2^grid.
func gridRound(m Mode, neg bool, abs *big.Rat, grid int) *big.Rat {
	q := new(big.Rat).Quo(abs, pow2(grid))
	k, rem := new(big.Int).QuoRem(q.Num(), q.Denom(), new(big.Int))
	half := rem.Lsh(rem, 1).Cmp(q.Denom())
	up := false
	switch m & 3 {
	case RNE:
		up = half > 0 || half == 0 && k.Bit(0) == 1
	case RUp:
		up = rem.Sign() != 0 && !neg
	case RDown:
		up = rem.Sign() != 0 && neg
	}
	if up {
		k.Add(k, big.NewInt(1))
	}
	return q.Mul(q.SetInt(k), pow2(grid))
}

func pow2(e int) *big.Rat {
	p := new(big.Int).Lsh(big.NewInt(1), uint(max(e, -e)))
	if e < 0 {
		return new(big.Rat).SetFrac(big.NewInt(1), p)
	}
	return new(big.Rat).SetInt(p)
}

// fail reports one mismatch, and stops the test after too many.
func fail(t *testing.T, op string, n int, m Mode, got, want uint64, args ...uint64) {
	t.Helper()
	t.Errorf("%s f%d [%v] %x: got %x, want %x", op, n, m, args, got, want)
	if failures++; failures > 50 {
		t.FailNow()
	}
}

var failures int
