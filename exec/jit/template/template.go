// Package template is three engines with machine code for runs of ops inside of blocks. They are the portable engine, which prepares blocks
// and runs them, but for pieces of them: ops that package emit knows, and those that move registers, masks and numbers that are one a wave.
//
// For the segment engine a piece is a loop over 16 or 8 lanes at a time. Within it a value stays in a vector register until its last reader;
// registers of the state are written at the end of each round. For the template engine each op of a piece is such a loop, and all values
// are in memory between them. What is one a wave is computed in general registers before the loop, or behind it if it
// depends on a lane mask that the loop makes. Nothing in a piece can fault. Ops that there is no code for stand between pieces and
// are done as ever.
//
// A block all of whose ops have code is machine code as a whole: pieces, and between them loads, stores and checks, which go to the segments that
// they went to before. It goes on to the next block by itself, by links that its runner has set. What an access does not find there it leaves,
// with the rest of the block, to the caller. For ops without code that do nothing but read operands and leave results, samples among them, it
// comes back to the caller, and goes on behind them. In other blocks accesses have code that all blocks share.
//
// For the region engine a loop may be machine code besides, at the block that control comes into it by: see region.go.
//
// Where the processor lacks vectors of 256 bits, or the system refuses executable pages, there are no pieces.
package template

import (
	"fmt"
	"sync"
	"unsafe"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/exec/jit/code"
	"github.com/heddle-gpu/heddle/exec/jit/cpu"
	"github.com/heddle-gpu/heddle/exec/portable"
	"github.com/heddle-gpu/heddle/ir"
)

// arenaBytes is how much machine code there is at most; blocks beyond that have none.
const arenaBytes = 256 << 20

// Template is the template engine for the processor that the program runs on.
func Template() exec.Engine { return portable.With(single()) }

// Segment is the segment engine for the processor that the program runs on.
func Segment() exec.Engine { return portable.With(host()) }

// Region is the region engine for the processor that the program runs on.
func Region() exec.Engine { return portable.With(looper{native: host()}) }

// A looper is the compiler of a region engine: that of the segment engine, which runs loops as one besides.
type looper struct {
	*native
	always bool // run loops so that are not likely to be faster, too: for tests
}

// Name implements portable.Native.
func (looper) Name() string { return "region" }

// Plan implements portable.Looper.
func (n looper) Plan(l *portable.Loop) portable.Plan {
	b := *l.Blocks[0].Block
	c := n.compiler(&b)
	if c == nil || !c.wide() || b.Lanes%c.lanes != 0 {
		return nil
	}
	defer spare.Put(c.tables)
	if r := newRegion(c, l); r != nil && (n.always || r.pays()) {
		return r
	}
	return nil
}

// A shared is a compiler that all engines of a kind for this processor have: their code is in one arena.
type shared struct {
	once sync.Once
	n    *native
}

var segments, templates shared

// get is the compiler; single is native.single.
func (s *shared) get(single bool) *native {
	s.once.Do(func() {
		s.n = newNative(cpu.Host(), code.NewArena)
		s.n.single = single
	})
	return s.n
}

// host and single are the compilers of segment and template engines.
func host() *native   { return segments.get(false) }
func single() *native { return templates.get(true) }

// Regions is the region engine, but for running every loop as one that it can: for tests.
func Regions() exec.Engine {
	return portable.With(looper{native: newNative(cpu.Host(), code.NewArena), always: true})
}

// With is the segment engine for code that uses those features only. The processor must have them.
func With(set cpu.Set) exec.Engine { return portable.With(newNative(set, code.NewArena)) }

// newNative makes the compiler of a segment engine; arena is code.NewArena, or of a test.
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
	return "segment"
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
type unit struct {
	*code.Unit
	exits int // of its region
}

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

// Emulated are the engines for processors with those features, whether this is one or not: run carries their code out. It is for tests.
type Emulated struct{ Template, Segment, Region, Regions exec.Engine }

// NewEmulated makes them, with one arena for the code of template engines and one for that of the others.
func NewEmulated(set cpu.Set, run func(at uintptr, c *code.Context)) Emulated {
	arena := func(limit int) (*code.Arena, error) { return code.NewEmulated(limit, run) }
	single, others := newNative(set, arena), newNative(set, arena)
	single.single = true
	return Emulated{
		Template: portable.With(single), Segment: portable.With(others),
		Region: portable.With(looper{native: others}), Regions: portable.With(looper{native: others, always: true}),
	}
}
