package casefile

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"github.com/heddle-gpu/heddle/internal/limit"
)

// Open opens a case file for reading. It decompresses gzip if the contents begin with its magic, whatever the name.
func Open(path string) (io.ReadCloser, error) {
	file, err := limit.Open(path)
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

// plain decompresses gzip if the contents begin with its magic, and drops the byte order mark of UTF-8.
func plain(r io.Reader) (*bufio.Reader, error) {
	b := bufio.NewReaderSize(r, 64<<10)
	if magic, _ := b.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(b)
		if err != nil {
			return nil, zipError(err)
		}
		b = bufio.NewReaderSize(unzip{z}, 64<<10)
	}
	if mark, _ := b.Peek(3); bytes.Equal(mark, []byte("\xef\xbb\xbf")) {
		b.Discard(3)
	}
	return b, nil
}

// An unzip reads a gzip stream and describes errors in it.
type unzip struct{ *gzip.Reader }

func (u unzip) Read(p []byte) (int, error) {
	n, err := u.Reader.Read(p)
	if err != nil && err != io.EOF {
		err = zipError(err)
	}
	return n, err
}

// errZipCut is the error of a truncated gzip stream.
var errZipCut = errors.New("gzip: the compressed data is cut off")

// zipError converts an error of package gzip, or of the reader below it.
func zipError(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errZipCut
	}
	return err
}

// readWhole reads a document to its end.
func readWhole(r io.Reader, file string, s limit.Size) ([]byte, error) {
	v, err := limit.ReadAll(r, file, s)
	var over *limit.Error
	switch {
	case err == nil:
		return v, nil
	case errors.As(err, &over):
		return nil, &Error{Code: "limit", File: file, Line: 1, Msg: over.Short()}
	}
	return nil, &Error{Code: "syntax", File: file, Line: 1, Msg: err.Error()}
}

// lines yields the lines of a text, numbered from 1.
type lines struct {
	r    *bufio.Reader
	file string
	n    int    // of the last line returned
	buf  []byte // reused by long lines
	left int64  // bytes that may still be read
	bad  int    // broken rows so far
}

// newLines returns the lines of r; it decompresses gzip.
func newLines(r io.Reader, file string) (*lines, error) {
	b, err := plain(r)
	if err != nil {
		return nil, &Error{Code: "syntax", File: file, Line: 1, Msg: err.Error()}
	}
	return &lines{r: b, file: file, left: limit.Cases.Bytes}, nil
}

// next returns a line without its end, valid until the next call; io.EOF at the end. Any other error is an *Error,
// after which nothing more can be read.
func (l *lines) next() ([]byte, error) {
	l.n++
	line, err := l.r.ReadSlice('\n')
	l.buf = l.buf[:0]
	for err == bufio.ErrBufferFull && len(l.buf) <= limit.Line {
		l.buf = append(l.buf, line...)
		line, err = l.r.ReadSlice('\n')
	}
	if len(l.buf) > 0 {
		l.buf = append(l.buf, line...)
		line = l.buf
	}
	l.left -= int64(len(line))
	switch {
	case l.left < 0:
		return nil, l.fail("limit", "%s", limit.Cases.Short())
	case l.n > limit.Lines:
		return nil, l.fail("limit", "case file of more than %d lines", limit.Lines)
	case len(line) > limit.Line:
		return nil, l.fail("limit", "line of more than %d bytes", limit.Line)
	case err == io.EOF && len(line) == 0:
		return nil, io.EOF
	case err != nil && err != io.EOF:
		return nil, l.fail("syntax", "%v", err)
	}
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r")), nil
}

// spoiled counts an invalid row. It returns an error if there are too many to go on.
func (l *lines) spoiled() error {
	if l.bad++; l.bad > limit.BadRows {
		return l.fail("limit", "more than %d broken rows; the rest of the file is not read", limit.BadRows)
	}
	return nil
}

// fail returns an error in the last line returned.
func (l *lines) fail(code, format string, args ...any) *Error {
	return &Error{Code: code, File: l.file, Line: l.n, Msg: fmt.Sprintf(format, args...)}
}
