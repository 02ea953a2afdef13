package isa

import (
	"strconv"
	"strings"
)

// Expressions over integers and labels are 64-bit two's complement. Operands have unary - ~ + and the arithmetic
// operators below. Expressions of the assembler itself, and sets with Arch.GNU, have all operators, and unary !.
// Inside an operand's bars, | and || must be in parentheses.

// A binop is an operator between two numbers.
type binop struct {
	text   string
	c, gnu uint8 // precedence, in C and with Arch.GNU
	wide   bool  // not in operands of sets without Arch.GNU
	run    func(x, y int64) (v int64, ok bool)
	zeros  func(x, y int64) (v int64, ok bool) // its value with Arch.GNU, if that differs
}

// binops are the operators; a longer one precedes its prefixes. True is -1 for comparisons and 1 for && and ||, as in
// GNU as.
var binops = []binop{
	{"||", 1, 1, true, func(x, y int64) (int64, bool) { return truth(x != 0 || y != 0, 1), true }, nil},
	{"&&", 2, 2, true, func(x, y int64) (int64, bool) { return truth(x != 0 && y != 0, 1), true }, nil},
	{"==", 6, 3, true, func(x, y int64) (int64, bool) { return truth(x == y, -1), true }, nil},
	{"!=", 6, 3, true, func(x, y int64) (int64, bool) { return truth(x != y, -1), true }, nil},
	{"<>", 6, 3, true, func(x, y int64) (int64, bool) { return truth(x != y, -1), true }, nil},
	{"<<", 8, 6, false, func(x, y int64) (int64, bool) { return x << (y & 63), y >= 0 && y < 64 }, nil},
	{">>", 8, 6, false, func(x, y int64) (int64, bool) { return x >> (y & 63), y >= 0 && y < 64 },
		func(x, y int64) (int64, bool) { return int64(uint64(x) >> (y & 63)), y >= 0 && y < 64 }},
	{"<=", 7, 3, true, func(x, y int64) (int64, bool) { return truth(x <= y, -1), true }, nil},
	{">=", 7, 3, true, func(x, y int64) (int64, bool) { return truth(x >= y, -1), true }, nil},
	{"<", 7, 3, true, func(x, y int64) (int64, bool) { return truth(x < y, -1), true }, nil},
	{">", 7, 3, true, func(x, y int64) (int64, bool) { return truth(x > y, -1), true }, nil},
	{"|", 3, 5, false, func(x, y int64) (int64, bool) { return x | y, true }, nil},
	{"^", 4, 5, false, func(x, y int64) (int64, bool) { return x ^ y, true }, nil},
	{"&", 5, 5, false, func(x, y int64) (int64, bool) { return x & y, true }, nil},
	{"+", 9, 4, false, func(x, y int64) (int64, bool) { return x + y, true }, nil},
	{"-", 9, 4, false, func(x, y int64) (int64, bool) { return x - y, true }, nil},
	{"*", 10, 6, false, func(x, y int64) (int64, bool) { return x * y, true }, nil},
	{"/", 10, 6, false, divide, nil},
	{"%", 10, 6, false, remainder, nil},
}

func truth(is bool, yes int64) int64 {
	if is {
		return yes
	}
	return 0
}

func divide(x, y int64) (int64, bool) {
	if y == 0 || y == -1 {
		return -x, y != 0
	}
	return x / y, true
}

func remainder(x, y int64) (int64, bool) {
	if y == 0 || y == -1 {
		return 0, y != 0
	}
	return x % y, true
}

const maxNesting = 64

// Expr reads an integer expression.
func (s *Scan) Expr() (int64, bool) { return s.binary(1, 0, false) }

// WholeExpr is Expr for the assembler's own expressions, where no operand syntax is possible: it accepts all
// operators.
func (s *Scan) WholeExpr() (int64, bool) { return s.binary(1, 0, true) }

// gnu reports whether expressions are those of GNU as.
func (s *Scan) gnu() bool { return s.Target != nil && s.Target.GNU }

func (s *Scan) binary(prec uint8, depth int, all bool) (int64, bool) {
	if depth > maxNesting {
		return 0, s.Fail(s.Pos, ErrSyntax, "expression nested too deeply")
	}
	x, ok := s.unary(depth, all)
	for ok {
		save := s.Pos
		s.Space()
		op, p := s.operator(all)
		if op == nil || p < prec {
			s.Pos = save
			return x, true
		}
		at := s.Pos
		s.Pos += len(op.text)
		s.Space()
		var y int64
		if y, ok = s.binary(p+1, depth+1, all); !ok {
			return 0, false
		}
		run := op.run
		if op.zeros != nil && s.gnu() {
			run = op.zeros
		}
		if x, ok = run(x, y); !ok {
			return 0, s.Fail(at, ErrRange, "division by zero or shift out of range")
		}
	}
	return x, ok
}

// operator returns the operator at Pos and its precedence, or nil if there is none that is allowed here.
func (s *Scan) operator(all bool) (*binop, uint8) {
	switch s.Peek() {
	case '|', '&', '=', '!', '<', '>', '^', '+', '-', '*', '/', '%':
	default:
		return nil, 0
	}
	gnu := s.gnu()
	for i := range binops {
		op := &binops[i]
		if !strings.HasPrefix(s.Line[s.Pos:], op.text) {
			continue
		}
		switch {
		case !all && op.text[0] == '|' && s.Bars:
			return nil, 0
		case !all && op.wide && !gnu:
			continue
		case gnu:
			return op, op.gnu
		}
		return op, op.c
	}
	return nil, 0
}

func (s *Scan) unary(depth int, all bool) (int64, bool) {
	s.Space()
	switch c := s.Peek(); {
	case depth > maxNesting:
		return 0, s.Fail(s.Pos, ErrSyntax, "expression nested too deeply")
	case c == '-' || c == '~' || c == '+' || c == '!' && (all || s.gnu()):
		s.Pos++
		x, ok := s.unary(depth+1, all)
		switch c {
		case '-':
			x = -x
		case '~':
			x = ^x
		case '!':
			x = truth(x == 0, 1)
		}
		return x, ok
	case c == '(':
		s.Pos++
		x, ok := s.binary(1, depth+1, true)
		if !ok {
			return 0, false
		}
		s.Space()
		if !s.Byte(')') {
			return 0, s.Expect(`")"`)
		}
		return x, true
	case isDigit(c):
		return s.integer()
	case c == '\'':
		n := CharLen(s.Line[s.Pos:])
		if n == 0 {
			return 0, s.Fail(s.Pos, ErrSyntax, "a constant such as 'a', of one byte, is expected")
		}
		x := charValue(s.Line[s.Pos+1 : s.Pos+n-1])
		s.Pos += n
		return x, true
	}
	return s.symbol(depth)
}

// CharLen returns the length of the character constant at the start of a text, quotes included: 'a', '\n', '\”; 0 if
// there is none.
func CharLen(text string) int {
	switch {
	case len(text) > 3 && text[0] == '\'' && text[1] == '\\' && text[3] == '\'':
		return 4
	case len(text) > 2 && text[0] == '\'' && text[1] != '\\' && text[2] == '\'':
		return 3
	}
	return 0
}

// charValue returns the value of a character constant from the text between its quotes.
func charValue(text string) int64 {
	if text[0] != '\\' {
		return int64(text[0])
	}
	switch text[1] {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return int64(text[1])
}

// integer reads 12, 0x1f, 0b101 or 0o17, with Arch.GNU also 017; up to 64 bits, unsigned values wrap. A point
// followed by letters is not part of it: 0x0.neg.
func (s *Scan) integer() (int64, bool) {
	if v, n := hexadecimal(s.Line[s.Pos:]); n > 0 {
		s.Pos += n
		return v, true
	}
	w := s.Word()
	if dot := strings.IndexByte(w, '.'); dot > 0 && (dot+1 == len(w) || !isDigit(w[dot+1])) {
		w = w[:dot]
	}
	if v, n, ok := decimal(w); ok {
		s.Pos += n
		return v, true
	}
	v, err := strconv.ParseUint(w, 0, 64)
	if err != nil || w[0] == '0' && len(w) > 1 && isDigit(w[1]) && !s.gnu() {
		return 0, s.note(s.Pos, ErrSyntax, "malformed number %t, or one of more than 64 bits", "", 0)
	}
	s.Pos += len(w)
	return int64(v), true
}

// hexadecimal reads 0x1f and the like at the start of a text. n is its length, 0 if there are no or more than 16
// digits, or if the word does not end there.
func hexadecimal(text string) (v int64, n int) {
	if len(text) < 3 || text[0] != '0' || text[1] != 'x' {
		return 0, 0
	}
	n = 2
	for ; n < len(text); n++ {
		d := hexDigits[text[n]]
		if d < 0 {
			break
		}
		v = v<<4 | int64(d)
	}
	if n == 2 || n > 18 || n < len(text) && isWord(text[n]) {
		return 0, 0
	}
	return v, n
}

// hexDigits are the values of hexadecimal digits; -1: not a digit.
var hexDigits = func() (t [256]int8) {
	for i := range t {
		t[i] = -1
	}
	for i := range 10 {
		t['0'+i] = int8(i)
	}
	for i := range 6 {
		t['a'+i], t['A'+i] = int8(10+i), int8(10+i)
	}
	return t
}()

// decimal reads a short decimal number, the common case.
func decimal(w string) (v int64, n int, ok bool) {
	if len(w) > 18 || len(w) > 1 && w[0] == '0' {
		return 0, 0, false
	}
	for i := 0; i < len(w); i++ {
		if !isDigit(w[i]) {
			return 0, 0, false
		}
		v = v*10 + int64(w[i]-'0')
	}
	return v, len(w), true
}

// OperandOrLabel is what messages say was expected for an unknown name: the assembler suggests labels with similar
// names.
const OperandOrLabel = "an operand or a label of this file"

func (s *Scan) symbol(depth int) (int64, bool) {
	w, n := SymbolName(s.Line[s.Pos:])
	if n == 0 || s.Symbol == nil {
		return 0, s.Expect("an operand")
	}
	next := s.Pos + n
	if next < len(s.Line) && s.Line[next] == '(' && s.Call != nil {
		return s.call(w, depth)
	}
	kind := next
	for s.Kinds && next < len(s.Line) && s.Line[next] == '@' {
		next += 1 + WordLen(s.Line[next+1:])
	}
	switch {
	case n == len(w):
		w = s.Line[s.Pos:next]
	case next > kind:
		w += s.Line[kind:next]
	}
	v, k := s.Symbol(w)
	switch k {
	case NoSymbol:
		return 0, s.Expect(OperandOrLabel)
	case Register:
		return 0, s.Expect("a number, and no register,")
	case Unresolved:
		s.Unresolved = true
		fallthrough
	case Label:
		s.UsedSymbol, s.Touched = true, true
	}
	s.Pos = next
	return int64(v), true
}

// SymbolName returns the symbol name at the start of a text and its length in bytes: a word, or text in double
// quotes, as LLVM writes names with other bytes than those of words. n is 0 if there is none.
func SymbolName(text string) (name string, n int) {
	if n = WordLen(text); n > 0 || text == "" || text[0] != '"' {
		return text[:n], n
	}
	end := strings.IndexByte(text[1:], '"')
	if end <= 0 || strings.IndexByte(text[1:1+end], '\\') >= 0 {
		return "", 0
	}
	return text[1 : 1+end], end + 2
}

// SymbolText returns the name of a symbol as written in text: as it is, or in double quotes if it is no word. ok is
// false if no text can express the name.
func SymbolText(name string) (text string, ok bool) {
	switch n := WordLen(name); {
	case name == "" || name == "." || strings.ContainsFunc(name, func(c rune) bool { return c < ' ' || c == '"' || c == '\\' || c == 0x7f }):
		return "", false
	case n < len(name) || isDigit(name[0]):
		return `"` + name + `"`, true
	}
	return name, true
}

// maxCallArgs limits the arguments of a function.
const maxCallArgs = 256

// call reads the arguments of a function and returns its value.
func (s *Scan) call(name string, depth int) (int64, bool) {
	at := s.Pos
	s.Pos += len(name) + 1
	var args []int64
	for {
		s.Space()
		v, ok := s.binary(1, depth+1, true)
		if !ok {
			return 0, false
		}
		if args = append(args, v); len(args) > maxCallArgs {
			return 0, s.Fail(at, ErrSyntax, "too many arguments")
		}
		if s.Space(); s.Byte(',') {
			continue
		}
		if !s.Byte(')') {
			return 0, s.Expect(`")"`)
		}
		v, ok = s.Call(name, args)
		if !ok {
			return 0, s.Fail(at, ErrSyntax, name+" is no function of so many numbers")
		}
		return v, true
	}
}
