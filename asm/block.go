package asm

import (
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

// dirMacro defines a macro: .macro NAME [PARAM[:req|:vararg][=DEFAULT], ...], lines, .endm.
func dirMacro(a *assembler, s *isa.Scan) bool {
	m := &macro{line: a.reader.line}
	at := s.Pos
	if m.name = s.Word(); !isName(m.name) {
		a.body(macroEnds)
		return s.Expect("the name of a macro")
	}
	s.Pos += len(m.name)
	ok := m.parameters(s)
	b := a.body(macroEnds)
	switch old := a.macros[m.name]; {
	case !ok:
		return false
	case b == nil:
		return s.Fail(at, isa.ErrDirective, "the macro has no .endm")
	case old != nil:
		return s.Fail(at, isa.ErrDirective, fmt.Sprintf("the macro %s is defined a second time; first in line %d", m.name, old.line))
	}
	m.body = b
	a.macros[m.name] = m
	a.memo.forget()
	return true
}

// parameters reads the parameters of a macro.
func (m *macro) parameters(s *isa.Scan) bool {
	s.Space()
	s.Byte(',')
	for !s.End() {
		at := s.Pos
		p := param{name: s.Word()}
		switch {
		case p.name == "":
			return s.Expect("the name of a parameter")
		case m.param(p.name) >= 0:
			return s.Note(at, isa.ErrDirective, "a second parameter %t", "", 0)
		case len(m.params) > 0 && m.params[len(m.params)-1].rest:
			return s.Fail(at, isa.ErrDirective, "a parameter after the one that takes the rest")
		}
		s.Pos += len(p.name)
		if s.Byte(':') {
			switch {
			case s.Accept("req"):
				p.required = true
			case s.Accept("vararg"):
				p.rest = true
			default:
				return s.Expect("req or vararg")
			}
		}
		if n := isNamed(s.Line[s.Pos:]); n > 0 {
			s.Pos += n
			s.Space()
			var ok bool
			if p.def, ok = macroArg(s, false); !ok {
				return false
			}
		}
		m.params = append(m.params, p)
		s.Space()
		s.Byte(',')
	}
	return true
}

// dirPurge deletes macros: .purgem NAME, ...
func dirPurge(a *assembler, s *isa.Scan) bool {
	return list(s, func() bool {
		w := s.Word()
		if a.macros[w] == nil {
			return s.Note(s.Pos, isa.ErrDirective, "%t is no macro", "", 0)
		}
		s.Pos += len(w)
		delete(a.macros, w)
		a.memo.forget()
		return true
	}) && a.rest(s)
}

// dirExit ends the present macro or repetition.
func dirExit(a *assembler, s *isa.Scan) bool {
	if a.reader.at == nil {
		return a.misplaced(s, isa.ErrDirective, "there is no macro that could end here")
	}
	a.reader.ended = true
	a.conds = a.conds[:a.reader.conds]
	a.lives()
	return true
}

func dirStray(a *assembler, s *isa.Scan) bool {
	return a.misplaced(s, isa.ErrDirective, "there is nothing that could end here")
}

// The directives that open and close a block.
type ends struct{ open, close []string }

var (
	macroEnds  = ends{[]string{".macro"}, []string{".endm", ".endmacro"}}
	repeatEnds = ends{[]string{".rept", ".rep", ".irp", ".irpc"}, []string{".endr"}}
)

// body takes the lines up to the end of a block, or returns nil if the end is missing.
func (a *assembler) body(e ends) *body {
	b, depth := &body{}, 0
	for {
		p, ok := a.pull()
		if !ok || a.stopped {
			return nil
		}
		w, _ := p.word()
		w = strings.ToLower(w)
		switch {
		case has(e.open, w):
			depth++
		case has(e.close, w):
			if depth--; depth < 0 {
				return b
			}
		}
		for line := range strings.SplitSeq(p.text[p.from:], "\n") {
			b.lines, b.at = append(b.lines, []byte(line)), append(b.at, p.line)
		}
		if a.bodies += len(p.text) - p.from + 1; a.bodies > maxBodies {
			a.halt(fmt.Sprintf("macros and repetitions of more than %d bytes", maxBodies))
			return nil
		}
	}
}

func has(list []string, w string) bool {
	for _, x := range list {
		if x == w {
			return true
		}
	}
	return false
}

// repeat takes a block and prepares to read its lines n times. On an error it reads them no times.
func (a *assembler) repeat(what string, n int64, args func(i int64) []argument) bool {
	begun := a.reader.line
	b := a.body(repeatEnds)
	if b == nil {
		return a.stopped || a.misplaced(&a.scan, isa.ErrDirective, "the repetition has no .endr")
	}
	if e := a.enter(what, begun); e != nil {
		e.used = begun
		e.numbered = what != ".rept"
		a.due = &use{b, n, args, 0, e}
	}
	return true
}

func noArgs(int64) []argument { return nil }

// dirRept repeats lines: .rept COUNT, lines, .endr.
func dirRept(a *assembler, s *isa.Scan) bool {
	n, ok := a.number(s)
	if ok && n < 0 {
		ok = s.Fail(0, isa.ErrRange, "the number is negative")
	}
	if ok = ok && a.rest(s); !ok {
		n = 0
	}
	return a.repeat(".rept", n, noArgs) && ok
}

// dirIrp repeats lines for each of several texts: .irp NAME, TEXT, ...
func dirIrp(a *assembler, s *isa.Scan) bool {
	name, ok := repeatName(s)
	var values []string
	for ok && !s.End() {
		var v string
		v, ok = macroArg(s, false)
		values = append(values, v)
		s.Space()
		if !s.Byte(',') {
			continue
		}
		if s.End() {
			values = append(values, "")
		}
	}
	if ok && len(values) == 0 {
		values = []string{""}
	}
	if !ok {
		values = nil
	}
	return a.repeat(".irp", int64(len(values)), func(i int64) []argument { return []argument{{name, values[i]}} }) && ok
}

// dirIrpc repeats lines for each byte of a text: .irpc NAME, TEXT.
func dirIrpc(a *assembler, s *isa.Scan) bool {
	name, ok := repeatName(s)
	text := ""
	if ok {
		text, ok = macroArg(s, false)
	}
	if ok = ok && a.rest(s); !ok {
		text = ""
	}
	return a.repeat(".irpc", int64(len(text)), func(i int64) []argument { return []argument{{name, text[i : i+1]}} }) && ok
}

// repeatName reads the parameter of a repetition and the comma after it.
func repeatName(s *isa.Scan) (string, bool) {
	name := s.Word()
	if name == "" {
		return "", s.Expect("the name of a parameter")
	}
	s.Pos += len(name)
	s.Space()
	if !s.Byte(',') {
		return "", s.Expect(`","`)
	}
	s.Space()
	return name, true
}

// rest reports an error if anything is left of the statement. It must be called before the following lines are taken.
func (a *assembler) rest(s *isa.Scan) bool {
	return s.End() || s.Note(s.Pos, isa.ErrSyntax, "%t is too much here", "", 0)
}

// message reads the text of a message directive; whole is its default.
func message(a *assembler, s *isa.Scan, whole string) (string, bool) {
	if s.End() {
		return whole, true
	}
	if s.Peek() != '"' {
		return "", s.Expect("a text in double quotes")
	}
	text, ok := quoted(s)
	return text, ok && a.rest(s)
}

// say passes a message to Options.Say; too many messages stop the assembly.
func (a *assembler) say(text string, warning bool) bool {
	if a.said++; a.said > maxMessages {
		a.halt(fmt.Sprintf("more than %d messages of .print and .warning", maxMessages))
		return true
	}
	if a.opt.Say != nil {
		a.opt.Say(Message{warning, int(a.fileLine()), text})
	}
	return true
}

const maxMessages = 1000

func dirPrint(a *assembler, s *isa.Scan) bool {
	text, ok := message(a, s, "")
	return ok && a.say(text, false)
}

func dirWarning(a *assembler, s *isa.Scan) bool {
	text, ok := message(a, s, ".warning is reached")
	return ok && a.say(text, true)
}

func dirError(a *assembler, s *isa.Scan) bool {
	text, ok := message(a, s, a.cur.dir.Name+" is reached")
	return ok && s.Fail(0, isa.ErrDirective, text)
}

func dirInclude(a *assembler, s *isa.Scan) bool {
	return s.Fail(0, isa.ErrUnsupported, "no other file is read: put its text in the place of this line")
}
