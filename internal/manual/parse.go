package manual

import (
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

// Hex is the bytes that s spells as hexadecimal digits, in memory order, with blanks between them or
// without; false if s is something else.
func Hex(s string) ([]byte, bool) {
	s = strings.ReplaceAll(strings.Join(strings.Fields(s), ""), "_", "")
	s = strings.TrimPrefix(s, "0x")
	b, err := hex.DecodeString(s)
	return b, err == nil && len(b) > 0
}

// Parse reads what a user means by an instruction: its bytes in hexadecimal, its text, or a mnemonic
// alone, which stands for its first row with operands with which it can run.
func Parse(t *isa.Target, what string, b *isa.Bundle) error {
	what = strings.TrimSpace(what)
	err := read(t, what, b)
	if err == nil {
		return nil
	}
	for _, name := range [...]string{what, strings.ToLower(what)} {
		for _, d := range t.Rows(name) {
			if d.InVariant(t.Variant) && d.InStage(t.Stage) {
				*b = *bundleOf(t, sample(t, d))
				return nil
			}
		}
	}
	if t.Group != nil && isWord(what) {
		return &isa.Error{Code: isa.ErrMnemonic, Line: 1, Col: 1, Source: what, Msg: fmt.Sprintf("no instruction %q in %s", what, t.Name), Hint: "in text an instruction stands in its bundle, as dis prints it"}
	}
	return err
}

// read reads bytes or text. Digits that are no instruction may still be a mnemonic.
func read(t *isa.Target, what string, b *isa.Bundle) error {
	if code, ok := Hex(what); ok && len(code) >= t.Unit {
		return t.DecodeBundle(code, 0, b)
	}
	sc := isa.Scan{Target: t}
	sc.Reset(what, 0)
	err := sc.ParseBundle(b)
	if err == nil && !sc.End() {
		err = &isa.Error{Code: isa.ErrSyntax, Line: 1, Col: sc.Pos + 1, Source: sc.Line, Msg: "too much here for one instruction"}
	}
	return err
}

// isWord reports whether the text is one name, and no bytes.
func isWord(s string) bool {
	_, digits := Hex(s)
	return s != "" && !digits && strings.IndexFunc(s, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r == '.')
	}) < 0
}
