package portable

import (
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/ir/pass"
)

// Where nobody looks at registers but the instructions, machine code need not write those that no instruction reads any more.

// around is the graph that a block is in and, where nobody looks, what of it is live.
func around(p *exec.Program, at ir.Key, unseen *exec.Unseen) (g *pass.Graph, live *pass.Liveness, err error) {
	if unseen != nil {
		if g, live, ok := unseen.Live(at); ok {
			return g, live, nil
		}
	}
	g, err = p.Graph(at)
	return g, nil, err
}
