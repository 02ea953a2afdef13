package debug

import (
	"errors"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/engines"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/launch"
)

// errThere ends a run at the requested position.
var errThere = errors.New("there")

// A sought is a stepper that copies the state at a position. With skips it skips everything before.
type sought struct {
	at, steps uint64
	skips     bool
	passed    uint64 // number of skipped instructions
	state     *exec.State
}

func (s *sought) Skip(*exec.Step) uint64 {
	if !s.skips || s.steps >= s.at {
		return 0
	}
	return s.at - s.steps
}

func (s *sought) Skipped(_ *exec.Step, ran uint64, _ exec.Stop) {
	s.steps, s.passed = s.steps+ran, s.passed+ran
}

func (s *sought) Before(at *exec.Step) error {
	if s.steps == s.at {
		s.state = at.State.Snapshot()
		return errThere
	}
	s.steps++
	return nil
}

func (s *sought) After(*exec.Step, exec.Stop) {}

// TestSkip: skipped instructions leave the same state as observed ones, at every position, in every engine, also with
// divergent lanes.
func TestSkip(t *testing.T) {
	for set, text := range map[string]string{
		"gcn:gfx8":  "s_mov_b32 s0, 9\nagain:\nv_add_u32 v1, vcc, v0, v1\ns_sub_u32 s0, s0, 1\ns_cmp_lg_u32 s0, 0\ns_cbranch_scc1 again\nv_mul_f32 v2, v1, v1\ns_endpgm",
		"tesla:g80": "mov b32 $r1 1\njoinat meet\nand b32 $c0 $r1 $r0 $r1\n(e $c0) bra meet\nadd b32 $r2 $r2 $r0\nadd b32 $r2 $r2 $r0\nmeet: join nop\nadd b32 $r3 $r2 $r2\nexit nop",
	} {
		target, err := sets.Lookup(set)
		if err != nil {
			t.Fatal(err)
		}
		code, errs := asm.Assemble(target, []byte(text), asm.Options{})
		if errs != nil {
			t.Fatal(errs[0].Detail())
		}
		run := func(e exec.Engine, s *sought) error {
			p := &isa.Program{Target: target, Code: code.Code}
			st, err := exec.NewState(p.Machine(), 0)
			if err != nil {
				t.Fatal(err)
			}
			for i := range st.V[:2*st.Stride] {
				st.V[i] = uint32(i)
			}
			st.Start(0, ^uint64(0))
			return launch.RunWave(t.Context(), exec.Stepped(e, s), exec.NewProgram(p), st, &exec.Env{}, exec.Limits{})
		}
		for _, e := range engines.Tested() {
			for at := uint64(0); ; at++ {
				want, got := &sought{at: at}, &sought{at: at, skips: true}
				over := run(engines.All()[0].New(), want) == nil
				if err := run(exec.Eager(e.New()), got); (err == nil) != over {
					t.Fatalf("%s %s: position %d: %v; stepped the run is over: %v", set, e.Name, at, err, over)
				}
				if over {
					if want.steps != got.steps || at < 8 {
						t.Errorf("%s %s: %d instructions, stepped %d", set, e.Name, got.steps, want.steps)
					}
					break
				}
				if d := got.state.Diff(want.state, 3); len(d) > 0 || got.passed != at {
					t.Errorf("%s %s: position %d, %d unseen: %q", set, e.Name, at, got.passed, d)
				}
			}
		}
	}
}
