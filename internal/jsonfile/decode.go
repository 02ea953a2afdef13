package jsonfile

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

var hookType = reflect.TypeFor[json.Unmarshaler]()

// decoderOf returns how values are read into a type by the rules of a field.
func decoderOf(t reflect.Type, r *rules) decoder {
	if reflect.PointerTo(t).Implements(hookType) {
		return func(to reflect.Value, v []byte) error {
			return to.Addr().Interface().(json.Unmarshaler).UnmarshalJSON(v)
		}
	}
	switch t.Kind() {
	case reflect.String, reflect.Bool:
		return only(t, r)
	case reflect.Int:
		return intDecoder(r)
	case reflect.Uint32, reflect.Uint64:
		return wordDecoder(t, r)
	case reflect.Float64:
		return func(to reflect.Value, v []byte) error {
			x, err := Float(v)
			to.SetFloat(x)
			return err
		}
	case reflect.Struct:
		return planOf(t).read
	case reflect.Pointer:
		read := decoderOf(t.Elem(), r)
		return func(to reflect.Value, v []byte) error {
			to.Set(reflect.New(t.Elem()))
			return read(to.Elem(), v)
		}
	case reflect.Map:
		return mapDecoder(t, r)
	case reflect.Array, reflect.Slice:
		return listDecoder(t, r)
	}
	panic(fmt.Sprintf("jsonfile: nothing reads %v", t))
}

// only returns the decoder of strings and bools, which may have a single valid value.
func only(t reflect.Type, r *rules) decoder {
	read := boolDecoder(r)
	if t.Kind() == reflect.String {
		read = stringDecoder(r)
	}
	legal := r.tag.Get("only")
	if legal == "" {
		return read
	}
	return func(to reflect.Value, v []byte) error {
		if got := strings.Trim(string(v), `"`); got != legal {
			return Bad("%s: %s", Clip(got), r.tag.Get("else"))
		}
		return read(to, v)
	}
}

func stringDecoder(r *rules) decoder {
	read := String
	switch {
	case r.one != nil:
		read = r.oneOf
	case r.is == "file":
		read = fileName
	}
	return func(to reflect.Value, v []byte) error {
		s, err := read(v)
		to.SetString(s)
		return err
	}
}

func boolDecoder(r *rules) decoder {
	read := plainBool
	switch r.is {
	case "any":
		read = anyBool
	case "flag":
		read = flag
	}
	return func(to reflect.Value, v []byte) error {
		t, err := read(v)
		to.SetBool(t)
		return err
	}
}

func intDecoder(r *rules) decoder {
	if r.prefix != "" {
		return func(to reflect.Value, v []byte) error {
			s, err := String(v)
			if err != nil {
				return err
			}
			x, err := r.numbered(s)
			to.SetInt(x)
			return err
		}
	}
	if r.is == "word" {
		lo, hi := uint64(max(r.lo, 0)), uint64(r.hi)
		return func(to reflect.Value, v []byte) error {
			x, err := Word(v)
			switch {
			case err != nil:
				return err
			case x < lo || x > hi:
				return Bad("%#x is not in %#x to %#x%s", x, lo, hi, r.suffix(", "))
			case x%uint64(r.unit) != 0:
				return Bad("%#x is no multiple of %d", x, r.unit)
			}
			to.SetInt(int64(x) / r.unit)
			return nil
		}
	}
	return func(to reflect.Value, v []byte) error {
		n, err := wholeNumber(v, r.lo, r.hi)
		to.SetInt(n)
		return err
	}
}

func wordDecoder(t reflect.Type, r *rules) decoder {
	if r.bounded {
		return func(to reflect.Value, v []byte) error {
			n, err := wholeNumber(v, r.lo, r.hi)
			to.SetUint(uint64(n))
			return err
		}
	}
	bits := t.Bits()
	if r.is == "word16" {
		bits = 16
	}
	return func(to reflect.Value, v []byte) error {
		x, err := wordOf(v, bits)
		to.SetUint(x)
		return err
	}
}

// orNull returns a decoder that ignores null if it is valid.
func (r *rules) orNull(read decoder) decoder {
	if r.tag.Get("null") == "" {
		return read
	}
	return func(to reflect.Value, v []byte) error {
		if string(v) == "null" {
			return nil
		}
		return read(to, v)
	}
}

// mapDecoder reads objects into maps.
func mapDecoder(t reflect.Type, r *rules) decoder {
	inner := *r
	inner.most = -1
	read := decoderOf(t.Elem(), &inner)
	return func(to reflect.Value, v []byte) error {
		w, err := object(v)
		if err != nil {
			return err
		}
		m, key, elem := reflect.MakeMap(t), reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
		to.Set(m)
		for n := 0; w.more(); n++ {
			name := text(w.key())
			v := w.value()
			if r.most >= 0 && n >= r.most {
				return Under(name, Bad("more than %d", r.most))
			}
			if r.prefix == "" {
				key.SetString(name)
			} else if x, err := r.numbered(name); err != nil {
				return Under(name, err)
			} else {
				key.SetInt(x)
			}
			elem.SetZero()
			if err := read(elem, v); err != nil {
				return Under(name, err)
			}
			if m.SetMapIndex(key, elem); m.Len() != n+1 {
				return twice(name)
			}
		}
		return nil
	}
}

// listDecoder reads lists, and bytes and words that are strings.
func listDecoder(t reflect.Type, r *rules) decoder {
	if t.Elem().Kind() == reflect.Uint8 {
		return bytesDecoder(r)
	}
	if field := r.tag.Get("by"); field != "" {
		return namedDecoder(t, r, field)
	}
	if t.Elem().Kind() == reflect.Uint32 && r.is == "words" {
		return wordsDecoder(t, r)
	}
	read := r.elements(t)
	if t.Kind() == reflect.Array {
		return arrayDecoder(t, r, read)
	}
	most, length := r.mostOf(t.Elem()), r.length
	if r.is == "words" {
		length = -1 // of the words
	}
	return func(to reflect.Value, v []byte) error {
		w, err := list(v)
		if err != nil {
			return err
		}
		to.Set(reflect.MakeSlice(t, 0, 0))
		n := 0
		for ; w.more(); n++ {
			if n == most {
				return Under(Index(n), Bad("more than %d", most))
			}
			to.Grow(1)
			to.SetLen(n + 1)
			if err := read(to.Index(n), w.value()); err != nil {
				return Under(Index(n), err)
			}
		}
		if length >= 0 && n != length {
			return r.wrongNumber(n, length, t.Elem())
		}
		return nil
	}
}

// elements returns the decoder of the elements of a list. Of lists in lists, the innermost has the length of words and
// the names of elements.
func (r *rules) elements(t reflect.Type) decoder {
	inner := *r
	switch t.Elem().Kind() {
	case reflect.Slice, reflect.Array:
		if inner.most = -1; r.is != "words" {
			inner.length = -1
		}
	default:
		inner.of = ""
	}
	return inner.orNull(decoderOf(t.Elem(), &inner))
}

// mostOf returns the limit of a list with elements of a type, -1 if there is none.
func (r *rules) mostOf(elem reflect.Type) int {
	for elem.Kind() == reflect.Pointer {
		elem = elem.Elem()
	}
	if r.most < 0 && elem.Kind() == reflect.Struct {
		return mostObjects
	}
	return r.most
}

// wrongNumber returns the error for a list of n values that has another length than the rules say.
func (r *rules) wrongNumber(n, want int, elem reflect.Type) error {
	what := "values"
	switch elem.Kind() {
	case reflect.Int, reflect.Float64:
		what = "numbers"
	case reflect.Uint32, reflect.Uint64:
		what = "words"
	}
	if r.of != "" {
		return Bad("%d %s, want %s", n, what, r.of)
	}
	return Bad("%d %s, want %d", n, what, want)
}

func arrayDecoder(t reflect.Type, r *rules, read decoder) decoder {
	return func(to reflect.Value, v []byte) error {
		w, err := list(v)
		if err != nil {
			return err
		}
		n := 0
		for ; w.more(); n++ {
			v := w.value()
			if n >= t.Len() {
				continue
			}
			if err := read(to.Index(n), v); err != nil {
				return Under(Index(n), err)
			}
		}
		if n != t.Len() {
			return r.wrongNumber(n, t.Len(), t.Elem())
		}
		return nil
	}
}

func bytesDecoder(r *rules) decoder {
	read := hexBytes
	if r.is == "code" {
		read = code
	}
	return func(to reflect.Value, v []byte) error {
		b, err := read(v)
		if err == nil && r.most >= 0 && len(b) > r.most {
			err = Bad("%d bytes, at most %d", len(b), r.most)
		}
		to.SetBytes(b)
		return err
	}
}

// namedDecoder reads an object into a list: its keys are a field of the elements.
func namedDecoder(t reflect.Type, r *rules, field string) decoder {
	inner := *r
	inner.most = -1
	elem, pointer := t.Elem(), t.Elem().Kind() == reflect.Pointer
	if pointer {
		elem = elem.Elem()
	}
	read, most := decoderOf(elem, &inner), r.mostOf(elem)
	return func(to reflect.Value, v []byte) error {
		to.Set(reflect.MakeSlice(t, 0, 0))
		n := 0
		return EachMember(v, func(name string, v []byte) error {
			if n++; n > most {
				return Bad("more than %d", most)
			}
			to.Grow(1)
			to.SetLen(n)
			e := to.Index(n - 1)
			if pointer {
				e.Set(reflect.New(elem))
				e = e.Elem()
			}
			e.FieldByName(field).SetString(name)
			return read(e, v)
		})
	}
}

// wordsDecoder reads words in one string into a slice or an array.
func wordsDecoder(t reflect.Type, r *rules) decoder {
	return func(to reflect.Value, v []byte) error {
		if t.Kind() == reflect.Slice {
			to.Set(reflect.MakeSlice(t, r.length, r.length))
		}
		return Words(v, to.Slice(0, to.Len()).Interface().([]uint32))
	}
}
