package valhall

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/internal/limit"
)

// valhallText is a valid scene: every key that is read once.
const valhallText = `{
 "format": "heddle-valhall-scene-1", "name": "tri", "isa": "valhall", "variant": "v9", "what": "a triangle", "tool": "hand", "source": {},
 "target": {"width": 8, "height": 4, "colour": [
   {"index": 2, "format": "rgba8_unorm", "clear": [0, 0.5, 1, 1], "expect": "e.bin", "tolerance": 1, "expect_f32": "f.bin", "tolerance_f32": 0.25},
   {"index": 0, "format": "rgba32_uint", "clear": [1, 2, 3, 4], "expect": "g.bin", "tolerance": 0, "expect_f32": null, "tolerance_f32": null}],
   "depth": {"format": "d32_float", "clear": 0.5}},
 "mask": "mask.bin", "compared_pixels": 3,
 "memory": {"file": "memory.bin", "regions": [{"addr": "0x1000", "size": 16, "offset": 1, "bytes": 3, "name": "jobs"}, {"addr": "0x2000", "size": 4, "offset": 0, "bytes": 0}]},
 "textures_plain": null, "draw_job": {"job": "0x1000", "draw_mode": 8, "other": [1]}, "checked": {},
 "vertex_outputs": [{"instance": 1, "vertex": 2, "position": ["0x1", "0x2", "0x3", "0x4"], "varyings": "0102"}, {"instance": 0, "vertex": 0, "position": ["0x0", "0x0", "0x0", "0x0"], "varyings": null}]
}`

// TestValhallScene: every key of a scene is stored in its field.
func TestValhallScene(t *testing.T) {
	s, err := ReadScene(strings.NewReader(valhallText), "dir/s.json")
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"format":"heddle-valhall-scene-1","name":"tri","what":"a triangle","isa":"valhall","variant":"v9","target":{"width":8,"height":4,` +
		`"colour":[{"index":2,"format":"rgba8_unorm","clear":[0,0.5,1,1],"expect":"e.bin","tolerance":1,"expect_f32":"f.bin","tolerance_f32":0.25},` +
		`{"index":0,"format":"rgba32_uint","clear":[1,2,3,4],"expect":"g.bin","tolerance":0,"expect_f32":"","tolerance_f32":0}],"depth":{"clear":0.5}},` +
		`"mask":"mask.bin","memory":{"file":"memory.bin",` +
		`"regions":[{"name":"jobs","addr":4096,"size":16,"offset":1,"bytes":3},{"name":"","addr":8192,"size":4,"offset":0,"bytes":0}]},` +
		`"draw_job":{"job":4096},"draw_csf":null,` +
		`"vertex_outputs":[{"instance":1,"vertex":2,"position":[1,2,3,4],"varyings":"AQI="},{"instance":0,"vertex":0,"position":[0,0,0,0],"varyings":null}]}`
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if k := casefile.Sniff(strings.NewReader(valhallText)); k != casefile.ValhallSceneFile || k.String() != "recorded draw" {
		t.Errorf("the file is %v (%d)", k, k)
	}
}

// TestValhallSceneRefuses: each invalid change of a valid file is rejected, and the error names file and key.
func TestValhallSceneRefuses(t *testing.T) {
	for _, c := range []struct{ old, new, key, msg string }{
		{`heddle-valhall-scene-1`, `heddle-valhall-scene-2`, "format", "heddle-valhall-scene-2"},
		{`"tool"`, `"tol"`, "tol", "unknown key"},
		{`"name": "tri"`, `"name": ""`, "", "no name"},
		{`"isa": "valhall"`, `"isa": "tesla"`, "isa", "tesla"},
		{`"variant": "v9"`, `"variant": ""`, "", "no variant"},
		{`"width": 8`, `"width": 0`, "target.width", "not in 1"},
		{`"width": 8, "height": 4`, `"width": 8192, "height": 8192`, "target", "pixels of 2 targets"},
		{`"index": 2`, `"index": 0`, "target.colour[1].index", "0 is given twice"},
		{`"index": 2`, `"index": 8`, "target.colour[0].index", "not in 0 to 7"},
		{`"expect": "e.bin", `, ``, "target.colour[0]", "no expect"},
		{`"expect": "g.bin"`, `"expect": "../g.bin"`, "target.colour[1].expect", "is not the name of a file in the same folder"},
		{`"mask": "mask.bin", `, ``, "", "no mask"},
		{`"file": "memory.bin", `, ``, "memory", "no file"},
		{`"size": 16`, `"size": 2`, "memory.regions[0]", "3 bytes of 2"},
		{`"size": 4`, `"size": 268435456`, "memory.regions[1]", "at most"},
		{`"name": "jobs"`, `"names": "jobs"`, "memory.regions[0].names", "unknown key"},
		{`"job": "0x1000"`, `"job": "x"`, "draw_job.job", "hexadecimal"},
		{`"job": "0x1000", `, ``, "", "want a draw_job with its job, of v9, or a draw_csf"},
		{`"checked"`, `"draw_csf": {"instruction": "0x1", "registers": {"r0": 1}}, "checked"`, "", "want a draw_job with its job, of v9, or a draw_csf"},
		{`"0x3", "0x4"]`, `"0x3"]`, "vertex_outputs[0].position", "3 words"},
		{`"0x3", "0x4"]`, `"0x3", "0x4", "0x5"]`, "vertex_outputs[0].position", "5 words, want x, y, z, 1/w"},
		{`"varyings": "0102"`, `"varyings": "010"`, "vertex_outputs[0].varyings", "pairs of 0-9a-f"},
	} {
		if strings.Count(valhallText, c.old) == 0 {
			t.Fatalf("the scene has no %s", c.old)
		}
		_, err := ReadScene(strings.NewReader(strings.Replace(valhallText, c.old, c.new, 1)), "dir/s.json")
		var e *casefile.Error
		if !errors.As(err, &e) || e.File != "dir/s.json" || e.Key != c.key || !strings.Contains(e.Msg, c.msg) {
			t.Errorf("%s: %v, want key %s and %q", c.new, err, c.key, c.msg)
		}
	}
}

// TestValhallStream: registers of a command stream are words by number, or two at once.
func TestValhallStream(t *testing.T) {
	text := func(stream string) string {
		return strings.Replace(valhallText, `"draw_job": {"job": "0x1000", "draw_mode": 8, "other": [1]}`, `"draw_csf": `+stream, 1)
	}
	s, err := ReadScene(strings.NewReader(text(`{"instruction": "0x600000200000000", "registers": {"d16": "0x123456789abcdef0", "r33": 3, "r44": "0x3f800000"}}`)), "s.json")
	if err != nil {
		t.Fatal(err)
	}
	want := map[int]uint32{16: 0x9abcdef0, 17: 0x12345678, 33: 3, 44: 0x3f800000}
	if s.Job != 0 || s.Stream.Instruction != 6<<56|1<<33 || !maps.Equal(s.Stream.Registers, want) {
		t.Errorf("%+v, want %v", s.Stream, want)
	}
	for _, c := range []struct{ stream, key, msg string }{
		{`{"instruction": "0x6", "registers": {"d16": 0, "r17": 0}}`, "draw_csf.registers.r17", "r17 is given twice"},
		{`{"instruction": "0x6", "registers": {"d17": 0}}`, "draw_csf.registers.d17", "d16 and d18 are pairs"},
		{`{"instruction": "0x6", "registers": {"r256": 0}}`, "draw_csf.registers.r256", "r0 to r255"},
		{`{"instruction": "0x6", "registers": {"s1": 0}}`, "draw_csf.registers.s1", "no register"},
		{`{"instruction": "0x6", "registers": {"r01": 0}}`, "draw_csf.registers.r01", "no register"},
		{`{"instruction": "0x6", "registers": {"r1": "0x100000000"}}`, "draw_csf.registers.r1", "a register has 32 bits"},
		{`{"instruction": "0x6", "registers": {"r1": true}}`, "draw_csf.registers.r1", "hexadecimal"},
		{`{"instruction": "0x6", "register": {}}`, "draw_csf.register", "unknown key"},
		{`{"instruction": "0x6"}`, "draw_csf", "no registers"},
		{`{"registers": {"r1": 0}}`, "draw_csf", "no instruction"},
	} {
		_, err := ReadScene(strings.NewReader(text(c.stream)), "s.json")
		var e *casefile.Error
		if !errors.As(err, &e) || e.Key != c.key || !strings.Contains(e.Msg, c.msg) {
			t.Errorf("%s: %v, want key %s and %q", c.stream, err, c.key, c.msg)
		}
	}
}

// TestValhallSceneFiles: files are read by their names, and the errors of those of another size name their key.
func TestValhallSceneFiles(t *testing.T) {
	dir := t.TempDir()
	for name, data := range map[string]string{"s.json": valhallText, "mask.bin": strings.Repeat("m", 32), "e.bin": strings.Repeat("e", 128),
		"f.bin": strings.Repeat("f", 512), "g.bin": "s", "memory.bin": "abcd"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s, err := ReadSceneFile(filepath.Join(dir, "s.json"))
	if err != nil {
		t.Fatal(err)
	}
	mask, e1 := s.ReadMask()
	bytes4, e2 := s.ReadExpect(0, 4)
	floats, e3 := s.ReadExpectFloats(0)
	memory, e4 := s.ReadMemory()
	if err := errors.Join(e1, e2, e3, e4); err != nil || len(mask) != 32 || len(bytes4) != 128 || len(floats) != 512 {
		t.Fatalf("%v: %d, %d, %d bytes", err, len(mask), len(bytes4), len(floats))
	}
	if want := "bcd" + strings.Repeat("\x00", 13); string(memory[0].Data) != want || len(memory[1].Data) != 4 {
		t.Errorf("memory %q", memory[0].Data)
	}
	_, err = s.ReadExpect(1, 16)
	if err == nil || !strings.Contains(err.Error(), "g.bin has 1 byte, want 512") {
		t.Errorf("got %v", err)
	}
	s.Memory[0].Offset = 2
	if _, err := s.ReadMemory(); err == nil || !strings.Contains(err.Error(), "bytes 2 to 5 of memory.bin, which has 4") {
		t.Errorf("got %v", err)
	}
}

// FuzzValhallScene: no input makes the reader panic, and what it accepts is within the limits.
func FuzzValhallScene(f *testing.F) {
	f.Add([]byte(valhallText))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := ReadScene(bytes.NewReader(data), "nowhere/s.json")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "nowhere/s.json:") {
				t.Error(err)
			}
			return
		}
		if s.Width < 1 || s.Height < 1 || s.Width*s.Height > limit.Pixels || len(s.Targets) == 0 || s.Targets[0].Index > 7 {
			t.Errorf("%+v", s)
		}
	})
}
