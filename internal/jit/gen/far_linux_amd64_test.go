package gen

import (
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/exectest"
	"github.com/heddle-gpu/heddle/internal/portable"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// calls are programs that iterate s[0] times, and pass places times a place at which waves yield rarely in each
// iteration.
var calls = []struct {
	name    string
	control ir.Control
	places  int
	text    string
}{
	{"computed jumps to a function, and back to two places", ir.MaskData, 4, `
block 0x100
mark 0x100 size 4
  %zero = const.i32 0
  %function = const.i32 0x200
  %back = const.i32 0x110
  set.i32 s[2], %function
  set.i32 s[3], %zero
  set.i32 s[4], %back
  set.i32 s[5], %zero
mark 0x104 size 4
  %lo = get.i32 s[2]
  %hi = get.i32 s[3]
  %at = pack.i64 %lo, %hi
  jumpx %at
block 0x110
mark 0x110 size 4
  %back = const.i32 0x120
  set.i32 s[4], %back
mark 0x114 size 4
  %lo = get.i32 s[2]
  %hi = get.i32 s[3]
  %at = pack.i64 %lo, %hi
  jumpx %at
block 0x120
mark 0x120 size 4
  %n = get.i32 s[0]
  %one = const.i32 1
  %n1 = isub.i32 %n, %one
  set.i32 s[0], %n1
  %zero = const.i32 0
  %again = ne.i32 %n1, %zero
  branch %again, 0x100, 0x130
block 0x130
mark 0x130 size 4
  end
block 0x200
mark 0x200 size 4
  %v = get.i32 v[0]
  %e = get.i1 exec
  %one = const.i32 1
  %w = iadd.i32 %v, %one
  set.i32 v[0], %w, %e
mark 0x204 size 4
  %lo = get.i32 s[4]
  %hi = get.i32 s[5]
  %at = pack.i64 %lo, %hi
  jumpx %at
`},
	{"calls of all lanes, by the stack", ir.MaskStack, 1, `
block 0x100
mark 0x100 size 4
  %e = get.i1 exec
  ctl call %e, 0x200
block 0x104
mark 0x104 size 4
  %n = get.i32 s[0]
  %one = const.i32 1
  %n1 = isub.i32 %n, %one
  set.i32 s[0], %n1
  %zero = const.i32 0
  %again = ne.i32 %n1, %zero
  branch %again, 0x100, 0x108
block 0x108
mark 0x108 size 4
  end
block 0x200
mark 0x200 size 4
  %v = get.i32 v[0]
  %e = get.i1 exec
  %one = const.i32 1
  %w = iadd.i32 %v, %one
  set.i32 v[0], %w, %e
mark 0x204 size 4
  %f = get.i1 exec
  ctl return %f
`},
	{"variables in memory", ir.MaskData, 1, `
block 0x100
mark 0x100 size 4
  %a = get.i32 v[1]
  %e = get.i1 exec
  %v = load.i32 group[4] %a, %e
  %one = const.i32 1
  %w = iadd.i32 %v, %one
  set.i32 v[0], %w, %e
mark 0x104 size 4
  %b = get.i32 v[1]
  %f = get.i1 exec
  %x = get.i32 v[0]
  store.i32 group[4] %b, %x, %f
mark 0x108 size 4
  %n = get.i32 s[0]
  %k = const.i32 1
  %n1 = isub.i32 %n, %k
  set.i32 s[0], %n1
  %zero = const.i32 0
  %again = ne.i32 %n1, %zero
  branch %again, 0x100, 0x10c
block 0x10c
mark 0x10c size 4
  end
`},
}

// TestFarChain: machine code takes computed jumps, returns from calls and back edges of loops that may poll by itself,
// and leaves only where the wave yields. It yields where the reference does, and leaves the same state.
func TestFarChain(t *testing.T) {
	const rounds = 1000
	n := host()
	if n.Lacks() != "" {
		t.Skip("NOT TESTED: " + n.Lacks())
	}
	for _, c := range calls {
		m := exectest.Machine(c.control)
		p := exectest.Parse(m, c.text)
		run := func(e exec.Engine, yields bool) (st *exec.State, turns int) {
			st, err := exec.NewState(m, 64)
			if err != nil {
				t.Fatal(err)
			}
			st.Start(0x100, st.Full)
			for lane := range 64 {
				st.Set(ir.Cell{File: 0, Index: 1}, lane, uint32(4*lane))
			}
			st.S[exec.IndexOf(m, ir.Cell{File: 3})] = rounds
			space, err := mem.NewSpace("group", mem.NewSegment("group", 0, 256, mem.ReadWrite))
			if err != nil {
				t.Fatal(err)
			}
			env, r := &exec.Env{Spaces: exec.Spaces{ir.GroupSpace: {space}}}, e.NewRunner(p)
			for stop := (exec.Stop{}); stop.Reason != exec.StopEnd; turns++ {
				if stop = r.Run(st, env, exec.Budget{Steps: 1 << 40, Yields: yields}); stop.Fault != nil {
					t.Fatalf("%s: %v", c.name, stop.Fault)
				}
			}
			return st, turns
		}
		chains := 0
		e := exec.Eager(portable.With(counting{n, &chains}))
		for _, yields := range []bool{false, true} {
			chains = 0
			want, turns := run(ref.New(), yields)
			got, gotTurns := run(e, yields)
			if yields && turns != 1+rounds*c.places/exec.YieldEvery || turns != gotTurns {
				t.Errorf("%s: %d turns, %d of the reference", c.name, gotTurns, turns)
			}
			if d := want.Diff(got, 5); d != nil {
				t.Errorf("%s, yields %t: state, wanted and got: %q", c.name, yields, d)
			}
			// Some chains to link the successors, and some that end because they have run for long.
			if most := rounds*c.places/exec.YieldEvery + 25; chains > most {
				t.Errorf("%s, yields %t: %d chains, want at most %d", c.name, yields, chains, most)
			}
		}
	}
}
