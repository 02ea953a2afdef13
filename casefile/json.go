package casefile

import (
	"io"

	"github.com/heddle-gpu/heddle/internal/jsonfile"
	"github.com/heddle-gpu/heddle/internal/limit"
)

// ReadDocument reads a file that is one JSON object, whose keys the tags of a struct describe, and then calls check for
// what tags cannot say. The error is an *Error with the position and the path of keys.
func ReadDocument(r io.Reader, file string, size limit.Size, to any, check func() error) error {
	b, err := plain(r)
	if err != nil {
		return &Error{Code: "syntax", File: file, Line: 1, Msg: err.Error()}
	}
	v, err := readWhole(b, file, size)
	if err != nil {
		return err
	}
	if err := jsonfile.Read(v, to, check); err != nil {
		return jsonError(file, 1, "", err)
	}
	return nil
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
