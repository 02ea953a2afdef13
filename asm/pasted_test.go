package asm_test

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/internal/sets"
)

// FuzzPasted: any text is read or refused; the result has as many lines, and text without columns is not changed.
func FuzzPasted(f *testing.F) {
	f.Add("       0: 02000501   \tv_add_f32_e32 v0, v1, v2\n       4: bf810000  s_endpgm\n")
	f.Add("0000000000000000 <k>:\nk.o:\tfile format elf64-amdgpu\n")
	f.Add("00 00 00 00 00 c0 00 08    NOP.wait0")
	f.Add("top: s_branch top")
	target, err := sets.Lookup("gcn:gfx8")
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

// TestColumnReader: columns are found at any position and however the text is split into reads, up to the limit.
func TestColumnReader(t *testing.T) {
	head := strings.Repeat("// a comment that is as long as a licence\n", 400)
	for text, want := range map[string]bool{
		"s_nop 0 // 000000000000: BF800000": true, head + "s_nop 0 // 000000000000: BF800000\ns_endpgm": true, head + "s_nop 0\ns_endpgm // BF810000\n": true,
		head + "s_nop 0 // twice\n": false, head + "s_nop 0 // 00000000 f8g00000\n": false, "": false, head: false,
	} {
		for _, from := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text)), iotest.DataErrReader(iotest.HalfReader(strings.NewReader(text)))} {
			r := &asm.ColumnReader{From: from, Limit: 1 << 20}
			if got, err := io.ReadAll(r); err != nil || string(got) != text || r.Found != want {
				t.Errorf("%q: found %v, want %v; %v, %d bytes", text[max(0, len(text)-40):], r.Found, want, err, len(got))
			}
		}
	}
	r := &asm.ColumnReader{From: strings.NewReader(head + "s_nop 0 // 000000000000: BF800000\n"), Limit: len(head)}
	if _, err := io.Copy(io.Discard, r); err != nil || r.Found {
		t.Errorf("found %v after the limit, %v", r.Found, err)
	}
}
