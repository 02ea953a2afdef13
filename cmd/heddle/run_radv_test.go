package main

import (
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/radv"
)

// TestDisagrees: code that differs from the instructions in the dump is for another GPU, even if it decodes.
func TestDisagrees(t *testing.T) {
	target, err := find("gcn:gfx8", "", "")
	if err != nil {
		t.Fatal(err)
	}
	code := []byte{0x80, 0x00, 0x80, 0xbe, 0x00, 0x00, 0x81, 0xbf} // s_mov_b32 s0, 0; s_endpgm
	for names, want := range map[string]string{
		"s_mov_b32 s_endpgm": "", "": "", "s_mov_b32_e32 s_endpgm": "",
		"s_cmov_b64 s_endpgm": "line 10 has s_cmov_b64, and its words are s_mov_b32; so of 1 instructions of 2",
	} {
		s := &radv.Shader{Code: code}
		for i, name := range strings.Fields(names) {
			s.Text = append(s.Text, radv.Text{Line: 10 + i, Offset: 4 * i, Mnemonic: name})
		}
		if got := disagrees(s, target); got != want {
			t.Errorf("%s: %q, want %q", names, got, want)
		}
	}
}
