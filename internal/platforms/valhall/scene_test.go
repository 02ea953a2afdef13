package valhall

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/draw"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/launch"
)

const draws = "../../../cases/render/valhall"

func readScene(t testing.TB, name string) scene {
	t.Helper()
	path := filepath.Join(draws, name, "scene.json")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Scenes.Read(bytes.NewReader(data), path)
	if err != nil {
		t.Fatal(err)
	}
	return s.(scene)
}

func sceneSettings(workers int) launch.Settings {
	return launch.Settings{Engine: ref.New(), Workers: workers, Limits: exec.Limits{Steps: 20000, Total: 2_000_000}}
}

// TestSceneWorkers: the picture does not depend on the number of workers.
func TestSceneWorkers(t *testing.T) {
	s := readScene(t, "fragcoord_facing")
	var first *launch.Drawn
	for _, workers := range []int{1, 3, 8} {
		d, err := s.Draw(context.Background(), "v9", sceneSettings(workers))
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = d
		}
		if !slices.Equal(d.Targets[0].Pixels, first.Targets[0].Pixels) || !d.BottomUp || d.Triangles != 6 || d.Vertices != 18 {
			t.Fatalf("%d workers: another picture, or %d triangles of %d vertices", workers, d.Triangles, d.Vertices)
		}
	}
}

// changed is the memory of a scene with some words changed.
func changed(t *testing.T, s scene, change func(put func(uint64, uint32), get func(uint64) uint32)) []Region {
	t.Helper()
	list, err := s.s.ReadMemory()
	if err != nil {
		t.Fatal(err)
	}
	at := func(addr uint64) []byte {
		for _, m := range list {
			if addr >= m.Addr && addr+4 <= m.Addr+uint64(m.Size) {
				return m.Data[addr-m.Addr:]
			}
		}
		t.Fatalf("no memory at %#x", addr)
		return nil
	}
	change(func(a uint64, v uint32) { binary.LittleEndian.PutUint32(at(a), v) }, func(a uint64) uint32 { return binary.LittleEndian.Uint32(at(a)) })
	return list
}

// TestSceneState: bits of the descriptors change what is drawn, or are rejected with a reason.
func TestSceneState(t *testing.T) {
	s := readScene(t, "smooth_persp")
	const word = 4
	flip := func(at uint64, bits uint32) func(put func(uint64, uint32), get func(uint64) uint32) {
		return func(put func(uint64, uint32), get func(uint64) uint32) { put(at, get(at)^bits) }
	}
	job := s.s.Job
	through := func(pointer, at uint64, bits uint32) func(put func(uint64, uint32), get func(uint64) uint32) {
		return func(put func(uint64, uint32), get func(uint64) uint32) {
			p := uint64(get(pointer))&^15 + at
			put(p, get(p)^bits)
		}
	}
	depth, blends := job+jobDraw+10*word, job+jobDraw+12*word
	for _, c := range []struct {
		what   string
		change func(put func(uint64, uint32), get func(uint64) uint32)
		refuse string
		drawn  int // pixels: 0 none, 1 the same number, 2 fewer
	}{
		{"as it is", func(func(uint64, uint32), func(uint64) uint32) {}, "", 1},
		{"type", flip(job+4*word, 2), "job at", 0},
		{"points", flip(job+8*word, 8^1), "draw mode 1", 0},
		{"restart", flip(job+8*word, 1<<19), "restart", 0},
		{"samples", flip(job+jobDraw, 1<<19), "samples", 0},
		{"cull both", flip(job+jobDraw, 3<<17), "", 0},
		{"no targets", flip(job+jobDraw+word, 1<<16), "", 0},
		{"scissor", flip(job+26*word, 32), "", 2},
		{"never", through(depth, 4*word, 7<<29), "", 0},
		{"stencil", through(depth, 0, 1<<31), "stencil", 0},
		{"bias", through(depth, 4*word, 1<<28), "bias", 0},
		{"blend shader", through(blends, 2*word, 1), "shader blends", 0},
		{"blending off", through(blends, 2*word, 2), "", 0},
		{"no channels", through(blends, word, 15<<28), "", 0},
	} {
		list := changed(t, s, c.change)
		d, err := s.drawFrom(context.Background(), list, "v9", sceneSettings(1))
		if c.refuse != "" {
			if err == nil || !strings.Contains(err.Error(), c.refuse) {
				t.Errorf("%s: %v, want %q", c.what, err, c.refuse)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		n := 0
		for _, p := range d.Targets[0].Pixels {
			if p != d.Targets[0].Pixels[0] { // the corner is not covered
				n++
			}
		}
		if n > 3000 != (c.drawn == 1) || n == 0 != (c.drawn == 0) {
			t.Errorf("%s: %d pixels", c.what, n)
		}
	}
}

// TestSceneHostile: whatever the contents of memory, a draw ends with a picture or an error.
func TestSceneHostile(t *testing.T) {
	rnd := rand.New(rand.NewPCG(4, 4))
	failed := 0
	for _, name := range []string{"smooth_persp", "texel_fetch", "tex_shadow"} {
		s := readScene(t, name)
		for range 20 {
			list, err := s.s.ReadMemory()
			if err != nil {
				t.Fatal(err)
			}
			for range 1 + rnd.IntN(8) {
				m := &list[rnd.IntN(len(list))]
				if n := s.s.Memory[slices.IndexFunc(s.s.Memory, func(x Region) bool { return x.Addr == m.Addr })].Bytes; n > 0 {
					m.Data[rnd.IntN(n)] ^= 1 << rnd.IntN(8)
				}
			}
			if _, err := s.drawFrom(context.Background(), list, "v9", sceneSettings(1)); err != nil {
				failed++
			}
		}
	}
	if failed < 5 {
		t.Errorf("only %d draws fail", failed)
	}
}

// FuzzSceneMemory: no contents of memory make a draw panic or run forever.
func FuzzSceneMemory(f *testing.F) {
	f.Add(uint32(0x304), uint32(0xffffffff), uint32(0x20), uint32(1))
	f.Fuzz(func(t *testing.T, at1, v1, at2, v2 uint32) {
		s := readScene(t, "tex_shadow")
		list, err := s.s.ReadMemory()
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range [2][2]uint32{{at1, v1}, {at2, v2}} {
			m := &list[c[0]%uint32(len(list))]
			if len(m.Data) >= 4 {
				binary.LittleEndian.PutUint32(m.Data[int(c[0]/uint32(len(list)))%(len(m.Data)-3):], c[1])
			}
		}
		_, _ = s.drawFrom(context.Background(), list, "v9", sceneSettings(1))
	})
}

// TestInterpolation: weights of a triangle's vertices at an offset, compared with barycentric coordinates divided by w.
func TestInterpolation(t *testing.T) {
	corners := [3][2]float64{{1, 2}, {30, 5}, {8, 28}}
	w := [3]float64{1, 2.5, 0.75}
	value := [3]float64{3, -7, 11}
	linear := func(x, y float64) (l [3]float64) {
		cross := func(a, b [2]float64) float64 { return (a[0]-x)*(b[1]-y) - (b[0]-x)*(a[1]-y) }
		l = [3]float64{cross(corners[1], corners[2]), cross(corners[2], corners[0]), cross(corners[0], corners[1])}
		sum := l[0] + l[1] + l[2]
		for i := range l {
			l[i] /= sum
		}
		return l
	}
	want := func(x, y float64) float64 {
		top, bottom := 0.0, 0.0
		for i, l := range linear(x, y) {
			top += l * value[i] / w[i]
			bottom += l / w[i]
		}
		return top / bottom
	}
	f := &fragments{x: &setup{job: &drawJob{flat: 2}}, in: make([]draw.Fragment, 4)}
	params := &[3][]uint32{}
	for i := range params {
		params[i] = []uint32{math.Float32bits(float32(1 / w[i])), math.Float32bits(float32(value[i]))}
	}
	for lane := range f.in {
		x, y := 10.5+float64(lane%2), 12.5+float64(lane/2)
		l := linear(x, y)
		sum := l[0]/w[0] + l[1]/w[1] + l[2]/w[2]
		f.in[lane] = draw.Fragment{Params: params, Linear: [2]float32{float32(l[1]), float32(l[2])},
			Persp: [2]float32{float32(l[1] / w[1] / sum), float32(l[2] / w[2] / sum)}}
	}
	for lane := range f.in {
		x, y := 10.5+float64(lane%2), 12.5+float64(lane/2)
		for _, c := range []struct {
			how    ir.How
			dx, dy float64
		}{{ir.HowPerspective, 0, 0}, {ir.HowPerspective | ir.AtOffset, 0, 0}, {ir.HowPerspective | ir.AtOffset, 0.25, -0.5}, {ir.HowPerspective | ir.AtOffset, -0.4, 0.3}} {
			call := &exec.IOCall{Value: new(exec.IOValue)}
			call.Count, call.How = 1, c.how
			call.X[lane], call.Y[lane] = float32(c.dx), float32(c.dy)
			if err := f.input(call, lane); err != nil {
				t.Fatal(err)
			}
			if got, want := float64(math.Float32frombits(call.Value[0][lane])), want(x+c.dx, y+c.dy); math.Abs(got-want) > 1e-5 {
				t.Errorf("lane %d, offset %g,%g: %g, want %g", lane, c.dx, c.dy, got, want)
			}
		}
		call := &exec.IOCall{Value: new(exec.IOValue)}
		call.Count = 1
		if err := f.input(call, lane); err != nil || call.Value[0][lane] != params[2][1] {
			t.Errorf("flat: %#x, %v", call.Value[0][lane], err)
		}
		call.Slot[lane] = 4
		if err := f.input(call, lane); err == nil {
			t.Error("a varying beyond the record is no error")
		}
	}
}
