package gcn

import (
	"testing"

	"github.com/heddle-gpu/heddle/internal/laws"
)

// modes to lift under: the HSA default, denormals kept, all flushed toward zero without IEEE, indexed operands.
var modes = []uint32{0x3c0, 0x3f0, 0x00f, 0x3c0 | 1<<modeGPRIdx}

// maxAliases limits the rows that may hold words whose text assembles to another encoding of the same instruction.
const maxAliases = 10

// TestLaws: the laws of every instruction set.
func TestLaws(t *testing.T) {
	rep := laws.Check(t, Set(), laws.Options{Modes: modes, Names: []string{"bound_ctrl:", "exp"}})
	t.Logf("%d words, %d rows with aliases, %d rows with lifts that trap", rep.Words, len(rep.Aliases), len(rep.Trapped))
	if len(rep.Aliases) > maxAliases {
		t.Errorf("%d rows have words that their text does not give back, want at most %d", len(rep.Aliases), maxAliases)
	}
}

// FuzzWord: decode, encode, print and parse of any bytes.
func FuzzWord(f *testing.F) {
	laws.SeedWords(f, "gcn")
	f.Add([]byte{0x01, 0x04, 0x06, 0xd1, 0x03, 0x07, 0x0e, 0x24})
	f.Add([]byte{0xff, 0x04, 0x04, 0x32, 0x12, 0x34, 0x56, 0x78})
	f.Fuzz(func(t *testing.T, code []byte) {
		for g := range numGens {
			laws.FuzzWord(t, Set().At(g, 0), code)
		}
	})
}

// FuzzText: text that parses prints, and parses again to the same.
func FuzzText(f *testing.F) {
	laws.SeedTexts(f, "gcn")
	for _, s := range []string{"v_mad_f32 v0, -|v1|, s2, 1.0 clamp mul:2", "s_waitcnt vmcnt(0) & lgkmcnt(1)", "v_add_u32_e32 v0, vcc, 0x12345678, v2",
		"s_getreg_b32 s0, hwreg(HW_REG_MODE, 4, 2)", "v_mov_b32_dpp v0, v1 quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for g := range numGens {
			laws.FuzzText(t, Set().At(g, 0), text)
		}
	})
}

// FuzzBytes: any bytes, listed and assembled again.
func FuzzBytes(f *testing.F) {
	laws.SeedWords(f, "gcn")
	f.Add([]byte{0, 0, 0x81, 0xbf, 1})
	f.Fuzz(func(t *testing.T, code []byte) {
		for g := range numGens {
			if len(code) < 1<<12 {
				laws.Bytes(t, Set().At(g, 0), code, 0)
			}
		}
	})
}
