//go:build linux && amd64

package gputest

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// A sampledFormat is a format of sampled images: a number of VkFormat, the bytes of a texel or of a block of side by
// side texels, and which sampler of GLSL it has. near is how far a texel may be from lavapipe's.
type sampledFormat struct {
	name                string
	number, bytes, side int
	sampler             string // "", "u" or "i"
	modes               int    // of -x
	near                float64
}

// Lavapipe decodes BC1 to BC5 to bytes, and rounds down endpoints, sums and quotients; the specification has fractions.
// Of the three of a colour each is less than 1/255, and so is each of the steps after it; the slope of sRGB is at most
// 2.3. Of BC7 it multiplies bytes by a rounded 1/255. Of BC6H it is exact.
const (
	bcNear     = 2.0 / 255
	bcNearSRGB = 2.3 * bcNear
	bcNearSign = 2.0 / 127
	byteNear   = 1.0 / (1 << 23)
)

var blockFormats = []sampledFormat{
	{"BC1_RGB_UNORM", 131, 8, 4, "", 0, bcNear}, {"BC1_RGB_SRGB", 132, 8, 4, "", 0, bcNearSRGB},
	{"BC1_RGBA_UNORM", 133, 8, 4, "", 0, bcNear}, {"BC1_RGBA_SRGB", 134, 8, 4, "", 0, bcNearSRGB},
	{"BC2_UNORM", 135, 16, 4, "", 0, bcNear}, {"BC2_SRGB", 136, 16, 4, "", 0, bcNearSRGB},
	{"BC3_UNORM", 137, 16, 4, "", 0, bcNear}, {"BC3_SRGB", 138, 16, 4, "", 0, bcNearSRGB},
	{"BC4_UNORM", 139, 8, 4, "", 0, bcNear}, {"BC4_SNORM", 140, 8, 4, "", 0, bcNearSign},
	{"BC5_UNORM", 141, 16, 4, "", 0, bcNear}, {"BC5_SNORM", 142, 16, 4, "", 0, bcNearSign},
	{"BC6H_UFLOAT", 143, 16, 4, "", 6, 0}, {"BC6H_SFLOAT", 144, 16, 4, "", 6, 0},
	{"BC7_UNORM", 145, 16, 4, "", 7, byteNear}, {"BC7_SRGB", 146, 16, 4, "", 7, byteNear},
}

// A sampledShape is an image and the shader that reads it: array, volume or cube.
type sampledShape struct {
	shader, offset       string
	kind                 int // of -x
	width, height, depth int
	levels, layers       int
	groups               [2]int
	results              int // of an invocation
}

// Sizes are no multiples of a block, and levels smaller than one. A cube's are, so that no source differs in how it
// reads beyond an edge.
var sampledShapes = []sampledShape{
	{"array", "", 2, 33, 21, 1, 6, 2, [2]int{5, 3}, 2 * (6 + 5)},
	{"array", "", 2, 300, 70, 1, 3, 1, [2]int{38, 9}, 3 + 5},
	{"volume", "", 3, 20, 12, 6, 3, 1, [2]int{3, 2}, 6 * (3 + 2)},
	{"cube", "vec2(0.5)", 6, 24, 24, 1, 3, 6, [2]int{3, 3}, 6 * 3},
	{"cube", "vec2(0.3125, 0.8125)", 6, 24, 24, 1, 3, 6, [2]int{3, 3}, 6 * 3},
}

// command compiles the shader of an image and returns the client's command.
func (s *sampledShape) command(t *testing.T, vkrun string, f *sampledFormat, sampler int) []string {
	t.Helper()
	text, err := os.ReadFile("testdata/formats/" + s.shader + ".comp")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	source, spv := filepath.Join(dir, "s.comp"), filepath.Join(dir, "s.spv")
	if err := os.WriteFile(source, []byte(strings.NewReplacer("TYPE", f.sampler, "OFFSET", s.offset).Replace(string(text))), 0o666); err != nil {
		t.Fatal(err)
	}
	compile(t, source, spv)
	var spec []string
	for _, n := range []int{f.number, f.bytes, f.side, s.kind, s.width, s.height, s.depth, s.levels, s.layers, sampler, f.modes} {
		spec = append(spec, strconv.Itoa(n))
	}
	bytes := s.groups[0] * s.groups[1] * 64 * 16 * s.results
	return []string{vkrun, spv, strconv.Itoa(s.groups[0]), strconv.Itoa(s.groups[1]), "1", "-c", "-b", fmt.Sprint(bytes, ":0"), "-x", strings.Join(spec, ",")}
}

// farApart returns where two outputs of floats differ by more than near; "" if nowhere. What is not a number is equal.
func farApart(want, got string, near func(want float64) float64) string {
	w, g := strings.Fields(want), strings.Fields(got)
	if len(w) != len(g) {
		return fmt.Sprintf("%d words, want %d", len(g), len(w))
	}
	for i := range w {
		if w[i] == g[i] {
			continue
		}
		a, err1 := strconv.ParseUint(w[i], 16, 32)
		b, err2 := strconv.ParseUint(g[i], 16, 32)
		x, y := float64(math.Float32frombits(uint32(a))), float64(math.Float32frombits(uint32(b)))
		if err1 != nil || err2 != nil || !(math.Abs(x-y) <= near(x)) && !(x != x && y != y) {
			return fmt.Sprintf("word %d: %s (%g), want %s (%g)", i, g[i], y, w[i], x)
		}
	}
	return ""
}

// sampled compares a format in a shape with lavapipe on some chips.
func sampled(t *testing.T, on []string, vkrun string, f *sampledFormat, s *sampledShape, sampler int) {
	t.Helper()
	command := s.command(t, vkrun, f, sampler)
	want := onLavapipe(t, command...)
	near := func(float64) float64 { return f.near }
	if sampler > 0 {
		// Vulkan leaves the bits of weights to the device, at least 4; lavapipe has 8, and rounds bytes between its
		// steps. Two steps of filtering and one between levels are each less than 1/255 of the range.
		near = func(v float64) float64 { return f.near + 3.0/255*max(1, math.Abs(v)) }
	}
	for _, c := range on {
		r := onGPU(t, c, []string{"VK_ICD_FILENAMES=" + radv}, command...)
		if d := farApart(want, r.out, near); d != "" || r.code != nil || r.log != "" {
			t.Errorf("%s, %s, %dx%dx%d, sampler %d, %s: %v: %s\n%s%s", f.name, s.shader, s.width, s.height, s.depth, sampler, c, r.code, d, r.log, r.err)
		}
		if r.stats.Dispatches.Load() == 0 {
			t.Errorf("%s: nothing was dispatched", c)
		}
	}
}

// TestBlockFormats: images of BC1 to BC7, of random blocks of all modes, read by texelFetch, nearest and linear samples
// and gathers, in all levels, layers, faces and slices. Each format is on at least two generations of chips.
func TestBlockFormats(t *testing.T) {
	vkrun := client(t)
	for i := range blockFormats {
		f := &blockFormats[i]
		t.Run(f.name, func(t *testing.T) {
			for k := range sampledShapes {
				if !long && (i+k)%len(sampledShapes) > 1 {
					continue
				}
				s := &sampledShapes[k]
				linear := s.offset == "vec2(0.3125, 0.8125)" // across the edges of a cube
				if s.shader != "cube" {
					sampled(t, inTurn(i+k), vkrun, f, s, 2)
				}
				sampled(t, inTurn(i+k+1), vkrun, f, s, map[bool]int{true: 1}[linear])
			}
		})
	}
}

// A sampleFormat is a format of images with several samples a pixel, its layout in GLSL, and the bits of a component.
type sampleFormat struct {
	layout      string
	number, of  int // of VkFormat, and of components
	bits, bytes int
}

var sampleFormats = []sampleFormat{
	{"r8ui", 13, 1, 8, 1}, {"r16ui", 74, 1, 16, 2}, {"r32ui", 98, 1, 32, 4}, {"rg32ui", 101, 2, 32, 8}, {"rgba32ui", 107, 4, 32, 16},
}

// wantSamples is what samples.comp prints.
func wantSamples(f *sampleFormat, width, height, samples, layers int) string {
	var b strings.Builder
	words := 0
	for n := range layers * samples * 2 * height * width {
		x, y, layer, s := n%width, n/width%height, n/width/height/2/samples, n/width/height/2%samples
		x, y = (x+5)%width, (y+3)%height
		v := uint32(((layer*8+s)*64+y)*64 + x)
		for i, c := range [4]uint32{v, v*5 + 1, v * 11, ^v} {
			if i >= f.of {
				c = uint32(i / 3) // w is 1
			}
			fmt.Fprintf(&b, "%08x%c", c&uint32(1<<f.bits-1), " \n"[words%8/7])
			words++
		}
	}
	return b.String() + "\n"
}

// TestSamples: images with 2, 4 and 8 samples a pixel: stores, loads as storage and as sampled images, with FMASK if
// the image can be a render target too. Expected values are computed, and those of four samples are lavapipe's too.
func TestSamples(t *testing.T) {
	vkrun := client(t)
	text, err := os.ReadFile("testdata/formats/samples.comp")
	if err != nil {
		t.Fatal(err)
	}
	const width, height, target = 40, 24, 0x10
	source, spv := filepath.Join(t.TempDir(), "s.comp"), filepath.Join(t.TempDir(), "s.spv")
	for i := range sampleFormats {
		f := &sampleFormats[i]
		for k, samples := range []int{2, 4, 8} {
			if !long && (i+k)%2 != 0 {
				continue
			}
			for _, usage := range []int{0, target} {
				layers := 2 - usage/target*2 // no array
				r := strings.NewReplacer("LAYOUT", f.layout, "MASK", fmt.Sprintf("%#xu", uint32(1<<f.bits-1)), "LAYERED", fmt.Sprint(layers/2))
				if err := os.WriteFile(source, []byte(r.Replace(string(text))), 0o666); err != nil {
					t.Fatal(err)
				}
				compile(t, source, spv)
				bytes := max(layers, 1) * samples * 2 * width * height * 16
				command := []string{vkrun, spv, "5", "3", "1", "-c", "-n", "2", "-b", fmt.Sprint(bytes, ":0"),
					"-m", fmt.Sprint(f.number, ",", width, ",", height, ",", samples, ",", layers, ",", usage)}
				want := wantSamples(f, width, height, samples, max(layers, 1))
				if samples == 4 {
					if d := differs(want, onLavapipe(t, command...)); d != "" {
						t.Errorf("%s on lavapipe: %s", f.layout, d)
					}
				}
				for _, c := range chips() {
					r := onGPU(t, c, []string{"VK_ICD_FILENAMES=" + radv}, command...)
					if d := differs(want, r.out); d != "" || r.code != nil || r.log != "" {
						t.Errorf("%s, %d samples, usage %#x, %s: %v: %s\n%s%s", f.layout, samples, usage, c, r.code, d, r.log, r.err)
					}
				}
			}
		}
	}
}

// Lavapipe takes components of less than 8 bits as bytes, and approximates sRGB.
const (
	narrowNear = 1.0 / 255
	srgbNear   = 1.0 / 512
)

// plainFormats are formats of texels. Floats and integers are equal.
var plainFormats = []sampledFormat{
	{"R5G6B5_UNORM", 4, 2, 1, "", 0, narrowNear}, {"B5G6R5_UNORM", 5, 2, 1, "", 0, narrowNear}, {"R5G5B5A1_UNORM", 6, 2, 1, "", 0, narrowNear},
	{"B5G5R5A1_UNORM", 7, 2, 1, "", 0, narrowNear}, {"A1R5G5B5_UNORM", 8, 2, 1, "", 0, narrowNear}, {"R8_UNORM", 9, 1, 1, "", 0, byteNear},
	{"R8_SNORM", 10, 1, 1, "", 0, byteNear}, {"R8_UINT", 13, 1, 1, "u", 0, 0}, {"R8_SINT", 14, 1, 1, "i", 0, 0}, {"R8G8_UNORM", 16, 2, 1, "", 0, byteNear},
	{"R8G8_SNORM", 17, 2, 1, "", 0, byteNear}, {"R8G8_UINT", 20, 2, 1, "u", 0, 0}, {"R8G8_SINT", 21, 2, 1, "i", 0, 0},
	{"R8G8B8A8_UNORM", 37, 4, 1, "", 0, byteNear}, {"R8G8B8A8_SNORM", 38, 4, 1, "", 0, byteNear}, {"R8G8B8A8_UINT", 41, 4, 1, "u", 0, 0},
	{"R8G8B8A8_SINT", 42, 4, 1, "i", 0, 0}, {"R8G8B8A8_SRGB", 43, 4, 1, "", 0, srgbNear}, {"B8G8R8A8_UNORM", 44, 4, 1, "", 0, byteNear},
	{"B8G8R8A8_SRGB", 50, 4, 1, "", 0, srgbNear}, {"A2R10G10B10_UNORM", 58, 4, 1, "", 0, byteNear}, {"A2B10G10R10_UNORM", 64, 4, 1, "", 0, byteNear},
	{"A2B10G10R10_UINT", 68, 4, 1, "u", 0, 0}, {"R16_UNORM", 70, 2, 1, "", 0, byteNear}, {"R16_SNORM", 71, 2, 1, "", 0, byteNear},
	{"R16_UINT", 74, 2, 1, "u", 0, 0}, {"R16_SINT", 75, 2, 1, "i", 0, 0}, {"R16_SFLOAT", 76, 2, 1, "", 0, 0}, {"R16G16_UNORM", 77, 4, 1, "", 0, byteNear},
	{"R16G16_UINT", 81, 4, 1, "u", 0, 0}, {"R16G16_SFLOAT", 83, 4, 1, "", 0, 0}, {"R16G16B16A16_UNORM", 91, 8, 1, "", 0, byteNear},
	{"R16G16B16A16_SNORM", 92, 8, 1, "", 0, byteNear}, {"R16G16B16A16_UINT", 95, 8, 1, "u", 0, 0}, {"R16G16B16A16_SINT", 96, 8, 1, "i", 0, 0},
	{"R16G16B16A16_SFLOAT", 97, 8, 1, "", 0, 0}, {"R32_UINT", 98, 4, 1, "u", 0, 0}, {"R32_SINT", 99, 4, 1, "i", 0, 0}, {"R32_SFLOAT", 100, 4, 1, "", 0, 0},
	{"R32G32_UINT", 101, 8, 1, "u", 0, 0}, {"R32G32_SFLOAT", 103, 8, 1, "", 0, 0}, {"R32G32B32A32_UINT", 107, 16, 1, "u", 0, 0},
	{"R32G32B32A32_SINT", 108, 16, 1, "i", 0, 0}, {"R32G32B32A32_SFLOAT", 109, 16, 1, "", 0, 0}, {"B10G11R11_UFLOAT", 122, 4, 1, "", 0, 0},
	{"E5B9G9R9_UFLOAT", 123, 4, 1, "", 0, 0},
}

// unstored are formats that RADV or lavapipe do not offer for storage.
var unstored = map[int]bool{4: true, 5: true, 6: true, 7: true, 8: true, 43: true, 44: true, 50: true, 123: true}

// TestPlainFormats: sampled images of formats of texels, fetched, sampled and gathered, and storage images of them: a
// load and a store keep the texel. Formats take turns on the chips.
func TestPlainFormats(t *testing.T) {
	vkrun := client(t)
	text, err := os.ReadFile("testdata/formats/copy.comp")
	if err != nil {
		t.Fatal(err)
	}
	spvs := map[string]string{}
	for _, sampler := range []string{"", "u", "i"} {
		dir := t.TempDir()
		source, spv := filepath.Join(dir, "s.comp"), filepath.Join(dir, "s.spv")
		if err := os.WriteFile(source, []byte(strings.ReplaceAll(string(text), "TYPE", sampler)), 0o666); err != nil {
			t.Fatal(err)
		}
		compile(t, source, spv)
		spvs[sampler] = spv
	}
	for i := range plainFormats {
		f := &plainFormats[i]
		if f.sampler != "" || long || i%3 == 0 {
			sampled(t, inTurn(i/3), vkrun, f, &sampledShapes[0], 0)
		}
		if unstored[f.number] || !long && i%2 != 0 {
			continue
		}
		image := fmt.Sprint("40x24:", f.number, ",", f.bytes)
		command := []string{vkrun, spvs[f.sampler], "5", "3", "1", "-c", "-t", image, "-t", image}
		want := onLavapipe(t, command...)
		for _, c := range inTurn(i / 2) {
			r := onGPU(t, c, []string{"VK_ICD_FILENAMES=" + radv}, command...)
			if d := differs(want, r.out); d != "" || r.code != nil || r.log != "" {
				t.Errorf("%s as storage, %s: %v: %s\n%s%s", f.name, c, r.code, d, r.log, r.err)
			}
		}
	}
}
