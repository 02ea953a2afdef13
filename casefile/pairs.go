package casefile

import (
	"encoding/hex"
	"io"
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/heddle-gpu/heddle/internal/jsonfile"
)

// A Pair is one row of a table of encodings: a claim about some bytes and a text.
type Pair struct {
	ISA     string // gcn
	Variant string // gfx8; empty if the column names none
	Stage   string // vp, gp, fp, cp; empty for -
	Hex     string // lower case, in memory order; empty for -
	Text    string // empty for -
	Flags   string // one or more of the letters of Has
	Note    string
	Line    int
}

// Has is whether the row makes a claim:
//
//	D  decoding Hex gives exactly Text
//	A  assembling Text gives exactly Hex
//	B  Hex decodes and encodes to itself; Text is no claim
//	X  the decoder must reject Hex
//	U  Hex decodes, a lint must report unknown or reserved bits
//	R  the assembler must reject Text
func (p *Pair) Has(flag byte) bool { return strings.IndexByte(p.Flags, flag) >= 0 }

// Said returns the value of a key in the note, which consists of key=value pieces; empty if it is missing.
func (p *Pair) Said(key string) string {
	for piece := range strings.SplitSeq(p.Note, ";") {
		if k, v, ok := strings.Cut(strings.TrimSpace(piece), "="); ok && k == key {
			return v
		}
	}
	return ""
}

// Code returns Hex as bytes.
func (p *Pair) Code() []byte {
	b, _ := hex.DecodeString(p.Hex) // checked when the row was read
	return b
}

// flagNeeds returns what a flag requires of each column; a hyphen means that the column must be -.
func flagNeeds(flag byte) (hex, text string, known bool) {
	switch flag {
	case 'D', 'A':
		return "needed", "needed", true
	case 'B', 'X', 'U':
		return "needed", "", true
	case 'R':
		return "-", "needed", true
	}
	return "", "", false
}

const pairColumns = "#isa\tstage\thex\ttext\tflags\tnote"

// Pairs reads a table, plain or gzip. An invalid row yields an *Error and reading continues with the next; an error
// after which it cannot continue (bad header, broken gzip) comes last.
func Pairs(r io.Reader, file string) iter.Seq2[Pair, error] {
	return func(yield func(Pair, error) bool) {
		l, err := newLines(r, file)
		if err != nil {
			yield(Pair{}, err)
			return
		}
		head, err := l.next()
		if err != nil && err != io.EOF {
			yield(Pair{}, err)
			return
		}
		if string(head) != pairColumns {
			yield(Pair{}, l.fail("syntax", "header is %q, want %q", jsonfile.Clip(string(head)), pairColumns))
			return
		}
		for {
			line, err := l.next()
			if err == io.EOF {
				return
			}
			if err != nil {
				yield(Pair{}, err)
				return
			}
			if len(line) == 0 {
				continue
			}
			p, bad := readPair(l, string(line))
			if bad != nil {
				err = bad
			}
			if !yield(p, err) {
				return
			}
			if bad == nil {
				continue
			}
			if err := l.spoiled(); err != nil {
				yield(Pair{}, err)
				return
			}
		}
	}
}

// readPair reads a row and checks that it is consistent with its flags.
func readPair(l *lines, line string) (Pair, *Error) {
	col := strings.Split(line, "\t")
	if len(col) != 6 {
		return Pair{}, l.fail("syntax", "%d columns, want 6", len(col))
	}
	if !utf8.ValidString(line) {
		return Pair{}, l.fail("syntax", "row is not UTF-8")
	}
	p := Pair{Stage: dash(col[1]), Hex: dash(col[2]), Text: dash(col[3]), Flags: col[4], Note: col[5], Line: l.n}
	p.ISA, p.Variant, _ = strings.Cut(col[0], ":")
	if p.ISA == "" {
		return p, l.fail("value", "no isa")
	}
	if !jsonfile.IsHex(p.Hex) {
		return p, l.fail("value", "hex is %q, want pairs of 0-9a-f", jsonfile.Clip(p.Hex))
	}
	if p.Flags == "" {
		return p, l.fail("value", "no flags")
	}
	for i := range len(p.Flags) {
		hex, text, known := flagNeeds(p.Flags[i])
		switch {
		case !known:
			return p, l.fail("value", "flag %q is not known, want some of D A B X U R", p.Flags[i])
		case strings.IndexByte(p.Flags[:i], p.Flags[i]) >= 0:
			return p, l.fail("value", "flag %q is given twice", p.Flags[i])
		case hex == "needed" && p.Hex == "":
			return p, l.fail("value", "flag %c needs hex", p.Flags[i])
		case hex == "-" && p.Hex != "":
			return p, l.fail("value", "flag %c allows no hex, found %s", p.Flags[i], jsonfile.Clip(p.Hex))
		case text == "needed" && p.Text == "":
			return p, l.fail("value", "flag %c needs text", p.Flags[i])
		}
	}
	return p, nil
}

// dash reads a column in which - means empty.
func dash(s string) string {
	if s == "-" {
		return ""
	}
	return s
}
