package asm

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/heddle-gpu/heddle/isa"
)

// A line of a listing by envydis, Mesa or llvm-objdump: an address with a colon, the bytes as words of 8 or 16 digits
// or byte by byte, and the text. Without an address there are 8 bytes, as Mesa prints words of Valhall. The bytes may
// follow the text as a comment: 000000000000: BE800082, as llvm-objdump prints code of AMDGPU, or ; be800082, as Mesa
// does.
var columns = sync.OnceValue(func() *columnPatterns {
	return &columnPatterns{
		listed: regexp.MustCompile(`^(\s*(?:0[xX])?[0-9a-fA-F]{1,16}:\s+)((?:(?:[0-9a-fA-F]{16}|[0-9a-fA-F]{8}|[0-9a-fA-F]{2})\s+)+)(\S.*)$`),
		bytes:  regexp.MustCompile(`(?m)^(\s*)((?:[0-9a-fA-F]{2} ){8}\s*)(\S.*)$`),
		symbol: regexp.MustCompile(`^[0-9a-fA-F]{8,16} <([A-Za-z_.$][\w.$]*)>:\s*$`),
		behind: regexp.MustCompile(`^(\s*)(\S.*?)(\s*(?://|;)\s*(?:([0-9a-fA-F]{6,16}):\s*)?)((?:[0-9a-fA-F]{8}\s+)*[0-9a-fA-F]{8})\s*$`),
		head:   regexp.MustCompile(`^(?:Disassembly of section \S+:|\S+:\s+file format \S+)\s*$`),
	}
})

// columnPatterns are compiled at the first use.
type columnPatterns struct{ listed, bytes, behind, symbol, head *regexp.Regexp }

// Pasted returns text without the columns of addresses and bytes that listings of other tools have; false if no line
// has them. The target is t until an .isa, .dialect or .option of the text selects another. Positions of lines and
// columns do not change. Bytes are compared with the text beside them: text that assembles to other bytes becomes an
// .enc line if the bytes disassemble to it, and is an error otherwise.
func Pasted(t *isa.Target, text []byte) ([]byte, bool, *isa.Error) {
	match := columns()
	if !bytes.ContainsAny(text, ":;") && !match.bytes.Match(text) {
		return text, false, nil
	}
	var out strings.Builder
	found := false
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		body := strings.TrimRight(line, "\r\n")
		end := line[len(body):]
		m := match.listed.FindStringSubmatch(body)
		if m == nil {
			m = match.bytes.FindStringSubmatch(body)
		}
		switch y := match.symbol.FindStringSubmatch(body); {
		case y != nil:
			body, found = y[1]+":", true
		case match.head.MatchString(body):
			body = ""
		case m != nil:
			found = true
			plain, e := checked(t, m[1], m[2], m[3])
			if e != nil {
				e.Line, e.Col, e.Source = n, len(m[1])+len(m[2])+1, body
				return nil, true, e
			}
			body = strings.Repeat(" ", len(m[1])+len(m[2])) + plain
		default:
			m := match.behind.FindStringSubmatch(body)
			if m == nil {
				t = directed(t, body)
				break
			}
			found = true
			var b isa.Bundle
			addr, _ := strconv.ParseUint(m[4], 16, 64)
			if t.Parse(m[2], addr, &b) != nil { // it names a label, or is wrong: left to the assembler
				body = m[1] + m[2]
				break
			}
			plain, e := checked(t, m[4], m[5], m[2])
			if e != nil {
				e.Line, e.Col, e.Source = n, len(m[1])+1, body
				return nil, true, e
			}
			body = m[1] + plain
		}
		out.WriteString(body + end)
	}
	return []byte(out.String()), found, nil
}

// directed returns the target after a line: another one if the line is .isa, .dialect or .option.
func directed(t *isa.Target, line string) *isa.Target {
	if !strings.HasPrefix(strings.TrimSpace(line), ".") {
		return t
	}
	plain, _ := newComments(t.Lexis()).strip(line, false)
	word, rest, _ := strings.Cut(strings.TrimSpace(plain), " ")
	if own := selected(t, strings.ToLower(word), strings.TrimSpace(rest)); own != nil {
		return own
	}
	return t
}

// Columns reports whether text may have a comment with the bytes of an instruction: such text assembles, and Pasted
// compares it.
func Columns(text []byte) bool {
	for line := range bytes.Lines(text) {
		line = bytes.TrimRight(line, " \t\r\n")
		if n := len(line); n < 9 || slices.ContainsFunc(line[n-8:], noHexDigit) || !bytes.ContainsAny(line, ";/") {
			continue
		}
		if columns().behind.Match(line) {
			return true
		}
	}
	return false
}

// A ColumnReader records whether the text read through it has Columns, in the first Limit bytes.
type ColumnReader struct {
	From  io.Reader
	Limit int
	Found bool
	begun []byte // of a line whose end has not been read yet
}

// longestListed limits a line of a listing, in bytes.
const longestListed = 4 << 10

func (r *ColumnReader) Read(p []byte) (int, error) {
	n, err := r.From.Read(p)
	if r.Found || r.Limit <= 0 {
		return n, err
	}
	text := p[:min(n, r.Limit)]
	r.Limit -= len(text)
	if i := bytes.IndexByte(text, '\n'); i < 0 {
		r.begun = append(r.begun, text...)
	} else {
		r.Found = Columns(append(r.begun, text[:i]...))
		last := bytes.LastIndexByte(text, '\n') + 1
		r.Found = r.Found || Columns(text[i+1:last])
		r.begun = append(r.begun[:0], text[last:]...)
	}
	if err == io.EOF {
		r.Found = r.Found || Columns(r.begun)
	}
	if len(r.begun) > longestListed {
		r.begun = r.begun[:longestListed]
	}
	return n, err
}

func noHexDigit(c byte) bool { return (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'f') }

// checked returns the text of a line that also gives its bytes.
func checked(t *isa.Target, place, digits, text string) (string, *isa.Error) {
	code := memoryOrder(digits)
	addr, _ := strconv.ParseUint(strings.TrimPrefix(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(place), ":")), "0x"), 16, 64)
	var b isa.Bundle
	plain, _ := newComments(t.Lexis()).strip(text, false)
	plain = strings.TrimSpace(plain)
	if t.Parse(plain, addr, &b) == nil {
		if own, err := b.Encode(nil); err == nil && bytes.Equal(own, code) {
			return text, nil
		}
	}
	var c isa.Bundle
	if err := t.DecodeBundle(code, addr, &c); err != nil || c.Size() != len(code) {
		return text, nil // bytes of another set, or an encoding that only another tool knows: the text counts
	}
	if own := string(t.Print(nil, &c)); strings.Join(strings.Fields(own), " ") != strings.Join(strings.Fields(plain), " ") {
		return "", &isa.Error{Code: isa.ErrEncoding, Msg: fmt.Sprintf("the text is %q, and its bytes %x are %q", plain, code, own), Hint: "leave out the column of bytes to take the text"}
	}
	return fmt.Sprintf(".enc %x %s", code, text), nil
}

// memoryOrder returns the bytes of a column: words have the highest byte first.
func memoryOrder(digits string) (code []byte) {
	for _, w := range strings.Fields(digits) {
		word, err := hex.DecodeString(w)
		if err != nil {
			return nil
		}
		for i := len(word) - 1; i >= 0; i-- {
			code = append(code, word[i])
		}
	}
	return code
}
