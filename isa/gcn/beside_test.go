package gcn_test

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/gcn"
)

// listedBack lists code so that it assembles to the same bytes, assembles it, and returns the lines of its
// instructions.
func listedBack(t *testing.T, tg *isa.Target, code []byte) (lines []string) {
	t.Helper()
	var text bytes.Buffer
	if err := asm.List(&text, tg, code, 0, asm.ListOptions{Exact: true}); err != nil {
		t.Fatal(err)
	}
	a, errs := asm.Assemble(tg, text.Bytes(), asm.Options{})
	if len(errs) > 0 {
		t.Fatalf("%s\n%s", errs[0].Detail(), text.String())
	}
	if !bytes.Equal(a.Code, code) {
		t.Fatalf("% x became % x:\n%s", code, a.Code, text.String())
	}
	for line := range strings.Lines(text.String()) {
		if s, is := strings.CutPrefix(line, "\t"); is {
			lines = append(lines, strings.TrimSpace(s))
		}
	}
	return lines
}

// unset is a counter that ACO does not wait for.
const unset = 0xff

// acoWait returns the constant of s_waitcnt as Mesa's wait_imm::pack makes it before gfx9: a counter that is not
// waited for has all the bits that it has on any later generation, vmcnt 15:14 and lgkmcnt 13:12.
func acoWait(vm, exp, lgkm uint16) uint16 {
	imm := (lgkm&0xf)<<8 | (exp&0x7)<<4 | vm&0xf
	if vm == unset {
		imm |= 0xc000
	}
	if lgkm == unset {
		imm |= 0x3000
	}
	return imm
}

// TestWaitcntOfACO: every s_waitcnt that ACO writes is listed as text that assembles to the same bytes, on every
// generation.
func TestWaitcntOfACO(t *testing.T) {
	var code []byte
	n := 0
	for _, vm := range []uint16{0, 1, 7, 14, unset} {
		for _, exp := range []uint16{0, 3, unset} {
			for _, lgkm := range []uint16{0, 1, 14, unset} {
				code = binary.LittleEndian.AppendUint32(code, 0xbf8c0000|uint32(acoWait(vm, exp, lgkm)))
				n++
			}
		}
	}
	for v := range gcn.Set().Variants {
		lines := listedBack(t, gcn.Set().At(v, 0), code)
		if len(lines) != n {
			t.Fatalf("%d lines for %d instructions", len(lines), n)
		}
		for i, line := range lines {
			if !strings.HasPrefix(line, "s_waitcnt ") || strings.Contains(line, "0x") {
				t.Errorf("%x: %s", code[4*i:4*i+4], line)
			}
		}
	}
}

// besideWords are words with bits that their text omits, and their listings.
var besideWords = []struct {
	variant, text string
	word          []byte
}{
	{"gfx8", "exp mrt0 v2, v2, v0, v0 done compr vm unread:0x80", []byte{0x0f, 0x1c, 0x00, 0xc4, 0x02, 0x00, 0x80, 0x80}},
	{"gfx8", "exp param0 v1, v0, off, off unread:0x80", []byte{0x03, 0x02, 0x00, 0xc4, 0x01, 0x00, 0x80, 0x80}},
	{"gfx6", "exp param0 off, off, off, off unread:0x1", []byte{0x00, 0x02, 0x00, 0xf8, 0x01, 0x01, 0x01, 0x01}},
	{"gfx6", "s_waitcnt vmcnt(0) lgkmcnt(63)", []byte{0x70, 0x3f, 0x8c, 0xbf}},
	{"gfx6", "s_waitcnt lgkmcnt(0) vmcnt(63)", []byte{0x7f, 0xc0, 0x8c, 0xbf}},
	// No tool is known to write these.
	{"gfx8", ".enc 030200c401008180 exp param0 v1, v0, off, off", []byte{0x03, 0x02, 0x00, 0xc4, 0x01, 0x00, 0x81, 0x80}},
	{"gfx6", ".enc 707f8cbf s_waitcnt vmcnt(0)", []byte{0x70, 0x7f, 0x8c, 0xbf}},
	{"gfx6", ".enc f01f8cbf s_waitcnt vmcnt(0)", []byte{0xf0, 0x1f, 0x8c, 0xbf}},
}

// TestBeside: bits without effect that a compiler is known to set are listed as text; others as bytes.
func TestBeside(t *testing.T) {
	for _, c := range besideWords {
		tg, err := gcn.Set().Target(isa.Config{Variant: c.variant})
		if err != nil {
			t.Fatal(err)
		}
		if lines := listedBack(t, tg, c.word); len(lines) != 1 || lines[0] != c.text {
			t.Errorf("% x: %q, want %q", c.word, lines, c.text)
		}
	}
	for text, want := range map[string]string{
		"s_waitcnt vmcnt(62)": "counts to 15", "s_waitcnt expcnt(63)": "counts to 7", "s_waitcnt lgkmcnt(16)": "counts to 15",
		"exp mrt0 v0, v1, v2, v3 unread:0x80": "modifier", "exp mrt0 v0, v1, v2, off unread:256": "8 bits",
	} {
		_, errs := asm.Assemble(gcn.Set().At(0, 0), []byte(text+"\n"), asm.Options{})
		if len(errs) != 1 || !strings.Contains(errs[0].Detail(), want) {
			t.Errorf("%q: %v, want %q", text, errs, want)
		}
	}
}
