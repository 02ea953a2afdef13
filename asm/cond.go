package asm

import (
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

// A condition is an open .if.
type condition struct {
	line  int32 // of the file
	outer bool  // the text around it is read
	met   bool  // one of its branches was read
	live  bool  // the present branch is read
	last  bool  // .else has been read
}

// A test is the question of a directive that opens a condition: a number, and the numbers for which it holds.
type test struct {
	name string
	ask  func(a *assembler, s *isa.Scan) (v int64, ok bool)
	yes  func(v int64) bool
}

// tests are the tests by directive. Those of texts compute 1 if the property in their name holds, else 0.
var tests = []test{
	{".if", (*assembler).number, notZero}, {".ifne", (*assembler).number, notZero}, {".ifeq", (*assembler).number, isZero},
	{".ifge", (*assembler).number, func(v int64) bool { return v >= 0 }}, {".ifgt", (*assembler).number, func(v int64) bool { return v > 0 }},
	{".ifle", (*assembler).number, func(v int64) bool { return v <= 0 }}, {".iflt", (*assembler).number, func(v int64) bool { return v < 0 }},
	{".ifdef", (*assembler).defined, notZero}, {".ifndef", (*assembler).defined, isZero}, {".ifnotdef", (*assembler).defined, isZero},
	{".ifb", (*assembler).isBlank, notZero}, {".ifnb", (*assembler).isBlank, isZero},
	{".ifc", (*assembler).sameTexts, notZero}, {".ifnc", (*assembler).sameTexts, isZero},
	{".ifeqs", (*assembler).sameQuoted, notZero}, {".ifnes", (*assembler).sameQuoted, isZero},
}

func notZero(v int64) bool { return v != 0 }
func isZero(v int64) bool  { return v == 0 }

func truth(is bool) int64 {
	if is {
		return 1
	}
	return 0
}

// number reads an expression whose value must be known while the statements are found.
func (a *assembler) number(s *isa.Scan) (int64, bool) {
	s.Space()
	at := s.Pos
	s.Symbol = a.present
	v, ok := s.WholeExpr()
	s.Symbol = a.ask
	if ok && s.Unresolved {
		return 0, s.Fail(at, isa.ErrDirective, "the value must be known here: it names an address, or what is defined further on or not at all")
	}
	return v, ok
}

// present is the Scan.Symbol for such expressions.
func (a *assembler) present(name string) (uint64, isa.SymbolKind) {
	if sym := a.names[name]; sym != nil && sym.known {
		return sym.now, isa.Constant
	}
	return 0, isa.Unresolved
}

func (a *assembler) defined(s *isa.Scan) (int64, bool) {
	w := s.Word()
	if w == "" {
		return 0, s.Expect("a name")
	}
	s.Pos += len(w)
	return truth(a.names[w] != nil), true
}

func (a *assembler) isBlank(s *isa.Scan) (int64, bool) {
	text, ok := macroArg(s, true)
	return truth(text == ""), ok
}

func (a *assembler) sameTexts(s *isa.Scan) (int64, bool) {
	x, y, found := strings.Cut(s.Line[s.Pos:], ",")
	if !found {
		s.Pos = len(s.Line)
		return 0, s.Expect(`","`)
	}
	s.Pos = len(s.Line)
	return truth(strings.TrimSpace(x) == strings.TrimSpace(y)), true
}

func (a *assembler) sameQuoted(s *isa.Scan) (int64, bool) {
	text := func() (string, bool) {
		if s.Space(); s.Peek() != '"' {
			return "", s.Expect("a text in double quotes")
		}
		return quoted(s)
	}
	x, ok := text()
	if !ok {
		return 0, false
	}
	if s.Space(); !s.Byte(',') {
		return 0, s.Expect(`","`)
	}
	y, ok := text()
	return truth(x == y), ok
}

// dirIf opens a condition.
func dirIf(a *assembler, s *isa.Scan) bool {
	c := condition{line: a.reader.line, outer: !a.dead}
	if len(a.conds) >= maxConditions {
		a.halt("too many conditions in each other")
		return true
	}
	ok := true
	if c.outer {
		for i := range tests {
			if t := &tests[i]; t.name == a.cur.dir.Name {
				var v int64
				if v, ok = t.ask(a, s); ok {
					ok = a.rest(s)
				}
				c.live = ok && t.yes(v)
			}
		}
		c.met = c.live || !ok // on an error no branch is read
	}
	a.conds = append(a.conds, c)
	a.lives()
	return ok
}

// condition returns the innermost one that was opened in the present text, or nil after reporting an error.
func (a *assembler) condition(s *isa.Scan) *condition {
	if len(a.conds) == a.reader.conds {
		a.misplaced(s, isa.ErrDirective, "there is no .if that this could belong to")
		return nil
	}
	return &a.conds[len(a.conds)-1]
}

func dirElseif(a *assembler, s *isa.Scan) bool {
	c := a.condition(s)
	if c == nil || !c.alone(a, s) {
		return false
	}
	c.live = false
	ok := true
	if c.outer && !c.met {
		var v int64
		if v, ok = a.number(s); ok {
			ok = a.rest(s)
		}
		c.live, c.met = ok && v != 0, !ok || v != 0
	}
	a.lives()
	return ok
}

func dirElse(a *assembler, s *isa.Scan) bool {
	c := a.condition(s)
	if c == nil || !c.alone(a, s) {
		return false
	}
	c.live, c.met, c.last = c.outer && !c.met, true, true
	a.lives()
	return !c.live || a.rest(s)
}

// alone reports whether another branch may follow.
func (c *condition) alone(a *assembler, s *isa.Scan) bool {
	return !c.last || a.misplaced(s, isa.ErrDirective, "this follows .else")
}

func dirEndif(a *assembler, s *isa.Scan) bool {
	if a.condition(s) == nil {
		return false
	}
	a.conds = a.conds[:len(a.conds)-1]
	a.lives()
	return a.dead || a.rest(s)
}

// lives computes whether the statements that follow are read.
func (a *assembler) lives() {
	n := len(a.conds)
	a.dead = n > 0 && !a.conds[n-1].live
}

// closeConds reports the conditions that are still open at the end of the text.
func (a *assembler) closeConds(r *reader) {
	if len(a.conds) > r.conds && !a.stopped {
		c := &a.conds[len(a.conds)-1]
		st := stmt{line: c.line, from: r.at, in: c.line}
		if r.at != nil {
			st.line = r.at.root().used
		}
		a.bad(st, &isa.Error{Code: isa.ErrDirective, Col: 1, Msg: "this .if has no .endif"})
	}
	a.conds = a.conds[:r.conds]
	a.lives()
}
