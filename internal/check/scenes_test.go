package check

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const recordedDraws = "../../cases/render/gcn"

// TestScenes: every picture and sample wave of the repository matches its recording.
func TestScenes(t *testing.T) {
	notes := map[string]string{}
	s, err := Run(context.Background(), []string{recordedDraws}, Options{ISA: "gcn", Each: func(r Result) {
		if r.Status != Passed {
			t.Error(r)
		}
		notes[r.Name] = r.Note
	}})
	if err != nil || s.Total() != 18 {
		t.Fatalf("%v, %v", s, err)
	}
	for name, want := range map[string]string{
		"mrt gfx8":                            "target 0: 3884 pixels, worst difference 1; target 1: 3884 pixels",
		"mandelbrot_discard gfx8":             "target 0: 3856 pixels",
		"mvp_cube gfx8":                       "target 0: 6133 pixels",
		"mandelbrot_discard gfx8 sample wave": "1 exports, 252 values",
	} {
		if !strings.HasPrefix(notes[name], want) {
			t.Errorf("%s: %q, want %q", name, notes[name], want)
		}
	}
}

// changedScene checks the scene of a folder in which one file is changed, and returns the results one per line.
func changedScene(t *testing.T, scene, set, variant string, change func(t *testing.T, dir string)) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(scene)); err != nil {
		t.Fatal(err)
	}
	change(t, dir)
	var b strings.Builder
	_, err := Run(context.Background(), []string{dir}, Options{ISA: set, Variant: variant, Each: func(r Result) {
		fmt.Fprintf(&b, "%s [%s]\n", r, r.Status)
	}})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// text replaces text of the scene file.
func text(old, new string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		edit(t, filepath.Join(dir, "scene.json"), func(s string) string {
			if !strings.Contains(s, old) {
				t.Fatalf("the scene has no %q", old)
			}
			return strings.Replace(s, old, new, 1)
		})
	}
}

// word changes the word, or the f32, at an offset of a file.
func word(name string, at int, change func(uint32) uint32) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		edit(t, filepath.Join(dir, name), func(s string) string {
			b := []byte(s)
			binary.LittleEndian.PutUint32(b[at:], change(binary.LittleEndian.Uint32(b[at:])))
			return string(b)
		})
	}
}

// TestSceneFailures: each change of a valid scene is detected, and the message names the place.
func TestSceneFailures(t *testing.T) {
	const pixel = 20*64 + 30 // of mask 1 in mrt
	float := func(d float32) func(uint32) uint32 {
		return func(v uint32) uint32 { return math.Float32bits(math.Float32frombits(v) + d) }
	}
	for _, c := range []struct {
		name, scene string
		change      func(*testing.T, string)
		want        string
	}{
		{"byte", "mrt", word("expect0_rgba8.bin", 4*pixel, func(v uint32) uint32 { return v ^ 0x8000 }), "mrt gfx8: target 0: pixel 30,20 g is "},
		{"float", "mrt", word("expect1_f32.bin", 16*pixel+8, float(0.01)), "mrt gfx8: target 1: pixel 30,20 b is "},
		{"float within tolerance", "mrt", word("expect1_f32.bin", 16*pixel+8, float(1e-6)), "mrt gfx8: passed"},
		{"integer", "mrt", word("expect2_u32.bin", 4*pixel, func(v uint32) uint32 { return v + 1 }), "mrt gfx8: target 2: pixel 30,20 r is "},
		{"outside of the mask", "mrt", func(t *testing.T, dir string) {
			word("expect2_u32.bin", 4*pixel, func(v uint32) uint32 { return v + 1 })(t, dir)
			word("mask.bin", pixel&^3, func(v uint32) uint32 { return v &^ (0xff << (8 * (pixel & 3))) })(t, dir)
		}, "mrt gfx8: passed"},
		{"background", "mrt", text(`"clear": [7`, `"clear": [8`), "mrt gfx8: target 2: pixel 0,0 r is 8, want 7"},
		{"size of a file", "mrt", func(t *testing.T, dir string) {
			if err := os.Truncate(filepath.Join(dir, "mask.bin"), 5); err != nil {
				t.Fatal(err)
			}
		}, "mask.bin has 5 bytes, want 4096"},
		{"viewport", "mrt", text(`"PA_CL_VPORT_XOFFSET": "0x42000000"`, `"PA_CL_VPORT_XOFFSET": "0x42008000"`), "pixels differ"},
		{"no blending", "mrt", text(`"CB_BLEND0_CONTROL": "0x00000000"`, `"CB_BLEND0_CONTROL": "0x40000f00"`), "a factor or operation that is not built"},
		{"attribute", "mrt", text(`"SPI_PS_INPUT_CNTL_0": "0x00000000"`, `"SPI_PS_INPUT_CNTL_0": "0x00000320"`), "mrt gfx8: target 0: pixel "},
		{"attributes", "mrt", text(`"SPI_PS_IN_CONTROL": "0x00000001"`, `"SPI_PS_IN_CONTROL": "0x00000000"`), "attribute 0; SPI_PS_IN_CONTROL says there are 0"},
		{"inputs", "mrt", text(`"SPI_PS_INPUT_ADDR": "0x00000102"`, `"SPI_PS_INPUT_ADDR": "0x00000103"`), "pixels differ"},
		{"colour format", "mrt", text(`"SPI_SHADER_COL_FORMAT": "0x00000144"`, `"SPI_SHADER_COL_FORMAT": "0x00000149"`), "mrt0 is of format 32_ABGR, and the export has compr true"},
		{"target mask", "mrt", text(`"CB_TARGET_MASK": "0x00000fff"`, `"CB_TARGET_MASK": "0x00000ffe"`), "mrt gfx8: target 0: pixel "},
		{"samples", "mrt", text(`"PA_SC_AA_CONFIG": "0x00000000"`, `"PA_SC_AA_CONFIG": "0x00000002"`), "several samples a pixel are not built"},
		{"depth test", "mvp_cube", text(`"DB_DEPTH_CONTROL": "0x00000016"`, `"DB_DEPTH_CONTROL": "0x00000046"`), "mvp_cube gfx8: target 0: pixel "},
		{"culling", "mvp_cube", text(`"PA_SU_SC_MODE_CNTL": "0x00000240"`, `"PA_SU_SC_MODE_CNTL": "0x00000242"`), "mvp_cube gfx8: target 0: pixel "},
		{"sample register", "mrt", text(`"v0": "3ed1f67e`, `"v0": "3fd1f67e`), "sample wave: export 0 to mrt0: component "},
		{"sample attribute", "mrt", text(`"3ea76cb7"`, `"3ea76fb7"`), "values differ, by up to"},
		{"sample exec", "mrt", text(`"exec": "0xfff7ffffffffffff"`, `"exec": "0xfff6ffffffffffff"`), "exec 0xfff6ffffffffffff, want "},
		{"not done", "mandelbrot_discard", text("0f1c00c4", "0f1400c4"), "pixel shader ended without an export that is done"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if all := changedScene(t, filepath.Join(recordedDraws, c.scene), "gcn", "gfx8", c.change); !strings.Contains(all, c.want) {
				t.Errorf("%s\nwant %s", all, c.want)
			}
		})
	}
}
