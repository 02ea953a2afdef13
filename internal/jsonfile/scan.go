package jsonfile

import (
	"bytes"
	"encoding/json"
	"strings"
)

// The functions below split JSON that json.Valid accepts, without white space around it. Values share its memory, and
// nothing is copied: encoding/json would give neither the path nor the place of a value, nor keys that are given twice.

// valueLen returns the length of the JSON value at the start of v.
func valueLen(v []byte) int {
	switch {
	case len(v) == 0:
		return 0
	case v[0] == '"':
		return stringLen(v)
	case v[0] != '{' && v[0] != '[':
		if i := bytes.IndexAny(v, ",]} \t\r\n"); i >= 0 {
			return i
		}
		return len(v)
	}
	depth := 0
	for i := 0; i < len(v); {
		switch v[i] {
		case '"':
			i += stringLen(v[i:])
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		if i++; depth == 0 {
			return i
		}
	}
	return len(v)
}

// stringLen returns the length of the JSON string at the start of v, with its quotes.
func stringLen(v []byte) int {
	for i := 1; i < len(v); i++ {
		n := bytes.IndexByte(v[i:], '"')
		if n < 0 {
			break
		}
		i += n
		escapes := i
		for v[escapes-1] == '\\' {
			escapes--
		}
		if (i-escapes)%2 == 0 { // an escaped backslash does not escape the quote
			return i + 1
		}
	}
	return len(v)
}

func trimSpace(v []byte) []byte { return bytes.TrimLeft(v, " \t\r\n") }

// A walk goes through the members of an object or the elements of a list.
type walk struct{ rest []byte }

// object begins a walk through an object.
func object(v []byte) (walk, error) {
	if len(v) < 2 || v[0] != '{' {
		return walk{}, Want("an object", v)
	}
	return walk{trimSpace(v[1:])}, nil
}

// list begins a walk through a list.
func list(v []byte) (walk, error) {
	if len(v) < 2 || v[0] != '[' {
		return walk{}, Want("a list", v)
	}
	return walk{trimSpace(v[1:])}, nil
}

// more reports whether there is another member or element.
func (w *walk) more() bool { return len(w.rest) > 0 && w.rest[0] != '}' && w.rest[0] != ']' }

// key returns the key of the next member, without its quotes, as it is written.
func (w *walk) key() []byte {
	n := stringLen(w.rest)
	key := w.rest[1 : n-1]
	w.rest = trimSpace(trimSpace(w.rest[n:])[1:]) // the colon
	return key
}

// value returns the next element, or the value of the member whose key was returned.
func (w *walk) value() []byte {
	n := valueLen(w.rest)
	v := w.rest[:n]
	if w.rest = trimSpace(w.rest[n:]); len(w.rest) > 0 && w.rest[0] == ',' {
		w.rest = trimSpace(w.rest[1:])
	}
	return v
}

// text returns the characters of a string that is written as v between quotes.
func text(v []byte) string {
	if bytes.IndexByte(v, '\\') < 0 {
		return strings.ToValidUTF8(string(v), "\uFFFD")
	}
	var s string
	_ = json.Unmarshal(append(append([]byte{'"'}, v...), '"'), &s) // valid, as the document is
	return s
}

// String returns the characters of a JSON string.
func String(v []byte) (string, error) {
	if len(v) < 2 || v[0] != '"' {
		return "", Want("a string", v)
	}
	return text(v[1 : len(v)-1]), nil
}

// EachMember calls f with the members of an object in their order; a duplicate key is an error.
func EachMember(v []byte, f func(key string, v []byte) error) error {
	w, err := object(v)
	seen := map[string]bool{}
	for err == nil && w.more() {
		key := text(w.key())
		v := w.value()
		if seen[key] {
			return twice(key)
		}
		seen[key] = true
		err = Under(key, f(key, v))
	}
	return err
}

// EachElement calls f with the elements of a list.
func EachElement(v []byte, f func(i int, v []byte) error) error {
	w, err := list(v)
	for i := 0; err == nil && w.more(); i++ {
		if err = f(i, w.value()); err != nil {
			err = Under(Index(i), err)
		}
	}
	return err
}
