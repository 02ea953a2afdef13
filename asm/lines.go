package asm

import (
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

// DisLine is the text of the one instruction, or group, whose bytes the line gives in memory order as hexadecimal digits.
func DisLine(t *isa.Target, line string) (string, error) {
	code, err := hex.DecodeString(strings.Join(strings.Fields(line), ""))
	if err != nil || len(code) == 0 {
		return "", &isa.Error{Code: isa.ErrSyntax, Msg: "an even number of hexadecimal digits is expected"}
	}
	var b isa.Bundle
	if err := t.DecodeBundle(code, 0, &b); err != nil {
		return "", err
	}
	if n := b.Size(); n < len(code) {
		return "", &isa.Error{Code: isa.ErrInvalid, Msg: fmt.Sprintf("%d bytes, where the instruction has %d", len(code), n)}
	}
	return string(t.Print(nil, &b)), nil
}

// Line is the inverse of DisLine: the bytes of the one instruction, or group, that the line holds.
func Line(t *isa.Target, line string) (string, error) {
	comments, inside, text := newComments(t.Comments), false, ""
	for line := range strings.Lines(line) {
		var part string
		part, inside = comments.strip(strings.TrimRight(line, "\r\n"), inside)
		text += part + "\n"
	}
	var b isa.Bundle
	if err := t.Parse(strings.TrimRight(text, " \t\r\n"), 0, &b); err != nil {
		return "", err
	}
	code, err := b.Encode(nil)
	if err != nil {
		return "", err
	}
	return hex.EncodeToString(code), nil
}
