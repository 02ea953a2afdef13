package heddle_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/heddle-gpu/heddle"
	"github.com/heddle-gpu/heddle/internal/ref"
)

func words(t *testing.T, path string) []uint32 {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	ws := make([]uint32, len(data)/4)
	if _, err := binary.Decode(data, binary.LittleEndian, ws); err != nil {
		t.Fatal(err)
	}
	return ws
}

// TestLaunchFiles: kernels leave in slices what their sources say, for files from elsewhere.
func TestLaunchFiles(t *testing.T) {
	in, out := words(t, "examples/reduction/in.in.bin"), make([]uint32, 4)
	m := load(t, reduce)
	kept := slices.Clone(in)
	res, err := m.Launch(t.Context(), heddle.Launch{Grid: [3]uint32{1024}}, in, out, len(in)) // workgroups as the kernel was compiled for
	if want := words(t, "examples/reduction/out.exp.bin"); err != nil || !slices.Equal(out, want) || res.Groups != 4 {
		t.Errorf("reduction: %d in %d groups, %v; want %d", out, res.Groups, err, want)
	}
	if !slices.Equal(in, kept) {
		t.Error("reduction changed its input")
	}
	data, err := os.ReadFile("examples/mandelbrot/mandelbrot.gfx803.hsaco")
	if err != nil {
		t.Fatal(err)
	}
	if m, err = heddle.Read(data); err != nil {
		t.Fatal(err)
	}
	const w, rows = 384, 2
	out = make([]uint32, w*rows)
	l := heddle.Launch{Kernel: "mandelbrot", Grid: [3]uint32{w, rows}, Block: [3]uint32{64}}
	l.Engine, l.Workers = ref.New(), 2
	if _, err = m.Launch(t.Context(), l, out, float32(-2.25), float32(-1.125), float32(1./128), float32(1./128), int32(w), uint32(256)); err != nil {
		t.Fatal(err)
	}
	if want := words(t, "examples/mandelbrot/out.exp.bin")[:w*rows]; !slices.Equal(out, want) {
		t.Error("mandelbrot: the first rows are not as expected")
	}
}

// TestLaunchArguments: every way to pass a value, and the effect on slices.
func TestLaunchArguments(t *testing.T) {
	m := load(t, saxpy)
	l := heddle.Launch{Grid: [3]uint32{64}, Block: [3]uint32{64}}
	for name, n := range map[string]any{"int": 3, "int32": int32(3), "uint32": uint32(3), "bytes": heddle.Value{3, 0, 0, 0}} {
		x, y := []float32{1, 2, 3, 4}, []float32{1, 1, 1, 1}
		if _, err := m.Launch(t.Context(), l, x, y, float32(2), n); err != nil || !slices.Equal(y, []float32{3, 5, 7, 1}) {
			t.Errorf("n as %s: %v, %v", name, y, err)
		}
	}
	// One slice given twice is one buffer: y = 2 y + y.
	y := []float32{1, 2, 3, 4}
	if _, err := m.Launch(t.Context(), l, y, y, float32(2), 4); err != nil || !slices.Equal(y, []float32{3, 6, 9, 12}) {
		t.Errorf("in place: %v, %v", y, err)
	}
	// Parts of one array that do not overlap are two.
	a := []float32{1, 2, 10, 20}
	if _, err := m.Launch(t.Context(), l, a[:2], a[2:], float32(1), 2); err != nil || !slices.Equal(a, []float32{1, 2, 11, 22}) {
		t.Errorf("halves: %v, %v", a, err)
	}
	// A kernel sees bytes, whatever the slice is made of; -1 items are none.
	b, c := make([]byte, 16), []uint64{0x3f800000_40000000, 0}
	if _, err := m.Launch(t.Context(), l, c, b, float32(4), 2); err != nil || !bytes.Equal(b[:8], []byte{0, 0, 0, 0x41, 0, 0, 0x80, 0x40}) {
		t.Errorf("other types: %x, %v", b, err)
	}
	if _, err := m.Launch(t.Context(), l, c, b, float32(4), -1); err != nil || b[3] != 0x41 {
		t.Errorf("no items: %x, %v", b, err)
	}
	// Ids begin at the offset: items 2 and 3 only.
	y, l.Offset, l.Grid = []float32{0, 0, 0, 0}, [3]uint64{2}, [3]uint32{64}
	if _, err := m.Launch(t.Context(), l, []float32{1, 1, 1, 1}, y, float32(5), 4); err != nil || !slices.Equal(y, []float32{0, 0, 5, 5}) {
		t.Errorf("offset: %v, %v", y, err)
	}
}

// TestLaunchTypes: slices of every kind of number are passed and returned.
func TestLaunchTypes(t *testing.T) {
	m := load(t, saxpy)
	l := heddle.Launch{Grid: [3]uint32{64}, Block: [3]uint32{64}}
	x := []uint32{0x3f800000, 0x40000000} // 1, 2
	want := []byte{0, 0, 0x80, 0xbf, 0, 0, 0, 0xc0}
	for _, y := range []any{make([]int8, 8), make([]uint8, 8), make([]int16, 4), make([]uint16, 4), make([]int32, 2), make([]uint32, 2),
		make([]int64, 1), make([]uint64, 1), make([]float32, 2), make([]float64, 1)} {
		_, err := m.Launch(t.Context(), l, x, y, float32(-1), 2)
		if got, _ := binary.Append(nil, binary.LittleEndian, y); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%T: %x, %v; want %x", y, got, err, want)
		}
	}
}

// TestModule: the contents of a code object can be listed, and used with the other functions.
func TestModule(t *testing.T) {
	m := load(t, saxpy)
	if k := m.Kernels(); !slices.Equal(k, []string{"saxpy"}) || m.ISA().String() != "gcn:gfx8" {
		t.Errorf("%v of %s", k, m.ISA())
	}
	k, _ := m.Object.Kernel("saxpy")
	code := m.Object.Code(k)
	back, err := m.ISA().Assemble(m.ISA().Disassemble(code))
	if err != nil || !bytes.Equal(back, code) || len(code) == 0 {
		t.Errorf("%d bytes became %d: %v", len(code), len(back), err)
	}
	n := 0
	for rest := code; len(rest) > 0; n++ {
		_, size, _ := m.ISA().Decode(rest)
		rest = rest[size:]
	}
	if n < 5 || n > len(code)/4 {
		t.Errorf("%d instructions in %d bytes", n, len(code))
	}
}

// TestLaunchTogether: launches of one module may run concurrently, and read one slice.
func TestLaunchTogether(t *testing.T) {
	m := load(t, saxpy)
	x := []float32{1, 2, 3, 4}
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			y := make([]float32, 4)
			l := heddle.Launch{Grid: [3]uint32{64}, Block: [3]uint32{64}}
			a := float32(i)
			if _, err := m.Launch(t.Context(), l, x, y, a, len(y)); err != nil || !slices.Equal(y, []float32{a, 2 * a, 3 * a, 4 * a}) {
				t.Errorf("%v times x: %v, %v", a, y, err)
			}
		})
	}
	wait.Wait()
}
