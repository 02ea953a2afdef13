package main

import (
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/heddle-gpu/heddle/internal/platforms"
	"github.com/heddle-gpu/heddle/internal/spell"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/loc"
	"github.com/heddle-gpu/heddle/object"
)

// fileIsCubin reports whether a regular file starts like a CUDA file. For an unreadable file it returns false: opening
// it reports why.
func fileIsCubin(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 20)
	if _, err := io.ReadFull(f, head); err != nil {
		return false
	}
	return object.IsCubin(head)
}

// cubin runs a kernel of a CUDA file, with constant banks and shared memory size from the file.
func (c *runCmd) cubin(a *app, path string, data []byte) error {
	if err := a.fits("run", 'k', path); err != nil {
		return err
	}
	o, err := readCubin(data, path)
	if err != nil {
		return err
	}
	k, err := o.Kernel(c.Kernel)
	if err != nil {
		return hinted{fmt.Errorf("%s: %w", path, err), "--kernel NAME chooses one"}
	}
	if list := slices.Concat(k.Relocs, o.Relocs); len(list) > 0 {
		return fmt.Errorf("%s: kernel %s cannot be run: relocation %v is not applied (%s); only R_CUDA_32 and R_CUDA_64 for places in the kernel's own code are", path, k.Name, list[0], spell.Count(len(list), "relocation"))
	}
	t, err := cubinTarget(o, path, c.ISA)
	if err == nil {
		t, err = c.of(t)
	}
	if err != nil {
		return err
	}
	if c.ABI != "" && c.ABI != "cuda" {
		return fmt.Errorf("--abi %s: %s is a program of CUDA", c.ABI, path)
	}
	if !a.given("lds") {
		c.LDS = uint32(min(k.Shared, 1<<20))
	}
	if !a.given("scratch") {
		c.Scratch = uint32(min(k.Local, 1<<20))
	}
	c.registers = k.Registers
	for bank, data := range o.Banks(k) {
		if data != nil {
			c.constants = append(c.constants, &launch.Buffer{Name: fmt.Sprintf("c%d", bank), Space: launch.Space{ID: ir.ConstSpace, Bank: uint8(bank)}, Data: data})
		}
	}
	c.from.Symbols = append(c.from.Symbols, loc.Symbol{Name: k.Name})
	for _, y := range o.Symbols {
		if y.Section == ".text."+k.Name && y.Name != k.Name {
			c.from.Symbols = append(c.from.Symbols, loc.Symbol{Name: y.Name, Addr: y.Addr})
		}
	}
	c.from.Sort()
	return c.program(a, path, platforms.Lookup(t.Set.Name).Compute, t, k.Code, 0)
}
