package tesla

import (
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/isa"
)

// TestForeign: what a foreign word leads to is an instruction of a variant, and no word of the table is a mnemonic.
func TestForeign(t *testing.T) {
	set := Set()
	for _, e := range elsewhere {
		word, text := e[0], e[1]
		if len(set.Rows(word)) > 0 {
			t.Errorf("%s is a mnemonic", word)
		}
		found := false
		for v := range set.Variants {
			for st := range set.Stages {
				var b isa.Bundle
				found = found || set.At(v, st).Parse(text, 0, &b) == nil
			}
		}
		if !found {
			t.Errorf("%s: no variant takes %q", word, text)
		}
	}
	var b isa.Bundle
	for text, want := range map[string]string{"mad $r0 $r1 $r2": "(mul u16", "add $r0 $r1 $r2": "a type is missing: \"add b32 $r0 $r1 $r2\""} {
		err := set.At(0, 0).Parse(text, 0, &b)
		if err == nil || !strings.Contains(isa.AsError(err).Hint, want) {
			t.Errorf("%s: %v, %q", text, err, isa.AsError(err).Hint)
		}
	}
}
