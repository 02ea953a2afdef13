package gen

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/jit/cpu"
	"github.com/heddle-gpu/heddle/internal/lower"
)

// speculativeCode returns a block of dependent ops on f64 that write registers which the block reads.
func speculativeCode(rnd *rand.Rand) string {
	var b strings.Builder
	b.WriteString("block 0x100\nmark 0x100 size 4\n  %e = get.i1 exec\n")
	var list []string
	for i := range 4 {
		fmt.Fprintf(&b, "  %%l%d = get.i32 v[%d]\n  %%h%d = get.i32 v[%d]\n  %%p%d = pack.i64 %%l%d, %%h%d\n  %%f%d = cast.f64 %%p%d\n", i, 2*i, i, 2*i+1, i, i, i, i, i)
		list = append(list, fmt.Sprintf("%%f%d", i))
	}
	mode := []string{"rne", "rne daz ftz", "rne nan=canon", "rz"}[rnd.IntN(4)]
	for i := range 4 + rnd.IntN(12) {
		pick := func() string { return list[len(list)-1-rnd.IntN(min(len(list), 5))] }
		switch rnd.IntN(4) {
		case 0:
			fmt.Fprintf(&b, "  %%r%d = ffma.f64 %s, %s, %s {%s}\n", i, pick(), pick(), pick(), mode)
		case 1:
			fmt.Fprintf(&b, "  %%c%d = flt.f64 %s, %s {%s}\n  %%r%d = select.f64 %%c%d, %s, %s\n", i, pick(), pick(), mode, i, i, pick(), pick())
		default:
			fmt.Fprintf(&b, "  %%r%d = %s.f64 %s, %s {%s}\n", i, []string{"fadd", "fsub", "fmul", "fdiv"}[rnd.IntN(4)], pick(), pick(), mode)
		}
		list = append(list, fmt.Sprintf("%%r%d", i))
		if at := rnd.IntN(6); rnd.IntN(2) == 0 {
			fmt.Fprintf(&b, "  %%q%d = cast.i64 %%r%d\n  %%x%d:%%y%d = unpack.i32 %%q%d\n  set.i32 v[%d], %%x%d, %%e\n  set.i32 v[%d], %%y%d, %%e\n", i, i, i, i, i, 2*at, i, 2*at+1, i)
		}
	}
	fmt.Fprintf(&b, "  %%q = cast.i64 %s\n  %%x:%%y = unpack.i32 %%q\n  set.i32 v[8], %%x, %%e\n  set.i32 v[9], %%y, %%e\n  jump 0x100\n", list[len(list)-1])
	return b.String()
}

// TestNaNSpeculation checks that NaNs in a few lanes, in none, or only in inactive lanes give the same result as
// without speculation.
func TestNaNSpeculation(t *testing.T) {
	odd := []float64{math.Inf(1), math.NaN(), math.Float64frombits(0xfff0_0000_dead_beef), math.MaxFloat64}
	levels(t, func(t *testing.T, e exec.Engine) {
		rnd := rand.New(rand.NewPCG(23, 29))
		for n := range 300 {
			lanes := []uint64{^uint64(0), 0xff00_0000_ffff_3c03}[n%2]
			sameRegisters(t, e, speculativeCode(rnd), lanes, func(st *exec.State) {
				values := rand.New(rand.NewPCG(31, uint64(n)))
				for r := range len(st.V) / st.Stride / 2 {
					for lane := range 64 {
						v := values.NormFloat64()
						if values.IntN(1+n) == 0 {
							v = odd[values.IntN(len(odd))]
						}
						x := math.Float64bits(v)
						st.V[2*r*st.Stride+lane], st.V[(2*r+1)*st.Stride+lane] = uint32(x), uint32(x>>32)
					}
				}
			}, lanes)
		}
	})
}

// TestSpeculationLasts checks that an iteration whose values fit into registers speculates to its end: with four values
// at a time, subnormals flushed, no op selects a NaN, and only the values that are left are flushed, with a blend each.
func TestSpeculationLasts(t *testing.T) {
	var b strings.Builder
	b.WriteString("block 0x100\nmark 0x100 size 4\n  %e = get.i1 exec\n")
	for i := range 4 {
		fmt.Fprintf(&b, "  %%v%d = get.i32 v[%d]\n  %%f%d = cast.f32 %%v%d\n", i, i, i, i)
	}
	for i := range 40 {
		fmt.Fprintf(&b, "  %%p%d = fmul.f32 %%f%d, %%f%d {rne daz ftz}\n  %%f%d = fadd.f32 %%p%d, %%f%d {rne daz ftz}\n", i, i, i+1, i+4, i, i+2)
	}
	for i := range 4 {
		fmt.Fprintf(&b, "  %%r%d = cast.i32 %%f%d\n  set.i32 v[%d], %%r%d, %%e\n", i, 40+i, i, i)
	}
	b.WriteString("  jump 0x100\n")
	view(b.String(), func(x *lower.Block) {
		code, _, found := strings.Cut(Dump(targetOf(cpu.Level2), x), "slow path\n")
		if n := strings.Count(code, "vblendvps"); !found || n != 4 {
			t.Errorf("there are %d blends, want 4, and a slow path: %v", n, found)
		}
	})
}
