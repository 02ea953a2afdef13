package linter

import (
	"strconv"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/lint"
)

// TestTeslaRules: each program of testdata/tesla.txt breaks its rule at its place and has no other finding; the
// corrected program has none. Every rule of the set has a program, and so have the common rules about control flow.
func TestTeslaRules(t *testing.T) {
	met := map[string]bool{}
	for _, d := range defects(t, "testdata/tesla.txt") {
		met[d.rule] = true
		t.Run(d.name, func(t *testing.T) {
			variant, stage, _ := strings.Cut(d.where, " ")
			r, marked := lintTesla(t, variant, stage, d.broken)
			if len(r.Findings) != 1 || r.Findings[0].Rule != d.rule || r.Findings[0].Addr != marked {
				t.Errorf("want one finding of %s at %#x, got%s", d.rule, marked, listed(r))
			}
			if r, _ := lintTesla(t, variant, stage, d.mended); len(r.Findings) > 0 {
				t.Errorf("mended:%s", listed(r))
			}
		})
	}
	tg, err := sets.Lookup("tesla")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range tg.Rules {
		if !met[r.ID] && r.Options == nil {
			t.Errorf("no program breaks rule %s", r.ID)
		}
	}
}

// lintTesla lints text as bare code, and returns the address of the marked line.
func lintTesla(t *testing.T, variant, stage, text string) (*lint.Report, uint64) {
	t.Helper()
	tg, err := sets.Lookup("tesla:" + variant)
	if err != nil {
		t.Fatal(err)
	}
	st, ok := tg.Arch.Stage(stage)
	if !ok {
		t.Fatalf("stage %q", stage)
	}
	a, errs := asm.Assemble(tg.At(tg.Variant, st), []byte(text), asm.Options{})
	if len(errs) > 0 {
		t.Fatal(errs[0].Detail())
	}
	return Assembly(a, lint.Options{Least: isa.SeverityNote}), markedIn(a, text)
}

// TestTeslaAddressesUnset: each address register of programs is reported if it was not written, in each kind of
// address, and alone; $a0 is 0, and those that cannot be used break another rule.
func TestTeslaAddressesUnset(t *testing.T) {
	for n, want := range []string{"", "address-unset", "address-unset", "address-unset", "address-unset", "address-read", "address-read", "address-read"} {
		for _, text := range []string{"ld b32 $r1 l[$a%+0x8]", "ld $r1 b32 s[$a%+0x8]", "ld $r1 b32 c0[$a%+0x8]", "mov $r1 $a%", "add $a1 $a% 0x8"} {
			r, _ := lintTesla(t, "g200", "cp", strings.Replace(text, "%", strconv.Itoa(n), 1)+"\nexit nop\n")
			if n == 0 && strings.Contains(text, "[") { // text without an address register
				continue
			}
			if len(r.Findings) > 1 || len(r.Findings) == 1 && r.Findings[0].Rule != want || len(r.Findings) == 0 && want != "" {
				t.Errorf("%s with $a%d: want %q, got%s", text, n, want, listed(r))
			}
		}
	}
}
