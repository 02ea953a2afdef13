package profile_test

import (
	"testing"

	"github.com/heddle-gpu/heddle"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/profile"
)

// trafficOf returns what a profile counts, by space as the counters of a run do.
func trafficOf(c *profile.Code) (sum [ir.FlatSpace]exec.Traffic) {
	for _, in := range c.Insts {
		for _, u := range in.Memory {
			switch n := &sum[u.Space]; u.How {
			case profile.Loads:
				n.Read += u.Access.Bytes
			case profile.Stores:
				n.Written += u.Access.Bytes
			case profile.Atomics:
				n.Read += u.Access.Bytes
				n.Written += u.Access.Bytes
				n.Atomics += u.Lanes
			}
		}
	}
	return sum
}

// TestTraffic: the bytes of each space are those of the lanes that access it, whatever the engine and the number of
// workers, and with a profiler. Lanes of all groups access the same words.
func TestTraffic(t *testing.T) {
	type traffic = [ir.FlatSpace]exec.Traffic
	for _, x := range []struct {
		run
		want traffic
	}{
		// A wave reads 8 bytes of arguments. Each of 192 lanes loads a word, adds to it, and in LDS writes, reads and
		// adds; the first 16 of each wave store 8 bytes.
		{run{isa: "gcn:gfx8", grid: 192, block: 64, group: 256, buffers: []int{512}, memory: gcnMemory,
			text: "v_lshlrev_b32 v1, 2, v0\n" + gcnAddress + "s_mov_b32 m0, -1\nflat_load_dword v4, v[2:3]\ns_waitcnt vmcnt(0)\nds_write_b32 v1, v4\nds_read_b32 v5, v1\n" +
				"ds_add_u32 v1, v4\nflat_atomic_add v[2:3], v0\ns_waitcnt lgkmcnt(0)\nv_cmp_gt_u32 vcc, 16, v0\ns_and_saveexec_b64 s[8:9], vcc\nflat_store_dwordx2 v[2:3], v[4:5]\ns_endpgm\n"},
			traffic{ir.GlobalSpace: {Read: 3*8 + 4*192 + 4*192, Written: 4*192 + 8*3*16, Atomics: 192}, ir.GroupSpace: {Read: 2 * 4 * 192, Written: 2 * 4 * 192, Atomics: 192}}},
		// Addresses of all three kinds of memory are flat. 48 lanes load, and store in both others; then they read one
		// back, and increment the word of global memory.
		{run{isa: "valhall:v9", grid: 48, block: 24, group: 128, private: 16, buffers: []int{256}, memory: profile.Memory{Line: 64},
			text: "SHADDX.u64 r0, u0, r60.w0, shift:0x2\nLOAD.i32.unsigned.slot0 @r3, r0, offset:0\nNOP.wait0\nU16_TO_U32 r4, r55.h00\n" +
				"SHADDX.u64 r8, workgroup_local_pointer.w0, r4.w0, shift:0x2\nSTORE.i32.slot1 @r3, r8, offset:0\n" +
				"MOV.i32 r6, thread_local_pointer.w0\nMOV.i32 r7, thread_local_pointer.w1\nSTORE.i64.slot1 @r2:r3, r6, offset:0\nNOP.wait1\n" +
				"LOAD.i32.unsigned.slot0 @r3, r8, offset:0\nNOP.wait0\nATOM1_RETURN.i32.slot0.ainc @r6, r0, offset:0x0\nNOP.wait0\nNOP.end\n"},
			traffic{ir.GlobalSpace: {Read: 2 * 4 * 48, Written: 4 * 48, Atomics: 48}, ir.GroupSpace: {Read: 4 * 48, Written: 4 * 48}, ir.PrivateSpace: {Written: 8 * 48}}},
		{run{isa: "rogue", grid: 64, block: 32, buffers: []int{256}, memory: profile.Memory{Line: 64},
			text: "{ s0 = sr112, s1 = sc4, s2 = sh0, is0 = s3, s3 = sh1, is4 = ft0, is5 = fte p0: imadd64 ft0, fte, s0, s1, s2, is0, _; w0 = r2, w1 = r3 }\n" +
				"{ s3 = r5, s4 = r2..3 backend: st s3, 2, drc0, 1, s4, _; }\n{ s0 = r2..3 backend: idf drc0, s0; }\n{ ctrl: wdf drc0; }\n{ ctrl: nop.end; }\n"},
			traffic{ir.GlobalSpace: {Written: 4 * 64}}},
		// Each lane reads the argument, which is in s[]; then a word from global to local memory and back.
		{run{isa: "tesla:g200", grid: 64, block: 64, private: 16, buffers: []int{1024}, memory: profile.Memory{Line: 128},
			text: "and b32 $r0 $r0 0xffff\nshl b32 $r0 $r0 3\nadd b32 $r1 b32 s[0x10] $r0\nld b32 $r2 g14[$r1]\nst b32 l[0x4] $r2\nld b32 $r3 l[0x4]\nst b32 g14[$r1] $r3\nexit nop\n"},
			traffic{ir.GlobalSpace: {Read: 4 * 64, Written: 4 * 64}, ir.GroupSpace: {Read: 4 * 64}, ir.PrivateSpace: {Read: 4 * 64, Written: 4 * 64}}},
	} {
		for _, engine := range heddle.Engines() {
			for _, workers := range []int{1, 3} {
				if got := x.launch(t, engine, workers, nil).Memory; got != x.want {
					t.Errorf("%s on %s with %d workers: traffic %+v, want %+v", x.isa, engine, workers, got, x.want)
				}
				x.count(t, engine, workers) // which compares with the run
			}
		}
	}
}

// TestConstants: code of ATTILA reads a constant, of 16 bytes, once for the wave.
func TestConstants(t *testing.T) {
	for _, engine := range heddle.Engines() {
		e, err := heddle.Engine(engine)
		if err != nil {
			t.Fatal(err)
		}
		w, err := heddle.MustFind("attila").NewWave("mov r0, c0; add r1, r0, c3; end", heddle.State{Engine: e, Lanes: 3})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Run(); err != nil {
			t.Fatal(err)
		}
		if n := w.Counters(); n.Memory != [ir.FlatSpace]exec.Traffic{ir.ConstSpace: {Read: 2 * 16}} {
			t.Errorf("%s: %+v", engine, n)
		}
	}
}
