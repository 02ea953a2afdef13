package main

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/internal/cubin"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/object"
)

// patch is a command of the scripts: it replaces the code of a kernel in a code object, so that a fault can be written
// as a few lines of assembly.
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
	t, err := sets.Lookup(o.Target)
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

// joinFiles adds a command of the scripts: it concatenates files, each padded with zeros to a multiple of 16 bytes.
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

// writeCubin adds a command of the scripts: it writes a CUDA ELF file whose kernels have the bytes of files as code.
//
//	cubin OUT SM NAME=FILE ... [cBANK=FILE] [shared=BYTES] [params=SIZE@OFFSET,...] [rel=TYPE]
func writeCubin() {
	if err := writeCubinFile(os.Args[1], os.Args[2], os.Args[3:]); err != nil {
		fmt.Fprintln(os.Stderr, "cubin:", err)
		os.Exit(1)
	}
}

// paramRecords returns the records of parameters in .nv.info, sorted by number.
func paramRecords(text string) (data []byte, err error) {
	for i, p := range strings.Split(text, ",") {
		var size, at int
		if _, err := fmt.Sscanf(p, "%d@%d", &size, &at); err != nil {
			return nil, fmt.Errorf("%s: %w", p, err)
		}
		data = append(data, cubin.Param(i, at, size)...)
	}
	return data, nil
}

func writeCubinFile(out, sm string, parts []string) error {
	flags, err := strconv.ParseUint(sm, 10, 8)
	if err != nil {
		return err
	}
	var list []cubin.Section
	last := ""
	for _, p := range parts {
		name, file, _ := strings.Cut(p, "=")
		if name == "shared" {
			n, err := strconv.ParseUint(file, 0, 32)
			if err != nil {
				return err
			}
			list = append(list, cubin.Section{Name: ".nv.shared." + last, Kind: 8, Size: n})
			continue
		}
		if name == "rel" { // a relocation of that type at the start of the code, without a symbol
			n, err := strconv.ParseUint(file, 0, 32)
			if err != nil {
				return err
			}
			entry := binary.LittleEndian.AppendUint64(make([]byte, 8), n)
			list = append(list, cubin.Section{Name: ".rel.text." + last, Kind: 9, Entry: 16, Data: entry})
			continue
		}
		if name == "params" { // SIZE@OFFSET, separated by commas
			info, err := paramRecords(file)
			if err != nil {
				return err
			}
			list = append(list, cubin.Section{Name: ".nv.info." + last, Kind: 0x70000000, Data: info})
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if bank, is := strings.CutPrefix(name, "c"); is && len(bank) < 3 {
			list = append(list, cubin.Section{Name: ".nv.constant" + bank + "." + last, Kind: 1, Data: data})
			continue
		}
		last = name
		list = append(list, cubin.Section{Name: ".text." + name, Kind: 1, Flags: 6, Info: 8 << 24, Data: data})
	}
	return os.WriteFile(out, cubin.Write(true, uint32(flags), 2, list), 0o666)
}
