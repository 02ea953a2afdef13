package check

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const teslaDraws = "../../cases/render/tesla"

// TestTeslaScenes: every picture and all recorded fragments of Tesla match their recordings, on each chip.
func TestTeslaScenes(t *testing.T) {
	notes := map[string]string{}
	s, err := Run(context.Background(), []string{teslaDraws}, Options{ISA: "tesla", Each: func(r Result) {
		if r.Status != Passed {
			t.Error(r)
		}
		if r.Set != "render/tesla" || !strings.HasPrefix(r.ISA, "tesla:") {
			t.Errorf("%s is of %s, %s", r.Name, r.Set, r.ISA)
		}
		notes[r.Name] = r.Note
	}})
	scenes, e := os.ReadDir(teslaDraws)
	if err != nil || e != nil || s.Total() != 6*len(scenes) { // three chips, the picture and the fragments
		t.Fatalf("%v, %v, of %d scenes; %v", s, err, len(scenes), e)
	}
	for name, want := range map[string]string{
		"mrt g200":          "target 0: 2727 pixels, worst difference ",
		"shadow gt215":      "target 0: 2680 pixels, worst difference ",
		"mrt g80 fragments": "15 registers, 960 values",
	} {
		if !strings.HasPrefix(notes[name], want) {
			t.Errorf("%s: %q, want %q", name, notes[name], want)
		}
	}
}

// maskedPixel returns the index of a pixel of the scene whose mask has that value.
func maskedPixel(t *testing.T, scene string, want byte) int {
	t.Helper()
	mask, err := os.ReadFile(filepath.Join(teslaDraws, scene, "mask.bin"))
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range mask {
		if m == want && i > 64*20 {
			return i
		}
	}
	t.Fatalf("%s has no pixel of mask %d", scene, want)
	return 0
}

// A teslaFailure is a change of a valid scene and the expected message.
type teslaFailure struct {
	name, scene string
	change      func(*testing.T, string)
	want        string
}

// changed changes the bytes of a file.
func changed(name string, change func(b []byte)) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		edit(t, filepath.Join(dir, name), func(s string) string {
			b := []byte(s)
			change(b)
			return string(b)
		})
	}
}

func plus(v uint32) uint32 { return v + 1 }

func floatPlus(d float32) func(uint32) uint32 {
	return func(v uint32) uint32 { return math.Float32bits(math.Float32frombits(v) + d) }
}

// pixelFailures are changes of expectations.
func pixelFailures(t *testing.T) []teslaFailure {
	drawn, background, skipped := maskedPixel(t, "mrt", 1), maskedPixel(t, "mrt", 2), maskedPixel(t, "mrt", 0)
	at := func(pixel int) string { return fmt.Sprintf("pixel %d,%d ", pixel%64, pixel/64) }
	return []teslaFailure{
		{"float", "mrt", word("expect3.bin", 16*drawn+8, floatPlus(0.01)), "mrt g80: target 3: " + at(drawn) + "b is "},
		{"float within tolerance", "mrt", word("expect3.bin", 16*drawn+8, floatPlus(1e-6)), "mrt g80: passed"},
		{"unsigned", "mrt", word("expect1.bin", 16*drawn+12, plus), "mrt g80: target 1: " + at(drawn) + "a is "},
		{"signed", "mrt", word("expect2.bin", 16*drawn+4, plus), "mrt g80: target 2: " + at(drawn) + "g is "},
		{"a component that is not there", "mrt", word("expect2.bin", 16*drawn+8, plus), "mrt g80: passed"},
		{"outside of the mask", "mrt", word("expect1.bin", 16*skipped, plus), "mrt g80: passed"},
		{"background", "mrt", text(`"clear": [0, 0, 0, 0]`, `"clear": [0, 0, 1e-6, 0]`), "b is 9.99"},
		{"background of the file", "mrt", word("expect0.bin", 16*background, floatPlus(1e-6)), "mrt g80: passed"},
		{"bytes", "shadow", changed("expect0.rgba8.bin", func(b []byte) {
			for i := range b {
				b[i] ^= 0x80
			}
		}), "shadow g80: target 0: pixel "},
		{"size of a file", "mrt", func(t *testing.T, dir string) {
			if err := os.Truncate(filepath.Join(dir, "expect1.bin"), 5); err != nil {
				t.Fatal(err)
			}
		}, "expect1.bin has 5 bytes, want 65536"},
	}
}

// drawFailures are changes of the draw.
var drawFailures = []teslaFailure{
	{"viewport", "mrt", text(`[0, 0, 64, 64]`, `[1, 0, 63, 64]`), "pixels differ"},
	{"varying", "mrt", text(`"o": "0x14"`, `"o": "0x18"`), "mrt g80: target 0: pixel "},
	{"flat varying", "mrt", text(`"interp": "flat", "o": "0x20"`, `"interp": "perspective", "o": "0x20"`), "mrt g80: target 1: pixel "},
	{"no varying", "mrt", text(`{"v": "0x18", "interp": "flat", "o": "0x24"}`, `{"v": "0x1c", "interp": "flat", "o": "0x24"}`), "there is no varying word v[0x18]"},
	{"no attribute", "mrt", text(`{"a": "0x4", "input": 0`, `{"a": "0x80", "input": 0`), "there is no attribute word a[0x4]"},
	{"position", "mrt", text("\"position\": [\n   \"0x0\"", "\"position\": [\n   \"0x10\""), "pixels differ"},
	{"register", "mrt", text(`"r12"`, `"r13"`), "mrt g80: target 3: pixel "},
	{"texels", "tex_bias", changed("tex0.bin", func(b []byte) { b[0], b[4096], b[5120] = ^b[0], ^b[4096], ^b[5120] }), "pixels differ"},
	{"filter", "tex_bias", text(`"linear_mip_linear"`, `"nearest_mip_nearest"`), "tex_bias g80: target 0: pixel "},
	{"level", "tex_bias", text(`"max_lod": 1000`, `"max_lod": 1`), "tex_bias g80: target 0: pixel "},
	{"comparison", "shadow", text(`"less_equal"`, `"greater"`), "shadow g80: target 0: pixel "},
	{"constants", "loop", text(`{"bank": 1, "addr": "0x0"`, `{"bank": 1, "addr": "0x4"`), "loop g80: "},
	{"no texture", "loop", text(`"t": 0`, `"t": 1`), "there is no texture $t0"},
	{"fragment", "mrt", changed("fragments.json", func(b []byte) { copy(b[strings.Index(string(b), `"r4"`)+7:], "0xfffffff1") }), "mrt g80 fragments: r4: lane 0 is "},
	{"discarded", "discard", func(t *testing.T, dir string) {
		edit(t, filepath.Join(dir, "fragments.json"), func(s string) string {
			i := strings.Index(s, `"discarded"`)
			return s[:i] + strings.Replace(s[i:], "1", "0", 1)
		})
	}, "discard g80 fragments: discarded: lane "},
}

// TestTeslaSceneFailures: each change of a valid scene is detected, and the message names the place.
func TestTeslaSceneFailures(t *testing.T) {
	for _, c := range append(pixelFailures(t), drawFailures...) {
		t.Run(c.name, func(t *testing.T) {
			if all := changedScene(t, filepath.Join(teslaDraws, c.scene), "tesla", "g80", c.change); !strings.Contains(all, c.want) {
				t.Errorf("%s\nwant %s", all, c.want)
			}
		})
	}
}
