package tesla

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/casefile"
)

// teslaText is a valid scene: every key once.
const teslaText = `{
 "format": "heddle-tesla-scene-1", "name": "tri", "tool": "hand", "source": "",
 "programs": [{"variants": ["g80", "g200"], "vertex": {"code": "0100000000000000", "asm": []}, "fragment": {"code": "0300000000000000", "nv50ir": []}},
              {"variants": ["gt215"], "vertex": {"code": "05000000"}, "fragment": {"code": "07000000"}}],
 "constants": {"vertex": [], "fragment": [{"bank": 1, "addr": "0x10", "hex": "0102"}]},
 "inputs": [{"location": 0, "components": 2, "type": "f32", "values": [[0.5, -2], [1, 2], [3, 4]]},
            {"location": 3, "components": 1, "type": "i32", "values": [[-1], [2], [4294967295]]}],
 "attributes": [{"a": "0x0", "input": 0, "component": 0}, {"a": "0x4", "input": 3, "component": 0}],
 "varyings": {"position": ["0x0", "0x4", "0x8", "0xc"], "words": [{"v": "0x0", "source": "1/w"}, {"v": "0x4", "interp": "perspective", "o": "0x10"}, {"v": "0x8", "interp": "flat", "o": "0x14"}]},
 "textures": [{"t": 2, "kind": "cube", "format": "rgba8", "width": 8, "height": 8, "layers": 6, "levels": 1, "file": "tex.bin"}],
 "samplers": [{"s": 1, "min": "linear_mip_nearest", "mag": "linear", "wrap": ["repeat", "clamp_to_edge", "mirrored_repeat"], "compare": "less_equal", "min_lod": 0, "max_lod": 1000, "lod_bias": 0.5}],
 "draw": {"primitive": "triangles", "first": 0, "count": 3, "provoking": "last", "cull": "none", "blend": false, "depth_test": false, "viewport": [1, 2, 7, 6]},
 "targets": [{"index": 2, "format": "rgba32i", "registers": ["r8", "r9"], "components": 2, "clear": [0, 1, 2, 3], "expect": "e.bin", "compare": {"exact": true}},
             {"index": 0, "format": "rgba32f", "registers": ["r0", "r1", "r2", "r3"], "components": 4, "clear": [0, 0, 0, 0], "expect": "f.bin", "compare": {"abs": 0.25, "rel": 1e-05}, "expect_rgba8": "g.bin", "compare_rgba8": {"abs": 2}}],
 "mask": {"file": "mask.bin", "inside": 1, "background": 0}, "reference": {}, "fragments": "fragments.json"
}`

// TestScene: every key of a scene is stored in its field.
func TestScene(t *testing.T) {
	s, err := ReadScene(strings.NewReader(teslaText), "dir/s.json")
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	values := [][][4]uint32{{{1056964608, 3221225472, 0, 1065353216}, {1065353216, 1073741824, 0, 1065353216}, {1077936128, 1082130432, 0, 1065353216}},
		{{4294967295, 0, 0, 1}, {2, 0, 0, 1}, {4294967295, 0, 0, 1}}}
	if len(s.Inputs) != 2 || !slices.Equal(s.Inputs[0].Values, values[0]) || !slices.Equal(s.Inputs[1].Values, values[1]) || s.File != "dir/s.json" {
		t.Errorf("inputs %+v, want %v", s.Inputs, values)
	}
	want := `{"format":"heddle-tesla-scene-1","name":"tri","programs":[{"variants":["g80","g200"],"vertex":{"code":"AQAAAAAAAAA="},"fragment":{"code":"AwAAAAAAAAA="}},` +
		`{"variants":["gt215"],"vertex":{"code":"BQAAAA=="},"fragment":{"code":"BwAAAA=="}}],"constants":{"vertex":[],"fragment":[{"bank":1,"addr":16,"hex":"AQI="}]},` +
		`"inputs":[{"location":0,"components":2,"type":"f32","values":null},{"location":3,"components":1,"type":"i32","values":null}],` +
		`"attributes":[{"a":0,"input":0,"component":0},{"a":1,"input":3,"component":0}],` +
		`"varyings":{"position":[0,1,2,3],"words":[{"v":0,"source":"1/w","o":0,"interp":""},{"v":1,"source":"","o":4,"interp":"perspective"},{"v":2,"source":"","o":5,"interp":"flat"}]},` +
		`"textures":[{"t":2,"kind":"cube","format":"rgba8","width":8,"height":8,"layers":6,"levels":1,"file":"tex.bin"}],` +
		`"samplers":[{"s":1,"min":"linear_mip_nearest","mag":"linear","wrap":["repeat","clamp_to_edge","mirrored_repeat"],"compare":"less_equal","min_lod":0,"max_lod":1000,"lod_bias":0.5}],` +
		`"draw":{"primitive":"triangles","provoking":"last","cull":"none","blend":false,"depth_test":false,"first":0,"count":3,"viewport":[1,2,7,6]},` +
		`"targets":[{"index":2,"format":"rgba32i","registers":[8,9],"components":2,"clear":[0,1,2,3],"expect":"e.bin","compare":{"abs":0,"rel":0,"exact":true},"expect_rgba8":"","compare_rgba8":{"abs":0}},` +
		`{"index":0,"format":"rgba32f","registers":[0,1,2,3],"components":4,"clear":[0,0,0,0],"expect":"f.bin","compare":{"abs":0.25,"rel":0.00001,"exact":false},"expect_rgba8":"g.bin","compare_rgba8":{"abs":2}}],` +
		`"mask":{"file":"mask.bin"},"fragments":"fragments.json"}`
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if s.Width() != 8 || s.Height() != 8 || strings.Join(s.Variants(), " ") != "g80 g200 gt215" {
		t.Errorf("%dx%d, %v", s.Width(), s.Height(), s.Variants())
	}
	if c := s.Program("gt215", fragmentStage); !bytes.Equal(c, []byte{7, 0, 0, 0}) || s.Program("g84", vertexStage) != nil {
		t.Errorf("program %x", c)
	}
	if k := casefile.Sniff(strings.NewReader(teslaText)); k != casefile.TeslaSceneFile {
		t.Errorf("the file is %v (%d)", k, k)
	}
}

// TestSceneRefuses: each invalid change of a valid file is rejected, and the error names file and key.
func TestSceneRefuses(t *testing.T) {
	for _, c := range []struct{ old, new, key, msg string }{
		{`heddle-tesla-scene-1`, `heddle-tesla-scene-2`, "format", "heddle-tesla-scene-2"},
		{`"tool"`, `"tol"`, "tol", "unknown key"},
		{`"name": "tri"`, `"name": ""`, "", "no name"},
		{`"variants": ["gt215"]`, `"variants": ["g80"]`, "programs[1].variants", "g80 is given twice"},
		{`{"code": "07000000"}`, `{"asm": []}`, "programs[1].fragment", "no code"},
		{`"bank": 1`, `"bank": 16`, "constants.fragment[0].bank", "not in 0 to 15"},
		{`"location": 3`, `"location": 0`, "inputs[1]", "location 0 is given twice"},
		{`[0.5, -2]`, `[0.5]`, "inputs[0].values[0]", "1 numbers, want 2"},
		{`[[-1]`, `[[-1.5]`, "inputs[1].values[0]", "no integer"},
		{`"i32"`, `"i64"`, "inputs[1].type", "i64"},
		{`"input": 3`, `"input": 4`, "attributes[1]", "no input of location 4"},
		{`"a": "0x4"`, `"a": "0x5"`, "attributes[1].a", "0x5"},
		{`"o": "0x14"`, `"o": "0x200"`, "varyings.words[2].o", "0x200"},
		{`"0x8", "0xc"]`, `"0x8"]`, "varyings.position", "3 numbers"},
		{`"interp": "flat"`, `"interp": "centroid"`, "varyings.words[2].interp", "centroid"},
		{`"kind": "cube"`, `"kind": "3d"`, "textures[0].kind", "3d"},
		{`"layers": 6`, `"layers": 5`, "textures[0].layers", "6 faces"},
		{`"file": "tex.bin"`, `"file": "../tex.bin"`, "textures[0].file", "is not the name of a file in the same folder"},
		{`"clamp_to_edge", "mirrored_repeat"`, `"clamp_to_edge"`, "samplers[0].wrap", "2 values"},
		{`"less_equal"`, `"most"`, "samplers[0].compare", "most"},
		{`"primitive": "triangles"`, `"primitive": "fan"`, "draw.primitive", "fan: primitives other than triangles are not built"},
		{`"blend": false`, `"blend": true`, "draw.blend", "blending is not built"},
		{`"provoking": "last"`, `"provoking": "first"`, "draw.provoking", "not built"},
		{`"count": 3`, `"count": 6`, "inputs[0]", "3 values; the draw takes 6 vertices"},
		{`[1, 2, 7, 6]`, `[1, 2, 7]`, "draw.viewport", "3 numbers"},
		{`[1, 2, 7, 6]`, `[1, 2, 8192, 8192]`, "draw.viewport", "pixels of 2 targets"},
		{`"index": 2`, `"index": 0`, "targets[1].index", "0 is given twice"},
		{`["r8", "r9"]`, `["r8"]`, "targets[0]", "1 registers for 2 components"},
		{`"exact": true`, `"exact": false`, "targets[0].compare.exact", "true"},
		{`"mask": {"file": "mask.bin", `, `"mask": {`, "mask", "no file"},
	} {
		if strings.Count(teslaText, c.old) == 0 {
			t.Fatalf("the scene has no %s", c.old)
		}
		_, err := ReadScene(strings.NewReader(strings.Replace(teslaText, c.old, c.new, 1)), "dir/s.json")
		var e *casefile.Error
		if !errors.As(err, &e) || e.File != "dir/s.json" || e.Key != c.key || !strings.Contains(e.Msg, c.msg) {
			t.Errorf("%s: %v, want key %s and %q", c.new, err, c.key, c.msg)
		}
	}
}

// TestSceneFiles: files are read by their names, and the errors of those of another size name their key.
func TestSceneFiles(t *testing.T) {
	dir := t.TempDir()
	put := func(name string, data []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const fragments = `{"launch": {"lanes": 4, "quads": true}, "pixels": [[0, 0], [1, 0], [0, 1], [1, 1]],
 "initial": {"varyings": {"v[0x0]": ["0x1", "0x2", "0x3", "0x4"]}}, "final": {"regs": {"r0": "0x5"}, "discarded": [0, 1, 0, 0]}, "compare": {"type": "f32", "abs": 0.5}}`
	put("scene.json", []byte(teslaText))
	put("mask.bin", make([]byte, 64))
	put("e.bin", make([]byte, 1024))
	put("f.bin", make([]byte, 1023))
	put("g.bin", make([]byte, 256))
	put("tex.bin", []byte("texels"))
	put("fragments.json", []byte(fragments))
	s, err := ReadSceneFile(filepath.Join(dir, "scene.json"))
	if err != nil {
		t.Fatal(err)
	}
	mask, e1 := s.ReadMask()
	expect, e2 := s.ReadExpect(0)
	expectBytes, e3 := s.ReadExpectBytes(1)
	texels, e4 := s.ReadTexels(0)
	if err := errors.Join(e1, e2, e3, e4); err != nil || len(mask) != 64 || len(expect) != 1024 || len(expectBytes) != 256 || string(texels) != "texels" {
		t.Errorf("%v: %d, %d and %d bytes, %q", err, len(mask), len(expect), len(expectBytes), texels)
	}
	var e *casefile.Error
	if _, err := s.ReadExpect(1); !errors.As(err, &e) || e.Key != "targets[1].expect" || !strings.Contains(e.Msg, "f.bin has 1023 bytes, want 1024") {
		t.Errorf("%v", err)
	}
	f, err := s.ReadFragments()
	if err != nil || len(f.Pixels) != 4 || f.Pixels[1] != [2]int{1, 0} || f.Initial.Varyings["v[0x0]"].Lane(2) != 3 || f.Final.Regs["r0"].Lane(3) != 5 || !f.Final.Discarded[1] || f.Compare.Abs != 0.5 {
		t.Errorf("%+v, %v", f, err)
	}
	for _, c := range [][3]string{{`"lanes": 4`, `"lanes": 3`, "quads"}, {`["0x1", `, `[`, "3 words"}, {`[0, 1, 0, 0]`, `[0, 1]`, "2 values"}, {`[1, 0]`, `[1, 0, 0]`, "3 numbers, want x and y"}, {`"final"`, `"finale"`, "unknown key"}} {
		put("fragments.json", []byte(strings.Replace(fragments, c[0], c[1], 1)))
		if _, err := s.ReadFragments(); !errors.As(err, &e) || e.File != "fragments.json" || !strings.Contains(e.Msg, c[2]) {
			t.Errorf("%s: %v, want %s", c[1], err, c[2])
		}
	}
}

// FuzzScene: no input makes the reader panic, and errors name the file.
func FuzzScene(f *testing.F) {
	f.Add([]byte(teslaText))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := ReadScene(bytes.NewReader(data), "nowhere/s.json")
		var e *casefile.Error
		if err != nil && (!errors.As(err, &e) || e.File != "nowhere/s.json") {
			t.Errorf("%v", err)
		}
		if err == nil && (s.Width()*s.Height() == 0 || len(s.Variants()) == 0) {
			t.Errorf("%+v", s)
		}
	})
}
