package spec_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/internal/spec"
	"github.com/heddle-gpu/heddle/isa"
)

// committed returns the schema of the repository, compiled by another implementation.
func committed(t *testing.T) *jsonschema.Schema {
	text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(spec.SchemaFile)))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource("spec.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("spec.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// some selects the rows whose semantics the tests include: a few of the largest set, more of others.
func some(s *isa.Set) func(d *isa.Def) bool {
	every := 4
	if len(s.Defs) > 1000 {
		every = 256
	}
	return func(d *isa.Def) bool { return d.ID%every == 0 }
}

// A made is a document and its JSON; each is made once for all tests.
type made struct {
	once sync.Once
	doc  *spec.Document
	text []byte
}

var wholes sync.Map // of *made, by *isa.Set

// whole returns the document of a set.
func whole(t *testing.T, s *isa.Set) (*spec.Document, []byte) {
	v, _ := wholes.LoadOrStore(s, new(made))
	m := v.(*made)
	m.once.Do(func() { m.doc, m.text = written(t, s, spec.What{Variant: spec.AllVariants, Runs: some(s)}) })
	if m.doc == nil {
		t.Fatalf("%s has no document", s.Name)
	}
	return m.doc, m.text
}

// TestSchema: documents of all sets are valid, and indexes into lists are in range.
func TestSchema(t *testing.T) {
	schema := committed(t)
	for _, s := range sets.Sets() {
		d, text := whole(t, s)
		checkDocument(t, schema, d, text)
	}
}

// TestOneVariant: a document of one variant is valid, has the rows of that variant, and is deterministic.
func TestOneVariant(t *testing.T) {
	schema := committed(t)
	const last = 4 // the variant of Tesla that lacks rows of others and has ones of its own
	set := sets.Entries()[2].Set()
	what := spec.What{Variant: last, Runs: func(*isa.Def) bool { return false }}
	d, text := written(t, set, what)
	checkDocument(t, schema, d, text)
	if _, again := written(t, set, what); !bytes.Equal(text, again) {
		t.Error("two documents differ")
	}
	rows := 0
	for i := range set.Defs {
		if set.Defs[i].InVariant(last) {
			rows++
		}
	}
	if len(d.Variants) != 1 || d.Variants[0].Name != set.Variants[last].Name || len(d.Rows) != rows || rows == len(set.Defs) {
		t.Errorf("%v: %d rows, want %d", d.Variants, len(d.Rows), rows)
	}
}

// checkDocument checks that a document and its indexes are valid.
func checkDocument(t *testing.T, schema *jsonschema.Schema, d *spec.Document, text []byte) {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(doc); err != nil {
		t.Errorf("%s: %v", d.ISA, err)
	}
	checkIndexes(t, d)
}

func written(t *testing.T, s *isa.Set, what spec.What) (*spec.Document, []byte) {
	d, err := spec.Build(s, what)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := d.Write(&b); err != nil {
		t.Fatal(err)
	}
	return d, b.Bytes()
}

// checkIndexes checks that all indexes are in range.
func checkIndexes(t *testing.T, d *spec.Document) {
	within := func(what string, i, n int) {
		if i < 0 || i >= n {
			t.Errorf("%s: %s %d of %d", d.ISA, what, i, n)
		}
	}
	for _, f := range d.Forms {
		for _, a := range f.Args {
			within("kind", a.Kind, len(d.Kinds))
			for _, p := range a.Parts {
				within("kind", p.Kind, len(d.Kinds))
			}
		}
	}
	for _, r := range d.Rows {
		within("form", r.Form, len(d.Forms))
		within("encoding", r.Encoding, len(d.Encodings))
		within("class", r.Class, max(1, len(d.Classes)))
		for _, v := range r.Variants {
			within("variant", v, len(d.Variants))
		}
		for _, st := range r.Stages {
			within("stage", st, len(d.Stages))
		}
		for _, x := range r.Runs {
			if x.Example.Meaning != nil {
				within("meaning", *x.Example.Meaning, len(d.Meanings))
			}
		}
	}
}

// TestSchemaRefuses: the schema is strict: invalid documents do not pass.
func TestSchemaRefuses(t *testing.T) {
	schema := committed(t)
	set := sets.Entries()[len(sets.Entries())-1].Set()
	_, text := written(t, set, spec.What{Variant: spec.AllVariants, Runs: func(*isa.Def) bool { return false }})
	for _, x := range []struct {
		what  string
		wrong func(d map[string]any)
	}{
		{"another format", func(d map[string]any) { d["format"] = json.Number("2") }},
		{"a member that there is not", func(d map[string]any) { d["rowz"] = []any{} }},
		{"no rows", func(d map[string]any) { delete(d, "rows") }},
		{"a row without mask", func(d map[string]any) { delete(first(d, "rows"), "mask") }},
		{"a row with a member that there is not", func(d map[string]any) { first(d, "rows")["opcodes"] = json.Number("1") }},
		{"a mask in decimal digits", func(d map[string]any) { first(d, "rows")["mask"] = "255" }},
		{"an opcode below 0", func(d map[string]any) { first(d, "rows")["opcode"] = json.Number("-1") }},
		{"an opcode that is text", func(d map[string]any) { first(d, "rows")["opcode"] = "0x1" }},
		{"a policy that there is not", func(d map[string]any) { first(d, "encodings")["unclaimed"] = "perhaps" }},
		{"a bit beyond the word", func(d map[string]any) {
			first(d, "encodings")["opcode"] = []any{[]any{json.Number("0"), json.Number("128")}}
		}},
		{"a run of one bit number", func(d map[string]any) { first(d, "encodings")["opcode"] = []any{[]any{json.Number("0")}} }},
		{"a place that there is not", func(d map[string]any) { firstArg(d)["place"] = "behind" }},
	} {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		x.wrong(doc.(map[string]any))
		if schema.Validate(doc) == nil {
			t.Errorf("a document with %s is valid", x.what)
		}
	}
}

// first returns the first element of a list of a document.
func first(d map[string]any, list string) map[string]any {
	return d[list].([]any)[0].(map[string]any)
}

func firstArg(d map[string]any) map[string]any {
	for _, f := range d["forms"].([]any) {
		if args := f.(map[string]any)["args"].([]any); len(args) > 0 {
			return args[0].(map[string]any)
		}
	}
	return nil
}

// TestSchemaSays: every field of the schema has a description, and Schema equals the committed file.
func TestSchemaSays(t *testing.T) {
	text, err := spec.Schema()
	if err != nil {
		t.Fatal(err)
	}
	var root map[string]any
	if err := json.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	count := 0
	describe := func(name string, def any) {
		for field, p := range def.(map[string]any)["properties"].(map[string]any) {
			count++
			if about, _ := p.(map[string]any)["description"].(string); strings.TrimSpace(about) == "" {
				t.Errorf("%s.%s: no description", name, field)
			}
		}
	}
	describe("document", root)
	for name, def := range root["$defs"].(map[string]any) {
		describe(name, def)
	}
	if count < 100 {
		t.Errorf("%d fields", count)
	}
}
