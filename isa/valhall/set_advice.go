package valhall

import (
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

// advise returns a replacement for text that no row accepts; it is tried.
func advise(s *isa.Scan, _ *isa.Def, e *isa.Error) string {
	at := e.Col - 1
	if at < 0 || at >= len(s.Line) {
		return ""
	}
	n := isa.WordLen(s.Line[at:])
	word := s.Line[at : at+n]
	switch {
	case n == 0:
		return ""
	case strings.HasPrefix(e.Msg, fmt.Sprintf("%q: a constant is written by its bits", word)):
		return ""
	case word[0] >= '0' && word[0] <= '9':
		if text := immediateForm(s.Line[:at], word, s.Line[at+n:]); text != "" && s.Takes(text) {
			return fmt.Sprintf("an instruction that holds it: %q", text)
		}
		if text := "IADD_IMM.i32 r0, 0x0, #" + word; strings.Contains(e.Msg, "constant table") && s.Takes(text) {
			return fmt.Sprintf("IADD_IMM moves it to a register, for example %q", text)
		}
	case e.Code == isa.ErrIllegal && strings.Contains(e.Msg, "pages"):
		if text := "MOV.i32 r0, " + word; s.Takes(text) {
			return fmt.Sprintf("MOV moves one to a register, for example %q", text)
		}
	}
	return ""
}

// immediateForm is the text of the instruction with its second source as a constant, for text with only two sources; ""
// if there is none.
func immediateForm(before, word, behind string) string {
	name, operands, ok := strings.Cut(strings.TrimSpace(before), " ")
	stem, suffixes, dotted := strings.Cut(name, ".")
	if !ok || !dotted || strings.TrimSpace(behind) != "" || strings.Count(operands, ",") != 2 {
		return ""
	}
	if stem == "IADD" { // sums have no signedness
		suffixes = strings.NewReplacer("u32", "i32", "s32", "i32").Replace(suffixes)
	}
	return stem + "_IMM." + suffixes + " " + operands + " #" + word
}
