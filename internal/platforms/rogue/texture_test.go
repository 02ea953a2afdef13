package rogue

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// texAt is the address of the texels of these tests.
const texAt = 0x2_3456_7000

// A state is two words of 64 bits, in which fields are put by their place.
type state [2]uint64

func (s *state) put(word, at int, v uint64) *state {
	s[word] |= v << at
	return s
}

// image returns the state of a texture of a type and format, without a swizzle.
func image(kind, format, w, h uint64) *state {
	s := &state{}
	s.put(0, 0, kind).put(0, 27, format).put(0, 34, w-1).put(0, 48, h-1).put(0, 14, 0).put(0, 11, 1).put(0, 8, 2).put(0, 5, 3)
	return s.put(1, 16, texAt>>2)
}

// sampler clamps to the edge, takes the nearest texel and allows all levels.
func sampler() *state {
	s := &state{}
	return s.put(0, 0, 4095).put(0, 23, 959).put(0, 41, 2).put(0, 44, 2).put(0, 56, 2)
}

// A shot is a sample op of a case: words of its data by lane, from r0 up.
type shot struct {
	how     string // modifiers, with dimension: 2d.fcnorm
	image   *state
	sampler *state
	texels  []byte
	data    [][]uint32
	chans   int
	options map[string]string
	lod     string // instead of s3
}

func list(vs []uint32) casefile.Words {
	w := casefile.Words{List: true}
	for i := range 32 {
		w.V = append(w.V, uint64(vs[i%len(vs)]))
	}
	return w
}

// take runs the sample op and returns registers from r20 up by lane, and the texels afterwards.
func (x *shot) take(t *testing.T, results int) (out [][]uint32, mem []byte, err error) {
	t.Helper()
	lod, src := "_", ""
	if x.lod != "" {
		lod, src = "s3", ", s3 = "+x.lod
	}
	chans := max(x.chans, 1)
	text := fmt.Sprintf("{ s0 = sh0..3, s1 = r0..%d, s2 = sh4..7%s, s4 = r20..%d backend: smp.%s s4, drc0, s0, s1, s2, %s, 0x%x; }\n{ ctrl: wdf drc0; }\n{ ctrl: nop.end; }\n",
		max(len(x.data)-1, 1), src, 19+chans, x.how, lod, chans)
	tg := target()
	if x.options != nil {
		if tg, err = tg.With(tg.Dialect, x.options); err != nil {
			t.Fatal(err)
		}
	}
	c := &casefile.StateCase{Name: "t", ISA: "rogue", Stage: "raw", Launch: casefile.CaseLaunch{Lanes: 32}, Initial: &casefile.State{Regs: map[string]casefile.Words{}}}
	for i, s := range [2]*state{x.image, x.sampler} {
		for j := range 4 {
			c.Initial.Regs[fmt.Sprintf("sh%d", 4*i+j)] = casefile.Words{V: []uint64{s[j/2] >> (32 * (j % 2)) & 0xffffffff}}
		}
	}
	for i, vs := range x.data {
		c.Initial.Regs[fmt.Sprintf("r%d", i)] = list(vs)
	}
	c.Initial.Memory = []casefile.Memory{{Space: "global", Addr: texAt, Data: x.texels}}
	k, err := Platform.Case(runnable(t, tg, text), 0, c)
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Run(context.Background(), ref.New(), exec.Limits{Steps: 100}); err != nil {
		return nil, nil, err
	}
	for i := range results {
		get, _, err := k.Reg(fmt.Sprintf("r%d", 20+i))
		if err != nil {
			t.Fatal(err)
		}
		var vs []uint32
		for lane := range 32 {
			vs = append(vs, uint32(get(lane)))
		}
		out = append(out, vs)
	}
	mem, err = k.Bytes("global", texAt, uint64(len(x.texels)))
	return out, mem, err
}

// runnable returns a program that may have no public encoding.
func runnable(t *testing.T, tg *isa.Target, text string) ir.Code {
	t.Helper()
	a, errs := asm.AssembleToRun(tg, []byte(text), asm.Options{File: "program"})
	for _, e := range errs {
		t.Fatal(e.Detail())
	}
	p, err := a.Target.Runnable(a.Base, a.Code, a.Bundles)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// want runs the sample op and compares its results.
func (x *shot) want(t *testing.T, name string, results int, value func(lane, i int) uint32) {
	t.Helper()
	out, _, err := x.take(t, results)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	for i := range out {
		for lane, v := range out[i] {
			if w := value(lane, i); v != w {
				t.Errorf("%s: lane %d, result %d is %#x (%g), want %#x (%g)", name, lane, i, v, math.Float32frombits(v), w, math.Float32frombits(w))
				return
			}
		}
	}
}

func bitsOf(x float64) uint32 { return math.Float32bits(float32(x)) }

// places is a value for each lane.
func places(value func(lane int) float64) (vs []uint32) {
	for lane := range 32 {
		vs = append(vs, bitsOf(value(lane)))
	}
	return vs
}

// numbers is a number for each lane.
func numbers(value func(lane int) int) (vs []uint32) {
	for lane := range 32 {
		vs = append(vs, uint32(value(lane)))
	}
	return vs
}

// noise returns pseudo-random bytes.
func noise(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*167 + i>>5*41 + 11)
	}
	return b
}

func unorm(b byte) uint32 { return math.Float32bits(float32(b) / 255) }

// twist returns the index of a texel of a square in Morton order: y is in the lower bits.
func twist(x, y, side int) int {
	if side == 1 {
		return 0
	}
	h := side / 2
	return h*h*(2*(x/h)+y/h) + twist(x%h, y%h, h)
}

// TestRows: a texture of rows with a stride; channels are swizzled, and replaced by constants.
func TestRows(t *testing.T) {
	texels := noise(4 * 8 * 4)
	x := &shot{how: "2d.fcnorm", image: image(4, 12, 5, 4), sampler: sampler(), texels: texels, chans: 4}
	x.image.put(1, 0, 8-1)
	x.data = [][]uint32{places(func(l int) float64 { return (float64(l%5) + 0.5) / 5 }), places(func(l int) float64 { return (float64(l/5%4) + 0.5) / 4 })}
	at := func(l, c int) byte { return texels[4*(8*(l/5%4)+l%5)+c] }
	x.want(t, "as it lies", 4, func(l, i int) uint32 { return unorm(at(l, i)) })

	x.image[0] &^= 0xfff << 5
	x.image.put(0, 14, 2).put(0, 11, 5).put(0, 8, 4).put(0, 5, 1)
	x.want(t, "zyx", 4, func(l, i int) uint32 { return []uint32{unorm(at(l, 2)), 0, bitsOf(1), unorm(at(l, 1))}[i] })

	x.how = "2d"
	x.want(t, "integers", 4, func(l, i int) uint32 { return []uint32{uint32(at(l, 2)), 0, 1, uint32(at(l, 1))}[i] })

	x.how = "2d.fcnorm.f16"
	half := func(v byte) uint32 { return uint32(halfOf(float64(float32(v) / 255))) }
	x.want(t, "halves", 2, func(l, i int) uint32 { return []uint32{half(at(l, 2)), 0x3c00 | half(at(l, 1))<<16}[i] })
}

// halfOf rounds a number from 0 to 1 to the nearest half, ties to even.
func halfOf(x float64) uint16 {
	best, far := uint16(0), math.Inf(1)
	for h := range uint16(0x3c01) {
		v := float64(h&0x3ff) / 1024
		if e := int(h >> 10); e == 0 {
			v = math.Ldexp(v, -14)
		} else {
			v = math.Ldexp(1+v, e-15)
		}
		if d := math.Abs(v - x); d < far || d == far && h&1 == 0 {
			best, far = h, d
		}
	}
	return best
}

// TestTwiddled: levels of a chain, each twiddled, or in rows by the option; levels come from a register of each
// instance, or of all.
func TestTwiddled(t *testing.T) {
	// 6 by 8 texels of two bytes in 8 by 8, then 3 by 4 in 4 by 4, then 1 by 2 in 2 by 2.
	texels := noise(2 * (64 + 16 + 4))
	base := [3]int{0, 64, 80}
	size := [3][2]int{{6, 8}, {3, 4}, {1, 2}}
	x := &shot{how: "2d.fcnorm.replace.pplod", image: image(1, 7, 6, 8), sampler: sampler(), texels: texels, chans: 2}
	x.image.put(1, 0, 3).put(1, 15, 1)
	level := func(l int) int { return l % 3 }
	px := func(l int) int { return l / 3 % size[level(l)][0] }
	py := func(l int) int { return l / 5 % size[level(l)][1] }
	x.data = [][]uint32{places(func(l int) float64 { return (float64(px(l)) + 0.5) / float64(size[level(l)][0]) }),
		places(func(l int) float64 { return (float64(py(l)) + 0.5) / float64(size[level(l)][1]) }), places(func(l int) float64 { return float64(level(l)) })}
	x.want(t, "twiddled", 2, func(l, i int) uint32 {
		return unorm(texels[2*(base[level(l)]+twist(px(l), py(l), 8>>level(l)))+i])
	})
	x.options = map[string]string{"texture": "rows"}
	rows := func(l, i int) uint32 { return unorm(texels[2*(base[level(l)]+py(l)*(8>>level(l))+px(l))+i]) }
	x.want(t, "rows", 2, rows)

	x.data[0], x.data[1] = places(func(l int) float64 { return float64(px(l)) + 0.5 }), places(func(l int) float64 { return float64(py(l)) + 0.5 })
	x.how += ".nncoords"
	x.want(t, "whole texels", 2, rows)

	x.data, x.how, x.lod = x.data[:2], "2d.fcnorm.replace.nncoords", "sc64"
	level = func(int) int { return 1 }
	x.data[0], x.data[1] = places(func(l int) float64 { return float64(px(l)) + 0.5 }), places(func(l int) float64 { return float64(py(l)) + 0.5 })
	x.want(t, "level 1 for all", 2, rows)

	floats := x.data
	x.data, x.how = [][]uint32{numbers(px), numbers(py)}, "2d.fcnorm.replace.integer"
	x.want(t, "numbers of texels", 2, rows)

	x.data, x.lod, x.how = floats, "", "2d.fcnorm.nncoords"
	x.image.put(1, 60, 1) // begins at level 1
	x.image[1] &^= 0xf
	x.image.put(1, 0, 2)
	x.texels, base = texels[128:], [3]int{1: 64}
	x.want(t, "from level 1 on", 2, func(l, i int) uint32 { return unorm(texels[2*(64+py(l)*4+px(l))+i]) })
}

// TestOperands: the divisor of coordinates, offsets, layers, gradients, another address.
func TestOperands(t *testing.T) {
	texels := noise(3 * 4096)
	x := &shot{image: image(1, 0, 8, 8), sampler: sampler(), texels: texels, options: map[string]string{"texture": "rows"}}
	px, py := func(l int) int { return l % 8 }, func(l int) int { return l / 8 % 8 }
	cx, cy := places(func(l int) float64 { return (float64(px(l)) + 0.5) / 8 }), places(func(l int) float64 { return (float64(py(l)) + 0.5) / 8 })

	x.how = "2d.fcnorm.proj"
	x.data = [][]uint32{places(func(l int) float64 { return (float64(px(l)) + 0.5) / 4 }), places(func(l int) float64 { return (float64(py(l)) + 0.5) / 4 }), {bitsOf(2)}}
	x.want(t, "projected", 1, func(l, _ int) uint32 { return unorm(texels[8*py(l)+px(l)]) })

	x.how = "2d.fcnorm.soo"
	x.data = [][]uint32{cx, cy, {3 | 0x3e<<6, 0x3f | 1<<6}} // 3, -2 and -1, 1
	x.want(t, "moved", 1, func(l, _ int) uint32 {
		dx, dy := []int{3, -1}[l%2], []int{-2, 1}[l%2]
		return unorm(texels[8*min(max(py(l)+dy, 0), 7)+min(max(px(l)+dx, 0), 7)])
	})

	x.how = "2d.fcnorm.bias.pplod.tao"
	x.data = [][]uint32{cx, cy, {0}, {texAt & 0xffffffff, texAt&0xffffffff + 256, texAt&0xffffffff + 512}, {texAt >> 32}}
	x.want(t, "elsewhere", 1, func(l, _ int) uint32 { return unorm(texels[256*(l%3)+8*py(l)+px(l)]) })

	x.how = "2d.fcnorm.array"
	x.image.put(1, 4, 2)
	x.data = [][]uint32{cx, cy, {0, 1, 2, 3}}
	x.want(t, "a layer", 1, func(l, _ int) uint32 { return unorm(texels[4096*min(l%4, 2)+8*py(l)+px(l)]) })

	x.how, x.image = "2d.fcnorm.gradients", image(1, 0, 8, 8).put(1, 0, 4).put(1, 15, 1)
	step := func(l int) float64 { return math.Ldexp(1, l%3) / 8 }
	x.data = [][]uint32{cx, cy, places(step), {0}, {0}, {0}}
	base := []int{0, 64, 80}
	x.want(t, "by gradients", 1, func(l, _ int) uint32 {
		lv := l % 3
		return unorm(texels[base[lv]+8>>lv*(py(l)>>lv)+px(l)>>lv])
	})
}

// TestVolumes: 3D textures, whose sides in memory are multiples of four texels in rows; cube maps by direction.
func TestVolumes(t *testing.T) {
	texels := noise(64)
	x := &shot{how: "3d.fcnorm", image: image(2, 0, 4, 4).put(1, 4, 3), sampler: sampler(), texels: texels}
	c := func(shift int) []uint32 {
		return places(func(l int) float64 { return (float64((l*2+l/16)>>shift&3) + 0.5) / 4 })
	}
	x.data = [][]uint32{c(0), c(2), c(4)}
	n := func(l, shift int) int { return (l*2 + l/16) >> shift & 3 }
	x.want(t, "a volume", 1, func(l, _ int) uint32 {
		at := 0
		for k, v := range [3]int{n(l, 2), n(l, 0), n(l, 4)} { // y, x, z
			at |= v&1<<k | v>>1<<(3+k)
		}
		return unorm(texels[at])
	})
	x.options = map[string]string{"texture": "rows"}
	x.want(t, "in rows", 1, func(l, _ int) uint32 { return unorm(texels[16*n(l, 4)+4*n(l, 2)+n(l, 0)]) })

	faces := noise(6 * 4096)
	x = &shot{how: "3d.fcnorm", image: image(3, 0, 1, 1), sampler: sampler(), texels: faces}
	axis := func(k int) []uint32 {
		return places(func(l int) float64 { return []float64{1, -1}[l%2] * map[bool]float64{true: 3}[l/2%3 == k] })
	}
	x.data = [][]uint32{axis(0), axis(1), axis(2)}
	x.want(t, "a cube", 1, func(l, _ int) uint32 { return unorm(faces[4096*(2*(l/2%3)+l%2)]) })
}

// TestRaw: the four texels that a filter would blend, one after the other.
func TestRaw(t *testing.T) {
	texels := noise(4 * 16)
	x := &shot{how: "2d.fcnorm.data", image: image(4, 12, 4, 4).put(1, 0, 3), sampler: sampler(), texels: texels, chans: 2}
	x.data = [][]uint32{places(func(l int) float64 { return (float64(l%3) + 1) / 4 }), places(func(l int) float64 { return (float64(l/3%3) + 1) / 4 })}
	x.want(t, "x fastest", 8, func(l, i int) uint32 {
		texel := i / 2
		return unorm(texels[4*(4*(l/3%3+texel/2)+l%3+texel%2)+i%2])
	})
	x.options = map[string]string{"raw-order": "y"}
	x.want(t, "y fastest", 8, func(l, i int) uint32 {
		texel := i / 2
		return unorm(texels[4*(4*(l/3%3+texel%2)+l%3+texel/2)+i%2])
	})
}

// TestWrite: texels are stored in their format, from components if the option is set; missing channels are not stored.
func TestWrite(t *testing.T) {
	for _, f := range []struct {
		format uint64
		bytes  int
		texel  func(l int) []byte
	}{
		{12, 4, func(l int) []byte { return []byte{byte(l), 51, 255, 0} }},
		{0, 1, func(l int) []byte { return []byte{byte(l)} }},
		{61, 16, func(l int) (b []byte) {
			for _, v := range []float64{float64(l) / 255, 0.2, 1.5, -1} {
				b = binary.LittleEndian.AppendUint32(b, bitsOf(v))
			}
			return b
		}},
	} {
		texels := make([]byte, 32*f.bytes)
		x := &shot{how: "2d.fcnorm.nncoords.wrt", image: image(4, f.format, 8, 3).put(1, 0, 7), sampler: sampler(), texels: texels, chans: 4,
			options: map[string]string{"texel-store": "components"}}
		x.data = [][]uint32{places(func(l int) float64 { return float64(l % 8) }), places(func(l int) float64 { return float64(l / 8) }),
			places(func(l int) float64 { return float64(l) / 255 }), {bitsOf(0.2)}, {bitsOf(1.5)}, {bitsOf(-1)}}
		_, left, err := x.take(t, 0)
		if err != nil {
			t.Fatal(err)
		}
		for l := range 32 {
			want := make([]byte, f.bytes)
			if l < 24 {
				want = f.texel(l)
			}
			if got := left[l*f.bytes:][:f.bytes]; string(got) != string(want) {
				t.Errorf("format %d: texel %d is % x, want % x", f.format, l, got, want)
			}
		}
	}
}

// TestTextureRefused: undocumented states or instructions are faults that say so.
func TestTextureRefused(t *testing.T) {
	for _, c := range []struct {
		how    string
		change func(x *shot)
		text   string
	}{
		{"2d", func(x *shot) { x.image[0] |= 7 }, "a texture of type 7"},
		{"2d", func(x *shot) { x.image.put(0, 27, 127) }, "a texture of format 127"},
		{"2d", func(x *shot) { x.image.put(0, 5, 7) }, "channel 3 comes from 7"},
		{"2d", func(x *shot) { x.image.put(1, 54, 1) }, "format 0: of blocks ETC2 and EAC are built, not ASTC"},
		{"2d.fcnorm", func(x *shot) { x.image.put(0, 27, 45) }, "format 45: of blocks ETC2 and EAC are built, not ASTC, PVRTC and BC"},
		{"2d", func(x *shot) { x.image.put(0, 27, 68) }, "format 68, without FCNORM"},
		{"2d.fcnorm.wrt", func(x *shot) { x.image.put(0, 27, 68) }, "a store to a texture of blocks"},
		{"3d.fcnorm", func(x *shot) { x.image[0] ^= 3; x.image.put(0, 27, 68) }, "format 68, and of type 2"},
		{"2d", func(x *shot) { x.image.put(1, 54, 2) }, "compressed frame buffer"},
		{"2d", func(x *shot) { x.image.put(1, 58, 1) }, "a border of texels"},
		{"2d", func(x *shot) { x.image.put(1, 60, 15) }, "levels from 15 on"},
		{"2d", func(x *shot) { x.sampler.put(0, 36, 2) }, "filters 2 and 0"},
		{"2d", func(x *shot) { x.sampler.put(0, 41, 7) }, "address mode 7"},
		{"2d", func(x *shot) { x.sampler.put(0, 33, 7) }, "anisotropy 7"},
		{"2d", func(x *shot) { x.sampler.put(0, 47, 1) }, "luminance key"},
		{"2d", func(x *shot) { x.sampler[0] ^= 6 << 41; x.sampler.put(0, 50, 6) }, "border colour 6: 0 to 5 are those of Vulkan"},
		{"2d", func(x *shot) { x.image.put(0, 27, 61); x.sampler[0] ^= 6 << 41; x.sampler.put(0, 50, 3) }, "border colour 3: of format 61"},
		{"2d", func(x *shot) { x.image.put(0, 27, 24); x.sampler[0] ^= 6 << 41; x.sampler.put(0, 50, 2) }, "border colour 2: of format 24"},
		{"3d", func(*shot) {}, "a sample of 3 coordinates in a 2D texture, which has 2"},
		{"2d.fcnorm.sno", func(x *shot) { x.image.put(0, 62, 1); x.data[2] = []uint32{2 << 16} }, "sample 2 of a texture with 2 a texel"},
		{"2d.f16input", func(*shot) {}, "how halves lie in the data of a sample is not public"},
		{"2d", func(x *shot) { x.texels = x.texels[:1] }, "global"},
	} {
		x := &shot{how: c.how, image: image(1, 0, 8, 8), sampler: sampler(), texels: make([]byte, 64), data: [][]uint32{{bitsOf(0.9)}, {bitsOf(0.9)}, {bitsOf(0.9)}}}
		c.change(x)
		if _, _, err := x.take(t, 1); err == nil || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v, want %q", c.how, err, c.text)
		}
	}
}

// TestIterated: a sample at iterated coordinates, with perspective and also divided by an iterated word.
func TestIterated(t *testing.T) {
	texels := noise(64)
	for _, c := range []struct {
		text string
		sets []float64 // by component: A, B, C, unused
		x, y func(l int) float64
	}{
		{"itrsmp.2d.pixel.fcnorm.schedwdf r20, 0, drc0, cf4, sh0, sh4, 1, cf0", []float64{0.125, 0, 0, 0, 0, 0.125, 0, 0},
			func(l int) float64 { return float64(l%8) + 0.5 }, func(l int) float64 { return float64(l/8) + 0.5 }},
		{"itrsmp.2d.pixel.fcnorm.schedwdf r20, 1, drc0, cf4, sh0, sh4, 1, cf0", []float64{0.25, 0, 0, 0, 0, 0.25, 0.5, 0},
			func(l int) float64 { return float64(l%8) + 0.5 }, func(l int) float64 { return float64(l/8) + 2.5 }},
		{"itrsmp.2d.pixel.proj.fcnorm.schedwdf r20, 0, drc0, cf4, sh0, sh4, 1, cf0", []float64{0.5, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 4, 0},
			func(l int) float64 { return float64(l%8) + 0.5 }, func(l int) float64 { return float64(l/8) + 0.5 }},
	} {
		s := &casefile.StateCase{Name: "t", ISA: "rogue", Stage: "raw", Launch: casefile.CaseLaunch{Lanes: 32}, Initial: &casefile.State{Regs: map[string]casefile.Words{}}}
		for i, st := range [2]*state{image(4, 0, 8, 8).put(1, 0, 7), sampler()} {
			for j := range 4 {
				s.Initial.Regs[fmt.Sprintf("sh%d", 4*i+j)] = casefile.Words{V: []uint64{st[j/2] >> (32 * (j % 2)) & 0xffffffff}}
			}
		}
		for i, v := range append([]float64{0, 0, 2, 0}, c.sets...) {
			s.Initial.Regs[fmt.Sprintf("cf%d", i)] = casefile.Words{V: []uint64{uint64(bitsOf(v))}}
		}
		s.Initial.Regs["sr97"] = list(places(func(l int) float64 { return float64(l%8) + 0.5 }))
		s.Initial.Regs["sr100"] = list(places(func(l int) float64 { return float64(l/8) + 0.5 }))
		s.Initial.Memory = []casefile.Memory{{Space: "global", Addr: texAt, Data: texels}}
		k, err := Platform.Case(&isa.Program{Target: target(), Code: code(t, "{ ctrl: "+c.text+"; }\n{ ctrl: nop.end; }\n")}, 0, s)
		if err != nil {
			t.Fatal(err)
		}
		if err := k.Run(context.Background(), ref.New(), exec.Limits{Steps: 100}); err != nil {
			t.Fatal(err)
		}
		get, _, err := k.Reg("r20")
		for lane := range 32 {
			if want := unorm(texels[8*int(c.y(lane))+int(c.x(lane))]); err != nil || uint32(get(lane)) != want {
				t.Fatalf("%s: lane %d: %#x, want %#x", c.text, lane, get(lane), want)
			}
		}
	}
}
