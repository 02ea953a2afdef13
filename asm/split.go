package asm

import (
	"bytes"
	"fmt"
	"math"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

// A stmt is a label, an assignment, a directive or an instruction. A line has any number of labels and one of the
// others.
type stmt struct {
	text   string // of a label: its name; of the others: the text to scan
	source string // the whole line, or lines
	line   int32  // from 1; in a macro, that of the outermost use
	in     int32  // the line in which it is written, if it is part of an expansion
	col    int32  // of text in source, from 0
	before int32  // bytes of assembler.plain before it
	size   int32  // bytes that it gave when it was last read
	unit   int32  // of an instruction: 1 + its index in assembler.units; 0: not read yet
	kind   stmtKind
	bad    bool       // reported already
	dir    *Directive // of a directive
	from   *expansion // of text from macros
	sym    *symbol    // what a label or an assignment defines
	own    *symbol    // of an assignment: its value when it was last read
	enc    []byte     // of an instruction that names no label: its bytes
}

type stmtKind uint8

const (
	instStmt stmtKind = iota
	labelStmt
	assignStmt
	directiveStmt
)

// stmts are statements in pieces, so that a growing list is never copied.
type stmts struct {
	pieces [][]stmt // of stmtPiece, all full but the last
	n      int
}

// stmtPiece is how many statements a piece has.
const stmtPiece = 273 // of 120 bytes, which fill 32 KiB

func (s *stmts) at(i int) *stmt { return &s.pieces[i/stmtPiece][i%stmtPiece] }

func (s *stmts) add(st stmt) {
	if s.n%stmtPiece == 0 {
		s.pieces = append(s.pieces, nil)
	}
	last := &s.pieces[len(s.pieces)-1]
	if s.n >= stmtPiece && *last == nil {
		*last = make([]stmt, 0, stmtPiece)
	}
	*last = append(*last, st) // most files are short: the first piece grows
	s.n++
}

// maxSpan limits the lines of a statement: one whose end is missing would take the rest of the file.
const maxSpan = 256

// split finds the statements and the names of the file.
//
// An instruction whose text names nothing assembles to the same bytes at any address: it is assembled at once, and no
// statement is kept for it.
func (a *assembler) split(in *input) {
	in.skip("\ufeff")
	if a.short = math.MaxInt32; in.r == nil {
		a.short = len(in.rest)
	}
	a.read(&reader{in: in})
}

// statements takes a line, or part of one: labels, optionally followed by another statement.
func (a *assembler) statements(p piece) {
	if a.dead {
		a.skipped(p)
		return
	}
	base := a.at(p)
	at := pastLabels(p.text, p.from, func(name string, at int) bool {
		st := base
		st.text, st.col, st.kind = name, int32(at), labelStmt
		a.name(st, name)
		return !a.stopped
	})
	text := strings.TrimRight(p.text, " \t\n")
	if at >= len(text) || a.stopped || a.comments.starting(text[at:]) {
		return
	}
	st := base
	st.text, st.col = text[at:], int32(at)
	a.begins = st.col
	n := isa.WordLen(st.text)
	word := st.text[:n]
	after := n + blanks(st.text[n:])
	switch {
	case n > 0 && after < len(st.text) && st.text[after] == '=' && isName(word):
		if a.prog != nil && a.prog.fields {
			a.directive(st, word, after+1)
			return
		}
		st.text, st.col = st.text[after+1:], st.col+int32(after)+1
		a.assignment(st, word, false)
	case len(a.macros) > 0 && a.macros[word] != nil:
		m := a.macros[word]
		st.text, st.col = st.text[after:], st.col+int32(after)
		a.now(st, func(a *assembler, s *isa.Scan) bool { return m.call(a, s) })
	case n > 1 && word[0] == '.':
		a.directive(st, word, after)
	default:
		a.found(st)
	}
}

// at returns a statement with its position only.
func (a *assembler) at(p piece) stmt {
	st := stmt{source: p.source, line: p.line, from: a.reader.at, in: p.line}
	if st.from != nil {
		st.line = st.from.root().used
	}
	return st
}

// skipped takes a piece of a branch that is not read: only the end of the branch, and what is opened within it,
// matter.
func (a *assembler) skipped(p piece) {
	word, at := p.word()
	if !strings.HasPrefix(word, ".") {
		return
	}
	if d := directives(word); d != nil && d.when == always {
		st := a.at(p)
		st.dir = d
		at += len(word)
		st.text, st.col = p.text[at:], int32(at)
		a.now(st, d.run)
	}
}

// now executes a directive that is not part of the rounds. It may leave text unread.
func (a *assembler) now(st stmt, run func(a *assembler, s *isa.Scan) bool) {
	s := &a.scan
	s.Reset(st.text, 0)
	s.Space()
	a.cur = &st
	ok := run(a, s)
	x := a.due
	a.due = nil
	switch {
	case a.stopped:
	case !ok:
		a.bad(st, s.Err())
	case x != nil:
		a.expand(x)
	}
}

// setDirective is ".set name, expression" as an assignment.
func (a *assembler) setDirective(st stmt) {
	name, n := isa.SymbolName(st.text)
	end := n + blanks(st.text[n:])
	if n == len(name) && !isName(name) || end >= len(st.text) || st.text[end] != ',' {
		a.bad(st, &isa.Error{Code: isa.ErrDirective, Col: 1, Msg: st.dir.Name + ": a name and a comma are expected"})
		return
	}
	st.text, st.col = st.text[end+1:], st.col+int32(end)+1
	a.assignment(st, name, st.dir.when == assignsOnce)
}

func (a *assembler) directive(st stmt, word string, after int) {
	st.dir = a.directiveFor(word)
	if st.dir == nil {
		e := &isa.Error{Code: isa.ErrDirective, Col: 1, Msg: "no directive " + word}
		if word[0] != '.' {
			e.Msg = "no field " + word + " of " + a.prog.Record.Name
		}
		if near := isa.Nearest(word, a.directiveNames()); near != "" {
			e.Hint = fmt.Sprintf("did you mean %q?", near)
		}
		a.bad(st, e)
		return
	}
	st.kind = directiveStmt
	st.text, st.col = st.text[after:], st.col+int32(after)
	if a.prog != nil {
		a.prog.record(st.dir.Name)
	}
	switch st.dir.when {
	case assigns, assignsOnce:
		a.setDirective(st)
		return
	case now, always:
		a.now(st, st.dir.run)
		return
	case early: // it determines how statements after it are read; the rounds report its errors
		a.ahead(&st)
	}
	if st.dir.when != fixed && st.dir.when != given || !a.fixed(&st) {
		a.later(st)
	}
}

// bad reports an error of a statement that is not kept.
func (a *assembler) bad(st stmt, e *isa.Error) {
	a.cur = &st
	a.scan.Touched = false // not caused by a label
	a.fail(e)
}

// name adds a label.
func (a *assembler) name(st stmt, name string) {
	if old := a.names[name]; old != nil {
		a.second(st, name, old)
		return
	}
	st.sym = &symbol{kind: isa.Unresolved, line: st.line, once: true}
	a.names[name] = st.sym
	a.defines(name)
	a.alone()
	a.add(st)
}

func (a *assembler) second(st stmt, name string, old *symbol) {
	a.bad(st, &isa.Error{Code: isa.ErrSymbol, Col: 1, Msg: fmt.Sprintf("%s is defined a second time; first in line %d", name, old.line)})
}

// assignment adds a statement that gives a symbol a value, which holds until the next one; once says that there is no
// other. Text before the first assignment sees the value of the last.
func (a *assembler) assignment(st stmt, name string, once bool) {
	st.kind = assignStmt
	sym := a.names[name]
	if sym == nil {
		sym = &symbol{kind: isa.Unresolved, line: st.line, once: once, count: a.prog != nil && a.prog.counts(name)}
		a.names[name] = sym
		a.defines(name)
	} else if sym.once || once {
		a.second(st, name, sym)
		return
	}
	st.sym, st.own = sym, &symbol{kind: isa.Unresolved}
	s := &a.scan
	s.Reset(st.text, 0)
	s.Symbol = a.present
	v, ok := s.WholeExpr()
	s.Symbol = a.ask
	sym.now, sym.known = uint64(v), ok && !s.Unresolved && s.End()
	a.add(st)
}

// maxHints limits the labels that a misspelled one is compared with.
const maxHints = 10000

// hint adds the nearest label to an error about an unknown name.
func (a *assembler) hint(e *isa.Error) {
	if e.Hint != "" || !strings.Contains(e.Msg, isa.OperandOrLabel) && !strings.Contains(e.Msg, undefinedLabel) || e.Col > len(e.Source) {
		return
	}
	word := e.Source[e.Col-1:]
	word = word[:isa.WordLen(word)]
	if a.labels == nil {
		for i := range a.stmts.n {
			if st := a.stmts.at(i); st.kind == labelStmt && len(a.labels) < maxHints {
				a.labels = append(a.labels, st.text)
			}
		}
	}
	if near := isa.Nearest(word, a.labels); near != "" {
		e.Hint = fmt.Sprintf("did you mean the label %q?", near)
	}
}

const undefinedLabel = "undefined label "

// undefined completes an error about an unknown name in the present statement: the name can only be a label if the
// text, or the text up to there, is a branch with a number in its place.
func (a *assembler) undefined(e *isa.Error) {
	at, st := e.Col-1, a.cur
	if st == nil || st.kind != instStmt || a.target.Branch == nil || at < 0 || at >= len(st.text) || !strings.Contains(e.Msg, isa.OperandOrLabel) {
		return
	}
	word := st.text[at : at+isa.WordLen(st.text[at:])]
	if !a.branches(st.text[:at]+"0"+st.text[at+len(word):]) && !a.branches(st.text[:at]+"0") {
		return
	}
	name := ""
	if n := strings.Index(e.Msg, ": "); n >= 0 {
		name = e.Msg[:n+2]
	}
	e.Code, e.Msg = isa.ErrSymbol, fmt.Sprintf("%s%s%q", name, undefinedLabel, word)
}

// branches reports whether a text is a branch.
func (a *assembler) branches(text string) bool {
	var b isa.Bundle
	if a.target.Parse(text, 0, &b) != nil {
		return false
	}
	for i := range b.Parts {
		if _, is := a.target.Branch(&b, i); is {
			return true
		}
	}
	return false
}

// comments are the strings that open a comment, and what else separates the text of a line. The set of first bytes
// saves a search of each line for every opener.
type comments struct {
	openers []string
	begin   []string  // those that open a comment only at the beginning of a statement
	parts   byte      // separates statements; 0: none
	first   [256]bool // bytes that begin an opener or a quoted text
	starts  []byte    // first bytes of openers, the separator, the double quote last
}

func newComments(x isa.Lexis) *comments {
	c := &comments{openers: x.Comments, begin: x.Starts, parts: x.Separator}
	for _, o := range c.openers {
		if o != "" && !c.first[o[0]] {
			c.first[o[0]] = true
			c.starts = append(c.starts, o[0])
		}
	}
	if c.parts != 0 {
		c.starts = append(c.starts, c.parts)
	}
	c.first['"'], c.first['\''] = true, true
	c.starts = append(c.starts, '"')
	return c
}

// starting reports whether a comment opens at the beginning of a statement.
func (c *comments) starting(text string) bool {
	for _, o := range c.begin {
		if strings.HasPrefix(text, o) {
			return true
		}
	}
	return false
}

// separator returns where the first statement after a position ends, -1 if that is the end of the text. The text is
// without comments.
func (c *comments) separator(text string, from int) int {
	if c.parts == 0 || strings.IndexByte(text[from:], c.parts) < 0 {
		return -1
	}
	for i := from; i < len(text); i++ {
		switch ch := text[i]; {
		case ch == c.parts:
			return i
		case ch == '"' || ch == '\'':
			i += max(quoteLen(text[i:]), 1) - 1
		}
	}
	return -1
}

// quoteLen returns the length of the quoted text, or the character constant, at the start of a text; 0 if none is
// closed.
func quoteLen(text string) int {
	if text[0] == '\'' {
		return isa.CharLen(text)
	}
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return 0
}

// code returns the line without a comment to its end; a character constant may be mistaken for one: see cutIn. It
// returns false if that takes more than a search for each opener: if there are quotes, block comments or several
// statements.
func (c *comments) code(line []byte) ([]byte, bool) {
	for _, ch := range c.starts {
		for at := 0; ; at++ {
			n := bytes.IndexByte(line[at:], ch)
			if n < 0 {
				break
			}
			at += n
			op := ""
			for _, o := range c.openers {
				if o != "" && len(line)-at >= len(o) && string(line[at:at+len(o)]) == o {
					op = o
					break
				}
			}
			if ch == '"' || op == "/*" || c.parts != 0 && ch == c.parts {
				return nil, false
			}
			if op != "" {
				line = line[:at]
				break
			}
		}
	}
	return line, true
}

// cutIn reports whether the result of code may have been cut within a character constant. Such a text is no
// instruction by itself.
func cutIn(text []byte) bool { return bytes.IndexByte(text, '\'') >= 0 }

// strip returns the line without comments; block comments become blanks. It also reports whether one is open at the
// end.
func (c *comments) strip(line string, open bool) (string, bool) {
	if open {
		end := strings.Index(line, "*/")
		if end < 0 {
			return "", true
		}
		line = strings.Repeat(" ", end+2) + line[end+2:]
	}
	quote := false
	var out []byte // of the line, once it contains a block comment
	rest := func(n int) string {
		if out == nil {
			return line[:n]
		}
		return string(out[:n])
	}
	for i := 0; i < len(line); i++ {
		switch ch := line[i]; {
		case quote && ch == '\\':
			i++
		case !c.first[ch]:
		case ch == '"':
			quote = !quote
		case ch == '\'' && !quote:
			i += max(isa.CharLen(line[i:]), 1) - 1
		case !quote:
			op := c.opener(line[i:])
			if op == "" {
				continue
			}
			if op != "/*" {
				return rest(i), false
			}
			end := strings.Index(line[i+len(op):], "*/")
			if end < 0 {
				return rest(i), true
			}
			if out == nil {
				out = []byte(line)
			}
			for n := range end + 4 {
				out[i+n] = ' '
			}
			i += end + 3
		}
	}
	return rest(len(line)), false
}

// opener returns the comment opener at the start of text, or "".
func (c *comments) opener(text string) string {
	for _, o := range c.openers {
		if o != "" && strings.HasPrefix(text, o) {
			return o
		}
	}
	return ""
}

// isName reports whether w can be a label.
func isName(w string) bool { return w != "" && w != "." && (w[0] < '0' || w[0] > '9') }

func blanks(s string) int {
	n := 0
	for n < len(s) && (s[n] == ' ' || s[n] == '\t') {
		n++
	}
	return n
}
