package asm

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

// Macros and repetitions, as in GNU as and LLVM. Their lines are read once for each use, as if they were in the file.

// An expander is the state of expansions while the statements are found.
type expander struct {
	reader       *reader
	macros       map[string]*macro
	due          *use // the expansion of the present statement
	uses         int  // of macros: \@
	conds        []condition
	dead         bool // the present text is in a branch of a condition that is not read
	expanded     int  // lines from expansions
	expandedText int  // and their bytes
	bodies       int  // bytes of lines that are read more than once
	said         int  // number of messages
}

// A macro is a name for lines with parameters.
type macro struct {
	name   string
	params []param
	body   *body
	line   int32 // of .macro, in the file
	uses   int
}

type param struct {
	name     string
	def      string
	required bool
	rest     bool // takes the rest of the line
}

// An argument is the text of a parameter.
type argument struct{ name, text string }

// The limits of expansions.
const (
	maxDepth      = 128     // nesting of macros and repetitions
	maxConditions = 256     // open at a time
	maxExpand     = 1 << 20 // lines from expansions
	maxExpandText = 1 << 27 // bytes of these
	maxLineText   = 1 << 16 // bytes of one such line
	maxBodies     = 1 << 24 // bytes of text that is read more than once
)

// more counts a line from an expansion.
func (a *assembler) more(n int) bool {
	a.expanded++
	a.expandedText += n
	switch {
	case n > maxLineText:
		a.halt(fmt.Sprintf("a macro or repetition gives a line of more than %d bytes", maxLineText))
	case a.expanded > a.opt.MaxExpand:
		a.halt(fmt.Sprintf("macros and repetitions give more than %d lines", a.opt.MaxExpand))
	case a.expandedText > maxExpandText:
		a.halt(fmt.Sprintf("macros and repetitions give more than %d bytes of text", maxExpandText))
	}
	return !a.stopped
}

// halt stops at a limit, in the present line.
func (a *assembler) halt(msg string) {
	a.cur = &stmt{line: a.fileLine(), from: a.reader.at, in: a.reader.line}
	a.stop(isa.ErrLimit, msg)
}

// A use is lines to be read n times as part of an expansion.
type use struct {
	body  *body
	n     int64
	args  func(i int64) []argument // of each repetition
	count int                      // \+ of the first repetition
	at    *expansion
}

// expand reads the lines of a use.
func (a *assembler) expand(x *use) {
	for i := range x.n {
		r := &reader{body: x.body, line: x.at.begun, args: x.args(i), count: x.count + int(i), at: x.at}
		if a.read(r); r.ended || a.stopped {
			return
		}
	}
}

// enter returns a new expansion within the present text, or nil, after reporting an error, if it is nested too deep.
func (a *assembler) enter(what string, begun int32) *expansion {
	outer, used := a.reader.at, a.reader.line
	e := &expansion{what: what, begun: begun, used: used, col: a.begins + 1, outer: outer, depth: 1, id: a.uses}
	if outer != nil {
		e.depth = outer.depth + 1
	}
	if e.depth > maxDepth {
		a.halt(fmt.Sprintf("macros and repetitions in each other more than %d deep", maxDepth))
		return nil
	}
	return e
}

// call prepares the expansion of a use of the macro.
func (m *macro) call(a *assembler, s *isa.Scan) bool {
	args, ok := m.bind(s)
	if !ok {
		return false
	}
	if e := a.enter("the macro "+m.name, m.line); e != nil {
		e.numbered = true
		a.due = &use{m.body, 1, func(int64) []argument { return args }, m.uses, e}
		a.uses++
		m.uses++
	}
	return true
}

// bind reads the arguments of a use of the macro.
func (m *macro) bind(s *isa.Scan) ([]argument, bool) {
	args, given := make([]argument, len(m.params)), make([]bool, len(m.params))
	for i, p := range m.params {
		args[i] = argument{p.name, p.def}
	}
	named := false
	for n := 0; !s.End(); n++ {
		i, at := n, s.Pos
		if w := s.Word(); w != "" {
			if k := isNamed(s.Line[s.Pos+len(w):]); k > 0 {
				named = true
				if i = m.param(w); i < 0 {
					return nil, s.Note(at, isa.ErrDirective, "%t is no parameter of the macro %w", m.name, 0)
				}
				s.Pos += len(w) + k
				s.Space()
			} else if named {
				return nil, s.Fail(at, isa.ErrDirective, "an argument without a name after one with a name")
			}
		}
		if i >= len(m.params) {
			return nil, s.Note(at, isa.ErrDirective, "too many arguments: the macro %w takes %n", m.name, len(m.params))
		}
		text, ok := macroArg(s, m.params[i].rest)
		if !ok {
			return nil, false
		}
		if text != "" {
			args[i].text, given[i] = text, true
		}
		s.Space()
		s.Byte(',')
	}
	for i, p := range m.params {
		if p.required && !given[i] {
			return nil, s.Fail(s.Pos, isa.ErrDirective, fmt.Sprintf("the macro %s needs a value for %s", m.name, p.name))
		}
	}
	return args, true
}

// isNamed returns the length of the equals sign, with blanks, after the name of an argument; 0: there is none.
func isNamed(text string) int {
	n := blanks(text)
	if n < len(text) && text[n] == '=' && !strings.HasPrefix(text[n:], "==") {
		return n + 1
	}
	return 0
}

func (m *macro) param(name string) int {
	for i := range m.params {
		if m.params[i].name == name {
			return i
		}
	}
	return -1
}

// argOperators are the operators around which blanks do not end an argument, longer ones first.
var argOperators = []string{"||", "&&", "==", "!=", "<>", "<<", ">>", "<=", ">=", "+", "-", "~", "/", "*", "|", "^", "&", "!", "<", ">"}

// macroArg reads an argument of a macro. It ends at a comma, or at a blank, except in parentheses or next to an
// operator. Quotes around a text are removed. An argument that takes the rest of the line is taken as it is.
func macroArg(s *isa.Scan, rest bool) (string, bool) {
	if rest {
		text := strings.TrimRight(s.Line[s.Pos:], " \t")
		s.Pos = len(s.Line)
		return text, true
	}
	var b strings.Builder
	for depth := 0; s.Pos < len(s.Line); {
		at := s.Pos
		if depth == 0 {
			if s.Peek() == ',' {
				break
			}
			s.Space()
			if op := argOperator(s.Line[s.Pos:]); op != "" {
				b.WriteString(op)
				s.Pos += len(op)
				s.Space()
				continue
			}
			if s.Pos > at || s.Pos >= len(s.Line) {
				break
			}
		}
		switch c := s.Line[s.Pos]; c {
		case '(':
			depth++
		case ')':
			depth = max(depth-1, 0)
		case '=':
			return "", s.Fail(s.Pos, isa.ErrDirective, "an equals sign in an argument")
		case '"':
			text, ok := quoted(s)
			if !ok {
				return "", false
			}
			b.WriteString(text)
			continue
		case '\'':
			if n := isa.CharLen(s.Line[s.Pos:]); n > 0 {
				b.WriteString(s.Line[s.Pos : s.Pos+n])
				s.Pos += n
				continue
			}
		}
		b.WriteByte(s.Line[s.Pos])
		if s.Pos++; s.Pos == len(s.Line) && depth > 0 {
			return "", s.Expect(`")"`)
		}
	}
	return b.String(), true
}

func argOperator(text string) string {
	for _, op := range argOperators {
		if strings.HasPrefix(text, op) {
			return op
		}
	}
	return ""
}

// quoted reads a text in quotes and returns the raw text between them.
func quoted(s *isa.Scan) (string, bool) {
	from := s.Pos + 1
	for i := from; i < len(s.Line); i++ {
		switch s.Line[i] {
		case '\\':
			i++
		case '"':
			s.Pos = i + 1
			return s.Line[from:i], true
		}
	}
	return "", s.Fail(s.Pos, isa.ErrSyntax, "the text has no closing quote")
}

// replaced returns a line of a body with the parameters replaced by arguments. It is valid until the next call.
//
//	\name   the argument          \()   nothing: it ends a name
//	\@      the number of the expansion   \+   how often this one was read before
func (r *reader) replaced(line []byte) []byte {
	at := bytes.IndexByte(line, '\\')
	if at < 0 {
		return line
	}
	out := r.text[:0]
	for ; at >= 0 && len(out) <= maxLineText; at = bytes.IndexByte(line, '\\') {
		out = append(out, line[:at]...)
		line = line[at+1:]
		var n int
		out, n = r.named(out, line)
		line = line[n:]
	}
	r.text = append(out, line...)
	return r.text
}

// named appends the replacement of the text after a backslash, and returns the length of that text.
func (r *reader) named(out, text []byte) ([]byte, int) {
	switch {
	case bytes.HasPrefix(text, []byte("()")):
		return out, 2
	case bytes.HasPrefix(text, []byte("@")) && r.at.numbered:
		return fmt.Append(out, r.at.id), 1
	case bytes.HasPrefix(text, []byte("+")):
		return fmt.Append(out, r.count), 1
	}
	n := isa.WordLen(text)
	for i := range r.args {
		if r.args[i].name == string(text[:n]) && n > 0 {
			return append(out, r.args[i].text...), n
		}
	}
	return append(out, '\\'), 0
}
