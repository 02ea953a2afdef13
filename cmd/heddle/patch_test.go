package main

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/isa/all"
	"github.com/heddle-gpu/heddle/object"
)

// patch is a command of the scripts: it puts other code into a kernel of a code object, so that a fault can
// be written as a few lines of assembly.
//
//	patch FILE.hsaco KERNEL CODE.s OUT.hsaco
func patch() {
	if err := patchFile(os.Args[1], os.Args[2], os.Args[3], os.Args[4]); err != nil {
		fmt.Fprintln(os.Stderr, "patch:", err)
		os.Exit(1)
	}
}

func patchFile(file, kernel, source, out string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	o, err := object.ReadHSA(data)
	if err != nil {
		return err
	}
	k, ok := o.Kernel(kernel)
	if !ok {
		return fmt.Errorf("no kernel %s", kernel)
	}
	t, err := all.Lookup(o.Target)
	if err != nil {
		return err
	}
	src, err := os.ReadFile(source)
	if err != nil {
		return err
	}
	res, errs := asm.Assemble(t, src, asm.Options{File: source})
	for _, e := range errs {
		return e
	}
	if uint64(len(res.Code)) > k.CodeSize {
		return fmt.Errorf("%d bytes of code, the kernel has %d", len(res.Code), k.CodeSize)
	}
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return err
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD && k.Entry-p.Vaddr < p.Filesz {
			copy(data[p.Off+k.Entry-p.Vaddr:], res.Code)
			return os.WriteFile(out, data, 0o666)
		}
	}
	return fmt.Errorf("the code of %s is in no segment", kernel)
}

// joinFiles is a command of the scripts: it writes files one after another, each filled up with zeros to a multiple of 16 bytes.
//
//	joined FILE ... OUT
func joinFiles() {
	args := os.Args[1:]
	var all []byte
	for _, name := range args[:len(args)-1] {
		data, err := os.ReadFile(name)
		if err != nil {
			fmt.Fprintln(os.Stderr, "joined:", err)
			os.Exit(1)
		}
		all = append(append(all, data...), make([]byte, -len(data)&15)...)
	}
	if err := os.WriteFile(args[len(args)-1], all, 0o666); err != nil {
		fmt.Fprintln(os.Stderr, "joined:", err)
		os.Exit(1)
	}
}
