//go:build linux && amd64

package amdgpu

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/internal/gpu/drm"
	"github.com/heddle-gpu/heddle/internal/platforms/gcn"
	"github.com/heddle-gpu/heddle/mem"
)

// Captures are dispatches that are written as manifests, each in a folder of its own: code, registers, and the buffers
// that it accesses, before and after. Commands that take a manifest run, check or debug them later, on any machine.
type Captures struct {
	Folder string
	Most   int                              // how many
	Log    func(format string, args ...any) // what could not be captured

	mu sync.Mutex
	n  int
}

// next returns the folder of the next capture; "" if there are enough. It may be called on nil.
func (c *Captures) next() string {
	if c == nil {
		return ""
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n >= c.Most {
		return ""
	}
	c.n++
	return filepath.Join(c.Folder, fmt.Sprintf("dispatch%d", c.n))
}

// A capture records a dispatch as it runs.
type capture struct {
	all    *Captures
	folder string
	k      *gcn.RegisterLaunch
	share  bool // the global data share was not zero

	mu      sync.Mutex
	touched []touched
}

// newCapture begins to record a dispatch.
func newCapture(all *Captures, folder string, k *gcn.RegisterLaunch) *capture {
	share, _ := k.GDS.Segment("gds")
	return &capture{all: all, folder: folder, k: k, share: len(bytes.Trim(share.Data, "\x00")) > 0}
}

// A touched mapping is accessed by the dispatch. A capture holds whole mappings.
type touched struct {
	drm.Mapping
	before []byte
}

// mostCaptured limits the memory of a capture, in bytes.
const mostCaptured = 1 << 30

// touch returns the contents of a mapping, and records them before its first access.
func (c *capture) touch(m *drm.Mapping) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.ContainsFunc(c.touched, func(t touched) bool { return t.VA == m.VA }) {
		c.touched = append(c.touched, touched{*m, bytes.Clone(m.Bytes())})
	}
	return m.Bytes()
}

// write writes the manifest, if the dispatch has ended without an error and a manifest can say it.
func (c *capture) write(p *program, t *gcn.Tiling, fault error) {
	if err := c.why(fault); err != nil {
		c.all.Log("%s: not captured: %v", c.k.Name, err)
		return
	}
	if err := c.put(p, t); err != nil {
		c.all.Log("%s: not captured: %v", c.k.Name, err)
	}
}

// why returns why a manifest cannot say the dispatch.
func (c *capture) why(fault error) error {
	total := uint64(0)
	for _, t := range c.touched {
		total += t.Size
	}
	switch {
	case fault != nil:
		return fmt.Errorf("it has failed")
	case total > mostCaptured:
		return fmt.Errorf("it accesses buffers of %d bytes", total)
	case slices.ContainsFunc(c.touched, func(t touched) bool { return t.Shift != 0 }):
		return fmt.Errorf("it accesses scratch by flat addresses, which are a second mapping of it")
	case c.k.Origin != [3]uint32{}:
		return fmt.Errorf("its group ids do not begin with 0")
	case c.share:
		return fmt.Errorf("the global data share was not zero")
	}
	return nil
}

// codeOf returns the code of the program from its entry on, and the address of its end. If the mapping that holds it is
// accessed as data, it is all of the mapping from the entry on.
func (c *capture) codeOf(p *program) (code []byte, end uint64, err error) {
	from, to := p.extent(c.k.Entry)
	if p.base+uint64(from) < c.k.Entry {
		return nil, 0, fmt.Errorf("it executes code before its entry")
	}
	for _, t := range c.touched {
		if c.k.Entry >= t.VA && c.k.Entry < t.VA+t.Size {
			return t.before[c.k.Entry-t.VA:], t.VA + t.Size, nil
		}
	}
	return p.code[from:to], p.base + uint64(to), nil
}

// put writes the files of the capture; the manifest last.
func (c *capture) put(p *program, t *gcn.Tiling) error {
	code, end, err := c.codeOf(p)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(c.folder, 0o777); err != nil {
		return err
	}
	write := func(name string, data []byte) error { return os.WriteFile(filepath.Join(c.folder, name), data, 0o666) }
	m := c.manifest(t)
	if err := write(m.Variants[0].File, code); err != nil {
		return err
	}
	for _, t := range c.touched {
		if t.VA < end && t.VA+t.Size > c.k.Entry { // its data is in the code's file
			continue
		}
		b := casefile.Buffer{Name: fmt.Sprintf("b%x", t.VA), Bytes: int(t.Size), Elem: "uint32", Address: t.VA, ReadOnly: t.Rights&mem.Write == 0, Init: "zero"}
		if len(bytes.Trim(t.before, "\x00")) > 0 {
			b.Init = b.Name + ".in.bin"
			if err := write(b.Init, t.before); err != nil {
				return err
			}
		}
		if now := t.Bytes(); !bytes.Equal(now, t.before) {
			b.Expect, b.Compare = b.Name+".exp.bin", casefile.BufferCompare{Mode: "exact"}
			if err := write(b.Expect, now); err != nil {
				return err
			}
		}
		if at, ok := c.k.Scratch(); ok && at-t.VA < t.Size { // what waves leave there matters to nobody
			b.Compare = casefile.BufferCompare{Mode: "skip"}
		}
		m.Buffers = append(m.Buffers, b)
	}
	text, err := m.JSON()
	if err != nil {
		return err
	}
	file := filepath.Join(c.folder, "manifest.json")
	if _, err := casefile.ReadManifest(bytes.NewReader(text), file); err != nil {
		return fmt.Errorf("a manifest cannot say it: %w", err)
	}
	return write("manifest.json", text)
}

// manifest returns the manifest without buffers.
func (c *capture) manifest(t *gcn.Tiling) *casefile.Manifest {
	k := c.k
	l := casefile.Launch{Kernel: "dispatch", WorkDim: 3, Registers: map[string]casefile.Words{}}
	for i := range 3 {
		l.Grid[i], l.Block[i] = int(k.Grid.Items[i]), int(k.Grid.Block[i])
		if l.Grid[i] == 0 { // whole groups
			l.Grid[i] = int(k.Grid.Groups[i]) * l.Block[i]
		}
	}
	initiator := k.Initiator & (gcn.InitOrdered | gcn.InitOrderedGroups)
	if initiator&gcn.InitOrdered == 0 {
		initiator = 0
	}
	for i, v := range k.User[:min(k.UserSGPRs(), len(k.User))] {
		l.Registers[fmt.Sprintf("s%d", i)] = casefile.Words{V: []uint64{uint64(v)}}
	}
	return &casefile.Manifest{Format: casefile.ManifestFormatOf("gcn"), Name: k.Name, Source: "heddle gpu --capture",
		ExpectedFrom: "the dispatch that heddle gpu has executed", Launches: []casefile.Launch{l},
		Variants: []casefile.Build{{File: "code.bin", ISA: "gcn", Variant: fmt.Sprintf("gfx%d", t.Gen), Address: k.Entry,
			Bare: &casefile.BareBuild{LDS: k.GroupBytes(t.Gen), Descriptor: &casefile.BareDescriptor{Rsrc1: k.Rsrc1, Rsrc2: k.Rsrc2, ScratchWave: int(k.ScratchWave),
				Initiator: initiator},
				Tiling: &casefile.Tiling{AddrConfig: t.AddrConfig, Modes: t.Modes, Macro: t.Macro}}}}}
}
