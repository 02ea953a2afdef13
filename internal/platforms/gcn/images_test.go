package gcn

import (
	"fmt"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// A resource is a T# by fields.
type resource struct {
	base                          uint64
	minLod, data, number          uint32
	width, height, depth, pitch   uint32
	selects                       [4]uint32
	first, last, tiling, kind     uint32
	pow2, slice0, slice1, squeeze uint32
}

// plain is an image of 8_8_8_8 unorm, 64 texels wide and 48 high.
func plain() resource {
	return resource{base: 0x12_3456_7800, data: 10, width: 64, height: 48, depth: 1, pitch: 80, selects: [4]uint32{4, 5, 6, 7}, tiling: 8, kind: 9}
}

func (r *resource) words() []uint32 {
	return []uint32{
		uint32(r.base >> 8), uint32(r.base>>40) | r.minLod<<8 | r.data<<20 | r.number<<26,
		r.width - 1 | (r.height-1)<<14,
		r.selects[0] | r.selects[1]<<3 | r.selects[2]<<6 | r.selects[3]<<9 | r.first<<12 | r.last<<16 | r.tiling<<20 | r.pow2<<25 | r.kind<<28,
		r.depth - 1 | (r.pitch-1)<<13, r.slice0 | r.slice1<<13, r.squeeze << 21, 0,
	}
}

func space(t *testing.T) *mem.Space {
	s, err := mem.NewSpace("global", mem.NewSegment("texels", 0x10000, 1<<16, mem.Read))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestTexture: the shape and the addresses of levels that a T# describes; expected values are computed by hand from
// docs/reference/gcn.md 8.4.1.
func TestTexture(t *testing.T) {
	b := plain().base
	for _, c := range []struct {
		name   string
		change func(r *resource)
		sliced bool
		want   string
	}{
		{"plain", func(r *resource) {}, false, "2D 64x48x1 layers 0: {0 140 3c00}"},
		// Heights 48, 24, 12 are padded to 64, 32, 16; a row is 80, then 40 and 20 texels rounded up to 16.
		{"levels", func(r *resource) { r.last, r.pow2 = 2, 1 }, false, "2D 64x48x1 layers 0: {0 140 5000} {5000 c0 1800} {6800 80 800}"},
		{"base level", func(r *resource) { r.first, r.last, r.pow2 = 1, 2, 1 }, false, "2D 32x24x1 layers 0: {5000 c0 1800} {6800 80 800}"},
		// A row of 40 texels is rounded up to 48, and to 64 for slices of two rows to be of 64 texels.
		// Three layers are padded to four.
		{"array", func(r *resource) { r.kind, r.depth, r.slice1, r.last, r.pow2 = 13, 3, 2, 1, 1 }, true, "2D 64x48x1 layers 3: {0 140 5000} {14000 c0 1800}"},
		{"part of an array", func(r *resource) { r.kind, r.depth, r.slice0, r.slice1 = 13, 5, 1, 2 }, true, "2D 64x48x1 layers 2: {3c00 140 3c00}"},
		{"array as one", func(r *resource) { r.kind, r.depth, r.slice0, r.slice1 = 13, 5, 1, 2 }, false, "2D 64x48x1 layers 0: {3c00 140 3c00}"},
		{"cube", func(r *resource) { r.kind, r.height, r.slice1 = 11, 64, 5 }, true, "CUBE 64x64x1 layers 0: {0 140 5000}"},
		{"cubes", func(r *resource) { r.kind, r.height, r.slice1 = 11, 64, 11 }, true, "CUBE 64x64x1 layers 2: {0 140 5000}"},
		// Two cubes are twelve slices, padded to sixteen, also if only six are seen.
		{"first of cubes", func(r *resource) { r.kind, r.height, r.depth, r.slice1, r.last, r.pow2 = 11, 64, 2, 5, 1, 1 }, true, "CUBE 64x64x1 layers 0: {0 140 5000} {50000 c0 1800}"},
		{"face", func(r *resource) { r.kind, r.height, r.slice1 = 11, 64, 5 }, false, "2D 64x64x1 layers 0: {0 140 5000}"},
		{"3D", func(r *resource) { r.kind, r.height, r.depth, r.last, r.pow2 = 10, 4, 6, 1, 1 }, false, "3D 64x4x6 layers 0: {0 140 500} {2800 100 200}"},
		{"1D", func(r *resource) { r.kind, r.height = 8, 1 }, false, "1D 64x1x1 layers 0: {0 140 140}"},
		{"1D array", func(r *resource) { r.kind, r.height, r.depth, r.slice1 = 12, 1, 4, 3 }, true, "1D 64x1x1 layers 4: {0 140 140}"},
		// Rows of 1 byte per texel are multiples of 64 texels, those of 16 bytes of 8.
		{"bytes", func(r *resource) { r.data, r.pitch, r.last, r.pow2 = 1, 128, 1, 1 }, false, "2D 64x48x1 layers 0: {0 80 2000} {2000 40 800}"},
		{"wide", func(r *resource) { r.data, r.number, r.pitch, r.last, r.pow2 = 14, 7, 72, 1, 1 }, false, "2D 64x48x1 layers 0: {0 480 12000} {12000 280 5000}"},
	} {
		r := plain()
		c.change(&r)
		tex, err := textureOf(r.words(), space(t), nil, c.sliced)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		got := fmt.Sprintf("%s %dx%dx%d layers %d:", tex.Target, tex.Width, tex.Height, tex.Depth, tex.Layers)
		for _, p := range tex.Guest.Levels {
			got += fmt.Sprintf(" {%x %x %x}", p.Base+uint64(p.First)*p.Slice-b, p.Row, p.Slice)
		}
		if got != c.want || tex.Last != len(tex.Guest.Levels)-1 {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestTextureErrors: errors of unsupported and invalid descriptors name the field and its value.
func TestTextureErrors(t *testing.T) {
	for _, c := range []struct {
		change func(r *resource)
		want   string
	}{
		{func(r *resource) { r.tiling = 13 }, "tiling index 13: only 8"},
		{func(r *resource) { r.kind = 0 }, "type 0, want 8 to 15"},
		{func(r *resource) { r.kind, r.last = 14, 2 }, "tiling index 8: 4 samples a pixel in linear images"},
		{func(r *resource) { r.data, r.number = 49, 0 }, "FMASK8_S4_F4 as unorm"},
		{func(r *resource) { r.data = 48 }, "data format 48, FMASK8_S4_F2, which is not built"},
		{func(r *resource) { r.squeeze = 1 }, "compression_en"},
		{func(r *resource) { r.first = 1 }, "levels 1 to 0"},
		{func(r *resource) { r.data, r.number = 35, 1 }, "BC1 as snorm, which does not exist"},
		{func(r *resource) { r.data, r.number = 38, 9 }, "BC4 as srgb, which does not exist"},
		{func(r *resource) { r.data, r.number = 41, 15 }, "number format 15, which does not exist"},
		{func(r *resource) { r.data = 15 }, "data format 15, which does not exist"},
		{func(r *resource) { r.number = 8 }, "number format 8, which does not exist"},
		{func(r *resource) { r.number = 12 }, "number format 12, ubint, which is not built"},
		{func(r *resource) { r.number = 7 }, "8_8_8_8 as float, which does not exist: mem: format 8_8_8_8 float: a float of 8 bits"},
		{func(r *resource) { r.data, r.number = 34, 0 }, "5_9_9_9 as unorm"},
		{func(r *resource) { r.data, r.number = 4, 9 }, "32 as srgb"},
		{func(r *resource) { r.kind, r.slice0, r.slice1 = 13, 3, 2 }, "layers 3 to 2 of 1"},
		{func(r *resource) { r.kind, r.slice1 = 13, 7 }, "layers 0 to 7 of 1"},
		{func(r *resource) { r.kind, r.slice1 = 11, 6 }, "cube of 7 faces"},
	} {
		r := plain()
		c.change(&r)
		if _, err := textureOf(r.words(), space(t), nil, true); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	if _, err := textureOf(make([]uint32, 4), nil, nil, false); err == nil {
		t.Error("four words are no error")
	}
}

// TestSampler: fields of an S#.
func TestSampler(t *testing.T) {
	w := []uint32{1 | 2<<3 | 6<<6 | 3<<9 | 1<<12 | 1<<15, 0x180 | 0x240<<12, 0x3f80 | 1<<20 | 3<<22 | 2<<26, 2 << 30}
	w[0] |= 1 << 28
	s, err := samplerOf(w)
	if err != nil {
		t.Fatal(err)
	}
	want := mem.Sampler{Wrap: [3]mem.WrapMode{mem.MirroredRepeat, mem.ClampToEdge, mem.ClampToBorder}, Mag: mem.Linear, Min: mem.Linear, Mip: mem.MipLinear,
		Bias: -0.5, MinLod: 1.5, MaxLod: 2.25, MaxAniso: 8, Unnormalised: true, Compare: mem.CompareGreater, Border: [4]float32{1, 1, 1, 1}, Rules: rules}
	if *s != want {
		t.Errorf("got %+v, want %+v", *s, want)
	}
	for _, c := range []struct {
		w    [4]uint32
		want string
	}{
		{[4]uint32{1 << 29}, "filter mode 1"},
		{[4]uint32{6, 0, 0, 3<<30 | 5}, "number 5 of a table"},
		{[4]uint32{0, 0, 3 << 26}, "mip filter 3"},
	} {
		if _, err := samplerOf(c.w[:]); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	if _, err := samplerOf([]uint32{0, 0, 0, 3 << 30}); err != nil {
		t.Errorf("a border of the table that no mode reads: %v", err)
	}
}

// TestNoImage: a T# of zeros has no texels; RADV sets it where there is no image.
func TestNoImage(t *testing.T) {
	im := NewImages(space(t), nil)
	for _, words := range []uint8{8, 12} {
		img, err := im.Of(&exec.ImageKey{Count: words})
		if err != nil {
			t.Fatal(err)
		}
		q := mem.Quad{Need: 2}
		q.Texel[0], q.Texel[1] = [4]uint32{1, 1, 1, 1}, [4]uint32{1, 1, 1, 1}
		img.Sample(&q)
		_, bytes := img.Place([3]uint32{}, 0, 0)
		_, block := img.Block([3]uint32{}, 0, 0)
		if q.Texel != [4][4]uint32{{1, 1, 1, 1}} || bytes != 0 || block != 0 || img.Dims(0) != [4]uint32{} {
			t.Errorf("%d words: %v, %d and %d bytes, %v", words, q.Texel, bytes, block, img.Dims(0))
		}
	}
}

// TestSamplerOfSamples: an image with several samples a pixel has no sampler.
func TestSamplerOfSamples(t *testing.T) {
	chip := tilingOf("8 polaris10")
	r := plain()
	r.kind, r.last, r.tiling, r.pitch = 14, 2, 14, 256
	k := exec.ImageKey{Count: 12}
	copy(k.Words[:], r.words())
	im := NewImages(space(t), chip)
	if _, err := im.Of(&k); err == nil || !strings.Contains(err.Error(), "a sampler for a T# of type 14") {
		t.Errorf("got %v", err)
	}
	k.Count = 8
	if img, err := im.Of(&k); err != nil || img.Dims(3)[0] != 64 {
		t.Errorf("%v, %v", img, err)
	}
}

// TestImages: equal words give the same image, also from several goroutines; a comparison and layers depend on the
// instruction.
func TestImages(t *testing.T) {
	r := plain()
	r.base = 0x10000
	key := exec.ImageKey{Count: 12}
	copy(key.Words[:], r.words())
	im := NewImages(space(t), nil)
	a, err := im.Of(&key)
	if err != nil {
		t.Fatal(err)
	}
	if b, _ := im.Of(&key); a != b {
		t.Error("equal words are two images")
	}
	done := make(chan error)
	for i := range 8 {
		go func() {
			k := key
			k.Words[8] = uint32(i % 3)
			_, err := im.Of(&k)
			done <- err
		}()
	}
	for range 8 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	other := key
	other.With = ir.ImageCompare
	if c, _ := im.Of(&other); a == c {
		t.Error("a comparison makes no difference")
	}
	other.Count = 9
	if _, err := im.Of(&other); err == nil {
		t.Error("nine words are no error")
	}
	for i := range uint32(maxMade + 10) { // the cache is bounded
		k := key
		k.Words[9] = i
		if _, err := im.Of(&k); err != nil {
			t.Fatal(err)
		}
	}
	if len(im.made) > maxMade {
		t.Errorf("%d images are kept", len(im.made))
	}
}
