package spec

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
)

// SchemaFile is the path of the schema in the repository.
const SchemaFile = "docs/spec.schema.json"

// schemaID is the identifier of the schema for references.
const schemaID = "https://github.com/heddle-gpu/heddle/blob/main/" + SchemaFile

// enums returns the values of fields with the tag enum.
func enums() map[string][]string {
	return map[string][]string{
		"control":   {"none", "MaskData", "MaskStack", "LowestPC"},
		"cell":      {"lane32", "wave32", "lane1", "wave1", "exec"},
		"unclaimed": policies[:],
		"place":     places[:],
		"side":      sides[:],
		"role":      append(append([]string{}, roles[1:]...), roleVaries),
		"fidelity":  {"exact", "approximate", "modelled", "none"},
		"verdict":   {"invalid", "reserved", "encoding", "undefined"},
		"severity":  {"error", "warning", "note"},
	}
}

// A schema is a JSON Schema of draft 2020-12, or a part of one. Fields are in the order in which they are written.
type schema struct {
	Schema      string   `json:"$schema,omitempty"`
	ID          string   `json:"$id,omitempty"`
	Title       string   `json:"title,omitempty"`
	Description string   `json:"description,omitempty"`
	Ref         string   `json:"$ref,omitempty"`
	Type        string   `json:"type,omitempty"`
	Const       *int     `json:"const,omitempty"`
	Enum        []string `json:"enum,omitempty"`
	Pattern     string   `json:"pattern,omitempty"`
	Minimum     *int     `json:"minimum,omitempty"`
	Maximum     *int     `json:"maximum,omitempty"`
	Items       *schema  `json:"items,omitempty"`
	MinItems    *int     `json:"minItems,omitempty"`
	MaxItems    *int     `json:"maxItems,omitempty"`
	// Closed is additionalProperties: false permits only the listed keys.
	Closed     *bool              `json:"additionalProperties,omitempty"`
	Required   []string           `json:"required,omitempty"`
	Properties map[string]*schema `json:"properties,omitempty"`
	Defs       map[string]*schema `json:"$defs,omitempty"`
}

// Schema returns the JSON Schema of documents, as docs/spec.schema.json has it.
func Schema() ([]byte, error) {
	m := schemaMaker{defs: map[string]*schema{}, enums: enums()}
	root := m.object(reflect.TypeFor[Document]())
	root.Schema, root.ID = "https://json-schema.org/draft/2020-12/schema", schemaID
	root.Title, root.Description = "An instruction set", "What heddle spec --isa ISA --json prints; docs/spec.md says how it is used."
	root.Defs = m.defs
	root.Properties["format"].Const = number(Format)
	text, err := json.MarshalIndent(root, "", "  ")
	return append(text, '\n'), err
}

// A schemaMaker makes schemas of Go types.
type schemaMaker struct {
	defs  map[string]*schema
	enums map[string][]string
}

func number(n int) *int { return &n }

// object returns the schema of a struct.
func (m *schemaMaker) object(t reflect.Type) *schema {
	s := &schema{Type: "object", Closed: new(bool), Properties: map[string]*schema{}}
	for i := range t.NumField() {
		f := t.Field(i)
		name, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
		p := m.of(f.Type)
		p.Description = f.Tag.Get("doc")
		if list, ok := m.enums[f.Tag.Get("enum")]; ok {
			p.Enum = list
		}
		if n, err := strconv.Atoi(f.Tag.Get("min")); err == nil {
			p.Minimum = number(n)
		}
		if s.Properties[name] = p; rest != "omitempty" {
			s.Required = append(s.Required, name)
		}
	}
	return s
}

// pairOf returns the schema of two numbers from 0 on.
func pairOf(most *int) *schema {
	return &schema{Type: "array", Items: &schema{Type: "integer", Minimum: number(0), Maximum: most}, MinItems: number(2), MaxItems: number(2)}
}

// of returns the schema of a type.
func (m *schemaMaker) of(t reflect.Type) *schema {
	switch t {
	case reflect.TypeFor[Run]():
		return pairOf(number(127))
	case reflect.TypeFor[Span]():
		return pairOf(nil)
	case reflect.TypeFor[Hex]():
		return &schema{Type: "string", Pattern: "^0x[0-9a-f]{1,32}$"}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return m.of(t.Elem())
	case reflect.Slice:
		return &schema{Type: "array", Items: m.of(t.Elem())}
	case reflect.Struct:
		if m.defs[t.Name()] == nil {
			m.defs[t.Name()] = &schema{} // for recursive types
			m.defs[t.Name()] = m.object(t)
		}
		return &schema{Ref: "#/$defs/" + t.Name()}
	case reflect.Bool:
		return &schema{Type: "boolean"}
	case reflect.String:
		return &schema{Type: "string"}
	case reflect.Float64:
		return &schema{Type: "number", Minimum: number(0)}
	case reflect.Int, reflect.Uint64:
		return &schema{Type: "integer", Minimum: number(0)}
	}
	panic("spec: no schema for " + t.String())
}
