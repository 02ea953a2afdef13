package manual

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

// Hex returns the bytes of hexadecimal digits, in memory order, with or without blanks between them; false if s is
// something else.
func Hex(s string) ([]byte, bool) {
	s = strings.ReplaceAll(strings.Join(strings.Fields(s), ""), "_", "")
	s = strings.TrimPrefix(s, "0x")
	b, err := hex.DecodeString(s)
	return b, err == nil && len(b) > 0
}

// Swapped returns the bytes with the order reversed in each word of 32 bits: comments of listings print words, not
// memory order. It returns false if the bytes are not whole words, or are symmetric.
func Swapped(code []byte) ([]byte, bool) {
	if len(code)%4 != 0 {
		return nil, false
	}
	other := slices.Clone(code)
	for i := 0; i < len(other); i += 4 {
		slices.Reverse(other[i : i+4])
	}
	return other, !bytes.Equal(code, other)
}

// maxCandidates limits the mnemonics listed for one that does not exist.
const maxCandidates = 12

// Candidates returns the mnemonics of the target that begin with a word, or else similar ones.
func Candidates(t *isa.Target, word string) (names []string) {
	word = strings.ToLower(word)
	all := t.Mnemonics()
	for _, name := range all {
		if word != "" && strings.HasPrefix(strings.ToLower(name), word) {
			names = append(names, name)
		}
	}
	for len(names) < 4 {
		near := isa.Nearest(word, all)
		if near == "" {
			break
		}
		if all = slices.DeleteFunc(all, func(s string) bool { return s == near }); !slices.Contains(names, near) {
			names = append(names, near)
		}
	}
	if n := len(names); n > maxCandidates {
		names = append(names[:maxCandidates], fmt.Sprintf("and %d more", n-maxCandidates))
	}
	return names
}

// Parse reads an instruction as a user writes it: its bytes in hexadecimal, its text, or only a mnemonic, which selects
// its first row with operands with which it can run.
func Parse(t *isa.Target, what string, b *isa.Bundle) error {
	what = strings.TrimSpace(what)
	err := read(t, what, b)
	if err == nil {
		return nil
	}
	for _, name := range [...]string{what, strings.ToLower(what)} {
		for _, d := range t.Rows(name) {
			if d.InVariant(t.Variant) && d.InStage(t.Stage) {
				*b = *bundleOf(t, illustrated(t, d))
				return nil
			}
		}
	}
	if t.Group != nil && isWord(t, what) {
		return &isa.Error{Code: isa.ErrMnemonic, Line: 1, Col: 1, Source: what, Msg: fmt.Sprintf("no instruction %q in %s", what, t.Name), Hint: "in text, write an instruction in its bundle, as dis prints it"}
	}
	if e := t.Unknown(what); e.Hint != "" && t.Foreign != nil && isWord(t, what) && len(t.Rows(what)) == 0 {
		if msg, hint := t.Foreign(t, what, ""); msg+hint != "" {
			return e
		}
	}
	if strings.IndexFunc(what, noLetter) < 0 {
		if names := Candidates(t, what); len(names) > 0 {
			return &isa.Error{Code: isa.ErrMnemonic, Line: 1, Col: 1, Source: what, Msg: fmt.Sprintf("no instruction %q in %s", what, t.Name), Hint: "did you mean " + strings.Join(names, ", ") + "?"}
		}
	}
	return err
}

// read reads bytes or text. Digits that do not decode may still be a mnemonic.
func read(t *isa.Target, what string, b *isa.Bundle) error {
	if code, ok := Hex(what); ok && len(code) >= t.Unit {
		return t.DecodeBundle(code, 0, b)
	}
	return t.Parse(what, 0, b)
}

// isWord reports whether the text is one name and not bytes; fadd is too short for bytes.
func isWord(t *isa.Target, s string) bool {
	code, digits := Hex(s)
	return s != "" && (!digits || len(code) < t.Unit) && strings.IndexFunc(s, noLetter) < 0
}

// noLetter reports whether a rune cannot occur in a mnemonic.
func noLetter(r rune) bool {
	return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r == '.')
}

// Pages returns the pages of an instruction: one, or two if bytes decode in both orders of their words.
func Pages(t *isa.Target, what string, mode uint32) (pages []*Page, err error) {
	code, bytes := Hex(what)
	var b isa.Bundle
	if err = Parse(t, what, &b); err == nil {
		pages = append(pages, PageOf(t, &b, mode))
		pages[0].first(strings.TrimSpace(what))
	}
	if !bytes || len(code) < t.Unit {
		return pages, err
	}
	swapped, ok := Swapped(code)
	var other isa.Bundle
	if !ok || t.DecodeBundle(swapped, 0, &other) != nil {
		return pages, err
	}
	if err == nil && b.Size() == len(code) && other.Size() != len(code) {
		return pages, nil // the digits decode in memory order, and not in the other
	}
	pg := PageOf(t, &other, mode)
	if pg.Order = "In memory order these bytes are no instruction. Read as words, the highest byte first, as listings print them:"; err == nil {
		pages[0].Order = "In memory order:"
		pg.Order = "Read as words, the highest byte first, as listings print them:"
	}
	return append(pages, pg), nil
}
