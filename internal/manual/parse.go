package manual

import (
	"encoding/hex"
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
	if code, ok := Hex(what); ok && len(code) >= t.Unit {
		return t.DecodeBundle(code, 0, b)
	}
	sc := isa.Scan{Target: t}
	sc.Reset(strings.TrimSpace(what), 0)
	err := sc.ParseBundle(b)
	if err == nil && !sc.End() {
		err = &isa.Error{Code: isa.ErrSyntax, Line: 1, Col: sc.Pos + 1, Source: sc.Line, Msg: "too much here for one instruction"}
	}
	if err == nil {
		return nil
	}
	for _, d := range t.Rows(strings.TrimSpace(what)) {
		if d.InVariant(t.Variant) && d.InStage(t.Stage) {
			*b = *bundleOf(t, sample(t, d))
			return nil
		}
	}
	return err
}
