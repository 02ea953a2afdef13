package gcn_test

import (
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// TestUnclaimedBits: bits of no field of docs/reference/gcn.md 1.1 trap, and fields that the instruction does not
// read have no effect.
func TestUnclaimedBits(t *testing.T) {
	for _, c := range []struct{ variant, code, trap string }{
		// exp mrt0 v0, off, off, off done vm, with vsrc1 to vsrc3 as ACO sets them
		{"gfx8", "011800c400808080", ""},
		{"gfx6", "011800f800808080", ""},
		{"gfx8", "0f3800c400010203", "exp: bit 13 is set, which EXP gives no meaning"},
		{"gfx6", "0f3800f800010203", "exp: bit 13 is set, which EXP gives no meaning"},
		// s_waitcnt with the bits that counters have on later generations
		{"gfx8", "7fff8cbf", ""},
		// ds_read_b32 v1, v2 with data0 and data1, and with bit 25
		{"gfx8", "00006cd802808001", ""},
		{"gfx8", "00006cda02000001", "ds_read_b32: bit 25 is set, which DS gives no meaning"},
		// buffer_load_dword v1, off, s[0:3], 0 with vaddr, and with the bit that is addr64 on older generations
		{"gfx8", "000050e005010080", ""},
		{"gfx8", "008050e000010080", "buffer_load_dword: bit 15 is set, which MUBUF gives no meaning"},
		// flat_load_dword v1, v[2:3] with data, and with an offset of later generations
		{"gfx8", "000050dc02050001", ""},
		{"gfx8", "010050dc02000001", "flat_load_dword: bit 0 is set, which FLAT gives no meaning"},
	} {
		tg := inDialect(t, c.variant, "")
		var b isa.Bundle
		if err := tg.DecodeBundle(unhexed(t, c.code), 0, &b); err != nil {
			t.Errorf("%s %s: %v", c.variant, c.code, err)
			continue
		}
		block := tg.LiftOne(&b, 0)
		trapped := block.Why != "" && block.Term().Op == ir.Trap && ir.TrapReason(block.Term().Imm) == ir.TrapUndefined && strings.HasPrefix(block.Why, b.Parts[0].Unclaimed()+"; ")
		if trapped != (c.trap != "") || b.Parts[0].Unclaimed() != c.trap {
			t.Errorf("%s %s: trapped %v, %q, want %q", c.variant, c.code, trapped, block.Why, c.trap)
		}
	}
}
