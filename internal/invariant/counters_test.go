package invariant

import (
	"encoding/json"
	osexec "os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/launch"
)

// most limits the instructions of kernels that are single-stepped, and run by the command.
const most = 60_000

// TestCounters: the guest instructions that the engine counts equal the marks that it runs, counted by single steps,
// and the output of heddle run.
func TestCounters(t *testing.T) {
	command := build(t)
	stepped := 0
	eachKernel(t, func(t *testing.T, k *kernel, plain *outcome) {
		n := plain.instructions()
		if n > most && !long {
			t.Skipf("%d instructions", n)
		}
		stepped++
		e := &counter{Engine: ref.New()}
		same(t, "step by step", plain, k.run(launch.Settings{Engine: e, Workers: 1}))
		if e.marks != n || slices.ContainsFunc(plain.results, func(r *launch.Result) bool { return r.About }) {
			t.Errorf("%d marks, %d instructions counted", e.marks, n)
		}
		p := runCommand(t, command, k)
		if p.Instructions != e.marks || !p.Exact {
			t.Errorf("heddle run prints %d instructions of %d", p.Instructions, e.marks)
		}
		for i, r := range plain.results {
			if r.Serial && (!p.Serial || p.Why == "") {
				t.Errorf("launch %d runs in order because of %s; heddle run prints %t %q", i, r.Why, p.Serial, p.Why)
			}
		}
	})
	if all := len(kernels()); stepped < all/2 {
		t.Errorf("%d kernels of %d were short enough", stepped, all)
	}
}

// TestCountersOfCases is the same for the state cases of all instruction sets, without the command.
func TestCountersOfCases(t *testing.T) {
	_, want := runStateCases(t, ref.New())
	e := &counter{Engine: ref.New()}
	if _, n := runStateCases(t, e); n != want || e.marks != want {
		t.Errorf("%d marks, %d instructions counted; at once %d", e.marks, n, want)
	}
}

// A counter is an engine that stops after every mark, and counts them. It supports one worker.
type counter struct {
	exec.Engine
	marks uint64
}

func (c *counter) Name() string { return "counter" }

func (c *counter) NewRunner(p *exec.Program) exec.Runner {
	return &countRunner{c, c.Engine.NewRunner(p)}
}

type countRunner struct {
	*counter
	inner exec.Runner
}

// Run implements exec.Runner. A run of several marks may end in the middle of a block only if necessary.
func (r *countRunner) Run(st *exec.State, env *exec.Env, b exec.Budget) exec.Stop {
	for n := uint64(1); ; n++ {
		stop := r.inner.Run(st, env, exec.Budget{Steps: 1, Exact: true, Counted: b.Counted, Yields: b.Yields})
		if stop.Reason != exec.StopFault {
			r.marks++
		}
		if stop.Reason != exec.StopBudget || n >= b.Steps && (b.Exact || st.At.Mark == 0) {
			return stop
		}
	}
}

// printed is the counters in the output of heddle run --json.
type printed struct {
	Instructions uint64 `json:"wave_instructions"`
	Exact        bool   `json:"exact"`
	Serial       bool   `json:"serial"`
	Why          string `json:"why"`
}

// build builds the command.
func build(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "heddle")
	if out, err := osexec.Command("go", "build", "-o", file, "../../cmd/heddle").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return file
}

// runCommand runs a build of a kernel with heddle run.
func runCommand(t *testing.T, command string, k *kernel) printed {
	t.Helper()
	args := []string{"run", "--no-png", "--json", "--workers", "3", "--code-object", k.b.File, k.dir}
	out, err := osexec.Command(command, args...).Output()
	if err != nil {
		t.Fatalf("%q: %v\n%s", args, err, out)
	}
	var list []struct{ Counters printed }
	if err := json.Unmarshal(out, &list); err != nil || len(list) != 1 {
		t.Fatalf("%q prints %d builds, %v", args, len(list), err)
	}
	return list[0].Counters
}
