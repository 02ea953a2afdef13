package gcnrun

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/heddle-gpu/heddle/isa/gcn"
)

// someExec has inactive lanes in every row, at the ends of rows, quads and halves.
const someExec = 0x7ffb_d7e6_3fff_fffb

// A control is a DPP control: its text, and the lane that lane i reads, if there is one.
type control struct {
	text string
	from func(i int) (lane int, ok bool)
}

// controls returns all controls, except that of quad permutations there are only some. docs/reference/gcn.md 7.7.
func controls() (list []control) {
	add := func(text string, from func(i int) (int, bool)) { list = append(list, control{text, from}) }
	for _, p := range [][4]int{{0, 1, 2, 3}, {3, 2, 1, 0}, {1, 1, 3, 0}, {2, 2, 2, 2}} {
		add(fmt.Sprintf("quad_perm:[%d,%d,%d,%d]", p[0], p[1], p[2], p[3]), func(i int) (int, bool) { return i/4*4 + p[i%4], true })
	}
	for n := 1; n < 16; n++ {
		add(fmt.Sprintf("row_shl:%d", n), func(i int) (int, bool) { return i + n, i%16+n < 16 })
		add(fmt.Sprintf("row_shr:%d", n), func(i int) (int, bool) { return i - n, i%16-n >= 0 })
		add(fmt.Sprintf("row_ror:%d", n), func(i int) (int, bool) { return i/16*16 + (i%16+16-n)%16, true })
	}
	add("wave_shl:1", func(i int) (int, bool) { return i + 1, i < 63 })
	add("wave_rol:1", func(i int) (int, bool) { return (i + 1) % 64, true })
	add("wave_shr:1", func(i int) (int, bool) { return i - 1, i > 0 })
	add("wave_ror:1", func(i int) (int, bool) { return (i + 63) % 64, true })
	add("row_mirror", func(i int) (int, bool) { return i/16*16 + 15 - i%16, true })
	add("row_half_mirror", func(i int) (int, bool) { return i/8*8 + 7 - i%8, true })
	add("row_bcast:15", func(i int) (int, bool) { return i/16*16 - 1, i >= 16 })
	add("row_bcast:31", func(i int) (int, bool) { return 31, i >= 32 })
	return list
}

// TestControls: every DPP control, with inactive lanes, and masks of rows and banks, on a move and on a sum.
func TestControls(t *testing.T) {
	for _, c := range controls() {
		for _, masks := range [][2]int{{15, 15}, {0xa, 0x5}, {0x7, 0xe}} {
			for _, exec := range []uint64{^uint64(0), someExec} {
				c.run(t, exec, masks[0], masks[1], false)
				c.run(t, exec, masks[0], masks[1], true)
			}
		}
	}
}

func (c *control) run(t *testing.T, exec uint64, rows, banks int, bound bool) {
	m := newMemRun(t)
	m.st.Exec = exec
	m.v(2, perLane(0x01010101))
	m.v(3, perLane(0x100))
	m.v(4, all(0xdead))
	text := fmt.Sprintf("v_or_b32_dpp v4, v2, v3 %s row_mask:%#x bank_mask:%#x", c.text, rows, banks)
	if bound {
		text += " bound_ctrl:1"
	}
	m.run(text)
	for i := range 64 {
		from, ok := c.from(i)
		ok = ok && exec>>from&1 != 0
		want := uint32(0xdead)
		if exec>>i&1 != 0 && rows>>(i/16)&1 != 0 && banks>>(i/4%4)&1 != 0 && (ok || bound) {
			want = uint32(i) * 0x100
			if ok {
				want |= uint32(from) * 0x01010101
			}
		}
		if got := m.st.Get(gcn.VGPR(4), i); got != want {
			t.Fatalf("%s, EXEC %#x: lane %d is %#x, want %#x", text, exec, i, got, want)
		}
	}
}

// parts are the selections of SDWA: first bit and number of bits.
var parts = map[string][2]int{"BYTE_0": {0, 8}, "BYTE_1": {8, 8}, "BYTE_2": {16, 8}, "BYTE_3": {24, 8}, "WORD_0": {0, 16}, "WORD_1": {16, 16}, "DWORD": {0, 32}}

// TestSelections: every selection of SDWA sources and destinations, with and without sign extension, on a 32-bit
// product of the low 24 bits and on a 16-bit sum.
func TestSelections(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 7))
	part := func(x uint32, sel string, signed bool) uint32 {
		at, n := parts[sel][0], parts[sel][1]
		x = x >> at << (32 - n)
		if signed {
			return uint32(int32(x) >> (32 - n))
		}
		return x >> (32 - n)
	}
	for dst, d := range parts {
		for src, s := range parts {
			for k, unused := range []string{"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"} {
				for _, sext := range []bool{false, true} {
					for _, op := range []struct {
						name string
						f    func(a, b uint32) uint32
					}{{"v_xor_b32", func(a, b uint32) uint32 { return a ^ b }}, {"v_sub_u16", func(a, b uint32) uint32 { return (a - b) & 0xffff }}} {
						a, b, old := rnd.Uint32(), rnd.Uint32(), rnd.Uint32()
						m := newMemRun(t)
						m.v(2, all(a))
						m.v(3, all(b))
						m.v(4, all(old))
						text := "v2"
						if sext {
							text = "sext(v2)"
						}
						text = fmt.Sprintf("%s_sdwa v4, %s, v3 dst_sel:%s dst_unused:%s src0_sel:%s src1_sel:WORD_1", op.name, text, dst, unused, src)
						m.run(text)
						r := op.f(part(a, src, sext), b>>16)
						field := uint32((1<<d[1] - 1) << d[0])
						want := r << d[0] & field
						switch {
						case k == 1 && d[1] < 32:
							want = uint32(signExtended(d[1], uint64(r))) << d[0]
						case k == 2:
							want |= old &^ field
						}
						m.wantV(4, all(want))
						if t.Failed() {
							t.Fatalf("%s of %#x, %#x, over %#x (%v)", text, a, b, old, s)
						}
					}
				}
			}
		}
	}
}

// TestLaneNumbers: lane numbers are modulo 64, and may be those of inactive lanes.
func TestLaneNumbers(t *testing.T) {
	for _, lane := range []uint32{0, 5, 63, 64, 69, 127, 0xffffffc3, 0x80000000} {
		m := newMemRun(t)
		m.st.Exec = 0
		m.v(1, perLane(3))
		m.s(2, 0xabcd, lane)
		m.run("v_readlane_b32 s4, v1, s3")
		m.wantS(4, 3*(lane%64))
		m.run("v_writelane_b32 v1, s2, s3")
		for i := range uint32(64) {
			want := 3 * i
			if i == lane%64 {
				want = 0xabcd
			}
			if got := m.st.Get(gcn.VGPR(1), int(i)); got != want {
				t.Errorf("v_writelane of lane %#x: lane %d is %#x, want %#x", lane, i, got, want)
			}
		}
	}
}

// TestIndexedMoves: M0 is added to the number of the source, of the destination, of both.
func TestIndexedMoves(t *testing.T) {
	for _, c := range []struct {
		op       string
		from, to int
	}{{"v_movrels_b32", 3, 0}, {"v_movreld_b32", 0, 3}, {"v_movrelsd_b32", 3, 3}} {
		m := newMemRun(t)
		m.st.Exec = someExec
		m.st.Set(gcn.CellM0, 0, 3)
		for r := range 16 {
			m.v(r, func(i int) uint32 { return uint32(r<<8 | i) })
		}
		m.run(c.op + "_e32 v10, v2")
		for r := range 16 {
			for i := range 64 {
				want := uint32(r<<8 | i)
				if r == 10+c.to && someExec>>i&1 != 0 {
					want = uint32((2+c.from)<<8 | i)
				}
				if got := m.st.Get(gcn.VGPR(r), i); got != want {
					t.Fatalf("%s: v%d of lane %d is %#x, want %#x", c.op, r, i, got, want)
				}
			}
		}
	}
}

// TestCompareExec: a compare clears the bits of inactive lanes, and v_cmpx never activates a lane.
func TestCompareExec(t *testing.T) {
	vcc := int(gcn.CellVCC.Index)
	for _, form := range []struct {
		suffix, operands string
		at               int
	}{{"_e32", " vcc, v2, v3", vcc}, {"_e64", " s[6:7], v2, v3", 6}, {"", " vcc, v2, v3 src0_sel:DWORD src1_sel:DWORD", vcc}} {
		for _, x := range []string{"", "x"} {
			m := newMemRun(t)
			m.st.Exec = someExec
			m.v(2, perLane(1))
			m.v(3, func(i int) uint32 { return uint32(i ^ i>>1&1) })
			m.s64(form.at, ^uint64(0))
			text := "v_cmp" + x + "_eq_u32" + form.suffix + form.operands
			m.run(text)
			want := uint64(0)
			for i := range 64 {
				if i>>1&1 == 0 {
					want |= someExec & (1 << i)
				}
			}
			m.wantS(form.at, words64(want)...)
			exec := uint64(someExec)
			if x != "" {
				exec = want
			}
			if m.st.Exec != exec {
				t.Errorf("%s: exec is %#x, want %#x", text, m.st.Exec, exec)
			}
		}
	}
}

// TestStrides: the units of the offsets of DS instructions with two accesses.
func TestStrides(t *testing.T) {
	for name, unit := range map[string]int{"2_b32": 4, "2st64_b32": 256, "2_b64": 8, "2st64_b64": 512} {
		words := 1
		if unit == 8 || unit == 512 {
			words = 2
		}
		m := newMemRun(t)
		m.st.Exec = 1
		m.v(1, all(16))
		m.run(fmt.Sprintf("ds_read%s v[4:%d], v1 offset0:1 offset1:3", name, 3+2*words))
		for k, n := range []int{1, 3} {
			for w := range words {
				m.wantV(4+k*words+w, all(^uint32((16+n*unit)/4+w)))
			}
		}
		for r := range 4 {
			m.v(8+r, all(uint32(0x100+r)))
		}
		before := append([]byte(nil), m.group...)
		m.run(fmt.Sprintf("ds_write%s v1, v[8:%d], v[10:%d] offset0:1 offset1:3", name, 7+words, 9+words))
		for at := 0; at < groupSize; at += 4 {
			want := uint32(before[at]) | uint32(before[at+1])<<8 | uint32(before[at+2])<<16 | uint32(before[at+3])<<24
			for k, n := range []int{1, 3} {
				if w := (at - 16 - n*unit) / 4; at >= 16+n*unit && w < words {
					want = uint32(0x100 + 2*k + w)
				}
			}
			if got := m.local(at); got != want {
				t.Fatalf("ds_write%s: local memory at %#x is %#x, want %#x", name, at, got, want)
			}
		}
	}
}
