package profile_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/profile"
)

// gcnBuffer leaves in s[8:11] a descriptor of the first so many bytes of the buffer, and in v1 16 times the lane.
func gcnBuffer(bytes int) string {
	return fmt.Sprintf("s_load_dwordx2 s[8:9], s[4:5], 0\ns_waitcnt lgkmcnt(0)\ns_movk_i32 s10, %d\ns_mov_b32 s11, 0x27fac\nv_lshlrev_b32 v1, 4, v0\n", bytes)
}

// TestRequests: an instruction that the tables describe as several accesses makes one request. The buffer begins at a
// line.
func TestRequests(t *testing.T) {
	global := func(how profile.How, bytes int, a profile.Access) profile.Use {
		return profile.Use{How: how, Space: ir.GlobalSpace, Bytes: bytes, Access: a}
	}
	const group = "s_mov_b32 m0, -1\n"
	lds := func(bytes int, words uint64, passes uint64) profile.Use {
		return profile.Use{Space: ir.GroupSpace, Bytes: bytes, Access: profile.Access{Requests: 1, Lanes: 64, Bytes: 64 * uint64(bytes), Passes: passes, Free: 2 * words}}
	}
	for _, x := range []struct {
		text, at string
		use      profile.Use
	}{
		// 64 lanes of 16 bytes, as far as the buffer reaches: 1000 bytes are 62 lanes and 8 bytes of one more.
		{gcnBuffer(1024) + "buffer_load_dwordx4 v[4:7], v1, s[8:11], 0 offen\n", "buffer_load", global(profile.Loads, 16, profile.Access{Requests: 1, Lanes: 64, Bytes: 1024, Lines: 16})},
		{gcnBuffer(1024) + "buffer_load_dwordx3 v[4:6], v1, s[8:11], 0 offen\n", "buffer_load", global(profile.Loads, 12, profile.Access{Requests: 1, Lanes: 64, Bytes: 768, Lines: 16})},
		{gcnBuffer(1000) + "buffer_load_dwordx4 v[4:7], v1, s[8:11], 0 offen\n", "buffer_load", global(profile.Loads, 16, profile.Access{Requests: 1, Lanes: 63, Bytes: 1000, Lines: 16})},
		{gcnBuffer(1000) + "buffer_store_dwordx4 v[4:7], v1, s[8:11], 0 offen\n", "buffer_store", global(profile.Stores, 16, profile.Access{Requests: 1, Lanes: 63, Bytes: 1000, Lines: 16})},
		{gcnBuffer(1024) + "buffer_load_dwordx2 v[4:5], v1, s[8:11], 0 offen offset:60\n", "buffer_load", global(profile.Loads, 8, profile.Access{Requests: 1, Lanes: 61, Bytes: 60*8 + 4, Lines: 16})},
		// One lane of four words for the wave.
		{"s_load_dwordx4 s[8:11], s[4:5], 0\n", "s_load", profile.Use{Space: ir.GlobalSpace, Wave: true, Bytes: 16, Access: profile.Access{Requests: 1, Lanes: 1, Bytes: 16, Lines: 1}}},
		// Words i and i+64 are of one bank; i and i+33 of two, which other lanes have, too; 2*i and 2*i+1 are all words.
		{group + "v_lshlrev_b32 v1, 2, v0\nds_read2_b32 v[4:5], v1 offset1:64\n", "ds_read2", lds(8, 2, 4)},
		{group + "v_lshlrev_b32 v1, 2, v0\nds_read2_b32 v[4:5], v1 offset1:33\n", "ds_read2", lds(8, 2, 4)},
		{group + "v_lshlrev_b32 v1, 2, v0\nds_read2_b32 v[4:5], v1 offset0:3 offset1:2\n", "ds_read2", lds(8, 2, 4)},
		{group + "v_lshlrev_b32 v1, 7, v0\nds_read2_b32 v[4:5], v1 offset1:32\n", "ds_read2", lds(8, 2, 66)}, // a bank has 33 words of each half
		{group + "v_lshlrev_b32 v1, 4, v0\nds_read_b128 v[4:7], v1\n", "ds_read_b128", lds(16, 4, 8)},
		{group + "v_lshlrev_b32 v1, 5, v0\nds_read_b128 v[4:7], v1\n", "ds_read_b128", lds(16, 4, 16)}, // half of the banks
	} {
		r := run{isa: "gcn:gfx8", grid: 64, block: 64, group: 1 << 14, buffers: []int{1 << 14}, memory: gcnMemory, text: x.text + "s_waitcnt 0\ns_endpgm\n"}
		r.everywhere(t, func(c profile.Code) {
			if in := at(t, c, x.at); !reflect.DeepEqual(in.Memory, []profile.Use{x.use}) {
				t.Errorf("%s: %+v, want %+v", c.Text(in.PC), in.Memory, x.use)
			}
		})
	}
}

// TestSwizzled: of a buffer whose elements of four bytes lie with those of 16 lanes together, 16 lanes have all of the
// first element before they have the second.
func TestSwizzled(t *testing.T) {
	text := gcnBuffer(0) + "s_or_b32 s9, s9, 0x80100000\ns_movk_i32 s10, 64\ns_mov_b32 s11, 0x2a7fac\nbuffer_load_dwordx2 v[4:5], v0, s[8:11], 0 idxen\ns_endpgm\n"
	r := run{isa: "gcn:gfx8", grid: 64, block: 64, buffers: []int{1 << 14}, memory: gcnMemory, text: text}
	r.everywhere(t, func(c profile.Code) {
		// 16 lanes are 16*16 bytes, of which the first two pieces of 64 bytes are these elements.
		want := []profile.Use{{Space: ir.GlobalSpace, Bytes: 8, Access: profile.Access{Requests: 1, Lanes: 64, Bytes: 512, Lines: 8}}}
		if in := at(t, c, "buffer_load"); !reflect.DeepEqual(in.Memory, want) {
			t.Errorf("%+v, want %+v", in.Memory, want)
		}
	})
}

// TestWideLoad: 16 lanes of 16 bytes.
func TestWideLoad(t *testing.T) {
	r := run{isa: "valhall:v9", grid: 16, block: 16, buffers: []int{1 << 10}, memory: profile.Memory{Line: 64},
		text: "SHADDX.u64 r0, u0, r60.w0, shift:0x4\nLOAD.i128.unsigned.slot0 @r4:r5:r6:r7, r0, offset:0\nNOP.wait0\nSTORE.i96.slot1.end @r4:r5:r6, r0, offset:0\n"}
	r.everywhere(t, func(c profile.Code) {
		for _, x := range []struct {
			at  string
			use profile.Use
		}{
			{"LOAD", profile.Use{Space: ir.GlobalSpace, Bytes: 16, Access: profile.Access{Requests: 1, Lanes: 16, Bytes: 256, Lines: 4}}},
			{"STORE", profile.Use{How: profile.Stores, Space: ir.GlobalSpace, Bytes: 12, Access: profile.Access{Requests: 1, Lanes: 16, Bytes: 192, Lines: 4}}},
		} {
			if in := at(t, c, x.at); !reflect.DeepEqual(in.Memory, []profile.Use{x.use}) {
				t.Errorf("%s: %+v, want %+v", x.at, in.Memory, x.use)
			}
		}
	})
}
