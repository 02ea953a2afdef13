package exectest

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// benchOps is how often a benchmark's block repeats its op, each in a mark of its own.
const benchOps = 32

// benches are instructions as lifts produce them: operands from cells, result to a cell under exec. N is replaced
// by a number that makes names unique.
var benches = []struct{ name, text string }{
	{"add", `  %aN = get.i32 v[0]
  %bN = get.i32 v[1]
  %rN = iadd.i32 %aN, %bN
  %eN = get.i1 exec
  set.i32 v[2], %rN, %eN
`},
	{"fma", `  %aN = get.i32 v[0]
  %bN = get.i32 v[1]
  %cN = get.i32 v[2]
  %faN = cast.f32 %aN
  %fbN = cast.f32 %bN
  %fcN = cast.f32 %cN
  %frN = ffma.f32 %faN, %fbN, %fcN {rne}
  %rN = cast.i32 %frN
  %eN = get.i1 exec
  set.i32 v[2], %rN, %eN
`},
	{"compare", `  %aN = get.i32 v[0]
  %bN = get.i32 v[1]
  %cN = ult.i32 %aN, %bN
  %eN = get.i1 exec
  %mN = ballot.i64 %cN, %eN
  %loN:%hiN = unpack.i32 %mN
  set.i32 s[2], %loN
  set.i32 s[3], %hiN
`},
	{"scalar", `  %aN = get.i32 s[0]
  %bN = get.i32 s[1]
  %zN = const.i1 0
  %rN:%cN = addc.i32 %aN, %bN, %zN
  set.i32 s[2], %rN
  set.i1 f[0], %cN
`},
	{"execmask", `  %loN = get.i32 s[4]
  %hiN = get.i32 s[5]
  %mN = pack.i64 %loN, %hiN
  %newN = lanes.i1 %mN
  %eN = get.i1 exec
  %bothN = and.i1 %newN, %eN
  set.i1 exec, %bothN
`},
	{"load", `  %aN = get.i32 v[3]
  %eN = get.i1 exec
  %rN = load.i32 global[4 align 4] %aN, %eN
  set.i32 v[4], %rN, %eN
`},
	{"store", `  %aN = get.i32 v[3]
  %rN = get.i32 v[4]
  %eN = get.i1 exec
  store.i32 global[4 align 4] %aN, %rN, %eN
`},
}

// Bench measures instructions on full waves of 64 lanes, and prints nanoseconds per IR op and IR ops per second;
// half masks are the same instruction with every other lane inactive.
func Bench(b *testing.B, e exec.Engine) {
	for _, c := range benches {
		var text strings.Builder
		text.WriteString("block 0x100\n")
		for i := range benchOps {
			text.WriteString("mark 0x100 size 4\n")
			text.WriteString(strings.ReplaceAll(c.text, "N", string(rune('a'+i/26))+string(rune('a'+i%26))))
		}
		text.WriteString("  jump 0x100\n")
		for _, mask := range []uint64{^uint64(0), 0x5555555555555555} {
			name := c.name
			if mask != ^uint64(0) {
				name += "/half"
			}
			b.Run(name, func(b *testing.B) { benchBlock(b, e, text.String(), mask) })
		}
	}
}

func benchBlock(b *testing.B, e exec.Engine, text string, mask uint64) {
	m := Machine(ir.MaskData)
	st, _ := exec.NewState(m, 64)
	st.Start(entry, mask)
	st.S[4], st.S[5] = ^uint32(0), ^uint32(0)
	for lane := range 64 {
		st.V[lane] = 0x3f800000 + uint32(lane)<<12
		st.V[st.Stride+lane] = 0x3f000000 + uint32(lane)<<10
		st.V[3*st.Stride+lane] = uint32(lane * 4)
	}
	global, _ := space("global", 0, 4096, rand.New(rand.NewPCG(1, 1)))
	env := envOf(global)
	r := e.NewRunner(Parse(m, text))
	r.Run(st, env, exec.Budget{Steps: 1})
	env.Count = exec.Counters{}
	b.ReportAllocs()
	b.ResetTimer()
	for b.Loop() {
		if stop := r.Run(st, env, exec.Budget{Steps: benchOps}); stop.Reason != exec.StopBudget {
			b.Fatal(stop.Reason, stop.Fault)
		}
	}
	s := b.Elapsed().Seconds()
	b.ReportMetric(s*1e9/float64(env.Count.Ops), "ns/waveop")
	b.ReportMetric(float64(env.Count.Ops)/s, "waveops/s")
	b.ReportMetric(float64(env.Count.Instructions)/s, "instr/s")
}
