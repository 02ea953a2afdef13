package differ

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/platforms/gcn"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/sanitize"
)

// beforeRace computes in v1 four times the number of an item in its group, in v[10:11] the address of its own word in
// the buffer at s[16:17], which is also v[14:15], in v12 its offset in the buffer, and in s21 the number of the wave.
// Groups have 128 items.
const beforeRace = `
	s_load_dwordx2 s[16:17], s[4:5], 0
	s_waitcnt lgkmcnt(0)
	s_mov_b32 m0, -1
	v_lshlrev_b32 v1, 2, v0
	s_lshl_b32 s20, s6, 9
	v_add_u32 v12, vcc, s20, v1
	v_add_u32 v10, vcc, s16, v12
	v_mov_b32 v11, s17
	v_addc_u32 v11, vcc, 0, v11, vcc
	v_mov_b32 v14, s16
	v_mov_b32 v15, s17
	v_readfirstlane_b32 s21, v0
	s_lshr_b32 s21, s21, 6
	v_xor_b32 v2, 0x100, v1
	v_xor_b32 v20, 0x100, v10
	v_mov_b32 v21, v11
	v_mov_b32 v9, 0
`

// raceTexts are texts of groups of 128 items, and the races in them: the comments behind both instructions, in any
// order, and the kind. Expectations follow from the rule in the comment of sanitize.Races.
var raceTexts = []struct{ name, text, want string }{
	{"own words", `
	flat_store_dword v[10:11], v0 // a
	flat_load_dword v3, v[10:11] // b
`, ""},
	{"words of another wave", `
	flat_store_dword v[10:11], v0 // a
	flat_load_dword v3, v[20:21] // b
`, "a b unordered"},
	{"words of another wave behind a barrier", `
	flat_store_dword v[10:11], v0 // a
	s_waitcnt vmcnt(0) lgkmcnt(0)
	s_barrier
	flat_load_dword v3, v[20:21] // b
`, ""},
	{"words of another group behind a barrier", `
	flat_store_dword v[10:11], v0 // a
	s_waitcnt vmcnt(0) lgkmcnt(0)
	s_barrier
	v_xor_b32 v10, 0x200, v10
	flat_load_dword v3, v[10:11] // b
`, "a b unordered"},
	{"words of another lane", `
	flat_store_dword v[10:11], v0 // a
	v_xor_b32 v10, 4, v10
	flat_load_dword v3, v[10:11] // b
`, ""},
	{"reduction without a barrier", `
	ds_write_b32 v1, v0 // a
	ds_read_b32 v3, v2 // b
`, "a b unordered"},
	{"reduction with one", `
	ds_write_b32 v1, v0 // a
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v3, v2 // b
`, ""},
	{"loop with one barrier missing", `
	s_mov_b32 s22, 2
again:
	ds_write_b32 v1, v0 // a
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v3, v2 // b
	s_waitcnt lgkmcnt(0)
	s_sub_u32 s22, s22, 1
	s_cmp_lg_u32 s22, 0
	s_cbranch_scc1 again
`, "a b unordered"},
	{"loop with both", `
	s_mov_b32 s22, 2
again:
	ds_write_b32 v1, v0 // a
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v3, v2 // b
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_sub_u32 s22, s22, 1
	s_cmp_lg_u32 s22, 0
	s_cbranch_scc1 again
`, ""},
	{"histogram", `
	flat_load_dword v3, v[14:15] // a
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_add_u32 v3, vcc, 1, v3
	flat_store_dword v[14:15], v3 // b
`, "a b unordered, b b unordered"},
	{"histogram with atomics", `
	v_mov_b32 v3, 1
	flat_atomic_add v[14:15], v3 // a
`, ""},
	{"old values of atomics", `
	v_mov_b32 v3, 1
	flat_atomic_add v4, v[14:15], v3 glc // a
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_add_u32 v14, vcc, 4, v14
	flat_store_dword v[14:15], v4 // b
`, "b b unordered"},
	{"an atomic guards words of other groups", `
	flat_store_dword v[10:11], v0 // a
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_add_u32 v14, vcc, 0x800, v14
	v_mov_b32 v3, 1
	flat_atomic_add v4, v[14:15], v3 glc // b
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_cmp_lt_u32 vcc, 0x80, v4
	s_and_b64 exec, exec, vcc
	v_xor_b32 v10, 0x200, v10
	flat_load_dword v3, v[10:11] // c
`, "a c unordered"},
	{"a flag", `
	v_mov_b32 v3, 7
	flat_store_dword v[14:15], v3 // a
`, "a a same value"},
	{"the wave's number", `
	v_mov_b32 v3, s21
	flat_store_dword v[14:15], v3 // a
`, "a a unordered"},
	{"plain and atomic", `
	v_mov_b32 v3, 1
	flat_atomic_add v[14:15], v3 // a
	flat_load_dword v4, v[14:15] // b
`, "a b half atomic"},
	{"a load past caches and an atomic", `
	v_mov_b32 v3, 1
	flat_atomic_add v[14:15], v3 // a
	flat_load_dword v4, v[14:15] glc // b
`, ""},
	{"a comparing exchange that does not happen", `
	v_mov_b32 v4, 7
	v_mov_b32 v5, 5
	flat_atomic_cmpswap v[14:15], v[4:5] // a
	flat_load_dword v3, v[14:15] // b
`, ""},
	{"one that does in one lane", `
	v_mov_b32 v4, 7
	v_mov_b32 v5, 0
	flat_atomic_cmpswap v[14:15], v[4:5] // a
	flat_load_dword v3, v[14:15] // b
`, "a b half atomic"},
	{"one of what the lane before has left", `
	v_add_u32 v4, vcc, 1, v0
	v_mov_b32 v5, v0
	flat_atomic_cmpswap v[14:15], v[4:5] // a
	v_cmp_eq_u32 vcc, 2, v0
	s_and_b64 exec, exec, vcc
	flat_load_dword v3, v[14:15] // b
`, "a b half atomic"},
	{"a comparing exchange that does not happen, and a store", `
	v_mov_b32 v4, 7
	v_mov_b32 v5, 5
	flat_atomic_cmpswap v[14:15], v[4:5] // a
	flat_store_dword v[14:15], v9 // b
`, "a b half atomic, b b same value"},
	{"on another page", `
	flat_store_dword v[10:11], v0 // a
	v_add_u32 v14, vcc, 0x2000, v14
	flat_store_dword v[14:15], v0 // b
`, "b b unordered"},
	{"in both memories", `
	ds_write_b32 v9, v0 // a
	v_add_u32 v14, vcc, 0x2000, v14
	flat_store_dword v[14:15], v0 // b
`, "a a unordered, b b unordered"},
	{"scalar load", `
	flat_store_dword v[14:15], v9 // a
	s_load_dword s22, s[16:17], 0 // b
`, "a a same value, a b unordered"},
	{"bytes of one word", `
	v_and_b32 v3, 63, v0
	v_lshlrev_b32 v3, 1, v3
	v_add_u32 v3, vcc, s21, v3
	s_lshl_b32 s22, s6, 7
	v_add_u32 v3, vcc, s22, v3
	v_add_u32 v14, vcc, v14, v3
	flat_store_byte v[14:15], v0 // a
`, ""},
	{"bytes of one word of group memory", `
	v_and_b32 v3, 63, v0
	v_lshlrev_b32 v3, 1, v3
	v_add_u32 v3, vcc, s21, v3
	ds_write_b8 v3, v0 // a
`, ""},
	{"an odd byte", `
	flat_store_dword v[10:11], v0 // a
	v_add_u32 v20, vcc, 3, v20
	flat_load_ubyte v3, v[20:21] // b
`, "a b unordered"},
	{"two words over the next wave's", `
	v_mov_b32 v4, v0
	v_mov_b32 v5, v0
	flat_store_dwordx2 v[10:11], v[4:5] // a
`, "a a unordered"},
	{"flat addresses of group memory", `
	v_mov_b32 v10, v1
	v_mov_b32 v11, SHARED
	flat_store_dword v[10:11], v0 // a
	ds_read_b32 v3, v2 // b
`, "a b unordered"},
	{"four words at once", `
	v_lshlrev_b32 v3, 4, v0
	v_xor_b32 v4, 0x400, v3
	s_lshl_b32 s20, s6, 11
	v_add_u32 v3, vcc, s20, v3
	v_add_u32 v4, vcc, s20, v4
	v_add_u32 v10, vcc, s16, v3
	v_add_u32 v20, vcc, s16, v4
	v_add_u32 v20, vcc, 12, v20
	flat_store_dwordx4 v[10:11], v[0:3] // a
	flat_load_dword v3, v[20:21] // b
`, "a b unordered"},
	{"lanes that are not active", `
	s_mov_b64 exec, 0
	flat_store_dword v[14:15], v0 // a
`, ""},
	{"only the first group", `
	s_cmp_lg_u32 s6, 0
	s_cbranch_scc1 over
	s_cmp_lg_u32 s21, 0
	s_cbranch_scc1 over
	flat_store_dword v[14:15], v0 // a
over:
`, ""},
	{"only the last wave of all", `
	flat_load_dword v3, v[14:15] // b
	s_add_u32 s22, s6, s21
	s_cmp_lg_u32 s22, 2
	s_cbranch_scc1 over
	flat_store_dword v[14:15], v0 // a
over:
`, "a b unordered"},
	{"scratch", `
	buffer_store_dword v0, off, s[0:3], s9
	buffer_load_dword v3, off, s[0:3], s9
`, ""},
}

// TestRaceTexts: each engine finds the races of the texts and no others, on any number of workers.
func TestRaceTexts(t *testing.T) {
	for _, c := range raceTexts {
		t.Run(c.name, func(t *testing.T) {
			text := raceText(c.text)
			o, lines := bare(t, c.name, []byte(text))
			source := strings.Split(text, "\n")
			comment := func(in sanitize.Instruction) string {
				_, mark, _ := strings.Cut(source[lines[in.Place.Addr]-1], "// ")
				return mark
			}
			run := &watched{block: 128, grid: 256, args: []int{16384}}
			w := sameFound(t, "", func(e exec.Engine, w *watchers) error { return run.run(o, e, w) })
			var got []string
			for _, r := range w.races.Found() {
				pair := []string{comment(r.First.Instruction), comment(r.Second.Instruction)}
				slices.Sort(pair)
				got = append(got, fmt.Sprint(strings.Join(pair, " "), " ", r.Kind))
			}
			slices.Sort(got)
			if got := strings.Join(slices.Compact(got), ", "); got != c.want {
				t.Errorf("found %s; want %s; all %q", got, c.want, w.found())
			}
			twice := c.want != "" || strings.HasPrefix(c.name, "bytes of one word") || strings.HasPrefix(c.name, "a load past caches") || strings.HasPrefix(c.name, "a comparing")
			late := count(strings.HasPrefix(c.name, "only the last wave")) // the first run marks no loads where there were no stores
			if w.runs != 1+count(twice)+late {
				t.Errorf("%d runs, want %d", w.runs, 1+count(twice)+late)
			}
			run.workers = 2
			for _, e := range rivals(t) {
				both := newWatchers()
				if err := run.run(o, e, both); err != nil {
					t.Fatal(err)
				}
				if g, want := both.found(), w.found(); !slices.Equal(g, want) {
					t.Errorf("%s on two workers: %q, want %q", e.Name(), g, want)
				}
			}
		})
	}
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestLocalRaces: on request only the races in group memory are found, on any number of workers.
func TestLocalRaces(t *testing.T) {
	inGroup := map[string]bool{"reduction without a barrier": true, "in both memories": true, "loop with one barrier missing": true, "flat addresses of group memory": true}
	for _, c := range raceTexts {
		o, _ := bare(t, c.name, []byte(raceText(c.text)))
		for _, e := range rivals(t) {
			for workers := range 2 {
				w := newWatchers()
				w.races.Local, w.Sanitizer = true, sanitize.Combine(nil, w.races)
				run := &watched{block: 128, grid: 256, args: []int{16384}, workers: workers + 1}
				if err := run.run(o, e, w); err != nil {
					t.Fatal(err)
				}
				if found := w.races.Found(); len(found) > 0 != inGroup[c.name] {
					t.Errorf("%s: %s: found %v", c.name, e.Name(), found)
				}
			}
		}
	}
}

// raceText is a text of raceTexts as a program.
func raceText(text string) string {
	return beforeRace + strings.ReplaceAll(text, "SHARED", fmt.Sprintf("%#x", uint64(gcn.SharedBase)>>32)) + "\ts_waitcnt vmcnt(0) lgkmcnt(0)\n\ts_endpgm\n"
}

// TestTwice: what a launch that runs twice, to look for races, finds otherwise is what it finds in one run. Waves store
// bytes of the same words, which is none, and a register that nothing has set; each of the two reads
// what a flat load has yet to write, which counts once: for the counter of the memory that it is in.
func TestTwice(t *testing.T) {
	const text = beforeRace + `
	v_and_b32 v22, 63, v0
	v_lshlrev_b32 v22, 2, v22
	v_lshrrev_b32 v23, 6, v0
	v_add_u32 v22, vcc, v22, v23
	v_add_u32 v24, vcc, s16, v22
	v_mov_b32 v25, s17
	v_addc_u32 v25, vcc, 0, v25, vcc
	flat_store_byte v[24:25], v0
	v_add_u32 v10, vcc, 0x400, v10
	flat_load_dword v3, v[10:11]
	v_mov_b32 v4, v3
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dword v[10:11], v40
	s_waitcnt vmcnt(0) lgkmcnt(0)
	s_endpgm
`
	o, _ := bare(t, "twice", []byte(text))
	found := func(e exec.Engine, workers int, direct bool) (list []string) {
		w := newWatchers()
		w.Sanitizer = sanitize.New(sanitize.CheckAll, nil)
		w.Direct = direct
		if err := (&watched{block: 128, grid: 128, args: []int{4096}, workers: workers}).run(o, e, w); err != nil {
			t.Fatal(err)
		}
		for _, f := range w.Findings() {
			list = append(list, fmt.Sprintf("%s of %s, %d times", f.Rule, f.Origin, f.Count))
		}
		return list
	}
	want := []string{"missing-wait of , 2 times", "undefined-result of register v40, which neither the launch nor an instruction has set, 128 times"}
	for _, e := range append(rivals(t), ref.New()) {
		for _, direct := range []bool{true, false} {
			for workers := range 2 {
				if got := found(e, workers+1, direct); !slices.Equal(got, want) {
					t.Errorf("%s, direct %v, %d workers: %q, want %q", e.Name(), direct, workers+1, got, want)
				}
			}
		}
	}
}

// TestRacesOfLaunches: a launch is ordered with the one before, which uses the same buffer.
func TestRacesOfLaunches(t *testing.T) {
	races := &sanitize.Races{}
	k := gcn.Kernel{Memory: gcn.NewMemory(), Name: "k", Grid: [3]uint32{256}, Block: [3]uint32{128}}
	b, err := k.Memory.Alloc("data", 4096)
	if err != nil {
		t.Fatal(err)
	}
	k.Args = []gcn.Arg{gcn.Buf(b)}
	for i, text := range []string{"flat_store_dword v[10:11], v0", "v_xor_b32 v10, 0x300, v10\nflat_load_dword v3, v[10:11]", "v_xor_b32 v10, 0x300, v10\nflat_store_dword v[10:11], v0"} {
		o, _ := bare(t, fmt.Sprint("launch ", i), []byte(beforeRace+text+"\ns_waitcnt vmcnt(0) lgkmcnt(0)\ns_endpgm\n"))
		if k.Module, err = gcn.Load(o, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := gcn.Launch(context.Background(), k, launch.Settings{Engine: ref.New(), Watcher: races}); err != nil {
			t.Fatal(err)
		}
	}
	if found := races.Found(); len(found) > 0 {
		t.Errorf("found %v", found)
	}
}

// laneTexts are texts of one wave, and whether lanes of an instruction store different values.
var laneTexts = []struct {
	name, text string
	differ     bool
}{
	{"one value", "flat_store_dword v[14:15], v9", false},
	{"own words", "flat_store_dword v[10:11], v0", false},
	{"numbers of lanes", "flat_store_dword v[14:15], v0", true},
	{"group memory", "v_and_b32 v3, 0x7c, v1\nds_write_b32 v3, v0", true},
	{"the same byte of different values", "v_lshlrev_b32 v3, 8, v0\nflat_store_byte v[14:15], v3", false},
	{"different bytes", "flat_store_byte v[14:15], v0", true},
	{"halves", "flat_store_short v[14:15], v0", true},
	{"two places", "ds_write2_b32 v1, v0, v0 offset0:0 offset1:64", false},
	{"two places, one of them shared", "v_and_b32 v3, 0x7c, v1\nds_write2_b32 v3, v9, v0 offset0:0 offset1:64", true},
	{"two words over the next lane's", "v_mov_b32 v4, v0\nv_mov_b32 v5, v0\nflat_store_dwordx2 v[10:11], v[4:5]", true},
	{"two equal words over the next lane's", "v_mov_b32 v8, 0\nflat_store_dwordx2 v[10:11], v[8:9]", false},
	{"one lane", "s_mov_b64 exec, 4\nflat_store_dword v[14:15], v0", false},
	{"floats", "v_cvt_f32_u32 v3, v0\nflat_store_dword v[14:15], v3", true},
	{"not a number", "v_mov_b32 v3, 0x7fc00001\nflat_store_dword v[14:15], v3", false},
}

// TestRacesAmongLanes: lanes of one instruction that store different values are found on request, in the second run of
// the launch, which takes place only then.
func TestRacesAmongLanes(t *testing.T) {
	for _, c := range laneTexts {
		o, _ := bare(t, c.name, []byte(beforeRace+c.text+"\ns_waitcnt vmcnt(0) lgkmcnt(0)\ns_endpgm\n"))
		for _, e := range append(rivals(t), ref.New()) {
			for _, lanes := range []bool{false, true} {
				w := newWatchers()
				w.races.Lanes, w.Sanitizer = lanes, sanitize.Combine(nil, w.races)
				if err := (&watched{block: 64, grid: 64, args: []int{4096}}).run(o, e, w); err != nil {
					t.Fatal(err)
				}
				found := w.races.Found()
				if len(found) != 0 != (lanes && c.differ) || w.runs != 1+len(found) {
					t.Errorf("%s: %s, lanes %v, %d runs: %v", c.name, e.Name(), lanes, w.runs, found)
				}
				for _, r := range found {
					if r.Kind != sanitize.AmongLanes || r.First.Lane == r.Second.Lane || r.First.Wave != r.Second.Wave {
						t.Errorf("%s: %v", c.name, r)
					}
				}
			}
		}
	}
}
