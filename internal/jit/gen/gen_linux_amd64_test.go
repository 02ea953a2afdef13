package gen

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/exectest"
	"github.com/heddle-gpu/heddle/internal/jit/code"
	"github.com/heddle-gpu/heddle/internal/jit/cpu"
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/internal/portable"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// levels runs the test with each vector length, on jit engines.
func levels(t *testing.T, test func(t *testing.T, e exec.Engine)) { enginesOf(t, false, test) }

// enginesOf runs the test with each vector length, on jit engines or, if single, in the template mode.
func enginesOf(t *testing.T, single bool, test func(t *testing.T, e exec.Engine)) {
	for _, l := range []struct {
		name string
		set  cpu.Set
	}{{"avx512", cpu.Level512}, {"avx2", cpu.Level2}} {
		t.Run(l.name, func(t *testing.T) {
			if !slices.Contains(tested(t), l.set) {
				t.Skip("NOT TESTED")
			}
			n := nativeOf(l.set)
			n.single = single
			n.rejected = func(err error) { t.Error(err) }
			test(t, exec.Eager(portable.With(n)))
		})
	}
}

// sameRegisters runs the block of the text at 0x100 on the engine and on the reference, for the lanes, and compares
// all registers. fill initialises a state before, the same for both. Then both run it again for other lanes.
func sameRegisters(t *testing.T, e exec.Engine, text string, lanes uint64, fill func(st *exec.State), then ...uint64) {
	t.Helper()
	m := exectest.Machine(ir.MaskData)
	p := exectest.Parse(m, text)
	var ends [2]*exec.State
	for i, r := range []exec.Runner{e.NewRunner(p), ref.New().NewRunner(p)} {
		st, err := exec.NewState(m, 64)
		if err != nil {
			t.Fatal(err)
		}
		st.Start(0x100, lanes)
		fill(st)
		for k := range 1 + len(then) {
			if k > 0 {
				st.Exec = then[k-1]
			}
			if stop := r.Run(st, &exec.Env{}, exec.Budget{Steps: 1}); stop.Reason != exec.StopBudget {
				t.Fatal(stop.Reason, stop.Fault)
			}
		}
		ends[i] = st
	}
	if x, y := ends[0], ends[1]; !slices.Equal(x.V, y.V) || !slices.Equal(x.S, y.S) || !slices.Equal(x.M, y.M) {
		t.Fatalf("other registers than the reference has behind\n%s", text)
	}
}

func TestConform(t *testing.T) { levels(t, func(t *testing.T, e exec.Engine) { exectest.Test(t, e) }) }

func TestRandom(t *testing.T) {
	levels(t, func(t *testing.T, e exec.Engine) { exectest.Random(t, e, ref.New(), 500) })
}

func TestPrograms(t *testing.T) {
	levels(t, func(t *testing.T, e exec.Engine) { exectest.Programs(t, e, ref.New(), 400) })
}

// TestTemplate runs the engine's conformance tests in the template mode.
func TestTemplate(t *testing.T) {
	enginesOf(t, true, func(t *testing.T, e exec.Engine) {
		exectest.Test(t, e)
		exectest.Random(t, e, ref.New(), 200)
	})
}

// TestRefused checks that the engine works without machine code if the system refuses executable pages, and reports
// the reason.
func TestRefused(t *testing.T) {
	n := newNative(cpu.Host(), func(int) (*code.Arena, error) { return nil, fmt.Errorf("%w: by the test", code.ErrRefused) })
	e := exec.Eager(portable.With(n))
	if why := exec.Measure(e).Taken().Lacks; n.bits != 0 && !strings.Contains(why, code.ErrRefused.Error()) {
		t.Errorf("the engine lacks %q; the test refused its pages", why)
	}
	exectest.Random(t, e, ref.New(), 200)
}

// sums adds lanes, compares, selects and stores.
const sums = `
block 0x100
mark 0x100 size 4
  %a = get.i32 v[0]
  %b = get.i32 v[1]
  %e = get.i1 exec
  %s = iadd.i32 %a, %b
  %c = ult.i32 %s, %a
  %k = const.i32 7
  %r = select.i32 %c, %k, %s
  set.i32 v[1], %r, %e
mark 0x104 size 4
  %x = get.i32 v[0]
  %y = get.i32 v[1]
  %m = get.i1 exec
  store.i32 global[4 align 4] %x, %y, %m
  jump 0x100
`

// TestCode checks that a block is compiled, computes the right results in the lanes of the mask, and that a run
// allocates nothing.
func TestCode(t *testing.T) {
	levels(t, func(t *testing.T, e exec.Engine) {
		m := exectest.Machine(ir.MaskData)
		p := exectest.Parse(m, sums)
		data := mem.NewSegment("buffer", 0, 256, mem.ReadWrite)
		space, err := mem.NewSpace("global", data)
		if err != nil {
			t.Fatal(err)
		}
		env := &exec.Env{Spaces: exec.Spaces{ir.GlobalSpace: {space}}}
		r := e.NewRunner(p)
		for _, lanes := range []uint64{^uint64(0), 0x8000_0000_0001_5555} {
			st, err := exec.NewState(m, 64)
			if err != nil {
				t.Fatal(err)
			}
			fill := func() {
				st.Start(0x100, lanes)
				for lane := range 64 {
					st.V[lane], st.V[64+lane] = uint32(lane)*4, uint32(lane)-20
				}
			}
			run := func() {
				fill()
				if stop := r.Run(st, env, exec.Budget{Steps: 1}); stop.Reason != exec.StopBudget {
					t.Fatal(stop.Reason, stop.Fault)
				}
			}
			run()
			for lane := range 64 {
				want := uint32(lane)*5 - 20
				if lane < 20 && lane*4 >= 20-lane { // the sum exceeds 32 bits
					want = 7
				}
				if lanes>>lane&1 == 0 {
					want = uint32(lane) - 20
				}
				if got := st.V[64+lane]; got != want {
					t.Errorf("lanes %#x: lane %d has %#x, want %#x", lanes, lane, got, want)
				}
			}
			if n := testing.AllocsPerRun(20, run); n != 0 {
				t.Errorf("lanes %#x: %v allocations", lanes, n)
			}
		}
		if p.Work().Code == 0 {
			t.Error("there is no machine code")
		}
	})
}

// TestTiers checks that only blocks that run often are compiled.
func TestTiers(t *testing.T) {
	e := New()
	if exec.Measure(e).Taken().Lacks != "" {
		t.Skip("NOT TESTED: there is no machine code here")
	}
	m := exectest.Machine(ir.MaskData)
	p := exectest.Parse(m, sums)
	data := mem.NewSegment("buffer", 0, 256, mem.ReadWrite)
	space, err := mem.NewSpace("global", data)
	if err != nil {
		t.Fatal(err)
	}
	r := e.NewRunner(p)
	for i := range 300 {
		st, err := exec.NewState(m, 64)
		if err != nil {
			t.Fatal(err)
		}
		st.Start(0x100, ^uint64(0))
		for lane := range 64 {
			st.V[lane], st.V[64+lane] = uint32(lane)*4, uint32(lane)
		}
		if stop := r.Run(st, &exec.Env{Spaces: exec.Spaces{ir.GlobalSpace: {space}}}, exec.Budget{Steps: 1}); stop.Reason != exec.StopBudget {
			t.Fatal(stop.Reason, stop.Fault)
		}
		for lane := range 64 {
			if got := st.V[64+lane]; got != uint32(lane)*5 {
				t.Fatalf("visit %d: lane %d has %d, want %d", i, lane, got, lane*5)
			}
		}
		if i == 20 && p.Work().Code != 0 {
			t.Error("there is machine code after 20 visits")
		}
	}
	if p.Work().Code == 0 {
		t.Error("there is no machine code after 300 visits")
	}
}

// sized records the size of the code of blocks.
type sized struct {
	portable.Backend
	bytes *int
}

func (s sized) Compile(b *lower.Block) (portable.Code, []portable.Segment) {
	c, segments := s.Backend.Compile(b)
	if c != nil {
		*s.bytes += c.CodeBytes()
	}
	return c, segments
}

// TestLoops checks that the jit engine has one loop for all ops of a segment, and in its template mode one per op.
func TestLoops(t *testing.T) {
	if host().Lacks() != "" {
		t.Skip("NOT TESTED: " + host().Lacks())
	}
	text := "block 0x100\nmark 0x100 size 4\n  %a0 = get.i32 v[0]\n"
	for i := range 10 {
		text += fmt.Sprintf("  %%a%d = %s.i32 %%a%d, %%a0\n", i+1, []string{"iadd", "imul"}[i%2], i)
	}
	text += "  %e = get.i1 exec\n  set.i32 v[1], %a10, %e\n  jump 0x100\n"
	bytes := map[string]int{}
	for _, n := range []*native{host(), single()} {
		size := 0
		sameRegisters(t, exec.Eager(portable.With(sized{n, &size})), text, ^uint64(0), func(*exec.State) {})
		bytes[n.Name()] = size
	}
	if s := bytes["jit"]; s == 0 || bytes["template"] < s+8*20 {
		t.Errorf("bytes of code: %v", bytes)
	}
}
