package gen

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/exectest"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
)

// TestIndexed compares registers with a uniform index with the reference: of files of each rule for indices outside,
// with masks of the wave, of compared lanes and of all lanes or none, and values from registers and for all lanes.
func TestIndexed(t *testing.T) {
	const head = "block 0x100\nmark 0x100 size 4\n  %i = get.i32 s[0]\n  %x = get.i32 v[0]\n  %y = get.i32 v[1]\n  %u = get.i32 s[1]\n" +
		"  %e = get.i1 exec\n  %c = ult.i32 %x, %y\n  %f = get.i1 f[0]\n  %z = iadd.i32 %x, %y\n"
	m := exectest.Machine(ir.MaskData)
	levels(t, func(t *testing.T, e exec.Engine) {
		rnd := rand.New(rand.NewPCG(5, 8))
		for _, file := range []string{"v", "w", "z"} {
			for _, mask := range []string{"%e", "%c", "%f"} {
				for _, op := range []string{
					"  %r = getx.i32 FILE[1+%i], MASK\n  %q = iadd.i32 %r, %z\n  set.i32 v[20], %q, %e\n",
					"  setx.i32 FILE[1+%i], %z, MASK\nmark 0x104 size 4\n  %j = get.i32 s[0]\n  %l = get.i1 exec\n  %r = getx.i32 FILE[0+%j], %l\n  set.i32 v[21], %r, %l\n",
					"  setx.i32 FILE[2+%i], %u, MASK\n  set.i32 v[22], %z, %e\n",
				} {
					text := head
					for _, c := range [...]struct{ from, to string }{{"FILE", file}, {"MASK", mask}} {
						op = strings.ReplaceAll(op, c.from, c.to)
					}
					text += op + "  jump 0x100\n"
					p := exectest.Parse(m, text)
					run, reference := e.NewRunner(p), ref.New().NewRunner(p)
					inside := 0
					for range 60 {
						st := indexedState(t, m, rnd)
						other := st.Snapshot()
						got, want := run.Run(st, &exec.Env{}, exec.Budget{Steps: 2}), reference.Run(other, &exec.Env{}, exec.Budget{Steps: 2})
						if got.Reason != want.Reason || fmt.Sprint(got.Fault) != fmt.Sprint(want.Fault) {
							t.Fatalf("%s%v, %v; want %v, %v", text, got.Reason, got.Fault, want.Reason, want.Fault)
						}
						if !slices.Equal(st.V, other.V) {
							t.Fatalf("%sindex %d, lanes %#x: the registers differ", text, int32(st.S[0]), st.Exec)
						}
						if want.Reason == exec.StopBudget && st.S[0] < 3 {
							inside++
						}
					}
					if inside < 10 {
						t.Errorf("%s: only %d runs with an index inside of the file", text, inside)
					}
				}
			}
		}
	})
}

// indexedState returns a state with random registers; the index is often inside of the file.
func indexedState(t *testing.T, m *ir.Machine, rnd *rand.Rand) *exec.State {
	t.Helper()
	st, err := exec.NewState(m, 64)
	if err != nil {
		t.Fatal(err)
	}
	st.Start(0x100, []uint64{^uint64(0), rnd.Uint64(), 0, 1 << 63}[rnd.IntN(4)])
	for i := range st.V {
		st.V[i] = rnd.Uint32()
	}
	st.S[0], st.S[1] = uint32(rnd.IntN(3)), rnd.Uint32()
	if rnd.IntN(2) == 0 {
		st.S[0] = []uint32{3, 21, 22, 23, 24, 1 << 31, 1<<31 - 1, 1<<32 - 1, 1<<32 - 2, rnd.Uint32()}[rnd.IntN(10)]
	}
	st.Set(ir.Cell{File: 5}, 0, rnd.Uint32()&1)
	return st
}
