package sets_test

import (
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/isa"
)

// TestNothingBehind: a text is one bundle, and nothing else, also where a bundle has an end of its own.
func TestNothingBehind(t *testing.T) {
	for name, text := range map[string]string{
		"gcn:gfx8": "s_nop 0", "attila:sim": "mov o1, i1", "tesla:g80": "mov b32 $r0 $r1", "valhall:v9": "NOP", "rogue:rogue": "{ ctrl: wdf drc0; }",
	} {
		target, err := sets.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		var b isa.Bundle
		if err := target.Parse(text+"  ", 0, &b); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, more := range []string{" x", " " + text, "\n" + text, " //"} {
			if err := target.Parse(text+more, 0, &b); err == nil {
				t.Errorf("%s: %q is read as one instruction", name, text+more)
			} else if e := isa.AsError(err); e.Col <= len(strings.TrimRight(text, "; }")) {
				t.Errorf("%s: %q is refused at column %d: %v", name, text+more, e.Col, err)
			}
		}
	}
}
