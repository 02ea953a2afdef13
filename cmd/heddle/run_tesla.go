package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/exec/ref"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/launch/tesla"
)

// A teslaRun is a compute program of Tesla on its way from the command line.
type teslaRun struct {
	c    *runCmd
	k    tesla.Kernel
	next uint64 // address of the next buffer of CUDA, in g[cudaBank]
	bank int    // of the next buffer of Mesa
}

// CUDA keeps all memory in one g[]; addresses are pointers.
const (
	cudaBank  = 14
	cudaFirst = 0x10000
	cudaAlign = 0x100
)

// tesla runs a compute program.
func (c *runCmd) tesla(a *app, path string, t *isa.Target, code []byte, _ uint64) error {
	r := &teslaRun{c: c, next: cudaFirst}
	if err := r.read(a, path, t, code); err != nil {
		return err
	}
	k := &r.k
	bufs := make([]heldBuf, 0, len(k.Buffers))
	for _, b := range k.Buffers {
		bufs = append(bufs, hold(b.Name, &b.Data))
	}
	if err := c.outs(bufs); err != nil {
		return err
	}
	res, fault := k.Launch(a.ctx, tesla.Settings{Settings: launch.Settings{Engine: ref.New(), Workers: c.Workers, Limits: exec.Limits{Steps: c.MaxSteps}, Watcher: c.watcher()},
		Relaxed: c.Relaxed, Counted: c.Counted})
	if fault != nil && (res == nil || res.Waves == 0) {
		return fault // it never began
	}
	return c.finish(a, ran{Kernel: k.Name, Grid: c.Grid, Block: k.Block, Counters: countersOf(res)}, bufs, fault)
}

// read makes the kernel of what the command line says.
func (r *teslaRun) read(a *app, path string, t *isa.Target, code []byte) (err error) {
	c, k := r.c, &r.k
	switch {
	case len(code) == 0:
		return fmt.Errorf("%s: there is no code", path)
	case t.Stage != 0:
		return fmt.Errorf("%s: a program of stage %s; run takes compute programs, and render others, with their scene", path, t.Stages[t.Stage])
	case c.Grid[0] == 0 || c.Block[0] == 0:
		return errors.New("run: --grid and --block are needed to run a program")
	case len(c.SGPR) > 0 || len(c.VGPR) > 0 || c.Kernel != "":
		return errors.New("run: --kernel, --sgpr and --vgpr are of GCN; a program of Tesla begins with its place in $r0 and s[]")
	}
	k.Name = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	if path == "-" {
		k.Name = "code"
	}
	k.Target, k.Code, k.Block, k.Shared, k.Local = t, code, c.Block, int(min(c.LDS, 1<<20)), int(min(c.Scratch, 1<<20))
	for i := range k.Grid {
		if k.Grid[i] = c.Grid[i] / c.Block[i]; c.Grid[i]%c.Block[i] != 0 {
			return fmt.Errorf("run: --grid %s is no multiple of --block %s", axes(c.Grid), axes(c.Block))
		}
	}
	if k.ABI, err = tesla.ParseABI(c.ABI); err != nil {
		return fmt.Errorf("--abi %s: %w", c.ABI, err)
	}
	for i, text := range c.Arg {
		if err := r.argument(a, i, text); err != nil {
			return fmt.Errorf("--arg %s: %w", text, err)
		}
	}
	for _, text := range c.Buf {
		if err := r.buffer(a, text); err != nil {
			return fmt.Errorf("--buf %s: %w", text, err)
		}
	}
	if c.Kernarg != "" {
		if k.Params, err = c.kernarg(a, 4, r.address); err != nil {
			return fmt.Errorf("--kernarg %s: %w", c.Kernarg, err)
		}
	}
	return nil
}

// argument reads [NAME=]TYPE:VALUE. A buffer is a pointer to g14 for CUDA, and the next g[] for Mesa; a number goes to the
// parameters, at a multiple of its size.
func (r *teslaRun) argument(a *app, i int, text string) error {
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
		data, err := a.contents(strings.Replace(text, "buf:", "file:", 1))
		if err != nil {
			return err
		}
		b, err := r.add(name, data)
		if err == nil && r.k.ABI == tesla.CUDA {
			r.param(b.Addr, 4)
		}
		return err
	case "local":
		return errors.New("shared memory has no argument; --lds gives it")
	case "hex":
		data, err := unhex(value)
		r.k.Params = append(r.k.Params, data...)
		return err
	}
	n, bits, err := numberBits(kind, text)
	if err == nil {
		r.param(n, bits/8)
	}
	return err
}

// param adds a number of so many bytes to the parameters.
func (r *teslaRun) param(n uint64, size int) {
	p := r.k.Params
	for len(p)%size != 0 {
		p = append(p, 0)
	}
	for i := range size {
		p = append(p, byte(n>>(8*i)))
	}
	r.k.Params = p
}

// add makes a buffer where the convention has it.
func (r *teslaRun) add(name string, data []byte) (*tesla.Buffer, error) {
	if r.named(name) != nil {
		return nil, fmt.Errorf("there are two buffers %q", name)
	}
	b := &tesla.Buffer{Name: name, Data: data}
	if r.k.ABI == tesla.CUDA {
		b.Bank, b.Addr = cudaBank, r.next
		r.next = (r.next + uint64(len(data)) + 2*cudaAlign - 1) / cudaAlign * cudaAlign // a gap after each
	} else {
		b.Bank = r.bank
		r.bank++
	}
	r.k.Buffers = append(r.k.Buffers, b)
	return b, nil
}

// buffer reads NAME=zero:BYTES or NAME=buf:FILE. g3 is g3[] from address 0, c1 the constants of c1[]; what has another name
// lies as an argument would.
func (r *teslaRun) buffer(a *app, text string) error {
	name, what, ok := strings.Cut(text, "=")
	if !ok || !strings.HasPrefix(what, "zero:") && !strings.HasPrefix(what, "buf:") {
		return errors.New("want NAME=zero:BYTES or NAME=buf:FILE")
	}
	data, err := a.contents(strings.Replace(what, "buf:", "file:", 1))
	if err != nil {
		return err
	}
	bank, err := strconv.ParseUint(name[min(1, len(name)):], 10, 8)
	switch {
	case err != nil || bank >= uint64(len(r.k.Const)) || name[0] != 'g' && name[0] != 'c':
		_, err := r.add(name, data)
		return err
	case name[0] == 'c':
		if r.k.Const[bank] != nil {
			return fmt.Errorf("%s has its constants already", name)
		}
		r.k.Const[bank] = data
		return nil
	case r.named(name) != nil:
		return fmt.Errorf("there are two buffers %q", name)
	}
	r.k.Buffers = append(r.k.Buffers, &tesla.Buffer{Name: name, Bank: int(bank), Data: data})
	return nil
}

// named is the buffer of that name, nil if there is none.
func (r *teslaRun) named(name string) *tesla.Buffer {
	i := slices.IndexFunc(r.k.Buffers, func(b *tesla.Buffer) bool { return b.Name == name })
	if i < 0 {
		return nil
	}
	return r.k.Buffers[i]
}

func (r *teslaRun) address(name string) (uint64, bool) {
	if b := r.named(name); b != nil {
		return b.Addr, true
	}
	return 0, false
}
