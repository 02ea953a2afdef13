package object

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
)

// maxLine bounds a line of a case file, and a JSON document read whole.
const maxLine = 4 << 20

// Open opens a case file for reading, undoing gzip if the contents begin with its magic,
// whatever the name.
func Open(path string) (io.ReadCloser, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	r, err := plain(file)
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return struct {
		io.Reader
		io.Closer
	}{r, file}, nil
}

// plain undoes gzip if the contents begin with its magic.
func plain(r io.Reader) (*bufio.Reader, error) {
	b := bufio.NewReaderSize(r, 64<<10)
	if magic, _ := b.Peek(2); !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		return b, nil
	}
	z, err := gzip.NewReader(b)
	if err != nil {
		return nil, err
	}
	return bufio.NewReaderSize(z, 64<<10), nil
}

// lines yields the lines of a text, numbered from 1.
type lines struct {
	r    *bufio.Reader
	file string
	n    int    // of the last line returned
	buf  []byte // reused by long lines
}

// newLines undoes gzip as well.
func newLines(r io.Reader, file string) (*lines, error) {
	b, err := plain(r)
	if err != nil {
		return nil, &Error{Code: "syntax", File: file, Line: 1, Msg: err.Error()}
	}
	return &lines{r: b, file: file}, nil
}

// next returns a line without its end, valid until the call after; io.EOF at the end. Any
// other error is an *Error, after which there is nothing more to read.
func (l *lines) next() ([]byte, error) {
	l.n++
	line, err := l.r.ReadSlice('\n')
	l.buf = l.buf[:0]
	for err == bufio.ErrBufferFull && len(l.buf) <= maxLine {
		l.buf = append(l.buf, line...)
		line, err = l.r.ReadSlice('\n')
	}
	if len(l.buf) > 0 {
		l.buf = append(l.buf, line...)
		line = l.buf
	}
	switch {
	case len(line) > maxLine:
		return nil, l.fail("limit", "line of more than %d bytes", maxLine)
	case err == io.EOF && len(line) == 0:
		return nil, io.EOF
	case err != nil && err != io.EOF:
		return nil, l.fail("syntax", "%v", err)
	}
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r")), nil
}

// fail is an error in the last line returned.
func (l *lines) fail(code, format string, args ...any) *Error {
	return &Error{Code: code, File: l.file, Line: l.n, Msg: fmt.Sprintf(format, args...)}
}
