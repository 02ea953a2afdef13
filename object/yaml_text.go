package object

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// unquote returns a scalar without its quotes. It returns false if they are not closed, or an escape is unknown.
func unquote(s string) (string, bool) {
	if s == "" || s[0] != '"' && s[0] != '\'' {
		return s, true
	}
	if quotedEnd(s) != len(s) {
		return s, false
	}
	in := s[1 : len(s)-1]
	if s[0] == '\'' {
		return strings.ReplaceAll(in, "''", "'"), true
	}
	var b strings.Builder
	for i := 0; i < len(in); i++ {
		if in[i] != '\\' {
			b.WriteByte(in[i])
			continue
		}
		n := escape(&b, in[i+1:])
		if n == 0 {
			return s, false
		}
		i += n
	}
	return b.String(), true
}

// escapes are the escapes of one letter, each followed by its character.
const escapes = "0\x00a\ab\bt\tn\nv\vf\fr\re\x1b \x20\"\"//\\\\"

// escape writes the character of an escape and returns its length after the backslash, 0 if it is unknown.
func escape(b *strings.Builder, s string) int {
	if s == "" {
		return 0
	}
	if digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[s[0]]; digits > 0 {
		if len(s) <= digits {
			return 0
		}
		v, err := strconv.ParseUint(s[1:1+digits], 16, 32)
		if err != nil || v > utf8.MaxRune {
			return 0
		}
		b.WriteRune(rune(v))
		return 1 + digits
	}
	for i := 0; i+1 < len(escapes); i += 2 {
		if escapes[i] == s[0] {
			b.WriteByte(escapes[i+1])
			return 1
		}
	}
	return 0
}

// plainWords are texts that are not strings if they are written without quotes.
const plainWords = " null true false yes no on off y n ~ .nan .inf -.inf "

// quote returns a string as a document writes it: plain if it stays a string.
func quote(s string) string {
	plain := s != "" && !strings.Contains(plainWords, " "+strings.ToLower(s)+" ") && s[len(s)-1] != ':'
	for i := 0; i < len(s); i++ {
		c := s[i]
		word := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '.' && i+1 < len(s) && !isDigit(s[i+1])
		if c < ' ' || c >= 0x7f || s == "---" || s == "..." {
			return quoteHard(s)
		}
		inside := i > 0 && i+1 < len(s)
		if !word && (i == 0 || !isDigit(c) && !strings.ContainsRune("-./@+", rune(c)) && !(inside && c == ' ')) {
			plain = false
		}
	}
	if plain {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// quoteHard escapes what cannot be written in a line.
func quoteHard(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteRune(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\t':
			b.WriteString(`\t`)
		case unicode.IsControl(c):
			fmt.Fprintf(&b, `\x%02X`, c)
		default:
			b.WriteRune(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// writeYAML writes a document in LLVM's layout: keys padded to sixteen columns, lists below their keys.
func writeYAML(n *node) string {
	var b strings.Builder
	b.WriteString("---\n")
	writeNode(&b, n, 0, false)
	b.WriteString("...\n")
	return b.String()
}

// writeNode writes a value. If follows is set, the indent of the first line is already written.
func writeNode(b *strings.Builder, n *node, indent int, follows bool) {
	switch {
	case n.kind == scalarNode:
		b.WriteString(n.scalar() + "\n")
		return
	case len(n.items) == 0:
		b.WriteString(map[nodeKind]string{listNode: "[]\n", mapNode: "{}\n"}[n.kind])
		return
	}
	for i := range n.items {
		if !follows || i > 0 {
			b.WriteString(strings.Repeat(" ", indent))
		}
		v := &n.items[i]
		if n.kind == listNode {
			b.WriteString("- ")
			writeNode(b, v, indent+2, true)
			continue
		}
		key := quote(n.keys[i])
		b.WriteString(key + ":")
		switch {
		case v.kind == scalarNode || len(v.items) == 0:
			b.WriteString(strings.Repeat(" ", max(16-len(key), 1)))
			writeNode(b, v, 0, true)
		default:
			b.WriteString("\n")
			writeNode(b, v, indent+2, false)
		}
	}
}

func (n *node) scalar() string {
	switch {
	case n.quoted:
		return quote(n.text)
	case n.text == "":
		return "null"
	}
	return n.text
}
