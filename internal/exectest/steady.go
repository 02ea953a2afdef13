package exectest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// steadyText reads inputs of named slots, one of them in all ways that can differ: twice in the same way, then with
// another number of components, starting at another one, interpolated, and as another type, each in different
// lanes; SLOT is one that may not exist.
const steadyText = `
block 0x100
mark 0x100 size 4
  %s = const.i32 3
  %e = get.i1 exec
  %a:%b = input.i32 flat 1 x 2, %s, %e
  set.i32 v[3], %a, %e
  set.i32 v[4], %b, %e
mark 0x104 size 4
  %s1 = const.i32 SLOT
  %e1 = get.i1 exec
  %p = get.i1 p[1]
  %m = and.i1 %p, %e1
  %c = input.i32 linear 0, %s1, %m
  set.i32 v[5], %c, %e1
mark 0x108 size 4
  %s2 = const.i32 3
  %e2 = get.i1 exec
  %d:%f = input.i32 flat 1 x 2, %s2, %e2
  %g = iadd.i32 %d, %f
  set.i32 v[6], %g, %e2
  set.i32 v[7], %f, %e2
mark 0x10c size 4
  %s3 = const.i32 3
  %e3 = get.i1 exec
  %h = input.i32 flat 1, %s3, %e3
  %i = input.i32 flat 2, %s3, %e3
  %j:%k = input.i32 linear 1 x 2, %s3, %e3
  %l:%n = input.f32 flat 1 x 2, %s3, %e3
  set.i32 v[8], %h, %e3
  set.i32 v[9], %i, %e3
  set.i32 v[10], %j, %e3
  set.i32 v[11], %k, %e3
  set.f32 v[12], %l, %e3
  set.f32 v[13], %n, %e3
  jump 0x200
`

// A typedPlug is a plug whose inputs also depend on the requested type.
type typedPlug struct{ plug }

func (p *typedPlug) Input(c *exec.IOCall) (uint64, error) {
	no, err := p.plug.Input(c)
	for i := range c.Count {
		for lane := range c.Width {
			c.Value[i][lane] ^= uint32(c.Type) << 8
		}
	}
	return no, err
}

// testSteady: inputs that may be requested early have the same values as without that, and a refused one faults at
// its own instruction.
func testSteady(t *testing.T, e exec.Engine) {
	testManyInputs(t, e)
	m := Machine(ir.MaskData)
	rnd := rand.New(rand.NewPCG(20, 20))
	for _, slot := range []string{"5", "7", "8"} {
		code := strings.Replace(steadyText, "SLOT", slot, 1)
		plain, early := e.NewRunner(Parse(m, code)), e.NewRunner(Parse(m, code))
		for round := range 150 {
			st, _ := exec.NewState(m, m.Widths[round/50%len(m.Widths)])
			fill(st, rnd)
			st.Start(entry, masks(st, rnd)[rnd.IntN(6)]|1)
			st.Exec = st.Live & masks(st, rnd)[rnd.IntN(6)]
			other := st.Snapshot()
			policy := exec.Policy(rnd.IntN(2))
			run := func(r exec.Runner, st *exec.State, steady bool) (string, exec.Counters) {
				env := &exec.Env{Policy: policy, Resources: exec.Resources{Inputs: &typedPlug{plug{n: 8}}, Steady: steady}}
				stop := r.Run(st, env, exec.Budget{Steps: 4})
				return fmt.Sprint(stop.Reason, stop.Fault), env.Count
			}
			want, counted := run(plain, st, false)
			got, count := run(early, other, true)
			if d := st.Diff(other, 4); got != want || count != counted || d != nil {
				t.Fatalf("slot %s, %d lanes, exec %#x of %#x: %s, want %s; %+v, want %+v; %q", slot, st.Lanes, st.Exec, st.Live, got, want, count, counted, d)
			}
		}
	}
}

// testManyInputs: a program has as many early inputs as there may be, or more, and blocks that need few rows.
func testManyInputs(t *testing.T, e exec.Engine) {
	m := Machine(ir.MaskData)
	for _, inputs := range []int{1, 60, 61, 62, 63, 64, 70} {
		text := "\nblock 0x100\nmark 0x100 size 4\n  jump 0x200\n\nblock 0x200\n"
		for i := range inputs {
			op := "mark PC size 4\n  %sN = const.i32 N\n  %eN = get.i1 exec\n  %xN = input.i32 flat 0, %sN, %eN\n" +
				"  %yN = get.i32 v[4]\n  %zN = iadd.i32 %xN, %yN\n  set.i32 v[4], %zN, %eN\n"
			text += strings.NewReplacer("PC", fmt.Sprint(0x200+4*i), "N", fmt.Sprint(i)).Replace(op)
		}
		text += fmt.Sprintf("mark %#x size 4\n  end\n", 0x200+4*inputs)
		var ends [2]*exec.State
		for i, steady := range []bool{false, true} {
			st, err := exec.NewState(m, 16)
			if err != nil {
				t.Fatal(err)
			}
			st.Start(0x100, st.Full)
			env := &exec.Env{Resources: exec.Resources{Inputs: &typedPlug{plug{n: uint32(inputs)}}, Steady: steady}}
			if stop := e.NewRunner(Parse(m, text)).Run(st, env, exec.Budget{Steps: 400}); stop.Reason != exec.StopEnd {
				t.Fatal(inputs, stop.Reason, stop.Fault)
			}
			ends[i] = st
		}
		if d := ends[0].Diff(ends[1], 4); d != nil {
			t.Errorf("%d inputs: %q", inputs, d)
		}
	}
}
