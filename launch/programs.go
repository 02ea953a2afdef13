package launch

import (
	"sync"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// Programs keep the programs of a recorded draw, so that draws after the first have the blocks and the machine code of
// those before. The zero value is ready for use, by several goroutines.
type Programs struct {
	mu   sync.Mutex
	made map[any]*exec.Program
}

// Of returns the program that it returned for the key before, or else one of the code. A key stands for the bytes and
// the target of code. A nil p keeps nothing.
func (p *Programs) Of(key any, code ir.Code) *exec.Program {
	if p == nil {
		return exec.NewProgram(code)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.made == nil {
		p.made = map[any]*exec.Program{}
	}
	if p.made[key] == nil {
		p.made[key] = exec.NewProgram(code)
	}
	return p.made[key]
}
