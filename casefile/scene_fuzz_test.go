package casefile

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/limit"
)

// sceneParts are values for the keys of scenes, by the list that they belong to; each makes a seed, right or wrong.
var sceneParts = map[string][]string{
	"": {`"name": "n"`, `"format": "heddle-scene-1"`, `"format": "other"`, `"clear_color": [0, 0.5, 1, 1]`, `"clear_color": [0]`, `"clear_depth": 1e-3`,
		`"width": 8193`, `"height": 0`, `"isa": "attila:sim"`, `"other": 1`},
	"textures": {`"name": "t"`, `"file": "t.png"`, `"file": "../t.png"`, `"format": "R32F", "width": 4, "height": 2, "levels": 2`, `"target": "CUBE"`, `"depth": 3`,
		`"mipmaps": true`, `"min": "nearest", "mag": "linear"`, `"wrap": ["repeat", "clamp"]`, `"bias": -0.5, "aniso": 16`, `"aniso": 17`},
	"draws": {`"vertex": "v.s"`, `"vertex_constants": {"c0": 1, "c1": [1, 2, 3, 4]}`, `"fragment_constants": {"c0": []}`, `"textures": {"0": "t"}`,
		`"indices": [0, 1, 2, 4294967295]`, `"count": 262144`, `"count": 262145`, `"primitive": "strip"`, `"viewport": [0, 0, 4, 4]`, `"viewport": [1]`, `"depth_range": [0, 1]`,
		`"cull": "back", "front": "cw"`, `"depth_func": "less", "depth_write": true`, `"fragment_depth": true`, `"blend": {}`, `"blend": {"src": "one", "alpha_op": "max", "constant": [0, 0, 0, 1]}`,
		`"color_mask": "rgb"`, `"flat": [0, 15]`, `"flat": [16]`, `"truncate": true`,
		`"attributes": [{"slot": 0, "size": 2, "data": [1, 2, 3, 4]}]`, `"attributes": [{"size": 2, "data": [1]}]`, `"attributes": [{"slot": 3, "size": 4, "file": "d", "offset": 4, "stride": 1}]`},
}

// sceneSeeds are scenes with each of the parts.
func sceneSeeds() (seeds []string) {
	for list, parts := range sceneParts {
		for _, part := range parts {
			more := map[string]string{list: ", " + part}
			seeds = append(seeds, `{"isa": "attila", "width": 8, "height": 8`+more[""]+
				`, "textures": [{"name": "a", "file": "a.png"`+more["textures"]+`}], "draws": [{"fragment": "f.s"`+more["draws"]+`, "count": 3}]}`)
		}
	}
	return seeds
}

// FuzzScene: no input makes the reader panic, what it accepts is within the limits, and its attributes can be read.
func FuzzScene(f *testing.F) {
	f.Add(readFile(f, filepath.Join("..", "examples", "cube", "scene.json")))
	for _, seed := range sceneSeeds() {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := ReadScene(bytes.NewReader(data), "nowhere/s.json")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "nowhere/s.json:") {
				t.Error(err)
			}
			return
		}
		if s.Width < 1 || s.Height < 1 || s.Width*s.Height > limit.Pixels || len(s.Draws) == 0 || len(s.Draws) > 4096 || len(s.Textures) > 4096 {
			t.Errorf("%+v", s)
		}
		for i := range s.Draws {
			for k := range s.Draws[i].Attributes {
				a := &s.Draws[i].Attributes[k]
				if list, err := s.ReadAttribute(a); err == nil && len(list)*a.Size != len(a.Data) {
					t.Errorf("%d vertices of %d numbers, %d each", len(list), len(a.Data), a.Size)
				}
			}
		}
	})
}
