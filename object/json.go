package object

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/heddle-gpu/heddle/internal/jsonfile"
	"github.com/heddle-gpu/heddle/internal/spell"
)

func badValue(format string, args ...any) error { return jsonfile.Bad(format, args...) }

func under(key string, err error) error { return jsonfile.Under(key, err) }

func want(what string, v []byte) error { return jsonfile.Want(what, v) }

func trimSpace(v []byte) []byte { return bytes.TrimLeft(v, " \t\r\n") }

func eachMember(v []byte, f func(key string, v []byte) error) error { return jsonfile.EachMember(v, f) }

func eachElement(v []byte, f func(i int, v []byte) error) error { return jsonfile.EachElement(v, f) }

func jsonString(v []byte) (string, error) { return jsonfile.String(v) }

func jsonInt(v []byte, lo, hi int64) (int64, error) { return jsonfile.Int(v, lo, hi) }

func jsonFloat(v []byte) (float64, error) { return jsonfile.Float(v) }

func readWord(v []byte) (uint64, error) { return jsonfile.Word(v) }

func readBytes(v []byte) ([]byte, error) { return jsonfile.Bytes(v) }

func isHex(s string) bool { return jsonfile.IsHex(s) }

func oneOf(v []byte, names ...string) (string, error) {
	s, err := jsonString(v)
	if err != nil {
		return "", err
	}
	for _, name := range names {
		if s == name {
			return s, nil
		}
	}
	return "", badValue("%q is none of %s", clip(s), strings.Join(names, ", "))
}

// jsonError returns an error of a document that begins in a line of a file. of names a part of a file of many: then the
// path of keys is part of the message.
func jsonError(file string, line int, of string, err *jsonfile.Error) *Error {
	e := &Error{Code: "value", File: file, Line: line - 1 + err.Line, Col: err.Col, Key: err.Path(), Msg: err.Msg}
	switch {
	case err.Syntax:
		e.Code = "syntax"
	case of != "":
		e.Key, e.Msg = "", of+": "+err.Error()
	}
	return e
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

// localFile reads a file name that stays in the folder of the document.
func localFile(v []byte) (string, error) {
	return jsonfile.File(v)
}

func asFile[T any](at func(*T) *string) func(*T, []byte) error {
	return func(t *T, v []byte) (err error) {
		*at(t), err = localFile(v)
		return err
	}
}
