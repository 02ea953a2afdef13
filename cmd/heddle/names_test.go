package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// clearing clears the screen of a terminal; it is as long as the name that it replaces.
const clearing = "\x1b[2Jreduce"

// TestNames: names of kernels, buffers, pictures, cases and files are printed as harmless text, whatever they contain.
func TestNames(t *testing.T) {
	dir := t.TempDir()
	from := filepath.Join("..", "..", "examples", "reduction")
	for _, name := range []string{"manifest.json", "reduce_lds.gfx803.hsaco", "in.in.bin", "out.exp.bin"} {
		data, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			t.Fatal(err)
		}
		switch name {
		case "manifest.json":
			for _, c := range [][2]string{{`"reduce_lds"`, `"\u001b[2Jreduce"`}, {`"out"`, `"o\u009b\u001b]0;t\u0007"`}, {"reduce_lds.gfx803.hsaco", `\u001b[2J.hsaco`}} {
				data = bytes.ReplaceAll(data, []byte(c[0]), []byte(c[1]))
			}
		case "reduce_lds.gfx803.hsaco":
			data = bytes.ReplaceAll(data, []byte("reduce_lds"), []byte(clearing))
			name = "\x1b[2J.hsaco"
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cases := "#isa\tstage\thex\ttext\tflags\tnote\ngcn:gfx8\t-\t000080bf\ts_nop \x1b[2J\tD\t\ngcn:gfx8\t\x1b[2J\t000080bf\ts_nop 1\tD\t\ngcn:\x1b[2J\t-\t00\tx\tD\t\n"
	for name, text := range map[string]string{"\x1b[2J.tsv": cases, "bad.s": "s_nop \x1b[2J\n", "lines": "s_nop \x1b[2J\n",
		"scene.json": `{"isa": "attila", "width": 8, "height": 8, "draws": [{"name": "\u001b[2J", "fragment": "\u001b[2J", "count": 3}]}`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	object := "\x1b[2J.hsaco"
	for _, args := range [][]string{
		{"dis", object}, {"lint", "\x1b[2J.none"}, {"run", object},
		{"run", object, "--grid", "256", "--block", "256", "--arg", "buf:in.in.bin", "--arg", "zero:4", "--arg", "u32:0"},
		{"run", object, "--grid", "256", "--block", "256", "--arg", "buf:in.in.bin", "--arg", "\x1b[2J=zero:16", "--arg", "u32:5000"},
		{"run", object, "--kernel", "\x1b[2Jreducf", "--grid", "256", "--block", "256"},
		{"run", "."}, {"run", ".", "--json"}, {"run", "\x1b[2J.none"},
		{"check", "-v", "."}, {"check", "--json", "."}, {"check", "\x1b[2J.none"},
		{"asm", "--isa", "gcn", "--hex", "bad.s"}, {"asm", "--isa", "gcn", "--lines", "lines"}, {"dis", "--isa", "gcn", "--lines", "lines"},
		{"eval", "--isa", "gcn", "s_nop \x1b[2J"}, {"render", "scene.json", "-o", "x.png"}, {"render", "--isa", "\x1b[2J", "--fragment", "bad.s", "-o", "x.png"},
		{"\x1b[2J"}, {"dis", "--\x1b[2J"},
	} {
		c := exec.Command("heddle", args...)
		c.Dir = dir
		out, err := c.CombinedOutput()
		if len(out) == 0 {
			t.Errorf("%q: nothing is printed: %v", args, err)
		}
		if i := bytes.IndexAny(out, "\x1b\x07"); i >= 0 || bytes.Contains(out, []byte("\u009b")) {
			t.Errorf("%q: %q", args, out)
		}
		if strings.Contains(string(out), "panic") {
			t.Errorf("%q: %s", args, out)
		}
	}
}
