package valhall

import (
	"encoding/binary"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/internal/cases"
	"github.com/heddle-gpu/heddle/isa"
)

// targetIn is a variant in a dialect.
func targetIn(t *testing.T, variant string, dialect int) *isa.Target {
	t.Helper()
	v, ok := Set().Arch.Variant(variant)
	if !ok {
		t.Fatal(variant)
	}
	tg, err := Set().At(v, 0).With(dialect, nil)
	if err != nil {
		t.Fatal(err)
	}
	return tg
}

// TestDialectsComeBack checks that each word of the shared pairs prints in each dialect, and that its text assembles to
// it there.
func TestDialectsComeBack(t *testing.T) {
	for dialect, name := range dialects {
		n, bad := 0, 0
		for _, file := range []string{"valhall-words", "valhall-programs", "valhall-arm", "valhall-fau"} {
			for _, line := range cases.Lines(t, filepath.Join(cases.Dir(t), "pairs", file+".tsv.gz")) {
				if strings.HasPrefix(line, "#") || strings.Contains(line, "\t-\t-\t") {
					continue
				}
				col := strings.Split(line, "\t")
				_, variant, _ := strings.Cut(col[0], ":")
				code, err := hex.DecodeString(col[2])
				if err != nil || len(code)%wordBytes != 0 {
					t.Fatal(line)
				}
				for tg := targetIn(t, variant, dialect); len(code) > 0; code = code[wordBytes:] {
					w := binary.LittleEndian.Uint64(code)
					var b isa.Bundle
					if tg.DecodeBundle(code, 0, &b) != nil || b.Parts[0].Unclaimed() != "" {
						continue
					}
					n++
					if msg := comesBack(tg, w); msg != "" {
						if bad++; bad < 40 {
							t.Errorf("%s: %016x: %s (%s)", name, w, msg, b.Parts[0].String())
						}
					}
				}
			}
		}
		if n < 20000 || bad > 0 {
			t.Errorf("%s: %d words, %d do not come back", name, n, bad)
		}
	}
}

// TestDialectTexts checks that words of testdata/kraid.list and mesa26.list print as there, and that those texts
// assemble to them.
func TestDialectTexts(t *testing.T) {
	for _, list := range []struct {
		dialect, least int
	}{{Kraid, 80}, {Mesa26, 40}} {
		data, err := os.ReadFile("testdata/" + dialects[list.dialect] + ".list")
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for line := range strings.Lines(string(data)) {
			col := strings.Split(strings.TrimSpace(line), " | ")
			if len(col) != 3 {
				continue
			}
			n++
			code, err := hex.DecodeString(col[1])
			var in isa.Inst
			tg := targetIn(t, col[0], list.dialect)
			if err != nil || tg.Decode(code, 0, &in) != nil {
				t.Errorf("%s: no instruction: %v, %v", line, err, tg.Decode(code, 0, &in))
				continue
			}
			if got := string(tg.Print(nil, &isa.Bundle{Parts: []isa.Inst{in}})); got != col[2] {
				t.Errorf("%s %s is %q, want %q", dialects[list.dialect], col[1], got, col[2])
			}
			if got, err := asm.Line(tg, col[2]); err != nil || got != col[1] {
				t.Errorf("%s %q assembles to %s, %v; want %s", dialects[list.dialect], col[2], got, err, col[1])
			}
		}
		if n < list.least {
			t.Errorf("%s: %d texts", dialects[list.dialect], n)
		}
	}
}

// badIn are texts that a dialect must reject, and a part of the error.
var badIn = []struct {
	dialect    int
	text, want string
}{
	{Kraid, "IADD.u64 [r0:r2], [r2:r3], [r4:r5]", "a register"},
	{Kraid, "IADD.u64 [r0:r1], u128, [r4:r5]", "u256"},
	{Kraid, "MOV.i32 r0, k99", "the last is k31"},
	{Kraid, "BLEND.slot0.v4.f32 @r0:r1:r2:r3, [r10:r11], 0x7f9, r48", "target:"},
	{Kraid, "VAR_TEX_SINGLE.slot0.center.store.tex2d.dst32.rg @r0:r1:r2:r3, u1, u0.w0", `the registers have room for ".rgba", and the text says ".rg"`},
	{Kraid, "MOV.i32 r0, r64", "the last is r63"},
	{Mesa26, "LOAD.i32.slot0 @r0, [r0:r2], offset:0", "an even number and the next one"},
}

func TestBadInDialect(t *testing.T) {
	for _, c := range badIn {
		if got, err := asm.Line(targetIn(t, "v9", c.dialect), c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %q: %s, %v; want %q", dialects[c.dialect], c.text, got, err, c.want)
		}
	}
}

// TestAddressesInDialect checks that what kraid prints as an address is read as one, also of a label, at any position
// of the instruction.
func TestAddressesInDialect(t *testing.T) {
	src := ".dialect kraid\nMOV.i32 r0, r1\na: MOV.i32 r0, r1\nBLEND.slot0.v4.f32 @r0:r1:r2:r3, [r10:r11], b, r48\nBRANCH r1, a\nADR r2, b\nADR r2, b\nb: NOP\n"
	a, errs := asm.Assemble(Set().At(4, 0), []byte(src), asm.Options{})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	want := []uint64{0x0091c00000000001, 0x0091c00000000001, 0x007f40083230030a, 0x001fc007fffffd01, 0x0710c200000008fe, 0x0710c200000000fe, 0x0000c00000000000}
	for i, w := range want {
		if got := binary.LittleEndian.Uint64(a.Code[wordBytes*i:]); got != w {
			t.Errorf("instruction %d is %016x, want %016x", i, got, w)
		}
	}
}
