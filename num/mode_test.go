package num

import "testing"

func TestModeText(t *testing.T) {
	for text, want := range map[string]Mode{
		"rne":                   ModeSet,
		"rz ftz":                ModeSet | RZ | FlushOut,
		"rne daz ftz nan=canon": ModeSet | FlushIn | FlushOut | NaNCanon,
		"rup ftz tiny=before":   ModeSet | RUp | FlushOut | FlushBefore,
		"rdn ftz tiny=unbounded nan=second nan=negative": ModeSet | RDown | FlushOut | FlushUnbounded | NaNSecond | NaNNegative,
		"rne nan=ones ieee dx10clamp satnan1 satneg0":    ModeSet | NaNOnes | IEEE | DX10Clamp | SatNaNOne | SatNegZero,
	} {
		if got := want.String(); got != text {
			t.Errorf("%#x prints as %q, want %q", uint32(want), got, text)
		}
		if got, err := ParseMode(text); got != want || err != nil {
			t.Errorf("ParseMode(%q) = %#x, %v, want %#x", text, uint32(got), err, uint32(want))
		}
	}
	for _, text := range []string{"", "ftz", "rne rz", "rne xyz", "rne ftz ftz", "rne nan=canon nan=ones", "unset"} {
		if m, err := ParseMode(text); err == nil {
			t.Errorf("ParseMode(%q) = %v, want an error", text, m)
		}
	}
}

// TestModeInverse prints and parses every mode made of defined bits.
func TestModeInverse(t *testing.T) {
	for b := Mode(0); b < 1<<14; b++ {
		m := b | ModeSet
		if m&nanMask > NaNSecond {
			continue
		}
		if got, err := ParseMode(m.String()); got != m || err != nil {
			t.Fatalf("%#x prints as %q, which parses as %#x, %v", uint32(m), m, uint32(got), err)
		}
	}
}

func TestModeFields(t *testing.T) {
	if Mode(0).IsSet() || (RZ | FlushIn).IsSet() || Mode(0).String() != "unset" {
		t.Error("a mode without ModeSet counts as set")
	}
	m := RZ.With(FlushIn | NaNOnes)
	if !m.IsSet() || m.Round() != RZ || !m.Has(FlushIn) || m.Has(FlushIn|FlushOut) || m.NaN() != NaNOnes {
		t.Errorf("RZ.With(FlushIn|NaNOnes) is %v", m)
	}
	if m = m.With(NaNCanon); m.NaN() != NaNCanon {
		t.Errorf("With(NaNCanon) leaves %v", m)
	}
	if m = m.WithRound(RUp).WithNaN(NaNFirst).Without(FlushIn); m != ModeSet|RUp {
		t.Errorf("after all flags are taken away: %v", m)
	}
	if (ModeSet | nanMask).NaN() != NaNFirst {
		t.Error("an undefined NaN rule is not NaNFirst")
	}
}
