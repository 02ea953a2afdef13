package spec

import (
	"bytes"
	"encoding/json"
	"io"
	"reflect"
	"strings"
)

// Write writes the document as JSON with one element of a list per line, so that rows can be found and documents
// compared by line.
func (d *Document) Write(to io.Writer) error {
	w := writer{to: to}
	v := reflect.ValueOf(d).Elem()
	w.text("{")
	sep := "\n"
	for i := range v.NumField() {
		name, rest, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		if rest == "omitempty" && v.Field(i).IsZero() {
			continue
		}
		w.text(sep + `"` + name + `":`)
		w.member(v.Field(i))
		sep = ",\n"
	}
	w.text("\n}\n")
	return w.err
}

// A writer stops writing at the first error.
type writer struct {
	to  io.Writer
	err error
}

func (w *writer) text(s string) {
	if w.err == nil {
		_, w.err = io.WriteString(w.to, s)
	}
}

// member writes a value, with one element of a list per line.
func (w *writer) member(v reflect.Value) {
	if v.Kind() != reflect.Slice || v.Len() == 0 {
		w.value(v.Interface())
		return
	}
	sep := "[\n"
	for i := range v.Len() {
		w.text(sep)
		w.value(v.Index(i).Interface())
		sep = ",\n"
	}
	w.text("\n]")
}

func (w *writer) value(v any) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil && w.err == nil {
		w.err = err
	}
	w.text(strings.TrimSuffix(b.String(), "\n"))
}
