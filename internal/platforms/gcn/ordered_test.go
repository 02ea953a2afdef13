package gcn

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/gcn"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/mem"
	"github.com/heddle-gpu/heddle/object"
)

// orderedInfo asks for the number of the group in s0 and for group info in s1.
const orderedInfo = 1<<7 | 1<<10

// ordered runs code on the reference engine and returns the global data share.
func ordered(t *testing.T, initiator uint32, k Kernel, lines ...string) ([]byte, error) {
	t.Helper()
	m, err := Load(testObject(t, machineCode(t, lines...), object.Descriptor{Rsrc2: orderedInfo, Ordered: initiator&InitOrdered != 0}, nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	k.Module, k.Name, m.initiator = m, "k", initiator&^InitOrdered
	share := NewGDS()
	l, err := prepare(&k, &launch.Settings{Engine: ref.New(), Workers: 4, Limits: exec.Limits{Steps: 2000}}, share)
	if err != nil {
		t.Fatal(err)
	}
	_, err = l.Run(context.Background())
	g, _ := share.Segment("gds")
	return g.Data, err
}

// Each wave brings its number and 1, and stores the counter's old value by its number. Later ones of four come first.
var turns = []string{
	"s_bfe_u32 s2, s1, 0xb0006", // the number of the wave, or of the group
	"s_and_b32 s3, s2, 3",
	"s_cmp_eq_u32 s3, 3",
	"s_cbranch_scc1 3",
	"s_sleep 1",
	"s_add_u32 s3, s3, 1",
	"s_branch -5",
	"s_mov_b64 exec, 1",
	"v_mov_b32_e32 v1, s2",
	"v_add_u32_e32 v1, vcc, 1, v1",
	"s_lshl_b32 s4, s2, 2",
	"v_mov_b32_e32 v3, s4",
	"s_or_b32 m0, s2, 0x400000",
}

var stores = []string{
	"s_movk_i32 m0, 0x7fff",
	"ds_write_b32 v3, v2 offset:256 gds",
	"s_endpgm",
}

func code(lists ...[]string) (all []string) {
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

func shareWord(share []byte, at int) uint32 { return binary.LittleEndian.Uint32(share[at:]) }

// TestOrderedAppend: waves append in the order in which they begin, whichever comes first; the last group has one wave
// less. Source: LLVM and radeonsi's primitive culling (docs/reference/gcn.md 8.3).
func TestOrderedAppend(t *testing.T) {
	const waves = 5*3 + 2
	k := Kernel{Grid: [3]uint32{5*192 + 70}, Block: [3]uint32{192}}
	share, err := ordered(t, InitOrdered, k, code(turns, []string{"ds_ordered_count v2, v1 offset:772 gds", "s_waitcnt lgkmcnt(0)"}, stores)...)
	if err != nil {
		t.Fatal(err)
	}
	for id := range waves {
		if got, want := shareWord(share, 256+4*id), uint32(id*(id+1)/2); got != want {
			t.Errorf("wave %d finds %d, want %d", id, got, want)
		}
	}
	if got := shareWord(share, 0x44); got != waves*(waves+1)/2 { // M0[31:16] and counter 1
		t.Errorf("the counter is %d", got)
	}
}

// TestOrderedSwap: a swap gives each wave what the one before it has brought.
func TestOrderedSwap(t *testing.T) {
	share, err := ordered(t, InitOrdered, Kernel{Grid: [3]uint32{256}, Block: [3]uint32{256}}, code(turns, []string{"ds_ordered_count v2, v1 offset:4864 gds"}, stores)...)
	if err != nil {
		t.Fatal(err)
	}
	for id := range 4 {
		if got := shareWord(share, 256+4*id); got != uint32(id) {
			t.Errorf("wave %d finds %d", id, got)
		}
	}
}

// TestOrderedGroups: with ORDERED_APPEND_MODE the waves of a group have the group's number, and one of them appends.
func TestOrderedGroups(t *testing.T) {
	share, err := ordered(t, InitOrdered|InitOrderedGroups, Kernel{Grid: [3]uint32{5 * 128}, Block: [3]uint32{128}},
		code([]string{"s_cmp_lt_i32 s1, 0", "s_cbranch_scc1 1", "s_endpgm"}, turns, []string{"ds_ordered_count v2, v1 offset:768 gds"}, stores)...)
	if err != nil {
		t.Fatal(err)
	}
	for id := range 5 {
		if got, want := shareWord(share, 256+4*id), uint32(id*(id+1)/2); got != want {
			t.Errorf("group %d finds %d, want %d", id, got, want)
		}
	}
}

// TestOrderedSteps: a wave that has let the next one pass once may meet it at a barrier, and pass again in its turn.
func TestOrderedSteps(t *testing.T) {
	share, err := ordered(t, InitOrdered, Kernel{Grid: [3]uint32{3 * 256}, Block: [3]uint32{256}},
		code(turns, []string{"ds_ordered_count v2, v1 offset:260 gds", "s_barrier", "ds_ordered_count v2, v1 offset:768 gds"}, stores)...)
	if err != nil {
		t.Fatal(err)
	}
	for id := range 12 {
		if got, want := shareWord(share, 256+4*id), uint32(id*(id+1)/2); got != want {
			t.Errorf("wave %d finds %d, want %d", id, got, want)
		}
	}
	if a, b := shareWord(share, 0x40), shareWord(share, 0x44); a != 78 || b != 78 {
		t.Errorf("the counters are %d and %d", a, b)
	}
}

// TestManyOrdered: numbers have 11 bits, and go on from 0.
func TestManyOrdered(t *testing.T) {
	const waves = 2*gcn.OrderIDs + 10
	share, err := ordered(t, InitOrdered, Kernel{Grid: [3]uint32{waves * 64}, Block: [3]uint32{128}},
		code(turns, []string{"v_mov_b32_e32 v1, 1", "ds_ordered_count v2, v1 offset:768 gds"}, stores)...)
	if err != nil || shareWord(share, 0x40) != waves {
		t.Fatalf("%d appends, %v", shareWord(share, 0x40), err)
	}
	for id := range gcn.OrderIDs {
		want := uint32(id + gcn.OrderIDs)
		if id < 10 {
			want += gcn.OrderIDs
		}
		if got := shareWord(share, 256+4*id); got != want {
			t.Fatalf("number %d finds %d, want %d", id, got, want)
		}
	}
}

// TestOrderedNever: a wave that ends without its turn keeps the next one waiting, and so does one that comes again
// after it was done; without ORDERED_APPEND_ENBL, or with another number, the instruction is a fault.
func TestOrderedNever(t *testing.T) {
	append1 := []string{"ds_ordered_count v2, v1 offset:768 gds"}
	one := Kernel{Grid: [3]uint32{128}, Block: [3]uint32{128}}
	for _, c := range []struct {
		name      string
		initiator uint32
		code      []string
		want      string
	}{
		{"skipped", InitOrdered, code([]string{"s_cmp_lt_i32 s1, 0", "s_cbranch_scc0 1", "s_endpgm"}, turns, append1, stores), "2000"},
		{"again", InitOrdered, code(turns, append1, append1, stores), "2000"},
		{"not enabled", 0, code(turns, append1, stores), "ordered append, which the launch has not enabled (ORDERED_APPEND_ENBL)"},
		{"no number", InitOrdered, code(turns, []string{"s_or_b32 m0, m0, 0x800"}, append1, stores), "ordered append "},
		{"past the share", InitOrdered, code(turns, []string{"s_or_b32 m0, m0, 0xfffc0000", "ds_ordered_count v2, v1 offset:772 gds"}, stores), "0x10000: no segment"},
		{"other stages", InitOrdered, code(turns, []string{"ds_ordered_count v2, v1 offset:1796 gds"}, stores), "pixel, vertex or geometry"},
		{"done alone", InitOrdered, code(turns, []string{"ds_ordered_count v2, v1 offset:516 gds"}, stores), "done without release"},
		{"unknown bits", InitOrdered, code(turns, []string{"ds_ordered_count v2, v1 offset:769 gds"}, stores), "no source says"},
	} {
		_, err := ordered(t, c.initiator, one, c.code...)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "ds_ordered_count") {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestOrderedNumbers: numbers count the waves of partial groups too, which have fewer.
func TestOrderedNumbers(t *testing.T) {
	rnd := rand.New(rand.NewPCG(4, 2))
	for range 200 {
		g := launch.Grid{}
		for i := range 3 {
			g.Groups[i], g.Block[i] = 1+rnd.Uint32N(3), 1+rnd.Uint32N(9)
			if rnd.IntN(2) == 0 {
				g.Items[i] = g.Groups[i]*g.Block[i] - rnd.Uint32N(g.Block[i])
			}
		}
		for _, groups := range []bool{false, true} {
			o, next, index := &appendOrder{grid: &g, groups: groups}, uint32(0), uint64(0)
			for z := range g.Groups[2] {
				for y := range g.Groups[1] {
					for x := range g.Groups[0] {
						a := launch.Group{ID: [3]uint32{x, y, z}, Index: index, Size: g.Block}
						items := uint32(1)
						for i := range 3 {
							if g.Items[i] != 0 && a.ID[i] == g.Groups[i]-1 {
								a.Size[i] = g.Items[i] - a.ID[i]*g.Block[i]
							}
							items *= a.Size[i]
						}
						index++
						for wave := range int(items+63) / 64 {
							want := next
							if groups {
								want = uint32(index) - 1
							}
							next++
							if got := o.term(&a, wave); got != want {
								t.Fatalf("%+v: wave %d of group %v has the number %d, want %d", g, wave, a.ID, got, want)
							}
						}
					}
				}
			}
		}
	}
}

// TestOrderedFar: each wave has its turn in a relaxed launch of groups of 16 waves, of which several workers would run
// some whose numbers differ by 2048 at once, and in a second run of it.
func TestOrderedFar(t *testing.T) {
	const groups, waves = 2000, 2000 * 16
	m, err := Load(testObject(t, machineCode(t,
		"s_bfe_u32 s2, s1, 0xb0006",
		"s_lshl_b32 s3, s0, 4", // the number of the wave: that of the group, and 4 bits of the term
		"s_and_b32 s4, s2, 15",
		"s_or_b32 s3, s3, s4",
		"s_mov_b64 exec, 1",
		"v_mov_b32_e32 v1, 1",
		"v_mov_b32_e32 v3, 0",
		"s_mov_b32 m0, s2",
		"ds_ordered_count v2, v1 offset:768 gds",
		"s_waitcnt lgkmcnt(0)",
		"v_readfirstlane_b32 s4, v2",
		"s_cmp_eq_u32 s4, s3",
		"s_cbranch_scc1 3",
		"s_movk_i32 m0, 0x7fff",
		"ds_add_u32 v3, v1 offset:4 gds", // waves out of turn
		"s_endpgm"), object.Descriptor{Rsrc2: orderedInfo, Ordered: true}, nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	k := Kernel{Module: m, Name: "k", Grid: [3]uint32{groups * 1024}, Block: [3]uint32{1024}}
	l, err := NewLaunch(k, launch.Settings{Engine: ref.New(), Workers: 6, Relaxed: true, Limits: exec.Limits{Steps: 1 << 16}})
	if err != nil {
		t.Fatal(err)
	}
	g, _ := l.Env.Space(ir.GlobalSpace, gcn.BankGDS).Segment("gds")
	for run := range 2 {
		clear(g.Data)
		if _, err := l.Run(context.Background()); err != nil {
			t.Fatalf("run %d: %v", run, err)
		}
		if n, wrong := shareWord(g.Data, 0), shareWord(g.Data, 4); n != waves || wrong != 0 {
			t.Fatalf("run %d: %d appends, want %d; %d out of turn", run, n, waves, wrong)
		}
	}
}

// TestOrderedRegisters: so does a launch by registers.
func TestOrderedRegisters(t *testing.T) {
	l, err := (&RegisterLaunch{Program: exec.NewProgram(&isa.Program{Target: gcn.Set().At(0, 0)}), Initiator: InitOrdered,
		Grid: launch.Grid{Groups: [3]uint32{9, 1, 1}, Block: [3]uint32{64, 1, 1}}, GDS: NewGDS(), Global: &mem.Space{}, Images: NewImages(&mem.Space{}, nil)}).
		Launch(8, &launch.Settings{Engine: ref.New(), Workers: 6, Relaxed: true})
	if err != nil || l.Workers != 1 {
		t.Fatalf("%d workers, %v", l.Workers, err)
	}
}

// TestInitiatorBits: a manifest may ask for an order of appends, of groups only with the bit that enables it, and
// nothing else.
func TestInitiatorBits(t *testing.T) {
	for initiator, ok := range map[uint32]bool{0: true, 8: true, 24: true, 16: false, 1: false, 8 | 1<<6: false} {
		if err := checkInitiator(initiator); (err == nil) != ok {
			t.Errorf("%#x: %v", initiator, err)
		}
	}
}
