package asm_test

import (
	"bytes"
	"encoding/hex"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/internal/toy"
	"github.com/heddle-gpu/heddle/isa"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.Join(strings.Fields(s), ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Everything that a listing can contain: labels, a symbol, a target inside an instruction, data, text that would
// assemble to another encoding, unclaimed bits, a bundle, a tail.
const listed = `
	04000031          push L
	000f011078563412  add with literal
	feff0f32          bra back into the literal
	21f30101          unclaimed bit 24
	21030110          literal encoding that has no literal
	00000080          nothing
	21030108 54060400 bundle
	20000020 00000000 00efcdab 89674503
	00000034 0102`

func TestList(t *testing.T) {
	code := unhex(t, strings.Join(hexOnly(listed), ""))
	opt := asm.ListOptions{Symbols: []asm.Symbol{{Name: "main", Addr: 0x100}, {Name: "main", Addr: 0x104}, {Name: "inside", Addr: 0x106}, {Name: "no name", Addr: 0x104}, {Name: `no "text"`, Addr: 0x104}}}
	for _, tt := range []struct {
		file            string
		exact, comments bool
	}{{"list.txt", false, true}, {"list_exact.txt", true, false}} {
		opt.Exact, opt.Comments = tt.exact, tt.comments
		var got bytes.Buffer
		if err := asm.List(&got, toy.Set().At(0, 0), code, 0x100, opt); err != nil {
			t.Fatal(err)
		}
		name := filepath.Join("testdata", tt.file)
		if *update {
			if err := os.WriteFile(name, got.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if got.String() != string(want) {
			t.Errorf("%s: run with -update and read the difference\n%s", name, got.String())
		}
		a, errs := asm.Assemble(toy.Set().At(0, 0), got.Bytes(), asm.Options{})
		if tt.exact && (len(errs) > 0 || !bytes.Equal(a.Code, code) || !a.Exact) {
			t.Errorf("%v: assembles to other bytes", errs)
		}
	}
}

// hexOnly returns the hexadecimal words at the start of each line.
func hexOnly(s string) (out []string) {
	for _, line := range strings.Split(s, "\n") {
		for _, w := range strings.Fields(line) {
			if _, err := hex.DecodeString(w); err != nil {
				break
			}
			out = append(out, w)
		}
	}
	return out
}

func TestLines(t *testing.T) {
	s := toy.Set().At(0, 0)
	for _, tt := range []struct{ hex, text string }{
		{"21030100", "add r1, r2, r3"},
		{"000f011078563412", "add r0, r0, 0x12345678"},
		{"2103010854060400", "{add r1, r2, r3 | mul r4, r5, r6}"},
		{"04000031", "push 4"},
	} {
		text, err := asm.DisLine(s, tt.hex)
		if err != nil || text != tt.text {
			t.Errorf("%s: %q, %v, want %q", tt.hex, text, err, tt.text)
		}
		got, err := asm.Line(s, tt.text+" // comment\r")
		if err != nil || got != tt.hex {
			t.Errorf("%s: %q, %v, want %q", tt.text, got, err, tt.hex)
		}
	}
	for line, want := range map[string]string{
		"":                                    "an even number of hexadecimal digits is expected [syntax]",
		"123":                                 "an even number of hexadecimal digits is expected [syntax]",
		"0102":                                "instruction cut short: 2 bytes left, at least 4 needed in 0102",
		"2103010000000060":                    "too many bytes: 8, where the instruction has 4",
		"000f0110":                            "8 bytes needed, 4 left",
		"20100000":                            "guard holds the reserved value 0x1",
		"21030a00":                            "no instruction of t1 (t2 would read new)",
		"20000020 00000000 00000000 00000080": "reserved bits must be 0: bit 127 is 1",
	} {
		if line == "20100000" {
			line = "21130100"
		}
		text, err := asm.DisLine(s, line)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %q, %v, want %s", line, text, err, want)
		}
	}
}

func TestLint(t *testing.T) {
	s := toy.Set().At(0, 0)
	for code, want := range map[string]string{
		"21030100":                         "",
		"21030101":                         "unclaimed-bits: add: bit 24 is set, which calc gives no meaning",
		"21030107":                         "unread-field: add: n holds bits, and this form does not read it; unclaimed-bits: add: 2 bits are set, the lowest 24, which calc gives no meaning",
		"00002034":                         "", // control: hardware ignores unclaimed bits
		"11000020000000000000000000000000": "wide-overlap: wide reads the register that it writes",
	} {
		var b isa.Bundle
		if err := s.DecodeBundle(unhex(t, code), 0, &b); err != nil {
			t.Errorf("%s: %v", code, err)
			continue
		}
		var got []string
		for _, f := range s.Lint(nil, &b, nil) {
			got = append(got, f.Rule+": "+f.Msg)
		}
		if g := strings.Join(got, "; "); g != want {
			t.Errorf("%s: %q, want %q", code, g, want)
		}
	}
}

// TestListBeyond: code past the last address is refused.
func TestListBeyond(t *testing.T) {
	tg, err := sets.Lookup("gcn:gfx8")
	if err != nil {
		t.Fatal(err)
	}
	const want = "asm: 12 bytes do not lie from 0xfffffffffffffff8 on: addresses have 64 bits"
	if err := asm.List(io.Discard, tg, make([]byte, 12), ^uint64(7), asm.ListOptions{}); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestListPadded: after a group with padding, one with less padding is still listed by its text alone.
func TestListPadded(t *testing.T) {
	code := unhex(t, "02806aff 04806afff2ffffff 02806aff")
	got := listing(t, targetOf(t, "rogue"), code, 0, asm.ListOptions{Exact: true})
	const want = ".isa rogue:rogue\n.exact // what breaks rules is kept as it is\n\t{ ctrl: wdf drc0; }\n\t{ ctrl: wdf drc0; }.pad(4)\n\t{ ctrl: wdf drc0; }\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
