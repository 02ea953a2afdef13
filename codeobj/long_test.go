package codeobj_test

import (
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/codeobj"
)

// TestLongMessages: an error of a text with lines and words of a million bytes is reported in a few lines.
func TestLongMessages(t *testing.T) {
	word := strings.Repeat("é", 500_000)
	for _, text := range []string{
		"v_foo " + strings.Repeat("v0, ", 250_000),
		".long " + word,
		"." + word + " 3",
		"v_mov_b32 " + word + ", v1",
		"s_branch " + word,
		".type f,@" + word,
		".amdhsa_kernel " + word + "\n.end_amdhsa_kernel",
		".amdgpu_metadata\n---\na: \"" + strings.Repeat(`\x41`, 250_000) + "\n...\n.end_amdgpu_metadata",
	} {
		_, errs, err := codeobj.Assemble([]byte("f:\n"+text+"\n"), codeobj.Options{Target: "gfx803"})
		if err != nil || len(errs) == 0 {
			t.Fatalf("%.40s: %d errors, %v", text, len(errs), err)
		}
		for _, e := range errs {
			if n := len(e.Detail()); n > 4000 || e.Line < 2 || len(e.Msg) > 700 {
				t.Errorf("%.40s: an error of %d bytes at line %d: %.100s", text, n, e.Line, e)
			}
		}
	}
}
