package exec

import (
	"sync"

	"github.com/heddle-gpu/heddle/ir"
)

// A Program is lifted code whose blocks are kept, for any number of goroutines. Each block is
// lifted once for each mode it is reached under.
type Program struct {
	Code ir.Code

	mu     sync.RWMutex
	blocks map[ir.Key]*ir.Block
	lifts  int
	forms  map[string]any // by engine: a *Forms
}

// NewProgram wraps code.
func NewProgram(code ir.Code) *Program {
	return &Program{Code: code, blocks: map[ir.Key]*ir.Block{}, forms: map[string]any{}}
}

// Machine is the machine of the code.
func (p *Program) Machine() *ir.Machine { return p.Code.Machine() }

// Block is the canonical block at the key. Errors are not kept: the caller stops at one.
func (p *Program) Block(at ir.Key) (*ir.Block, error) {
	p.mu.RLock()
	b := p.blocks[at]
	p.mu.RUnlock()
	if b != nil {
		return b, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if b := p.blocks[at]; b != nil {
		return b, nil
	}
	b, err := p.Code.Block(at)
	if err != nil {
		return nil, err
	}
	p.blocks[at] = b
	p.lifts++
	return b, nil
}

// Lifts is how often a block was asked of the code and given.
func (p *Program) Lifts() int {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.lifts
}

// Forms is one engine's compiled form of a program's blocks, shared by the engine's runners.
type Forms[T any] struct {
	p       *Program
	compile func(*ir.Block) T
	mu      sync.RWMutex
	made    map[ir.Key]T
}

// FormsOf returns the program's forms for the engine of that name, made on first use. What name
// and compile say must be the same at every call: two configurations of one engine have two names.
func FormsOf[T any](p *Program, name string, compile func(*ir.Block) T) *Forms[T] {
	p.mu.Lock()
	defer p.mu.Unlock()
	if f, ok := p.forms[name]; ok {
		return f.(*Forms[T])
	}
	f := &Forms[T]{p: p, compile: compile, made: map[ir.Key]T{}}
	p.forms[name] = f
	return f
}

// Get is the compiled form of the block at the key. Two goroutines may compile one block at the
// same time; all get the same form.
func (f *Forms[T]) Get(at ir.Key) (T, error) {
	f.mu.RLock()
	t, ok := f.made[at]
	f.mu.RUnlock()
	if ok {
		return t, nil
	}
	b, err := f.p.Block(at)
	if err != nil {
		return t, err
	}
	made := f.compile(b)
	f.mu.Lock()
	defer f.mu.Unlock()
	if t, ok := f.made[at]; ok {
		return t, nil
	}
	f.made[at] = made
	return made, nil
}
