package manual

import (
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/all"
)

// A TermPage is what is known of a register, a counter or a special operand.
type TermPage struct {
	ISA      string    `json:"isa"`
	Variant  string    `json:"variant"`
	Name     string    `json:"name"`
	Size     string    `json:"size"`
	Doc      string    `json:"doc"`
	Source   string    `json:"source,omitempty"`
	Sections []Section `json:"sections,omitempty"`
}

// TermOf is the page of what a word names in a target; nil if it names nothing. The error is of a register number that there is not.
func TermOf(t *isa.Target, word string) (*TermPage, error) {
	m, err := t.Term(word)
	if m == nil || err != nil {
		return nil, err
	}
	return &TermPage{ISA: t.Name, Variant: t.Variants[t.Variant].Name, Name: strings.ToLower(strings.TrimSpace(word)), Size: m.Size, Doc: m.Doc,
		Source: m.Source, Sections: sections(m.Source)}, nil
}

// Render is the page for a terminal.
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

// Terms are the pages of what a word names in any set, in the default variant of each or, if that has no such name, the first that has.
func Terms(word string) (list []*TermPage) {
	for _, s := range all.Sets() {
		for v := range s.Variants {
			if pg, err := TermOf(s.At(v, 0), word); err == nil && pg != nil {
				list = append(list, pg)
				break
			}
		}
	}
	return list
}

// WrongTerms are the errors of a word that has the form of a register with a number that no set has, one of each set.
func WrongTerms(word string) (list []error) {
	for _, s := range all.Sets() {
		if _, err := TermOf(s.At(0, 0), word); err != nil {
			list = append(list, err)
		}
	}
	return list
}

// Elsewhere is what sets say of a mnemonic of other tools or generations, by their full names.
func Elsewhere(what string) (list []Reading) {
	for _, s := range all.Sets() {
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

// A Reading is what an instruction may be in a set, if none is named.
type Reading struct {
	Target *isa.Target
	Text   string
	Order  string // of the bytes of a word, if it is not that of memory
}

// Readings are the sets in which something is an instruction: bytes, in either order of each word, text, or a mnemonic. There is one of
// each set and order: of the first variant and stage in which it is one. clean is the text without what listings add to it.
func Readings(what string, clean func(t *isa.Target, what string) string) (list []Reading) {
	code, isBytes := Hex(what)
	for _, s := range all.Sets() {
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

// whole is the text of bytes that are one instruction, and no more.
func whole(t *isa.Target, code []byte) (string, bool) {
	var b isa.Bundle
	if len(code) < t.Unit || t.DecodeBundle(code, 0, &b) != nil || b.Size() != len(code) {
		return "", false
	}
	return strings.Join(strings.Fields(string(t.Print(nil, &b))), " "), true
}

// mnemonicOf is a text that a target takes, or one of an instruction that has the mnemonic.
func mnemonicOf(t *isa.Target, what string) (string, bool) {
	var b isa.Bundle
	if Parse(t, what, &b) != nil {
		return "", false
	}
	return strings.Join(strings.Fields(string(t.Print(nil, &b))), " "), true
}
