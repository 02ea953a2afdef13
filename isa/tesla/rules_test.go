package tesla

import (
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/internal/laws"
)

func TestRules(t *testing.T) { laws.Rules(t, Set()) }

// TestTogether: combinations that no word can encode are refused at their place, with the reason.
func TestTogether(t *testing.T) {
	for _, c := range [...]struct {
		variant, stage int
		text, want     string
	}{
		{G80, CP, "add b32 $r0 c0[0x0] c0[0x4]", "1:13"},
		{G80, CP, "add f32 $r0 (mul $r1 c0[0x0]) c1[0x4]", "\"c1[0x4]\" where a register is expected"},
		{G80, CP, "(lg $c1) addc b32 $r1 $r0 $r0 $c2", "both stand in one field"},
		{G80, CP, "add b32 $r1 b32 s[0x10] c0[$a1+0x4]", "not beside other memory"},
		{G80, GP, "add f32 $r1 (mul p[0x0] c0[0x4]) $r2", "all registers or all constants"},
		{G80, GP, "add f32 $r1 (mul p[0x0] c0[0x4]) c1[0x8]", "both constants are of one bank"},
		{G80, GP, "mov b32 $r1 p[$a1++0x4]", "p[] cannot be incremented"},
		{G80, VP, "mov b32 $r1 a[$a1+0x4]", "a[] takes no address register here"},
		{G80, FP, "texauto all $r0:$r1:#:# $t0 $s0 $r4:$r5 0x0 0x0 0x0", "from that of the result on"},
		{G80, CP, "exit (lg $c0) mov b32 $r64l $r0", "1:"},
		{G80, CP, "mov b16 $r64l $r0l", "only $r0 to $r63 have halves"},
		{G80, CP, "interp $r0 v[0x0]", "interp is not in stage cp, only in fp"},
		{G80, FP, "st b32 s[0x0] $r0", "st"},
		{G80, CP, "red add u32 g0[$r0] $r1", "g80"},
		{MCP77, CP, "add rn f64 $r0d $r2d $r4d", "\"f64\" where"},
		{G200, CP, "preret 0x0", "g200"},
		{G80, CP, "exit join nop", "a second time"},
		{G80, CP, "join bra 0x0", "1:"},
	} {
		_, errs := asm.Assemble(Set().At(c.variant, c.stage), []byte(c.text), asm.Options{})
		if len(errs) != 1 || !strings.Contains(errs[0].Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.text, errs, c.want)
		}
	}
}
