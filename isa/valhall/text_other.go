package valhall

import (
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

// Texts of other tools that no row reads as they stand: kraid's, and those of the early reference. docs/reference/valhall.md 5.

// implied is a text as rows read it: AND.i32 r0, r1, r2 is a shift by 0 with AND behind; .and and .seq of ICMP and FCMP stand behind the
// type; .ts and .id name the page of a special value that the text names, too.
func implied(_ *isa.Target, text string) string {
	line := strings.TrimSpace(text)
	n := isa.WordLen(line)
	words, rest := strings.Split(line[:n], "."), line[n:]
	if len(words) < 2 {
		return ""
	}
	switch words[0] {
	case "AND", "OR", "XOR":
		return logicText(words, rest)
	case "ICMP", "FCMP":
		for _, how := range []string{"and", "seq"} {
			if i := slices.Index(words, how); i > 2 {
				return strings.Join(slices.Insert(slices.Delete(words, i, i+1), 2, how), ".") + rest
			}
		}
	}
	for page, mode := range pageModes {
		if i := slices.Index(words, mode); mode != "" && i > 0 && namesPage(rest, page) {
			return strings.Join(slices.Delete(words, i, i+1), ".") + rest
		}
	}
	return ""
}

// logicText is a logic operation as a shift by 0. What kraid writes as .not is the complement of the result.
func logicText(words []string, rest string) string {
	amount := map[string]string{"i32": "b00", "v2i16": "b00", "v4i8": "b00", "i64": "b00"}[words[1]]
	operands := strings.Split(rest, ",")
	if amount == "" || len(operands) != 3 {
		return ""
	}
	if i := slices.Index(words, "not"); i > 0 {
		words[i] = "not_result"
	}
	words[0] = "LSHIFT_" + words[0]
	return strings.Join(words, ".") + strings.Join(slices.Insert(operands, 2, " 0x0."+amount), ",")
}

// pageModes are the words of the early reference for pages.
var pageModes = [...]string{PagePointers: "ts", PageIdentity: "id"}

// namesPage is whether operands name a special value of a page.
func namesPage(operands string, page int) bool {
	for _, name := range specials[page] {
		if name != "" && strings.Contains(operands, name) {
			return true
		}
	}
	return slices.ContainsFunc(aliases[:], func(x specialAlias) bool { return x.page == page && strings.Contains(operands, x.name) })
}
