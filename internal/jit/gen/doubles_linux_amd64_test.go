package gen

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/exectest"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
)

// doubleOps are ops on f64, with operands %a, %b and %c, integers %n and floats %s; %r is the result, or %i one of 32
// bits, or %k a condition.
var doubleOps = []string{
	"%r = fadd.f64 %a, %b {MODE}", "%r = fsub.f64 %a, %b {MODE}", "%r = fmul.f64 %a, %b {MODE}", "%r = fdiv.f64 %a, %b {MODE}",
	"%r = fsqrt.f64 %a {MODE}", "%r = ffma.f64 %a, %b, %c {MODE}", "%r = fldexp.f64 %a, %n {MODE}", "%r = fneg.f64 %a", "%r = fabs.f64 %a",
	"%r = frcp.f64 %a {MODE}", "%r = frndne.f64 %a {MODE}", "%r = ffloor.f64 %a {MODE}", "%r = fceil.f64 %a {MODE}", "%r = ftrunc.f64 %a {MODE}", "%r = ffract.f64 %a {MODE}",
	"%r = fminnum.f64 %a, %b {MODE}", "%r = fmaxnum.f64 %a, %b {MODE}", "%r = fminsel.f64 %a, %b {MODE}", "%r = fmaxsel.f64 %a, %b {MODE}",
	"%r = fcvt.f64 %s {MODE}", "%r = stof.f64 %n {MODE}", "%r = utof.f64 %n {MODE}",
	"%i = fcvt.f32 %a {MODE}", "%i = fclass.f64 %a {MODE}", "%i = ftos.i32 %a {MODE}", "%i = ftou.i32 %a {MODE}",
	"%k = feq.f64 %a, %b {MODE}", "%k = flt.f64 %a, %b {MODE}", "%k = fle.f64 %a, %b {MODE}", "%k = funord.f64 %a, %b {MODE}",
}

// quadOps64 returns ops on i64, with operands %p0, %p1 and %m.
func quadOps64() (list []string) {
	for _, op := range []string{"iadd", "isub", "imul", "and", "or", "xor", "umin", "umax", "smin", "smax", "uabsdiff", "sabsdiff"} {
		list = append(list, "%r = "+op+".i64 %p0, %p1")
	}
	for _, op := range []string{"shl", "shru", "shrs"} {
		list = append(list, "%r = "+op+".i64 %p0, %m", "%r = "+op+".i64 %p0, %k5", "%r = "+op+".i64 %p0, %p1")
	}
	for _, op := range []string{"eq", "ne", "ult", "ule", "slt", "sle"} {
		list = append(list, "%k = "+op+".i64 %p0, %p1")
	}
	return list
}

// doubleCode returns a block with the op; one makes the last operand uniform.
func doubleCode(op, mode string, one bool) string {
	b := "block 0x100\nmark 0x100 size 4\n  %e = get.i1 exec\n"
	for i, n := range "abc" {
		file := "v"
		if one && n == 'b' {
			file = "s"
		}
		b += fmt.Sprintf("  %%l%d = get.i32 %s[%d]\n  %%h%d = get.i32 %s[%d]\n  %%p%d = pack.i64 %%l%d, %%h%d\n  %%%c = cast.f64 %%p%d\n", i, file, 2*i, i, file, 2*i+1, i, i, i, n, i)
	}
	b += "  %n = get.i32 v[6]\n  %f = get.i32 v[7]\n  %s = cast.f32 %f\n  %m = pack.i64 %n, %f\n  %k5 = const.i64 37\n  " + strings.ReplaceAll(op, "MODE", mode) + "\n"
	switch {
	case op[1] == 'r' && strings.Contains(op, ".i64"):
		b += "  %x:%y = unpack.i32 %r\n  set.i32 v[8], %x, %e\n  set.i32 v[9], %y, %e\n"
	case op[1] == 'r':
		b += "  %q = cast.i64 %r\n  %x:%y = unpack.i32 %q\n  set.i32 v[8], %x, %e\n  set.i32 v[9], %y, %e\n"
	case op[1] == 'i':
		if strings.Contains(op, "f32") {
			b += "  %w = cast.i32 %i\n  set.i32 v[8], %w, %e\n"
		} else {
			b += "  set.i32 v[8], %i, %e\n"
		}
	default:
		b += "  %t = const.i32 1\n  %z = const.i32 0\n  %x = select.i32 %k, %t, %z\n  set.i32 v[8], %x, %e\n"
	}
	return b + "  jump 0x100\n"
}

// doubleEdges returns edge values of f64, and such with random low bits.
func doubleEdges(rnd *rand.Rand) uint64 {
	x := []uint64{
		0, 1, 0x000fffffffffffff, 0x0010000000000000, 0x0010000000000001, 0x3ff0000000000000, 0x3fefffffffffffff, 0x7fefffffffffffff, 0x7ff0000000000000,
		0x7ff8000000000000, 0x7ff0000000000001, 0x7ff8123456789abc, 0x36a0000000000000, 0x3810000000000000, 0x380fffffffffffff, 0x47efffffffffffff, 0x0340000000000000,
		math.Float64bits(math.MaxInt32), math.Float64bits(math.MaxUint32), math.Float64bits(0.5), math.Float64bits(1.5), math.Float64bits(1 << 31), math.Float64bits(1 << 32),
		0x1ff0000000000000, 0x2000000000000000 | rnd.Uint64()>>12, rnd.Uint64(), rnd.Uint64(), rnd.Uint64() >> 12,
	}[rnd.IntN(28)]
	if rnd.IntN(3) == 0 {
		x ^= rnd.Uint64() & 0xf
	}
	return x | rnd.Uint64()&(1<<63)
}

// TestDoubles checks ops on f64 and i64 against the reference, in all modes that have code and in some others.
func TestDoubles(t *testing.T) {
	m := exectest.Machine(ir.MaskData)
	modes := []string{"rne", "rne daz ftz", "rz", "rup daz", "rdn ftz", "rne nan=canon", "rne daz ftz nan=second", "rne ftz tiny=unbounded", "rup ftz tiny=unbounded nan=canon", "rz nan=negative daz", "rne nan=ones", "rne ieee", "rne daz ftz ieee nan=second", "rne ieee nan=canon"}
	levels(t, func(t *testing.T, e exec.Engine) {
		rnd := rand.New(rand.NewPCG(19, 23))
		for _, op := range append(quadOps64(), doubleOps...) {
			for n, mode := range modes {
				if !strings.Contains(op, "MODE") && n > 1 { // one of the two has a uniform operand
					break
				}
				text := doubleCode(op, mode, n%3 == 1)
				p := exectest.Parse(m, text)
				measured := exec.Measure(e)
				run, reference := measured.NewRunner(p), ref.New().NewRunner(p)
				for range 40 {
					st := doubleState(t, m, rnd)
					other := st.Snapshot()
					for i, r := range []exec.Runner{run, reference} {
						if stop := r.Run([]*exec.State{st, other}[i], &exec.Env{}, exec.Budget{Steps: 1}); stop.Reason != exec.StopBudget {
							t.Fatal(stop.Reason, stop.Fault)
						}
					}
					if !slices.Equal(st.V, other.V) {
						at := 0
						for st.V[at] == other.V[at] {
							at++
						}
						lane := at % st.Stride
						t.Fatalf("%s {%s}: lane %d: %#x %#x, want %#x %#x; a %#x%08x b %#x%08x c %#x%08x n %#x", op, mode, lane, st.V[8*64+lane], st.V[9*64+lane], other.V[8*64+lane], other.V[9*64+lane],
							st.V[64+lane], st.V[lane], st.V[3*64+lane], st.V[2*64+lane], st.V[5*64+lane], st.V[4*64+lane], st.V[6*64+lane])
					}
				}
				if slow := measured.Taken().Slow; n == 0 && len(slow) > 0 {
					t.Errorf("%s: no machine code: %v", op, slow)
				}
			}
		}
	})
}

// doubleState returns a wave with edge values in its registers.
func doubleState(t *testing.T, m *ir.Machine, rnd *rand.Rand) *exec.State {
	t.Helper()
	st, err := exec.NewState(m, 64)
	if err != nil {
		t.Fatal(err)
	}
	st.Start(0x100, ^uint64(0))
	for lane := range 64 {
		for i := range 3 {
			x := doubleEdges(rnd)
			st.V[2*i*64+lane], st.V[(2*i+1)*64+lane] = uint32(x), uint32(x>>32)
		}
		st.V[6*64+lane] = []uint32{0, 1, 31, 53, 1022, 1023, 1024, 2044, 2098, 2200, 5000, 1 << 31, 1<<31 - 1, rnd.Uint32(), rnd.Uint32() % 3000, rnd.Uint32() % 2200}[rnd.IntN(16)]
		if rnd.IntN(2) == 0 {
			st.V[6*64+lane] = -st.V[6*64+lane]
		}
		st.V[7*64+lane] = []uint32{0, 1, 0x7fffff, 0x800000, 0x7f800000, 0x7fc00000, 0x7f800001, 0x3f800000, rnd.Uint32(), rnd.Uint32()}[rnd.IntN(10)] | rnd.Uint32()&(1<<31)
	}
	x := doubleEdges(rnd)
	st.S[2], st.S[3] = uint32(x), uint32(x>>32)
	return st
}
