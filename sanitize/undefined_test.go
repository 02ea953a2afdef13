package sanitize_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/sanitize"
)

// undefinedIn are programs with the findings that they must give: kind, instruction, origin, and the instructions that
// carried the value.
var undefinedIn = []struct {
	name, isa, text string
	want            []string
}{
	{"defined", "gfx803", "v_lshlrev_b32 v1, 2, v0\ns_mov_b32 m0, -1\nds_write_b32 v1, v0\ns_waitcnt lgkmcnt(0)\nds_read_b32 v2, v1\ns_waitcnt lgkmcnt(0)\nds_write_b32 v2, v2\ns_endpgm\n", nil},
	{"address", "gfx803", "v_add_u32 v1, vcc, v7, v0\nv_mov_b32 v2, v1\ns_mov_b32 m0, -1\nds_write_b32 v2, v0\ns_endpgm\n",
		[]string{"address | ds_write_b32 v2, v0 | v7 | v_add_u32_e32 v1, vcc, v7, v0 > v_mov_b32_e32 v2, v1"}},
	{"m0", "gfx803", "v_lshlrev_b32 v1, 2, v0\nds_read_b32 v2, v1\ns_endpgm\n", []string{"address | ds_read_b32 v2, v1 | m0 | "}},
	{"branch on LDS", "gfx803", "v_lshlrev_b32 v1, 2, v0\ns_mov_b32 m0, -1\nds_read_b32 v2, v1\ns_waitcnt lgkmcnt(0)\nv_cmp_eq_u32 vcc, 1, v2\ns_cbranch_vccz L\nv_mov_b32 v2, v1\nL:\ns_endpgm\n",
		[]string{"branch | s_cbranch_vccz 1 | group | ds_read_b32 v2, v1 > v_cmp_eq_u32_e32 vcc, 1, v2"}},
	{"through LDS", "gfx803", "v_lshlrev_b32 v1, 2, v0\ns_mov_b32 m0, -1\nds_write_b32 v1, v9\ns_waitcnt lgkmcnt(0)\nds_read_b32 v2, v1\ns_waitcnt lgkmcnt(0)\nv_cmp_eq_u32 vcc, 1, v2\ns_and_saveexec_b64 s[20:21], vcc\ns_endpgm\n",
		[]string{"execution mask | s_and_saveexec_b64 s[20:21], vcc | v9 | ds_write_b32 v1, v9 > ds_read_b32 v2, v1 > v_cmp_eq_u32_e32 vcc, 1, v2"}},
	{"only some lanes", "gfx803", "v_cmp_gt_u32 vcc, 32, v0\ns_and_saveexec_b64 s[20:21], vcc\nv_lshlrev_b32 v9, 2, v0\ns_mov_b64 exec, s[20:21]\ns_mov_b32 m0, -1\nds_write_b32 v9, v0\ns_endpgm\n",
		[]string{"address | ds_write_b32 v9, v0 | v9 | "}},
	{"masked bits", "gfx803", "v_and_b32 v1, 0, v7\nv_bfi_b32 v1, 60, v0, v1\ns_mov_b32 m0, -1\nds_write_b32 v1, v0\ns_endpgm\n", nil},
	{"copied in a loop", "gfx803", "s_mov_b32 s20, 40\ns_mov_b32 m0, -1\nL:\nv_add_u32 v1, vcc, 1, v7\nv_add_u32 v7, vcc, 1, v1\ns_sub_u32 s20, s20, 1\ns_cmp_lg_u32 s20, 0\ns_cbranch_scc1 L\nds_write_b32 v1, v0\ns_endpgm\n",
		[]string{"address | ds_write_b32 v1, v0 | v7 | v_add_u32_e32 v1, vcc, 1, v7"}},
	{"lane of another", "gfx803", "v_readlane_b32 s20, v7, 3\ns_cmp_eq_u32 s20, 0\ns_cbranch_scc1 L\ns_nop 0\nL:\ns_endpgm\n",
		[]string{"branch | s_cbranch_scc1 1 | v7 | v_readlane_b32 s20, v7, 3 > s_cmp_eq_u32 s20, 0"}},
	{"rogue", "rogue", "{ s0 = r4, is4 = ft0 p0: mbyp0 ft0, s0; w0 = r2 }\n{ s0 = r2..3, s3 = r8 backend: ld s3, drc0, 1, s0; }\n{ ctrl: wdf drc0; }\n{ ctrl: nop.end; }\n",
		[]string{"address | { s0 = r2..3, s3 = r8 backend: ld s3, drc0, 0x1, s0; } | r4 | { s0 = r4, is4 = ft0 p0: mbyp ft0, s0; w0 = r2 }"}},
	{"another lane's", "gfx803", "v_mov_b32 v7, v9\nv_cmp_lt_u32 vcc, 31, v0\nv_cndmask_b32 v7, 0, v7, vcc\nv_readlane_b32 s20, v7, 40\ns_cmp_eq_u32 s20, 0\ns_cbranch_scc1 L\ns_nop 0\nL:\ns_endpgm\n",
		[]string{"branch | s_cbranch_scc1 1 | v9 | v_mov_b32_e32 v7, v9 > v_cndmask_b32_e32 v7, 0, v7, vcc > v_readlane_b32 s20, v7, 40 > s_cmp_eq_u32 s20, 0"}},
	{"atomics of several lanes", "gfx803", "v_mov_b32 v1, 0\ns_mov_b32 m0, -1\nds_write_b32 v1, v1\nv_cmp_eq_u32 vcc, 0, v0\nv_cndmask_b32 v9, 0, v9, vcc\nds_add_rtn_u32 v2, v1, v9\ns_waitcnt lgkmcnt(0)\nv_cmp_lt_u32 vcc, 0, v0\nv_cndmask_b32 v2, 0, v2, vcc\nds_write_b32 v2, v0\ns_endpgm\n",
		[]string{"address | ds_write_b32 v2, v0 | group | ds_add_rtn_u32 v2, v1, v9 > v_cndmask_b32_e32 v2, 0, v2, vcc"}},
	{"another lane than the first", "gfx803", "v_mov_b32 v1, s30\nv_cmp_lt_u32 vcc, 0, v0\ns_and_saveexec_b64 s[20:21], vcc\ns_mov_b32 m0, -1\nds_write_b32 v1, v0\ns_endpgm\n",
		[]string{"address | ds_write_b32 v1, v0 | s30 | v_mov_b32_e32 v1, s30"}},
	{"written by an index", "gfx803", "v_mov_b32 v6, 0\ns_mov_b32 m0, 3\nv_movreld_b32 v3, v9\ns_mov_b32 m0, -1\nds_write_b32 v6, v0\ns_endpgm\n",
		[]string{"address | ds_write_b32 v6, v0 | v9 | v_movreld_b32_e32 v3, v9"}},
	{"scalar written by an index", "gfx803", "s_mov_b32 s26, 0\ns_mov_b32 m0, -4\ns_movreld_b32 s30, s20\ns_cmp_eq_u32 s26, 0\ns_cbranch_scc1 L\ns_nop 0\nL:\ns_endpgm\n",
		[]string{"branch | s_cbranch_scc1 1 | s20 | s_movreld_b32 s30, s20 > s_cmp_eq_u32 s26, 0"}},
	{"mode", "gfx803", "s_setreg_b32 hwreg(HW_REG_MODE, 0, 8), s30\ns_endpgm\n", []string{"mode | s_setreg_b32 hwreg(HW_REG_MODE, 0, 8), s30 | s30 | "}},
	{"what a group begins with", "tesla:g80", "cvt u32 $r5 u16 u16 s[0xc]\nst b32 g0[$r5] $r0\nexit nop\n", nil},
	{"tesla", "tesla:g80", "shl b32 $r1 $r2 0x2\nst b32 g0[$r1] $r0\nexit nop\n", []string{"address | st b32 g0[$r1] $r0 | $r2 | shl b32 $r1 $r2 0x2"}},
	{"valhall", "valhall:v9", "IADD.u32 r2, r40, r41\nSTORE.i32.slot0.wait0 @r0, r2, offset:0\nNOP.end\n", []string{"address | STORE.i32.slot0.wait0 @r0, r2, offset:0 | r40 | IADD.u32 r2, r40, r41"}},
}

func TestInit(t *testing.T) {
	for _, x := range undefinedIn {
		for _, name := range []string{"reference", "portable", "jit"} {
			t.Run(x.name+"/"+name, func(t *testing.T) {
				e, err := heddle.Engine(name)
				if err != nil {
					t.Skip(err)
				}
				isa := heddle.MustFind(x.isa)
				o := heddle.ProgramOptions{Name: "k"}
				if x.isa != "rogue" {
					o.Group = 4096
				}
				p, err := isa.Program(x.text, o)
				if err != nil {
					t.Fatal(err)
				}
				u := &sanitize.Init{}
				l := heddle.Launch{Grid: [3]uint32{256}, Block: [3]uint32{128}, Settings: launch.Settings{Engine: e, Watcher: u, Policy: exec.RobustFaults, Counted: true}}
				if r, err := p.Launch(context.Background(), l); err != nil {
					t.Error(err)
				} else if plain := without(t, p, l); r.Dropped != plain.Dropped || r.Instructions != plain.Instructions || r.Ops != plain.Ops {
					t.Errorf("counters %+v, without a shadow %+v", r.Counters, plain.Counters)
				}
				var got []string
				for _, f := range u.Found() {
					from := f.Origin.Register
					if from == "" {
						from = f.Origin.Space
					}
					var path []string
					for _, in := range f.Path {
						path = append(path, in.Text)
					}
					got = append(got, fmt.Sprintf("%s | %s | %s | %s", f.Kind, f.At.Text, from, strings.Join(path, " > ")))
				}
				if strings.Join(got, "\n") != strings.Join(x.want, "\n") {
					t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(x.want, "\n"))
				}
			})
		}
	}
}

// without runs a launch without sanitizer.
func without(t *testing.T, p *heddle.Program, l heddle.Launch) *launch.Result {
	t.Helper()
	l.Watcher, l.Counted = nil, true
	r, err := p.Launch(context.Background(), l)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestHostReads: an undefined value that is stored is found when the host reads the buffer, at its byte, but not if it
// has been overwritten.
func TestHostReads(t *testing.T) {
	const store = "v_mov_b32 v4, v9\ns_load_dwordx2 s[0:1], s[4:5], 0\ns_waitcnt lgkmcnt(0)\ns_add_u32 s0, s0, 6\ns_addc_u32 s1, s1, 0\nv_mov_b32 v2, s0\nv_mov_b32 v3, s1\nv_and_b32 v4, 0xff000000, v4\nflat_store_dword v[2:3], v4\n"
	for _, x := range []struct {
		text string
		want int
	}{{store, 1}, {store + "v_mov_b32 v4, 0\nflat_store_dword v[2:3], v4\n", 0}} {
		p, err := heddle.MustFind("gfx803").Program(x.text+"s_endpgm\n", heddle.ProgramOptions{Name: "k"})
		if err != nil {
			t.Fatal(err)
		}
		u := &sanitize.Init{}
		out := make([]byte, 64)
		l := heddle.Launch{Grid: [3]uint32{1}, Block: [3]uint32{1}, Settings: launch.Settings{Watcher: u}}
		if _, err := p.Launch(context.Background(), l, out); err != nil {
			t.Fatal(err)
		}
		u.HostReads(func(string) bool { return true })
		found := u.Found()
		if len(found) != x.want || x.want > 0 && (found[0].Kind != "memory" || found[0].Offset != 8 || found[0].Origin.Register != "v9" || len(found[0].Path) != 2) {
			t.Errorf("%v, want %d", found, x.want)
		}
	}
}

// TestFirstUndefined: the origin of a value is the first undefined byte of what is loaded.
func TestFirstUndefined(t *testing.T) {
	const load = "flat_load_dwordx4 v[4:7], v[2:3]\ns_waitcnt vmcnt(0) lgkmcnt(0)\nv_cmp_eq_u32 vcc, 1, v7\ns_cbranch_vccz L\ns_nop 0\nL:\ns_endpgm\n"
	const begin = "s_load_dwordx2 s[0:1], s[4:5], 0\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v2, s0\nv_mov_b32 v3, s1\nv_mov_b32 v4, 0\nv_mov_b32 v5, 0\nv_mov_b32 v6, 0\n"
	for _, x := range []struct {
		store string
		want  uint64
	}{{"", 0}, {"flat_store_byte v[2:3], v4\n", 1}, {"flat_store_dwordx2 v[2:3], v[4:5]\n", 8}, {"flat_store_dwordx3 v[2:3], v[4:6]\n", 12}} {
		p, err := heddle.MustFind("gfx803").Program(begin+x.store+load, heddle.ProgramOptions{Name: "k"})
		if err != nil {
			t.Fatal(err)
		}
		u := &sanitize.Init{}
		l := heddle.Launch{Grid: [3]uint32{1}, Block: [3]uint32{1}, Settings: launch.Settings{Watcher: u}}
		if _, err := p.Launch(context.Background(), l, heddle.InPlace{Data: make([]byte, 64), Unset: true}); err != nil {
			t.Fatal(err)
		}
		found := u.Found()
		if len(found) != 1 || found[0].Origin.Buffer != "arg0" || found[0].Origin.Offset != x.want || found[0].Origin.Addr%16 != x.want {
			t.Errorf("after %q: %v, want arg0 at +%#x", x.store, found, x.want)
		}
	}
}
