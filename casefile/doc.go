// Package casefile reads the files in which this project states what programs do:
//
//	Pairs          tables of encode/decode truth, one instruction a line
//	States         state-in/state-out programs, one JSON object a line
//	ReadManifest   whole kernels: code, buffers, launches, expected contents
//	ReadScene      scenes to draw
//	ReadFrame      what a simulator recorded of a draw
//	Detect         which of these a file is, if any
//
// Draws that drivers recorded have a format for each instruction set, which is not read here.
//
// It knows no instruction and runs nothing: package internal/check compares a case with a run. Register names stay
// text.
//
// All input is treated as hostile. The result is a value or an *Error with a position. Memory is bounded by the limits
// documented for each format, time by the size of the input.
//
// cases/README.md describes the formats, docs/schemas those in JSON.
package casefile

import "fmt"

// An Error is an error in a file and its position: a line, or a place in a document and the key there.
type Error struct {
	Code string // limit, syntax, value
	File string // as given by the caller, may be empty
	Line int    // from 1; 0 if the place is not known, as for the files that a document names
	Col  int    // from 1, in bytes; 0 if it is not known
	Key  string // of a document, as a path: buffers.out.bytes
	Msg  string // subject first, lower case, no full stop
}

// Error returns the message after the position: x.tsv:12:, manifest.json:7:14: buffers.d:.
func (e *Error) Error() string {
	text := e.Msg
	if e.Key != "" {
		text = e.Key + ": " + text
	}
	switch {
	case e.Line > 0:
		file := e.File
		if file == "" {
			file = "line"
		}
		if e.Col > 0 {
			return fmt.Sprintf("%s:%d:%d: %s", file, e.Line, e.Col, text)
		}
		return fmt.Sprintf("%s:%d: %s", file, e.Line, text)
	case e.File != "":
		return e.File + ": " + text
	}
	return text
}
