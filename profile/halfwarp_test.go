package profile_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/profile"
)

// teslaLane leaves in $r0 the number of the lane.
const teslaLane = "and b32 $r0 $r0 0xffff\n"

// TestTransactions: a warp that accesses words of 4 bytes from an offset on, as figure F-1 of NVIDIA's CUDA C
// Programming Guide 4.2 has it, and the cases that its text describes.
func TestTransactions(t *testing.T) {
	type counts struct{ lines, moved uint64 }
	for _, x := range []struct {
		name, text       string // $r0 is the lane; leaves in $r1 the bytes from byte 0x80 of the buffer on
		lanes            uint64
		inOrder, reduced counts
	}{
		{"aligned and sequential", "shl b32 $r1 $r0 2\n", 32, counts{2, 128}, counts{2, 128}},
		{"aligned and not sequential", "mov b32 $r2 1\nxor b32 $r1 $r0 $r2\nshl b32 $r1 $r1 2\n", 32, counts{32, 32 * 32}, counts{2, 128}},
		{"misaligned and sequential", "shl b32 $r1 $r0 2\nadd b32 $r1 $r1 0x4\n", 32, counts{32, 32 * 32}, counts{3, 128 + 64 + 32}},
		{"every second word", "shl b32 $r1 $r0 3\n", 32, counts{32, 32 * 32}, counts{2, 256}},
		{"one segment a lane", "shl b32 $r1 $r0 7\n", 32, counts{32, 32 * 32}, counts{32, 32 * 32}},
		{"one word", "shl b32 $r1 $r0 7\nmov b32 $r2 0\nand b32 $r1 $r1 $r2\n", 32, counts{32, 32 * 32}, counts{2, 64}},
	} {
		for rule, want := range map[profile.Rule]counts{profile.InOrder: x.inOrder, profile.Reduced: x.reduced} {
			r := run{isa: "tesla:g200", grid: 32, block: 32, buffers: []int{8192}, memory: profile.Memory{Line: 128, Rule: rule},
				text: teslaLane + x.text + "add b32 $r1 b32 s[0x10] $r1\nadd b32 $r1 $r1 0x80\nst b32 g14[$r1] $r0\nexit nop\n"}
			r.everywhere(t, func(c profile.Code) {
				use := profile.Use{How: profile.Stores, Space: ir.GlobalSpace, Bytes: 4, Access: profile.Access{Requests: 1, Lanes: x.lanes, Bytes: 4 * x.lanes, Lines: want.lines, Moved: want.moved}}
				if in := at(t, c, "st b32"); !reflect.DeepEqual(in.Memory, []profile.Use{use}) {
					t.Errorf("%s, %s: %+v, want %+v", x.name, rule, in.Memory, use)
				}
			})
		}
	}
}

// TestWideTransactions: words of other sizes, in order: 8 bytes are a transaction of 128 for each half of a warp; of
// 1.2 and later, 2 bytes are one of 32 as only half of a segment of 64 is used, and bytes one of 32. Earlier ones have
// a transaction for each lane then.
func TestWideTransactions(t *testing.T) {
	type counts struct{ lines, moved uint64 }
	for _, x := range []struct {
		op, reg          string
		shift            int
		inOrder, reduced counts
	}{
		{"b64", "$r2d", 3, counts{2, 256}, counts{2, 256}},
		{"b128", "$r4q", 4, counts{4, 512}, counts{4, 512}},
		{"u16", "$r2", 1, counts{32, 1024}, counts{2, 64}},
		{"u8", "$r2", 0, counts{32, 1024}, counts{2, 64}},
	} {
		for rule, want := range map[profile.Rule]counts{profile.InOrder: x.inOrder, profile.Reduced: x.reduced} {
			r := run{isa: "tesla:g200", grid: 32, block: 32, buffers: []int{8192}, memory: profile.Memory{Line: 128, Rule: rule},
				text: fmt.Sprintf("%sshl b32 $r1 $r0 %d\nadd b32 $r1 b32 s[0x10] $r1\nld %s %s g14[$r1]\nexit nop\n", teslaLane, x.shift, x.op, x.reg)}
			r.everywhere(t, func(c profile.Code) {
				size := uint64(1) << x.shift
				use := profile.Use{Space: ir.GlobalSpace, Bytes: int(size), Access: profile.Access{Requests: 1, Lanes: 32, Bytes: 32 * size, Lines: want.lines, Moved: want.moved}}
				if in := at(t, c, "ld"); !reflect.DeepEqual(in.Memory, []profile.Use{use}) {
					t.Errorf("%s, %s: %+v, want %+v", x.op, rule, in.Memory, use)
				}
			})
		}
	}
}

// TestHalfWarpBanks: words of shared memory that lie s words apart: with 16 banks and s odd nothing conflicts, with 2
// two lanes do, and all lanes may read one word. NVIDIA CUDA C Programming Guide 4.2, F.3.3.
func TestHalfWarpBanks(t *testing.T) {
	for _, x := range []struct {
		name, text string // leaves in $r1 the offset in bytes
		passes     uint64
	}{
		{"step of 1", "shl b32 $r1 $r0 2\n", 2}, {"step of 2", "shl b32 $r1 $r0 3\n", 4}, {"step of 4", "shl b32 $r1 $r0 4\n", 8}, {"step of 16", "shl b32 $r1 $r0 6\n", 32},
		{"step of 3", "shl b32 $r1 $r0 2\nshl b32 $r2 $r0 3\nadd b32 $r1 $r1 $r2\n", 2},
		{"one word", "mov b32 $r1 0\n", 2},
		// Four lanes want each of four words, which are in different banks: one word at a time for all, and of the others
		// one lane each: 4, 3, 2 and 1 lanes are left when their turn comes.
		{"four words", "shr u32 $r1 $r0 2\nmov b32 $r2 3\nand b32 $r1 $r1 $r2\nshl b32 $r1 $r1 2\n", 8},
	} {
		r := run{isa: "tesla:g200", grid: 32, block: 32, group: 8192, memory: profile.Memory{Line: 128, Rule: profile.Reduced, Banks: 16, Pass: 16, OneWord: true},
			text: teslaLane + x.text + "shl $a1 $r1 0\nadd b32 $r3 b32 s[$a1+0x20] $r0\nexit nop\n"}
		r.everywhere(t, func(c profile.Code) {
			use := profile.Use{Space: ir.GroupSpace, Bytes: 4, Access: profile.Access{Requests: 1, Lanes: 32, Bytes: 128, Passes: x.passes, Free: 2}}
			if in := at(t, c, "add b32 $r3"); !reflect.DeepEqual(in.Memory, []profile.Use{use}) {
				t.Errorf("%s: %+v, want %+v", x.name, in.Memory, use)
			}
		})
	}
}
