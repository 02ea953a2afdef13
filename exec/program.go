package exec

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/heddle-gpu/heddle/internal/pass"
	"github.com/heddle-gpu/heddle/ir"
)

// A Program is lifted code whose blocks are cached, shared by any number of goroutines. Each block is lifted once
// for each mode in which it is reached.
type Program struct {
	Code ir.Code

	blocks  once[ir.Key, *ir.Block]
	lifting workSum
	evicted atomic.Uint64 // number of evictions

	mu      sync.Mutex
	kept    int // instructions of blocks lifted since the last eviction
	forms   []namedForms
	graph   *pass.Graph
	roots   []ir.Key // of graph
	arrived []ir.Key // see Arrivals

	waiting  waiting
	liveOuts map[string]*LiveOut // by name
	clobbers *clobbers

	// Spare is what ended launches of the program leave for later ones, for package launch.
	Spare sync.Pool
}

// ProgramOf returns the code if it is a program, and else wraps it in one.
func ProgramOf(code ir.Code) *Program {
	if p, ok := code.(*Program); ok {
		return p
	}
	return NewProgram(code)
}

// NewProgram wraps code.
func NewProgram(code ir.Code) *Program {
	return &Program{Code: code, clobbers: &clobbers{}}
}

// Machine returns the machine of the code.
func (p *Program) Machine() *ir.Machine { return p.Code.Machine() }

// Block returns the canonical block at the key. Different blocks may be lifted concurrently; a goroutine that
// requests a block under construction waits for it. Errors are not cached, as the caller stops at one.
func (p *Program) Block(at ir.Key) (*ir.Block, error) { return p.blocks.get(at, p.lift) }

func (p *Program) lift(at ir.Key) (*ir.Block, error) {
	defer p.lifting.since(time.Now())
	b, err := p.Code.Block(at)
	if err == nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.clobbers.note(p.Machine(), b)
		p.keep(b)
	}
	return b, err
}

// MaxKept is how many guest instructions of blocks a program caches. Blocks overlap if code jumps into the middle
// of others: at every instruction of a file a block of up to 256 instructions may begin.
const MaxKept = pass.MaxMarks

// keep counts a block, and evicts all others if there are too many. The caller holds p.mu.
func (p *Program) keep(b *ir.Block) {
	if p.kept += len(b.Marks); p.kept <= MaxKept {
		return
	}
	p.kept = len(b.Marks)
	p.blocks.evict()
	for _, f := range p.forms {
		f.forms.evict()
	}
	p.evicted.Add(1)
}

// Evictions returns how often all blocks and forms of the program have been evicted because there were too many. A
// runner with a cache of its own must clear it when the number has changed.
func (p *Program) Evictions() uint64 { return p.evicted.Load() }

// Lifts returns the number of blocks that have been lifted.
func (p *Program) Lifts() int { return p.blocks.count() }

// Graph returns the control flow graph of the program's blocks, extended to all that are reachable from the
// entries. All callers share one graph: it may contain blocks that are only reachable from other entries. A
// returned graph never changes. The error joins those of the entries that have no block.
func (p *Program) Graph(entries ...ir.Key) (*pass.Graph, error) {
	p.mu.Lock()
	g, roots := p.graph, p.roots
	p.mu.Unlock()
	known := len(roots)
	for _, at := range entries {
		if !g.Has(at) {
			roots = append(roots[:len(roots):len(roots)], at)
		}
	}
	if len(roots) == known {
		return g, nil
	}
	grown, err := pass.Grow(p, g, roots...)
	if err != nil {
		return grown, err // entries without a block are not cached
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.graph == nil || len(p.graph.Nodes) < len(grown.Nodes) {
		p.graph, p.roots = grown, roots
	}
	return grown, nil
}

// Text returns the text of the guest instruction at pc. With it a Program is an ir.Code that caches its blocks.
func (p *Program) Text(pc uint64) string { return p.Code.Text(pc) }

// Forms are one engine's compiled forms of a program's code, by the block where each starts, shared by the engine's
// runners.
type Forms[T any] struct {
	p       *Program
	compile func(p *Program, at ir.Key) (T, error)
	made    once[ir.Key, T]
	sum     workSum
}

// sized is a form with machine code, whose size counts in Work.Code.
type sized interface{ CodeBytes() int }

// A namedForms is the Forms of an engine.
type namedForms struct {
	name  string
	forms interface {
		evict()
		work(w *Work)
	}
}

// FormsOf returns the program's forms for the engine of that name, made on first use. compile makes the form that
// starts at a key: of that block, or of several blocks that the engine runs as one, found with Program.Graph.
// compile may request forms of other names, but two that request each other's forms deadlock. Name and compile must
// not vary between calls: two configurations of one engine need two names. A form with machine code has a method
// CodeBytes() int.
func FormsOf[T any](p *Program, name string, compile func(p *Program, at ir.Key) (T, error)) *Forms[T] {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range p.forms {
		if p.forms[i].name == name {
			return p.forms[i].forms.(*Forms[T])
		}
	}
	f := &Forms[T]{p: p, compile: compile}
	p.forms = append(p.forms, namedForms{name, f})
	return f
}

func (f *Forms[T]) evict() { f.made.evict() }

// Get returns the compiled form that starts at the key, compiled once. Errors are not cached.
func (f *Forms[T]) Get(at ir.Key) (T, error) {
	return f.made.get(at, func(at ir.Key) (T, error) {
		defer f.sum.since(time.Now())
		form, err := f.compile(f.p, at)
		if s, ok := any(form).(sized); ok && err == nil {
			f.sum.code.Add(int64(s.CodeBytes()))
		}
		return form, err
	})
}
