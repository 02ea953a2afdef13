package asm

import (
	"strings"
	"unicode/utf8"

	"github.com/heddle-gpu/heddle/isa"
)

// quotedText reads a text in double quotes, with the escapes of LLVM's and GNU's assemblers: \b \f \n \r \t \" \\, up
// to three octal digits of a number up to 255, and x with hexadecimal digits, of which the last two count; also \a,
// \v, \u and \U as in Go.
func quotedText(s *isa.Scan) (string, bool) {
	if s.Space(); s.Peek() != '"' {
		return "", s.Expect("a text in double quotes")
	}
	at := s.Pos + 1
	raw, ok := quoted(s)
	if !ok || strings.IndexByte(raw, '\\') < 0 {
		return raw, ok
	}
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); {
		if raw[i] != '\\' {
			out = append(out, raw[i])
			i++
			continue
		}
		n := 0
		if out, n = escape(out, raw[i:]); n == 0 {
			why := "no such escape in a text; \\n, \\t, \\\\, \\\", \\101 and \\x41 are some"
			if c := raw[i+1]; c >= '4' && c <= '7' { // three octal digits
				why = raw[i:i+4] + " is more than a byte holds; \\377 is the highest"
			}
			return "", s.Fail(at+i, isa.ErrSyntax, why)
		}
		i += n
	}
	return string(out), true
}

// escapes are letters after a backslash, and the bytes that they stand for.
const escapes, escaped = `abfnrtv"\'`, "\a\b\f\n\r\t\v\"\\'"

// escape appends what the escape at the start of a text stands for; n is its length, 0 if it is no escape.
func escape(out []byte, raw string) (all []byte, n int) {
	if len(raw) < 2 {
		return out, 0
	}
	c := raw[1]
	if n := strings.IndexByte(escapes, c); n >= 0 {
		return append(out, escaped[n]), 2
	}
	switch {
	case c >= '0' && c <= '7':
		if v, n := digitsOf(raw[1:min(len(raw), 4)], 8); v <= 0xff {
			return append(out, byte(v)), 1 + n
		}
	case c == 'x':
		if v, n := digitsOf(raw[2:], 16); n > 0 {
			return append(out, byte(v)), 2 + n
		}
	case c == 'u' && len(raw) >= 6, c == 'U' && len(raw) >= 10:
		size := map[byte]int{'u': 4, 'U': 8}[c]
		if v, n := digitsOf(raw[2:2+size], 16); n == size && v <= utf8.MaxRune && utf8.ValidRune(rune(v)) {
			return utf8.AppendRune(out, rune(v)), 2 + size
		}
	}
	return out, 0
}

// digitsOf returns the number at the start of a text, modulo 2^32, and its number of digits.
func digitsOf(text string, base uint32) (v uint32, n int) {
	for ; n < len(text); n++ {
		d := nibble[text[n]]
		if uint32(d) >= base {
			break
		}
		v = v*base + uint32(d)
	}
	return v, n
}
