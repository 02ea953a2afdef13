package object

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/heddle-gpu/heddle/internal/spell"
)

// A keyError is an error in a JSON value and the path of keys to it.
type keyError struct{ path, msg string }

func (e *keyError) Error() string {
	if e.path == "" {
		return e.msg
	}
	return e.path + ": " + e.msg
}

func badValue(format string, args ...any) error {
	return &keyError{msg: fmt.Sprintf(format, args...)}
}

// under prepends a key to an error's path.
func under(key string, err error) error {
	switch e := err.(type) {
	case nil:
		return nil
	case *keyError:
		switch {
		case e.path == "":
			return &keyError{key, e.msg}
		case e.path[0] == '[':
			return &keyError{key + e.path, e.msg}
		}
		return &keyError{key + "." + e.path, e.msg}
	}
	return &keyError{key, err.Error()}
}

// want returns the error for a value of the wrong type.
func want(what string, v []byte) error { return badValue("found %s, want %s", clip(string(v)), what) }

// The walkers below take JSON that json.Valid accepts, without surrounding white space, and share its memory.

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
		switch v[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
	}
	return len(v)
}

func trimSpace(v []byte) []byte { return bytes.TrimLeft(v, " \t\r\n") }

// eachMember calls f with the members of an object in their order; a duplicate key is an error.
func eachMember(v []byte, f func(key string, v []byte) error) error {
	if len(v) < 2 || v[0] != '{' {
		return want("an object", v)
	}
	seen := map[string]bool{}
	for v = trimSpace(v[1:]); len(v) > 0 && v[0] == '"'; {
		n := valueLen(v)
		key, err := jsonString(v[:n])
		if err != nil {
			return err
		}
		if seen[key] {
			return under(key, badValue("key stands twice"))
		}
		seen[key] = true
		v = trimSpace(trimSpace(v[n:])[1:]) // the colon
		n = valueLen(v)
		if err := f(key, v[:n]); err != nil {
			return under(key, err)
		}
		if v = trimSpace(v[n:]); len(v) > 0 && v[0] == ',' {
			v = trimSpace(v[1:])
		}
	}
	return nil
}

// eachElement calls f with the elements of an array.
func eachElement(v []byte, f func(i int, v []byte) error) error {
	if len(v) < 2 || v[0] != '[' {
		return want("a list", v)
	}
	v = trimSpace(v[1:])
	for i := 0; len(v) > 0 && v[0] != ']'; i++ {
		n := valueLen(v)
		if err := f(i, v[:n]); err != nil {
			return under(fmt.Sprintf("[%d]", i), err)
		}
		if v = trimSpace(v[n:]); len(v) > 0 && v[0] == ',' {
			v = trimSpace(v[1:])
		}
	}
	return nil
}

// keys map each key to the function that stores its value in a T.
type keys[T any] map[string]func(t *T, v []byte) error

// A keyTable is keys that are created when an object is first read by them: most programs read few kinds of files.
type keyTable[T any] struct {
	rows func() keys[T]
	once sync.Once
	made keys[T]
}

func (k *keyTable[T]) get() keys[T] {
	k.once.Do(func() { k.made = k.rows() })
	return k.made
}

// readObject reads an object by a table. Keys that are not in the table go to other, or are an error if other is nil. A
// key that is nearly one in the table is always an error: a misspelt key must not be ignored.
func readObject[T any](t *T, v []byte, table *keyTable[T], other *map[string]json.RawMessage) error {
	return readMembers(t, v, table.get(), other)
}

func readMembers[T any](t *T, v []byte, known keys[T], other *map[string]json.RawMessage) error {
	return eachMember(v, func(key string, v []byte) error {
		if read, ok := known[key]; ok {
			return read(t, v)
		}
		meant := spell.Slip
		if other == nil {
			meant = spell.Nearest
		}
		switch near := meant(key, slices.Sorted(maps.Keys(known))); {
		case near != "":
			return badValue("unknown key; did you mean %q?", near)
		case other == nil:
			return badValue("unknown key")
		}
		if *other == nil {
			*other = map[string]json.RawMessage{}
		}
		(*other)[key] = bytes.Clone(v)
		return nil
	})
}

func jsonString(v []byte) (string, error) {
	if len(v) < 2 || v[0] != '"' {
		return "", want("a string", v)
	}
	if bytes.IndexByte(v, '\\') < 0 {
		return strings.ToValidUTF8(string(v[1:len(v)-1]), "\uFFFD"), nil
	}
	var s string
	err := json.Unmarshal(v, &s)
	return s, err
}

// jsonInt reads a whole number from lo to hi.
func jsonInt(v []byte, lo, hi int64) (int64, error) {
	n, err := strconv.ParseInt(string(v), 10, 64)
	if err != nil {
		return 0, want("a whole number", v)
	}
	if n < lo || n > hi {
		return 0, badValue("%d is not in %d to %d", n, lo, hi)
	}
	return n, nil
}

func jsonFloat(v []byte) (float64, error) {
	x, err := strconv.ParseFloat(string(v), 64)
	if err != nil || math.IsInf(x, 0) || len(v) == 0 || v[0] != '-' && (v[0] < '0' || v[0] > '9') {
		return 0, want("a number", v)
	}
	return x, nil
}

// The functions below return entries of keys.

func asString[T any](at func(*T) *string) func(*T, []byte) error {
	return func(t *T, v []byte) (err error) {
		*at(t), err = jsonString(v)
		return err
	}
}

func asStrings[T any](at func(*T) *[]string) func(*T, []byte) error {
	return func(t *T, v []byte) error {
		*at(t) = []string{} // not nil, because the key is present
		return eachElement(v, func(_ int, v []byte) error {
			s, err := jsonString(v)
			*at(t) = append(*at(t), s)
			return err
		})
	}
}

// asStringMap reads an object whose values are strings.
func asStringMap[T any](at func(*T) *map[string]string) func(*T, []byte) error {
	return func(t *T, v []byte) error {
		m := map[string]string{}
		*at(t) = m
		return eachMember(v, func(name string, v []byte) (err error) {
			m[name], err = jsonString(v)
			return err
		})
	}
}

func asInt[T any](lo, hi int64, at func(*T) *int) func(*T, []byte) error {
	return func(t *T, v []byte) error {
		n, err := jsonInt(v, lo, hi)
		*at(t) = int(n)
		return err
	}
}

func asFloat[T any](at func(*T) *float64) func(*T, []byte) error {
	return func(t *T, v []byte) (err error) {
		*at(t), err = jsonFloat(v)
		return err
	}
}

func asBool[T any](at func(*T) *bool) func(*T, []byte) error {
	return func(t *T, v []byte) error {
		*at(t) = string(v) == "true"
		if !*at(t) && string(v) != "false" {
			return want("true or false", v)
		}
		return nil
	}
}

// asAny reads a key whose only legal value is "any".
func asAny[T any](at func(*T) *bool) func(*T, []byte) error {
	return func(t *T, v []byte) error {
		if string(v) != `"any"` {
			return want(`"any"`, v)
		}
		*at(t) = true
		return nil
	}
}

// asThree reads three whole numbers.
func asThree[T any](lo, hi int64, at func(*T) *[3]int) func(*T, []byte) error {
	return func(t *T, v []byte) error {
		n := 0
		err := eachElement(v, func(i int, v []byte) error {
			x, err := jsonInt(v, lo, hi)
			if i < 3 {
				at(t)[i] = int(x)
			}
			n++
			return err
		})
		if err == nil && n != 3 {
			err = badValue("%d numbers, want 3", n)
		}
		return err
	}
}

// A syntaxError is an error in JSON text, and its line relative to the first.
type syntaxError struct {
	line int
	msg  string
}

// validJSON checks that v is one JSON value; nil if it is.
func validJSON(v []byte) *syntaxError {
	if json.Valid(v) {
		return nil
	}
	var raw json.RawMessage
	err := json.Unmarshal(v, &raw)
	at := len(v)
	if s, ok := err.(*json.SyntaxError); ok {
		at = min(int(s.Offset), len(v))
	}
	return &syntaxError{bytes.Count(v[:at], []byte("\n")), fmt.Sprintf("JSON: %v, after %q", err, tail(v[:at]))}
}

// tail returns the end of a text for messages.
func tail(v []byte) string {
	if len(v) > 30 {
		v = v[len(v)-30:]
	}
	return string(v)
}
