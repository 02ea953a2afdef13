package render_test

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/internal/render"
)

// sceneOf draws programs from files over a checked texture, in a temporary folder.
func sceneOf(t *testing.T, files map[string]string, scene string) (*render.Result, error) {
	t.Helper()
	dir := t.TempDir()
	img := image.NewNRGBA(image.Rect(0, 0, 8, 8))
	for i := range 64 {
		img.SetNRGBA(i%8, i/8, color.NRGBA{uint8(30 * (i % 8)), uint8(30 * (i / 8)), uint8(255 * (i % 2)), 255})
	}
	f, err := os.Create(filepath.Join(dir, "t.png"))
	if err != nil {
		t.Fatal(err)
	}
	if err := png.Encode(f, img); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s, err := casefile.ReadScene(strings.NewReader(scene), filepath.Join(dir, "scene.json"))
	if err != nil {
		return nil, err
	}
	return render.Scene(context.Background(), s, render.Options{Engine: ref.New(), Workers: 2})
}

// pair is one scene for programs of two instruction sets: positions with different w, moved by a constant of the vertex
// program; a texture with levels, times a colour, plus a constant.
const pair = `{"format": "heddle-scene-1", "isa": "%s", "width": 48, "height": 40, "clear_color": [0.1, 0.2, 0.3, 1],
 "textures": [{"name": "a", "file": "t.png", "mipmaps": true, "min": "linear_mipmap_linear", "mag": "linear"}],
 "draws": [{"vertex": "v.s", "fragment": "f.s", "count": 6, "textures": {"0": "a"}, "vertex_constants": {"c0": [0.125, -0.0625, 0, 0]},
  "fragment_constants": {"c0": [0.05, 0.1, 0.0, 0.0]}, "flat": [3],
  "attributes": [{"slot": 0, "size": 4, "data": [-0.9,-0.8,0,1, 1.6,-1.4,0.2,2, -0.7,0.8,0,1, 1.4,-1.3,0,1.5, 2.4,2.1,0.5,2.5, -0.6,0.9,0,1]},
   {"slot": 1, "size": 4, "data": [1,0,0,1, 0,1,0,1, 0,0,1,1, 1,1,0,0.5, 0,1,1,1, 1,0,1,1]},
   {"slot": 2, "size": 2, "data": [0,0, 2,0, 0,3, 2,0, 3,3, 0,1]},
   {"slot": 3, "size": 1, "data": [0.5, 0.5, 0.25, 0.5, 0.5, 0.75]}]}]}`

var attilaPair = map[string]string{
	"v.s": "add o0, i0, c0\nmov o1, i1\nmov o2, i2\nmov o3, i3 <- end\n",
	"f.s": "tex r0, i2, t0\nmul r0, r0, i1\nadd r0, r0, c0\nmul o1, r0, i3.x <- end\n",
}

var teslaPair = map[string]string{
	"v.s": `
		ld $r0 b32 c0[0x0]
		ld $r1 b32 c0[0x4]
		mov b32 $r2 a[0x0]
		mov b32 $r3 a[0x4]
		add rn f32 o[0x0] $r2 $r0
		add rn f32 o[0x4] $r3 $r1
		mov b32 o[0x8] a[0x8]
		mov b32 o[0xc] a[0xc]
		mov b32 o[0x10] a[0x10]
		mov b32 o[0x14] a[0x14]
		mov b32 o[0x18] a[0x18]
		mov b32 o[0x1c] a[0x1c]
		mov b32 o[0x20] a[0x20]
		mov b32 o[0x24] a[0x24]
		exit mov b32 o[0x30] a[0x30]
	`,
	"f.s": `
		interp $r4 v[0x0]
		rcp f32 $r4 $r4
		interp $r0 v[0x20] $r4
		interp $r1 v[0x24] $r4
		texauto all $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1 0x0 0x0 0x0
		interp $r5 v[0x10] $r4
		interp $r6 v[0x14] $r4
		interp $r7 v[0x18] $r4
		interp $r8 v[0x1c] $r4
		ld $r9 b32 c0[0x0]
		ld $r10 b32 c0[0x4]
		add f32 $r0 (mul $r0 $r5) $r9
		add f32 $r1 (mul $r1 $r6) $r10
		mul f32 $r2 $r2 $r7
		mul f32 $r3 $r3 $r8
		interp $r4 flat v[0x30]
		mul f32 $r0 $r0 $r4
		mul f32 $r1 $r1 $r4
		mul f32 $r2 $r2 $r4
		exit mul rn f32 $r3 $r3 $r4
	`,
}

// TestTwoSets: the same scene drawn by programs of ATTILA and of Tesla differs only by their arithmetic.
func TestTwoSets(t *testing.T) {
	a, err := sceneOf(t, attilaPair, fmt.Sprintf(pair, "attila"))
	if err != nil {
		t.Fatal(err)
	}
	b, err := sceneOf(t, teslaPair, fmt.Sprintf(pair, "tesla:g84"))
	if err != nil {
		t.Fatal(err)
	}
	d, _, err := render.Compare(a.Image, b.Image)
	if err != nil || d.Worst() > 1 || b.Triangles != 2 || a.Triangles != 2 {
		t.Errorf("%+v, %v, %d triangles", d, err, b.Triangles)
	}
	if p := b.Image.NRGBAAt(20, 20); p == b.Image.NRGBAAt(0, 0) || p == b.Image.NRGBAAt(24, 20) {
		t.Errorf("nothing is drawn: %v", p)
	}
}

// TestTeslaFragment: a fragment program alone gets its position and the time as varyings, and constants by address.
func TestTeslaFragment(t *testing.T) {
	f := &render.FragmentRun{ISA: "tesla:g80", File: "f.s", Width: 4, Height: 2, Time: 0.5, Code: []byte(`
		interp $r4 v[0x0]
		rcp f32 $r4 $r4
		interp $r0 v[0x60] $r4
		interp $r1 v[0x64] $r4
		interp $r2 v[0x70] $r4
		exit ld $r3 b32 c2[0x8]
	`), Constants: []casefile.SceneConstant{{Name: "c2[0x4]", Values: []float64{0.1, 0.75}}}}
	r, err := render.Fragment(context.Background(), f, render.Options{Engine: ref.New()})
	if err != nil {
		t.Fatal(err)
	}
	for y := range 2 {
		for x := range 4 {
			want := color.NRGBA{uint8(255*(float64(x)+0.5)/4 + 0.5), uint8(255*(1.5-float64(y))/2 + 0.5), 128, 191}
			if got := r.Image.NRGBAAt(x, y); got != want {
				t.Errorf("pixel %d,%d is %v, want %v", x, y, got, want)
			}
		}
	}
}

// TestTeslaErrors: programs of Tesla that need what a scene does not have.
func TestTeslaErrors(t *testing.T) {
	with := func(old, new string) map[string]string {
		return map[string]string{"v.s": teslaPair["v.s"], "f.s": strings.Replace(teslaPair["f.s"], old, new, 1)}
	}
	scene := fmt.Sprintf(pair, "tesla:g84")
	for want, c := range map[string]struct {
		files map[string]string
		scene string
	}{
		"there is no texture unit 1":              {with("$t0 $s0", "$t1 $s1"), scene},
		"the sampler of a texture has its number": {with("$t0 $s0", "$t0 $s1"), scene},
		"gives 1 values, and $t0 takes 2":         {with("$s0 $r0:$r1", "$s0 $r0"), scene},
		"word 0x100; a draw has 16 vectors":       {with("v[0x0]", "v[0x100]"), scene},
		`no constant "d0"`:                        {teslaPair, strings.Replace(scene, `"fragment_constants": {"c0"`, `"fragment_constants": {"d0"`, 1)},
		`no constant "c16"`:                       {teslaPair, strings.Replace(scene, `"fragment_constants": {"c0"`, `"fragment_constants": {"c16"`, 1)},
		`no constant "c1[0x3]"`:                   {teslaPair, strings.Replace(scene, `"fragment_constants": {"c0"`, `"fragment_constants": {"c1[0x3]"`, 1)},
		`4 constants from "c1[0xff4]" on`:         {teslaPair, strings.Replace(scene, `"fragment_constants": {"c0"`, `"fragment_constants": {"c1[0xff4]"`, 1)},
	} {
		if _, err := sceneOf(t, c.files, c.scene); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
