package tesla

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/tesla"
	"github.com/heddle-gpu/heddle/mem"
)

// bound are textures of noise: $t0 2D of 8x4 with levels, $t1 an array of 3 layers, $t2 a cube, $t3 depths, $t4
// integers.
func bound(t *testing.T) (*Textures, [][]byte) {
	t.Helper()
	x := &Textures{}
	var data [][]byte
	for i, d := range []Texture{
		{Kind: "2d", Format: "rgba8", Width: 8, Height: 4, Layers: 1, Levels: 4},
		{Kind: "2darray", Format: "rgba8", Width: 4, Height: 4, Layers: 3, Levels: 1},
		{Kind: "cube", Format: "rgba8", Width: 2, Height: 2, Layers: 6, Levels: 1},
		{Kind: "2d", Format: "d32f", Width: 2, Height: 2, Layers: 1, Levels: 1},
		{Kind: "2d", Format: "rgba8ui", Width: 4, Height: 4, Layers: 1, Levels: 1},
	} {
		n := 0
		for l := range d.Levels {
			n += max(d.Width>>l, 1) * max(d.Height>>l, 1) * d.Layers * 4
		}
		texels := make([]byte, n)
		for k := range texels {
			texels[k] = byte(31*k + 7*i + k/5)
		}
		if d.Format == "d32f" {
			copy(texels, []byte{0, 0, 0, 0x3f, 0, 0, 0x80, 0x3e, 0, 0, 0, 0, 0, 0, 0x80, 0x3f}) // 0.5 0.25 0 1
		}
		d.Number = i
		if err := x.AddTexture(&d, texels); err != nil {
			t.Fatal(err)
		}
		data = append(data, texels)
	}
	wrap := [3]string{"repeat", "clamp_to_edge", "mirrored_repeat"}
	for i, s := range []Sampler{{Min: "nearest_mip_nearest", Mag: "nearest", Compare: "none"}, {Min: "nearest", Mag: "nearest", Compare: "less_equal"}, {Min: "linear", Mag: "linear", Compare: "none"}} {
		s.Number, s.Wrap, s.MaxLod = i, wrap, 1000
		if err := x.AddSampler(&s); err != nil {
			t.Fatal(err)
		}
	}
	return x, data
}

// sampled runs a program of a stage on a quad whose registers hold words by lane.
func sampled(t *testing.T, x *Textures, stage int, text string, regs map[string][4]uint32) (func(name string, lane int) uint32, error) {
	t.Helper()
	st, err := exec.NewState(tesla.Machine(), tesla.Lanes)
	if err != nil {
		t.Fatal(err)
	}
	st.Start(0, 15)
	for name, words := range regs {
		r, err := LookupRegister(0, name)
		if err != nil {
			t.Fatal(err)
		}
		for lane, w := range words {
			r.Set(st, lane, uint64(w))
		}
	}
	p := exec.NewProgram(&isa.Program{Target: tesla.Set().At(tesla.GT215, stage), Code: assembled(t, tesla.GT215, stage, text)})
	env := &exec.Env{Resources: exec.Resources{ImageOf: x.Of}}
	stop := ref.New().NewRunner(p).Run(st, env, exec.Budget{Steps: 100})
	get := func(name string, lane int) uint32 {
		r, err := LookupRegister(0, name)
		if err != nil {
			t.Fatal(err)
		}
		return uint32(r.Get(st, lane))
	}
	if stop.Reason == exec.StopFault {
		return get, stop.Fault
	}
	return get, nil
}

func floats(xs ...float32) (w [4]uint32) {
	for i, x := range xs {
		w[i] = math.Float32bits(x)
	}
	return w
}

// unorm is byte b as a float.
func unorm(b byte) uint32 { return math.Float32bits(float32(b) / 255) }

// TestSampling: the role of each source depends on the texture: coordinates, layer, reference, level; results are
// packed.
func TestSampling(t *testing.T) {
	x, data := bound(t)
	texel := func(tex, width, at, x, y, k int) byte { return data[tex][at+4*(y*width+x)+k] }

	// 2D at a level: texel 2,1 of level 1, which is 4x2 and follows the 8x4 of level 0; y and w only, from $r10.
	get, err := sampled(t, x, tesla.FP, "exit texlod all #:$r10:#:$r11 $t0 $s0 $r10:$r11:$r12 0x0 0x0 0x0",
		map[string][4]uint32{"r10": floats(0.625, 1.625, 0.625, 0.625), "r11": floats(0.75, 0.75, 0.75, 0.75), "r12": floats(1, 1, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	for lane := range 4 {
		want := [2]uint32{unorm(texel(0, 4, 128, 2, 1, 1)), unorm(texel(0, 4, 128, 2, 1, 3))}
		if lane == 2 {
			want = [2]uint32{unorm(texel(0, 8, 0, 5, 3, 1)), unorm(texel(0, 8, 0, 5, 3, 3))}
		}
		if got := [2]uint32{get("r10", lane), get("r11", lane)}; got != want || get("r12", lane) != floats(1, 1, 0, 1)[lane] {
			t.Errorf("lane %d: %#x, want %#x", lane, got, want)
		}
	}

	// An array: the third source is an integer, clamped to the layers. Offsets apply to x and y, and z is ignored.
	get, err = sampled(t, x, tesla.FP, "exit texauto all $r0:$r1:$r2:$r3 $t1 $s0 $r0:$r1:$r2 -0x1 0x2 0x7",
		map[string][4]uint32{"r0": floats(0.375, 0.375, 0.375, 0.375), "r1": floats(0.125, 0.125, 0.125, 0.125), "r2": {0, 2, 900, 1}})
	if err != nil {
		t.Fatal(err)
	}
	for lane, layer := range []int{0, 2, 2, 1} {
		for k, name := range []string{"r0", "r1", "r2", "r3"} {
			if got, want := get(name, lane), unorm(texel(1, 4, 64*layer, 0, 2, k)); got != want {
				t.Errorf("layer %d: %s is %#x, want %#x", layer, name, got, want)
			}
		}
	}

	// A comparison: the reference follows the coordinates. 0.5 is at 0,0; 0.25 at 1,0.
	get, err = sampled(t, x, tesla.FP, "exit texauto all $r0:#:#:# $t3 $s1 $r0:$r1:$r2 0x0 0x0 0x0",
		map[string][4]uint32{"r0": floats(0.25, 0.25, 0.75, 0.75), "r1": floats(0.25, 0.25, 0.25, 0.25), "r2": floats(0.5, 0.6, 0.25, 0.3)})
	if err != nil {
		t.Fatal(err)
	}
	for lane, want := range floats(1, 0, 1, 0) {
		if got := get("r0", lane); got != want {
			t.Errorf("comparison in lane %d is %#x, want %#x", lane, got, want)
		}
	}

	// A cube: three sources, a level after them. Lane i looks along +x, -x, +y, -z; each face has 2x2 texels.
	get, err = sampled(t, x, tesla.FP, "exit texlod cube all $r0:$r1:$r2:$r3 $t2 $s0 $r0:$r1:$r2:$r3",
		map[string][4]uint32{"r0": floats(1, -1, 0.5, 0.5), "r1": floats(0.5, 0.5, 1, 0.5), "r2": floats(0.5, 0.5, 0.5, -1)})
	if err != nil {
		t.Fatal(err)
	}
	// s and t by face, as in OpenGL: +x (-z, -y), -x (+z, -y), +y (+x, +z), -z (-x, -y).
	for lane, at := range [4][3]int{{0, 0, 0}, {1, 1, 0}, {2, 1, 1}, {5, 0, 0}} {
		if got, want := get("r2", lane), unorm(texel(2, 2, 16*at[0], at[1], at[2], 2)); got != want {
			t.Errorf("face %d: %#x, want %#x", at[0], got, want)
		}
	}
}

// TestFetching: integer texel coordinates, the level after them; sizes; comparison and sampler are ignored.
func TestFetching(t *testing.T) {
	x, data := bound(t)
	get, err := sampled(t, x, tesla.CP, "texfetch all $r0:$r1:$r2:$r3 $t4 $s2 $r0:$r1:$r2 0x1 0x0 0x0\nexit texfetch all #:#:$r8:# $t1 $s9 $r8:$r9:$r10:$r11 0x0 0x0 0x7",
		map[string][4]uint32{"r0": {1, 2, 3, 0xffffffff}, "r1": {3, 0, 0, 1}, "r8": {3, 0, 1, 4}, "r9": {1, 2, 3, 0}, "r10": {2, 0, 3, 0}})
	if err != nil {
		t.Fatal(err)
	}
	for lane, at := range []int{4*3 + 2, 3, -1, 4} { // x + 1; beyond the edge there is nothing
		for k, name := range []string{"r0", "r1", "r2", "r3"} {
			want := uint32(0)
			if at >= 0 {
				want = uint32(data[4][4*at+k])
			}
			if got := get(name, lane); got != want {
				t.Errorf("lane %d: %s is %#x, want %#x", lane, name, got, want)
			}
		}
	}
	for lane, at := range []int{16*2 + 4 + 3, 8, -1, -1} {
		want := uint32(0)
		if at >= 0 {
			want = unorm(data[1][4*at+2])
		}
		if got := get("r8", lane); got != want {
			t.Errorf("lane %d: %#x, want %#x", lane, got, want)
		}
	}
	get, err = sampled(t, x, tesla.VP, "texsize all $r0:$r1:#:$r2 $t0 $s0 $r0\nexit texsize all $r8:$r9:$r10:$r11 $t1 $s0 $r8", map[string][4]uint32{"r0": {0, 1, 3, 4}})
	if err != nil {
		t.Fatal(err)
	}
	for lane, want := range [][3]uint32{{8, 4, 4}, {4, 2, 4}, {1, 1, 4}, {0, 0, 4}} {
		if got := [3]uint32{get("r0", lane), get("r1", lane), get("r2", lane)}; got != want {
			t.Errorf("size at level %d is %d, want %d", lane, got, want)
		}
	}
	if got := [4]uint32{get("r8", 0), get("r9", 0), get("r10", 0), get("r11", 0)}; got != [4]uint32{4, 4, 3, 1} {
		t.Errorf("size of the array is %d", got)
	}
}

// TestLevels: fragments have derivatives, other stages have none unless they request them; a bias is added to the
// level.
func TestLevels(t *testing.T) {
	x, data := bound(t)
	// x grows by half a texture per lane: 4 texels, level 2, a texture of 2x1.
	regs := map[string][4]uint32{"r0": floats(0.1, 0.6, 0.1, 0.6), "r1": floats(0.1, 0.1, 0.1, 0.1), "r2": floats(-1, -1, -1, -1)}
	at := []int{0, 128, 160, 168}
	for _, c := range []struct {
		stage, level int
		text         string
	}{
		{tesla.FP, 2, "exit texauto all $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1 0x0 0x0 0x0"},
		{tesla.FP, 1, "exit texbias all $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1:$r2 0x0 0x0 0x0"},
		{tesla.VP, 0, "exit texauto all $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1 0x0 0x0 0x0"},
		{tesla.CP, 2, "exit texauto all deriv $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1 0x0 0x0 0x0"},
		{tesla.CP, 1, "exit texbias live deriv $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1:$r2 0x0 0x0 0x0"},
	} {
		get, err := sampled(t, x, c.stage, c.text, regs)
		if err != nil {
			t.Fatal(err)
		}
		for lane := range 4 {
			column := map[int][2]int{0: {0, 4}, 1: {0, 2}, 2: {0, 1}}[c.level][lane&1]
			if got, want := get("r1", lane), unorm(data[0][at[c.level]+4*column+1]); got != want {
				t.Errorf("%s lane %d: %#x, want %#x", c.text, lane, got, want)
			}
		}
	}
	get, err := sampled(t, x, tesla.FP, "texquerylod all $r4:$r5:#:# $t0 $s0 $r4:$r5\nexit texgather all $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1 0x0 0x0 0x0",
		map[string][4]uint32{"r4": floats(0.1, 0.1+0.5*1.5, 0.1, 0.6), "r5": {}, "r0": floats(0.25, 0.25, 0.25, 0.25), "r1": floats(0.5, 0.5, 0.5, 0.5)})
	if err != nil {
		t.Fatal(err)
	}
	want := uint32(math.Round(math.Log2(6) * 64)) // 6 texels per lane
	if got := [2]uint32{get("r4", 0), get("r5", 0)}; got != [2]uint32{want, want} {
		t.Errorf("level of detail %d, want %d", got, want)
	}
	for k, texel := range []int{2*8 + 1, 2*8 + 2, 8 + 2, 8 + 1} { // around 2, 2: below left, below right, above right, above left
		if got, want := get([]string{"r0", "r1", "r2", "r3"}[k], 0), unorm(data[0][4*texel]); got != want {
			t.Errorf("gathered texel %d is %#x, want %#x", k, got, want)
		}
	}
}

// TestBind: kinds that scenes do not have: one coordinate, three, an array of rows; texels of one float.
func TestBind(t *testing.T) {
	x, _ := bound(t)
	texels := make([]byte, 4*24)
	for i := range 24 {
		binary.LittleEndian.PutUint32(texels[4*i:], math.Float32bits(float32(i)))
	}
	red := mem.FormatOf("R32F")
	for n, m := range []*mem.Texture{
		{Target: mem.Texture1D, Format: red, Width: 24, Levels: [][][]byte{{texels}}},
		{Target: mem.Texture3D, Format: red, Width: 4, Height: 3, Depth: 2, Levels: [][][]byte{{texels}}},
		{Target: mem.Texture1D, Format: red, Width: 8, Layers: 3, Levels: [][][]byte{{texels[:32], texels[32:64], texels[64:]}}},
	} {
		if err := x.Bind(uint32(10+n), m, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := x.Bind(20, &mem.Texture{Target: mem.Texture1D, Format: red, Width: 25, Levels: [][][]byte{{texels}}}, nil); err == nil {
		t.Error("a texture without all its texels is no error")
	}
	if err := x.BindSampler(20, mem.Sampler{MaxAniso: 1000}); err == nil {
		t.Error("a sampler that does not exist is no error")
	}
	get, err := sampled(t, x, tesla.CP, `
		texauto all $r0:#:#:# $t10 $s0 $r0 0x0 0x0 0x0
		texlod all $r4:#:#:# $t11 $s0 $r4:$r5:$r6:$r7 0x0 0x0 0x0
		exit texfetch all $r8:#:#:# $t12 $s0 $r8:$r9:$r10 0x1 0x3 0x3
	`, map[string][4]uint32{"r0": floats(0.5/24, 7.5/24, 23.5/24, 0), "r4": floats(0.3, 0.9, 0.3, 0.3), "r5": floats(0.5, 0.9, 0.1, 0.1), "r6": floats(0.2, 0.9, 0.9, 0.1),
		"r8": {0, 1, 2, 7}, "r9": {0, 2, 1, 0}})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][4]float32{"r0": {0, 7, 23, 0}, "r4": {5, 23, 13, 1}, "r8": {1, 18, 11, 0}} {
		for lane := range 4 {
			if got := get(name, lane); got != math.Float32bits(want[lane]) {
				t.Errorf("%s lane %d is %g, want %g", name, lane, math.Float32frombits(got), want[lane])
			}
		}
	}
}

// TestBindings: a missing binding, or one that does not match the instruction, is a fault that says so.
func TestBindings(t *testing.T) {
	x, _ := bound(t)
	for text, want := range map[string]string{
		"texauto all $r0:$r1:$r2:$r3 $t7 $s0 $r0:$r1 0x0 0x0 0x0":     "there is no texture $t7",
		"texauto all $r0:$r1:$r2:$r3 $t0 $s3 $r0:$r1 0x0 0x0 0x0":     "there is no sampler $s3",
		"texauto all $r0:$r1:$r2:$r3 $t1 $s0 $r0:$r1 0x0 0x0 0x0":     "gives 2 values, and $t1 takes 3",
		"texlod all $r0:$r1:$r2:$r3 $t3 $s1 $r0:$r1:$r2 0x0 0x0 0x0":  "gives 3 values, and $t3 takes 4",
		"texauto all $r0:$r1:$r2:$r3 $t2 $s0 $r0:$r1:$r2 0x0 0x0 0x0": "with cube false, and $t2 with cube true",
		"texauto cube all $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1:$r2":        "with cube true, and $t0 with cube false",
		"texauto all $r0:$r1:$r2:$r3 $t4 $s2 $r0:$r1 0x0 0x0 0x0":     "mixes texels of integers",
		"texfetch all $r0:$r1:$r2:$r3 $t9 $s0 $r0:$r1 0x0 0x0 0x0":    "there is no texture $t9",
		"texprep cube all $r0:$r1:$r2:# $t0 $s0 $r0:$r1:$r2":          "no meaning",
	} {
		if _, err := sampled(t, x, tesla.FP, "exit "+text, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	if _, err := sampled(t, x, tesla.FP, "exit texauto all $r0:$r1:$r2:$r3 $t0 $s1 $r0:$r1 0x0 0x0 0x0", nil); err != nil {
		t.Errorf("a sampler that compares, with colours: %v", err)
	}
	y := &Textures{}
	if err := y.AddTexture(&Texture{Kind: "2d", Format: "rgba8", Width: 2, Height: 2, Layers: 1, Levels: 1}, make([]byte, 15)); err == nil || !strings.Contains(err.Error(), "1 byte more") {
		t.Error(err)
	}
	if err := y.AddTexture(&Texture{Kind: "2d", Format: "rgba8", Width: 2, Height: 2, Layers: 1, Levels: 1}, make([]byte, 17)); err == nil || !strings.Contains(err.Error(), "1 byte after") {
		t.Error(err)
	}
	if err := y.AddSampler(&Sampler{Min: "nearest", Mag: "nearest", Compare: "none", Wrap: [3]string{"repeat", "repeat", "border"}}); err == nil {
		t.Error("a wrap mode that does not exist is no error")
	}
}

// TestComparisons: each comparison of a sampler is of the reference with the texel, as OpenGL ES 3.1 has it
// ("less_equal" is 1 where the reference is at most the texel); "none" gives the texel.
func TestComparisons(t *testing.T) {
	want := map[string][3]float32{ // by reference: below the texel, the same, above it
		"never": {0, 0, 0}, "less": {1, 0, 0}, "equal": {0, 1, 0}, "less_equal": {1, 1, 0}, "greater": {0, 0, 1}, "not_equal": {1, 0, 1},
		"greater_equal": {0, 1, 1}, "always": {1, 1, 1}, "none": {0.5, 0.5, 0.5},
	}
	if len(compares()) != len(want) {
		t.Errorf("%d comparisons, want %d", len(compares()), len(want))
	}
	for name := range compares() {
		x, _ := bound(t)
		s := Sampler{Number: 1, Min: "nearest", Mag: "nearest", Compare: name, Wrap: [3]string{"repeat", "repeat", "repeat"}}
		if err := x.AddSampler(&s); err != nil {
			t.Fatal(err)
		}
		get, err := sampled(t, x, tesla.FP, "exit texauto all $r0:#:#:# $t3 $s1 $r0:$r1:$r2 0x0 0x0 0x0",
			map[string][4]uint32{"r0": floats(0.25, 0.25, 0.25, 0.25), "r1": floats(0.25, 0.25, 0.25, 0.25), "r2": floats(0.25, 0.5, 0.75, 0.5)})
		if err != nil {
			t.Fatal(name, err)
		}
		for lane, of := range want[name] { // the texel is 0.5
			if got := math.Float32frombits(get("r0", lane)); got != of {
				t.Errorf("%s: a reference of %g gives %g, want %g", name, []float64{0.25, 0.5, 0.75}[lane], got, of)
			}
		}
	}
}

// TestSamplerNames: filters and wrap modes are those of OpenGL ES 3.1; magnifying has no levels.
func TestSamplerNames(t *testing.T) {
	wantFilters := map[string]mem.Sampler{
		"nearest": {Min: mem.Nearest}, "linear": {Min: mem.Linear}, "nearest_mip_nearest": {Min: mem.Nearest, Mip: mem.MipNearest},
		"linear_mip_nearest": {Min: mem.Linear, Mip: mem.MipNearest}, "nearest_mip_linear": {Min: mem.Nearest, Mip: mem.MipLinear},
		"linear_mip_linear": {Min: mem.Linear, Mip: mem.MipLinear},
	}
	wantWraps := map[string]mem.WrapMode{"repeat": mem.Repeat, "mirrored_repeat": mem.MirroredRepeat, "clamp_to_edge": mem.ClampToEdge}
	if len(filters()) != len(wantFilters) || len(wraps()) != len(wantWraps) {
		t.Errorf("%d filters and %d wrap modes, want %d and %d", len(filters()), len(wraps()), len(wantFilters), len(wantWraps))
	}
	for low := range filters() {
		for high := range filters() {
			for wrap := range wraps() {
				x := &Textures{}
				err := x.AddSampler(&Sampler{Min: low, Mag: high, Compare: "none", Wrap: [3]string{wrap, "repeat", "clamp_to_edge"}})
				if levels := wantFilters[high].Mip != mem.MipNone; levels != (err != nil) {
					t.Errorf("%s for magnifying: %v", high, err)
				}
				got, want := x.samplers[0], mem.Sampler{Min: wantFilters[low].Min, Mip: wantFilters[low].Mip, Mag: wantFilters[high].Min,
					Wrap: [3]mem.WrapMode{wantWraps[wrap], mem.Repeat, mem.ClampToEdge}, Rules: rules}
				if err == nil && got != want {
					t.Errorf("%s, %s, %s: %+v, want %+v", low, high, wrap, got, want)
				}
			}
		}
	}
}
