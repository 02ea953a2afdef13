package exectest

import (
	"math/rand/v2"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/irgen"
	"github.com/heddle-gpu/heddle/ir"
)

// testStructured: random structured programs compute in every lane what the lane computes on its own, run at once,
// with stops at any mark, and with optimised blocks. Every kind of token and waiting lanes occur.
func testStructured(t *testing.T, e exec.Engine) {
	tokens := map[exec.TokenKind]int{}
	ran, waited := map[ir.Control]int{}, map[ir.Control]int{}
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 29))
		m := Machine([]ir.Control{ir.MaskStack, ir.LowestPC}[seed%2])
		prog := irgen.NewProgram(r, m)
		m.StackDepth = prog.Tokens()
		st, want, ok := programStart(m, prog, r)
		if !ok {
			continue
		}
		ran[m.Control]++
		whole := structuredRuns(t, e, m, prog, st)
		inPieces(t, e, exec.NewProgram(NewCode(m, prog.Blocks...)), st, r, func(st *exec.State) {
			if st.Live&^st.Exec != 0 {
				waited[m.Control]++
			}
			for i := range st.Stack {
				tokens[st.Stack[i].Kind]++
			}
		})
		if d := whole.Diff(st, 3); d != nil {
			t.Fatalf("seed %d, %s: at once, in pieces: %q", seed, m.Control, d)
		}
		for lane, h := range want {
			if got := st.Get(cellOf(fileV, 1), lane); got != h {
				t.Fatalf("seed %d, %s: lane %d of %d has %#x, alone %#x", seed, m.Control, lane, st.Lanes, got, h)
			}
		}
	}
	for _, c := range []ir.Control{ir.MaskStack, ir.LowestPC} {
		if ran[c] < 100 || waited[c] < 100 {
			t.Errorf("%s: %d programs, %d stops with lanes that wait", c, ran[c], waited[c])
		}
	}
	for k := exec.TokenBranch; k <= exec.TokenQuad; k++ {
		if tokens[k] == 0 {
			t.Errorf("no stop had a %s token", k)
		}
	}
}

// programStart returns a state to run the program from and the expected results of its lanes; false if that takes
// too long for a test.
func programStart(m *ir.Machine, prog *irgen.Program, r *rand.Rand) (*exec.State, []uint32, bool) {
	st, err := exec.NewState(m, m.Widths[r.IntN(len(m.Widths))])
	if err != nil {
		panic(err)
	}
	fill(st, r)
	want, ok := make([]uint32, st.Lanes), true
	for lane := range st.Lanes {
		x := r.Uint32()
		h, short := prog.Lane(x)
		st.Set(cellOf(fileV, 0), lane, x)
		want[lane], ok = h, ok && short
	}
	st.Start(prog.Entry, st.Full)
	return st, want, ok
}

// structuredRuns runs the program to its end, as lifted and with optimised blocks, and returns the last state.
func structuredRuns(t *testing.T, e exec.Engine, m *ir.Machine, prog *irgen.Program, start *exec.State) *exec.State {
	t.Helper()
	run := func(blocks []*ir.Block) *exec.State {
		st := start.Snapshot()
		stop := e.NewRunner(exec.NewProgram(NewCode(m, blocks...))).Run(st, &exec.Env{}, exec.Budget{Steps: 1 << 20})
		if stop.Reason != exec.StopEnd {
			t.Fatalf("%s: stop %v %v", m.Control, stop.Reason, stop.Fault)
		}
		return st
	}
	optimised := make([]*ir.Block, len(prog.Blocks))
	for i, b := range prog.Blocks {
		optimised[i] = optimise(m, b)
	}
	whole := run(prog.Blocks)
	if d := whole.Diff(run(optimised), 3); d != nil {
		t.Fatalf("%s: canonical, optimised: %q", m.Control, d)
	}
	return whole
}

// inPieces runs the wave to its end with stops after any number of marks, sometimes in another runner.
func inPieces(t *testing.T, e exec.Engine, p *exec.Program, st *exec.State, r *rand.Rand, look func(*exec.State)) {
	run := e.NewRunner(p)
	for {
		if r.IntN(4) == 0 {
			run = e.NewRunner(p)
		}
		stop := run.Run(st, &exec.Env{}, exec.Budget{Steps: 1 + r.Uint64N(30), Exact: true})
		if stop.Reason == exec.StopEnd {
			return
		}
		if stop.Reason != exec.StopBudget {
			t.Fatalf("stop %v %v at %+v", stop.Reason, stop.Fault, st.At)
		}
		for lane := range st.Lanes {
			if _, waits := st.WaitsAt(lane); waits != (st.Live&^st.Exec>>lane&1 != 0) {
				t.Fatalf("lane %d, live %#x, running %#x, waits is %t", lane, st.Live, st.Exec, waits)
			}
		}
		look(st)
	}
}

// Programs compares the engine with an oracle on n random structured programs: each runs several times in one
// runner, from other states and with other lanes, sometimes in slices of any length, and with a divergence stack
// that is too small for some.
func Programs(t *testing.T, e, oracle exec.Engine, n int) {
	const runs = 6
	reasons := map[exec.StopReason]int{}
	for seed := range uint64(n) {
		r := rand.New(rand.NewPCG(seed, 31))
		m := Machine([]ir.Control{ir.MaskStack, ir.MaskStack, ir.LowestPC}[seed%3])
		prog := irgen.NewProgram(r, m)
		m.StackDepth = 1 + r.IntN(12)
		p := exec.NewProgram(NewCode(m, prog.Blocks...))
		fast, slow := e.NewRunner(p), oracle.NewRunner(p)
		for range runs {
			st, _, ok := programStart(m, prog, r)
			if !ok {
				break
			}
			if r.IntN(2) == 0 {
				st.Start(prog.Entry, r.Uint64()|1)
			}
			steps := uint64(1 << 20)
			if r.IntN(3) == 0 {
				steps = 1 + r.Uint64N(200)
			}
			got, want := programRun(fast, st, steps), programRun(slow, st, 1<<20)
			reasons[want.stop.Reason]++
			if d := want.diff(&got, true); d != "" {
				t.Fatalf("seed %d, %s: oracle, engine: %s", seed, m.Control, d)
			}
		}
	}
	if reasons[exec.StopEnd] == 0 || reasons[exec.StopFault] == 0 {
		t.Errorf("%d programs stopped for %v", n, reasons)
	}
}

// programRun runs a wave to its end, some steps at a time.
func programRun(r exec.Runner, start *exec.State, steps uint64) outcome {
	o, env := outcome{st: start.Snapshot()}, &exec.Env{}
	for o.stop.Reason == 0 || o.stop.Reason == exec.StopBudget {
		o.stop = r.Run(o.st, env, exec.Budget{Steps: steps})
	}
	o.count = env.Count
	return o
}
