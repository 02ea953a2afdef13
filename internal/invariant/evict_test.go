package invariant

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/engines"
	"github.com/heddle-gpu/heddle/isa/gcn"
	"github.com/heddle-gpu/heddle/launch"
)

// sled returns code that jumps to every instruction of straight-line code, in several rounds: a block starts at each,
// and overlaps all that start before it. v1 counts the instructions that run there.
func sled(runs, rounds int) string {
	entries := runs * sledRun
	head := fmt.Sprintf(`
	s_mov_b32 s34, 0
	v_mov_b32 v1, 0
round:
	s_getpc_b64 s[20:21]
base:
	s_add_u32 s20, s20, start-base
	s_addc_u32 s21, s21, 0
	s_mov_b32 s30, -1
	s_mov_b32 s31, %d
next:
	s_add_u32 s30, s30, 1
	s_cmp_lt_u32 s30, s31
	s_cbranch_scc0 over
	s_lshl_b32 s33, s30, 2
	s_add_u32 s22, s20, s33
	s_addc_u32 s23, s21, 0
	s_getpc_b64 s[26:27]
back:
	s_add_u32 s26, s26, next-back
	s_addc_u32 s27, s27, -1
	s_setpc_b64 s[22:23]
over:
	s_add_u32 s34, s34, 1
	s_cmp_lt_u32 s34, %d
	s_cbranch_scc1 round
	s_endpgm
start:
`, entries, rounds)
	return head + strings.Repeat(strings.Repeat("\tv_add_u32 v1, vcc, 1, v1\n", sledRun-1)+"\ts_setpc_b64 s[26:27]\n", runs)
}

const sledRun = 252 // instructions, the last of which jumps back

// TestEvictions: code with a block at every instruction lifts that many blocks, and keeps at most MaxKept of them; a
// block that is lifted again behaves the same.
func TestEvictions(t *testing.T) {
	const runs, rounds = 18, 2
	code, _ := assemble(t, sled(runs, rounds))
	all := engines.All()
	for _, e := range []engines.Entry{all[0], all[len(all)-1]} { // the others keep blocks as the last does
		w, p := newWave(t, code)
		err := launch.RunWave(context.Background(), e.New(), p, w.st, &w.env, exec.Limits{Steps: 10_000_000})
		// In each run all of its instructions but the last count, then one less, and so on.
		want := uint32(rounds * runs * sledRun * (sledRun - 1) / 2)
		if got := w.st.Get(gcn.VGPR(1), 63); err != nil || got != want {
			t.Errorf("%s: %v, v1 is %d, want %d", e.Name, err, got, want)
		}
		if n := p.Evictions(); n != 2 {
			t.Errorf("%s: %d evictions", e.Name, n)
		}
		if lifts := p.Lifts(); lifts < 2*runs*sledRun {
			t.Errorf("%s: %d lifts", e.Name, lifts)
		}
	}
}
