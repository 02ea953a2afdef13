package portable

import (
	"sync"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/ir/pass"
)

// Where nobody looks at registers but the instructions, machine code need not write those that no instruction reads any more.

// A liveness is which registers of a program are read behind its blocks.
type liveness struct {
	mu    sync.Mutex
	graph *pass.Graph
	*pass.Liveness
}

// around is the graph that a block is in and, where nobody looks, what of it is live.
func around(p *exec.Program, at ir.Key, unseen bool) (g *pass.Graph, live *pass.Liveness, err error) {
	if !unseen {
		g, err = p.Graph(at)
		return g, nil, err
	}
	if _, err = behind(p, at); err != nil {
		return nil, nil, err
	}
	l, err := livenessOf(p)
	if err != nil {
		return nil, nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.graph, l.Liveness, nil
}

func livenessOf(p *exec.Program) (*liveness, error) {
	return exec.FormsOf(p, "portable liveness", func(*exec.Program, ir.Key) (*liveness, error) { return &liveness{}, nil }).Get(ir.Key{})
}

// behind is what is live behind a block.
func behind(p *exec.Program, at ir.Key) (*pass.LiveSet, error) {
	l, err := livenessOf(p)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if g := l.graph; !g.Has(at) {
		if g, err = p.Graph(at); err != nil {
			return nil, err
		}
		l.graph, l.Liveness = g, pass.Live(g, pass.KeepEnd, pass.NewCellSet(g.M))
	}
	return &l.Out[l.graph.At[at]], nil
}
