// Package object reads the containers of GPU programs, and writes the code objects among them:
//
//	ReadHSA     an ELF file as clang or a driver makes it for AMD GPUs: the image to load,
//	            relocations, symbols, kernels with descriptor and metadata
//	ReadCubin   an ELF file of NVIDIA's tools for Tesla
//
// It knows no instruction and runs nothing: the platform of a set (package launch) turns a kernel into an initial wave
// state.
//
// All input is treated as hostile. The result is a value or an *Error with a position. Memory is bounded by the limits
// documented for each format, time by the size of the input.
//
// Sources: docs/reference/gcn.md 9 and LLVM's "User Guide for AMDGPU Backend".
package object

import "fmt"

// An Error is an error in a container and its position: a line of text in it, or an offset.
type Error struct {
	Code string // truncated, header, unsupported, limit, address, symbol, relocation, metadata, syntax
	File string // as given by the caller, may be empty
	Line int    // from 1; 0 if the error is at an offset
	Off  uint64 // bytes from the start of the file
	Msg  string // subject first, lower case, no full stop
}

// Error returns the message after the position: a.hsaco+0x40:, or metadata:3:.
func (e *Error) Error() string {
	file := e.File
	if e.Line > 0 {
		if file == "" {
			file = "line"
		}
		return fmt.Sprintf("%s:%d: %s", file, e.Line, e.Msg)
	}
	if file == "" {
		file = "file"
	}
	return fmt.Sprintf("%s+%#x: %s", file, e.Off, e.Msg)
}
