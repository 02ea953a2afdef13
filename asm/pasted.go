package asm

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"regexp"
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
	p := paster{target: t, match: match, scan: isa.Scan{Trial: true, Memo: learned.Get().(*isa.Memo)}}
	defer learned.Put(p.scan.Memo)
	var out strings.Builder
	found := false
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		body := strings.TrimRight(line, "\r\n")
		end := line[len(body):]
		plain, has, e := p.line(body)
		if found = found || has; e != nil {
			e.Line, e.Source = n, body
			return nil, true, e
		}
		out.WriteString(plain)
		out.WriteString(end)
	}
	return []byte(out.String()), found, nil
}

// A paster takes columns out of lines.
type paster struct {
	target *isa.Target
	match  *columnPatterns
	scan   isa.Scan
	bundle isa.Bundle
	code   []byte
}

// line returns a line without its columns, and whether it had some or named a symbol. An error has the column.
func (p *paster) line(body string) (plain string, found bool, e *isa.Error) {
	var m []string
	switch frontOf(body) {
	case ':':
		m = p.match.listed.FindStringSubmatch(body)
	case ' ':
		if y := p.match.symbol.FindStringSubmatch(body); y != nil {
			return y[1] + ":", true, nil
		}
		m = p.match.bytes.FindStringSubmatch(body)
	}
	switch {
	case (strings.HasPrefix(body, "Dis") || strings.Contains(body, "file format")) && p.match.head.MatchString(body):
		return "", false, nil
	case m != nil:
		if plain, e = p.checked(m[1], m[2], m[3]); e != nil {
			e.Col = len(m[1]) + len(m[2]) + 1
			return "", true, e
		}
		return strings.Repeat(" ", len(m[1])+len(m[2])) + plain, true, nil
	}
	if mayHaveWord(body) {
		m = p.match.behind.FindStringSubmatch(body)
	}
	if m == nil {
		p.target = directed(p.target, body)
		return body, false, nil
	}
	addr, _ := strconv.ParseUint(m[4], 16, 64)
	if same, ok := p.same(m[2], addr, m[5]); !ok || same { // if it names a label or is wrong, it is left to the assembler
		return m[1] + m[2], true, nil
	}
	if plain, e = p.checked(m[4], m[5], m[2]); e != nil {
		e.Col = len(m[1]) + 1
		return "", true, e
	}
	return m[1] + plain, true, nil
}

// same reports whether a text assembles to the bytes of a column; ok is false if it does not parse.
func (p *paster) same(text string, addr uint64, digits string) (same, ok bool) {
	p.scan.Target = p.target
	p.scan.Reset(text, addr)
	p.scan.Pad = 0
	if p.scan.ParseWhole(&p.bundle) != nil {
		return false, false
	}
	var err error
	p.code, err = p.bundle.Encode(p.code[:0])
	return err == nil && bytes.Equal(p.code, memoryOrder(digits)), true
}

// frontOf returns the byte after the number that a line begins with, 0 if it begins with none.
func frontOf(line string) byte {
	line = strings.TrimLeft(line, " \t\f\r\n")
	if len(line) > 2 && line[0] == '0' && line[1]|0x20 == 'x' {
		line = line[2:]
	}
	for i := range len(line) {
		if noHexDigit(line[i]) {
			if i == 0 {
				return 0
			}
			return line[i]
		}
	}
	return 0
}

// mayHaveWord reports whether a line may end with a comment that ends with a word of bytes.
func mayHaveWord[T string | []byte](line T) bool {
	n := len(line)
	for n > 0 && strings.IndexByte(" \t\f\r\n", line[n-1]) >= 0 {
		n--
	}
	if n < 9 {
		return false
	}
	for i := n - 8; i < n; i++ {
		if noHexDigit(line[i]) {
			return false
		}
	}
	for i := range n {
		if line[i] == ';' || line[i] == '/' {
			return true
		}
	}
	return false
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
		if mayHaveWord(line) && columns().behind.Match(bytes.TrimRight(line, "\r\n")) {
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
func (p *paster) checked(place, digits, text string) (string, *isa.Error) {
	t := p.target
	addr, _ := strconv.ParseUint(strings.TrimPrefix(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(place), ":")), "0x"), 16, 64)
	plain, _ := newComments(t.Lexis()).strip(text, false)
	plain = strings.TrimSpace(plain)
	if same, _ := p.same(plain, addr, digits); same {
		return text, nil
	}
	code := memoryOrder(digits)
	if err := t.DecodeBundle(code, addr, &p.bundle); err != nil || p.bundle.Size() != len(code) {
		return text, nil // bytes of another set, or an encoding that only another tool knows: the text counts
	}
	if own := string(t.Print(nil, &p.bundle)); strings.Join(strings.Fields(own), " ") != strings.Join(strings.Fields(plain), " ") {
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
