// Package gen is the jit engine: machine code for runs of ops inside of blocks. It is the portable engine, which prepares blocks
// and runs them, but for pieces of them: ops that package emit knows, and those that move registers, masks and numbers that are one a wave.
//
// A piece is a loop over 16 or 8 lanes at a time. Within it a value stays in a vector register until its last reader;
// registers of the state are written at the end of each round. In the template mode, which tests compare with it, each op of a piece is such a
// loop, and all values are in memory between them. What is one a wave is computed in general registers before the loop, or behind it if it
// depends on a lane mask that the loop makes. Nothing in a piece can fault. Ops that there is no code for stand between pieces and
// are done as ever.
//
// A block all of whose ops have code is machine code as a whole: pieces, and between them loads, stores and checks, which go to the segments that
// they went to before. It goes on to the next block by itself, by links that its runner has set. What an access does not find there it leaves,
// with the rest of the block, to the caller. For ops without code that do nothing but read operands and leave results, samples among them, it
// comes back to the caller, and goes on behind them. In other blocks accesses have code that all blocks share.
//
// Where the processor lacks vectors of 256 bits, or the system refuses executable pages, there are no pieces.
package gen

import (
	"fmt"
	"sync"
	"unsafe"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/jit/code"
	"github.com/heddle-gpu/heddle/internal/jit/cpu"
	"github.com/heddle-gpu/heddle/internal/portable"
	"github.com/heddle-gpu/heddle/ir"
)

// arenaBytes is how much machine code there is at most; blocks beyond that have none.
const arenaBytes = 256 << 20

// New is the jit engine for the processor that the program runs on.
func New() exec.Engine { return portable.With(host()) }

// Single is New in the template mode, for tests.
func Single() exec.Engine { return portable.With(single()) }

// host and single are the compilers for the processor that the program runs on. All engines of a kind have one, and its arena.
var host, single = sync.OnceValue(func() *native { return newNative(cpu.Host(), code.NewArena) }), sync.OnceValue(func() *native {
	n := newNative(cpu.Host(), code.NewArena)
	n.single = true
	return n
})

// With is the jit engine for code that uses those features only. The processor must have them.
func With(set cpu.Set) exec.Engine { return portable.With(newNative(set, code.NewArena)) }

// newNative makes the compiler of a jit engine; arena is code.NewArena, or of a test.
func newNative(set cpu.Set, arena func(limit int) (*code.Arena, error)) *native {
	n := &native{set: set, target: fmt.Sprint("none ", set)}
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
	n.target = fmt.Sprint(n.bits, " ", n.set, " ", n.arena != nil)
	return n
}

// A native is the compiler of one engine.
type native struct {
	set       cpu.Set
	target    string
	bits      int  // of vectors
	single    bool // each op is a loop of its own
	arena     *code.Arena
	transfers *transfers      // nil: none
	err       error           // why there is no arena
	refused   func(err error) // nil but in tests: told of code that the assembler refuses, which leaves the block without any
}

// Name implements portable.Native.
func (n *native) Name() string {
	if n.single {
		return "template"
	}
	return "jit"
}

// Lacks implements portable.Native.
func (n *native) Lacks() string {
	switch {
	case n.bits == 0:
		return "the processor, or its operating system, lacks " + (cpu.Level2 &^ n.set).String()
	case n.err != nil:
		return n.err.Error()
	}
	return ""
}

// Target implements portable.Native.
func (n *native) Target() string { return n.target }

// A unit is the code of one block.
type unit struct{ *code.Unit }

// CodeBytes implements portable.Code.
func (u unit) CodeBytes() int { return u.Size() }

// A worker calls code for one runner.
type worker struct {
	n           *native
	ctx, memory *code.Context
	budget      uint64          // of the chain that runs
	crew        []*code.Context // of waves that run one after another; then ctx is one of them
	first       *link           // where the first of them begins
}

// NewWorker implements portable.Native.
func (n *native) NewWorker() portable.Worker {
	return &worker{n: n, ctx: code.NewContext(), memory: code.NewContext()}
}

// Run implements portable.Worker.
func (w *worker) Run(st *exec.State) {
	c := w.ctx
	c.V = unsafe.Pointer(unsafe.SliceData(st.V))
	c.S = unsafe.Pointer(unsafe.SliceData(st.S))
	c.M = unsafe.Pointer(unsafe.SliceData(st.M))
}

// Enter implements portable.Worker.
func (w *worker) Enter(words []uint64, rows []portable.Row, vecs []ir.Vec) {
	w.ctx.Consts = unsafe.Pointer(unsafe.SliceData(words))
	w.ctx.Rows = unsafe.Pointer(unsafe.SliceData(rows))
	w.ctx.Vecs = unsafe.Pointer(unsafe.SliceData(vecs))
}

// Call implements portable.Worker.
func (w *worker) Call(st *exec.State, c portable.Code, at int) {
	w.ctx.Exec, w.ctx.Live = st.Exec, st.Live
	c.(unit).Call(w.ctx, at)
	st.Exec = w.ctx.Exec
}

// Emulated are the jit engine and its template mode for processors with those features, whether this is one or not: run carries their code out. It is
// for tests.
func Emulated(set cpu.Set, run func(at uintptr, c *code.Context)) (usual, single exec.Engine) {
	arena := func(limit int) (*code.Arena, error) { return code.NewEmulated(limit, run) }
	n := newNative(set, arena)
	n.single = true
	return portable.With(newNative(set, arena)), portable.With(n)
}
