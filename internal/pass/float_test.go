package pass_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/num"
)

// floatModes are modes with every rounding, flushing and NaN rule.
func floatModes() (list []num.Mode) {
	flushing := []num.Mode{0, num.FlushIn, num.FlushOut, num.FlushIn | num.FlushOut, num.FlushOut | num.FlushBefore, num.FlushOut | num.FlushUnbounded}
	for r := range num.Mode(4) {
		for _, f := range flushing {
			for _, nan := range []num.Mode{num.NaNFirst, num.NaNCanon, num.NaNOnes, num.NaNSecond} {
				list = append(list, num.ModeSet.With(f).WithRound(r).WithNaN(nan), num.ModeSet.With(f|num.IEEE).WithRound(r).WithNaN(nan))
			}
		}
	}
	return list
}

// TestFloatIdentities: products written as sums with -0, and repeated canonicalisation, are removed only where that
// changes no bit: in every mode the results are the same for all kinds of numbers.
func TestFloatIdentities(t *testing.T) {
	always := func(num.Mode) bool { return true }
	flushed := func(m num.Mode) bool { return m.Has(num.FlushOut) || !m.Has(num.FlushIn) }
	rnd := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct {
		text, op string
		goes     func(num.Mode) bool
	}{
		{"ffma.TYPE %x, %x, %n {MODE}", "ffma", func(m num.Mode) bool { return m.Round() != num.RDown }},
		{"ffma.TYPE %o, %x, %n {MODE}", "ffma", func(m num.Mode) bool { return m.Round() != num.RDown }},
		{"ffma.TYPE %x, %o, %p {MODE}", "ffma", func(num.Mode) bool { return false }},
		{"fmul.TYPE %x, %x {MODE}\n%y = fcanon.TYPE %i {MODE}", "fcanon", flushed},
		{"fadd.TYPE %x, %o {MODE}\n%y = fcanon.TYPE %i {MODE}", "fcanon", flushed},
		{"fsub.TYPE %x, %o {MODE}\n%y = fcanon.TYPE %i {MODE}", "fcanon", flushed},
		{"ffma.TYPE %x, %o, %p {MODE}\n%y = fcanon.TYPE %i {MODE}", "fcanon", flushed},
		{"fmaxnum.TYPE %x, %p {MODE}\n%y = fcanon.TYPE %i {MODE}", "fcanon", always},
		{"fminnum.TYPE %o, %x {MODE}\n%y = fcanon.TYPE %i {MODE}", "fcanon", always},
		{"fmaxnum.TYPE %x, %x {MODE}\n%y = fcanon.TYPE %i {MODE}", "fcanon", func(num.Mode) bool { return false }},
		{"fabs.TYPE %x\n%y = fcanon.TYPE %i {MODE}", "fcanon", func(num.Mode) bool { return false }},
		{"fmul.TYPE %x, %x {rne}\n%y = fcanon.TYPE %i {rz}", "fcanon", func(num.Mode) bool { return false }},
	} {
		for _, typ := range []struct {
			name      string
			one, zero uint64
			bits      int
		}{{"f16", 0x3c00, 1 << 15, 16}, {"f32", 0x3f800000, 1 << 31, 32}, {"f64", 0x3ff << 52, 1 << 63, 64}} {
			for _, mode := range floatModes() {
				text := strings.ReplaceAll(c.text, "MODE", mode.String())
				source := float(typ.name, typ.one, typ.zero, text)
				if strings.Contains(text, "\n") {
					source = strings.Replace(source, "%y =", "%i =", 1)
				}
				b := parse(t, strings.ReplaceAll(source, "TYPE", typ.name))
				folded := optimise(m, b)
				if got := ops(folded); strings.Contains(got, c.op+".") == c.goes(mode) {
					t.Fatalf("%s of %s stays %v:\n%s", text, typ.name, c.goes(mode), got)
				}
				sameFor(t, fmt.Sprint(text, " of ", typ.name), b, folded, numbersOf(rnd, typ.bits, typ.one))
			}
		}
	}
}

// numbersOf returns floats of all kinds: around 1 and the ends of the ranges, NaNs, and random ones.
func numbersOf(rnd *rand.Rand, bits int, one uint64) (xs []uint64) {
	sign := uint64(1) << (bits - 1)
	least := one & -one // the lowest bit of the exponent
	inf := sign - least
	for _, x := range []uint64{0, 1, least - 1, least, least + 1, one, one + 1, inf - 1, inf, inf | 1, inf | least>>1 | 5} {
		xs = append(xs, x, x|sign)
	}
	for range 16 {
		xs = append(xs, rnd.Uint64()&(sign|(sign-1)))
	}
	return xs
}

// sameFor compares the results of two blocks, with one number per lane.
func sameFor(t *testing.T, name string, a, b *ir.Block, xs []uint64) {
	t.Helper()
	wa, wb := plainWave(xs...), plainWave(xs...)
	wa.run(a)
	wb.run(b)
	for i := uint16(1); i <= 2; i++ {
		c := ir.Cell{File: 0, Index: i}
		for lane, x := range xs {
			if wa.cells[c][lane] != wb.cells[c][lane] {
				t.Fatalf("%s: of %#x word %d is %#x, want %#x", name, x, i, wb.cells[c][lane], wa.cells[c][lane])
			}
		}
	}
}
