package differ

import (
	"flag"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/engines"
	"github.com/heddle-gpu/heddle/internal/jit"
	"github.com/heddle-gpu/heddle/internal/jit/emulated"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Flags for reproducing a difference.
var (
	oneKind   = flag.String("kind", "", "run programs of this kind only: flow, structured, shadow, loops or an instruction set")
	oneSeed   = flag.Uint64("seed", 0, "run the program of this seed only; with -kind")
	oneEngine = flag.String("engine", "", "run this engine only; AVX2 is jit with vectors of 256 bits, emulated-jit that with 512 bits, in an emulator")
)

// timeVariable is the time that TestEngines runs, such as 1h; unset: as many seeds as take some seconds. seedVariable
// is the first seed of such a run; unset: one from the clock.
const (
	timeVariable = "HEDDLE_FUZZ_ENGINES"
	seedVariable = "HEDDLE_FUZZ_FROM"

	// emulatedVariable makes TestEngines run emulated engines, too, if it is set.
	emulatedVariable = "HEDDLE_FUZZ_EMULATED"
)

// A kind is a generator of programs.
type kind struct {
	name  string
	ready func(t testing.TB) func(r *rand.Rand, width int) *subject
	wide  []int // widths of its waves
}

func kinds() []kind {
	ks := []kind{
		{name: "flow", wide: []int{4, 16, 32, 64, 1}, ready: func(testing.TB) func(*rand.Rand, int) *subject { return flowSubject }},
		{name: "structured", wide: []int{4, 16, 32, 64, 1}, ready: func(testing.TB) func(*rand.Rand, int) *subject { return structuredSubject }},
	}
	ks = append(ks, kind{name: "shadow", wide: []int{4, 16, 32, 64, 1}, ready: func(testing.TB) func(*rand.Rand, int) *subject { return shadowSubject }})
	ks = append(ks, kind{name: "loops", wide: []int{64}, ready: func(testing.TB) func(*rand.Rand, int) *subject { return loopSubject }})
	for _, s := range sets.Sets() {
		ks = append(ks, kind{name: s.Name, wide: widths(s), ready: func(t testing.TB) func(*rand.Rand, int) *subject { return makersOf(t, s).subject }})
	}
	return ks
}

func widths(s *isa.Set) []int { return s.At(0, 0).Machine().Widths }

// start returns the subject of a seed.
func (k *kind) start(make func(*rand.Rand, int) *subject, seed uint64) *subject {
	h := fnv.New64()
	h.Write([]byte(k.name))
	return make(rand.New(rand.NewPCG(seed, h.Sum64())), k.wide[seed%uint64(len(k.wide))])
}

// wide is the prefix of the names of engines whose code for vectors of 512 bits is emulated.
const wide = "emulated-"

// narrow names engines with vectors of 256 bits where wider ones are available.
const narrow = "AVX2"

// A rival is an engine with its name for -engine.
type rival struct {
	exec.Engine
	name string
}

func (r rival) Name() string { return r.name }

// emulatedRivals returns the engines with machine code for vectors of 512 bits, whether or not the processor has them:
// an emulator executes it.
func emulatedRivals() (list []exec.Engine) {
	usual, single := emulated.Wide()
	for _, r := range []rival{{single, wide + single.Name()}, {usual, wide + usual.Name()}} {
		if *oneEngine == "" || *oneEngine == r.name {
			list = append(list, rival{exec.Eager(r.Engine), r.name})
		}
	}
	return list
}

// rivals returns the engines to compare with the reference, in their highest tier. The reference is one of them, run in
// different turns.
func rivals(t testing.TB) (list []exec.Engine) {
	for _, e := range engines.Tested() {
		if *oneEngine == "" || *oneEngine == e.Name {
			list = append(list, rival{exec.Eager(e.New()), e.Name})
		}
	}
	if e := jit.New256(); e != nil && (*oneEngine == "" || *oneEngine == narrow) {
		list = append(list, rival{exec.Eager(e), narrow})
	}
	if os.Getenv(emulatedVariable) != "" || strings.HasPrefix(*oneEngine, wide) {
		list = append(list, emulatedRivals()...)
	}
	if len(list) == 0 {
		t.Fatalf("no engine %q can run here", *oneEngine)
	}
	return list
}

// TestEngines: every engine gives the same results as the reference for random programs: registers, masks, memory,
// stops, faults with their text, and counters, for any length of turns. HEDDLE_FUZZ_ENGINES is the time to run,
// HEDDLE_FUZZ_FROM the first seed (by default a new one each time).
func TestEngines(t *testing.T) {
	rs := rivals(t)
	first, long, most := uint64(1), time.Duration(0), uint64(150)
	if testing.Short() {
		most = 30
	}
	if text := os.Getenv(timeVariable); text != "" {
		d, err := time.ParseDuration(text)
		if err != nil {
			t.Fatalf("%s: %v", timeVariable, err)
		}
		first, most = firstSeed(t), 0
		// So many kinds run in parallel.
		long = d * time.Duration(min(runtime.GOMAXPROCS(0), len(kinds()))) / time.Duration(len(kinds()))
		t.Logf("seeds from %d on", first)
	}
	if *oneSeed != 0 {
		first, most = *oneSeed, 1
	}
	for _, k := range kinds() {
		if *oneKind != "" && *oneKind != k.name {
			continue
		}
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			end := time.Now().Add(long)
			k.run(t, rs, first, func(n uint64) bool {
				return n < most || most == 0 && (n%10 != 0 || time.Now().Before(end))
			})
		})
	}
}

// TestEmulated is TestEngines for engines with code for vectors of 512 bits, on any machine.
func TestEmulated(t *testing.T) {
	most := uint64(40)
	if testing.Short() {
		most = 15
	}
	rs := emulatedRivals()
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			k.run(t, rs, 1000, func(n uint64) bool { return n < most })
		})
	}
}

// found are programs in which long runs found a difference: ended lanes became live again; registers of ended lanes
// were not kept for helper lanes that read them; registers were written in lanes that a dropped change of the execution
// mask had made active; denormals were kept after a special function. The program of a seed changes with its generator.
var found = []struct {
	kind string
	seed uint64
}{{"flow", 300001477}, {"structured", 400006620}, {"flow", 1795967241577250428}, {"tesla", 1795988896429883154}}

// TestFound: differences found earlier do not occur again.
func TestFound(t *testing.T) {
	for _, f := range found {
		for _, k := range kinds() {
			if k.name == f.kind {
				k.run(t, rivals(t), f.seed, func(n uint64) bool { return n == 0 })
			}
		}
	}
}

// firstSeed returns the first seed of runs with a time limit.
func firstSeed(t *testing.T) uint64 {
	text := os.Getenv(seedVariable)
	if text == "" {
		return uint64(time.Now().UnixNano())
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", seedVariable, err)
	}
	return n
}

// run runs the programs of seeds from first on, as long as more returns true.
func (k *kind) run(t *testing.T, rs []exec.Engine, first uint64, more func(n uint64) bool) {
	make := k.ready(t)
	oracle := ref.New()
	n, ended, marks := uint64(0), 0, uint64(0)
	for ; more(n); n++ {
		seed := first + n
		for _, e := range rs {
			s := k.start(make, seed)
			if d := s.finds(e, oracle, seed); d != "" {
				k.tell(t, s, e, oracle, seed, d)
				return
			}
			if n < 100 {
				run, over := s.wave.Runs(oracle)
				marks += run
				if over {
					ended++
				}
			}
		}
	}
	t.Logf("%d programs", n)
	if per := uint64(len(rs)) * min(n, 100); n > 20 && (marks < 3*per || ended == 0) {
		t.Errorf("%d marks of %d programs, of which %d end: they say little", marks, per, ended)
	}
}

// tell reports a difference, with the smallest program that shows it.
func (k *kind) tell(t *testing.T, s *subject, e, oracle exec.Engine, seed uint64, what string) {
	small := s.shrink(e, oracle, seed)
	st := small.wave.Start
	t.Errorf(`engine %s, %s: go test ./internal/differ -run TestEngines -kind %s -seed %d -engine %s
%s
the smallest program with a difference, in waves of %d lanes, %#x of them live and %#x running:
%s
%s`, e.Name(), what, k.name, seed, e.Name(), what, st.Lanes, st.Live, st.Exec, small.text(), small.finds(e, oracle, seed))
}

// A spoilt engine is the reference with one defect.
type spoilt struct {
	name  string
	block func(m *ir.Machine, b *ir.Block) // modifies a copy of a block
	run   func(run func(exec.Budget) exec.Stop, st *exec.State, env *exec.Env, b exec.Budget) exec.Stop
}

func (s *spoilt) Name() string { return s.name }

func (s *spoilt) NewRunner(p *exec.Program) exec.Runner {
	return &spoiltRunner{s, ref.New().NewRunner(exec.NewProgram(&spoiltCode{p.Code, s}))}
}

type spoiltCode struct {
	ir.Code
	s *spoilt
}

func (c *spoiltCode) Block(at ir.Key) (*ir.Block, error) {
	b, err := c.Code.Block(at)
	if err != nil || c.s.block == nil {
		return b, err
	}
	made := *b
	made.Ops = append([]ir.Inst(nil), b.Ops...)
	c.s.block(c.Machine(), &made)
	return &made, nil
}

type spoiltRunner struct {
	s *spoilt
	r exec.Runner
}

func (r *spoiltRunner) Run(st *exec.State, env *exec.Env, b exec.Budget) exec.Stop {
	run := func(b exec.Budget) exec.Stop { return r.r.Run(st, env, b) }
	if r.s.run == nil {
		return run(b)
	}
	return r.s.run(run, st, env, b)
}

// swap replaces an op by another one throughout a block.
func swap(from, to ir.Op) func(*ir.Machine, *ir.Block) {
	return func(_ *ir.Machine, b *ir.Block) {
		for i := range b.Ops {
			if b.Ops[i].Op == from {
				b.Ops[i].Op = to
			}
		}
	}
}

// spoilts are engines with one defect each.
var spoilts = []spoilt{
	{name: "one op is another", block: swap(ir.IAdd, ir.ISub)},
	{name: "comparison", block: swap(ir.ULt, ir.ULe)},
	{name: "a float op", block: swap(ir.FAdd, ir.FSub)},
	{name: "sets ignore their mask", block: func(m *ir.Machine, b *ir.Block) {
		for i := range b.Ops {
			in := &b.Ops[i]
			if _, ok := m.Exec(); in.Op == ir.Set && len(in.Args) == 2 && ok && in.Type == ir.I1 {
				in.Args = []ir.Val{in.Args[0], in.Args[0]}
			}
		}
	}},
	{name: "loads have no sign", block: func(_ *ir.Machine, b *ir.Block) {
		for i := range b.Ops {
			if b.Ops[i].Op == ir.Load {
				b.Ops[i].Mem.Signed = false
			}
		}
	}},
	{name: "barriers have no number", block: func(_ *ir.Machine, b *ir.Block) {
		if in := b.Term(); in.Op == ir.Barrier {
			in.Alt = 0
		}
	}},
	{name: "counters", run: func(run func(exec.Budget) exec.Stop, st *exec.State, env *exec.Env, b exec.Budget) exec.Stop {
		was := env.Count.Total().Read
		stop := run(b)
		if env.Count.Total().Read > was {
			env.Count.Memory[ir.GroupSpace].Read++
		}
		return stop
	}},
	{name: "one mark too many", run: func(run func(exec.Budget) exec.Stop, st *exec.State, env *exec.Env, b exec.Budget) exec.Stop {
		if b.Exact && b.Steps > 2 {
			b.Steps++
		}
		return run(b)
	}},
	{name: "no yields", run: func(run func(exec.Budget) exec.Stop, st *exec.State, env *exec.Env, b exec.Budget) exec.Stop {
		b.Yields = false
		return run(b)
	}},
	{name: "faults of lane 0", run: func(run func(exec.Budget) exec.Stop, st *exec.State, env *exec.Env, b exec.Budget) exec.Stop {
		stop := run(b)
		if f := stop.Fault; f != nil && f.Lane > 0 {
			f.Lane = 0
		}
		return stop
	}},
	{name: "wrong if not counted", run: func(run func(exec.Budget) exec.Stop, st *exec.State, env *exec.Env, b exec.Budget) exec.Stop {
		stop := run(b)
		if env.Count.About = !b.Counted; !b.Counted && st.Ended() && len(st.V) > 0 {
			st.V[0]++
		}
		return stop
	}},
	{name: "a panic", run: func(run func(exec.Budget) exec.Stop, st *exec.State, env *exec.Env, b exec.Budget) exec.Stop {
		if stop := run(b); stop.Reason != exec.StopBarrier {
			return stop
		}
		panic("barrier")
	}},
}

// TestFinds: each defect is found and described, and the program that shows it is reduced.
func TestFinds(t *testing.T) {
	for i := range spoilts {
		e := &spoilts[i]
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			oracle := ref.New()
			for seed := range uint64(1000) {
				s := flowSubject(rand.New(rand.NewPCG(seed, 5)), []int{4, 16, 32, 64}[seed%4])
				if s.finds(e, oracle, seed) == "" {
					continue
				}
				small := s.shrink(e, oracle, seed)
				if small.finds(e, oracle, seed) == "" {
					t.Error("what is left of the program shows nothing")
				}
				if was, is := len(s.text()), len(small.text()); is > was/2 && is > 3000 {
					t.Errorf("%d of %d characters are left:\n%s", is, was, small.text())
				}
				return
			}
			t.Error("not found")
		})
	}
}

// TestFindsInCode: a defect is found by sequences of every set, reduced to a few instructions.
func TestFindsInCode(t *testing.T) {
	e, oracle := &spoilts[0], ref.New()
	for _, s := range sets.Sets() {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			k := kind{name: s.Name, wide: widths(s)}
			make := makersOf(t, s).subject
			for seed := range uint64(3000) {
				s := k.start(make, seed)
				if s.finds(e, oracle, seed) == "" {
					continue
				}
				small := s.shrink(e, oracle, seed)
				was, is := len(s.wave.Code.(*isa.Program).Code), len(small.wave.Code.(*isa.Program).Code)
				if small.finds(e, oracle, seed) == "" || is > max(was/2, 64) {
					t.Errorf("%d of %d bytes are left:\n%s", is, was, small.text())
				}
				return
			}
			t.Error("not found")
		})
	}
}
