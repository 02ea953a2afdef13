package main

import (
	"bytes"
	"errors"
	"io"

	"github.com/heddle-gpu/heddle/internal/many"
)

// many lists many files one after another.
func (c *disCmd) many(a *app) error {
	switch {
	case c.Source:
		return errors.New("dis: --as-source writes one program; give one file")
	case c.CFG != "":
		return errors.New("dis: --cfg draws one graph; give one file")
	}
	code := CodeFile{Raw: c.Raw, Compiling: c.Compiling}
	w := manyWork[struct{}]{command: "dis", paths: c.Paths, take: func(path string) (bool, error) {
		switch {
		case c.Scan, c.takes(path):
			return true, nil
		case c.Raw:
			return code.takesCode(path)
		}
		return isObjectFile(path)
	}, takes: "code objects, with --raw files whose names end in .bin, with --scan all files, with --target also source files", compiling: &c.Compiling}
	w.work = func(a *app, f many.File) (none struct{}, err error) {
		one := *c
		one.File, one.each = f.Path, true
		if c.Scan && !c.JSON {
			a.say("%s\n", f.Path)
		}
		if !c.JSON {
			return none, one.file(a)
		}
		b := a.child(a.ctx, &joined{to: a.out}, a.err)
		if err := one.file(b); err != nil {
			return none, err
		}
		b.out.Flush()
		return none, a.out.WriteByte('\n')
	}
	return inTurn(a, &c.Many, w, c.JSON)
}

// A joined converts indented JSON to one line. Strings in JSON contain no line ends, so all line ends and indentation
// can be removed.
type joined struct {
	to     io.Writer
	inside bool // past the indentation of a line
}

func (j *joined) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		if !j.inside {
			p = bytes.TrimLeft(p, " \n")
			j.inside = len(p) > 0
		}
		line, rest, ends := bytes.Cut(p, []byte("\n"))
		if _, err := j.to.Write(line); err != nil {
			return 0, err
		}
		p, j.inside = rest, j.inside && !ends
	}
	return n, nil
}
