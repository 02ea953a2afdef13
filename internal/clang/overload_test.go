package clang_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/clang"
	"github.com/heddle-gpu/heddle/internal/platforms/gcn"
)

// TestOverloads: functions that heddle has for some types come from libclc for the others.
func TestOverloads(t *testing.T) {
	clang.NeedLibclc(t, "clang-22")
	one := func(name string, typ typ, f func(float64) float64) call {
		return floats(name, typ, 1, 4, 1e-15, func(x []float64) float64 { return f(x[0]) })
	}
	list := []call{floats("hypot", doubleType, 2, 4, 0, func(x []float64) float64 { return math.Hypot(x[0], x[1]) }), one("exp2", doubleType, math.Exp2)}
	positive := one("log2", doubleType, func(x float64) float64 { return math.Log2(math.Abs(x)) })
	positive.expr = "log2(fabs($a))"
	list = append(list, positive)
	for _, c := range list { // each alone: one function from libclc brings in the others
		t.Run(c.name, func(t *testing.T) { testCalls(t, clang.Options{Clang: "clang-22"}, []call{c}) })
	}
	text := "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\nkernel void k(global uint *o) { global half *h = (global half *)o; h[2] = hypot((half)(h[0] + 3), (half)(h[1] + 4)); }"
	got := launched(t, compileText(t, text, clang.Options{Clang: "clang-22"}), gcn.Kernel{Name: "k", Grid: [3]uint32{1}, Block: [3]uint32{1}}, 2)
	if got[1] != 0x4500 { // 5
		t.Errorf("hypot of half: %#x", got[1])
	}
}

const genericSource = `
kernel void generic_pointers(global uint *o, uint which) {
  local uint l[2]; private uint p[2] = {12, 22};
  l[0] = 11; l[1] = 21; o[0] = 10; o[1] = 20;
  generic uint *q = which == 0 ? (generic uint *)o : which == 1 ? (generic uint *)l : (generic uint *)p;
  o[2] = to_global(q) == o; o[3] = to_local(q) == l; o[4] = to_private(q) == p; o[5] = get_fence(q);
  o[6] = vload2(0, q).y;
  float f[1]; int e[1];
  generic float *whole = which == 0 ? (generic float *)(o + 32) : (generic float *)f;
  o[7] = as_uint(fract(2.25f, whole)); o[8] = as_uint(*whole);
  generic int *exponent = which == 0 ? (generic int *)(o + 34) : (generic int *)e;
  o[9] = as_uint(frexp(12.0f, exponent)); o[10] = *exponent;
  o[11] = atomic_fetch_add((generic atomic_uint *)(which == 1 ? (generic uint *)l : (generic uint *)o), 5u);
  atomic_uintptr_t local *a = (local atomic_uintptr_t *)l; ptrdiff_t d = 2;
  if (which == 1) o[12] = atomic_fetch_add(a, d);
}`

// TestGeneric: generic pointers can be tested for their space, and functions accept them, with each compiler: some
// mangle them differently.
func TestGeneric(t *testing.T) {
	for _, b := range []struct{ clang, target, version, opt string }{{"clang-14", "gfx803", "4", "2"}, {"clang-19", "gfx700", "4", "1"}, {"clang-22", "gfx803", "4", "0"}, {"clang-22", "gfx700", "5", "2"}} {
		t.Run(strings.Join([]string{b.clang, b.target, b.version, b.opt}, "/"), func(t *testing.T) {
			clang.NeedTool(t, b.clang)
			m := compileText(t, genericSource, clang.Options{Clang: b.clang, Target: b.target, Std: "CL2.0", Opt: b.opt, Flags: []string{"-mcode-object-version=" + b.version}})
			for which := range uint32(3) {
				got := launched(t, m, gcn.Kernel{Name: "generic_pointers", Grid: [3]uint32{1}, Block: [3]uint32{1}}, 64, gcn.Bytes([]byte{byte(which), 0, 0, 0}))
				want := []uint32{0, 0, 0, []uint32{2, 1, 0}[which], 20 + which, math.Float32bits(0.25), math.Float32bits(2), math.Float32bits(0.75), 4}
				want[which] = 1
				if !slices.Equal(got[2:11], want) {
					t.Errorf("pointer %d: %#x, want %#x", which, got[2:11], want)
				}
				if added := []uint32{10, 11, 10}[which]; got[11] != added || which == 1 && got[12] != 11+5 {
					t.Errorf("pointer %d: atomic_fetch_add gave %d, %d", which, got[11], got[12])
				}
			}
		})
	}
}
