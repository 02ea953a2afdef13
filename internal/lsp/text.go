package lsp

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// A position is a line and a character in it, from 0, counted in the encoding.
type position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// A textRange is from Start up to, not including, End.
type textRange struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

// An encoding is the unit of characters in positions, by the protocol's name.
type encoding string

const (
	utf8Encoding  encoding = "utf-8"  // a byte
	utf16Encoding encoding = "utf-16" // a unit of UTF-16
	utf32Encoding encoding = "utf-32" // a code point
)

// A text is the contents of a document, and where its lines begin. A line ends with \n, \r\n or \r.
type text struct {
	s     string
	lines []int
	enc   encoding
	ascii bool // all of it: a character is a byte then, and lines, which may be long, need not be scanned
}

func newText(s string, enc encoding) *text {
	t := &text{s: s, enc: enc, lines: make([]int, 1, 1+strings.Count(s, "\n")), ascii: strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0}
	for at := 0; at < len(s); {
		end := len(s)
		if n := strings.IndexByte(s[at:], '\n'); n >= 0 {
			end = at + n + 1
		}
		for {
			n := strings.IndexByte(s[at:end], '\r')
			if n < 0 || at+n+1 == len(s) || s[at+n+1] == '\n' {
				break
			}
			at += n + 1
			t.lines = append(t.lines, at)
		}
		if s[end-1] == '\n' || s[end-1] == '\r' {
			t.lines = append(t.lines, end)
		}
		at = end
	}
	return t
}

// line returns the text of a line, without its end.
func (t *text) line(n int) string {
	end := len(t.s)
	if n+1 < len(t.lines) {
		end = t.lines[n+1]
	}
	return strings.TrimRight(t.s[t.lines[n]:end], "\r\n")
}

// lineOf returns the line of an offset.
func (t *text) lineOf(off int) int {
	return sort.Search(len(t.lines), func(i int) bool { return t.lines[i] > off }) - 1
}

// offset returns the byte at a position. Characters past a line's end mean its end, lines past the text its end.
func (t *text) offset(p position) int {
	switch {
	case p.Line < 0 || p.Line == 0 && p.Character < 0:
		return 0
	case p.Line >= len(t.lines):
		return len(t.s)
	}
	line := t.line(p.Line)
	if t.ascii {
		return t.lines[p.Line] + max(0, min(p.Character, len(line)))
	}
	at := 0
	for left := p.Character; at < len(line) && left > 0; {
		r, n := rune(line[at]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(line[at:])
		}
		if left -= t.enc.width(r, n); left < 0 {
			break // within a character: its beginning
		}
		at += n
	}
	return t.lines[p.Line] + at
}

// width returns how many characters a code point of n bytes is.
func (e encoding) width(r rune, n int) int {
	switch {
	case e == utf8Encoding:
		return n
	case e == utf16Encoding && r >= 0x10000:
		return 2
	}
	return 1
}

// position returns that of a byte.
func (t *text) position(off int) position {
	off = max(0, min(off, len(t.s)))
	n := t.lineOf(off)
	from := t.lines[n]
	return position{n, t.length(from, min(off, from+len(t.line(n))))}
}

// length returns the number of characters from a byte up to, not including, another.
func (t *text) length(from, to int) (n int) {
	if t.ascii || t.enc == utf8Encoding {
		return to - from
	}
	for _, r := range t.s[from:to] {
		n += t.enc.width(r, 1)
	}
	return n
}

func (t *text) rangeOf(from, to int) textRange { return textRange{t.position(from), t.position(to)} }

// A contentChange replaces a range of a document, or all of it.
type contentChange struct {
	Range *textRange `json:"range"`
	Text  string     `json:"text"`
}

// apply returns the text after a change.
func (t *text) apply(c *contentChange) *text {
	if c.Range == nil {
		return newText(c.Text, t.enc)
	}
	from, to := t.offset(c.Range.Start), t.offset(c.Range.End)
	if to < from {
		from, to = to, from
	}
	return newText(t.s[:from]+c.Text+t.s[to:], t.enc)
}
