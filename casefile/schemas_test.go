package casefile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schemaOf are the schemas in docs/schemas by the format of a file; for files without a format by their kind.
var schemaOf = map[string]string{
	ManifestFormat: "manifest", ValhallManifestFormat: "manifest", RogueManifestFormat: "manifest", TeslaManifestFormat: "manifest",
	SceneFormat: "scene", "heddle-gcn-scene-1": "gcn-scene", "heddle-tesla-scene-1": "tesla-scene", "heddle-valhall-scene-1": "valhall-scene",
}

// schema compiles a schema with an independent implementation.
func schema(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	text := readFile(t, filepath.Join("..", "docs", "schemas", name+".schema.json"))
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(name, err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource(name, doc); err != nil {
		t.Fatal(name, err)
	}
	s, err := c.Compile(name)
	if err != nil {
		t.Fatal(name, err)
	}
	return s
}

func validates(t *testing.T, s *jsonschema.Schema, text []byte) error {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(doc)
}

// casesOfFile is the number of cases of a file of state cases that are validated; of large files only some are.
const casesOfFile = 60

// TestSchemas: all manifests, state cases, scenes and recorded draws of cases/ and examples/ match their schemas.
func TestSchemas(t *testing.T) {
	compiled, n := map[string]*jsonschema.Schema{}, map[string]int{}
	valid := func(path, name string, text []byte) {
		if compiled[name] == nil {
			compiled[name] = schema(t, name)
		}
		if n[name]++; validates(t, compiled[name], text) != nil {
			t.Errorf("%s: %v", path, validates(t, compiled[name], text))
		}
	}
	for _, root := range []string{"../cases", "../examples"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.Contains(path, ".json") {
				return err
			}
			h, err := LookAt(path)
			if err != nil {
				return err
			}
			f, err := Open(path)
			if err != nil {
				return err
			}
			defer f.Close()
			text, err := io.ReadAll(f)
			switch name := schemaOf[h.Format]; {
			case err != nil:
				return err
			case h.Key == "format" && name != "":
				valid(path, name, text)
			case h.Kind == StatesFile:
				lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
				for i := 0; i < len(lines); i += 1 + len(lines)/casesOfFile {
					valid(path, "state", lines[i])
				}
			case h.Kind == FrameFile:
				valid(path, "frame", text)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"manifest", "state", "scene", "gcn-scene", "tesla-scene", "valhall-scene"} {
		if n[name] < 3 {
			t.Errorf("%d files of schema %s", n[name], name)
		}
	}
}

// TestFrameSchema: captured frames match theirs, and all schemas compile, including those of test vectors, which
// package vectors holds.
func TestFrameSchema(t *testing.T) {
	of := schema(t, "frame")
	frames, err := filepath.Glob("testdata/frames/*.json*")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, path := range frames {
		f, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(f)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ReadFrame(bytes.NewReader(text), path); err == nil {
			n++
			if err := validates(t, of, text); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
	if n < 1 {
		t.Errorf("%d frames held against the schema of %d files", n, len(frames))
	}
	files, err := os.ReadDir("../docs/schemas")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		schema(t, strings.TrimSuffix(f.Name(), ".schema.json"))
	}
}

// A mutation breaks a good document in one place.
type mutation struct{ old, new string }

const goodManifest = `{"format": "heddle-gcn-kernel-1", "name": "n", "variants": [{"file": "k.hsaco", "isa": "gcn", "variant": "gfx8"}],
 "buffers": {"b": {"bytes": 8, "elem": "float32", "init": "zero", "expect": "b.exp", "compare": {"mode": "ulp_or_abs", "type": "f32", "ulp": 1}}},
 "launches": [{"kernel": "k", "work_dim": 1, "grid": [64, 1, 1], "block": [64, 1, 1], "args": [{"buffer": "b"}, {"type": "i32", "value": 5}, {"local_bytes": 16}]}]}`

// memoryManifest has arguments as bytes, registers, code with a descriptor of its own.
const memoryManifest = `{"format": "heddle-gcn-kernel-1", "name": "n", "variants": [{"file": "k.bin", "isa": "gcn", "variant": "gfx8",
  "bare": {"descriptor": {"compute_pgm_rsrc1": "0xac033f", "compute_pgm_rsrc2": 4989, "kernel_code_properties": "0x9", "compute_dispatch_initiator": 8}}}],
 "buffers": {"b": {"bytes": 8, "elem": "float32", "init": "zero", "address": "0x20000", "read_only": true}},
 "launches": [{"kernel": "k", "work_dim": 1, "grid": [64, 1, 1], "block": [64, 1, 1], "kernarg": "0000020000000000", "registers": {"s4": "0x20000", "v0": ["0x1", 2]}}]}`

const goodCase = `{"name": "c", "isa": "gcn", "variant": "gfx8", "stage": "raw", "code": "000081bf", "asm": ["s_endpgm"], "launch": {"lanes": 2, "quads": false},
 "initial": {"regs": {"v0": ["0x1", "0x2"]}, "memory": [{"space": "global", "addr": "0x1000", "hex": "00ff"}]}, "final": {"regs": {"v0": "0x1"}}, "compare": {"type": "u32", "ulp": 0}}`

// refusals are valid documents, and the places in which they are broken, by schema.
var refusals = []struct {
	schema, good string
	read         func(text string) error
	mutations    []mutation
}{
	{"manifest", goodManifest, func(text string) error {
		_, err := ReadManifest(strings.NewReader(text), "m")
		return err
	}, []mutation{
		{`"format": "heddle-gcn-kernel-1"`, `"format": "heddle-gcn-kernel-2"`}, {`"format": "heddle-gcn-kernel-1", `, ``}, {`"name": "n"`, `"name": ""`}, {`"name": "n"`, `"name": 1`},
		{`"file": "k.hsaco"`, `"file": "../k"`}, {`"file": "k.hsaco"`, `"file": "/k"`}, {`"file": "k.hsaco"`, `"flie": "k"`}, {`"variant": "gfx8"`, `"variants": "gfx8"`},
		{`"bytes": 8`, `"bytes": 0`}, {`"bytes": 8`, `"bytes": "8"`}, {`"bytes": 8, `, ``}, {`"elem": "float32"`, `"elem": "float"`}, {`"init": "zero", `, ``},
		{`"mode": "ulp_or_abs"`, `"mode": "about"`}, {`"type": "f32"`, `"type": "f8"`}, {`"ulp": 1`, `"ulp": -1`}, {`"ulp": 1`, `"upl": 1`},
		{`"kernel": "k", `, ``}, {`"work_dim": 1`, `"work_dim": 4`}, {`[64, 1, 1], "block"`, `[64, 1], "block"`}, {`"block": [64, 1, 1]`, `"block": [0, 1, 1]`},
		{`{"buffer": "b"}`, `{"bufer": "b"}`}, {`{"buffer": "b"}`, `{}`}, {`{"buffer": "b"}`, `{"buffer": "b", "local_bytes": 4}`}, {`"value": 5`, `"value": "5"`},
		{`"value": 5`, `"value": 5000000000`}, {`"type": "i32"`, `"type": "i33"`}, {`"local_bytes": 16`, `"local_bytes": 0`}, {`{"local_bytes": 16}`, `{"hex": "0"}`},
		{`"work_dim": 1`, `"work_dim": 1, "shared_bytes": 4`}, {`"work_dim": 1`, `"work_dim": 1, "abi": "cuda"`}, {`"bytes": 8`, `"bytes": 8, "space": "global0"`},
		{`"bytes": 8`, `"bytes": 8, "read_only": 1`}, {`"bytes": 8`, `"bytes": 8, "address": "0x1000z"`}, {`"work_dim": 1`, `"work_dim": 1, "kernarg": "00"`},
		{`"work_dim": 1`, `"work_dim": 1, "registers": {"s4": "0x100000000"}`}, {`"work_dim": 1`, `"work_dim": 1, "registers": {"v0": []}`},
		{`"work_dim": 1`, `"work_dim": 1, "registers": {"v0": [1, 4294967296]}`}, {`"work_dim": 1`, `"work_dim": 1, "registers": {"v0": "g"}`},
		{`"file": "k.hsaco"`, `"file": "k.hsaco", "bare": {"descriptor": {"compute_pgm_rsrc1": 1}}`},
		{`"file": "k.hsaco"`, `"file": "k.hsaco", "bare": {"descriptor": {"compute_pgm_rsrc1": 1, "compute_pgm_rsrc2": 2, "kernel_code_properties": "10000"}}`},
		{`"variants": [{"file": "k.hsaco", "isa": "gcn", "variant": "gfx8"}]`, `"variants": []`}, {`"launches"`, `"launch"`},
		{`"file": "k.hsaco"`, `"file": "k.hsaco", "bare": {"lds": 4}`}, {`"file": "k.hsaco"`, `"file": "k.hsaco", "bare": {"lds_bytes": -4}`},
		{`"file": "k.hsaco"`, `"file": "k.hsaco", "address": "0x100"`}, {`"file": "k.hsaco"`, `"file": "k.hsaco", "bare": {}, "address": "0x100z"`},
	}},
	{"manifest", memoryManifest, func(text string) error {
		_, err := ReadManifest(strings.NewReader(text), "m")
		return err
	}, []mutation{
		{`"0000020000000000"`, `"000"`}, {`"0000020000000000"`, `0`}, {`"kernarg": "0000020000000000"`, `"kernarg": "00", "args": []`}, {`"0x20000", "v0"`, `"0x120000000", "v0"`},
		{`"compute_pgm_rsrc2": 4989, `, ``}, {`4989`, `4294967296`}, {`"0x9"`, `"0x10009"`}, {`"read_only": true`, `"read_only": "yes"`},
		{`"heddle-gcn-kernel-1"`, `"heddle-valhall-kernel-1"`}, {`"heddle-gcn-kernel-1"`, `"heddle-rogue-kernel-1"`},
	}},
	{"state", goodCase, func(text string) error {
		for _, err := range States(strings.NewReader(text), "s") {
			if err != nil {
				return err
			}
		}
		return nil
	}, []mutation{
		{`"name": "c"`, `"nam": "c"`}, {`"name": "c"`, `"name": ""`}, {`"isa": "gcn", `, ``}, {`"code": "000081bf"`, `"code": "00008"`}, {`"code": "000081bf"`, `"code": ""`}, {`"code": "000081bf", `, ``},
		{`"asm": ["s_endpgm"]`, `"asm": "s_endpgm"`}, {`"asm": ["s_endpgm"], `, ``}, {`"lanes": 2`, `"lanes": 0`}, {`"lanes": 2`, `"lane": 2`}, {`"quads": false`, `"quads": 0`},
		{`"0x1", "0x2"`, `"0x1", "0xg"`}, {`"0x1", "0x2"`, `-1, 2`}, {`"space": "global", `, ``}, {`"hex": "00ff"`, `"hex": "00f"`}, {`"addr": "0x1000"`, `"adr": "0x1000"`},
		{`"type": "u32"`, `"type": "u16"`}, {`"ulp": 0`, `"nan": "none"`}, {`"ulp": 0`, `"ulp": 0.5`},
		{`"lanes": 2`, `"grid": [1, 1, 1]`}, {`"stage": "raw"`, `"stage": 1`}, {`"stage": "raw"`, `"options": {"a": 1}`},
	}},
}

// TestSchemasRefuse: what the readers reject in one place, the schema rejects, and both accept valid documents.
func TestSchemasRefuse(t *testing.T) {
	for _, c := range refusals {
		s := schema(t, c.schema)
		if err := c.read(c.good); err != nil {
			t.Fatalf("%s: %v", c.schema, err)
		}
		if err := validates(t, s, []byte(c.good)); err != nil {
			t.Fatalf("%s: %v", c.schema, err)
		}
		for _, m := range c.mutations {
			if strings.Count(c.good, m.old) == 0 {
				t.Fatalf("%s: no %s", c.schema, m.old)
			}
			text := strings.Replace(c.good, m.old, m.new, 1)
			if !json.Valid([]byte(text)) {
				t.Fatalf("%s: %s is no JSON", c.schema, m.new)
			}
			what := fmt.Sprintf("%s: %s -> %s", c.schema, m.old, m.new)
			if c.read(text) == nil {
				t.Errorf("%s: the reader takes it", what)
			}
			if validates(t, s, []byte(text)) == nil {
				t.Errorf("%s: the schema takes it", what)
			}
		}
	}
}

// TestOtherKeys: reader and schema of state cases accept keys that neither knows. Only the reader can reject a misspelt
// key.
func TestOtherKeys(t *testing.T) {
	s := schema(t, "state")
	for _, c := range []struct {
		old, new string
		reader   bool // accepts it
	}{
		{`"name": "c"`, `"name": "c", "seed": 7`, true},
		{`"initial": {`, `"initial": {"clock": 3, `, true},
		{`"final"`, `"finall"`, false},
		{`"initial"`, `"inital"`, false},
		{`"regs"`, `"rges"`, false},
	} {
		text := strings.Replace(goodCase, c.old, c.new, 1)
		if err := validates(t, s, []byte(text)); err != nil {
			t.Errorf("%s: the schema refuses it: %v", c.new, err)
		}
		var err error
		for _, e := range States(strings.NewReader(text), "s") {
			err = e
		}
		if (err == nil) != c.reader {
			t.Errorf("%s: the reader says %v", c.new, err)
		}
	}
}
