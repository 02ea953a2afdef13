package invariant

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/mem"
)

// TestStops stops once at every mark that a kernel reaches. There the wave runs ahead twice from the same memory: in
// the runner that brought it there, and as a copy in a new runner. Both must end the same. Then the state is
// overwritten, restored from the copy, and continued; the kernel must give the same result as without stops. This
// proves that all mutable state is in exec.State and memory.
func TestStops(t *testing.T) {
	total := 0
	eachKernel(t, func(t *testing.T, k *kernel, plain *outcome) {
		e := newStopper(t)
		same(t, "stopped everywhere", plain, k.run(launch.Settings{Engine: e, Workers: 1}))
		for at, marks := range e.seen {
			if i := slices.Index(marks, false); i >= 0 {
				t.Errorf("no stop at mark %d of block %#x", i, at.key.PC)
			}
		}
		total += e.stops
	})
	t.Logf("%d stops", total)
}

// TestStopsInCases is the same for the state cases of all instruction sets, which must pass as they do without stops:
// programs that end, or fault where expected.
func TestStopsInCases(t *testing.T) {
	e := newStopper(t)
	cases, _ := runStateCases(t, e)
	if e.stops < 2*cases {
		t.Errorf("%d stops in %d cases", e.stops, cases)
	}
	t.Logf("%d cases, %d stops", cases, e.stops)
}

// A stopper is an engine that stops and restores its waves once at every place. It supports one worker.
type stopper struct {
	t     *testing.T
	inner exec.Engine
	ahead uint64           // marks that a wave runs ahead, unless it ends first
	seen  map[block][]bool // by mark
	stops int
	rnd   *rand.Rand
}

// A block of a program.
type block struct {
	p   *exec.Program
	key ir.Key
}

func newStopper(t *testing.T) *stopper {
	e := &stopper{t: t, inner: ref.New(), ahead: 64, seen: map[block][]bool{}, rnd: rand.New(rand.NewPCG(8, 8))}
	if long {
		e.ahead = 1 << 20
	}
	return e
}

func (s *stopper) Name() string { return "stopper" }

func (s *stopper) NewRunner(p *exec.Program) exec.Runner {
	return &stopRunner{stopper: s, p: p, inner: s.inner.NewRunner(p)}
}

type stopRunner struct {
	*stopper
	p     *exec.Program
	inner exec.Runner
}

// Run implements exec.Runner. Budgets end at the ends of blocks.
func (r *stopRunner) Run(st *exec.State, env *exec.Env, b exec.Budget) exec.Stop {
	for begin := st.Clock; !st.Ended(); {
		step := exec.Budget{Steps: 1, Yields: b.Yields} // to the end of the block
		if r.first(st.At) {
			r.visit(st, env)
		}
		if r.unseen(st.At) {
			step.Exact = true
		}
		stop := r.inner.Run(st, env, step)
		if stop.Reason != exec.StopBudget || st.At.Mark == 0 && st.Clock-begin >= b.Steps {
			return stop
		}
	}
	return exec.Stop{Reason: exec.StopEnd}
}

// first records that a wave stops at the place, and reports whether it is the first stop there.
func (r *stopRunner) first(at exec.Pos) bool {
	k := block{r.p, at.Key}
	if r.seen[k] == nil {
		b, err := r.p.Block(at.Key)
		if err != nil {
			return false
		}
		r.seen[k] = make([]bool, len(b.Marks))
	}
	if r.seen[k][at.Mark] {
		return false
	}
	r.seen[k][at.Mark] = true
	return true
}

// unseen reports whether a mark after the place, in its block, has had no stop.
func (r *stopRunner) unseen(at exec.Pos) bool {
	marks := r.seen[block{r.p, at.Key}]
	return at.Mark < len(marks) && slices.Contains(marks[at.Mark+1:], false)
}

// visit runs the wave ahead twice and restores everything.
func (r *stopRunner) visit(st *exec.State, env *exec.Env) {
	r.stops++
	copied, count, memory := st.Snapshot(), env.Count, save(env)
	again := copied.Snapshot()

	ahead := exec.Budget{Steps: r.ahead, Exact: true}
	stop := r.inner.Run(st, env, ahead)
	after, counted := save(env), env.Count

	restore(env, memory)
	env.Count = count
	second := r.stopper.inner.NewRunner(r.p).Run(again, env, ahead)
	if d := st.Diff(again, 3); d != nil || stop.Reason != second.Reason || counted != env.Count || !equal(after, save(env)) {
		r.t.Errorf("pc %#x mark %d: runs on to %v, a copy of it to %v; %q", copied.At.Key.PC, copied.At.Mark, stop, second, d)
	}

	restore(env, memory)
	env.Count = count
	r.spoil(st)
	st.Restore(copied)
	if d := st.Diff(copied, 3); d != nil {
		r.t.Errorf("restored: %q", d)
	}
}

// spoil overwrites the whole state.
func (r *stopRunner) spoil(st *exec.State) {
	for i := range st.V {
		st.V[i] = r.rnd.Uint32()
	}
	for i := range st.S {
		st.S[i] = r.rnd.Uint32()
	}
	for i := range st.M {
		st.M[i] = r.rnd.Uint64()
	}
	for i := range st.LanePC {
		st.LanePC[i] = r.rnd.Uint64()
	}
	st.Exec, st.Live, st.Clock = r.rnd.Uint64(), r.rnd.Uint64(), r.rnd.Uint64()
	st.At = exec.Pos{Key: ir.Key{PC: r.rnd.Uint64()}, Mark: 7}
	st.Stack = append(st.Stack, exec.Token{PC: 7})
}

// writable returns the segments that a wave can write.
func writable(env *exec.Env) (segs []mem.Segment) {
	for _, banks := range env.Spaces {
		for _, s := range banks {
			for i := 0; s != nil && i < len(s.Segments()); i++ {
				if g := s.Segments()[i]; g.Rights&mem.Write != 0 {
					segs = append(segs, g)
				}
			}
		}
	}
	for _, p := range env.Private {
		segs = append(segs, mem.Segment{Name: p.Name, Data: p.Data})
	}
	return segs
}

func save(env *exec.Env) (saved [][]byte) {
	for _, g := range writable(env) {
		saved = append(saved, bytes.Clone(g.Data))
	}
	return saved
}

func restore(env *exec.Env, saved [][]byte) {
	for i, g := range writable(env) {
		copy(g.Data, saved[i])
	}
}

func equal(a, b [][]byte) bool {
	for i := range a {
		if !bytes.Equal(a[i], b[i]) {
			return false
		}
	}
	return len(a) == len(b)
}
