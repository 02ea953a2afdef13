package render_test

import (
	"context"
	"errors"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/internal/render"
)

// draw draws a scene with test programs and a texture of 2x2 texels.
func draw(t *testing.T, text string) (*render.Result, error) {
	t.Helper()
	s, err := read(t, text)
	if err != nil {
		return nil, err
	}
	return render.Scene(context.Background(), s, render.Options{Engine: ref.New(), Limits: exec.Limits{}})
}

// read parses such a scene.
func read(t *testing.T, text string) (*casefile.Scene, error) {
	t.Helper()
	dir := t.TempDir()
	img := image.NewNRGBA(image.Rect(0, 0, 2, 2))
	for i := range 4 {
		img.SetNRGBA(i%2, i/2, color.NRGBA{uint8(80 * i), uint8(10 + i), 200, 255})
	}
	f, err := os.Create(filepath.Join(dir, "t.png"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(png.Encode(f, img), f.Close()); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"color.s": "mov o1, i1 <- end\n", "tex.s": "tex o1, i6, t0 <- end\n", "const.s": "mov o1, c0 <- end\n",
		"place.s": "mul o1, i0, c0 <- end\n", "vert.s": "mov o0, i3\nmul o1, i4, c7 <- end\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return casefile.ReadScene(strings.NewReader(text), filepath.Join(dir, "scene.json"))
}

// full is the position attribute of a strip that covers the picture.
const full = `{"slot": 0, "size": 2, "data": [-1,-1, 1,-1, -1,1, 1,1]}`

func scene(more, draws string) string {
	return `{"format": "heddle-scene-1", "isa": "attila", "width": 4, "height": 4, ` + more + `"draws": [` + draws + `]}`
}

func TestTexture(t *testing.T) {
	r, err := draw(t, scene(`"textures": [{"name": "a", "file": "t.png", "min": "nearest", "mag": "nearest"}], `,
		`{"fragment": "tex.s", "primitive": "strip", "textures": {"0": "a"}, "attributes": [`+full+`, {"slot": 6, "size": 2, "data": [0,0, 1,0, 0,1, 1,1]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for y := range 4 {
		for x := range 4 {
			i := x/2 + 2*((3-y)/2) // coordinate 0 is at the bottom
			if got, want := r.Image.NRGBAAt(x, y), (color.NRGBA{uint8(80 * i), uint8(10 + i), 200, 255}); got != want {
				t.Errorf("%d,%d: %v, want %v", x, y, got, want)
			}
		}
	}
}

// TestMipmaps: the level with one texel is the mean of four, rounded to nearest; with two texels per pixel it is
// sampled.
func TestMipmaps(t *testing.T) {
	r, err := draw(t, scene(`"textures": [{"name": "a", "file": "t.png", "min": "nearest_mipmap_nearest", "mag": "nearest", "mipmaps": true}], `,
		`{"fragment": "tex.s", "primitive": "strip", "textures": {"0": "a"}, "attributes": [`+full+`, {"slot": 6, "size": 2, "data": [0,0, 4,0, 0,4, 4,4]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 16 { // of 0, 80, 160, 240; 10 to 13, whose mean is 11.5; and 200
		if got, want := r.Image.NRGBAAt(i%4, i/4), (color.NRGBA{120, 12, 200, 255}); got != want {
			t.Errorf("%d,%d: %v, want %v", i%4, i/4, got, want)
		}
	}
}

// TestState: a vertex program with constants, viewport, flat varyings, blending, masks; positions in i0.
func TestState(t *testing.T) {
	r, err := draw(t, scene(`"clear_color": [0, 0, 1, 1], `, `
		{"fragment": "place.s", "primitive": "strip", "fragment_constants": {"c0": [0.25, 0.125], "c0.w": 1}, "color_mask": "rg", "attributes": [`+full+`]},
		{"vertex": "vert.s", "fragment": "color.s", "primitive": "strip", "viewport": [0, 2, 2, 2], "vertex_constants": {"c7": [1, 1, 1, 0.5]},
		 "blend": {}, "flat": [1], "attributes": [
			{"slot": 3, "size": 2, "data": [-1,-1, 1,-1, -1,1, 1,1]}, {"slot": 4, "size": 1, "data": [0, 0, 1, 1]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for y := range 4 {
		for x := range 4 {
			want := [4]float64{255 * float64(x) / 4, 255 * float64(3-y) / 8, 255, 255}
			if x < 2 && y < 2 {
				want = [4]float64{want[0]/2 + 127.5, want[1] / 2, 127.5, 255*0.5 + 127.5}
			}
			c := r.Image.NRGBAAt(x, y)
			for k, got := range [4]uint8{c.R, c.G, c.B, c.A} {
				if math.Abs(float64(got)-want[k]) > 1 {
					t.Errorf("%d,%d channel %d: %d, want %g", x, y, k, got, want[k])
				}
			}
		}
	}
	if r.Draws != 2 || r.Vertices != 8 || r.Triangles != 4 || r.Instructions == 0 {
		t.Errorf("%+v", r)
	}
}

// TestPrepared: drawing a scene again, onto the previous picture, gives the same picture.
func TestPrepared(t *testing.T) {
	s, err := read(t, scene(`"clear_color": [0, 0, 1, 1], "clear_depth": 0.75, `, `
		{"fragment": "place.s", "primitive": "strip", "fragment_constants": {"c0": [0.25, 0.125], "c0.w": 1}, "depth_func": "less", "depth_write": true,
		 "viewport": [0, 0, 3, 3], "attributes": [`+full+`]}`))
	if err != nil {
		t.Fatal(err)
	}
	p, err := render.Prepare(context.Background(), s, render.Options{Engine: ref.New()})
	if err != nil {
		t.Fatal(err)
	}
	var first []byte
	var r *render.Result
	for i := range 3 {
		var onto *image.NRGBA
		if i == 2 {
			onto = r.Image
		}
		if r, err = p.Draw(context.Background(), onto); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = slices.Clone(r.Image.Pix)
		}
		if !slices.Equal(r.Image.Pix, first) || r.Draws != 1 {
			t.Errorf("draw %d leaves %v, the first %v", i, r.Image.Pix, first)
		}
	}
	if _, err := p.Draw(context.Background(), image.NewNRGBA(image.Rect(0, 0, 4, 5))); err == nil {
		t.Error("a scene of 4x4 pixels on a picture of 4x5")
	}
}

func TestErrors(t *testing.T) {
	for want, text := range map[string]string{
		`no width, want the size of the picture`:             `{"format": "heddle-scene-1", "isa": "attila", "draws": []}`,
		`isa: no instruction set "atila"`:                    strings.Replace(scene("", `{"fragment": "color.s", "count": 3}`), "attila", "atila", 1),
		`no draws, want at least one`:                        scene("", ""),
		`draws[0]: no fragment, want a program`:              scene("", `{"count": 3}`),
		`draws[0]: no vertices`:                              scene("", `{"fragment": "color.s"}`),
		`draws[0].attributes[0].size: 5 is not in 1 to 4`:    scene("", `{"fragment": "color.s", "attributes": [{"size": 5}]}`),
		`draws[0].attributes[0]: no data or file`:            scene("", `{"fragment": "color.s", "attributes": [{"size": 2}]}`),
		`3 numbers are no whole vertices of 2`:               scene("", `{"fragment": "color.s", "attributes": [{"size": 2, "data": [1,2,3]}]}`),
		`attribute 0 is given twice`:                         scene("", `{"fragment": "color.s", "attributes": [`+full+`, `+full+`]}`),
		`unit "0", texture "b"`:                              scene("", `{"fragment": "color.s", "count": 3, "textures": {"0": "b"}}`),
		`cull: no "left"; there are none, front, back, both`: scene("", `{"fragment": "color.s", "count": 3, "cull": "left"}`),
		`depth_func: no "smaller"`:                           scene("", `{"fragment": "color.s", "count": 3, "depth_func": "smaller"}`),
		`blend.alpha_dst: no "two"`:                          scene("", `{"fragment": "color.s", "count": 3, "blend": {"alpha_dst": "two"}}`),
		`outside of the scene's folder`:                      scene("", `{"fragment": "../color.s", "count": 3}`),
		`no wrap`:                                            scene("", `{"fragment": "color.s", "no wrap": 3}`),
		`wrap: no mode "round"`:                              scene(`"textures": [{"name": "a", "file": "t.png", "wrap": ["round"]}], `, `{"fragment": "color.s", "count": 3}`),
		`texture "a"`:                                        scene(`"textures": [{"name": "a", "file": "color.s", "format": "R32F", "width": 64, "height": 64}], `, `{"fragment": "color.s", "count": 3}`),
	} {
		if _, err := draw(t, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestCompare(t *testing.T) {
	a, b := image.NewNRGBA(image.Rect(0, 0, 2, 1)), image.NewNRGBA(image.Rect(5, 5, 7, 6))
	a.SetNRGBA(0, 0, color.NRGBA{10, 20, 30, 255})
	b.SetNRGBA(5, 5, color.NRGBA{13, 20, 20, 255})
	d, img, err := render.Compare(a, b)
	if err != nil || d.Differing != 1 || d.Max != [4]int{3, 0, 10, 0} || d.Mean != [4]float64{1.5, 0, 5, 0} || d.Worst() != 10 {
		t.Errorf("%+v, %v", d, err)
	}
	if img.NRGBAAt(0, 0) != (color.NRGBA{24, 0, 80, 255}) {
		t.Errorf("%v", img.NRGBAAt(0, 0))
	}
}

// TestStrongDifferences: differences are multiplied by 8 and saturate at white, those of alpha in all channels.
func TestStrongDifferences(t *testing.T) {
	a, b := image.NewNRGBA(image.Rect(0, 0, 4, 1)), image.NewNRGBA(image.Rect(0, 0, 4, 1))
	for i, c := range [][2]color.NRGBA{
		{{0, 0, 0, 255}, {31, 32, 33, 255}}, {{255, 100, 0, 255}, {0, 0, 255, 255}}, {{1, 2, 3, 255}, {1, 2, 3, 250}}, {{0, 0, 0, 255}, {9, 0, 0, 155}},
	} {
		a.SetNRGBA(i, 0, c[0])
		b.SetNRGBA(i, 0, c[1])
	}
	d, img, err := render.Compare(a, b)
	if err != nil || d.Differing != 4 || d.Max != [4]int{255, 100, 255, 100} || d.Pixels != 4 {
		t.Errorf("%+v, %v", d, err)
	}
	for i, want := range []color.NRGBA{{248, 255, 255, 255}, {255, 255, 255, 255}, {40, 40, 40, 255}, {255, 255, 255, 255}} {
		if got := img.NRGBAAt(i, 0); got != want {
			t.Errorf("pixel %d: %v, want %v", i, got, want)
		}
	}
}
