package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/exec/ref"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/launch/valhall"
)

// A valhallRun is a compute program of Valhall on its way from the command line.
type valhallRun struct {
	k     valhall.Kernel
	words []byte // uniform words
	next  uint64 // address of the next buffer
}

// Where buffers begin: behind addresses that fit in 32 bits, so that one without its high word is found.
const (
	valhallFirst = 1 << 32
	valhallAlign = 1 << 16
)

// valhall runs a compute program.
func (c *runCmd) valhall(a *app, path string, t *isa.Target, code []byte, base uint64) error {
	r := &valhallRun{next: valhallFirst}
	k := &r.k
	k.Target, k.Code, k.Base = t, code, base
	if err := r.read(c, a, path); err != nil {
		return err
	}
	bufs := make([]heldBuf, 0, len(k.Buffers))
	for _, b := range k.Buffers {
		bufs = append(bufs, hold(b.Name, &b.Data))
	}
	if err := c.outs(bufs); err != nil {
		return err
	}
	res, fault := k.Launch(a.ctx, valhall.Settings{Settings: launch.Settings{Engine: ref.New(), Workers: c.Workers, Limits: exec.Limits{Steps: c.MaxSteps},
		Relaxed: c.Relaxed, Counted: c.Counted, Watcher: c.watcher()}})
	if fault != nil && (res == nil || res.Waves == 0) {
		return fault // it never began
	}
	return c.finish(a, ran{Kernel: k.Name, Grid: c.Grid, Block: k.Block, Counters: countersOf(res)}, bufs, fault)
}

// read makes the kernel of what the command line says.
func (r *valhallRun) read(c *runCmd, a *app, path string) error {
	k := &r.k
	switch {
	case len(k.Code) == 0:
		return fmt.Errorf("%s: there is no code", path)
	case c.Grid[0] == 0 || c.Block[0] == 0:
		return errors.New("run: --grid and --block are needed to run a program")
	case len(c.SGPR) > 0 || len(c.VGPR) > 0 || c.Kernel != "" || c.ABI != "":
		return errors.New("run: --kernel, --sgpr, --vgpr and --abi are of other instruction sets; a program of Valhall begins with its place in r55 to r62 and uniform words")
	}
	k.Name = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	if path == "-" {
		k.Name = "code"
	}
	k.Block, k.Shared, k.Private = c.Block, int(min(c.LDS, 1<<20)), int(min(c.Scratch, 1<<20))
	for i := range k.Groups {
		if k.Groups[i] = c.Grid[i] / c.Block[i]; c.Grid[i]%c.Block[i] != 0 {
			return fmt.Errorf("run: --grid %s is no multiple of --block %s", axes(c.Grid), axes(c.Block))
		}
	}
	for i, text := range c.Arg {
		if err := r.argument(a, i, text); err != nil {
			return fmt.Errorf("--arg %s: %w", text, err)
		}
	}
	for _, text := range c.Buf {
		name, what, ok := strings.Cut(text, "=")
		if !ok || !strings.HasPrefix(what, "zero:") && !strings.HasPrefix(what, "buf:") {
			return fmt.Errorf("--buf %s: want NAME=zero:BYTES or NAME=buf:FILE", text)
		}
		if _, err := r.add(a, name, what); err != nil {
			return fmt.Errorf("--buf %s: %w", text, err)
		}
	}
	if c.Kernarg != "" {
		var err error
		if r.words, err = c.kernarg(a, 8, r.address); err != nil {
			return fmt.Errorf("--kernarg %s: %w", c.Kernarg, err)
		}
	}
	for len(r.words)%4 != 0 {
		r.words = append(r.words, 0)
	}
	for i := 0; i < len(r.words); i += 4 {
		k.Uniform = append(k.Uniform, binary.LittleEndian.Uint32(r.words[i:]))
	}
	return nil
}

// argument reads [NAME=]TYPE:VALUE: a buffer, of which the address goes to the uniform words, or a number. Both lie at a
// multiple of their size.
func (r *valhallRun) argument(a *app, i int, text string) error {
	name := fmt.Sprintf("arg%d", i)
	if before, after, ok := strings.Cut(text, "="); ok && !strings.Contains(before, ":") {
		name, text = before, after
	}
	kind, value, ok := strings.Cut(text, ":")
	if !ok {
		return errors.New("want TYPE:VALUE")
	}
	switch kind {
	case "buf", "zero":
		b, err := r.add(a, name, text)
		if err == nil {
			r.word(b.Addr, 8)
		}
		return err
	case "local":
		return errors.New("workgroup memory has no argument; --lds gives it")
	case "hex":
		data, err := unhex(value)
		r.words = append(r.words, data...)
		return err
	}
	n, bits, err := numberBits(kind, text)
	if err == nil {
		r.word(n, max(bits/8, 4))
	}
	return err
}

// word adds a number of so many bytes to the uniform words.
func (r *valhallRun) word(n uint64, size int) {
	for len(r.words)%size != 0 {
		r.words = append(r.words, 0)
	}
	for i := range size {
		r.words = append(r.words, byte(n>>(8*i)))
	}
}

// add makes a buffer of buf:FILE or zero:BYTES.
func (r *valhallRun) add(a *app, name, what string) (*valhall.Buffer, error) {
	if _, ok := r.address(name); ok {
		return nil, fmt.Errorf("there are two buffers %q", name)
	}
	data, err := a.contents(strings.Replace(what, "buf:", "file:", 1))
	if err != nil {
		return nil, err
	}
	b := &valhall.Buffer{Name: name, Addr: r.next, Data: data}
	r.next = (r.next + uint64(len(data)) + 2*valhallAlign - 1) &^ (valhallAlign - 1) // a gap after each
	r.k.Buffers = append(r.k.Buffers, b)
	return b, nil
}

func (r *valhallRun) address(name string) (uint64, bool) {
	i := slices.IndexFunc(r.k.Buffers, func(b *valhall.Buffer) bool { return b.Name == name })
	if i < 0 {
		return 0, false
	}
	return r.k.Buffers[i].Addr, true
}
