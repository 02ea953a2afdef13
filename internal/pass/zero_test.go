package pass_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/pass"
	"github.com/heddle-gpu/heddle/ir"
)

// TestTimesZero: an integer times 0 is 0, so the product is removed. 0 times a float depends on the float, so that
// product stays; so do products that look like identities.
func TestTimesZero(t *testing.T) {
	for _, typ := range []string{"i8", "i16", "i32", "i64"} {
		for _, text := range []string{"imul.TYPE %z, %x", "imul.TYPE %x, %z"} {
			got := ops(pass.Fold(m, parse(t, integer(typ, text))))
			if strings.Contains(got, "imul") || !strings.Contains(got, "const."+typ+" 0") {
				t.Errorf("%s of %s:\n%s", text, typ, got)
			}
		}
	}
	for _, w := range []struct {
		typ       string
		one, zero uint64
	}{{"f16", 0x3c00, 1 << 15}, {"f32", 0x3f800000, 1 << 31}, {"f64", 0x3ff << 52, 1 << 63}} {
		for _, text := range []string{
			"fmul.TYPE %p, %x {rne}", "fmul.TYPE %x, %p {rne}", "fmul.TYPE %n, %x {rne}", "fmul.TYPE %x, %n {rne}", // 0*x, -0*x
			"fmul.TYPE %x, %o {rne}", "fmul.TYPE %o, %x {rne}", // 1*x: a NaN may become quiet, a denormal may become 0
			"fadd.TYPE %x, %p {rne}", "fadd.TYPE %x, %n {rne}", "fsub.TYPE %x, %p {rne}", "fsub.TYPE %x, %x {rne}", "fdiv.TYPE %x, %x {rne}",
		} {
			name := strings.TrimSuffix(strings.Fields(text)[0], ".TYPE")
			b := parse(t, float(w.typ, w.one, w.zero, text))
			for kind, f := range map[string]func(*ir.Machine, *ir.Block) *ir.Block{"fold": pass.Fold, "optimise": optimise} {
				if got := ops(f(m, b)); !strings.Contains(got, name+"."+w.typ) {
					t.Errorf("%s, %s of %s:\n%s", kind, text, w.typ, got)
				}
			}
		}
	}
	// The reason: 0 and -0 times x in lanes with each kind of float, as IEEE 754 defines it.
	inf, nan := math.Inf(1), math.NaN()
	xs := []float64{2, -2, 0, math.Copysign(0, -1), inf, -inf, nan}
	b := parse(t, float("f32", 0x3f800000, 1<<31, "fmul.TYPE %p, %x {rne}"))
	for _, x := range xs {
		w := plainWave(uint64(math.Float32bits(float32(x))))
		w.run(pass.Fold(m, b))
		want, got := float32(0*x), math.Float32frombits(uint32(w.cells[ir.Cell{File: 0, Index: 1}][0]))
		if want == want && math.Float32bits(want) != math.Float32bits(got) || want != want && got == got {
			t.Errorf("0 * %g is %g, want %g", x, got, want)
		}
	}
}

// plainWave returns a wave with a lane for each x, with its low word in v[0] and its high word in v[1].
func plainWave(xs ...uint64) *wave {
	w := &wave{m: m, lanes: len(xs), cells: map[ir.Cell][]uint64{}, seed: hashSeed}
	for f, file := range m.Files {
		for i := range file.Count {
			w.cells[ir.Cell{File: uint8(f), Index: uint16(i)}] = make([]uint64, len(xs))
		}
	}
	exec, _ := m.Exec()
	for lane, x := range xs {
		w.cells[ir.Cell{File: 0}][lane] = x & (1<<32 - 1)
		w.cells[ir.Cell{File: 0, Index: 1}][lane] = x >> 32
		w.cells[exec][lane] = 1
	}
	return w
}

// integer makes a block that computes %y from %x, which is v[0], and %z, which is 0.
func integer(typ, text string) string {
	return fmt.Sprintf("%s\n%%z = const.%s 0\n%%y = %s\n%s", source(typ), typ, strings.ReplaceAll(text, "TYPE", typ), sink(typ))
}

// float is integer with the constants %p 0, %n -0 and %o 1.
func float(typ string, one, minus uint64, text string) string {
	return fmt.Sprintf("%s\n%%p = const.%s 0\n%%n = const.%s %#x\n%%o = const.%s %#x\n%%y = %s\n%s",
		source(typ), typ, typ, minus, typ, one, strings.ReplaceAll(text, "TYPE", typ), sink(typ))
}

// source makes %x of the registers v[0] and v[1].
func source(typ string) string {
	s := "%e = get.i1 exec\n%a = get.i32 v[0]\n"
	switch typ[1:] {
	case "8", "16":
		return s + fmt.Sprintf("%%t = trunc.i%s %%a\n%%x = cast.%s %%t", typ[1:], typ)
	case "64":
		return s + "%b = get.i32 v[1]\n%t = pack.i64 %a, %b\n%x = cast." + typ + " %t"
	}
	return s + "%x = cast." + typ + " %a"
}

// sink puts %y into v[1], and its high word into v[2].
func sink(typ string) string {
	switch typ[1:] {
	case "8", "16":
		return fmt.Sprintf("%%u = cast.i%s %%y\n%%v = zext.i32 %%u\nset v[1], %%v, %%e\nend", typ[1:])
	case "64":
		return "%u = cast.i64 %y\n%l:%h = unpack.i32 %u\nset v[1], %l, %e\nset v[2], %h, %e\nend"
	}
	return "%v = cast.i32 %y\nset v[1], %v, %e\nend"
}
