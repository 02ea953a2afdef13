//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/heddle-gpu/heddle/internal/costs"
	"github.com/heddle-gpu/heddle/internal/coverage"
	"github.com/heddle-gpu/heddle/internal/profiles"
	"github.com/heddle-gpu/heddle/internal/stepping"
)

// results are the commands whose JSON has a schema in docs/schemas, with their output types: one of these, or the error
// that prevented it.
var results = []struct {
	command, title, says string
	types                []any
}{
	{"run", "What heddle run --json prints", "An object for one launch, a list for a manifest with an element for each build, an object for the first stop with --break, or error.", []any{ran{}, []build{}, new(stepping.Dump).JSON()}},
	{"profile", "What heddle profile --json prints", "An object for each code that ran, with --compare for each kernel, or error.", []any{[]profiles.Profile{}, []profiles.Comparison{}}},
	{"cost", "What heddle cost --json prints", "The model of each basic block, and the figures that it follows from, or error.", []any{costs.Report{}}},
	{"check", "What heddle check --json prints", "The failures, counts by set and flag, and the files that were passed over, or error.", []any{checkResult{}}},
	{"lint", "What heddle lint --json prints of a file", "Of several files there is a line for each, and one with the total.", []any{jsonLint{}, lintFailed{}, lintLine{}}},
}

// A lintLine is the last line of a report on several files.
type lintLine struct {
	Total lintTotal `json:"total"`
}

// A lintFailed is the line of a file that cannot be linted.
type lintFailed struct {
	File string `json:"file"`
	failed
}

// schemaOfType returns the JSON Schema of a type as encoded by encoding/json. A key is required if it is always
// present.
func schemaOfType(t reflect.Type) map[string]any {
	if t.Implements(reflect.TypeFor[json.Marshaler]()) {
		return map[string]any{} // any value
	}
	switch t.Kind() {
	case reflect.Pointer:
		return map[string]any{"anyOf": []any{schemaOfType(t.Elem()), map[string]any{"type": "null"}}}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Float32, reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return map[string]any{"type": "integer"}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return map[string]any{"type": "integer", "minimum": 0}
	case reflect.Slice:
		if e := t.Elem(); e.Kind() == reflect.Pointer && !e.Implements(reflect.TypeFor[json.Marshaler]()) {
			return map[string]any{"type": "array", "items": schemaOfType(e.Elem())} // none of them is nil
		}
		return map[string]any{"type": "array", "items": schemaOfType(t.Elem())}
	case reflect.Array:
		return map[string]any{"type": "array", "items": schemaOfType(t.Elem()), "minItems": t.Len(), "maxItems": t.Len()}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": schemaOfType(t.Elem())}
	case reflect.Struct:
		properties, required := map[string]any{}, []string{}
		schemaFields(t, false, properties, &required)
		return map[string]any{"type": "object", "additionalProperties": false, "properties": properties, "required": required}
	}
	return map[string]any{} // an interface: any value
}

// schemaFields adds the keys of a struct, including embedded ones; optional says that the struct itself may be missing.
func schemaFields(t reflect.Type, optional bool, properties map[string]any, required *[]string) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, flags, _ := strings.Cut(f.Tag.Get("json"), ",")
		typ, pointer := f.Type, false
		if pointer = typ.Kind() == reflect.Pointer; pointer && (f.Anonymous || strings.Contains(flags, "omitempty")) {
			typ = typ.Elem()
		}
		switch {
		case name == "-":
		case f.Anonymous && name == "" && typ.Kind() == reflect.Struct:
			schemaFields(typ, optional || pointer, properties, required)
		case f.IsExported():
			if name == "" {
				name = f.Name
			}
			properties[name] = schemaOfType(typ)
			if !optional && !strings.Contains(flags, "omitempty") {
				*required = append(*required, name)
			}
		}
	}
}

// TestResultSchemas: the schemas of results match the types and the actual output of commands: real outputs of all
// kinds are valid, and outputs with an extra or a missing key are not. -update writes the schemas.
func TestResultSchemas(t *testing.T) {
	dir := fixture(t)
	for _, r := range results {
		forms := []any{schemaOfType(reflect.TypeFor[failed]())}
		for _, x := range r.types {
			forms = append(forms, schemaOfType(reflect.TypeOf(x)))
		}
		s := schemaIn(t, r.command+"-result", map[string]any{"title": r.title, "description": r.says, "anyOf": forms})
		resultsFit(t, dir, r.command, s)
	}
}

// schemaIn compiles a schema, which is that of docs/schemas; -update writes it there.
func schemaIn(t *testing.T, name string, of map[string]any) *jsonschema.Schema {
	t.Helper()
	path := filepath.Join("..", "..", "docs", "schemas", name+".schema.json")
	of["$schema"], of["$id"] = "https://json-schema.org/draft/2020-12/schema", home+"/blob/main/docs/schemas/"+filepath.Base(path)
	text, err := json.MarshalIndent(of, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, '\n')
	if *update {
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, text) {
		t.Fatalf("%s is not what the types say (%v); -update writes it", path, err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(path, doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(path)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestCoverageSchema: the schema of files of coverage matches their type and files that are written, of programs and of
// test vectors, and --coverage-from takes what it takes.
func TestCoverageSchema(t *testing.T) {
	of := schemaOfType(reflect.TypeFor[coverage.Coverage]())
	of["title"], of["description"] = "What heddle check --coverage json:FILE writes", "Which instructions, directions of branches and instruction forms ran."
	of["properties"].(map[string]any)["format"] = map[string]any{"const": coverage.Format}
	s := schemaIn(t, "coverage", of)
	dir := t.TempDir()
	heddle := func(want int, args ...string) {
		t.Helper()
		c := exec.Command("heddle", args...)
		c.Dir = dir
		if out, err := c.CombinedOutput(); exitCode(t, err) != want {
			t.Errorf("%q: %v\n%s", args, err, out)
		}
	}
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	heddle(0, "vectors", "--isa", "gfx7", "v_fract_f64", "--count", "4", "-o", "vectors")
	heddle(0, "check", "--coverage", "json:c.json", "vectors", root+"/examples/reduction")
	text, err := os.ReadFile(filepath.Join(dir, "c.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct{ was, is string }{
		{"", ""}, {`"whole"`, `"hole"`}, {`"format"`, `"form"`}, {`"waves": 1`, `"waves": -1`}, {`"tests"`, `"test"`},
		{`"codes": [`, `"codes": [null,`}, {`"address": `, `"address": "1", "a": `},
	} {
		changed := bytes.Replace(text, []byte(x.was), []byte(x.is), 1)
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(changed))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(v); (err == nil) != (x.was == "") {
			t.Errorf("%s in place of %s: %v", x.is, x.was, err)
		}
		if err := os.WriteFile(filepath.Join(dir, "changed.json"), changed, 0o644); err != nil {
			t.Fatal(err)
		}
		want := 2
		if x.was == "" {
			want = 0
		}
		heddle(want, "check", "--coverage", "-", "--coverage-from", "changed.json", "vectors")
	}
}

// resultsFit validates the output of a command.
func resultsFit(t *testing.T, dir, command string, s *jsonschema.Schema) {
	t.Helper()
	more := []invocation{
		{"", "check --json wrong.json", ""}, {"", "lint --isa gcn --json ones.bin", ""}, {"", "lint --isa gcn --raw --json ones.bin ones.bin none.bin", ""},
		{"", "run --json --max-steps 100 loop.hsaco --grid 256 --block 256 --arg zero:4 --arg out=zero:4 --arg u32:0", ""},
		{"", "run --json --waits --max-steps 100 loop.hsaco --grid 256 --block 256 --arg zero:4 --arg out=zero:4 --arg u32:0", ""},
		{"", "profile --json --max-steps 100 loop.hsaco --grid 256 --block 256 --arg zero:4 --arg out=zero:4 --arg u32:0", ""}, {"", "profile --json none.hsaco", ""},
		{"", "profile --json none.s", ""},
		{"", "cost --json loop.hsaco", ""}, {"", "cost --json none.hsaco", ""}, {"", "cost --isa gcn --json ones.bin", ""},
		{"", "run --json none.hsaco", ""}, {"", "check --json none", ""}, {"", "lint --json none.s", ""}, {"", "run --json --check uv.s --isa gcn", ""},
	}
	n, failures, keys := 0, 0, map[string]bool{}
	for _, c := range append(more, printing...) {
		if !strings.HasPrefix(c.args, command+" ") || !strings.Contains(c.args, "--json") {
			continue
		}
		cmd, _ := c.prepare(t, dir, "")
		var out bytes.Buffer
		cmd.Stdout = &out
		if code := exitCode(t, cmd.Run()); code != 0 {
			failures++
		}
		for d := json.NewDecoder(&out); d.More(); n++ {
			var v any
			d.UseNumber()
			if err := d.Decode(&v); err != nil {
				t.Fatalf("%s: %v", c.args, err)
			}
			if err := s.Validate(v); err != nil {
				t.Errorf("%s: %v", c.args, err)
			}
			if object, is := v.(map[string]any); is {
				for key := range object {
					keys[key] = true
				}
				object["no_such_key"] = 1
				if s.Validate(v) == nil {
					t.Errorf("%s: the schema takes any key", c.args)
				}
			}
		}
	}
	if command == "run" && !keys["incomplete"] { // in a run that ended with a fault
		t.Error("no result has the key incomplete")
	}
	if n < 3 || failures < 2 {
		t.Errorf("%s: %d results, %d of them failures", command, n, failures)
	}
}
