package profile_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/mem"
	"github.com/heddle-gpu/heddle/profile"
)

// A run is a program and its launch.
type run struct {
	isa, text   string
	grid, block uint32
	group       int // bytes of group memory
	private     int // bytes of private memory of a lane
	steps       uint64
	buffers     []int
	args        []any // after the buffers
	memory      profile.Memory
	fault       bool // the launch ends by a fault
}

// count runs it on an engine and returns the counts of the only code.
func (r *run) count(t *testing.T, engine string, workers int) profile.Code {
	t.Helper()
	c := profile.New(func(ir.Code) profile.Memory { return r.memory })
	res := r.launch(t, engine, workers, c)
	codes := c.Codes()
	if len(codes) != 1 || c.Incomplete() != "" {
		t.Fatalf("%d codes, %s", len(codes), c.Incomplete())
	}
	waves := uint64(0)
	for _, in := range codes[0].Insts {
		waves += in.Waves
	}
	if waves != res.Instructions {
		t.Errorf("%s: %d instructions are counted, and %d have run", engine, waves, res.Instructions)
	}
	if got := trafficOf(&codes[0]); got != res.Memory && !r.fault {
		t.Errorf("%s with %d workers: the profile has traffic %+v, and the run %+v", engine, workers, got, res.Memory)
	}
	if l := codes[0].Launches; len(l) != 1 || l[0].Count != 1 || l[0].Sizes.Items != int(r.block) || l[0].Sizes.Group < r.group {
		t.Errorf("%s with %d workers: launches %+v", engine, workers, codes[0].Launches)
	}
	return codes[0]
}

// launch runs it on an engine with a watcher, or none.
func (r *run) launch(t *testing.T, engine string, workers int, w launch.Watcher) *launch.Result {
	t.Helper()
	e, err := heddle.Engine(engine)
	if err != nil {
		t.Fatal(err)
	}
	set, err := heddle.Find(r.isa)
	if err != nil {
		t.Fatal(err)
	}
	p, err := set.Program(r.text, heddle.ProgramOptions{Group: r.group, Private: r.private})
	if err != nil {
		t.Fatal(err)
	}
	l := heddle.Launch{Grid: [3]uint32{r.grid}, Block: [3]uint32{r.block}, Settings: launch.Settings{Watcher: w, Engine: e, Workers: workers, Counted: true, Limits: exec.Limits{Steps: r.steps}}}
	var args []any
	for _, n := range r.buffers {
		args = append(args, heddle.InPlace{Data: mem.Alloc(n)})
	}
	res, err := p.Launch(context.Background(), l, append(args, r.args...)...)
	var fault *exec.Fault
	if errors.As(err, &fault) != r.fault || err != nil && !r.fault {
		t.Fatal(err)
	}
	return res
}

// everywhere calls do with the counts on each engine, with one worker and several: they must be the same.
func (r *run) everywhere(t *testing.T, do func(c profile.Code)) {
	t.Helper()
	var first []profile.Inst
	for _, engine := range heddle.Engines() {
		for _, workers := range []int{1, 3} {
			c := r.count(t, engine, workers)
			if first == nil {
				first = c.Insts
				do(c)
			}
			if !reflect.DeepEqual(c.Insts, first) {
				t.Errorf("%s with %d workers counts\n%+v\nnot\n%+v", engine, workers, c.Insts, first)
			}
		}
	}
}

// at returns the counts of the only instruction whose text begins so.
func at(t *testing.T, c profile.Code, text string) *profile.Inst {
	t.Helper()
	i := slices.IndexFunc(c.Insts, func(in profile.Inst) bool { return strings.HasPrefix(c.Text(in.PC), text) })
	if i < 0 {
		t.Fatalf("no %s ran", text)
	}
	return &c.Insts[i]
}

var gcnMemory = profile.Memory{Line: 64, Banks: 32, Pass: 32}

// gcnAddress leaves in v[2:3] the address of the buffer plus v1.
const gcnAddress = "s_load_dwordx2 s[0:1], s[4:5], 0\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v3, s1\nv_add_u32 v2, vcc, s0, v1\nv_addc_u32 v3, vcc, 0, v3, vcc\n"

// TestLines: the lines of an access are those that 64 lanes touch which lie so many bytes apart, from an offset on. The
// buffer begins at a line.
func TestLines(t *testing.T) {
	for _, x := range []struct{ step, offset, size, lines uint64 }{
		{4, 0, 4, 4}, {4, 4, 4, 5}, {0, 0, 4, 1}, {0, 60, 8, 2}, {64, 0, 4, 64}, {64, 60, 8, 65}, {8, 0, 8, 8}, {16, 0, 16, 16}, {32, 0, 4, 32}, {128, 0, 4, 64}, {20, 0, 4, 20}, {1, 0, 1, 1}, {1, 32, 1, 2},
	} {
		load := map[uint64]string{1: "flat_load_ubyte v4", 4: "flat_load_dword v4", 8: "flat_load_dwordx2 v[4:5]", 16: "flat_load_dwordx4 v[4:7]"}[x.size]
		r := run{isa: "gcn:gfx8", grid: 256, block: 64, buffers: []int{1 << 14}, memory: gcnMemory,
			text: fmt.Sprintf("s_movk_i32 s6, %d\nv_mul_u32_u24 v1, s6, v0\nv_add_u32 v1, vcc, %d, v1\n%s%s, v[2:3]\ns_endpgm\n", x.step, x.offset, gcnAddress, load)}
		r.everywhere(t, func(c profile.Code) {
			in := at(t, c, "flat_load")
			want := []profile.Use{{Space: ir.GlobalSpace, Bytes: int(x.size), Access: profile.Access{Requests: 4, Lanes: 256, Bytes: 256 * x.size, Lines: 4 * x.lines}}}
			if in.Waves != 4 || in.Lanes != 256 || !reflect.DeepEqual(in.Memory, want) {
				t.Errorf("%+v: %+v", x, in)
			}
		})
	}
}

// TestScattered: of lanes in any order and with gaps, lines are counted once. Lane i accesses word 37*i modulo 64 of
// each second line, or is not active.
func TestScattered(t *testing.T) {
	r := run{isa: "gcn:gfx8", grid: 64, block: 64, buffers: []int{1 << 14}, memory: gcnMemory,
		text: "v_mul_u32_u24 v1, 37, v0\nv_and_b32 v1, 63, v1\nv_lshlrev_b32 v1, 7, v1\n" + gcnAddress + "v_and_b32 v5, 3, v0\nv_cmp_eq_u32 vcc, 1, v5\ns_and_saveexec_b64 s[8:9], vcc\nflat_store_dword v[2:3], v0\ns_endpgm\n"}
	r.everywhere(t, func(c profile.Code) {
		in := at(t, c, "flat_store")
		want := []profile.Use{{How: profile.Stores, Space: ir.GlobalSpace, Bytes: 4, Access: profile.Access{Requests: 1, Lanes: 16, Bytes: 64, Lines: 16}}}
		if in.Lanes != 16 || !reflect.DeepEqual(in.Memory, want) {
			t.Errorf("%+v", in)
		}
		if before := at(t, c, "s_and_saveexec"); before.Lanes != 64 {
			t.Errorf("%+v", before)
		}
	})
}

// TestConflicts: lanes that lie so many words apart in group memory conflict as often as words of half a wave fall into
// one bank.
func TestConflicts(t *testing.T) {
	for step := range uint64(66) {
		passes := uint64(0)
		for half := range uint64(2) {
			in := map[uint64]map[uint64]bool{} // words by bank
			most := 0
			for lane := half * 32; lane < half*32+32; lane++ {
				word := lane * step
				if in[word%32] == nil {
					in[word%32] = map[uint64]bool{}
				}
				in[word%32][word] = true
				most = max(most, len(in[word%32]))
			}
			passes += uint64(most)
		}
		r := run{isa: "gcn:gfx8", grid: 64, block: 64, group: 1 << 15, memory: gcnMemory,
			text: fmt.Sprintf("s_mov_b32 m0, -1\nv_mul_u32_u24 v1, %d, v0\nds_read_b32 v2, v1\ns_waitcnt lgkmcnt(0)\ns_endpgm\n", 4*step)}
		if 4*step > 64 {
			r.text = strings.Replace(r.text, "v_mul_u32_u24 v1, ", "s_movk_i32 s0, ", 1)
			r.text = strings.Replace(r.text, ", v0\nds", "\nv_mul_u32_u24 v1, s0, v0\nds", 1)
		}
		want := []profile.Use{{Space: ir.GroupSpace, Bytes: 4, Access: profile.Access{Requests: 1, Lanes: 64, Bytes: 256, Passes: passes, Free: 2}}}
		if in := at(t, r.count(t, "reference", 1), "ds_read"); !reflect.DeepEqual(in.Memory, want) {
			t.Errorf("step of %d words: %+v, want %+v", step, in, want)
		}
	}
}

// TestWideConflicts: eight bytes of each of 32 lanes take two passes, as 64 words do in 32 banks.
func TestWideConflicts(t *testing.T) {
	r := run{isa: "gcn:gfx8", grid: 64, block: 64, group: 512, memory: gcnMemory,
		text: "s_mov_b32 m0, -1\nv_lshlrev_b32 v1, 3, v0\nds_read_b64 v[2:3], v1\ns_waitcnt lgkmcnt(0)\ns_endpgm\n"}
	r.everywhere(t, func(c profile.Code) {
		if in := at(t, c, "ds_read"); in.Memory[0].Passes != 4 || in.Memory[0].Free != 4 {
			t.Errorf("%+v", in)
		}
	})
}

// TestAtomics: the repeats of a request are the lanes that share an address.
func TestAtomics(t *testing.T) {
	for shift, most := range map[int]uint64{0: 1, 2: 4, 6: 64} {
		r := run{isa: "gcn:gfx8", grid: 128, block: 64, buffers: []int{256}, memory: gcnMemory,
			text: fmt.Sprintf("v_lshrrev_b32 v1, %d, v0\nv_lshlrev_b32 v1, 2, v1\n%sflat_atomic_add v[2:3], v0\ns_endpgm\n", shift, gcnAddress)}
		r.everywhere(t, func(c profile.Code) {
			if in := at(t, c, "flat_atomic"); len(in.Memory) != 1 || in.Memory[0].How != profile.Atomics || in.Memory[0].Repeats != 2*most {
				t.Errorf("%d: %+v", shift, in)
			}
		})
	}
}

// TestLoop: lane i of a wave stays in a loop for i+1 turns.
func TestLoop(t *testing.T) {
	r := run{isa: "gcn:gfx8", grid: 640, block: 128, memory: gcnMemory,
		text: "v_and_b32 v0, 63, v0\nv_mov_b32 v1, 0\nl: v_add_u32 v1, vcc, 1, v1\nv_cmp_le_u32 vcc, v1, v0\ns_and_b64 exec, exec, vcc\ns_cbranch_execnz l\ns_endpgm\n"}
	r.everywhere(t, func(c profile.Code) {
		const waves = 10
		add, back, end := at(t, c, "v_add_u32"), at(t, c, "s_cbranch"), at(t, c, "s_endpgm")
		if add.Waves != waves*64 || add.Lanes != waves*64*65/2 {
			t.Errorf("%+v", add)
		}
		if back.Waves != waves*64 || back.Lanes != waves*63*64/2 || back.Branch.Taken != waves*63 || back.Branch.Both != 0 {
			t.Errorf("%+v, %+v", back, back.Branch)
		}
		if end.Waves != waves || end.Lanes != 0 {
			t.Errorf("%+v", end)
		}
	})
}

// TestDiverged: half of the lanes of each warp take a branch.
func TestDiverged(t *testing.T) {
	r := run{isa: "tesla:g200", grid: 96, block: 96,
		text: "and b32 $r0 $r0 0xffff\nmov b32 $r2 1\nand b32 $c0 $r1 $r0 $r2\njoinat l\n(lg $c0) bra l\nmov b32 $r1 $r0\nl: join nop\nexit nop\n"}
	r.everywhere(t, func(c profile.Code) {
		if in := at(t, c, "(lg $c0) bra"); in.Waves != 3 || in.Lanes != 96 || *in.Branch != (profile.Branch{Waves: 3, Taken: 3, Lanes: 48, Both: 3}) {
			t.Errorf("%+v, %+v", in, in.Branch)
		}
		if in := at(t, c, "mov b32 $r1"); in.Waves != 3 || in.Lanes != 48 {
			t.Errorf("%+v", in)
		}
	})
}

// TestStopped: the instructions after a fault did not run. Only the last group faults.
func TestStopped(t *testing.T) {
	r := run{isa: "gcn:gfx8", grid: 64, block: 64, buffers: []int{256}, memory: gcnMemory, fault: true,
		text: "v_mov_b32 v1, 0\n" + gcnAddress + "v_mov_b32 v3, 0\nv_mov_b32 v5, 1\nflat_load_dword v4, v[2:3]\nv_mov_b32 v6, 2\ns_endpgm\n"}
	r.everywhere(t, func(c profile.Code) {
		if in := at(t, c, "v_mov_b32_e32 v5, 1"); in.Waves != 1 || in.Lanes != 64 {
			t.Errorf("%+v", in)
		}
		if slices.ContainsFunc(c.Insts, func(in profile.Inst) bool {
			return strings.Contains(c.Text(in.PC), "v6") || strings.Contains(c.Text(in.PC), "endpgm")
		}) {
			t.Errorf("%+v", c.Insts)
		}
	})
}

// TestSets: programs of the other instruction sets, whose waves have 16 and 32 lanes. Half of the lanes of Valhall's
// second wave do not exist.
func TestSets(t *testing.T) {
	for _, x := range []struct {
		run
		at           string
		waves, lanes uint64
		use          profile.Use
	}{
		{run{isa: "valhall:v9", grid: 48, block: 24, buffers: []int{256}, memory: profile.Memory{Line: 64},
			text: "SHADDX.u64 r0, u0, r60.w0, shift:0x2\nLOAD.i32.unsigned.slot0 @r3, r0, offset:0\nNOP.wait0\nSTORE.i32.slot1.end @r3, r0, offset:0\n"},
			"STORE", 4, 48, profile.Use{How: profile.Stores, Space: ir.GlobalSpace, Bytes: 4, Access: profile.Access{Requests: 4, Lanes: 48, Bytes: 192, Lines: 5}}},
		{run{isa: "rogue", grid: 64, block: 32, buffers: []int{256}, memory: profile.Memory{Line: 64},
			text: "{ s0 = sr112, s1 = sc4, s2 = sh0, is0 = s3, s3 = sh1, is4 = ft0, is5 = fte p0: imadd64 ft0, fte, s0, s1, s2, is0, _; w0 = r2, w1 = r3 }\n" +
				"{ s3 = r5, s4 = r2..3 backend: st s3, 2, drc0, 1, s4, _; }\n{ s0 = r2..3 backend: idf drc0, s0; }\n{ ctrl: wdf drc0; }\n{ ctrl: nop.end; }\n"},
			"{ s3 = r5", 2, 64, profile.Use{How: profile.Stores, Space: ir.GlobalSpace, Bytes: 4, Access: profile.Access{Requests: 2, Lanes: 64, Bytes: 256, Lines: 4}}},
		{run{isa: "tesla:g200", grid: 64, block: 64, buffers: []int{1024}, memory: profile.Memory{Line: 128, Rule: profile.Reduced},
			text: "and b32 $r0 $r0 0xffff\nshl b32 $r0 $r0 3\nadd b32 $r1 b32 s[0x10] $r0\nst b32 g14[$r1] $r0\nexit nop\n"},
			"st b32", 2, 64, profile.Use{How: profile.Stores, Space: ir.GlobalSpace, Bytes: 4, Access: profile.Access{Requests: 2, Lanes: 64, Bytes: 256, Lines: 4, Moved: 512}}},
	} {
		x.everywhere(t, func(c profile.Code) {
			if in := at(t, c, x.at); in.Waves != x.waves || in.Lanes != x.lanes || !reflect.DeepEqual(in.Memory, []profile.Use{x.use}) {
				t.Errorf("%s: %+v, want %+v", x.isa, in, x.use)
			}
		})
	}
}

// TestNothing: instructions that do nothing count, at the start of a block and after the execution mask has changed.
func TestNothing(t *testing.T) {
	r := run{isa: "gcn:gfx8", grid: 64, block: 64, text: "s_nop 0\nv_cmp_gt_u32 vcc, 60, v0\ns_and_saveexec_b64 s[0:1], vcc\ns_nop 1\nv_mov_b32 v1, 1\ns_endpgm\n"}
	r.everywhere(t, func(c profile.Code) {
		if in := at(t, c, "s_nop 0"); in.Waves != 1 || in.Lanes != 64 {
			t.Errorf("%+v", in)
		}
		if in := at(t, c, "v_mov_b32"); in.Waves != 1 || in.Lanes != 60 {
			t.Errorf("%+v", in)
		}
	})
}

// TestLimit: a wave that meets its limit, before any instruction of its loop, has counted what it has executed.
func TestLimit(t *testing.T) {
	for steps := range uint64(7) {
		r := run{isa: "gcn:gfx8", grid: 64, block: 64, steps: 100 + steps, fault: true, text: "v_mov_b32 v1, 0\nl: v_mov_b32 v2, 1\nv_mov_b32 v3, 1\ns_branch l\n"}
		r.count(t, "jit", 1) // which compares with the counters of the run
		r.count(t, "reference", 1)
	}
}

// TestStuck: a warp waits at a barrier to which another does not come.
func TestStuck(t *testing.T) {
	r := run{isa: "tesla:g200", grid: 64, block: 64, fault: true,
		text: "and b32 $r0 $r0 0xffff\nmov b32 $r2 32\nset $c0 # l u32 $r0 $r2\n(lg $c0) bra l\nbar inc wait 1 96\nl: mov b32 $r1 $r0\nmov b32 $r3 $r0\nexit nop\n"}
	r.count(t, "jit", 1)
	r.count(t, "reference", 1)
}

// TestMeet: groups that conflict run a second time, of which alone the counts are.
func TestMeet(t *testing.T) {
	r := run{isa: "gcn:gfx8", grid: 64 * 64, block: 64, buffers: []int{256}, memory: gcnMemory,
		text: "v_mov_b32 v1, 0\n" + gcnAddress + "flat_load_dword v4, v[2:3]\ns_waitcnt vmcnt(0)\nv_add_u32 v4, vcc, 1, v4\nflat_store_dword v[2:3], v4\ns_endpgm\n"}
	r.everywhere(t, func(c profile.Code) {
		if in := at(t, c, "flat_store"); in.Waves != 64 || in.Memory[0].Requests != 64 {
			t.Errorf("%+v", in)
		}
	})
}

// TestEnd: lines of accesses at the end of addresses, which memory refuses.
func TestEnd(t *testing.T) {
	r := run{isa: "gcn:gfx8", grid: 64, block: 64, memory: gcnMemory, fault: true, text: "v_mov_b32 v2, -1\nv_mov_b32 v3, -1\nflat_load_dwordx2 v[4:5], v[2:3]\ns_endpgm\n"}
	c := r.count(t, "jit", 1)
	if slices.ContainsFunc(c.Insts, func(in profile.Inst) bool { return len(in.Memory) > 0 && in.Memory[0].Lines > 2 }) {
		t.Errorf("%+v", c.Insts)
	}
}

// TestJoin: what pushes tokens and joins is no branch.
func TestJoin(t *testing.T) {
	r := run{isa: "tesla:g200", grid: 32, block: 32, text: "joinat l\nl: join nop\nexit nop\n"}
	r.everywhere(t, func(c profile.Code) {
		for i := range c.Insts {
			if c.Insts[i].Branch != nil {
				t.Errorf("%s: %+v", c.Text(c.Insts[i].PC), c.Insts[i].Branch)
			}
		}
	})
}
