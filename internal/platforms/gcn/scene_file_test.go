package gcn

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/internal/limit"
	"github.com/heddle-gpu/heddle/launch"
)

const drawnFolder = "../../../cases/render/gcn"

func readScene(t testing.TB, name string) *Scene {
	t.Helper()
	s, err := ReadSceneFile(filepath.Join(drawnFolder, name, "scene.json"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestGCNScene: the contents of the files, compared with what encoding/json reads from them.
func TestGCNScene(t *testing.T) {
	for _, name := range []string{"mvp_cube", "mandelbrot_discard", "mrt"} {
		s := readScene(t, name)
		var raw struct {
			Size    [2]int
			Targets []struct {
				Index          int
				Format, Expect string
				Tolerance      float64
			}
			Depth    *struct{ Clear float64 }
			Variants map[string]struct {
				VertexShader struct{ Addr, Rsrc1 string } `json:"vertex_shader"`
				Registers    map[string]string
				Draw         struct{ Count, Instances int }
				Memory       []struct{ Size, Offset, Bytes int }
				SampleWave   struct {
					VGPRs   map[string]string
					Exports []struct{ Values []*string }
				} `json:"sample_wave"`
			}
		}
		if err := json.Unmarshal(contents(t, filepath.Join(drawnFolder, name, "scene.json")), &raw); err != nil {
			t.Fatal(err)
		}
		if s.Name != name || s.Size != raw.Size || len(s.Targets) != len(raw.Targets) || (s.Depth != nil) != (raw.Depth != nil) || len(s.Variants) != 3 {
			t.Errorf("%s: %+v", name, s)
		}
		for i, want := range raw.Targets {
			if got := s.Targets[i]; got.Index != want.Index || got.Format != want.Format || got.Expect != want.Expect || got.Tolerance != want.Tolerance {
				t.Errorf("%s: target %d: %+v", name, i, got)
			}
			if _, err := s.ReadExpect(i); err != nil {
				t.Error(err)
			}
		}
		for vn, want := range raw.Variants {
			v := s.Variant(vn)
			if v == nil || v.Draw.Count != want.Draw.Count || v.Draw.Instances != want.Draw.Instances || len(v.Registers) != len(want.Registers) || len(v.Memory) != len(want.Memory) {
				t.Fatalf("%s %s: %+v", name, vn, v)
			}
			if len(v.Sample.VGPRs) != len(want.SampleWave.VGPRs) || len(v.Sample.Exports) != len(want.SampleWave.Exports) || v.Pixel.PrimMask != v.Pixel.Users {
				t.Errorf("%s %s: %+v", name, vn, v.Sample)
			}
			list, err := s.ReadMemory(v)
			if err != nil {
				t.Fatal(err)
			}
			for i := range list {
				if len(list[i].Data) != want.Memory[i].Size || !bytes.Equal(list[0].Data[:len(v.Vertex.Code)], v.Vertex.Code) {
					t.Errorf("%s %s: memory %d has %d bytes", name, vn, i, len(list[i].Data))
				}
			}
		}
		if mask, err := s.ReadMask(); err != nil || bytes.IndexByte(mask, launch.MaskDrawn) < 0 || bytes.IndexByte(mask, launch.MaskBackground) < 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestGCNSceneRefuses: each invalid change of a valid file is rejected, and the error names file and key.
func TestGCNSceneRefuses(t *testing.T) {
	text := string(contents(t, filepath.Join(drawnFolder, "mrt", "scene.json")))
	for _, c := range []struct{ old, new, key, msg string }{
		{`"format": "heddle-gcn-scene-1"`, `"format": "heddle-gcn-scene-2"`, "format", "heddle-gcn-scene-2"},
		{`"name": "mrt"`, `"nom": "mrt"`, "nom", "unknown key"},
		{`"index": 2`, `"index": 1`, "targets[2].index", "twice"},
		{`"index": 2`, `"index": 8`, "targets[2].index", "not in 0 to 7"},
		{`"compare": "u32"`, `"compare": "u33"`, "targets[2].compare", "u33"},
		{`"mask": "mask.bin"`, `"mask": "../mask.bin"`, "mask", "is not the name of a file in the same folder"},
		{`"memory_file": "memory_gfx8.bin"`, `"memory_file": "/etc/passwd"`, "variants.gfx8.memory_file", "is not the name of a file in the same folder"},
		{`"primitive": "triangle list"`, `"primitive": "points"`, "draw.primitive", "points"},
		{`"prim_mask_sgpr": 2`, `"prim_mask_sgpr": 200`, "pixel_shader.prim_mask_sgpr", "200"},
		{`"rsrc1": "0x002c0041"`, `"rsrc1": "0x1002c0041"`, "rsrc1", "32 bits"},
		{`"size": 192`, `"size": 19200000000`, "memory[2].size", "not in 0 to"},
		{`"size": 192`, `"size": 3`, "memory[2]", "192 bytes of 3"},
		{`"attr0"`, `"attr64"`, "attr64", "attr0 to attr63"},
		{`"pixels": "34,2 `, `"pixels": "`, "pixels", "63"},
		{`"values": [`, `"values": [null, `, "exports[0].values", "5 values, want 4"},
	} {
		if !strings.Contains(text, c.old) {
			t.Fatalf("the scene has no %s", c.old)
		}
		_, err := ReadScene(strings.NewReader(strings.Replace(text, c.old, c.new, 1)), "dir/s.json")
		var e *casefile.Error
		if !errors.As(err, &e) || e.File != "dir/s.json" || !strings.HasSuffix(e.Key, c.key) || !strings.Contains(e.Msg, c.msg) {
			t.Errorf("%s: %v, want key %s and %q", c.new, err, c.key, c.msg)
		}
	}
}

// TestGCNSceneFiles: the errors of files that are too short, or outside of the folder, name their key.
func TestGCNSceneFiles(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(drawnFolder, "mrt"))); err != nil {
		t.Fatal(err)
	}
	s, err := ReadSceneFile(filepath.Join(dir, "scene.json"))
	if err != nil {
		t.Fatal(err)
	}
	cut := func(name string) {
		if err := os.Truncate(filepath.Join(dir, name), 100); err != nil {
			t.Fatal(err)
		}
	}
	cut("mask.bin")
	cut("memory_gfx7.bin")
	cut("expect2_u32.bin")
	_, e1 := s.ReadMask()
	_, e2 := s.ReadMemory(s.Variant("gfx7"))
	_, e3 := s.ReadExpect(2)
	for i, c := range []struct {
		err       error
		key, want string
	}{
		{e1, "mask", "mask.bin has 100 bytes, want 4096"},
		{e2, "variants.gfx7.memory[1]", "bytes 64 to 204"},
		{e3, "targets[2].expect", "expect2_u32.bin has 100 bytes, want 16384"},
	} {
		var e *casefile.Error
		if !errors.As(c.err, &e) || e.Key != c.key || !strings.Contains(e.Msg, c.want) {
			t.Errorf("%d: %v", i, c.err)
		}
	}
	if s.Variant("gfx9") != nil {
		t.Error("there is a gfx9")
	}
}

// FuzzGCNScene: no input makes the reader panic, what it accepts is within the limits, and errors name the file.
func FuzzGCNScene(f *testing.F) {
	text := contents(f, filepath.Join(drawnFolder, "mrt", "scene.json"))
	f.Add(text)
	for _, part := range []string{`"size": [1]`, `"size": [8192, 8192]`, `"targets": []`, `"targets": [{"index": 7, "format": "r8_unorm", "clear": [0, 0, 0, 1]}]`,
		`"depth": null`, `"depth": {"clear": 0.5, "write": false}`, `"buffers_after": [{"name": "b", "expect": "f"}]`,
		`"variants": {"gfx8": {"vertex_shader": {"code": "00"}, "draw": {"count": 1}}}`, `"variants": {"x": {"sample_wave": {"pixels": "1,2", "vgprs": {"v0": "0"}}}}`} {
		f.Add([]byte(`{"format": "heddle-gcn-scene-1", "name": "n", ` + part + `}`))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := ReadScene(bytes.NewReader(data), "nowhere/s.json")
		if err != nil {
			var e *casefile.Error
			if !errors.As(err, &e) || e.File != "nowhere/s.json" {
				t.Error(err)
			}
			return
		}
		if s.Size[0] < 1 || s.Size[1] < 1 || s.Size[0]*s.Size[1]*len(s.Targets) > limit.Pixels || len(s.Targets) > 8 || len(s.Variants) == 0 {
			t.Errorf("%+v", s)
		}
		for _, v := range s.Variants {
			total := 0
			for i := range v.Memory {
				total += v.Memory[i].Size
			}
			if total > maxRegions || len(v.Vertex.Code) == 0 || v.Draw.Count < 1 {
				t.Errorf("%+v", v)
			}
			if _, err := s.ReadMemory(v); err == nil {
				t.Error("there is a memory file")
			}
		}
	})
}

func contents(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
