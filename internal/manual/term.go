package manual

import (
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/isa"
)

// A TermPage describes a register, a counter or a special operand.
type TermPage struct {
	ISA      string    `json:"isa"`
	Variant  string    `json:"variant"`
	Name     string    `json:"name"`
	Size     string    `json:"size"`
	Doc      string    `json:"doc"`
	Source   string    `json:"source,omitempty"`
	Sections []Section `json:"sections,omitempty"`
}

// TermOf returns the page of the register or operand that a word names in a target; nil if it names none. The error
// reports a register number that does not exist.
func TermOf(t *isa.Target, word string) (*TermPage, error) {
	m, err := t.Term(word)
	if m == nil || err != nil {
		return nil, err
	}
	return &TermPage{ISA: t.Name, Variant: t.Variants[t.Variant].Name, Name: strings.ToLower(strings.TrimSpace(word)), Size: m.Size, Doc: m.Doc,
		Source: m.Source, Sections: sections(m.Source)}, nil
}

// Render returns the page for a terminal.
func (pg *TermPage) Render(c Paint) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s, %s:%s\n", apply(c.Head, pg.Name), pg.Size, pg.ISA, pg.Variant)
	for _, line := range Wrap(pg.Doc, wrapAt) {
		fmt.Fprintf(&b, "%s\n", line)
	}
	for _, sec := range pg.Sections {
		fmt.Fprintf(&b, "%s: %s\n  %s\n", apply(c.Head, "Source"), sec.Title, apply(c.Dim, sec.Path))
	}
	return b.String()
}

// Terms returns the pages of a word in all sets: for the default variant of each or, if that has no such name, for the
// first variant that has.
func Terms(word string) (list []*TermPage) {
	for _, s := range sets.Sets() {
		for v := range s.Variants {
			if pg, err := TermOf(s.At(v, 0), word); err == nil && pg != nil {
				list = append(list, pg)
				break
			}
		}
	}
	return list
}

// WrongTerms returns one error per set for a word that looks like a register but has a number that no set has.
func WrongTerms(word string) (list []error) {
	for _, s := range sets.Sets() {
		if _, err := TermOf(s.At(0, 0), word); err != nil {
			list = append(list, err)
		}
	}
	return list
}

// Elsewhere returns what sets say about a mnemonic of other tools or generations, by their full names.
func Elsewhere(what string) (list []Reading) {
	for _, s := range sets.Sets() {
		t := s.At(0, 0)
		if s.Foreign == nil || !isWord(t, what) {
			continue
		}
		msg, hint := s.Foreign(t, what, "")
		if text := strings.TrimPrefix(msg+"; "+hint, "; "); msg+hint != "" {
			list = append(list, Reading{Target: t, Text: strings.TrimSuffix(text, "; ")})
		}
	}
	return list
}

// A Reading is a possible interpretation of an instruction, if no set is given.
type Reading struct {
	Target *isa.Target
	Text   string
	Order  string // of the bytes of a word, if not memory order
}

// Readings returns the sets in which something is an instruction: bytes, in either order of each word, text, or a
// mnemonic. There is one reading per set and order: for the first variant and stage in which it is an instruction.
// clean returns the text without what listings add.
func Readings(what string, clean func(t *isa.Target, what string) string) (list []Reading) {
	code, isBytes := Hex(what)
	for _, s := range sets.Sets() {
		for _, order := range [...]string{"", "words with the highest byte first"} {
			read := func(t *isa.Target) (string, bool) { return mnemonicOf(t, clean(t, what)) }
			if isBytes {
				code := code
				if order != "" {
					var ok bool
					if code, ok = Swapped(code); !ok {
						continue
					}
				}
				read = func(t *isa.Target) (string, bool) { return whole(t, code) }
			} else if order != "" {
				continue
			}
			if r := firstReading(s, read); r != nil {
				r.Order = order
				list = append(list, *r)
			}
		}
	}
	return list
}

func firstReading(s *isa.Set, read func(t *isa.Target) (string, bool)) *Reading {
	for v := range s.Variants {
		for st := range max(1, len(s.Stages)) {
			t := s.At(v, st)
			if text, ok := read(t); ok {
				return &Reading{Target: t, Text: text}
			}
		}
	}
	return nil
}

// whole returns the text of bytes that are exactly one instruction.
func whole(t *isa.Target, code []byte) (string, bool) {
	var b isa.Bundle
	if len(code) < t.Unit || t.DecodeBundle(code, 0, &b) != nil || b.Size() != len(code) {
		return "", false
	}
	return strings.Join(strings.Fields(string(t.Print(nil, &b))), " "), true
}

// mnemonicOf returns a text that a target accepts, or that of an instruction with the mnemonic.
func mnemonicOf(t *isa.Target, what string) (string, bool) {
	var b isa.Bundle
	if Parse(t, what, &b) != nil {
		return "", false
	}
	return strings.Join(strings.Fields(string(t.Print(nil, &b))), " "), true
}
