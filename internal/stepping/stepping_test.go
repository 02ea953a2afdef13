package stepping

import (
	"bytes"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/engines"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/loc"
)

// program is code with labels.
func program(t *testing.T, name, text string) *isa.Program {
	t.Helper()
	target, err := sets.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	a, errs := asm.Assemble(target, []byte(text), asm.Options{})
	if len(errs) > 0 {
		t.Fatal(errs[0].Detail())
	}
	from := &loc.Map{}
	for _, y := range a.Labels {
		from.Symbols = append(from.Symbols, loc.Symbol{Name: y.Name, Addr: y.Addr})
	}
	return &isa.Program{Target: target, Code: a.Code, Map: from}
}

// count decrements a number to 0 in lanes where it is not 0.
const count = `
start:
	s_mov_b64 exec, 0x33
	v_mov_b32 v1, 3
again:
	v_subrev_u32 v1, vcc, 1, v1
	v_cmp_lt_u32 vcc, 0, v1
	s_cbranch_vccnz again
	s_endpgm
`

// state returns a wave with values in v0 and v1.
func state(t *testing.T, p *isa.Program) *exec.State {
	t.Helper()
	st, err := exec.NewState(p.Machine(), 0)
	if err != nil {
		t.Fatal(err)
	}
	for i := range st.V[:2*st.Stride] {
		st.V[i] = uint32(i)
	}
	st.Start(0, ^uint64(0))
	return st
}

// run runs a wave to its end.
func run(t *testing.T, e exec.Engine, p *isa.Program) (*exec.State, exec.Counters, error) {
	t.Helper()
	st, env := state(t, p), &exec.Env{}
	err := launch.RunWave(t.Context(), e, exec.NewProgram(p), st, env, exec.Limits{})
	return st, env.Count, err
}

// TestStepped: a stepper changes neither the result of a wave nor the counts, on any engine, and observes the same on
// all.
func TestStepped(t *testing.T) {
	p := program(t, "gcn:gfx8", count)
	want, counted, err := run(t, engines.Fastest(engines.Use{}), p)
	if err != nil {
		t.Fatal(err)
	}
	first := ""
	for _, e := range engines.Tested() {
		spec, err := ParseTrace("")
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		trace := NewTrace(spec, &b, false)
		st, n, err := run(t, exec.Stepped(e.New(), trace), p)
		if err == nil {
			err = trace.End()
		}
		if err != nil {
			t.Fatal(err)
		}
		if d := st.Diff(want, 3); len(d) > 0 || n != counted {
			t.Errorf("%s: %q, counted %+v, want %+v", e.Name, d, n, counted)
		}
		if first == "" {
			first = b.String()
		}
		if b.String() != first {
			t.Errorf("%s traces\n%s\nwant\n%s", e.Name, &b, first)
		}
	}
	// Two instructions, three iterations of three, the end.
	if n := strings.Count(first, "\n"); n != 2+3*3+1 {
		t.Errorf("%d lines:\n%s", n, first)
	}
}

// FuzzSpecs: any text of a flag can be parsed.
func FuzzSpecs(f *testing.F) {
	for _, text := range []string{"wave:0-3,lanes:5,from:a+0x4,max:3,file:x", "group:1.2.3,", "again,hit:2,wave:1", ",,:", "from:", "wave:-"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if spec, err := ParseTrace(text); err == nil && (spec.Lanes.Last < spec.Lanes.First || spec.Waves.Last < spec.Waves.First) {
			t.Errorf("%q: %+v", text, spec)
		}
		if p, err := ParsePoint(text); err == nil && p.Text == "" {
			t.Errorf("%q: %+v", text, p)
		}
	})
}
