package laws

import (
	"regexp"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/isa"
)

var quoted = regexp.MustCompile(`"([^"]*)"`)

// Leads checks words of other tools and their hints: each word is listed once and is no mnemonic, and in at least one
// variant the texts quoted in its hint are instructions. quiet returns true for words that are mnemonics nevertheless.
func Leads(t testing.TB, set *isa.Set, leads []isa.Lead, quiet func(word string) bool) {
	seen := map[string]bool{}
	for i := range leads {
		for word := range strings.SplitSeq(leads[i].Words, ", ") {
			if seen[word] || word == "" || word != strings.ToLower(word) {
				t.Errorf("%q is given twice, or is not in lower case", word)
			}
			seen[word] = true
			for j := range set.Defs {
				if strings.EqualFold(set.Defs[j].Name, word) && !quiet(word) {
					t.Errorf("%s is a mnemonic", word)
				}
			}
			if hint := leadIn(set, word); hint == "" {
				t.Errorf("%s: no variant takes %q", word, leads[i].Texts)
			} else if n := len(quoted.FindAllString(hint, -1)); n == 0 && leads[i].Texts != "" {
				t.Errorf("%s: no text in %q", word, hint)
			}
		}
	}
}

// leadIn returns the hint for a word in the first variant and stage where its texts are all instructions; "": there is
// none.
func leadIn(set *isa.Set, word string) string {
	for v := range set.Variants {
		for st := range max(1, len(set.Stages)) {
			tg := set.At(v, st)
			name, rest, _ := strings.Cut(word, " ")
			_, hint := set.Foreign(tg, name, rest)
			right := hint != ""
			for _, m := range quoted.FindAllStringSubmatch(hint, -1) {
				right = right && tg.Parse(m[1], 0, new(isa.Bundle)) == nil
			}
			if right {
				return hint
			}
		}
	}
	return ""
}
