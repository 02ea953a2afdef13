// Package limit limits input. A file, a picture or a line from elsewhere may be endless, a device, or a few bytes that
// claim to be gigabytes. Such input must be read with this package or checked against its table. Input that exceeds a
// limit is an error that names the limit.
package limit

import (
	"fmt"
	"io"
	"os"
)

// A Size is the limit in bytes of one kind of input.
type Size struct {
	What  string // kind of input, for messages: "manifest"
	Bytes int64
	Raise string // flag that raises the limit, if there is one: "--max-input"
}

const (
	mib = 1 << 20
)

// The limits of input. docs/limits.md has them as a table, which a test compares with these.
var (
	File     = Size{"file", 256 * mib, "--max-input"}      // a regular file on the command line, or for Load
	Stream   = Size{"pipe", 64 * mib, "--max-input"}       // standard input or a pipe instead of a file
	Code     = Size{"code object", 256 * mib, ""}          // named by a manifest
	Manifest = Size{"manifest", 4 * mib, ""}               // uncompressed
	Scene    = Size{"scene", 4 * mib, ""}                  //
	Frame    = Size{"frame", 16 * mib, ""}                 // uncompressed
	Cases    = Size{"case file", 64 * mib, ""}             // uncompressed
	Program  = Size{"program", 4 * mib, ""}                // named by a scene
	Vertices = Size{"vertex data", 64 * mib, ""}           // a file named by an attribute
	Texture  = Size{"texture", 64 * mib, ""}               // a file named by a scene
	Picture  = Size{"picture", 64 * mib, ""}               // a PNG file to compare with
	Parts    = Size{"scene with its files", 256 * mib, ""} // of one scene
	Texels   = Size{"textures of the scene", 96 * mib, ""} // of one scene, as texels in memory
	Buffer   = Size{"buffer", BufferBytes, ""}             // of a launch
)

// All are the limits above.
var All = []Size{File, Stream, Code, Manifest, Scene, Frame, Cases, Program, Vertices, Texture, Picture, Parts, Texels, Buffer}

const (
	// Line limits a line of a case file.
	Line = 4 * mib
	// Lines limits the lines of a case file.
	Lines = 1 << 22
	// BufferBytes limits a buffer of a launch, and all buffers of a manifest together.
	BufferBytes = 1 << 30
	// Pixels limits a picture that is read, drawn or written.
	Pixels = 1 << 24
	// PictureSide limits the sides of a picture that is read.
	PictureSide = 16384
	// BadRows limits the invalid rows of one case file that are reported.
	BadRows = 100
	// chunk is the size of allocations for a stream.
	chunk = mib
)

// An Error reports that an input exceeds its limit.
type Error struct {
	Name string // of the file, as given
	Size
}

func (e *Error) Error() string { return e.Name + ": " + e.Short() }

// Short returns the error without the name.
func (s Size) Short() string {
	hint := ""
	if s.Raise != "" {
		hint = "; " + s.Raise + " raises the limit"
	}
	return fmt.Sprintf("%s of more than %d bytes%s", s.What, s.Bytes, hint)
}

// A NotRegular reports that a path is not a regular file: a device, a pipe, a socket or a folder.
type NotRegular struct {
	Name string
	Mode os.FileMode
}

func (e *NotRegular) Error() string {
	return fmt.Sprintf("%s: is %s; only regular files are read", e.Name, kind(e.Mode))
}

// kind returns a file mode in words.
func kind(m os.FileMode) string {
	switch {
	case m.IsDir():
		return "a folder"
	case m&os.ModeNamedPipe != 0:
		return "a pipe"
	case m&os.ModeSocket != 0:
		return "a socket"
	case m&os.ModeDevice != 0:
		return "a device"
	}
	return "no regular file"
}

// Open opens a regular file; anything else is a *NotRegular. It checks the path before opening it, because opening a
// pipe blocks and opening a device may have effects, and again afterwards, in case the file was replaced.
func Open(path string) (*os.File, error) {
	return open(path, os.Stat, func() (*os.File, error) { return os.OpenFile(path, os.O_RDONLY|nonBlocking, 0) })
}

func open(path string, stat func(string) (os.FileInfo, error), reach func() (*os.File, error)) (*os.File, error) {
	info, err := stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &NotRegular{path, info.Mode()}
	}
	f, err := reach()
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err == nil && !info.Mode().IsRegular() {
		err = &NotRegular{path, info.Mode()}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// ReadWith opens a file and reads it by a function, which also gets its path, for errors.
func ReadWith[T any](path string, read func(r io.Reader, file string) (T, error)) (T, error) {
	f, err := Open(path)
	if err != nil {
		var none T
		return none, err
	}
	defer f.Close()
	return read(f, path)
}

// ReadFile reads a regular file completely.
func ReadFile(path string, s Size) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return whole(f, path, s)
}

// whole reads an open regular file. It rejects a file that is too large by its size, before reading it.
func whole(f *os.File, name string, s Size) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > s.Bytes {
		return nil, &Error{name, s}
	}
	data := make([]byte, info.Size())
	n, err := io.ReadFull(f, data)
	if err == io.EOF || err == io.ErrUnexpectedEOF { // it was truncated
		return data[:n], nil
	}
	if err != nil {
		return nil, err
	}
	// The file has grown, or its size is not known, as in /proc.
	more, err := ReadAll(f, name, Size{s.What, s.Bytes - int64(n), s.Raise})
	if e, ok := err.(*Error); ok {
		e.Bytes = s.Bytes
	}
	if len(more) > 0 {
		data = append(data, more...)
	}
	return data, err
}

// ReadAll reads a stream to its end. It allocates memory as it reads, so that an endless stream uses no more than the
// limit.
func ReadAll(r io.Reader, name string, s Size) ([]byte, error) {
	var parts [][]byte
	total, size := int64(0), 1<<10 // short ones are usual
	for {
		part := make([]byte, size)
		n, err := io.ReadFull(r, part)
		total += int64(n)
		if total > s.Bytes {
			return nil, &Error{name, s}
		}
		parts = append(parts, part[:n])
		switch err {
		case nil:
			size = min(2*size, chunk)
		case io.EOF, io.ErrUnexpectedEOF:
			return join(parts, int(total)), nil
		default:
			return nil, err
		}
	}
}

func join(parts [][]byte, total int) []byte {
	if len(parts) == 1 {
		return parts[0]
	}
	all := make([]byte, 0, total)
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

// Reader returns r with an *Error when the limit is exceeded.
func Reader(r io.Reader, name string, s Size) io.Reader { return &bounded{r, name, s, s.Bytes} }

type bounded struct {
	r    io.Reader
	name string
	size Size
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.r.Read(p)
	if int64(n) > b.left {
		n = int(b.left)
		err = &Error{b.name, b.size}
	}
	b.left -= int64(n)
	return n, err
}
