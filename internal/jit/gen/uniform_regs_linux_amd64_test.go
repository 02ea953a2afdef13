package gen

import (
	"fmt"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/exectest"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// TestWordRegisters has more uniform values than registers in the cache, read in any order, some by per-lane steps, by
// an access or after the end of the block.
func TestWordRegisters(t *testing.T) {
	const all = ^uint64(0)
	for n := 1; n <= 3*len(wordRegs); n++ {
		var b strings.Builder
		b.WriteString("block 0x100\nmark 0x100 size 4\n  %e = get.i1 exec\n  %r = get.i32 v[0]\n")
		for i := range n {
			fmt.Fprintf(&b, "  %%g%d = get.i32 s[%d]\n  %%c%d = const.i32 %d\n  %%a%d = imul.i32 %%g%d, %%c%d\n", i, i%8, i, 2*i+3, i, i, i)
		}
		fmt.Fprintf(&b, "  %%x0 = get.i32 s[0]\n  %%y0 = iadd.i32 %%r, %%a%d\n", n/2)
		for i := range n {
			fmt.Fprintf(&b, "  %%x%d = %s.i32 %%x%d, %%a%d\n", i+1, []string{"xor", "iadd"}[i%2], i, (5*i+n/3)%n)
		}
		fmt.Fprintf(&b, "  %%y1 = iadd.i32 %%y0, %%x%d\n  set.i32 s[1], %%x%d\n  set.i32 v[1], %%y1, %%e\n", n, n)
		fmt.Fprintf(&b, "  %%k = const.i32 1\n  %%o = and.i32 %%x%d, %%k\n  %%z = const.i32 0\n  %%q = ne.i32 %%o, %%z\n  branch %%q, 0x100, 0x104\n", n/2)
		b.WriteString("block 0x104\nmark 0x104 size 4\n  %s = get.i32 s[1]\n  %e = get.i1 exec\n  %v = get.i32 v[1]\n  %w = iadd.i32 %v, %s\n  set.i32 v[2], %w, %e\n  jump 0x100\n")
		levels(t, func(t *testing.T, e exec.Engine) {
			sameRegisters(t, e, b.String(), all, func(st *exec.State) {
				for i := range st.V {
					st.V[i] = uint32(i) * 2654435761
				}
				s := exec.IndexOf(st.Machine, ir.Cell{File: 3})
				for i := range 8 {
					st.S[s+i] = uint32(i+n) * 2246822519
				}
			}, all, all, all)
		})
	}
}

// TestMaskAtExit checks that a full mask that no step reads is available to the caller, which continues in the middle
// of the block.
func TestMaskAtExit(t *testing.T) {
	m := exectest.Machine(ir.MaskData)
	p := exectest.Parse(m, `block 0x100
mark 0x100 size 4
  %e = get.i1 exec
  %u = get.i32 s[0]
  %w = load.i32 global[4] %u
  %k = const.i32 5
  %q = ult.i32 %k, %w
  set p[0], %q, %e
  jump 0x100
`)
	s, err := mem.NewSpace("global", mem.Segment{Name: "a", Base: 0x1000, Data: []byte{9, 0, 0, 0, 0, 0, 0, 0}, Rights: mem.Read})
	if err != nil {
		t.Fatal(err)
	}
	levels(t, func(t *testing.T, e exec.Engine) {
		st, err := exec.NewState(m, 64)
		if err != nil {
			t.Fatal(err)
		}
		st.Start(0x100, st.Full)
		st.Set(ir.Cell{File: 3}, 0, 0x1000)
		env := &exec.Env{Spaces: exec.Spaces{ir.GlobalSpace: {s}}}
		if stop := e.NewRunner(p).Run(st, env, exec.Budget{Steps: 1}); stop.Reason != exec.StopBudget || st.Mask(ir.Cell{File: 4}) != st.Full {
			t.Errorf("%v %v: mask %#x", stop.Reason, stop.Fault, st.Mask(ir.Cell{File: 4}))
		}
	})
}
