package valhall

import (
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/isa"
)

// TestShaderOutput: special value 4 of page 3 is shader_output from v12 on, and reserved before.
func TestShaderOutput(t *testing.T) {
	const text = "MOV.i32 r0, shader_output.w0"
	word := [wordBytes]byte{0xe8, 0, 0, 0, 0, 0xc0, 0x91, 0x06} // MOV.i32 r0 of source 0xe8, page 3
	for v := range variants {
		arch := Arch(v)
		var b isa.Bundle
		err := Set().At(v, 0).Parse(text, 0, &b)
		derr := Set().At(v, 0).DecodeBundle(word[:], 0, new(isa.Bundle))
		if arch < 12 {
			for _, err := range []error{err, derr} {
				if err == nil || !strings.Contains(err.Error(), "shader_output as in v12 and later") {
					t.Errorf("v%d: %v", arch, err)
				}
			}
			continue
		}
		if err != nil || derr != nil {
			t.Fatal(arch, err, derr)
		}
		var d isa.Bundle
		if err := Set().At(v, 0).DecodeBundle(word[:], 0, &d); err != nil || string(Set().At(v, 0).Print(nil, &d)) != text || d.Parts[0].Word != b.Parts[0].Word {
			t.Errorf("v%d: %s, %v: %v and %v", arch, Set().At(v, 0).Print(nil, &d), err, d.Parts[0].Word, b.Parts[0].Word)
		}
	}
}
