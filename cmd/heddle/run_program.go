package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/heddle-gpu/heddle/internal/contents"
)

// What the command line says of programs that no descriptor describes, in the same words for each instruction set that has them.

// programName is what a program is called: its file without the ending.
func programName(path string) string {
	if path == "-" {
		return "code"
	}
	return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
}

// sized reports that there is no code, or that it is not said how many threads run it.
func (c *runCmd) sized(path string, code []byte) error {
	switch {
	case len(code) == 0:
		return fmt.Errorf("%s: there is no code", path)
	case c.Grid[0] == 0 || c.Block[0] == 0:
		return errors.New("run: --grid and --block are needed to run a program")
	}
	return nil
}

// groups is how many groups the grid has. The error is of one that they do not fill.
func (c *runCmd) groups() (n [3]uint32, err error) {
	for i := range n {
		if n[i] = c.Grid[i] / c.Block[i]; c.Grid[i]%c.Block[i] != 0 {
			return n, fmt.Errorf("run: --grid %s is no multiple of --block %s", axes(c.Grid), axes(c.Block))
		}
	}
	return n, nil
}

// programArgs are the arguments of a program: numbers and addresses as they lie in memory, each at a multiple of its size.
type programArgs struct {
	a     *app
	c     *runCmd
	bytes []byte
	least int    // bytes that a number takes at least
	group string // what the set calls workgroup memory, which is not an argument
	// add makes a buffer. pointer is how many bytes of its address are an argument; 0: none, it is found otherwise.
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

// number adds one of so many bytes; 0: nothing.
func (p *programArgs) number(n uint64, size int) {
	for size > 0 && len(p.bytes)%size != 0 {
		p.bytes = append(p.bytes, 0)
	}
	for i := range size {
		p.bytes = append(p.bytes, byte(n>>(8*i)))
	}
}

// cutArgument takes [NAME=]TYPE:VALUE apart. name is what it is called if it has none of its own.
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
