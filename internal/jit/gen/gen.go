// Package gen is the code generator of the jit engine: machine code for runs of steps within lowered blocks. Package
// portable runs the blocks; this package compiles segments of them: the ops that package emit supports, and moves of
// registers, masks and uniform values.
//
// A segment is a run of steps that is compiled as one loop over the wave, 16 or 8 lanes per iteration. Within an
// iteration a value stays in a vector register until its last use; registers of the state are written back at the end
// of the iteration. In the template mode, with which tests compare the engine, each op of a segment is a loop of its
// own and all values are in memory between ops. Uniform values are computed in general registers before the loop, or
// after it if they depend on a lane mask that the loop makes. Nothing in a segment can fault. Ops without machine code
// are between segments, and the portable engine runs them.
//
// If all ops of a block have code, the whole block is one unit of machine code: segments, and between them loads,
// stores and checks, which access the segments of memory that they accessed at the previous visit. The code continues
// at the next block through links (chaining) that the runner has set. If an access does not fit its cached segment,
// the code exits before it, and resumes there when the caller has cached another one; if it cannot, the caller runs
// the rest of the block. Ops without code exit to the caller and resume after the op: see lower.Step.MayExit. In
// blocks with other such ops accesses use code that all blocks share.
//
// If addresses of a block are sums of uniform values and a register in which each lane has the next multiple of a
// number, the block has a second, fast plan: on entry the code tests all these accesses at once, and if they stay
// within their segments they are moves of vectors in loops, for all lanes or under a mask; see select_affine.go. Guards
// that depend only on what is known on entry are tested there, too.
//
// A block is compiled in two passes. Selection makes a plan, of which it decides everything but registers: see newPlan
// and the files select_*.go. Emission (see assemble) emits the plan, and assigns registers as it goes (see regFile): a
// uniformEmitter emits steps in general registers, a loopEmitter those per lane, a terminator the end of the block.
// The examples in dump_test.go show a plan, the assignment of registers, and the code.
//
// If the processor lacks vectors of 256 bits, or the system refuses executable pages, nothing is compiled.
package gen

import (
	"fmt"
	"sync"
	"unsafe"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/jit/code"
	"github.com/heddle-gpu/heddle/internal/jit/cpu"
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/internal/portable"
	"github.com/heddle-gpu/heddle/ir"
)

// arenaBytes limits the size of all machine code; blocks beyond it are not compiled.
const arenaBytes = 256 << 20

// New is the jit engine for the processor that the program runs on.
func New() exec.Engine { return portable.With(host()) }

// Single returns the engine in the template mode, for tests.
func Single() exec.Engine { return portable.With(single()) }

// host and single are the compilers for the processor that the program runs on. All engines of a kind share one, with
// its arena.
var host, single = sync.OnceValue(func() *native { return newNative(cpu.Host(), code.NewArena) }), sync.OnceValue(func() *native {
	n := newNative(cpu.Host(), code.NewArena)
	n.single = true
	return n
})

// With returns the jit engine for code that uses only the features of the set. The processor must have them.
func With(set cpu.Set) exec.Engine { return portable.With(newNative(set, code.NewArena)) }

// newNative returns the compiler of a jit engine; arena is code.NewArena, or a replacement in tests.
func newNative(set cpu.Set, arena func(limit int) (*code.Arena, error)) *native {
	n := &native{target: target{set: set}, name: fmt.Sprint("none ", set)}
	switch {
	case set.Has(cpu.Level512):
		n.bits = 512
	case set.Has(cpu.Level2):
		n.bits = 256
	default:
		return n
	}
	if n.arena, n.err = arena(arenaBytes); n.err == nil {
		n.transfers, n.err = newTransfers(set, n.arena)
	}
	n.lanes = n.bits / 32
	n.name = fmt.Sprint(n.bits, " ", n.set, " ", n.arena != nil)
	return n
}

// A native is the compiler of one engine.
type native struct {
	target
	name      string // of the target
	arena     *code.Arena
	transfers *transfers      // nil: none
	err       error           // why there is no arena
	rejected  func(err error) // nil but in tests: called if the assembler rejects code; the block then has no code
}

// Name implements portable.Backend.
func (n *native) Name() string {
	if n.single {
		return "template"
	}
	return "jit"
}

// Lacks implements portable.Backend.
func (n *native) Lacks() string {
	switch {
	case n.bits == 0:
		return "the processor, or its operating system, lacks " + (cpu.Level2 &^ n.set).String()
	case n.err != nil:
		return n.err.Error()
	}
	return ""
}

// Target implements portable.Backend.
func (n *native) Target() string { return n.name }

// A unit is the code of one block.
type unit struct{ *code.Unit }

// CodeBytes implements portable.Code.
func (u unit) CodeBytes() int { return u.Size() }

// A worker calls machine code for one runner.
type worker struct {
	n           *native
	ctx, memory *code.Context
	budget      uint64          // of the chain that runs
	contexts    []*code.Context // of waves that run one after another; then ctx is one of them
	first       *link           // where the first of them begins
	logs        bool            // contexts have logs
}

// NewWorker implements portable.Backend.
func (n *native) NewWorker() portable.CodeRunner {
	return &worker{n: n, ctx: code.NewContext(), memory: code.NewContext()}
}

// Run implements portable.CodeRunner.
func (w *worker) Run(st *exec.State) {
	c := w.ctx
	c.V = unsafe.Pointer(unsafe.SliceData(st.V))
	c.S = unsafe.Pointer(unsafe.SliceData(st.S))
	c.M = unsafe.Pointer(unsafe.SliceData(st.M))
	c.Tallies = unsafe.Pointer(unsafe.SliceData(st.Counted()))
}

// Enter implements portable.CodeRunner.
func (w *worker) Enter(words []uint64, rows []lower.Row, vecs []ir.Vec) {
	w.ctx.Consts = unsafe.Pointer(unsafe.SliceData(words))
	w.ctx.Rows = unsafe.Pointer(unsafe.SliceData(rows))
	w.ctx.Vecs = unsafe.Pointer(unsafe.SliceData(vecs))
}

// Call implements portable.CodeRunner.
func (w *worker) Call(st *exec.State, c portable.Code, at int) {
	w.ctx.Exec, w.ctx.Live = st.Exec, st.Live
	c.(unit).Call(w.ctx, at)
	st.Exec = w.ctx.Exec
}

// Emulated returns the jit engine and its template mode for processors with the features of the set, whether the host
// has them or not: run executes their code. It is for tests.
func Emulated(set cpu.Set, run func(at uintptr, c *code.Context)) (usual, single exec.Engine) {
	arena := func(limit int) (*code.Arena, error) { return code.NewEmulated(limit, run) }
	n := newNative(set, arena)
	n.single = true
	return portable.With(newNative(set, arena)), portable.With(n)
}
