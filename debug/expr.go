package debug

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/ir"
)

// An Expr is an expression over a wave: registers, memory, numbers.
//
//	v0[3] == 5 && f32(s4) > 1.5
//	u64(global[s[0:1] + 8]) != 0
//	any(v2 > 63)
//	n - 1 < out[2].x && *p != 0
//
// A name is a variable of the source if one of that name is in scope, else a register, a property of the wave, an
// argument of the kernel, or a buffer; with $ before it, it is a register. A register with a value per lane and
// without [lane] is that of the scope's lane, or in any(...) and all(...) of each active lane. Registers and memory
// are unsigned, or f32 next to a number with a point; a type around them reinterprets their bits. Around anything
// else a type converts.
type Expr struct {
	text string
	root node
}

// A node is a part of an expression.
type node interface {
	eval(at *Scope) (Value, error)
}

type (
	literal struct{ v Value }
	// A name is a register, a property of the wave, or memory; index is the text in brackets.
	name struct {
		word, index string
		brackets    bool
		sub         node   // of the index; nil: it is none
		base        string // the word without any brackets
		steps       []step // what follows it, with all brackets
		member      bool   // some of steps are members
	}
	prefix struct {
		op string
		x  node
	}
	infix struct {
		op   string
		x, y node
	}
	// A cast is also any(...) and all(...).
	cast struct {
		to string
		x  node
	}
)

// String returns the expression as it was written.
func (e *Expr) String() string { return e.text }

// maxExpr and maxNesting limit an expression.
const maxExpr, maxNesting = 1 << 12, 64

// Parse reads an expression.
func Parse(text string) (*Expr, error) {
	if len(text) > maxExpr {
		return nil, fmt.Errorf("an expression of %d characters; the limit is %d", len(text), maxExpr)
	}
	p := &parser{text: text}
	x, err := p.binary(0)
	if err == nil && p.peek() != "" {
		err = fmt.Errorf("%q is more than an expression", text[p.at:])
	}
	if err != nil {
		return nil, err
	}
	return &Expr{strings.TrimSpace(text), x}, nil
}

// Eval returns the value of the expression.
func (e *Expr) Eval(at *Scope) (Value, error) { return e.root.eval(at) }

// operators returns the operators by precedence, the lowest first.
func operators() [][]string {
	return [][]string{{"||"}, {"&&"}, {"|"}, {"^"}, {"&"}, {"==", "!="}, {"<=", ">=", "<", ">"}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}}
}

type parser struct {
	text   string
	at     int
	nested int
}

// peek returns the next token; "" at the end.
func (p *parser) peek() string {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
	rest := p.text[p.at:]
	switch {
	case rest == "":
		return ""
	case inWord(rest[0]):
		end := 0
		for end < len(rest) && (inWord(rest[end]) || (rest[end] == '-' || rest[end] == '+') && exponent(rest[:end])) {
			end++
		}
		return rest[:end]
	case len(rest) > 1 && slices.Contains([]string{"||", "&&", "==", "!=", "<=", ">=", "<<", ">>", "->"}, rest[:2]):
		return rest[:2]
	}
	return rest[:1]
}

func inWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c == '.'
}

// exponent reports whether a sign continues a number: 1e-3.
func exponent(text string) bool {
	last := text[len(text)-1]
	return (last == 'e' || last == 'E') && (text[0] >= '0' && text[0] <= '9' || text[0] == '.') && !strings.HasPrefix(text, "0x")
}

func (p *parser) take() string {
	t := p.peek()
	p.at += len(t)
	return t
}

func (p *parser) binary(level int) (node, error) {
	levels := operators()
	if level == len(levels) {
		return p.unary()
	}
	x, err := p.binary(level + 1)
	for err == nil && slices.Contains(levels[level], p.peek()) {
		op := p.take()
		var y node
		if y, err = p.binary(level + 1); err == nil {
			x = &infix{op, x, y}
		}
	}
	return x, err
}

func (p *parser) unary() (node, error) {
	if p.nested++; p.nested > maxNesting {
		return nil, fmt.Errorf("nested more than %d deep", maxNesting)
	}
	defer func() { p.nested-- }()
	switch t := p.take(); {
	case t == "":
		return nil, fmt.Errorf("the expression ends where a value is wanted")
	case t == "-" || t == "!" || t == "~":
		x, err := p.unary()
		return &prefix{t, x}, err
	case t == "*":
		x, err := p.unary()
		return &deref{x}, err
	case t == "&":
		x, err := p.unary()
		return &address{x}, err
	case t == "(":
		return p.open()
	case t[0] >= '0' && t[0] <= '9' || t[0] == '.':
		return number(t)
	case inWord(t[0]):
		return p.word(t)
	default:
		return nil, fmt.Errorf("%q is no value", t)
	}
}

// open reads what follows an opening bracket: a type and its operand, or an expression and parts of it.
func (p *parser) open() (node, error) {
	if c, pointer, ok := p.castOf(); ok {
		var err error
		if c.x, err = p.unary(); err != nil {
			return nil, err
		}
		if pointer {
			return c, nil
		}
		return &cast{c.to.String(), c.x}, nil
	}
	x, err := p.closed()
	if err != nil {
		return nil, err
	}
	steps, err := p.steps()
	if len(steps) > 0 {
		x = &part{x, steps}
	}
	return x, err
}

// closed reads an expression up to its closing bracket.
func (p *parser) closed() (node, error) {
	x, err := p.binary(0)
	if err == nil && p.take() != ")" {
		err = fmt.Errorf("a ( without )")
	}
	return x, err
}

// word reads a name, with an optional index, or a type around an expression.
func (p *parser) word(t string) (node, error) {
	switch p.peek() {
	case "(":
		if c, ok := scalarOf(t); ok {
			t = c.String()
		} else if t != "any" && t != "all" {
			return nil, fmt.Errorf("%s is no type; there are u8 to u64, i8 to i64, f16, f32, f64, the scalar types of OpenCL C, any and all", t)
		}
		p.take()
		x, err := p.closed()
		return &cast{t, x}, err
	case "[", "->":
		steps, err := p.steps()
		n := &name{word: t, base: t, steps: steps}
		for i := range steps { // of a register with an index in its name: v[0:1][5]
			if steps[i].field != "" {
				n.brackets, n.member = false, true
				break
			}
			if i > 0 {
				n.word += "[" + n.index + "]"
			}
			n.index, n.sub, n.brackets = steps[i].index, steps[i].sub, true
		}
		return n, err
	}
	return &name{word: t, base: t}, nil
}

// bracketed reads the text between brackets.
func (p *parser) bracketed() (string, error) {
	p.take()
	from, depth := p.at, 1
	for ; p.at < len(p.text) && depth > 0; p.at++ {
		switch p.text[p.at] {
		case '[':
			depth++
		case ']':
			depth--
		}
	}
	if depth > 0 {
		return "", fmt.Errorf("a [ without ]")
	}
	return p.text[from : p.at-1], nil
}

// number returns a number as it is written: an integer is signed.
func number(t string) (node, error) {
	if n, err := strconv.ParseUint(t, 0, 64); err == nil {
		typ := i64
		if n > 1<<63-1 {
			typ = u64
		}
		return &literal{Value{Bits: n, Type: typ}}, nil
	}
	x, err := strconv.ParseFloat(t, 64)
	if err != nil {
		return nil, fmt.Errorf("%s is no number", t)
	}
	return &literal{ofFloat(x, f64)}, nil
}

// typeNamed returns the type of a name: u32, i8, f16.
func typeNamed(t string) (Type, bool) {
	for _, x := range [...]ir.Type{ir.I8, ir.I16, ir.I32, ir.I64, ir.F16, ir.F32, ir.F64} {
		for _, signed := range [...]bool{false, true} {
			if typ := (Type{x, signed && x < ir.F16}); typ.String() == t {
				return typ, true
			}
		}
	}
	return Type{}, false
}
