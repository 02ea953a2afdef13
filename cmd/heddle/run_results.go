package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/internal/elem"
)

// Results is the flags for output of buffers.
type Results struct {
	Out   []string `sep:"none" placeholder:"NAME=FILE" help:"Write a buffer to a file afterwards; - is standard output, where nothing else is then."`
	Print []string `sep:"none" placeholder:"NAME[:TYPE]" help:"Print elements of a buffer: all, or after the name [N], the first N, [FROM:TO], up to but not including TO, or [ROWSxCOLUMNS]. Types: ${types}."`
	PNG   []string `name:"png" sep:"none" placeholder:"NAME=FILE:WxH[:TYPE]" help:"Write a buffer as a picture: ${shown}."`
	Plot  []string `sep:"none" placeholder:"NAME[:TYPE][:FILE.png]" help:"Plot a buffer as a line, on standard output or as a picture; a line for each component of vectors. [N] or [FROM:TO] may follow the type."`

	wants wants
}

// wants is the parsed flags.
type wants struct {
	outs   []wantOut
	prints []wantPrint
	pngs   []wantPNG
	plots  []wantPlot
}

type wantOut struct{ flag, name, file string }

type wantPrint struct {
	flag string
	elem.Spec
}

type wantPNG struct {
	flag          string
	name, file    string
	width, height int
	typ           elem.Type // the zero Type: that of the buffer
}

type wantPlot struct {
	flag string
	elem.Spec
	file string // "": on standard output
}

// read parses the flags, and reports incompatible ones; json says that standard output must be JSON.
func (c *Results) read(json bool) error {
	c.wants = wants{}
	w := &c.wants
	if err := c.readAll(w); err != nil {
		return err
	}
	return w.together(json)
}

// readAll parses the flags, up to the first wrong value of each.
func (c *Results) readAll(w *wants) error {
	return errors.Join(
		each("--out", c.Out, func(text string) error {
			name, file, ok := strings.Cut(text, "=")
			if !ok || file == "" {
				return errors.New("want NAME=FILE")
			}
			w.outs = append(w.outs, wantOut{"--out " + text, name, file})
			return nil
		}),
		each("--print", c.Print, func(text string) error {
			s, err := elem.ParseSpec(text)
			w.prints = append(w.prints, wantPrint{"--print " + text, s})
			return err
		}),
		each("--png", c.PNG, func(text string) error {
			p, err := readPNGFlag(text)
			p.flag = "--png " + text
			w.pngs = append(w.pngs, p)
			return err
		}),
		each("--plot", c.Plot, func(text string) error {
			p, err := readPlotFlag(text)
			p.flag = "--plot " + text
			w.plots = append(w.plots, p)
			return err
		}))
}

// each parses the values of a flag up to the first wrong one.
func each(flag string, values []string, read func(string) error) error {
	for _, text := range values {
		if err := read(text); err != nil {
			return fmt.Errorf("%s %s: %w", flag, text, err)
		}
	}
	return nil
}

// readPNGFlag parses NAME=FILE:WxH[:TYPE]; the name of the file may contain colons.
func readPNGFlag(text string) (p wantPNG, err error) {
	want := errors.New("want NAME=FILE:WxH[:TYPE], such as out=out.png:64x64:u32")
	name, rest, ok := strings.Cut(text, "=")
	file, last, ok2 := cutLast(rest)
	if !ok || !ok2 {
		return p, want
	}
	var sized bool
	if p.width, p.height, sized = readSize(last); !sized {
		if p.typ, err = elem.ParseType(last); err != nil {
			if _, _, isSize := cutLast(file); !isSize {
				return p, want
			}
			return p, err
		}
		if file, last, ok = cutLast(file); !ok {
			return p, want
		}
		if p.width, p.height, sized = readSize(last); !sized {
			return p, want
		}
	}
	if p.name, p.file = name, file; file == "" || name == "" {
		return p, want
	}
	return p, nil
}

// cutLast splits a text at its last colon.
func cutLast(text string) (before, after string, ok bool) {
	at := strings.LastIndexByte(text, ':')
	if at < 0 {
		return text, "", false
	}
	return text[:at], text[at+1:], true
}

// readSize parses WxH.
func readSize(text string) (w, h int, ok bool) {
	x, y, ok := strings.Cut(text, "x")
	width, err := strconv.ParseUint(x, 10, 16)
	height, err2 := strconv.ParseUint(y, 10, 16)
	return int(width), int(height), ok && err == nil && err2 == nil
}

// readPlotFlag parses NAME[:TYPE][RANGE][:FILE.png]. The text after the name is a type if it parses as one.
func readPlotFlag(text string) (p wantPlot, err error) {
	parts := outside(text)
	spec, rest := parts[0], parts[1:]
	if len(rest) > 0 {
		if _, err := elem.ParseSpec("x:" + rest[0]); err == nil || len(rest) > 1 {
			spec, rest = spec+":"+rest[0], rest[1:]
		}
	}
	p.file = strings.Join(rest, ":")
	if len(rest) > 0 && p.file != "-" && !strings.EqualFold(filepath.Ext(p.file), ".png") {
		return p, fmt.Errorf("%q is neither a type nor the name of a file that ends in .png; there are the types %s", p.file, elem.TypeNames)
	}
	p.Spec, err = elem.ParseSpec(spec)
	return p, err
}

// outside splits a text at its colons outside brackets.
func outside(text string) (parts []string) {
	depth, from := 0, 0
	for i, c := range text {
		switch {
		case c == '[':
			depth++
		case c == ']':
			depth--
		case c == ':' && depth <= 0:
			parts = append(parts, text[from:i])
			from = i + 1
		}
	}
	return append(parts, text[from:])
}

// together reports incompatible flags: two outputs on standard output, or in one file.
func (w *wants) together(json bool) error {
	seen := map[string]string{}
	for _, f := range w.files() {
		name := f[1]
		if name != "-" {
			name = "file " + filepath.Clean(name)
		}
		if other, ok := seen[name]; ok {
			if f[1] == "-" {
				return fmt.Errorf("%s and %s would both go to standard output", other, f[0])
			}
			return fmt.Errorf("%s and %s would go to one file", other, f[0])
		}
		seen[name] = f[0]
	}
	flag := ""
	if i := slices.IndexFunc(w.plots, func(p wantPlot) bool { return p.file == "" }); i >= 0 {
		flag = w.plots[i].flag
	}
	switch {
	case !w.toStdout() && json && flag != "":
		return fmt.Errorf("--json and %s would both go to standard output; a plot can go to a file, NAME:FILE.png", flag)
	case !w.toStdout():
		return nil
	case json:
		return errors.New("--json and a buffer would both go to standard output")
	case len(w.prints) > 0:
		flag = w.prints[0].flag
	}
	if flag != "" {
		return fmt.Errorf("%s and a buffer would both go to standard output", flag)
	}
	return nil
}

// alone reports the flag that names a file to which something else is written.
func (w *wants) alone(what, file string) error {
	for _, f := range w.files() {
		if file != "-" && f[1] != "-" && filepath.Clean(f[1]) == filepath.Clean(file) {
			return fmt.Errorf("%s and %s would go to one file", f[0], what)
		}
	}
	return nil
}

// files returns flags with the files that they name.
func (w *wants) files() (list [][2]string) {
	add := func(flag, file string) {
		if file != "" {
			list = append(list, [2]string{flag, file})
		}
	}
	for _, o := range w.outs {
		add(o.flag, o.file)
	}
	for _, p := range w.pngs {
		add(p.flag, p.file)
	}
	for _, p := range w.plots {
		add(p.flag, p.file)
	}
	return list
}

// toStdout reports whether a buffer goes to standard output.
func (w *wants) toStdout() bool {
	return slices.ContainsFunc(w.files(), func(f [2]string) bool { return f[1] == "-" })
}

// typeOf returns the element type of a buffer in the flags, for a summary; the zero Type if there is none.
func (w *wants) typeOf(name string) elem.Type {
	usable := func(s *elem.Spec) bool { return s.Name == name && s.Type.Known() && s.Type.Kind != elem.Hex }
	for i := range w.prints {
		if s := &w.prints[i].Spec; usable(s) {
			return s.Type
		}
	}
	for i := range w.plots {
		if s := &w.plots[i].Spec; usable(s) {
			return s.Type
		}
	}
	return elem.Type{}
}
