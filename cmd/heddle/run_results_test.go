//go:build unix

package main

import (
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/heddle-gpu/heddle/internal/elem"
)

// TestPixels: a picture of a buffer has its bytes as pixels, rows from the top.
func TestPixels(t *testing.T) {
	dir := fixture(t)
	c := invocation{args: "run " + kernel + " --out out=out.bin --png out=colour.png:2x2 --png out=grey.png:4x4:u8"}
	cmd, stderr := c.prepare(t, dir, "")
	if code := exitCode(t, cmd.Run()); code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	data, err := os.ReadFile(filepath.Join(dir, "out.bin"))
	if err != nil || len(data) != 16 {
		t.Fatal(len(data), err)
	}
	for i := range 16 {
		if got, want := pixel(t, dir, "grey.png", i%4, i/4), (color.NRGBA{data[i], data[i], data[i], 255}); got != want {
			t.Errorf("grey %d: %v, want %v", i, got, want)
		}
	}
	for i := range 4 {
		b := data[4*i:]
		if got, want := pixel(t, dir, "colour.png", i%2, i/2), (color.NRGBA{b[0], b[1], b[2], b[3]}); got != want {
			t.Errorf("colour %d: %v, want %v", i, got, want)
		}
	}
}

func pixel(t *testing.T, dir, name string, x, y int) color.NRGBA {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	return color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
}

// TestReadResults: parsing of the parts of a flag.
func TestReadResults(t *testing.T) {
	f32, any := elem.Type{Kind: elem.Float, Bits: 32, Lanes: 1}, elem.Type{}
	open, part := elem.Spec{Name: "out", To: -1}, elem.Spec{Name: "out", From: 2, To: 5, Bounded: true}
	typed, both := open, part
	typed.Type, both.Type = f32, f32
	for text, want := range map[string]wantPlot{
		"out":                    {Spec: open},
		"out:f32":                {Spec: typed},
		"out[2:5]":               {Spec: part},
		"out:f32[2:5]":           {Spec: both},
		"out:x.png":              {Spec: open, file: "x.png"},
		"out:-":                  {Spec: open, file: "-"},
		"out:f32:x.PNG":          {Spec: typed, file: "x.PNG"},
		"out[2:5]:x.png":         {Spec: part, file: "x.png"},
		"out:f32[2:5]:a/x:y.png": {Spec: both, file: "a/x:y.png"},
	} {
		if got, err := readPlotFlag(text); err != nil || got != want {
			t.Errorf("--plot %s: %+v, %v", text, got, err)
		}
	}
	for text, want := range map[string]wantPNG{
		"out=x.png:4x8":     {name: "out", file: "x.png", width: 4, height: 8, typ: any},
		"out=x.png:4x8:f32": {name: "out", file: "x.png", width: 4, height: 8, typ: f32},
		"out=a:b:4x8":       {name: "out", file: "a:b", width: 4, height: 8, typ: any},
		"out=-:4x8":         {name: "out", file: "-", width: 4, height: 8, typ: any},
	} {
		if got, err := readPNGFlag(text); err != nil || got != want {
			t.Errorf("--png %s: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "out", "out=", "out=x.png", "out=x.png:f32", "=x.png:1x1", "out=:1x1", "out=x:1x99999", "out=x:-1x1", "out=x:1x1:f31", "out=x:1x1x1"} {
		if got, err := readPNGFlag(text); err == nil {
			t.Errorf("--png %s: %+v", text, got)
		}
	}
}

// TestToStdout: only the name of the file decides whether a buffer goes to standard output, whatever prefix or suffix
// it has.
func TestToStdout(t *testing.T) {
	for text, want := range map[string]bool{"out=-": true, "out=/dev/stdout": false, "out=x=-": false, "out=./-": false, "out=--": false} {
		c := Results{Out: []string{text}}
		if err := c.read(false); err != nil || c.wants.toStdout() != want {
			t.Errorf("--out %s: %v, %v", text, c.wants.toStdout(), err)
		}
	}
	twice := Results{Out: []string{"a=x/../y", "b=y"}}
	if err := twice.read(false); err == nil {
		t.Error("one file for two buffers")
	}
	c := Results{Out: []string{"a=x", "b=y"}, PNG: []string{"a=z:1x1"}, Plot: []string{"a", "b:w.png"}}
	if err := c.read(false); err != nil {
		t.Fatal(err)
	}
	want := [][2]string{{"--out a=x", "x"}, {"--out b=y", "y"}, {"--png a=z:1x1", "z"}, {"--plot b:w.png", "w.png"}}
	if got := c.wants.files(); !reflect.DeepEqual(got, want) {
		t.Errorf("%q", got)
	}
}
