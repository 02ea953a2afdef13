package vectors

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/heddle-gpu/heddle/internal/sets"
)

// schema compiles one of docs/schemas, with an independent implementation.
func schema(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "schemas", name))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource(name, doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSchemas: test vectors and their index match docs/schemas, in every set; what Read rejects, the schema rejects.
func TestSchemas(t *testing.T) {
	file, index := schema(t, "vectors.schema.json"), schema(t, "vectors-index.schema.json")
	valid := func(s *jsonschema.Schema, text []byte) error {
		t.Helper()
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return s.Validate(doc)
	}
	var good []byte
	var mu sync.Mutex
	for _, set := range sets.Sets() {
		tg, err := sets.Lookup(set.Name)
		if tg == nil {
			t.Fatal(err)
		}
		names := Mnemonics(tg)
		job := &Job{Target: tg, Mnemonics: names[:min(8, len(names))], Options: Options{Seed: 1, Count: 1}}
		job.Put = func(name string, data []byte) error {
			if err := valid(file, data); err != nil {
				t.Errorf("%s %s: %v", tg, name, err)
			}
			mu.Lock()
			good = data
			mu.Unlock()
			return nil
		}
		ix, err := job.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range []*Index{ix, job.Empty()} {
			text, err := x.JSON()
			if err != nil {
				t.Fatal(err)
			}
			if err := valid(index, text); err != nil {
				t.Errorf("index of %s: %v", tg, err)
			}
			if bad := strings.Replace(string(text), `"isa"`, `"ias"`, 1); valid(index, []byte(bad)) == nil {
				t.Errorf("index of %s: the schema takes a misspelt key", tg)
			}
		}
	}
	refusesAlike(t, string(good), func(text string) error { return valid(file, []byte(text)) })
}

// refusesAlike breaks a valid file in one place after the other: Read and the schema must reject it.
func refusesAlike(t *testing.T, good string, valid func(text string) error) {
	for _, m := range []struct{ old, new string }{
		{`"name":`, `"nam":`}, {`"initial":`, `"inital":`}, {`"lanes":`, `"lanes":-`}, {`"idx":0`, `"idx":"0"`}, {`"isa":"`, `"isa":3,"was":"`}, {`"regs":{`, `"regs":{"x":-1,`}, {`"ram":[`, `"rom":[`},
	} {
		text := strings.Replace(good, m.old, m.new, 1)
		if text == good {
			t.Fatalf("no %s in %s", m.old, good)
		}
		read := error(nil)
		Read(strings.NewReader(text), "t", func(_ *Test, err error) bool {
			if err != nil {
				read = err
			}
			return true
		})
		if read == nil || valid(text) == nil {
			t.Errorf("%s -> %s: read gives %v, the schema %v", m.old, m.new, read, valid(text))
		}
	}
}
