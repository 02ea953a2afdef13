package isa

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/heddle-gpu/heddle/bits"
)

// An Error is a fault in an input and its place: a line of assembly, or an offset
// in machine code and the bits at fault.
type Error struct {
	Code      string // stable; tests and users match on it: see the Err constants
	File      string
	Line, Col int    // from 1, Col in bytes; Line is 0 for machine code
	Source    string // the line at fault, for the caret
	Off       uint64 // of the instruction, in bytes
	Word      bits.Word
	Size      int        // bytes of Word that are meant
	Bits      bits.Range // the bits at fault, if Size is not 0
	Msg       string     // subject first, lower case, no full stop
	Hint      string     // what to write instead, or ""
	Ref       string     // the section of docs/reference that states the broken rule, or ""
	Note      string     // the macro expansions that the line comes from, innermost first, or ""; may have several lines
}

// The codes of errors. An instruction that breaks a rule of its set has the rule's ID as code: see Rule.
const (
	ErrTruncated   = "truncated"   // the bytes end inside an instruction
	ErrInvalid     = "invalid"     // no instruction has these bits
	ErrReserved    = "reserved"    // a reserved value or reserved bits
	ErrIllegal     = "illegal"     // fields that are legal one by one, but not together
	ErrVariant     = "variant"     // exists, but not in this variant
	ErrStage       = "stage"       // exists, but not in this stage
	ErrUndefined   = "undefined"   // the manual gives no meaning
	ErrUnsupported = "unsupported" // has a meaning that is not built yet
	ErrMnemonic    = "mnemonic"    // no such instruction
	ErrOperand     = "operand"     // an operand that the instruction does not take
	ErrModifier    = "modifier"    // a modifier that the instruction does not take
	ErrRange       = "range"       // a number too large for its field
	ErrSyntax      = "syntax"
	ErrSymbol      = "symbol" // a label that is not defined, or twice
	ErrDirective   = "directive"
	ErrEncoding    = "encoding" // no public encoding, or one that the text does not stand for
	ErrLimit       = "limit"    // more output or more errors than allowed
)

// Error returns one line: place, message, code in brackets. A place in a text is written as compilers do, so that
// editors find it.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Line > 0 {
		fmt.Fprintf(&b, "%s:%d:%d: error: ", orDefault(e.File, "<text>"), e.Line, e.Col)
	} else if e.Size > 0 {
		fmt.Fprintf(&b, "%s+0x%x: ", orDefault(e.File, "code"), e.Off)
	}
	b.WriteString(e.Msg)
	if e.Line == 0 && e.Size > 0 {
		fmt.Fprintf(&b, " in %s", e.Word.Hex(e.Size))
	}
	fmt.Fprintf(&b, " [%s]", e.Code)
	return b.String()
}

// Detail returns the error with the source line, a caret under the place, and the hint.
func (e *Error) Detail() string {
	var b strings.Builder
	b.WriteString(e.Error())
	if e.Source != "" && e.Col > 0 {
		source, before := e.excerpt()
		b.WriteString("\n    " + source + "\n    ")
		for _, c := range before {
			if c == '\t' {
				b.WriteByte('\t')
			} else {
				b.WriteByte(' ')
			}
		}
		b.WriteByte('^')
	}
	if e.Hint != "" {
		b.WriteString("\n    " + e.Hint)
	}
	if e.Ref != "" {
		b.WriteString("\n    see " + e.Ref)
	}
	if e.Note != "" {
		b.WriteString("\n    " + e.Note)
	}
	return b.String()
}

// maxExcerpt is how many bytes of a source line are shown on each side of the caret.
const maxExcerpt = 200

// excerpt returns the part of the source line that is shown, and the part of it before the caret. Control characters,
// which a terminal would obey, are replaced by a mark of the same width.
func (e *Error) excerpt() (source, before string) {
	at := min(e.Col-1, len(e.Source))
	from, to := 0, len(e.Source)
	left, right := "", ""
	if at > maxExcerpt {
		for from = at - maxExcerpt; from < at && !utf8.RuneStart(e.Source[from]); from++ {
		}
		left = "..."
	}
	if to-at > maxExcerpt {
		for to = at + maxExcerpt; to > at && !utf8.RuneStart(e.Source[to]); to-- {
		}
		right = "..."
	}
	before = left + plain(e.Source[from:at])
	return before + plain(e.Source[at:to]) + right, before
}

// plain returns a one-line text without control characters.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\t' && !unicode.IsPrint(r) {
			return '\uFFFD'
		}
		return r
	}, s)
}

// maxQuoted is how many bytes of a message are kept on each side of what Clip leaves out.
const maxQuoted = 300

// Clip shortens a message, hint or note that quotes a long text by cutting out the middle.
func (e *Error) Clip() {
	for _, s := range []*string{&e.Msg, &e.Hint, &e.Note} {
		if len(*s) <= 2*maxQuoted+len(" ... ") {
			continue
		}
		from, to := maxQuoted, len(*s)-maxQuoted
		for from > 0 && !utf8.RuneStart((*s)[from]) {
			from--
		}
		for to < len(*s) && !utf8.RuneStart((*s)[to]) {
			to++
		}
		*s = (*s)[:from] + " ... " + (*s)[to:]
	}
}

func orDefault(s, d string) string {
	if s == "" {
		return d
	}
	return s
}

// AsError returns err as an *Error; code of an instruction set may return other types.
func AsError(err error) *Error {
	if e, ok := err.(*Error); ok {
		return e
	}
	return &Error{Code: ErrSyntax, Col: 1, Msg: err.Error()}
}
