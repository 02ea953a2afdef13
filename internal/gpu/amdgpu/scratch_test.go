//go:build linux && amd64

package amdgpu

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// meet: the lanes of a wave put their numbers into scratch, count their group, wait until another group has counted
// itself too, but not for long, and write what they find in scratch, and how many groups they have met.
//
//	s[0:3] scratch, s[4:7] a counter and the results, s8 how long to wait, s9 the group, s10 the wave's scratch offset
const meet = `
	v_lshlrev_b32 v1, 2, v0
	v_and_b32 v2, 63, v0
	v_lshlrev_b32 v2, 2, v2
	s_lshl_b32 s9, s9, 10
	v_or_b32 v3, s9, v0
	buffer_store_dword v3, v2, s[0:3], s10 offen
	v_mov_b32 v4, 0
	v_mov_b32 v5, 1
	s_mov_b64 s[12:13], exec
	v_cmp_eq_u32 vcc, 0, v2
	s_and_b64 exec, exec, vcc
	buffer_atomic_add v5, v4, s[4:7], 0 offen
	s_mov_b64 exec, s[12:13]
again:
	buffer_load_dword v6, v4, s[4:7], 0 offen glc
	s_waitcnt vmcnt(0)
	v_readfirstlane_b32 s14, v6
	s_cmp_ge_u32 s14, 4
	s_cbranch_scc1 met
	s_sub_u32 s8, s8, 1
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 again
met:
	buffer_load_dword v7, v2, s[0:3], s10 offen
	s_waitcnt vmcnt(0)
	v_lshlrev_b32 v8, 2, v3
	buffer_store_dword v7, v8, s[4:7], 0 offen offset:256
	s_lshr_b32 s9, s9, 8
	v_mov_b32 v9, s9
	v_mov_b32 v10, s14
	buffer_store_dword v10, v9, s[4:7], 0 offen offset:16
	s_endpgm
`

// TestScratch: groups that run at once have scratch of their own, and as many run at once as COMPUTE_TMPRING_SIZE has
// waves for. A group has two waves here, of 1 KiB.
func TestScratch(t *testing.T) {
	const groups = 2
	for _, c := range []struct {
		chip           string
		workers, waves uint32
		together       bool
		fails          string
	}{
		{"tahiti", 2, 4, true, ""}, {"bonaire", 4, 32, true, ""}, {"polaris10", 3, 5, true, ""},
		{"polaris10", 2, 3, false, ""}, {"tahiti", 1, 32, false, ""},
		{"bonaire", 2, 1, false, "COMPUTE_TMPRING_SIZE has scratch for 1 waves, and a group has 2"},
	} {
		t.Run(fmt.Sprint(c.chip, c.workers, c.waves), func(t *testing.T) {
			b := newBench(t, c.chip, Options{Workers: int(c.workers), Hang: time.Minute})
			b.assemble(t, 0x20000, meet)
			patience := uint32(1000)
			if c.together {
				patience = 100_000_000
			}
			user := append(rawBuffer(0x30000, c.waves<<10), rawBuffer(0x40000, 1<<16)...)
			s := &shader{va: 0x20000, rsrc1: 1 | 1<<6, rsrc2: groupIDX | 1, user: append(user, patience), block: [3]uint32{128, 1, 1}}
			err := b.run(ring{kind: ipCompute}, 0x50000, append(setSH(regScratch, c.waves|1<<12), s.commands([3]uint32{groups, 1, 1})...)...)
			if c.fails != "" {
				if err == nil || !strings.Contains(b.log.String(), c.fails) {
					t.Errorf("%v %s, want %s", err, b.log, c.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err, b.log)
			}
			out := b.at(0x40000)
			for g := range uint32(groups) {
				for i := range uint32(128) {
					if got, want := out[64+g<<10+i], g<<10+i; got != want {
						t.Fatalf("work-item %d of group %d found %#x in its scratch, want %#x", i, g, got, want)
					}
				}
				if want := uint32(2 * groups); c.together && out[4+g] != want || !c.together && g == 0 && out[4] == want {
					t.Errorf("group %d has met %d waves; together: %v", g, out[4+g], c.together)
				}
			}
		})
	}
}
