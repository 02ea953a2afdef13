package invariant

import (
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa/gcn"
)

// bad are ways in which code cannot continue, as code in memory order.
var bad = []struct {
	name, code string
	reason     ir.TrapReason
	text       string
	cut        bool // the code ends here
}{
	{"no instruction", "ffffffff", ir.TrapInvalid, "", false},
	// s_load_dwordx2 to an odd register
	{"a reserved value", "400004c000000000", ir.TrapReserved, "sdata", false},
	{"a row without meaning", "000080b9", ir.TrapUndefined, "give no meaning", false}, // s_getreg_regrd_b32
	// s_sendmsg to a stage that does not exist
	{"what is not built", "020090bf", ir.TrapUnimplemented, "geometry stage", false},
	{"half an instruction", "ff0080be", ir.TrapInvalid, "", true}, // s_mov_b32 without its literal
	{"the end of the code", "", ir.TrapInvalid, "no code at", true},
}

// early leaves by the branch if s0 is not 0, else by the end after it, in both cases before the word at bad1. The
// instructions at reached lead to bad2, if s1 is not 0.
const early = `
	v_mov_b32 v1, 1
	s_cmp_lg_u32 s0, 0
	s_cbranch_scc1 out
	v_mov_b32 v1, 2
	s_endpgm
bad1:
	.word 0xffffffff
out:
	s_cmp_lg_u32 s1, 0
	v_mov_b32 v1, 3
	s_cbranch_scc1 reached
	s_endpgm
	.word 0xffffffff, 0xffffffff
reached:
	v_mov_b32 v1, 4
	s_mov_b32 s2, 4
bad2:
`

// TestUnreached: a bad word after an early exit has no effect. One on the executed path faults there, after the
// instructions before it have run, including those of its block.
func TestUnreached(t *testing.T) {
	code, label := assemble(t, early)
	for _, b := range bad {
		junk, err := hex.DecodeString(b.code)
		if err != nil {
			t.Fatal(err)
		}
		whole := append(code[:len(code):len(code)], junk...)
		if !b.cut {
			whole = append(whole, 0, 0, 0x81, 0xbf) // s_endpgm
		}
		for _, c := range []struct{ s0, s1, v1, steps uint32 }{
			{0, 0, 2, 5}, {0, 1, 2, 5}, {1, 0, 3, 7},
		} {
			w, p := newWave(t, whole)
			w.st.Set(gcn.SGPR(0), 0, c.s0)
			w.st.Set(gcn.SGPR(1), 0, c.s1)
			if err := w.run(p); err != nil || w.st.Get(gcn.VGPR(1), 63) != c.v1 || w.st.Clock != uint64(c.steps) {
				t.Errorf("%s, s0 %d, s1 %d: %v; v1 is %d after %d instructions, want %d after %d", b.name, c.s0, c.s1,
					err, w.st.Get(gcn.VGPR(1), 63), w.st.Clock, c.v1, c.steps)
			}
		}
		w, p := newWave(t, whole)
		w.st.Set(gcn.SGPR(0), 0, 1)
		w.st.Set(gcn.SGPR(1), 0, 1)
		var f *exec.Fault
		switch err := w.run(p); {
		case !errors.As(err, &f):
			t.Errorf("%s: %v, want a fault", b.name, err)
		case f.Kind != exec.FaultTrap || f.Trap != b.reason || f.PC != label["bad2"] || f.Lane != -1 || !strings.Contains(f.Text, b.text):
			t.Errorf("%s: %+v, want %s at %#x: %s", b.name, f, b.reason, label["bad2"], b.text)
		}
		if v1, s2 := w.st.Get(gcn.VGPR(1), 63), w.st.Get(gcn.SGPR(2), 0); v1 != 4 || s2 != 4 || w.st.Clock != 8 {
			t.Errorf("%s: v1 %d, s2 %d after %d instructions: not all before the fault ran", b.name, v1, s2, w.st.Clock)
		}
	}
}
