package main

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/launch/valhall"
)

// A valhallRun is a compute program of Valhall being set up from the command line.
type valhallRun struct {
	k    valhall.Kernel
	next uint64 // address of the next buffer
}

// Addresses of buffers: above 4 GiB, so that an address without its high word faults.
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
	if err := c.saveValhall(k); err != nil {
		return err
	}
	h := &held{}
	for _, b := range k.Buffers {
		h.hold(b.Name, &b.Data, c.types[b.Name])
	}
	return c.launched(a, ran{Kernel: k.Name, Grid: c.Grid, Block: k.Block}, h, func() (*launch.Result, error) { return k.Launch(a.ctx, c.settings(a)) })
}

// read makes the kernel from the command line. Arguments are uniform words: a buffer is its address in two of them.
func (r *valhallRun) read(c *runCmd, a *app, path string) (err error) {
	k := &r.k
	if err := c.sized(path, k.Code); err != nil {
		return err
	}
	k.Name, k.Block, k.Shared, k.Private = programName(path), c.Block, int(c.LDS), int(c.Scratch)
	if k.Groups, err = c.groups(); err != nil {
		return err
	}
	args := programArgs{a: a, c: c, least: 4, group: "workgroup memory", add: r.add}
	for i, text := range c.Arg {
		if err := args.argument(i, text); err != nil {
			return fmt.Errorf("--arg %s: %w", text, err)
		}
	}
	for _, text := range c.Buf {
		b, err := c.buffer(a, text, nil)
		if err == nil {
			_, _, err = r.add(b)
		}
		if err != nil {
			return fmt.Errorf("--buf %s: %w", text, err)
		}
	}
	words := args.bytes
	if c.Kernarg != "" {
		if words, err = c.kernarg(a, 8, r.address); err != nil {
			return fmt.Errorf("--kernarg %s: %w", c.Kernarg, err)
		}
	}
	for len(words)%4 != 0 {
		words = append(words, 0)
	}
	for i := 0; i < len(words); i += 4 {
		k.Uniform = append(k.Uniform, binary.LittleEndian.Uint32(words[i:]))
	}
	return nil
}

// add makes a buffer.
func (r *valhallRun) add(p placedBuf) (addr uint64, pointer int, err error) {
	if _, ok := r.address(p.name); ok {
		return 0, 0, fmt.Errorf("there are two buffers %q", p.name)
	}
	if !p.set {
		p.addr = r.next
		r.next = (r.next + uint64(len(p.data)) + 2*valhallAlign - 1) &^ (valhallAlign - 1) // a gap after each
	}
	b := &valhall.Buffer{Name: p.name, Addr: p.addr, Data: p.data}
	r.k.Buffers = append(r.k.Buffers, b)
	return b.Addr, 8, nil
}

func (r *valhallRun) address(name string) (uint64, bool) {
	i := slices.IndexFunc(r.k.Buffers, func(b *valhall.Buffer) bool { return b.Name == name })
	if i < 0 {
		return 0, false
	}
	return r.k.Buffers[i].Addr, true
}
