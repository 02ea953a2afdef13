package exec

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/ir/pass"
)

// A Program is lifted code whose blocks are kept, for any number of goroutines. Each block is
// lifted once for each mode it is reached under.
type Program struct {
	Code ir.Code

	blocks  once[ir.Key, *ir.Block]
	lifting labour
	evicted atomic.Uint64 // how often

	mu    sync.Mutex
	kept  int            // instructions of blocks lifted since the last eviction
	forms map[string]any // by engine: a *Forms
	graph *pass.Graph
	roots []ir.Key // of graph
	written

	waiting waiting
	unseen  map[string]*Unseen // by name
}

// NewProgram wraps code.
func NewProgram(code ir.Code) *Program { return &Program{Code: code, forms: map[string]any{}} }

// Machine is the machine of the code.
func (p *Program) Machine() *ir.Machine { return p.Code.Machine() }

// Block is the canonical block at the key. Different blocks are lifted at the same time; who asks
// for one that is being lifted waits for it. Errors are not kept: the caller stops at one.
func (p *Program) Block(at ir.Key) (*ir.Block, error) { return p.blocks.get(at, p.lift) }

func (p *Program) lift(at ir.Key) (*ir.Block, error) {
	defer p.lifting.since(time.Now())
	b, err := p.Code.Block(at)
	if err == nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.note(p.Machine(), b)
		p.keep(b)
	}
	return b, err
}

// MaxKept is how many guest instructions of blocks a program keeps. Blocks overlap if code jumps into the middle of others: from every instruction of a
// file blocks of up to 256 may begin.
const MaxKept = pass.MaxMarks

// keep counts a block, and evicts all others if there are too many. The caller holds p.mu.
func (p *Program) keep(b *ir.Block) {
	if p.kept += len(b.Marks); p.kept <= MaxKept {
		return
	}
	p.kept = len(b.Marks)
	p.blocks.evict()
	for _, f := range p.forms {
		f.(interface{ evict() }).evict()
	}
	p.evicted.Add(1)
}

// Evictions is how often all blocks and forms of the program have been let go since there were too many. A runner that keeps some asks for it when it meets
// a block, and lets them go too.
func (p *Program) Evictions() uint64 { return p.evicted.Load() }

// Lifts is how often a block was asked of the code and given.
func (p *Program) Lifts() int { return p.blocks.count() }

// Graph is the graph of the program's blocks, grown to all that the entries lead to. There is one
// for all who ask: it may hold blocks that only other entries lead to. It is not changed after it
// is given out. The error joins those of entries that have no block.
func (p *Program) Graph(entries ...ir.Key) (*pass.Graph, error) {
	p.mu.Lock()
	g, roots := p.graph, p.roots
	p.mu.Unlock()
	missing := false
	for _, at := range entries {
		missing = missing || !g.Has(at)
	}
	if !missing {
		return g, nil
	}
	roots = append(roots[:len(roots):len(roots)], entries...)
	grown, err := pass.Grow(p, g, roots...)
	if err != nil {
		return grown, err // entries without a block are not kept
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.graph == nil || len(p.graph.Nodes) < len(grown.Nodes) {
		p.graph, p.roots = grown, roots
	}
	return grown, nil
}

// Text is the guest instruction at pc. With it a Program is an ir.Code that keeps its blocks.
func (p *Program) Text(pc uint64) string { return p.Code.Text(pc) }

// Forms is one engine's compiled form of a program's code, by the block that it starts at, shared
// by the engine's runners.
type Forms[T any] struct {
	p       *Program
	compile func(p *Program, at ir.Key) (T, error)
	made    once[ir.Key, T]
	labour  labour
}

// Machine code says of itself how large it is: a form that has the method counts in Work.Code.
type sized interface{ CodeBytes() int }

// FormsOf returns the program's forms for the engine of that name, made on first use. compile makes
// the form that starts at a key: of that block, or of all blocks that it wants to run as one, which
// it finds by Program.Graph. It may ask for forms of other names, as long as those never ask for forms
// of this one: two that ask for each other's would wait for ever. What name and compile say must be the
// same at every call: two configurations of one engine have two names. A form that holds machine code
// has a method CodeBytes() int.
func FormsOf[T any](p *Program, name string, compile func(p *Program, at ir.Key) (T, error)) *Forms[T] {
	p.mu.Lock()
	defer p.mu.Unlock()
	if f, ok := p.forms[name]; ok {
		return f.(*Forms[T])
	}
	f := &Forms[T]{p: p, compile: compile}
	p.forms[name] = f
	return f
}

func (f *Forms[T]) evict() { f.made.evict() }

// Get is the compiled form that starts at the key, compiled once. Errors are not kept.
func (f *Forms[T]) Get(at ir.Key) (T, error) {
	return f.made.get(at, func(at ir.Key) (T, error) {
		defer f.labour.since(time.Now())
		form, err := f.compile(f.p, at)
		if s, ok := any(form).(sized); ok && err == nil {
			f.labour.code.Add(int64(s.CodeBytes()))
		}
		return form, err
	})
}
