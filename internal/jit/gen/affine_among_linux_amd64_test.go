package gen

import (
	"fmt"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/exectest"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
)

// underPressure compares, then loads or stores consecutive words until the condition has to leave its register, and
// then uses it.
func underPressure(store, uniform bool) string {
	var b strings.Builder
	b.WriteString("block 0x100\nmark 0x100 size 4\n  %e = get.i1 exec\n  %x = get.i32 v[0]\n  %y = get.i32 v[1]\n  %c = ult.i32 %x, %y\n  set.i1 p[0], %c, %e\n")
	for i := range 12 {
		at := "v[0]"
		if uniform {
			at = "s[2]"
		}
		fmt.Fprintf(&b, "mark %#x size 4\n  %%e%d = get.i1 exec\n  %%a%d = get.i32 %s\n  %%n%d = const.i32 %d\n  %%b%d = iadd.i32 %%a%d, %%n%d\n", 0x104+4*i, i, i, at, i, 4*i, i, i, i)
		if store {
			fmt.Fprintf(&b, "  %%y%d = get.i32 v[%d]\n  store.i32 group[4] %%b%d, %%y%d, %%e%d\n", i, 6+i, i, i, i)
		} else {
			fmt.Fprintf(&b, "  %%x%d = load.i32 group[4] %%b%d, %%e%d\n  set.i32 v[%d], %%x%d, %%e%d\n", i, i, i, 6+i, i, i)
		}
	}
	b.WriteString("mark 0x180 size 4\n  %l = get.i1 exec\n  %d = get.i1 p[0]\n  %q = get.i32 v[6]\n  %r = get.i32 v[17]\n  %s = select.i32 %d, %q, %r\n  set.i32 v[2], %s, %l\n  jump 0x100\n")
	return b.String()
}

// afterIndexed loads from the addresses that a write to a register with an index has left.
const afterIndexed = `
block 0x100
mark 0x100 size 4
  %e = get.i1 exec
  %i = get.i32 s[0]
  %y = get.i32 v[1]
  setx.i32 v[2+%i], %y, %e
mark 0x104 size 4
  %f = get.i1 exec
  %a = get.i32 v[4]
  %x = load.i32 group[4] %a, %f
  set.i32 v[5], %x, %f
  jump 0x100
`

// TestAffineAmong compares blocks of accesses of consecutive lanes among other steps with the reference: between a
// condition and its reader, where registers are few, and after a write to a register that only its index tells.
func TestAffineAmong(t *testing.T) {
	m := exectest.Machine(ir.MaskData)
	levels(t, func(t *testing.T, e exec.Engine) {
		for _, text := range []string{underPressure(false, false), underPressure(true, false), underPressure(false, true), afterIndexed} {
			p := exectest.Parse(m, text)
			got, want := affineMemory(t), affineMemory(t)
			r, reference := e.NewRunner(p), ref.New().NewRunner(p)
			for turn := range 3 {
				st, err := exec.NewState(m, 64)
				if err != nil {
					t.Fatal(err)
				}
				st.Start(0x100, st.Full)
				for i := range st.V {
					st.V[i] = uint32(i * 77)
				}
				for lane := range 64 {
					st.Set(ir.Cell{}, lane, uint32(64+4*lane))
					st.Set(ir.Cell{Index: 1}, lane, uint32(128+4*lane)>>(lane%3&turn))
					st.Set(ir.Cell{Index: 4}, lane, uint32(64+4*lane))
				}
				st.Set(ir.Cell{File: 3}, 0, 2)
				st.Set(ir.Cell{File: 3, Index: 2}, 0, 96)
				other := st.Snapshot()
				steps := exec.Budget{Steps: uint64(strings.Count(text, "mark"))}
				r.Run(st, &got.Env, steps)
				reference.Run(other, &want.Env, steps)
				if d := other.Diff(st, 3); d != nil {
					t.Errorf("turn %d: want, got: %q, of\n%s", turn, d, text)
				}
			}
		}
	})
}
