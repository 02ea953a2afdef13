package laws

import (
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// TestUnclaimedBits: an instruction with unclaimed bits set traps and names them, or, with the option, ignores them;
// the message ends with the option. Sets in which all such bits are known to be ignored, or reserved, have no option.
func TestUnclaimedBits(t *testing.T) {
	defaults := map[string]string{"gcn": "trap", "tesla": "ignore", "valhall": "trap"}
	for _, s := range sets.Sets() {
		got := ""
		for _, o := range s.Options {
			if o.Name == isa.OptionUnclaimed {
				got = o.Default
			}
		}
		if got != defaults[s.Name] {
			t.Errorf("%s: the default of %s is %q, want %q", s.Name, isa.OptionUnclaimed, got, defaults[s.Name])
		}
		if got == "" {
			continue
		}
		trap, ignore := unclaimedTarget(t, s, "trap"), unclaimedTarget(t, s, "ignore")
		found := 0
		for i := range s.Defs {
			d := &s.Defs[i]
			if d.Meaning == nil || d.Alias || d.Private || d.Variants&1 == 0 {
				continue
			}
			for _, w := range Words(trap, d, Options{Words: 4}) {
				in := w.Inst(trap)
				without := in
				without.Word = in.Word.AndNot(in.UnclaimedBits())
				if in.Unclaimed() == "" {
					continue
				}
				found++
				b := trap.LiftOne(&isa.Bundle{Parts: []isa.Inst{in}}, 0)
				if b.Term().Op != ir.Trap || ir.TrapReason(b.Term().Imm) != ir.TrapUndefined || !strings.Contains(b.Why, "set, ") ||
					b.Why != in.Unclaimed()+"; to run it as if they were 0: --option unclaimed-bits=ignore" {
					t.Fatalf("%s %s: %q", s.Name, d.Name, b.Why)
				}
				have, want := ignore.LiftOne(&isa.Bundle{Parts: []isa.Inst{in}}, 0), ignore.LiftOne(&isa.Bundle{Parts: []isa.Inst{without}}, 0)
				if !have.Equal(want) {
					t.Fatalf("%s %s: ignoring bits of %s differs from not having them", s.Name, d.Name, in.Word.Hex(in.Def.Enc.Bits/8))
				}
			}
		}
		if found < 100 {
			t.Errorf("%s: only %d instructions have such bits", s.Name, found)
		}
	}
}

func unclaimedTarget(t *testing.T, s *isa.Set, value string) *isa.Target {
	t.Helper()
	tg, err := s.At(0, 0).With(0, map[string]string{isa.OptionUnclaimed: value})
	if err != nil {
		t.Fatal(err)
	}
	return tg
}
