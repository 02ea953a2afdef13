// Package examples holds kernels that heddle run takes; its tests check that what they are expected to
// give follows from their sources.
package examples

import (
	"encoding/binary"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/heddle-gpu/heddle/casefile"
)

var update = flag.Bool("update", false, "write the expected files")

// TestMandelbrotExpectation computes what the kernel is to give from its source, without its code.
func TestMandelbrotExpectation(t *testing.T) {
	const w, h, most = 384, 288, 256
	const x0, y0, step = float32(-2.25), float32(-1.125), float32(0.0078125)
	var want []byte
	for py := range h {
		for px := range w {
			cx, cy := x0+float32(float32(px)*step), y0+float32(float32(py)*step)
			want = binary.LittleEndian.AppendUint32(want, escape(cx, cy, most))
		}
	}
	same(t, filepath.Join("mandelbrot", "out.exp.bin"), want)
}

// escape is the number of iterations, each operation rounded on its own, until |z| exceeds 2.
func escape(cx, cy float32, most uint32) uint32 {
	var x, y float32
	for it := range most {
		xx, yy := float32(x*x), float32(y*y)
		if float32(xx+yy) > 4 {
			return it
		}
		y = float32(float32(float32(2*x)*y) + cy)
		x = float32(float32(xx-yy) + cx)
	}
	return most
}

// TestReductionExpectation is the same for reduce_lds.
func TestReductionExpectation(t *testing.T) {
	m, err := casefile.ReadManifestFile(filepath.Join("reduction", "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	in, err := os.ReadFile(filepath.Join("reduction", "in.in.bin"))
	if err != nil {
		t.Fatal(err)
	}
	l := &m.Launches[0]
	n := uint32(l.Args[2].Bits)
	sums := make([]uint32, l.Grid[0]/l.Block[0])
	for i := uint32(0); i < n; i++ {
		group := i % uint32(l.Grid[0]) / uint32(l.Block[0])
		sums[group] += binary.LittleEndian.Uint32(in[4*i:]) ^ i*2654435761
	}
	var want []byte
	for _, s := range sums {
		want = binary.LittleEndian.AppendUint32(want, s)
	}
	same(t, filepath.Join("reduction", "out.exp.bin"), want)
}

func same(t *testing.T, path string, want []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, want, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(want) {
		t.Fatalf("%s: %d bytes, want %d", path, len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("%s: byte %d is %#x, the formula gives %#x", path, i, got[i], want[i])
		}
	}
}

// TestScanExpectation is the same for scan: sums of what stands before a word in its block, and of the word.
func TestScanExpectation(t *testing.T) {
	const block = 256
	in, err := os.ReadFile(filepath.Join("scan", "in.in.bin"))
	if err != nil {
		t.Fatal(err)
	}
	var want []byte
	sum := uint32(0)
	for i := range len(in) / 4 {
		if i%block == 0 {
			sum = 0
		}
		sum += binary.LittleEndian.Uint32(in[4*i:])
		want = binary.LittleEndian.AppendUint32(want, sum)
	}
	same(t, filepath.Join("scan", "out.exp.bin"), want)
}

// TestTransposeExpectation: word (x, y) of the matrix is word (y, x) of the result.
func TestTransposeExpectation(t *testing.T) {
	const columns, rows = 64, 48
	in, err := os.ReadFile(filepath.Join("transpose", "in.in.bin"))
	if err != nil {
		t.Fatal(err)
	}
	want := make([]byte, 4*columns*rows)
	for y := range rows {
		for x := range columns {
			copy(want[4*(x*rows+y):], in[4*(y*columns+x):][:4])
		}
	}
	same(t, filepath.Join("transpose", "out.exp.bin"), want)
}
