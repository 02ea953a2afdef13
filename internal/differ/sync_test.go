package differ

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/platforms/gcn"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/sanitize"
)

// syncTexts are programs of two waves in which each expected finding is marked: "// KIND" at the instruction that it is
// about, and "// KIND N" if the other one is of line N. s7 is 0 in the first wave and not in the second.
var syncTexts = []struct{ name, fault, text string }{
	{"both come", "", `
	s_barrier
	s_barrier
	s_endpgm
`},
	{"one has ended", "", `
	s_barrier
	s_cmp_eq_u32 s7, 0
	s_cbranch_scc1 L
	s_endpgm
L:
	s_barrier // missed 5
	s_endpgm
`},
	{"lanes end before", "", `
	s_mov_b64 exec, 1
	s_barrier
	s_mov_b64 exec, 0
	s_barrier
	s_endpgm
`},
	{"different ones", "", `
	s_cmp_eq_u32 s7, 0
	s_cbranch_scc1 L
	s_barrier
	s_endpgm
L:
	s_barrier // different 4
	s_barrier // missed 5
	s_endpgm
`},
	{"a loop on memory that nobody writes", "step limit", `
	s_load_dwordx2 s[0:1], s[4:5], 0x0
	s_waitcnt lgkmcnt(0)
	s_cmp_eq_u32 s7, 0
	s_cbranch_scc0 W
	v_mov_b32 v1, s0
	v_mov_b32 v2, s1
	v_add_u32 v1, vcc, 16, v1
L:
	flat_load_dword v3, v[1:2] glc // spins 0x1000000010 flat
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_readfirstlane_b32 s8, v3
	s_cmp_eq_u32 s8, 0
	s_cbranch_scc1 L
	s_barrier
	s_endpgm
W:
	s_barrier
	s_endpgm
`},
	{"a lock that is not released", "step limit", `
	s_cmp_eq_u32 s7, 0
	s_cbranch_scc0 W
	v_mov_b32 v1, 64
	v_mov_b32 v2, 0
	v_mov_b32 v3, 1
	s_mov_b32 m0, -1
	ds_write_b32 v1, v3
L:
	ds_cmpst_rtn_b32 v4, v1, v2, v3 // spins 0x40 group
	s_waitcnt lgkmcnt(0)
	v_readfirstlane_b32 s8, v4
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 L
W:
	s_endpgm
`},
	{"a lock in global memory that is not released", "step limit", `
	s_load_dwordx2 s[10:11], s[4:5], 0
	v_mov_b32 v3, 0
	v_mov_b32 v2, 1
	s_waitcnt lgkmcnt(0)
	v_mov_b32 v4, s10
	v_mov_b32 v5, s11
L:
	flat_atomic_cmpswap v6, v[4:5], v[2:3] glc // spins 0x1000000000 flat
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_readfirstlane_b32 s8, v6
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 L
	s_endpgm
`},
	{"a loop that computes", "step limit", `
L:
	s_add_u32 s8, s8, 1
	s_branch L
`},
	{"a loop that stores", "step limit", `
	s_mov_b32 m0, -1
	v_mov_b32 v1, 0
L:
	ds_read_b32 v2, v1
	ds_write_b32 v1, v2
	s_branch L
`},
}

// TestSync: barriers that not all waves reach, different barriers, and loops that wait in vain are found where they
// are, on all engines alike.
func TestSync(t *testing.T) {
	for _, c := range syncTexts {
		t.Run(c.name, func(t *testing.T) {
			want := marked(c.text)
			const first = "\tv_readfirstlane_b32 s7, v0\n\ts_lshr_b32 s7, s7, 6"
			o, lines := bare(t, c.name, []byte(first+c.text))
			for _, e := range rivals(t) {
				module, err := gcn.Load(o, nil)
				if err != nil {
					t.Fatal(err)
				}
				k := gcn.Kernel{Module: module, Name: o.Kernels[0].Name, Memory: gcn.NewMemory(), Grid: [3]uint32{128}, Block: [3]uint32{128}}
				b, err := k.Memory.Alloc("arg", 64)
				if err != nil {
					t.Fatal(err)
				}
				k.Args = append(k.Args, gcn.Buf(b))
				s := &sanitize.Sync{}
				_, err = gcn.Launch(context.Background(), k, launch.Settings{Engine: e, Workers: 1, Watcher: s, Limits: exec.Limits{Steps: 20000}})
				if (err != nil) != (c.fault != "") || !strings.Contains(fmt.Sprint(err), c.fault) {
					t.Fatalf("%s: %v, want %q", e.Name(), err, c.fault)
				}
				var got []string
				for _, x := range s.Found() {
					what := fmt.Sprintf("%d %v", lines[x.At.Place.Addr]-1, x.Kind)
					if x.With.Text != "" {
						what += fmt.Sprintf(" %d", lines[x.With.Place.Addr]-1)
					}
					if x.Kind == sanitize.Spins {
						what += fmt.Sprintf(" %#x %s", x.Addr, x.Space)
					}
					got = append(got, what)
				}
				if !slices.Equal(got, want) {
					t.Errorf("%s: found %q, want %q", e.Name(), got, want)
				}
			}
		})
	}
}
