package jsonfile

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Write returns a struct as JSON that Read can read. Fields that are zero and not needed are left out, and so are
// unknown keys that were kept. Forms that no file is written with, such as words in one string, cannot be written.
func Write(of any) ([]byte, error) {
	var raw, b bytes.Buffer
	if err := write(&raw, reflect.ValueOf(of).Elem(), &rules{}); err != nil {
		return nil, err
	}
	if err := json.Indent(&b, raw.Bytes(), "", " "); err != nil {
		return nil, err
	}
	return append(b.Bytes(), '\n'), nil
}

// write appends a value by the rules of its field.
func write(b *bytes.Buffer, v reflect.Value, r *rules) error {
	if m, ok := v.Interface().(json.Marshaler); ok {
		text, err := m.MarshalJSON()
		b.Write(text)
		return err
	}
	if slices.Contains([]string{"words", "flag", "code"}, r.is) || r.prefix != "" {
		panic(fmt.Sprintf("jsonfile: nothing writes %s", r.tag))
	}
	switch v.Kind() {
	case reflect.Pointer:
		return write(b, v.Elem(), r)
	case reflect.Struct:
		return writeStruct(b, v)
	case reflect.Map:
		return writeMap(b, v, r)
	case reflect.Slice, reflect.Array:
		return writeList(b, v, r)
	case reflect.Bool:
		if r.is == "any" {
			b.WriteString(`"any"`)
			return nil
		}
	case reflect.Int:
		if r.is == "word" {
			fmt.Fprintf(b, `"%#x"`, v.Int()*r.unit)
			return nil
		}
	case reflect.Uint32, reflect.Uint64:
		if !r.bounded {
			fmt.Fprintf(b, `"%#x"`, v.Uint())
			return nil
		}
	}
	text, err := json.Marshal(v.Interface())
	b.Write(text)
	return err
}

func writeStruct(b *bytes.Buffer, v reflect.Value) error {
	w := members{b, '{'}
	for _, f := range planOf(v.Type()).fields {
		if f.read == nil {
			continue
		}
		if x := v.Field(f.index); f.need || !x.IsZero() {
			if err := w.add(f.key, x, &f.rules); err != nil {
				return err
			}
		}
	}
	w.end()
	return nil
}

// writeMap writes the keys in their natural order: s4 before s10.
func writeMap(b *bytes.Buffer, v reflect.Value, r *rules) error {
	w := members{b, '{'}
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return natural(a.String(), b.String()) })
	for _, key := range keys {
		if err := w.add(key.String(), v.MapIndex(key), r); err != nil {
			return err
		}
	}
	w.end()
	return nil
}

// natural orders names by what is before the digits at their end, then by the number.
func natural(a, b string) int {
	x, y := strings.TrimRight(a, "0123456789"), strings.TrimRight(b, "0123456789")
	return cmp.Or(cmp.Compare(x, y), cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}

func writeList(b *bytes.Buffer, v reflect.Value, r *rules) error {
	if v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8 {
		fmt.Fprintf(b, `"%x"`, v.Bytes())
		return nil
	}
	if field := r.tag.Get("by"); field != "" {
		w := members{b, '{'}
		for i := range v.Len() {
			x := reflect.Indirect(v.Index(i))
			if err := w.add(x.FieldByName(field).String(), x, r); err != nil {
				return err
			}
		}
		w.end()
		return nil
	}
	b.WriteByte('[')
	for i := range v.Len() {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := write(b, v.Index(i), r); err != nil {
			return Under(Index(i), err)
		}
	}
	b.WriteByte(']')
	return nil
}

// members writes the members of an object.
type members struct {
	b    *bytes.Buffer
	next byte // what is before the next key
}

func (w *members) add(key string, v reflect.Value, r *rules) error {
	name, err := json.Marshal(key)
	if err != nil {
		return err
	}
	w.b.WriteByte(w.next)
	w.b.Write(name)
	w.b.WriteByte(':')
	w.next = ','
	return Under(key, write(w.b, v, r))
}

func (w *members) end() {
	if w.next == '{' {
		w.b.WriteByte('{')
	}
	w.b.WriteByte('}')
}
