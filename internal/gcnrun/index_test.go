package gcnrun

import (
	"math/rand/v2"
	"testing"

	"github.com/heddle-gpu/heddle/isa/gcn"
)

// held returns the value of register i in a lane before an indexed instruction.
func held(i, lane int) uint32 { return uint32(i)*0x9e3779b1 ^ uint32(lane)*0x85ebca6b }

// indexedAt returns the register that replaces an operand of so many registers, from n on, with an index: v0 if some do
// not exist.
func indexedAt(n, words int, index uint32, on bool) int {
	switch {
	case !on:
		return n
	case n+int(index)+words > 256:
		return 0
	}
	return n + int(index)
}

// indexedForms are instructions with sources from v20, v40 and v60 on, their result at v80, and the result as a
// function of the sources. Source 3 is the old destination.
var indexedForms = []struct {
	text  string
	words int // of source 0 and of the result; others have one
	f     func(src func(slot, word, lane int) uint32, lane int) (lo, hi uint32)
}{
	{"v_sub_u32_e32 v80, vcc, v20, v40", 1, func(s func(a, b, c int) uint32, i int) (uint32, uint32) { return s(0, 0, i) - s(1, 0, i), 0 }},
	{"v_xor_b32_e64 v80, v20, v40", 1, func(s func(a, b, c int) uint32, i int) (uint32, uint32) { return s(0, 0, i) ^ s(1, 0, i), 0 }},
	{"v_bfi_b32 v80, v20, v40, v60", 1, func(s func(a, b, c int) uint32, i int) (uint32, uint32) {
		return s(0, 0, i)&s(1, 0, i) | ^s(0, 0, i)&s(2, 0, i), 0
	}},
	{"v_bfi_b32 v80, v20, s4, v60", 1, func(s func(a, b, c int) uint32, i int) (uint32, uint32) {
		return s(0, 0, i)&0x00ff00ff | ^s(0, 0, i)&s(2, 0, i), 0
	}},
	{"v_sub_u32_sdwa v80, vcc, v20, v40 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_0 src1_sel:WORD_1", 1, func(s func(a, b, c int) uint32, i int) (uint32, uint32) {
		return (s(0, 0, i)&0xffff-s(1, 0, i)>>16)<<16 | s(3, 0, i)&0xffff, 0
	}},
	{"v_xor_b32_dpp v80, v20, v40 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf", 1, func(s func(a, b, c int) uint32, i int) (uint32, uint32) {
		return s(0, 0, i^1) ^ s(1, 0, i), 0
	}},
	{"v_mul_lo_u16_e32 v80, v20, v40", 1, func(s func(a, b, c int) uint32, i int) (uint32, uint32) { return s(0, 0, i) * s(1, 0, i) & 0xffff, 0 }},
	{"v_mbcnt_lo_u32_b32 v80, 0, v40", 1, func(s func(a, b, c int) uint32, i int) (uint32, uint32) { return s(1, 0, i), 0 }},
	{"v_lshlrev_b64 v[80:81], 4, v[40:41]", 2, func(s func(a, b, c int) uint32, i int) (uint32, uint32) {
		x := (uint64(s(1, 1, i))<<32 | uint64(s(1, 0, i))) << 4
		return uint32(x), uint32(x >> 32)
	}},
}

// TestIndexedOperands: with GPR_IDX_EN the index in M0[7:0] is added to the registers of the operands in M0[15:12].
func TestIndexedOperands(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 5))
	for _, form := range indexedForms {
		for operands := range uint32(16) {
			index := []uint32{0, 1, 7, 100, 175, 176, 195, 196, 236, 255}[rnd.IntN(10)]
			m := newMemRun(t)
			m.st.Set(gcn.CellMode, 0, 0x3c0|1<<27)
			m.st.Set(gcn.CellM0, 0, index|operands<<12|rnd.Uint32()&0xffff0f00)
			m.st.Exec = 0x0f3fffff_fff0ffff
			m.s(4, 0x00ff00ff)
			for r := range 256 {
				m.v(r, func(lane int) uint32 { return held(r, lane) })
			}
			src := func(slot, word, lane int) uint32 {
				words := form.words
				if slot == 0 || slot == 3 && form.words == 1 {
					words = 1
				}
				return held(indexedAt(20*(slot+1), words, index, operands>>slot&1 != 0)+word, lane)
			}
			m.run(form.text)
			at := indexedAt(80, form.words, index, operands&8 != 0)
			m.wantV(at, func(i int) uint32 { lo, _ := form.f(src, i); return lo })
			if form.words == 2 {
				m.wantV(at+1, func(i int) uint32 { _, hi := form.f(src, i); return hi })
			}
			for r := range 256 {
				if r != at && (form.words == 1 || r != at+1) {
					m.wantV(r, func(lane int) uint32 { return held(r, lane) })
				}
			}
			if t.Failed() {
				t.Fatalf("%s with index %d of operands %#x", form.text, index, operands)
			}
		}
	}
}

// TestIndexedCompare: sources of compares are indexed, but only while the mode is on.
func TestIndexedCompare(t *testing.T) {
	m := newMemRun(t)
	for r := range 64 {
		m.v(r, func(lane int) uint32 { return uint32(100*r + lane) })
	}
	m.v(50, perLane(100))
	m.s(4, 0x1230, 5)
	m.program(50,
		"s_set_gpr_idx_on s4, gpr_idx(SRC0)", // v0 + 0x30 is v48
		"v_cmp_eq_u32_e32 vcc, v2, v50",
		"s_mov_b64 s[20:21], vcc",
		"s_set_gpr_idx_idx s5",
		"v_cmp_eq_u32_e32 vcc, v45, v50",
		"s_set_gpr_idx_mode gpr_idx(SRC1)",
		"v_cmp_eq_u32_e64 s[22:23], v50, v45",
		"s_set_gpr_idx_off",
		"v_cmp_eq_u32_e64 s[24:25], v50, v45",
	)
	m.wantS(20, 0xffffffff, 0xffffffff)
	m.wantS(22, 0xffffffff, 0xffffffff)
	m.wantS(int(gcn.CellVCC.Index), 0xffffffff, 0xffffffff)
	m.wantS(24, 0, 0)
}
