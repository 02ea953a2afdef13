// Package object reads the files that hold GPU programs and their tests: HSA code objects, and the case files of this
// project.
//
//	ReadHSA        an ELF file as clang or a driver makes it for AMD GPUs: the image to
//	               load, relocations, symbols, kernels with descriptor and metadata
//	Pairs          tables of encode/decode truth, one instruction a line
//	States         state-in/state-out programs, one JSON object a line
//	ReadManifest   whole kernels: code objects, buffers, launches, expected contents
//	Detect         which of the last three a file is, if any
//
// It knows no instruction and runs nothing: package launch/gcn turns a kernel into an initial wave state, package check
// compares a case with a run. Register names in cases and metadata stay text.
//
// All input is treated as hostile. The result is a value or an *Error with a position. Memory is bounded by the limits
// documented for each format, time by the size of the input.
//
// Sources: docs/reference/gcn.md 9 and LLVM's "User Guide for AMDGPU Backend" for code objects, cases/README.md for the
// rest.
package object

import "fmt"

// An Error is an error in an input and its position: a line of a case file, a key of a manifest, or an offset in a
// binary file.
type Error struct {
	Code string // truncated, header, unsupported, limit, address, symbol, relocation, metadata, syntax, value
	File string // as given by the caller, may be empty
	Line int    // from 1; 0 if the format has no lines, or the place is not known
	Col  int    // from 1, in bytes; 0 if it is not known
	Key  string // of a document, as a path: buffers.out.bytes
	Off  uint64 // bytes from the start of the file; used if Line and Key are not
	Msg  string // subject first, lower case, no full stop
}

// Error returns the message after the position: x.tsv:12:, manifest.json:7:14: buffers.d:, a.hsaco+0x40:.
func (e *Error) Error() string {
	file := e.File
	switch {
	case e.Line > 0:
		if file == "" {
			file = "line"
		}
		place := fmt.Sprintf("%s:%d: ", file, e.Line)
		if e.Col > 0 {
			place = fmt.Sprintf("%s:%d:%d: ", file, e.Line, e.Col)
		}
		if e.Key != "" {
			place += e.Key + ": "
		}
		return place + e.Msg
	case e.Key != "":
		if file == "" {
			return e.Key + ": " + e.Msg
		}
		return file + ": " + e.Key + ": " + e.Msg
	}
	if file == "" {
		file = "file"
	}
	return fmt.Sprintf("%s+%#x: %s", file, e.Off, e.Msg)
}
