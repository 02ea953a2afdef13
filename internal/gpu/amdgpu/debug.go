//go:build linux && amd64

package amdgpu

import (
	"bytes"
	"context"
	"sync"

	"github.com/heddle-gpu/heddle/debug"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/gpu/drm"
	"github.com/heddle-gpu/heddle/internal/platforms/gcn"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/loc"
	"github.com/heddle-gpu/heddle/mem"
)

// A dispatch is a launch by a command stream. A debugger can run it several times.
type dispatch struct {
	e    *executor
	prog *program
	k    *gcn.RegisterLaunch
	set  *launch.Settings

	res    *launch.Result
	memory *privateMemory // of the last run under the debugger
	gds    *mem.Space     // likewise
}

// Run implements debug.Piece. Under the debugger the dispatch has a copy of the memory that it accesses.
func (d *dispatch) Run(ctx context.Context, s *debug.Session) (err error) {
	k, set := *d.k, *d.set
	if s != nil {
		d.memory = &privateMemory{copies: map[uint64]*privateCopy{}}
		if d.gds, err = cloneShare(k.GDS); err != nil {
			return err
		}
		k.Program, k.Global, k.GDS = d.program(), d.e.mem.View(d.memory.bytes), d.gds
		k.Images = gcn.NewImages(k.Global, d.e.c.d.tiling)
		set = set.Stepped(s)
		set.Observer = s
	}
	l, err := k.Launch(d.e.c.d.chip.Gen, &set)
	if err != nil {
		return err
	}
	d.res, err = l.Run(ctx)
	return err
}

// Keep implements debug.Piece.
func (d *dispatch) Keep() {
	d.memory.keep()
	copyShare(d.k.GDS, d.gds)
}

// cloneShare returns a copy of what the dispatch has of the global data share and of the resources of global wave sync.
func cloneShare(s *mem.Space) (*mem.Space, error) {
	var segs []mem.Segment
	for _, g := range s.Segments() {
		segs = append(segs, mem.NewSegment(g.Name, g.Base, len(g.Data), g.Rights))
	}
	c, err := mem.NewSpace(s.Name, segs...)
	if err == nil {
		copyShare(c, s)
	}
	return c, err
}

// copyShare copies the global data share and the resources of global wave sync.
func copyShare(to, from *mem.Space) {
	for _, name := range []string{"gds", "gws"} {
		t, _ := to.Segment(name)
		f, _ := from.Segment(name)
		copy(t.Data, f.Data)
	}
}

// program returns the code that the dispatch can execute, with a name for its entry. The mapping that holds it has
// shaders of other dispatches, too.
func (d *dispatch) program() *exec.Program {
	p := d.prog
	from, to := p.extent(d.k.Entry)
	return exec.NewProgram(&isa.Program{Target: d.e.c.d.target, Base: p.base + uint64(from), Code: p.code[from:to],
		Map: &loc.Map{Bias: d.k.Entry, Symbols: []loc.Symbol{{Name: "shader"}}}})
}

// mostPrivate limits the memory that a dispatch under the debugger has copies of, in bytes. It writes the rest at once.
const mostPrivate = 1 << 30

// A privateMemory is copies of the mappings that a dispatch accesses.
type privateMemory struct {
	mu     sync.Mutex
	total  uint64
	copies map[uint64]*privateCopy // by address of the mapping, the first one of memory that is mapped twice
}

type privateCopy struct {
	drm.Mapping
	before, now []byte
}

// bytes returns the copy of a mapping.
func (p *privateMemory) bytes(m *drm.Mapping) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.copies[m.VA+m.Shift]
	if c == nil {
		live := m.Bytes()
		if p.total+m.Size > mostPrivate {
			return live
		}
		p.total += m.Size
		before := bytes.Clone(live) // once: programs may be changing it
		c = &privateCopy{*m, before, bytes.Clone(before)}
		p.copies[m.VA+m.Shift] = c
	}
	return c.now
}

// keep writes the bytes that the dispatch has changed to memory.
func (p *privateMemory) keep() {
	for _, c := range p.copies {
		if c.Rights&mem.Write == 0 {
			continue
		}
		live := c.Bytes()
		for at, size := range drm.Changes(c.before, c.now) {
			copy(live[at:], c.now[at:][:size])
		}
	}
}
