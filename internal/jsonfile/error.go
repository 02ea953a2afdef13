package jsonfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// An Error is an error in a document.
type Error struct {
	Msg       string
	Line, Col int  // from 1, Col in bytes; 0 if the error is not located
	Syntax    bool // the document is no JSON

	path  []string // keys, from the innermost out
	atKey bool     // the key itself is at fault
}

// Path returns the keys to the value: launches[0].args[1].buffer; "" for the whole document.
func (e *Error) Path() string {
	var b strings.Builder
	for _, key := range slices.Backward(e.path) {
		if b.Len() > 0 && key != "" && key[0] != '[' {
			b.WriteByte('.')
		}
		b.WriteString(key)
	}
	return b.String()
}

// Error returns the message after the path.
func (e *Error) Error() string {
	if path := e.Path(); path != "" {
		return path + ": " + e.Msg
	}
	return e.Msg
}

// Bad returns an error in a value.
func Bad(format string, args ...any) error { return &Error{Msg: fmt.Sprintf(format, args...)} }

// Want returns the error for a value of the wrong type.
func Want(what string, v []byte) error { return Bad("found %s, want %s", Clip(string(v)), what) }

// Under prepends keys to the path of an error; nil stays nil.
func Under(key string, err error) error {
	if err == nil {
		return nil
	}
	e, ok := err.(*Error)
	if !ok {
		e = &Error{Msg: err.Error()}
	}
	e.path = append(e.path, key)
	return e
}

// At is Under for several keys, from the outermost in.
func At(err error, keys ...string) error {
	for _, key := range slices.Backward(keys) {
		err = Under(key, err)
	}
	return err
}

// Index returns the step of a path to an element of a list.
func Index(i int) string { return "[" + strconv.Itoa(i) + "]" }

// wrongKey returns an error in a key itself.
func wrongKey(key, format string, args ...any) error {
	return Under(key, &Error{Msg: fmt.Sprintf(format, args...), atKey: true})
}

func twice(key string) error { return wrongKey(key, "key is given twice") }

// locate sets the position of an error in the document: that of the value that its path leads to, or of the innermost
// one of it that exists.
func (e *Error) locate(doc []byte) {
	v := trimSpace(doc)
	at := v
	for i, step := range slices.Backward(e.path) {
		key, value, ok := child(v, step)
		if !ok {
			break
		}
		v, at = value, value
		if i == 0 && e.atKey {
			at = key
		}
	}
	e.place(doc, cap(doc)-cap(at)) // all are parts of the document
}

// place sets the position to an offset in the document.
func (e *Error) place(doc []byte, off int) {
	before := doc[:off]
	e.Line = 1 + bytes.Count(before, []byte("\n"))
	e.Col = off - bytes.LastIndexByte(before, '\n')
}

// child returns a member or an element of a value, and where its key begins; of a key that is given twice the last.
func child(v []byte, step string) (key, value []byte, ok bool) {
	if w, err := object(v); err == nil {
		for w.more() {
			at := w.rest
			if text(w.key()) == step {
				key, value, ok = at, w.value(), true
				continue
			}
			w.value()
		}
		return key, value, ok
	}
	w, err := list(v)
	for i := 0; err == nil && w.more(); i++ {
		if value = w.value(); Index(i) == step {
			return value, value, true
		}
	}
	return nil, nil, false
}

// valid returns an error, with its position, unless the document is one JSON value.
func valid(doc []byte) *Error {
	if json.Valid(doc) {
		return nil
	}
	var raw json.RawMessage
	err := json.Unmarshal(doc, &raw)
	at := len(doc)
	if s, ok := err.(*json.SyntaxError); ok {
		at = min(int(s.Offset), len(doc))
	}
	e := &Error{Msg: fmt.Sprintf("JSON: %v, after %q", err, tail(doc[:at])), Syntax: true}
	e.place(doc, max(at-1, 0)) // of the last character read
	return e
}

// tail returns the end of a text for messages.
func tail(v []byte) string {
	if len(v) > 30 {
		v = v[len(v)-30:]
	}
	return string(v)
}

// Clip shortens a text for messages.
func Clip(s string) string {
	if len(s) <= 60 {
		return s
	}
	return s[:60] + "..."
}
