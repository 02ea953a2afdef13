package asm

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

// A stmt is a label, an assignment, a directive or an instruction. A line holds any number of labels and one of the others.
type stmt struct {
	text   string // of a label: its name; of the others: what the scan reads
	source string // the whole line, or lines
	line   int32  // from 1
	col    int32  // of text in source, from 0
	kind   stmtKind
	bad    bool       // reported already
	dir    *Directive // of a directive
	sym    *symbol    // what a label or an assignment defines
	enc    []byte     // of an instruction that names no label: its bytes
	before int        // bytes of assembler.plain in front of it
	size   int        // bytes that it gave when it was last read
	unit   int32      // of an instruction: 1 + its index in assembler.units; 0: not seen yet
}

type stmtKind uint8

const (
	instStmt stmtKind = iota
	labelStmt
	assignStmt
	directiveStmt
)

// maxSpan bounds the lines of a statement: one whose end is missing would take the rest of the file.
const maxSpan = 256

// split finds the statements and the names of the file.
//
// An instruction whose text names nothing assembles to the same bytes wherever it stands: it becomes them at once, and no
// statement is kept of it.
func (a *assembler) split(in *input) {
	in.skip("\ufeff")
	inside := false
	for line := int32(1); !a.stopped; line++ {
		next, ok := in.next()
		if !ok {
			break
		}
		if !inside && a.known(next, line) {
			continue
		}
		source, first := string(next), line
		var text string
		text, inside = a.comments.strip(source, inside)
		for a.target.Open != nil && line-first < maxSpan {
			next, ok := in.peek()
			if !ok {
				break
			}
			last := string(next)
			more, open := a.comments.strip(last, inside)
			if !a.target.Open(a.target, text, more) {
				break
			}
			in.next()
			text += strings.Repeat(" ", len(source)-len(text)) + "\n" + more // in the columns of the source
			source += "\n" + last
			inside = open
			line++
		}
		a.splitLine(text, source, first)
	}
}

func (a *assembler) splitLine(text, source string, line int32) {
	at := pastLabels(text, func(name string, at int) bool {
		a.name(stmt{text: name, source: source, line: line, col: int32(at), kind: labelStmt}, name)
		return !a.stopped
	})
	text = strings.TrimRight(text, " \t\n")
	if at >= len(text) || a.stopped {
		return
	}
	st := stmt{text: text[at:], source: source, line: line, col: int32(at)}
	n := isa.WordLen(st.text)
	word := st.text[:n]
	after := n + blanks(st.text[n:])
	switch {
	case n > 0 && after < len(st.text) && st.text[after] == '=' && isName(word):
		st.text, st.col = st.text[after+1:], st.col+int32(after)+1
		st.kind = assignStmt
		a.name(st, word)
	case word == ".set" || word == ".equ":
		a.setDirective(st, after)
	case n > 1 && word[0] == '.':
		a.directive(st, word, after)
	default:
		a.found(st)
	}
}

// setDirective is ".set name, expression" as an assignment.
func (a *assembler) setDirective(st stmt, after int) {
	n := isa.WordLen(st.text[after:])
	name := st.text[after : after+n]
	end := after + n + blanks(st.text[after+n:])
	if !isName(name) || end >= len(st.text) || st.text[end] != ',' {
		a.bad(st, &isa.Error{Code: isa.ErrDirective, Col: after + 1, Msg: st.text[:4] + ": a name and a comma are expected"})
		return
	}
	st.text, st.col = st.text[end+1:], st.col+int32(end)+1
	st.kind = assignStmt
	a.name(st, name)
}

func (a *assembler) directive(st stmt, word string, after int) {
	st.dir = directives(word)
	if st.dir == nil {
		e := &isa.Error{Code: isa.ErrDirective, Col: 1, Msg: "no directive " + word}
		if near := isa.Nearest(word, directiveNames()); near != "" {
			e.Hint = fmt.Sprintf("did you mean %q?", near)
		}
		a.bad(st, e)
		return
	}
	st.kind = directiveStmt
	st.text, st.col = st.text[after:], st.col+int32(after)
	if st.dir.when == early { // it says what the statements behind it are; its errors are those of the rounds
		a.ahead(&st)
	}
	if st.dir.when != fixed || !a.fixed(&st) {
		a.later(st)
	}
}

// bad reports a statement that is not kept.
func (a *assembler) bad(st stmt, e *isa.Error) {
	a.cur = &st
	a.scan.Touched = false // no label is to blame
	a.fail(e)
}

// name adds a statement that defines a symbol.
func (a *assembler) name(st stmt, name string) {
	if old := a.names[name]; old != nil {
		a.bad(st, &isa.Error{Code: isa.ErrSymbol, Col: 1, Msg: fmt.Sprintf("%s is defined a second time; first in line %d", name, old.line)})
		return
	}
	st.sym = &symbol{kind: isa.Unresolved, line: int(st.line)}
	a.names[name] = st.sym
	a.add(st)
}

// maxHints bounds the labels that a misspelled one is compared with.
const maxHints = 10000

// hint adds the nearest label to an error about a name that is none.
func (a *assembler) hint(e *isa.Error) {
	if e.Hint != "" || !strings.Contains(e.Msg, isa.OperandOrLabel) || e.Col > len(e.Source) {
		return
	}
	word := e.Source[e.Col-1:]
	word = word[:isa.WordLen(word)]
	if a.labels == nil {
		for i := range a.stmts {
			if st := &a.stmts[i]; st.kind == labelStmt && len(a.labels) < maxHints {
				a.labels = append(a.labels, st.text)
			}
		}
	}
	if near := isa.Nearest(word, a.labels); near != "" {
		e.Hint = fmt.Sprintf("did you mean the label %q?", near)
	}
}

// comments are what opens a comment. A set of its own bytes saves a search of each line for every opener.
type comments struct {
	openers []string
	first   [256]bool // bytes that begin an opener, and the quote
	starts  []byte    // the same, the quote last
}

func newComments(openers []string) *comments {
	c := &comments{openers: openers}
	for _, o := range openers {
		if o != "" && !c.first[o[0]] {
			c.first[o[0]] = true
			c.starts = append(c.starts, o[0])
		}
	}
	c.first['"'] = true
	c.starts = append(c.starts, '"')
	return c
}

// code is the line without a comment to its end. It returns false where that takes more than a search for each opener:
// where quotes or block comments stand.
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
			if ch == '"' || op == "/*" {
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

// strip is the line without comments, block comments become blanks. It says whether one is open at the end.
func (c *comments) strip(line string, open bool) (string, bool) {
	if open {
		end := strings.Index(line, "*/")
		if end < 0 {
			return "", true
		}
		line = strings.Repeat(" ", end+2) + line[end+2:]
	}
	quote := false
	var out []byte // of the line, once it holds a block comment
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

// opener is the comment opener at the start of text, or nothing.
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
