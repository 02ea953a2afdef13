package asm_test

import (
	"bytes"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/isa/all"
)

// FuzzPasted: any text is read or refused; what is given back has as many lines, and text without columns is left as it is.
func FuzzPasted(f *testing.F) {
	f.Add("       0: 02000501   \tv_add_f32_e32 v0, v1, v2\n       4: bf810000  s_endpgm\n")
	f.Add("0000000000000000 <k>:\nk.o:\tfile format elf64-amdgpu\n")
	f.Add("00 00 00 00 00 c0 00 08    NOP.wait0")
	f.Add("top: s_branch top")
	target, err := all.Lookup("gcn:gfx8")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		out, found, wrong := asm.Pasted(target, []byte(text))
		switch {
		case wrong != nil:
		case !found && bytes.Count(out, []byte("\n")) != bytes.Count([]byte(text), []byte("\n")):
			t.Fatalf("%q became %q", text, out)
		case bytes.Count(out, []byte("\n")) != bytes.Count([]byte(text), []byte("\n")):
			t.Fatalf("%q became %q", text, out)
		}
	})
}
