package asm

import (
	"bytes"
	"io"
)

// An input returns the lines of a text one by one. It holds no more of the text than the longest line needs.
type input struct {
	r    io.Reader // nil: buf is the whole text
	buf  []byte
	rest []byte // of buf: not returned yet
	err  error  // the error that ended the text, except io.EOF
}

// block is how much of a text is read at a time.
const block = 64 << 10

func newInput(r io.Reader) *input { return &input{r: r} }

// peek returns the next line, without its end. It is valid until the next call; ok is false after the last one.
func (in *input) peek() (line []byte, ok bool) {
	line, _ = in.line()
	return trimEnd(line), line != nil
}

// next is peek, and moves over the line.
func (in *input) next() (line []byte, ok bool) {
	line, n := in.line()
	in.rest = in.rest[n:]
	return trimEnd(line), line != nil
}

// line returns the next line without line feed, nil if there is none, and its length with line feed.
func (in *input) line() ([]byte, int) {
	for seen := 0; ; {
		if n := bytes.IndexByte(in.rest[seen:], '\n'); n >= 0 {
			return in.rest[:seen+n], seen + n + 1
		}
		seen = len(in.rest)
		if !in.fill() {
			if seen == 0 {
				return nil, 0
			}
			return in.rest, seen
		}
	}
}

// fill reads more. It returns false at the end.
func (in *input) fill() bool {
	if in.r == nil {
		return false
	}
	if cap(in.buf) < block || len(in.rest) > cap(in.buf)/2 {
		in.buf = make([]byte, max(block, 2*cap(in.buf)))
	}
	held := copy(in.buf[:cap(in.buf)], in.rest)
	n, err := readSome(in.r, in.buf[held:cap(in.buf)])
	in.rest = in.buf[:held+n]
	if err != nil {
		in.r = nil
		if err != io.EOF {
			in.err = err
		}
	}
	return n > 0
}

// readSome reads at least one byte, unless there is an error.
func readSome(r io.Reader, p []byte) (int, error) {
	for range 100 {
		if n, err := r.Read(p); n > 0 || err != nil {
			return n, err
		}
	}
	return 0, io.ErrNoProgress
}

func trimEnd(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\r' {
		return line[:n-1]
	}
	return line
}

// skip moves over a text at the start of the input, if it is there.
func (in *input) skip(text string) {
	for len(in.rest) < len(text) && in.fill() {
	}
	if n := len(text); len(in.rest) >= n && string(in.rest[:n]) == text {
		in.rest = in.rest[n:]
	}
}

// SourceISA returns the operand of the first .isa directive of a file, "" if it has none: the instruction set that
// can assemble it.
func SourceISA(src []byte) (name, variant string) {
	name, variant, _ = findISA(&input{rest: src})
	return name, variant
}

func findISA(in *input) (name, variant string, err error) {
	for {
		line, ok := in.next()
		if !ok {
			return "", "", in.err
		}
		if !bytes.Contains(line, []byte(".isa")) {
			continue
		}
		f := bytes.Fields(line)
		if len(f) > 1 && string(f[0]) == ".isa" {
			set, v, _ := bytes.Cut(f[1], []byte(":"))
			return string(set), string(v), nil
		}
	}
}

// ReadISA is SourceISA for a reader. The returned reader reads the whole text; the error is that of r.
func ReadISA(r io.Reader) (name, variant string, all io.Reader, err error) {
	var head bytes.Buffer
	name, variant, err = findISA(newInput(io.TeeReader(r, &head)))
	return name, variant, io.MultiReader(&head, r), err
}
