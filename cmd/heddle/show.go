package main

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Names, messages and texts of files are printed without characters that control a terminal: what is not printable
// becomes an escape, as in a Go string.

// shown formats a name, or a text of one line.
func shown(s string) string { return escaped(s, "") }

// shownText formats a text of several lines; line ends and tabs are kept.
func shownText(s string) string { return escaped(s, "\n\t") }

func escaped(s, keep string) string {
	ok := func(r rune, size int) bool {
		return (unicode.IsPrint(r) || strings.ContainsRune(keep, r)) && (r != utf8.RuneError || size > 1)
	}
	var b strings.Builder
	from := 0 // start of what is not copied yet
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if !ok(r, size) {
			b.WriteString(s[from:i])
			b.WriteString(escape(r, s[i:i+size]))
			from = i + size
		}
		i += size
	}
	if from == 0 {
		return s
	}
	return b.String() + s[from:]
}

// escape returns the escape for a character that is not printable, or an invalid byte.
func escape(r rune, text string) string {
	switch {
	case r == '\n':
		return `\n`
	case r == '\t':
		return `\t`
	case len(text) == 1:
		return fmt.Sprintf(`\x%02x`, text[0])
	case r > 0xffff:
		return fmt.Sprintf(`\U%08x`, r)
	}
	return fmt.Sprintf(`\u%04x`, r)
}

// say prints data from files: strings, errors and other texts are escaped.
func (a *app) say(format string, args ...any) {
	for i, v := range args {
		switch v := v.(type) {
		case string:
			args[i] = shown(v)
		case error:
			args[i] = shown(v.Error())
		case fmt.Stringer:
			args[i] = shown(v.String())
		}
	}
	a.printf(format, args...)
}

// quietJSON escapes characters that package json leaves in strings and that may control a terminal. Outside strings
// there are none.
func quietJSON(text []byte) []byte {
	if !bytes.ContainsFunc(text, loud) {
		return text
	}
	var b bytes.Buffer
	for _, r := range string(text) {
		switch {
		case !loud(r):
			b.WriteRune(r)
		case r > 0xffff:
			hi, lo := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, hi, lo)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.Bytes()
}

func loud(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }
