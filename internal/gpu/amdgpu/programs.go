//go:build linux && amd64

package amdgpu

import (
	"bytes"
	"fmt"
	"sync"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/gpu/drm"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/mem"
)

// programs are the programs of a file by address. A program writes code into mapped memory without telling anybody,
// and reuses the memory: so a program is of a copy of the code, and each launch compares what was read of it.
type programs struct {
	mu   sync.Mutex
	made map[ir.Key]*program // with the whole initial MODE
	size int                 // bytes of their code
}

// A program is compiled code.
type program struct {
	*exec.Program
	base uint64
	code []byte // what the program can execute, if that is known
	read []part // of code; nil: not known, all of it
}

// A part is a range of bytes.
type part struct{ from, to int }

const (
	// mostCode limits the bytes of a program's code: what is in the mapping of its entry, half of them before the entry
	// and half after it.
	mostCode = 1 << 20
	// afterBlock are bytes after a block that count as read. A block that ends because no instruction decodes there
	// depends on them, and no instruction is longer.
	afterBlock = 12
	// mostPrograms limits how many programs are kept, mostKept the bytes of their code. What the engines make of a byte
	// takes about a hundred.
	mostPrograms = 4096
	mostKept     = 4 << 20
)

// program returns the program at an address.
func (c *client) program(m *drm.Memory, at ir.Key) (*program, error) {
	live, base, err := code(m, at.PC)
	if err != nil {
		return nil, err
	}
	p := &c.programs
	p.mu.Lock()
	defer p.mu.Unlock()
	if old := p.made[at]; old != nil && old.current(live, base) {
		return old, nil
	}
	n, err := newProgram(c.d.target, at, base, bytes.Clone(live))
	if err != nil {
		return nil, err
	}
	if old := p.made[at]; old != nil {
		p.size -= len(old.code)
	}
	if p.made == nil || len(p.made) >= mostPrograms || p.size+len(n.code) > mostKept {
		p.made, p.size = map[ir.Key]*program{}, 0
	}
	p.made[at] = n
	p.size += len(n.code)
	c.d.Stats.Programs.Add(1)
	return n, nil
}

// newProgram returns the program at an address of code.
func newProgram(t *isa.Target, at ir.Key, base uint64, code []byte) (*program, error) {
	from := &isa.Program{Target: t, Base: base, Code: code}
	n := &program{base: base, code: code, Program: exec.NewProgram(from)}
	var err error
	if n.read, err = n.parts(ir.Key{PC: at.PC, Mode: at.Mode & n.Machine().ModeMask}); err != nil || n.read == nil {
		return n, err
	}
	first, end := len(code), 0
	for _, r := range n.read {
		first, end = min(first, r.from), max(end, r.to)
	}
	n.base, n.code = base+uint64(first), bytes.Clone(code[first:end])
	for i := range n.read {
		n.read[i].from -= first
		n.read[i].to -= first
	}
	from.Base, from.Code = n.base, n.code
	return n, nil
}

// code returns the memory around an address that may be code.
func code(m *drm.Memory, pc uint64) (live []byte, base uint64, err error) {
	at, ok := m.Find(pc)
	if !ok {
		return nil, 0, fmt.Errorf("the shader's address %#x is not mapped", pc)
	}
	base, end := at.VA, at.VA+at.Size
	if end-base > mostCode {
		base, end = max(base, pc-mostCode/2), min(end, pc+mostCode/2)
	}
	live, err = m.Bytes(base, end-base, mem.Read)
	return live, base, err
}

// extent returns the range of code that the program can execute from its entry on, or the rest of the code if that is
// not known.
func (p *program) extent(entry uint64) (from, to int) {
	from, to = int(entry-p.base), len(p.code)
	for i, r := range p.read {
		from = min(from, r.from)
		if i == 0 || r.to > to {
			to = r.to
		}
	}
	return from, to
}

// current reports whether memory still holds the code; live is around it.
func (p *program) current(live []byte, base uint64) bool {
	if p.read == nil {
		return base == p.base && bytes.Equal(live, p.code)
	}
	if p.base < base || p.base-base > uint64(len(live)) || uint64(len(live))-(p.base-base) < uint64(len(p.code)) {
		return false
	}
	live = live[p.base-base:]
	for _, r := range p.read {
		if !bytes.Equal(live[r.from:r.to], p.code[r.from:r.to]) {
			return false
		}
	}
	return true
}

// parts returns what the program can execute; nil if it is not known.
func (p *program) parts(entry ir.Key) (parts []part, err error) {
	g, err := p.Graph(entry)
	if err != nil {
		return nil, err
	}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Exit.Open != 0 {
			return nil, nil
		}
		from := n.Block.Key.PC
		to := from
		for _, m := range n.Block.Marks {
			to = m.PC + uint64(m.Size)
		}
		parts = append(parts, part{int(from - p.base), min(int(to-p.base)+afterBlock, len(p.code))})
	}
	return parts, nil
}
