package isa

import (
	"encoding/hex"
	"fmt"
	"strings"
)

// DisLine is the text of the one instruction, or group, whose bytes the line gives in memory order as hexadecimal digits.
func (d *Decoder) DisLine(line string) (string, error) {
	code, err := hex.DecodeString(strings.Join(strings.Fields(line), ""))
	if err != nil || len(code) == 0 {
		return "", &Error{Code: ErrSyntax, Msg: "an even number of hexadecimal digits is expected"}
	}
	var b Bundle
	if err := d.DecodeBundle(code, 0, &b); err != nil {
		return "", err
	}
	if n := b.Size(); n < len(code) {
		return "", &Error{Code: ErrInvalid, Msg: fmt.Sprintf("%d bytes, where the instruction has %d", len(code), n)}
	}
	var p Printer
	return string(p.AppendBundle(nil, d.Set, &b)), nil
}

// AsmLine is the inverse of DisLine: the bytes of the one instruction, or group, that the line holds.
func (s *Set) AsmLine(variant, stage int, line string) (string, error) {
	text, _ := s.comments.strip(line, false)
	sc := Scan{Set: s}
	sc.Reset(strings.TrimRight(text, " \t\r\n"), 0)
	var b Bundle
	if err := sc.ParseBundle(variant, stage, &b); err != nil {
		return "", err
	}
	code, err := b.Encode(nil)
	if err != nil {
		return "", err
	}
	return hex.EncodeToString(code), nil
}
