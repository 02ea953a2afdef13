package mem

import (
	"math"
	"testing"
)

// TestCubeTies: which face a direction hits if two or three of its coordinates are equally large, or NaN: x if it
// is not below y and above z, else y if it is not below z and above x, else z. docs/reference/attila.md 9.4.
func TestCubeTies(t *testing.T) {
	tex := ramp(6)
	tex.Target, tex.Width, tex.Height = TextureCube, 1, 1
	data := tex.Levels[0][0]
	tex.Levels[0] = nil
	for i := range data {
		tex.Levels[0] = append(tex.Levels[0], data[i:i+1])
	}
	u, err := NewUnit(tex, Sampler{Wrap: [3]WrapMode{ClampToEdge, ClampToEdge}, Rules: Rules{Face: FaceEach}})
	if err != nil {
		t.Fatal(err)
	}
	nan := float32(math.NaN())
	minus := float32(math.Copysign(0, -1))
	for _, c := range []struct {
		at   [3]float32
		face float32 // +x -x +y -y +z -z
	}{
		{[3]float32{2, 1, 1}, 0}, {[3]float32{-2, 1, 1}, 1}, {[3]float32{1, 2, 1}, 2}, {[3]float32{1, -2, 1}, 3}, {[3]float32{1, 1, 2}, 4}, {[3]float32{1, 1, -2}, 5},
		{[3]float32{2, 2, 1}, 0}, {[3]float32{-2, 2, 1}, 1}, {[3]float32{2, -2, 1}, 0}, // x and y: x
		{[3]float32{2, 1, 2}, 4}, {[3]float32{2, 1, -2}, 5}, {[3]float32{-2, 1, 2}, 4}, // x and z: z
		{[3]float32{1, 2, 2}, 2}, {[3]float32{1, -2, 2}, 3}, {[3]float32{1, 2, -2}, 2}, // y and z: y
		{[3]float32{1, 1, 1}, 4}, {[3]float32{-1, -1, -1}, 5}, {[3]float32{-1, 1, 1}, 4}, {[3]float32{1, -1, -1}, 5}, // all: z
		{[3]float32{0, 0, 0}, 4}, {[3]float32{0, 0, minus}, 4}, // -0 is not below 0
		{[3]float32{nan, 1, 1}, 4}, {[3]float32{1, nan, 0}, 4}, {[3]float32{1, 0, nan}, 4}, {[3]float32{nan, 1, 2}, 4}, {[3]float32{nan, nan, nan}, 4},
	} {
		q := Quad{Need: 15, Coord: [4][3]float32{c.at, c.at, c.at, c.at}}
		u.Sample(&q)
		for lane := range q.Texel {
			if got := math.Float32frombits(q.Texel[lane][0]) / 10; got != c.face {
				t.Errorf("%v: face %v, want %v", c.at, got, c.face)
			}
		}
	}
	// With equal votes for several faces the lowest wins: two for +y and two for -x.
	u, err = NewUnit(tex, Sampler{Wrap: [3]WrapMode{ClampToEdge, ClampToEdge}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		dirs [4][3]float32
		face float32
	}{
		{[4][3]float32{{0, 1, 0}, {-1, 0, 0}, {0, 1, 0}, {-1, 0, 0}}, 1},
		{[4][3]float32{{0, 0, -1}, {0, 0, 1}, {0, -1, 0}, {0, 1, 0}}, 2},
		{[4][3]float32{{0, 0, -1}, {0, 0, -1}, {1, 0, 0}, {0, 1, 0}}, 5},
	} {
		q := Quad{Need: 1, Coord: c.dirs}
		u.Sample(&q)
		if got := math.Float32frombits(q.Texel[0][0]) / 10; got != c.face {
			t.Errorf("votes of %v: face %v, want %v", c.dirs, got, c.face)
		}
	}
}

// The value of texel i of ramp is 10 i; noTexel means that no texel is read.
const noTexel = -1

// TestWrapNearest: the texel that nearest reads at and next to the edges, with sizes that are and are not a power
// of two, under both rules. By the definitions of OpenGL, except that under the rule of coordinates a clamp reads
// texel n, which does not exist, at 1.
func TestWrapNearest(t *testing.T) {
	for _, c := range []struct {
		rule WrapRule
		mode WrapMode
		n    int
		want map[float32]int // by texel coordinate: x*n
	}{
		{WrapTexel, Repeat, 5, map[float32]int{-5.5: 4, -5: 0, -1: 4, -0.5: 4, 0: 0, 4.5: 4, 5: 0, 6: 1, 10: 0}},
		{WrapTexel, MirroredRepeat, 5, map[float32]int{-6: 4, -5.5: 4, -5: 4, -1: 0, -0.5: 0, 0: 0, 4.5: 4, 5: 4, 5.5: 4, 9.5: 0, 10: 0, 11: 1}},
		{WrapTexel, ClampToEdge, 5, map[float32]int{-7: 0, 0: 0, 4: 4, 5: 4, 50: 4}},
		{WrapTexel, ClampToBorder, 5, map[float32]int{-7: noTexel, -0.5: noTexel, 0: 0, 4: 4, 5: noTexel, 50: noTexel}},
		{WrapTexel, Clamp, 5, map[float32]int{-7: 0, 0: 0, 4.5: 4, 5: noTexel, 50: noTexel}},
		{WrapCoordinate, Repeat, 5, map[float32]int{-5.5: 4, -1: 4, -0.5: 4, 0: 0, 4.5: 4, 5: 0, 6: 1}},
		{WrapCoordinate, MirroredRepeat, 5, map[float32]int{-5.5: 4, -0.5: 0, 0: 0, 4.5: 4, 5: 4, 5.5: 4, 9.5: 0, 10: 0}},
		{WrapCoordinate, ClampToEdge, 5, map[float32]int{-7: 0, 0: 0, 4.5: 4, 5: 4, 50: 4}},
		{WrapCoordinate, ClampToBorder, 5, map[float32]int{-7: noTexel, 0: 0, 4.5: 4, 50: noTexel}},
		{WrapCoordinate, Clamp, 5, map[float32]int{-7: 0, 0: 0, 4.5: 4, 5: noTexel, 50: noTexel}},
		{WrapCoordinate, Repeat, 4, map[float32]int{-4.5: 3, -1: 3, 0: 0, 3.5: 3, 4: 0, 5: 1}},
		{WrapTexel, Clamp, 4, map[float32]int{-7: 0, 3.5: 3, 4: noTexel}},
	} {
		s := Sampler{Border: [4]float32{99}, Rules: Rules{Wrap: c.rule, Border: BorderColour}}
		s.Wrap[0] = c.mode
		u, err := NewUnit(ramp(c.n), s)
		if err != nil {
			t.Fatal(err)
		}
		for x, i := range c.want {
			want := float32(10 * i)
			if i == noTexel {
				want = 99
			}
			if got := at(t, u, x/float32(c.n)); got != want {
				t.Errorf("rule %d, %s of %d texels at %v: %v, want %v", c.rule, c.mode, c.n, x, got, want)
			}
		}
	}
}

// TestWrapLinear: the two texels that a linear filter blends at the edges, half of each: a sample on the line
// between texels i-1 and i. The border is 99.
func TestWrapLinear(t *testing.T) {
	for _, c := range []struct {
		rule WrapRule
		mode WrapMode
		at   float32 // in texels, of 5
		want float32 // twice the mean
	}{
		{WrapTexel, Repeat, 0, 40 + 0}, {WrapTexel, Repeat, 5, 40 + 0}, {WrapTexel, Repeat, -5, 40 + 0}, {WrapTexel, Repeat, 1, 0 + 10},
		{WrapCoordinate, Repeat, 0, 40 + 0}, {WrapCoordinate, Repeat, 5, 40 + 0}, {WrapCoordinate, Repeat, 3, 20 + 30},
		{WrapTexel, MirroredRepeat, 0, 0}, {WrapTexel, MirroredRepeat, 5, 80}, {WrapTexel, MirroredRepeat, -1, 10}, {WrapTexel, MirroredRepeat, 9, 10},
		{WrapCoordinate, MirroredRepeat, 0, 0}, {WrapCoordinate, MirroredRepeat, 5, 80}, {WrapCoordinate, MirroredRepeat, 4, 70},
		{WrapTexel, ClampToEdge, 0, 0}, {WrapTexel, ClampToEdge, -9, 0}, {WrapTexel, ClampToEdge, 5, 80}, {WrapTexel, ClampToEdge, 4, 70},
		{WrapCoordinate, ClampToEdge, 0, 0}, {WrapCoordinate, ClampToEdge, 9, 80},
		{WrapTexel, ClampToBorder, 0, 99 + 0}, {WrapTexel, ClampToBorder, 5, 40 + 99}, {WrapTexel, ClampToBorder, 6, 2 * 99},
		{WrapCoordinate, ClampToBorder, 0, 99 + 0}, {WrapCoordinate, ClampToBorder, 5, 40 + 99}, {WrapCoordinate, ClampToBorder, 9, 2 * 99},
		{WrapTexel, Clamp, 0, 99 + 0}, {WrapTexel, Clamp, -9, 99 + 0}, {WrapTexel, Clamp, 5, 40 + 99}, {WrapTexel, Clamp, 9, 40 + 99},
		{WrapCoordinate, Clamp, 0, 99 + 0}, {WrapCoordinate, Clamp, 5, 40 + 99}, {WrapCoordinate, Clamp, 9, 40 + 99}, {WrapCoordinate, Clamp, 2, 10 + 20},
	} {
		s := Sampler{Min: Linear, Mag: Linear, Border: [4]float32{99}, Rules: Rules{Wrap: c.rule, Border: BorderColour}}
		s.Wrap[0] = c.mode
		u, err := NewUnit(ramp(5), s)
		if err != nil {
			t.Fatal(err)
		}
		if got := at(t, u, c.at/5); math.Abs(float64(got-c.want/2)) > 1e-4 {
			t.Errorf("rule %d, %s at texel %v: %v, want %v", c.rule, c.mode, c.at, got, c.want/2)
		}
	}
}

// TestLevelEdges: which level is read, and with which filter, at the levels of detail where that changes. Levels of
// 8, 4, 2 and 1 texels hold 0, 100, 200 and 40; the base level is magnified up to a level of detail of 0.
func TestLevelEdges(t *testing.T) {
	tex := ramp(8)
	clear(tex.Levels[0][0])
	tex.Levels = append(tex.Levels, [][]byte{{100, 100, 100, 100}}, [][]byte{{200, 200}}, [][]byte{{40}})
	tex.Last = 12
	values := []float32{0, 100, 200, 40}
	mix := func(level float64) float32 {
		i := int(level)
		if i >= 3 {
			return values[3]
		}
		w := float32(level - float64(i))
		return values[i]*(1-w) + values[i+1]*w
	}
	for _, c := range []struct {
		mip       MipFilter
		base, top int
		lod, want float32
	}{
		{MipNearest, 0, 12, -3, 0}, {MipNearest, 0, 12, 0, 0}, {MipNearest, 0, 12, 0.5, 0}, {MipNearest, 0, 12, 0.5625, 100}, {MipNearest, 0, 12, 1.5, 100},
		{MipNearest, 0, 12, 1.75, 200}, {MipNearest, 0, 12, 2.5, 200}, {MipNearest, 0, 12, 2.75, 40}, {MipNearest, 0, 12, 9, 40},
		{MipNearest, 1, 12, 0.5, 100}, {MipNearest, 1, 12, 1, 200}, {MipNearest, 1, 2, 9, 200}, {MipNearest, 0, 1, 9, 100}, {MipNearest, 0, 1, 1.5, 100},
		{MipLinear, 0, 12, -3, 0}, {MipLinear, 0, 12, 0, 0}, {MipLinear, 0, 12, 0.25, mix(0.25)}, {MipLinear, 0, 12, 1, mix(1)}, {MipLinear, 0, 12, 1.5, mix(1.5)},
		{MipLinear, 0, 12, 2.75, mix(2.75)}, {MipLinear, 0, 12, 3, 40}, {MipLinear, 0, 12, 7.5, 40}, {MipLinear, 0, 1, 7.5, 100}, {MipLinear, 1, 12, 1.5, mix(2.5)},
		{MipNone, 0, 12, 9, 0}, {MipNone, 2, 12, 9, 200},
	} {
		x := tex
		x.Base, x.Last = c.base, c.top
		u, err := NewUnit(x, Sampler{Mip: c.mip, MinLod: -20, MaxLod: 20})
		if err != nil {
			t.Fatal(err)
		}
		q := Quad{Lod: LodExplicit, Need: 1, W: [4]float32{c.lod}}
		q.Coord[0][0] = 0.25
		u.Sample(&q)
		if got := math.Float32frombits(q.Texel[0][0]); math.Abs(float64(got-c.want)) > 1e-3 {
			t.Errorf("mip filter %d, levels %d to %d, level of detail %v: %v, want %v", c.mip, c.base, c.top, c.lod, got, c.want)
		}
	}
	// Up to 0 the magnification filter is used, above it the minification filter.
	r := ramp(4)
	u, err := NewUnit(r, Sampler{Min: Nearest, Mag: Linear, MinLod: -20, MaxLod: 20})
	if err != nil {
		t.Fatal(err)
	}
	for lod, want := range map[float32]float32{-1: 15, 0: 15, math.SmallestNonzeroFloat32: 20, 1: 20} {
		q := Quad{Lod: LodExplicit, Need: 1, W: [4]float32{lod}}
		q.Coord[0][0] = 0.5
		u.Sample(&q)
		if got := math.Float32frombits(q.Texel[0][0]); got != want {
			t.Errorf("level of detail %v: %v, want %v", lod, got, want)
		}
	}
}
