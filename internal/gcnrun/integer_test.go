package gcnrun

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"testing"

	"github.com/heddle-gpu/heddle/isa/gcn"
)

// A saturated instruction is one with clamp: the exact result is limited to the range of its type, which has so many
// bits, signed or not.
type saturated struct {
	text   string // without clamp; sources are v2, v3, v4, the carry is in s[8:9]
	bits   int
	signed bool
	f      func(a, b, c uint32, carry int64) int64
}

func u16(x uint32) int64   { return int64(x & 0xffff) }
func i16(x uint32) int64   { return signExtended(16, uint64(x)) }
func low24(x uint32) int64 { return int64(x & 0xffffff) }

var saturations = []saturated{
	{"v_add_u16_e64 v1, v2, v3", 16, false, func(a, b, _ uint32, _ int64) int64 { return u16(a) + u16(b) }},
	{"v_sub_u16_e64 v1, v2, v3", 16, false, func(a, b, _ uint32, _ int64) int64 { return u16(a) - u16(b) }},
	{"v_subrev_u16_e64 v1, v2, v3", 16, false, func(a, b, _ uint32, _ int64) int64 { return u16(b) - u16(a) }},
	{"v_mad_u16 v1, v2, v3, v4", 16, false, func(a, b, c uint32, _ int64) int64 { return u16(a)*u16(b) + u16(c) }},
	{"v_mad_i16 v1, v2, v3, v4", 16, true, func(a, b, c uint32, _ int64) int64 { return i16(a)*i16(b) + i16(c) }},
	{"v_add_u32_e64 v1, s[6:7], v2, v3", 32, false, func(a, b, _ uint32, _ int64) int64 { return int64(a) + int64(b) }},
	{"v_sub_u32_e64 v1, s[6:7], v2, v3", 32, false, func(a, b, _ uint32, _ int64) int64 { return int64(a) - int64(b) }},
	{"v_subrev_u32_e64 v1, s[6:7], v2, v3", 32, false, func(a, b, _ uint32, _ int64) int64 { return int64(b) - int64(a) }},
	{"v_addc_u32_e64 v1, s[6:7], v2, v3, s[8:9]", 32, false, func(a, b, _ uint32, k int64) int64 { return int64(a) + int64(b) + k }},
	{"v_subb_u32_e64 v1, s[6:7], v2, v3, s[8:9]", 32, false, func(a, b, _ uint32, k int64) int64 { return int64(a) - int64(b) - k }},
	{"v_subbrev_u32_e64 v1, s[6:7], v2, v3, s[8:9]", 32, false, func(a, b, _ uint32, k int64) int64 { return int64(b) - int64(a) - k }},
	{"v_mad_u32_u24 v1, v2, v3, v4", 32, false, func(a, b, c uint32, _ int64) int64 { return low24(a)*low24(b) + int64(c) }},
	{"v_mad_i32_i24 v1, v2, v3, v4", 32, true, func(a, b, c uint32, _ int64) int64 {
		return signExtended(24, uint64(a))*signExtended(24, uint64(b)) + int64(int32(c))
	}},
}

// TestSaturation: with clamp the exact result is limited, without it is taken modulo 2^bits.
func TestSaturation(t *testing.T) {
	values := []uint32{0, 1, 0x7fff, 0x8000, 0xffff, 0x7fffff, 0x800000, 0xffffff, 0x7fffffff, 0x80000000, 0xffff8000, 0xffffffff}
	pick := func(lane, n int) uint32 { return values[lane/n%len(values)] }
	for _, s := range saturations {
		for shift := range 12 {
			for _, clamp := range []string{"", " clamp"} {
				m := newMemRun(t)
				a := func(i int) uint32 { return pick(i, 1) }
				b := func(i int) uint32 { return pick(i+12*shift, 12) }
				c := func(i int) uint32 { return pick(i*5+shift, 1) }
				m.v(2, a)
				m.v(3, b)
				m.v(4, c)
				m.s64(8, 0xcccccccccccccccc)
				m.run(s.text + clamp)
				m.wantV(1, func(i int) uint32 {
					r, low, high := s.f(a(i), b(i), c(i), int64(i>>1&1)), int64(0), int64(1)<<s.bits-1
					if s.signed {
						low, high = -1<<(s.bits-1), 1<<(s.bits-1)-1
					}
					if clamp != "" {
						r = max(min(r, high), low)
					}
					return uint32(uint64(r) << (64 - s.bits) >> (64 - s.bits))
				})
				if t.Failed() {
					t.Fatalf("%s%s, values %d", s.text, clamp, shift)
				}
			}
		}
	}
}

// localOps are the atomics of DS by the name without the type, with the new value of memory: those of buffers under
// their DS names, and more. docs/reference/gcn.md 8.3.
var localOps = []struct {
	name, types string
	f           func(n int, m, d, e uint64) uint64
}{
	{"add", "u", atomicOps["add"]}, {"sub", "u", atomicOps["sub"]}, {"rsub", "u", func(_ int, m, d, _ uint64) uint64 { return d - m }},
	{"inc", "u", atomicOps["inc"]}, {"dec", "u", atomicOps["dec"]}, {"min", "i", atomicOps["smin"]}, {"max", "i", atomicOps["smax"]},
	{"min", "u", atomicOps["umin"]}, {"max", "u", atomicOps["umax"]}, {"and", "b", atomicOps["and"]}, {"or", "b", atomicOps["or"]},
	{"xor", "b", atomicOps["xor"]}, {"mskor", "b", func(_ int, m, d, e uint64) uint64 { return m&^d | e }},
	{"cmpst", "b", func(n int, m, d, e uint64) uint64 { return atomicOps["cmpswap"](n, m, e, d) }},
	{"wrxchg", "b", atomicOps["swap"]},
}

// TestLocalOps: every atomic on 32 and 64 bits, with and without the old value, one element per lane.
func TestLocalOps(t *testing.T) {
	for _, op := range localOps {
		for _, size := range []int{4, 8} {
			for _, rtn := range []string{"", "_rtn"} {
				if op.name == "wrxchg" && rtn == "" {
					continue
				}
				for shift := range len(edges) {
					name := fmt.Sprintf("ds_%s%s_%s%d", op.name, rtn, op.types, 8*size)
					localOp(t, name, size, rtn != "", op.name == "mskor" || op.name == "cmpst", shift, op.f)
				}
			}
		}
	}
}

func localOp(t *testing.T, name string, size int, rtn, two bool, shift int, f func(n int, m, d, e uint64) uint64) {
	low := ^uint64(0) >> (64 - 8*size)
	value := func(i int) uint64 { return edges[i%len(edges)] & low }
	at := func(i int) uint64 { return value(i) }
	d := func(i int) uint64 { return value(i/len(edges) + shift) }
	e := func(i int) uint64 { return value(i*2 + shift) }
	if name[:8] == "ds_cmpst" && shift%2 == 0 {
		d = at // the comparand matches memory
	}
	m := newMemRun(t)
	for i := range 64 {
		binary.LittleEndian.PutUint64(m.group[16*i:], at(i))
	}
	m.v(1, perLane(16))
	for k, x := range []func(int) uint64{d, e} {
		m.v(2+2*k, func(i int) uint32 { return uint32(x(i)) })
		m.v(3+2*k, func(i int) uint32 { return uint32(x(i) >> 32) })
	}
	reg := func(n int) string {
		if size == 8 {
			return fmt.Sprintf("v[%d:%d]", n, n+1)
		}
		return fmt.Sprintf("v%d", n)
	}
	text := name + " "
	if rtn {
		text += reg(6) + ", "
	}
	text += "v1, " + reg(2)
	if two {
		text += ", " + reg(4)
	}
	m.run(text)
	for i := range 64 {
		got, want := binary.LittleEndian.Uint64(m.group[16*i:])&low, f(8*size, at(i), d(i), e(i))&low
		old := uint64(m.st.Get(gcn.VGPR(6), i)) | uint64(m.st.Get(gcn.VGPR(7), i))<<32
		if got != want || rtn && old&low != at(i) {
			t.Fatalf("%s of %#x in memory, %#x, %#x: memory is %#x, want %#x; the old value is %#x", name, at(i), d(i), e(i), got, want, old&low)
		}
	}
}

// TestTrigPreop: the piece of 2/pi that exponent and segment select, by big integers, times 2^128 for exponents from
// 1968 on. docs/reference/gcn.md 7.4.
func TestTrigPreop(t *testing.T) {
	const prec = 1500
	fraction := twoOverPi(prec)
	for _, e := range []int{0, 1, 1023, 1076, 1077, 1078, 1100, 1967, 1968, 2046} {
		for segment := range 6 {
			shift := 53*segment + max(e-1077, 0)
			if shift+53 > 1201 { // zeros follow
				continue
			}
			n := new(big.Int).Rsh(fraction, uint(prec-shift-53))
			n.And(n, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 53), big.NewInt(1)))
			scale := -53 - shift
			if e >= 1968 {
				scale += 128
			}
			want, _ := new(big.Float).SetMantExp(new(big.Float).SetInt(n), scale).Float64()
			m := newMemRun(t)
			m.v(2, all(0x12345678))
			m.v(3, all(uint32(e)<<20|0x80012345))
			m.v(4, all(uint32(segment)|0x40))
			m.run("v_trig_preop_f64 v[6:7], v[2:3], v4")
			got := floatTypes["f64"].value(uint64(m.st.Get(gcn.VGPR(7), 3))<<32 | uint64(m.st.Get(gcn.VGPR(6), 3)))
			if got != want {
				t.Errorf("exponent %d, segment %d: %v, want %v", e, segment, got, want)
			}
		}
	}
}

// twoOverPi returns n bits of the fraction of 2/pi, by Machin's formula.
func twoOverPi(n uint) *big.Int {
	one := new(big.Int).Lsh(big.NewInt(1), n+64)
	arctan := func(x int64) *big.Int { // of 1/x
		term := new(big.Int).Quo(one, big.NewInt(x))
		sum := new(big.Int).Set(term)
		for k := int64(3); term.Sign() != 0; k += 2 {
			term.Quo(term, big.NewInt(-x*x))
			sum.Add(sum, new(big.Int).Quo(term, big.NewInt(k)))
		}
		return sum
	}
	pi := arctan(5)
	pi.Mul(pi, big.NewInt(4)).Sub(pi, arctan(239)).Mul(pi, big.NewInt(4))
	q := new(big.Int).Lsh(big.NewInt(2), 2*n+64)
	return q.Quo(q, pi)
}
