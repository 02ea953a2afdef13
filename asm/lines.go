package asm

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

// Lines reads instructions, or groups, one by one, each as if it were alone at address 0. It keeps its buffers from
// one line to the next, so that a line without error allocates nothing. It is not safe for concurrent use.
type Lines struct {
	NoLint   bool  // see Options.NoLint; must be set before the first line
	Pad      uint8 // minimal padding in bytes that Asm puts after each; must be set before the first line
	target   *isa.Target
	comments *comments
	scan     isa.Scan
	bundle   isa.Bundle
	code     []byte
	memo     memo // of lines of text
}

// NewLines returns a reader of a target's lines.
func NewLines(t *isa.Target) *Lines {
	l := &Lines{target: t, comments: newComments(t.Lexis())}
	l.scan.Target = t
	return l
}

// DisLine is Lines.Dis for one line.
func DisLine(t *isa.Target, line string) (string, error) {
	text, err := (&Lines{target: t}).Dis(nil, []byte(line))
	return string(text), err
}

// Line is Lines.Asm for one line.
func Line(t *isa.Target, line string) (string, error) {
	digits, err := NewLines(t).Asm(nil, []byte(line))
	return string(digits), err
}

// Dis appends the text of the one instruction, or group, whose bytes the line gives as hexadecimal digits in memory
// order. On an error it appends nothing.
func (l *Lines) Dis(dst, line []byte) ([]byte, error) {
	if !l.digits(line) || len(l.code) == 0 {
		return dst, &isa.Error{Code: isa.ErrSyntax, Msg: "an even number of hexadecimal digits is expected"}
	}
	if err := l.target.DecodeBundle(l.code, 0, &l.bundle); err != nil {
		return dst, err
	}
	if n := l.bundle.Size(); n < len(l.code) {
		return dst, &isa.Error{Code: isa.ErrInvalid, Msg: fmt.Sprintf("too many bytes: %d, where the instruction has %d", len(l.code), n)}
	}
	return l.target.Print(dst, &l.bundle), nil
}

// nibble is the value of a hexadecimal digit, or the class of another byte.
var nibble = func() (v [256]uint8) {
	for c := range v {
		v[c] = notHex
	}
	for i, c := range "0123456789abcdef" {
		v[c] = uint8(i)
	}
	for i, c := range "ABCDEF" {
		v[c] = uint8(10 + i)
	}
	for _, c := range "\t\n\v\f\r " {
		v[c] = blankByte
	}
	return v
}()

const (
	notHex    = 16
	blankByte = 17
)

// digits reads hexadecimal digits into l.code. Blanks may be anywhere. It returns false if anything else is found.
func (l *Lines) digits(line []byte) bool {
	l.code = l.code[:0]
	high, odd := uint8(0), false
	for _, c := range line {
		v := nibble[c]
		switch {
		case v == blankByte:
		case v == notHex:
			if c < 0x80 {
				return false
			}
			return l.spaced(line)
		case odd:
			l.code, odd = append(l.code, high<<4|v), false
		default:
			high, odd = v, true
		}
	}
	return !odd
}

// spaced is digits for a line with blanks outside of ASCII.
func (l *Lines) spaced(line []byte) bool {
	code, err := hex.DecodeString(string(bytes.Join(bytes.Fields(line), nil)))
	l.code = append(l.code[:0], code...)
	return err == nil
}

// Asm is the inverse of Dis: it appends the bytes of the one instruction, or group, on the line. On an error it
// appends nothing.
func (l *Lines) Asm(dst, line []byte) ([]byte, error) {
	text, ok := l.comments.code(line)
	if ok = ok && bytes.IndexByte(line, '\n') < 0; ok {
		text = bytes.TrimRight(text, " \t\r")
		if code := l.memo.find(text, anyKey); code != nil {
			return hex.AppendEncode(dst, code), nil
		}
		ok = !cutIn(text)
	}
	if !ok {
		text = []byte(l.strip(string(line)))
	}
	l.scan.Rules, l.scan.Pad = !l.NoLint, l.Pad
	l.scan.Reset(string(text), 0)
	if err := l.scan.ParseWhole(&l.bundle); err != nil {
		if plain, found, wrong := Pasted(l.target, line); wrong != nil {
			return dst, clipped(wrong)
		} else if found {
			return l.plain(dst, plain)
		}
		return dst, clipped(err)
	}
	if Columns(line) { // the text is correct, and is compared with the bytes beside it
		if _, _, wrong := Pasted(l.target, line); wrong != nil {
			return dst, clipped(wrong)
		}
	}
	code, err := l.bundle.Encode(l.code[:0])
	if err != nil {
		return dst, clipped(err)
	}
	if l.code = code; ok {
		l.memo.add(l.scan.Line, anyKey, code)
	}
	return hex.AppendEncode(dst, code), nil
}

// plain is Asm for a line without its columns of addresses and bytes: the text, or an .enc line.
func (l *Lines) plain(dst, line []byte) ([]byte, error) {
	if digits, is := bytes.CutPrefix(bytes.TrimSpace(line), []byte(".enc ")); is {
		digits, _, _ = bytes.Cut(digits, []byte(" "))
		return append(dst, digits...), nil
	}
	return l.Asm(dst, line)
}

// clipped shortens an error whose message quotes a long text.
func clipped(err error) error {
	e := isa.AsError(err)
	e.Clip()
	return e
}

// strip returns the text without comments, for a group that may have several lines.
func (l *Lines) strip(text string) string {
	var out strings.Builder
	inside := false
	for line := range strings.Lines(text) {
		var part string
		part, inside = l.comments.strip(strings.TrimRight(line, "\r\n"), inside)
		out.WriteString(part + "\n")
	}
	return strings.TrimRight(out.String(), " \t\r\n")
}
