package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/internal/contents"
	"github.com/heddle-gpu/heddle/internal/elem"
	"github.com/heddle-gpu/heddle/internal/limit"
)

// fill returns the bytes of a text of package contents. typ is the zero Type if the text has none.
func (a *app) fill(text string) (data []byte, typ elem.Type, err error) {
	if s, err := contents.Parse(text); err == nil && s.Unset {
		return nil, typ, fmt.Errorf("%s: only what a buffer begins with can be undefined", text)
	}
	return a.fillIn(text, func(size int) ([]byte, error) { return make([]byte, size), nil })
}

// fillIn is fill with an allocator of zeroed memory, which is not used for the bytes of a file.
func (a *app) fillIn(text string, alloc func(size int) ([]byte, error)) (data []byte, typ elem.Type, err error) {
	s, err := contents.Parse(text)
	switch {
	case err != nil:
		return nil, typ, err
	case s.File == "":
		if data, err = alloc(s.Size()); err == nil {
			s.Fill(data)
		}
		return data, s.Type, err
	case s.File == "-":
		data, err = a.read("-")
	default:
		data, err = within(a, "reading "+s.File, func() ([]byte, error) { return limit.ReadFile(s.File, limit.Buffer) })
	}
	if size := s.Type.Size(); err == nil && s.Type.Known() && len(data)%size != 0 {
		err = fmt.Errorf("%s has %d bytes, no multiple of the %d of %s", s.File, len(data), size, s.Type)
	}
	return data, s.Type, err
}

// bufferOf returns what a buffer begins with, and notes its type, and whether it is undefined.
func (c *runCmd) bufferOf(a *app, name, text string) ([]byte, error) {
	data, typ, err := a.fillIn(text, func(size int) ([]byte, error) { return make([]byte, size), nil })
	c.holds(name, typ, text)
	return data, err
}

// A placedBuf is a buffer of --buf.
type placedBuf struct {
	name string
	addr uint64 // its address, if fixed
	set  bool   // addr is given
	data []byte
}

// buffer parses NAME[@ADDRESS]=CONTENTS of --buf, and records the type of its elements. parts, if not nil, parses the
// text after parts:, for instruction sets whose descriptors heddle writes.
func (c *runCmd) buffer(a *app, text string, parts func(string) ([]byte, error)) (b placedBuf, err error) {
	name, what, ok := strings.Cut(text, "=")
	if !ok || name == "" {
		return b, fmt.Errorf("want NAME=CONTENTS or NAME@ADDRESS=CONTENTS, with contents %s", contents.Usage)
	}
	name, at, placed := strings.Cut(name, "@")
	if placed {
		if b.addr, err = strconv.ParseUint(at, 0, 64); err != nil {
			return b, fmt.Errorf("%q is no address", at)
		}
	}
	b.name, b.set = name, placed
	if list, is := strings.CutPrefix(what, "parts:"); is && parts != nil {
		b.data, err = parts(list)
		return b, err
	}
	b.data, err = c.bufferOf(a, name, what)
	return b, err
}

// holds records the element type of a buffer, of which the zero Type is ignored, and whether its contents are
// undefined.
func (c *runCmd) holds(name string, typ elem.Type, text string) {
	if s, err := contents.Parse(text); err == nil && s.Unset {
		if c.unset == nil {
			c.unset = map[string]bool{}
		}
		c.unset[name] = true
	}
	if !typ.Known() {
		return
	}
	if c.types == nil {
		c.types = map[string]elem.Type{}
	}
	c.types[name] = typ
}
