package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/heddle-gpu/heddle/internal/many"
)

// many assembles many files into a folder.
func (c *asmCmd) many(a *app) error {
	switch {
	case c.Out == "" && !c.JSON:
		return errors.New("asm: -o is missing: the folder for the machine code of several files")
	case c.Out == "-":
		return errors.New("asm: -o -: the machine code of several files goes to a folder, -o DIR")
	}
	if info, err := os.Stat(c.Out); c.Out != "" && err == nil && !info.IsDir() {
		return fmt.Errorf("asm: -o %s: is a file; the machine code of several files goes to a folder", c.Out)
	}
	to := folder{c.Out, map[string]string{}}
	w := manyWork[struct{}]{command: "asm", paths: c.Paths, take: func(path string) (bool, error) {
		return isText(path) || c.takes(path), nil
	}, takes: "files whose names end in .s or .asm, with --target also source files", compiling: &c.Compiling}
	if c.Out != "" {
		w.claim = to.claim
	}
	w.work = func(a *app, f many.File) (none struct{}, err error) {
		one := *c
		one.File = f.Path
		if c.Out != "" {
			// The name of the folder does not affect whether a text is a program.
			one.Out = to.stem(f) + string(filepath.Separator)
		}
		return none, one.one(a, func(res *assembled) (string, error) {
			if c.Out == "" {
				return "", nil
			}
			name := to.stem(f) + one.ending(res)
			if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
				return "", unwritten{err}
			}
			return name, nil
		}, func(v any) error {
			_, err := a.out.Write(jsonLine(f.Path, v))
			return err
		})
	}
	return inTurn(a, &c.Many, w, c.JSON)
}

// ending returns the file name extension for a result.
func (c *asmCmd) ending(res *assembled) string {
	switch {
	case res.program != nil:
		return ".hsaco"
	case c.Hex:
		return ".hex"
	}
	return ".bin"
}

// A folder holds the results of many files, each under the name of its file.
type folder struct {
	dir  string
	from map[string]string // files by the stem of their results
}

// stem returns the name of the result of a file, without extension.
func (d *folder) stem(f many.File) string {
	rel := f.Rel
	if f.Path == many.Stdin {
		rel = "stdin"
	}
	return filepath.Join(d.dir, strings.TrimSuffix(rel, filepath.Ext(rel)))
}

// claim reports an error if two files would have the same result.
func (d *folder) claim(f many.File) error {
	stem := d.stem(f)
	if other, taken := d.from[stem]; taken {
		return fmt.Errorf("%s: the result would be that of %s, %s.*", f.Path, other, stem)
	}
	d.from[stem] = f.Path
	return nil
}
