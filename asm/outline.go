package asm

import (
	"bytes"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

// An Outline is the structure of a file of assembly by its lines, before macros, conditions and instructions are
// read: what editors show of a text that may have errors. Positions are offsets in the file, in bytes.
type Outline struct {
	Text     []byte // the file with comments, and carriage returns at ends of lines, replaced by blanks
	Pieces   []Piece
	Comments []Extent // one per line

	targets []targetFrom // in order
}

// A targetFrom is the target of the pieces from one on.
type targetFrom struct {
	piece  int
	target *isa.Target
}

// Target returns the target of a piece, as selected by the .isa, .dialect and .option before it.
func (o *Outline) Target(piece int) *isa.Target {
	n := len(o.targets) - 1
	for n > 0 && o.targets[n].piece > piece {
		n--
	}
	if n < 0 {
		return nil
	}
	return o.targets[n].target
}

// An Extent is a run of bytes of a file.
type Extent struct{ From, To int }

// A Piece is a label, or one statement. Its text has no blanks around it. Name is that of the label, directive, macro
// or symbol at its start, or the mnemonic if nothing precedes it.
type Piece struct {
	Extent
	Kind PieceKind
	Name int // length in bytes of the name at the start of the text; see Piece
	Body int // index of the .macro or repetition whose body contains it; -1: none
}

// A PieceKind says what a piece is.
type PieceKind uint8

const (
	PieceInstruction PieceKind = iota
	PieceLabel
	PieceAssignment // NAME = EXPR
	PieceDirective
	PieceMacro // a use
	PieceData  // a line of a text that the directives of a BlockRow enclose
)

// An outliner is the state after the lines read so far.
type outliner struct {
	*Outline
	target   *isa.Target
	format   *Format
	comments *comments
	macros   map[string]bool
	bodies   []int  // open pieces
	end      string // of the open block, or ""
	seen     int    // bytes whose comments have been blanked
	inside   bool   // a block comment is open after them
}

// NewOutline reads the lines of a file for the target; format is that of a program, or nil. It never fails.
func NewOutline(t *isa.Target, format *Format, src []byte) *Outline {
	o := &outliner{Outline: &Outline{Text: bytes.Clone(src)}, target: t, format: format, comments: newComments(t.Lexis()), macros: map[string]bool{}}
	o.Pieces = make([]Piece, 0, bytes.Count(src, []byte{'\n'})+1)
	o.retarget(t)
	for at := 0; at < len(src); {
		end := o.line(at)
		for n := 0; t.Open != nil && n < maxSpan && end+1 < len(src); n++ {
			last := o.line(end + 1)
			if !t.Open(o.target, string(o.Text[at:end]), string(o.Text[end+1:last])) {
				break
			}
			end = last
		}
		o.statements(at, end)
		at = end + 1
	}
	return o.Outline
}

// line returns the end of the line that begins at a position, after replacing its comments by blanks.
func (o *outliner) line(at int) int {
	end := len(o.Text)
	if n := bytes.IndexByte(o.Text[at:], '\n'); n >= 0 {
		end = at + n
	}
	if at < o.seen {
		return end // it was read to see whether a statement continues there
	}
	o.seen = end + 1
	if end > at && o.Text[end-1] == '\r' {
		o.Text[end-1] = ' '
	}
	if plain, ok := o.comments.code(o.Text[at:end]); ok && !o.inside && !cutIn(o.Text[at:end]) {
		o.comment(at+len(plain), end)
		return end
	}
	line := string(o.Text[at:end])
	text, inside := o.comments.strip(line, o.inside)
	o.inside = inside
	from := -1 // of the open comment, in line
	for i := range len(text) {
		switch {
		case text[i] != line[i] && from < 0:
			from = i
		case text[i] != ' ' && from >= 0:
			o.comment(at+from, at+i)
			from = -1
		}
	}
	if from < 0 {
		from = len(text)
	}
	o.comment(at+from, end)
	return end
}

// comment records a comment and replaces it by blanks.
func (o *outliner) comment(from, to int) {
	from += len(o.Text[from:to]) - len(bytes.TrimLeft(o.Text[from:to], " \t"))
	to = from + len(bytes.TrimRight(o.Text[from:to], " \t"))
	if from == to {
		return
	}
	o.Comments = append(o.Comments, Extent{from, to})
	for i := from; i < to; i++ {
		if o.Text[i] != '\n' {
			o.Text[i] = ' '
		}
	}
}

// statements finds the pieces of a line, or of several lines that are one statement.
func (o *outliner) statements(at, end int) {
	text := string(o.Text[at:end])
	if o.end != "" {
		o.data(at, text)
		return
	}
	for from := 0; ; {
		part := o.comments.separator(text, from)
		if part < 0 {
			o.statement(at, text, from)
			return
		}
		o.statement(at, text[:part], from)
		from = part + 1
	}
}

// data takes a line of a block.
func (o *outliner) data(at int, text string) {
	word := strings.TrimSpace(text)
	p := Piece{Extent: extentOf(at, text, 0), Kind: PieceData, Body: -1}
	if strings.EqualFold(word, o.end) {
		p.Kind, p.Name, o.end = PieceDirective, len(word), ""
	}
	if p.From < p.To {
		o.Pieces = append(o.Pieces, p)
	}
}

// extentOf returns the text from a position on, without blanks around it; at is where text begins in the file.
func extentOf(at int, text string, from int) Extent {
	to := len(strings.TrimRight(text, " \t\n"))
	for from < to && strings.IndexByte(" \t\n", text[from]) >= 0 {
		from++
	}
	return Extent{at + from, at + max(from, to)}
}

// statement takes labels, and what follows them.
func (o *outliner) statement(at int, text string, from int) {
	from = pastLabels(text, from, func(name string, col int) bool {
		o.add(Piece{Extent: Extent{at + col, at + col + len(name)}, Kind: PieceLabel, Name: len(name)})
		return true
	})
	p := Piece{Extent: extentOf(at, text, from)}
	if p.From == p.To {
		return
	}
	rest := text[p.From-at : p.To-at]
	if o.comments.starting(rest) {
		o.comment(p.From, p.To)
		return
	}
	p.Name = isa.WordLen(rest)
	word := rest[:p.Name]
	after := p.Name + blanks(rest[p.Name:])
	switch {
	case p.Name > 0 && after < len(rest) && rest[after] == '=' && isName(word):
		p.Kind = PieceAssignment
	case o.macros[word]:
		p.Kind = PieceMacro
	case p.Name > 1 && word[0] == '.':
		p.Kind = PieceDirective
	}
	o.add(p)
	if p.Kind == PieceDirective {
		o.directive(strings.ToLower(word), rest[after:])
	}
}

func (o *outliner) add(p Piece) {
	p.Body = -1
	if n := len(o.bodies); n > 0 {
		p.Body = o.bodies[n-1]
	}
	o.Pieces = append(o.Pieces, p)
}

// directive tracks directives that change the syntax of the lines after them.
func (o *outliner) directive(word, rest string) {
	name := rest[:isa.WordLen(rest)]
	switch word {
	case ".macro":
		o.macros[name] = true
		o.bodies = append(o.bodies, len(o.Pieces)-1)
	case ".rept", ".rep", ".irp", ".irpc":
		o.bodies = append(o.bodies, len(o.Pieces)-1)
	case ".endm", ".endmacro", ".endr":
		if n := len(o.bodies); n > 0 {
			o.bodies = o.bodies[:n-1]
		}
	case ".purgem":
		for _, m := range strings.Split(rest, ",") {
			delete(o.macros, strings.TrimSpace(m))
		}
	case ".isa", ".dialect", ".option":
		t := selected(o.target, word, rest)
		if t == nil {
			return
		}
		o.retarget(t)
		if word == ".dialect" {
			o.comments = newComments(t.Lexis())
		}
	default:
		o.block(word)
	}
}

// block tracks a directive that opens a block of text.
func (o *outliner) block(word string) {
	if o.format == nil {
		return
	}
	for _, b := range o.format.Blocks {
		if b.Name == word {
			o.end = b.End
		}
	}
}

// retarget switches to another target.
func (o *outliner) retarget(t *isa.Target) {
	o.target = t
	o.targets = append(o.targets, targetFrom{len(o.Pieces), t})
}

// selected returns the target after .isa, .dialect or .option (in lower case) with its operands; nil if the directive
// is another one, or has an error, which the assembler reports.
func selected(t *isa.Target, word, rest string) *isa.Target {
	name := rest[:isa.WordLen(rest)]
	dialect, options := t.Dialect, map[string]string(nil)
	switch word {
	case ".isa":
		return selectedSet(t, strings.Fields(rest))
	case ".dialect":
		d, ok := t.Set.Arch.Dialect(name)
		if !ok || name == "" {
			return nil
		}
		dialect = d
	case ".option":
		option, value, ok := strings.Cut(strings.TrimSpace(rest), "=")
		if !ok {
			return nil
		}
		options = map[string]string{strings.TrimSpace(option): strings.TrimSpace(value)}
	default:
		return nil
	}
	if own, err := t.With(dialect, options); err == nil {
		return own
	}
	return nil
}

// selectedSet returns the target after .isa NAME[:VARIANT] [STAGE], or nil.
func selectedSet(t *isa.Target, words []string) *isa.Target {
	if len(words) == 0 {
		return nil
	}
	name, variant, given := strings.Cut(words[0], ":")
	if !strings.EqualFold(name, t.Set.Name) { // the variant alone
		variant, given = words[0], true
	}
	v, ok := t.Set.Arch.Variant(variant)
	if given && !ok {
		return nil
	}
	st := t.Stage
	if !given {
		v = t.Variant
	}
	if len(words) > 1 {
		if n, ok := t.Set.Arch.Stage(words[1]); ok {
			st = n
		}
	}
	return t.Move(v, st)
}
