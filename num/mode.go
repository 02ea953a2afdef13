package num

import (
	"fmt"
	"strings"
)

// A Mode says how a float op rounds, which denormals it flushes and which NaN it returns. It is plain data:
// comparable, and usable as a map key. The zero Mode is invalid, so that a forgotten mode is found: every mode made
// by [Mode.With], [Mode.WithRound] or [ParseMode] has [ModeSet]. The float functions themselves ignore that bit. It
// has 16 bits to keep ops of package ir small.
type Mode uint16

// Rounding, bits 0 and 1, numbered as GCN's MODE register does.
const (
	RNE   Mode = 0 // to nearest, ties to even
	RUp   Mode = 1 // toward +Inf
	RDown Mode = 2 // toward -Inf
	RZ    Mode = 3 // toward zero

	roundMask Mode = 3
)

// Denormals. A flushed number becomes a zero of its sign.
const (
	FlushIn  Mode = 1 << 2 // denormal operands are flushed before the op
	FlushOut Mode = 1 << 3 // denormal results are flushed

	// When FlushOut is set, these select which results near the smallest normal number count as denormal. With
	// neither it is the rounded result, on the grid of denormals.
	FlushBefore    Mode = 1 << 4 // the exact result, before rounding (ARM)
	FlushUnbounded Mode = 1 << 5 // rounded as if the exponent had no lower bound (x86 FTZ, Tesla mul)
)

// NaN results, bits 6 to 8. The other values of the field mean NaNFirst.
const (
	NaNFirst  Mode = 0 << 6 // the first NaN among a, b, c, quieted; the default NaN if the op is invalid
	NaNCanon  Mode = 1 << 6 // always the positive NaN with only the quiet bit: 0x7fc00000
	NaNOnes   Mode = 2 << 6 // always 0x7fffffff (Tesla f32 and f16)
	NaNSecond Mode = 3 << 6 // as NaNFirst, in the order b, c, a (Tesla f64)

	nanMask Mode = 7 << 6
)

// Details that only some functions use.
const (
	NaNNegative Mode = 1 << 9  // the default NaN of NaNFirst and NaNSecond is negative: 0xffc00000
	IEEE        Mode = 1 << 10 // FMinNum, FMaxNum: a signalling NaN operand makes the result NaN
	DX10Clamp   Mode = 1 << 11 // FSat: NaN gives 0
	SatNaNOne   Mode = 1 << 12 // FSat: NaN gives 1 (ATTILA); DX10Clamp wins
	SatNegZero  Mode = 1 << 13 // FSat: -0 stays -0 (ATTILA)

	// ModeSet distinguishes a mode from the zero value.
	ModeSet Mode = 1 << 15
)

// modeWords are the flags in the order String prints them. mask is the field, bits its value.
var modeWords = []struct {
	word       string
	mask, bits Mode
}{
	{"daz", FlushIn, FlushIn},
	{"ftz", FlushOut, FlushOut},
	{"tiny=before", FlushBefore, FlushBefore},
	{"tiny=unbounded", FlushUnbounded, FlushUnbounded},
	{"nan=canon", nanMask, NaNCanon},
	{"nan=ones", nanMask, NaNOnes},
	{"nan=second", nanMask, NaNSecond},
	{"nan=negative", NaNNegative, NaNNegative},
	{"ieee", IEEE, IEEE},
	{"dx10clamp", DX10Clamp, DX10Clamp},
	{"satnan1", SatNaNOne, SatNaNOne},
	{"satneg0", SatNegZero, SatNegZero},
}

var roundWords = [4]string{RNE: "rne", RUp: "rup", RDown: "rdn", RZ: "rz"}

// Round is the rounding alone: RNE, RUp, RDown or RZ.
func (m Mode) Round() Mode { return m & roundMask }

// NaN is the NaN rule alone: NaNFirst, NaNCanon, NaNOnes or NaNSecond.
func (m Mode) NaN() Mode {
	if r := m & nanMask; r <= NaNSecond {
		return r
	}
	return NaNFirst
}

// IsSet distinguishes a mode that was set from the zero value.
func (m Mode) IsSet() bool { return m&ModeSet != 0 }

// Has reports whether every bit of flags is set in m.
func (m Mode) Has(flags Mode) bool { return m&flags == flags }

// With adds flags and sets ModeSet. A NaN rule other than NaNFirst replaces the one in m;
// rounding bits are added like flags, so start from RNE or use WithRound.
func (m Mode) With(flags Mode) Mode {
	if flags&nanMask != 0 {
		m &^= nanMask
	}
	return m | flags | ModeSet
}

// Without clears flags and sets ModeSet. Without(NaNOnes|NaNSecond) leaves NaNFirst.
func (m Mode) Without(flags Mode) Mode { return m&^flags | ModeSet }

// WithRound replaces the rounding and sets ModeSet.
func (m Mode) WithRound(r Mode) Mode { return m&^roundMask | r&roundMask | ModeSet }

// WithNaN replaces the NaN rule and sets ModeSet.
func (m Mode) WithNaN(rule Mode) Mode { return m&^nanMask | rule&nanMask | ModeSet }

// String gives the rounding, then the flags: "rne", "rz ftz", "rne daz ftz nan=canon".
// A mode without ModeSet is "unset". [ParseMode] is the inverse for all others.
func (m Mode) String() string {
	if !m.IsSet() {
		return "unset"
	}
	var b strings.Builder
	b.WriteString(roundWords[m.Round()])
	for _, w := range modeWords {
		if m&w.mask == w.bits {
			b.WriteByte(' ')
			b.WriteString(w.word)
		}
	}
	return b.String()
}

// ParseMode reads what [Mode.String] prints: a rounding, then flags in any order, each once.
func ParseMode(s string) (Mode, error) {
	words := strings.Fields(s)
	if len(words) == 0 {
		return 0, fmt.Errorf("float mode is empty: want rne, rup, rdn or rz, then flags")
	}
	m, seen := ModeSet, Mode(0)
	for r, w := range roundWords {
		if words[0] == w {
			m |= Mode(r)
			seen = roundMask
		}
	}
	if seen == 0 {
		return 0, fmt.Errorf("float mode %q: %q is no rounding: want rne, rup, rdn or rz", s, words[0])
	}
	for _, word := range words[1:] {
		mask, bits := modeWord(word)
		if mask == 0 {
			return 0, fmt.Errorf("float mode %q: %q is no flag", s, word)
		}
		if seen&mask != 0 {
			return 0, fmt.Errorf("float mode %q: %q sets what an earlier flag has set", s, word)
		}
		seen |= mask
		m |= bits
	}
	return m, nil
}

// modeWord returns a flag by its name; the mask is 0 if there is none.
func modeWord(word string) (mask, bits Mode) {
	for _, w := range modeWords {
		if w.word == word {
			return w.mask, w.bits
		}
	}
	return 0, 0
}
