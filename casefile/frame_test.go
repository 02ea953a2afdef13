package casefile

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const cells = "testdata/frames/cells.json"

func TestReadFrame(t *testing.T) {
	f, err := ReadFrameFile(cells)
	if err != nil {
		t.Fatal(err)
	}
	if f.Name != "cells" || f.ISA != "attila" || len(f.Programs) != 2 || len(f.Runs) != 8 || f.Image.Width != 128 {
		t.Errorf("%+v", f)
	}
	r := &f.Runs[0]
	if r.Program != 0 || r.In[0]["i0"] != [4]uint32{0, 0, 0x3f000000, 0x3f800000} || r.Kill != nil {
		t.Errorf("%+v", r)
	}
	picture, err := f.Picture()
	if err != nil || len(picture) != 3*128*128 {
		t.Errorf("%d bytes, %v", len(picture), err)
	}
	if kind, err := Detect(cells); kind != FrameFile || err != nil {
		t.Errorf("%v, %v", kind, err)
	}
}

// Every error has the file and the path of keys.
func TestFrameErrors(t *testing.T) {
	whole := string(readFile(t, cells))
	for _, c := range []struct{ old, new, want string }{
		{`"name": "cells"`, `"name": ""`, "x.json:1:1: no name"},
		{`"isa": "attila"`, `"isa": 3`, "x.json:1:26: isa: found 3, want a string"},
		{`"width": 128`, `"width": 0`, "image.width: 0 is not in 1 to 4096"},
		{`"cells.ppm.gz"`, `"../cells.ppm.gz"`, "image.file: "},
		{`image row 0 is y=127`, `image row 0 is y=0`, "image.rule: "},
		{`"stage": "vertex"`, `"stage": "compute"`, `programs[0].stage: "compute" is none of vertex, fragment`},
		{`"code": "0800`, `"code": "080`, "programs[0].code: "},
		{`"uniform": {"c0.x": "0x3f800000"`, `"uniform": {"c0.x": ["1"]`, "programs[0].uniform.c0.x: a list, want one word"},
		{`"p": 1`, `"p": 7`, "runs[2].p: there is no program 7; there are 2"},
		{`"covered": [1, `, `"covered": [`, "covered: 3 lanes, want 4"},
		{`"covered": [1, `, `"covered": [2, `, "covered[0]: 2 is not in 0 to 1"},
		{`"i0": "00000000 `, `"i0": "`, "runs[0].in[0].i0: 3 words, want 4"},
		{`"i0": "00000000 `, `"i0": "x0000000 `, "runs[0].in[0].i0: found "},
		{`"p": 0`, `"p": 0, "tex": [[]]`, "runs[0].tex[0]: 0 lanes, want 1"},
		{`"p": 0`, `"q": 0`, "runs[0].q: unknown key"},
		{"\"runs\":[", "\"runs\":[,", "x.json:5:9: JSON: "},
	} {
		text := strings.Replace(whole, c.old, c.new, 1)
		if text == whole {
			t.Fatalf("no %q", c.old)
		}
		if _, err := ReadFrame(strings.NewReader(text), "x.json"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.new, err, c.want)
		}
	}
}

func TestPictureErrors(t *testing.T) {
	for _, c := range []struct{ data, want string }{
		{"P3\n128 128\n255\n", "cells.ppm.gz begins with"},
		{"P6\n128 128\n255\n" + strings.Repeat("x", 100), "has 115 bytes"},
		{"P6\n128 128\n255\n" + strings.Repeat("x", 3*128*128+1), "has 49168 bytes"},
		{"", "no such file"},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "cells.ppm.gz")
		if err := os.WriteFile(path, []byte(c.data), 0o644); err != nil {
			t.Fatal(err)
		}
		if c.data == "" {
			os.Remove(path)
		}
		f := &Frame{File: filepath.Join(dir, "x.json"), Image: &FrameImage{File: "cells.ppm.gz", Width: 128, Height: 128}}
		if _, err := f.Picture(); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "x.json: image.file: ") {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// frameSeeds are frames of one run each, with and without a picture, and of one program or both.
func frameSeeds(t testing.TB) (seeds []string) {
	var whole map[string]json.RawMessage
	var runs []json.RawMessage
	if err := json.Unmarshal(readFile(t, cells), &whole); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(whole["runs"], &runs); err != nil {
		t.Fatal(err)
	}
	for _, image := range []bool{true, false} {
		for i := range runs {
			part := maps.Clone(whole)
			part["runs"] = json.RawMessage("[" + string(runs[i]) + "]")
			if !image {
				delete(part, "image")
			}
			text, err := json.Marshal(part)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := ReadFrame(bytes.NewReader(text), "x"); err != nil {
				t.Fatal(err)
			}
			seeds = append(seeds, string(text))
		}
	}
	return seeds
}

// FuzzFrame: no input makes the reader panic, and what it accepts is consistent.
func FuzzFrame(f *testing.F) {
	f.Add(string(readFile(f, cells)))
	for _, seed := range frameSeeds(f) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := ReadFrame(strings.NewReader(text), "x")
		if err != nil {
			return
		}
		for _, r := range m.Runs {
			if r.Program >= len(m.Programs) || len(r.In) != len(r.Out) {
				t.Errorf("%+v", r)
			}
		}
	})
}
