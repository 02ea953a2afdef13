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
	code := CodeFile{Raw: c.Raw}
	w := manyWork[struct{}]{command: "dis", paths: c.Paths, take: func(path string) (bool, error) {
		if c.Raw {
			return code.takesCode(path)
		}
		return isObjectFile(path)
	}, takes: "code objects, with --raw files whose names end in .bin"}
	w.work = func(a *app, f many.File) (none struct{}, err error) {
		one := *c
		one.File, one.each = f.Path, true
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
	if c.JSON {
		w.failed = failedLine
	}
	t, err := eachFile(a, &c.Many, w)
	if err != nil {
		return err
	}
	if c.JSON {
		a.out.Write(totalLine(t))
	}
	return t.end(a, t.said(""))
}

// A joined makes one line of JSON of several: no line ends within a string.
type joined struct{ to io.Writer }

func (j *joined) Write(p []byte) (int, error) {
	for line := range bytes.SplitSeq(p, []byte("\n")) {
		if _, err := j.to.Write(line); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}
