package isa

import (
	"strconv"
	"strings"
)

// Expressions over integers and labels: unary - ~ and, by rising precedence, ^ & | (| only in
// parentheses, since operands use bars), << >>, + -, * / %. 64-bit two's complement.

const maxNesting = 64

// Expr reads an integer expression.
func (s *Scan) Expr() (int64, bool) { return s.binary(1, 0, false) }

func (s *Scan) binary(prec, depth int, inParens bool) (int64, bool) {
	if depth > maxNesting {
		return 0, s.Fail(s.Pos, ErrSyntax, "expression nested too deeply")
	}
	x, ok := s.unary(depth)
	for ok {
		save := s.Pos
		s.Space()
		op := s.operator()
		p := precedence(op)
		if p < prec || op == "|" && !inParens {
			s.Pos = save
			return x, true
		}
		at := s.Pos
		s.Pos += len(op)
		s.Space()
		var y int64
		if y, ok = s.binary(p+1, depth+1, inParens); !ok {
			return 0, false
		}
		if x, ok = apply(op, x, y); !ok {
			return 0, s.Fail(at, ErrRange, "division by zero or shift out of range")
		}
	}
	return x, ok
}

// precedence is 0 for what is no operator.
func precedence(op string) int {
	switch op {
	case "|":
		return 1
	case "^":
		return 2
	case "&":
		return 3
	case "<<", ">>":
		return 4
	case "+", "-":
		return 5
	case "*", "/", "%":
		return 6
	}
	return 0
}

func (s *Scan) operator() string {
	switch c := s.Peek(); c {
	case '|', '^', '&', '+', '-', '*', '/', '%':
		return s.Line[s.Pos : s.Pos+1]
	case '<', '>':
		if s.Pos+1 < len(s.Line) && s.Line[s.Pos+1] == c {
			return s.Line[s.Pos : s.Pos+2]
		}
	}
	return ""
}

func apply(op string, x, y int64) (int64, bool) {
	switch op {
	case "|":
		return x | y, true
	case "^":
		return x ^ y, true
	case "&":
		return x & y, true
	case "<<":
		return x << (y & 63), y >= 0 && y < 64
	case ">>":
		return x >> (y & 63), y >= 0 && y < 64
	case "+":
		return x + y, true
	case "-":
		return x - y, true
	case "*":
		return x * y, true
	case "/":
		if y == 0 || y == -1 {
			return -x, y != 0
		}
		return x / y, true
	case "%":
		if y == 0 || y == -1 {
			return 0, y != 0
		}
		return x % y, true
	}
	return 0, false
}

func (s *Scan) unary(depth int) (int64, bool) {
	s.Space()
	switch c := s.Peek(); {
	case depth > maxNesting:
		return 0, s.Fail(s.Pos, ErrSyntax, "expression nested too deeply")
	case c == '-' || c == '~' || c == '+':
		s.Pos++
		x, ok := s.unary(depth + 1)
		switch c {
		case '-':
			x = -x
		case '~':
			x = ^x
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
	}
	return s.symbol()
}

// integer reads 12, 0x1f, 0b101 or 0o17; up to 64 bits, unsigned ones wrap. A point with letters behind it is none of it: 0x0.neg.
func (s *Scan) integer() (int64, bool) {
	w := s.Word()
	if dot := strings.IndexByte(w, '.'); dot > 0 && (dot+1 == len(w) || !isDigit(w[dot+1])) {
		w = w[:dot]
	}
	if v, n, ok := decimal(w); ok {
		s.Pos += n
		return v, true
	}
	v, err := strconv.ParseUint(w, 0, 64)
	if err != nil || w[0] == '0' && len(w) > 1 && isDigit(w[1]) {
		return 0, s.note(s.Pos, ErrSyntax, "malformed number %t, or one of more than 64 bits", "", 0)
	}
	s.Pos += len(w)
	return int64(v), true
}

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

// OperandOrLabel is what messages say is expected where a name is neither: the assembler knows labels that are near.
const OperandOrLabel = "an operand or a label of this file"

func (s *Scan) symbol() (int64, bool) {
	w := s.Word()
	if w == "" || s.Symbol == nil {
		return 0, s.Expect("an operand")
	}
	v, k := s.Symbol(w)
	switch k {
	case NoSymbol:
		return 0, s.Expect(OperandOrLabel)
	case Unresolved:
		s.Unresolved = true
		fallthrough
	case Label:
		s.UsedSymbol, s.Touched = true, true
	}
	s.Pos += len(w)
	return int64(v), true
}
