package teslarun

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/exec/ref"
	"github.com/heddle-gpu/heddle/internal/check"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/tesla"
)

// written are the tests that hold instructions against formulas and values that are written out.
var written = []struct {
	name string
	test func(t *testing.T)
}{
	{"integers", TestIntegers}, {"floats", TestFloats}, {"doubles", TestDoubles}, {"functions", TestSpecialFunctions}, {"quadop", TestQuadop},
	{"between integers", TestIntegerConversions}, {"from integers", TestFromIntegers}, {"to integers", TestToIntegers},
	{"between floats", TestFloatConversions}, {"wide conversions", TestWideConversions},
	{"predicates", TestPredicates}, {"loops", TestLoops}, {"branches", TestBranches}, {"calls", TestCalls}, {"recursion", TestRecursion},
	{"preret", TestReturnAddress}, {"branch through memory", TestBranchThroughMemory}, {"exits", TestExits}, {"quads", TestQuads},
	{"discard", TestDiscard}, {"votes", TestVotes}, {"stack", TestStackFaults},
	{"global", TestGlobal}, {"local", TestLocal}, {"constants", TestConstants}, {"shared", TestShared}, {"outputs", TestOutputs},
	{"attributes", TestAttributes}, {"moves", TestMoves}, {"address registers", TestAddressRegisters}, {"atomics", TestAtomics}, {"locks", TestLocks},
	{"interpolation", TestInterpolation}, {"special registers", TestSpecialRegisters}, {"idle", TestIdle}, {"traps", TestTraps}, {"vertices", TestVertices},
	{"barriers", TestBarriers}, {"textures", TestTextures}, {"texture size", TestTextureSize}, {"texture levels", TestTextureLod},
}

// TestRowsRun: every row with a meaning runs somewhere against a value that its lift did not make: in a case of the
// repository, or in a test of written.
func TestRowsRun(t *testing.T) {
	e := &tracer{Engine: ref.New(), rows: map[*isa.Def]bool{}}
	s, err := check.Run(context.Background(), []string{"../../cases/state"}, check.Options{ISA: "tesla", Engine: e})
	if err != nil || s.Failed > 0 || s.Passed < 1000 {
		t.Fatal(s, err)
	}
	noted = e
	defer func() { noted = nil }()
	for _, w := range written {
		t.Run(w.name, w.test)
	}
	for i := range tesla.Set().Defs {
		if d := &tesla.Set().Defs[i]; d.Meaning != nil && !d.Alias && !e.rows[d] {
			t.Errorf("%s: runs against no value that its lift did not make: it needs a case in cases/state, or a test in written", rowName(d))
		}
	}
}

func rowName(d *isa.Def) string {
	return fmt.Sprintf("%s (%s): %s, variants %b, stages %b", d.Name, d.Enc.Name, d.Doc, d.Variants, d.Stages)
}

// noted is where the instructions of this package's tests are noted while TestRowsRun runs them; else nil.
var noted *tracer

// note notes an instruction that a test runs.
func note(b *isa.Bundle) {
	if noted != nil {
		noted.note(b.Parts[0].Def)
	}
}

// A tracer is an engine that notes the rows of the instructions that run.
type tracer struct {
	exec.Engine
	mu   sync.Mutex
	rows map[*isa.Def]bool
}

func (e *tracer) note(d *isa.Def) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.rows[d] = true
}

func (e *tracer) NewRunner(p *exec.Program) exec.Runner {
	return &traceRunner{e: e, Runner: e.Engine.NewRunner(p), p: p, seen: map[uint64]bool{}}
}

// A traceRunner runs an instruction at a time.
type traceRunner struct {
	exec.Runner
	e    *tracer
	p    *exec.Program
	seen map[uint64]bool
}

func (r *traceRunner) Run(st *exec.State, env *exec.Env, b exec.Budget) exec.Stop {
	one := b
	one.Steps, one.Exact = 1, true
	for n := uint64(1); ; n++ {
		pc, ok := r.next(st)
		s := r.Runner.Run(st, env, one)
		if ok && s.Reason != exec.StopFault {
			r.note(pc)
		}
		if s.Reason != exec.StopBudget || n >= b.Steps {
			return s
		}
	}
}

// next is the address of the instruction that runs next.
func (r *traceRunner) next(st *exec.State) (pc uint64, ok bool) {
	b, err := r.p.Block(st.At.Key)
	if err != nil || st.At.Mark >= len(b.Marks) {
		return 0, false
	}
	return b.Marks[st.At.Mark].PC, true
}

func (r *traceRunner) note(pc uint64) {
	if r.seen[pc] {
		return
	}
	r.seen[pc] = true
	code := r.p.Code.(*isa.Program)
	var b isa.Bundle
	if err := code.DecodeBundle(code.Code[pc-code.Base:], pc, &b); err != nil {
		panic(err) // it has run
	}
	r.e.note(b.Parts[0].Def)
}

// TestStates runs the state cases of the repository.
func TestStates(t *testing.T) {
	s, err := check.Run(context.Background(), []string{"../../cases/state"}, check.Options{ISA: "tesla", Each: func(r check.Result) {
		if r.Status != check.Passed {
			t.Error(r)
		}
	}})
	if err != nil || s.Passed < 1000 {
		t.Error(s, err)
	}
}
