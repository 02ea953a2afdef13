package main

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/launch/tesla"
)

// A teslaRun is a compute program of Tesla being set up from the command line.
type teslaRun struct {
	k    tesla.Kernel
	next uint64 // address of the next CUDA buffer, in g[cudaBank]
	bank int    // of the next Mesa buffer
}

// CUDA has all memory in one g[]; addresses are pointers.
const (
	cudaBank  = 14
	cudaFirst = 0x10000
	cudaAlign = 0x100
)

// tesla runs a compute program.
func (c *runCmd) tesla(a *app, path string, t *isa.Target, code []byte, base uint64) error {
	r := &teslaRun{next: cudaFirst}
	k := &r.k
	k.Target, k.Code, k.Base, k.Const = t, code, base, c.constants
	if err := r.read(c, a, path); err != nil {
		return err
	}
	if err := c.saveTesla(k); err != nil {
		return err
	}
	h := &held{}
	for _, b := range k.Buffers {
		h.hold(b.Name, &b.Data, c.types[b.Name])
	}
	return c.launched(a, ran{Kernel: k.Name, Grid: c.Grid, Block: k.Block}, h, func() (*launch.Result, error) { return k.Launch(a.ctx, c.settings(a)) })
}

// read makes the kernel from the command line. Numbers are parameters; a buffer is a pointer to g14 for CUDA, and the
// next g[] for Mesa.
func (r *teslaRun) read(c *runCmd, a *app, path string) (err error) {
	k := &r.k
	if len(k.Code) > 0 && k.Target.Stage != 0 {
		return fmt.Errorf("%s: a program of stage %s; run takes compute programs, and render others, with their scene", path, k.Target.Stages[k.Target.Stage])
	}
	if err := c.sized(path, k.Code); err != nil {
		return err
	}
	k.Name, k.Block, k.Shared, k.Local = programName(path), c.Block, int(c.LDS), int(c.Scratch)
	if k.Grid, err = c.groups(); err != nil {
		return err
	}
	if k.ABI, err = tesla.ParseABI(c.ABI); err != nil {
		return fmt.Errorf("--abi %s: %w", c.ABI, err)
	}
	args := programArgs{a: a, c: c, group: "shared memory", add: r.add}
	for i, text := range c.Arg {
		if err := args.argument(i, text); err != nil {
			return fmt.Errorf("--arg %s: %w", text, err)
		}
	}
	for _, text := range c.Buf {
		b, err := c.buffer(a, text, nil)
		if err == nil {
			err = r.buffer(b)
		}
		if err != nil {
			return fmt.Errorf("--buf %s: %w", text, err)
		}
	}
	k.Params = args.bytes
	if c.Kernarg != "" {
		if k.Params, err = c.kernarg(a, 4, r.address); err != nil {
			return fmt.Errorf("--kernarg %s: %w", c.Kernarg, err)
		}
	}
	return nil
}

// add makes a buffer according to the convention. In CUDA its address is a pointer.
func (r *teslaRun) add(p placedBuf) (addr uint64, pointer int, err error) {
	if r.named(p.name) != nil {
		return 0, 0, fmt.Errorf("there are two buffers %q", p.name)
	}
	b := &tesla.Buffer{Name: p.name, Data: p.data}
	switch {
	case r.k.ABI != tesla.CUDA && p.set:
		return 0, 0, fmt.Errorf("buffers of --abi mesa are g0, g1 and so on, from address 0 each; only --abi cuda has addresses")
	case r.k.ABI != tesla.CUDA:
		b.Bank = r.bank
		r.bank++
	case p.set:
		b.Bank, b.Addr, pointer = cudaBank, p.addr, 4
	default:
		b.Bank, b.Addr, pointer = cudaBank, r.next, 4
		r.next = (r.next + uint64(len(p.data)) + 2*cudaAlign - 1) / cudaAlign * cudaAlign // a gap after each
	}
	r.k.Buffers = append(r.k.Buffers, b)
	return b.Addr, pointer, nil
}

// buffer makes a buffer by its name: g3 is g3[] from address 0 or the given one, c1 the constants of c1[]; other names
// are placed as for an argument.
func (r *teslaRun) buffer(p placedBuf) error {
	bank, err := strconv.ParseUint(p.name[min(1, len(p.name)):], 10, 8)
	switch {
	case err != nil || bank >= uint64(len(r.k.Const)) || p.name[0] != 'g' && p.name[0] != 'c':
		_, _, err := r.add(p)
		return err
	case p.name[0] == 'c' && p.set:
		return fmt.Errorf("%s: constants have no address", p.name)
	case p.name[0] == 'c':
		if r.k.Const[bank] != nil {
			return fmt.Errorf("%s has its constants already", p.name)
		}
		r.k.Const[bank] = p.data
		return nil
	case r.named(p.name) != nil:
		return fmt.Errorf("there are two buffers %q", p.name)
	}
	r.k.Buffers = append(r.k.Buffers, &tesla.Buffer{Name: p.name, Bank: int(bank), Addr: p.addr, Data: p.data})
	return nil
}

// named returns the buffer with that name, nil if there is none.
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
