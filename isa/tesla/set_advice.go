package tesla

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

// swapping are instructions whose two sources may be swapped.
var swapping = [...]string{"add", "mul", "and", "or", "xor", "min", "max"}

// advise returns a text that would be accepted in place of one that no row fits: it is tried.
func advise(s *isa.Scan, _ *isa.Def, e *isa.Error) string {
	at := e.Col - 1
	if at < 0 || at >= len(s.Line) {
		return ""
	}
	n := strings.IndexAny(s.Line[at:], " \t")
	if n < 0 {
		n = len(s.Line) - at
	}
	word, with := s.Line[at:at+n], func(other string) string { return s.Line[:at] + other + s.Line[at+n:] }
	if text := alone(s, s.Line); s.Long && text != "" && s.Takes(s.Line) {
		return fmt.Sprintf("its short form needs a second short instruction next to it; a long form: %q", text)
	}
	if rest, ok := strings.CutPrefix(strings.TrimSpace(s.Line), "fma "); ok && strings.Contains(rest, "f32") {
		return fmt.Sprintf("fma is of f64; of f32 there is %q, which truncates the product to 24 bits before it adds", "add f32 $r0 (mul $r1 $r2) $r3")
	}
	if hint := fromNotes(s); hint != "" {
		return hint
	}
	if hint := missingType(s); hint != "" {
		return hint
	}
	if strings.HasPrefix(word, "c") || strings.Contains(word, "[") {
		return secondSource(s, word)
	}
	if e.Code == isa.ErrRange || word == "" || word[0] < '0' || word[0] > '9' {
		return ""
	}
	if f, err := strconv.ParseFloat(word, 32); err == nil && strings.Contains(word, ".") {
		if text := with(fmt.Sprintf("%#x", math.Float32bits(float32(f)))); s.Takes(text) {
			return fmt.Sprintf("a constant is written by its bits: %q", text)
		}
		return ""
	}
	if text := "mov b32 $r0 " + word; s.Takes(text) && s.Takes(with("$r0")) {
		return fmt.Sprintf("mov moves it to a register, for example %q", text)
	}
	return ""
}

// alone returns the text of an instruction that needs no partner: unchanged, or with its rounding, which short forms
// do not show; "": there is none.
func alone(s *isa.Scan, text string) string {
	for _, x := range [...]string{text, strings.Replace(text, "f32", "rn f32", 1)} {
		if s.Takes("long " + x) {
			return x
		}
	}
	return ""
}

// longText returns the text of the long form of an instruction that is written in its short form.
func longText(s *isa.Scan, text string) string {
	if x := alone(s, text); x != "" {
		return "long " + x
	}
	return ""
}

// secondSource returns a hint that memory may be the other source.
func secondSource(s *isa.Scan, word string) string {
	words := strings.Fields(s.Line)
	i := slices.Index(words, word)
	if i < 0 || i != len(words)-2 || !slices.ContainsFunc(swapping[:], func(name string) bool { return slices.Contains(words, name) }) {
		return ""
	}
	words[i], words[i+1] = words[i+1], words[i]
	if text := alone(s, strings.Join(words, " ")); text != "" {
		return fmt.Sprintf("the second source takes it: %q", text)
	}
	words[i], words[i+1] = words[i+1], "$r0"
	if text := "mov b32 $r0 " + word; s.Takes(text) {
		return fmt.Sprintf("mov moves it to a register, for example %q", text)
	}
	return ""
}
