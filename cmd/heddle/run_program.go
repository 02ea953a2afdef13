package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/heddle-gpu/heddle/internal/contents"
)

// Flags for programs without a descriptor, in the same form for each instruction set that has them.

// programName returns the name of a program: its file without extension.
func programName(path string) string {
	if path == "-" {
		return "code"
	}
	return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
}

// sized reports that there is no code, or that the number of threads is not given.
func (c *runCmd) sized(path string, code []byte) error {
	switch {
	case len(code) == 0:
		return fmt.Errorf("%s: there is no code", path)
	case c.Grid[0] == 0 || c.Block[0] == 0:
		return errors.New("run: --grid and --block are needed to run a program")
	}
	return nil
}

// groups returns the number of workgroups in the grid. The error reports that they do not fill it.
func (c *runCmd) groups() (n [3]uint32, err error) {
	for i := range n {
		if n[i] = c.Grid[i] / c.Block[i]; c.Grid[i]%c.Block[i] != 0 {
			return n, fmt.Errorf("run: --grid %s is no multiple of --block %s", axes(c.Grid), axes(c.Block))
		}
	}
	return n, nil
}

// programArgs are the arguments of a program: numbers and addresses as in memory, each at a multiple of its size.
type programArgs struct {
	a     *app
	c     *runCmd
	bytes []byte
	least int    // least size of a number in bytes
	group string // name of workgroup memory in the set, which is not an argument
	// add makes a buffer. pointer is the size of its address as an argument, in bytes; 0: it is no argument.
	add func(b placedBuf) (addr uint64, pointer int, err error)
}

// argument reads [NAME=]TYPE:VALUE: a buffer, or a number.
func (p *programArgs) argument(i int, arg string) error {
	name, kind, value, err := cutArgument(fmt.Sprintf("arg%d", i), arg)
	if err != nil {
		return err
	}
	switch {
	case contents.Is(kind + ":" + value):
		data, typ, err := p.a.fill(kind + ":" + value)
		if err != nil {
			return err
		}
		p.c.holds(name, typ)
		addr, size, err := p.add(placedBuf{name: name, data: data})
		if err == nil {
			p.number(addr, size)
		}
		return err
	case kind == "local":
		return fmt.Errorf("%s has no argument; --lds gives it", p.group)
	case kind == "hex":
		data, err := unhex(value)
		p.bytes = append(p.bytes, data...)
		return err
	}
	n, bits, err := numberBits(kind, kind+":"+value)
	if err == nil {
		p.number(n, max(bits/8, p.least))
	}
	return err
}

// number adds a number of so many bytes; 0: nothing.
func (p *programArgs) number(n uint64, size int) {
	for size > 0 && len(p.bytes)%size != 0 {
		p.bytes = append(p.bytes, 0)
	}
	for i := range size {
		p.bytes = append(p.bytes, byte(n>>(8*i)))
	}
}

// cutArgument splits [NAME=]TYPE:VALUE. name is the default for NAME.
func cutArgument(name, arg string) (called, kind, value string, err error) {
	if before, after, ok := strings.Cut(arg, "="); ok && !strings.Contains(before, ":") {
		name, arg = before, after
	}
	kind, value, ok := strings.Cut(arg, ":")
	if !ok {
		return "", "", "", errors.New("want TYPE:VALUE, such as u32:5, f32:iota:64 or zero:256")
	}
	return name, kind, value, nil
}
