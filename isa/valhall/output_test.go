package valhall

import (
	"fmt"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/isa"
)

// TestLaterSpecials checks that special values 4 and 5 of page 3 have names from v12 and v13 on, and are reserved
// before, as in fau_special_index_page3_t of isa-v9-v14.xml.
func TestLaterSpecials(t *testing.T) {
	for _, c := range []struct {
		name  string
		low   byte // the source byte of its low word
		since int
	}{{"shader_output", 0xe8, 12}, {"prepass_state", 0xea, 13}} {
		text := "MOV.i32 r0, " + c.name + ".w0"
		word := [wordBytes]byte{c.low, 0, 0, 0, 0, 0xc0, 0x91, 0x06} // MOV.i32 r0, page 3
		for v := range variants {
			arch := Arch(v)
			var b, d isa.Bundle
			err := Set().At(v, 0).Parse(text, 0, &b)
			derr := Set().At(v, 0).DecodeBundle(word[:], 0, &d)
			if arch < c.since {
				for _, err := range []error{err, derr} {
					if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%s as in v%d and later", c.name, c.since)) {
						t.Errorf("v%d: %s: %v", arch, c.name, err)
					}
				}
				continue
			}
			if err != nil || derr != nil {
				t.Fatal(arch, err, derr)
			}
			if got := string(Set().At(v, 0).Print(nil, &d)); got != text || d.Parts[0].Word != b.Parts[0].Word {
				t.Errorf("v%d: %s, %v and %v", arch, got, d.Parts[0].Word, b.Parts[0].Word)
			}
		}
	}
}
