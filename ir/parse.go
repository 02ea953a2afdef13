package ir

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/heddle-gpu/heddle/num"
)

// A ParseError is an error in the text form of a block, with its position.
type ParseError struct {
	Line, Col int // from 1, Col in bytes
	Msg       string
}

func (e *ParseError) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Col, e.Msg) }

// Parse reads the text form of one block. It checks types, because the results of each op must exist before the
// next can use them; Verify checks the rest. Values may have any names: %sum is as good as %4. A numeric name must
// have the suffix w if the value is uniform. The error is a *ParseError.
func Parse(m *Machine, text string) (*Block, error) {
	p := &parser{m: m, names: map[string]Val{}}
	for rest := text; rest != "" && p.err == nil; {
		p.s, rest, _ = strings.Cut(rest, "\n")
		p.line++
		p.pos = 0
		if !p.end() {
			p.statement()
		}
	}
	if p.err == nil && p.b == nil {
		p.fail(0, "no block")
	}
	if p.err != nil {
		return nil, p.err
	}
	return p.b, nil
}

// A parser reads a line at a time. The first error stops it; after that its methods have no effect.
type parser struct {
	m     *Machine
	b     *Block
	names map[string]Val
	s     string // the line
	line  int
	pos   int
	err   error
}

func (p *parser) fail(at int, format string, args ...any) {
	if p.err == nil {
		p.err = &ParseError{p.line, at + 1, fmt.Sprintf(format, args...)}
	}
}

// end skips blanks and reports whether the line is at its end.
func (p *parser) end() bool {
	for p.pos < len(p.s) && (p.s[p.pos] == ' ' || p.s[p.pos] == '\t' || p.s[p.pos] == '\r') {
		p.pos++
	}
	return p.err != nil || p.pos == len(p.s) || p.s[p.pos] == ';'
}

// take skips blanks, and c if it is next.
func (p *parser) take(c byte) bool {
	if p.end() || p.s[p.pos] != c {
		return false
	}
	p.pos++
	return true
}

func (p *parser) need(c byte) {
	if !p.take(c) {
		p.fail(p.pos, "%s, want %q", p.found(), string(c))
	}
}

func (p *parser) found() string {
	if p.end() {
		return "the line ends"
	}
	return "found " + strconv.Quote(p.s[p.pos:p.pos+1])
}

// word returns the longest run of characters that are not syntax, and its position.
func (p *parser) word(what string) (w string, at int) {
	if !p.end() {
		at = p.pos
		for p.pos < len(p.s) && !isSyntax(p.s[p.pos]) {
			p.pos++
		}
		w = p.s[at:p.pos]
	}
	if w == "" {
		p.fail(p.pos, "%s, want %s", p.found(), what)
	}
	return w, at
}

// isSyntax reports whether c ends a word.
func isSyntax(c byte) bool { return strings.IndexByte(" \t\r,:;=[]{}+%\"", c) >= 0 }

// keyword skips the word w, if it is next.
func (p *parser) keyword(w string) bool {
	if p.end() {
		return false
	}
	rest, ok := strings.CutPrefix(p.s[p.pos:], w)
	if !ok || rest != "" && !isSyntax(rest[0]) {
		return false
	}
	p.pos += len(w)
	return true
}

// number reads an unsigned number of at most n bits.
func (p *parser) number(what string, n int) uint64 {
	w, at := p.word(what)
	x, err := strconv.ParseUint(w, 0, n)
	if err != nil {
		p.fail(at, "%q is no %s of %d bits", w, what, n)
	}
	return x
}

// statement reads the line: a block or mark header, or an op.
func (p *parser) statement() {
	at := p.pos
	switch {
	case p.s[at] == '%':
	case p.keyword("block"):
		if p.b != nil {
			p.fail(at, "a second block")
		}
		p.b = &Block{Key: Key{PC: p.number("address", 64)}}
		if p.keyword("mode") {
			p.b.Key.Mode = uint32(p.number("mode", 32))
		}
		p.b.Serial = p.keyword("serial")
		p.b.Next = p.b.Key.PC
		p.rest()
		return
	case p.b != nil && p.keyword("mark"):
		k := Mark{Op: int32(len(p.b.Ops)), PC: p.number("address", 64)}
		if p.keyword("size") {
			k.Size = uint8(p.number("size", 8))
		}
		if p.keyword("sub") {
			k.Sub = uint8(p.number("repeat number", 8))
		}
		p.b.Marks = append(p.b.Marks, k)
		p.b.Next = k.PC + uint64(k.Size)
		p.rest()
		return
	}
	if p.b == nil {
		p.fail(at, "%s, want \"block\" and its address", p.found())
		return
	}
	p.op()
}

// rest reports an error if anything is left on the line.
func (p *parser) rest() {
	if !p.end() {
		p.fail(p.pos, "%s, want the end of the line", p.found())
	}
}

// A def is the name of a result, before its value exists.
type def struct {
	name string
	at   int
}

// op reads one op with its results and adds it to the block.
func (p *parser) op() {
	defs := p.defs()
	in := Inst{}
	w, at := p.word("op")
	name, typ, typed := strings.Cut(w, ".")
	op, ok := OpNamed(name)
	if !ok {
		p.fail(at, "no op is called %q", name)
		return
	}
	in.Op = op
	if typed {
		if in.Type = typeByName()[typ]; in.Type == NoType {
			p.fail(at+len(name)+1, "no type is called %q", typ)
			return
		}
	}
	p.operands(&in)
	p.mode(&in)
	p.rest()
	if p.err != nil {
		return
	}
	if !typed {
		in.Type = p.b.impliedType(&in)
	}
	first, err := p.b.Add(p.m, in)
	if err != nil {
		p.fail(at, "%s", err)
		return
	}
	if got := len(p.b.Vals) - int(first); got != len(defs) {
		p.fail(at, "%s: %d results, %d named", op, got, len(defs))
		return
	}
	for i, d := range defs {
		p.define(d, first+Val(i))
	}
}

// OpNamed returns the op with that name.
func OpNamed(name string) (Op, bool) {
	op, ok := opByName()[name]
	return op, ok
}

var opByName = sync.OnceValue(func() map[string]Op {
	m := make(map[string]Op, numOps)
	for op := range numOps {
		m[ops[op].Name] = op
	}
	return m
})

var typeByName = sync.OnceValue(func() map[string]Type {
	m := make(map[string]Type, numTypes)
	for t := I1; t < numTypes; t++ {
		m[t.String()] = t
	}
	return m
})

// defs reads the names of results, up to the equals sign.
func (p *parser) defs() (ds []def) {
	for p.take('%') {
		at := p.pos - 1
		name, _ := p.word("name of a value")
		ds = append(ds, def{name, at})
		if !p.take(':') {
			p.need('=')
			break
		}
	}
	return ds
}

func (p *parser) define(d def, v Val) {
	if _, dup := p.names[d.name]; dup {
		p.fail(d.at, "%%%s is already defined", d.name)
		return
	}
	digits, w := strings.CutSuffix(d.name, "w")
	if _, err := strconv.Atoi(digits); err == nil && w != p.b.Vals[v].Wave {
		p.fail(d.at, "%%%s: this value is one per %s", d.name, map[bool]string{true: "wave, want a w", false: "lane, want no w"}[!w])
		return
	}
	p.names[d.name] = v
}

// mode reads the float mode, if the op has one.
func (p *parser) mode(in *Inst) {
	if !p.take('{') {
		return
	}
	at := p.pos
	n := strings.IndexByte(p.s[at:], '}')
	if n < 0 {
		p.fail(at-1, "a float mode without its }")
		return
	}
	m, err := num.ParseMode(p.s[at : at+n])
	if err != nil {
		p.fail(at, "%s", err)
		return
	}
	in.Mode, p.pos = m, at+n+1
}
