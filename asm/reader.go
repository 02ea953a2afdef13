package asm

import (
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

// A reader returns the lines of a file, or those of a macro or a repetition.
type reader struct {
	in     *input // the file; nil: body is read
	line   int32  // line number in the file of the last line read
	inside bool   // a block comment is open
	queue  []piece
	given  int // index in queue

	body  *body
	next  int // index in body's lines
	args  []argument
	count int        // how often the body was read before: \+
	at    *expansion // the expansion that the lines belong to; nil: the file
	conds int        // how many conditions were open before the lines
	ended bool       // by .exitm
	text  []byte     // scratch of a line with arguments
}

// A piece is a statement, or several labels and a statement: a line or part of one, without comments.
type piece struct {
	text   string
	source string // the whole line, or lines
	from   int    // where the piece begins in text
	line   int32  // of the file
}

// A body is the lines of a macro or a repetition as written in the file, without comments.
type body struct {
	lines [][]byte
	at    []int32 // line number in the file, by line
}

// An expansion is one use of a macro, or one repetition. Messages use it to say where a statement comes from.
type expansion struct {
	what     string // "the macro f" or ".rept"
	begun    int32  // the line of the file that defines it
	used     int32  // the line that uses it, which may be part of another expansion
	col      int32  // column of the use, from 1
	outer    *expansion
	depth    int
	id       int  // \@
	numbered bool // id is valid
}

// take returns the next line, without its end. It is valid until the next call of take or peek.
func (r *reader) take() (line []byte, ok bool) {
	if r.in != nil {
		r.line++
		return r.in.next()
	}
	if line, ok = r.peek(); ok {
		r.line = r.body.at[r.next]
		r.next++
	}
	return line, ok
}

func (r *reader) peek() (line []byte, ok bool) {
	if r.in != nil {
		return r.in.peek()
	}
	if r.next == len(r.body.lines) {
		return nil, false
	}
	return r.replaced(r.body.lines[r.next]), true
}

// read finds the statements of a text.
func (a *assembler) read(r *reader) {
	outer := a.reader
	a.reader, r.conds = r, len(a.conds)
	if r.at != nil {
		a.more(0) // even without lines it counts
	}
	for !a.stopped && !r.ended {
		if r.given == len(r.queue) {
			next, ok := r.take()
			if !ok {
				break
			}
			if r.at != nil && !a.more(len(next)) {
				break
			}
			if !r.inside && !a.dead && a.known(next, a.fileLine()) {
				continue
			}
			a.pieces(next)
			continue
		}
		r.given++
		a.statements(r.queue[r.given-1])
	}
	a.closeConds(r)
	a.reader = outer
}

// fileLine returns the line of the file with the present text, or with the outermost expansion that it is part of.
func (a *assembler) fileLine() int32 {
	r := a.reader
	if r.at == nil {
		return r.line
	}
	return r.at.root().used
}

// root returns the outermost expansion.
func (e *expansion) root() *expansion {
	for e.outer != nil {
		e = e.outer
	}
	return e
}

// pieces splits a line, together with following ones if its statement spans them.
func (a *assembler) pieces(next []byte) {
	r := a.reader
	source, first := string(next), r.line
	text, inside := a.comments.strip(source, r.inside)
	for n := 0; a.target.Open != nil && n < maxSpan; n++ {
		next, ok := r.peek()
		if !ok {
			break
		}
		last := string(next)
		more, open := a.comments.strip(last, inside)
		if !a.target.Open(a.target, text, more) {
			break
		}
		r.take()
		text += strings.Repeat(" ", len(source)-len(text)) + "\n" + more // keeps the columns of the source
		source += "\n" + last
		inside = open
	}
	r.inside = inside
	r.queue, r.given = r.queue[:0], 0
	for from := 0; ; {
		end := a.comments.separator(text, from)
		if end < 0 {
			r.queue = append(r.queue, piece{text, source, from, first})
			return
		}
		r.queue = append(r.queue, piece{text[:end], source, from, first})
		from = end + 1
	}
}

// pull returns the next piece, for directives that take the lines up to an end of their own.
func (a *assembler) pull() (piece, bool) {
	r := a.reader
	for r.given == len(r.queue) {
		next, ok := r.take()
		if !ok {
			return piece{}, false
		}
		a.pieces(next)
	}
	r.given++
	return r.queue[r.given-1], true
}

// word returns the first word of a piece and where it begins.
func (p *piece) word() (w string, at int) {
	at = p.from + blanks(p.text[p.from:])
	return p.text[at : at+isa.WordLen(p.text[at:])], at
}

func writePlace(b *strings.Builder, e *expansion, line int32) {
	fmt.Fprintf(b, "line %d, in %s of line %d, used in line %d", line, e.what, e.begun, e.used)
}

// place returns the part of messages about the expansions of a statement that is written in a line of the file.
func (e *expansion) place(line int32) string {
	var b strings.Builder
	for n := 0; e != nil; n++ {
		if n < maxPlaces || e.outer == nil {
			if n > 0 {
				b.WriteString("\n    ")
			}
			writePlace(&b, e, line)
		} else if n == maxPlaces {
			b.WriteString("\n    ...")
		}
		line, e = e.used, e.outer
	}
	return b.String()
}

// maxPlaces limits the expansions that a message names.
const maxPlaces = 4
