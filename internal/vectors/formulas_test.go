package vectors

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"regexp"
	"strconv"
	"testing"

	"github.com/heddle-gpu/heddle/internal/ref"
)

// A formula is what an instruction computes from its sources in one lane, written here independently of package num and
// the lifts: with integers, big.Float, and the host's own arithmetic where IEEE 754 leaves no choice.
type formula struct {
	isa, mnemonic string
	// A pattern for texts without modifiers; its groups are the destination and the sources.
	text string
	part string                                   // suffix of the names of registers
	wide bool                                     // groups are the numbers of the first of two vector registers
	f    func(a, b, c uint64) (d uint64, ok bool) // not ok: NaN payloads and denormals are covered by another test
}

func i32(f func(a, b, c uint32) uint32) func(a, b, c uint64) (uint64, bool) {
	return func(a, b, c uint64) (uint64, bool) { return uint64(f(uint32(a), uint32(b), uint32(c))), true }
}

// exact rounds the exact value of an expression of f32 to f32, to nearest; it does not cover NaN, infinities, denormals
// and zeros.
func exact(f func(z, a, b, c *big.Float)) func(a, b, c uint64) (uint64, bool) {
	return func(a, b, c uint64) (uint64, bool) {
		var x [3]*big.Float
		for i, v := range []uint64{a, b, c} {
			e := v >> 23 & 255
			if e == 0 || e == 255 {
				return 0, false
			}
			x[i] = new(big.Float).SetPrec(2000).SetFloat64(float64(math.Float32frombits(uint32(v))))
		}
		z := new(big.Float).SetPrec(2000)
		f(z, x[0], x[1], x[2])
		r, _ := z.Float32()
		out := math.Float32bits(r)
		if e := out >> 23 & 255; e == 0 || e == 255 {
			return 0, false
		}
		return uint64(out), true
	}
}

// Patterns for texts whose operands are registers.
const (
	gcn1     = `^\w+ (v\d+), (v\d+)$`
	gcn2     = `^\w+ (v\d+), (?:vcc, )?(v\d+), (v\d+)$`
	gcn3     = `^\w+ (v\d+), (v\d+), (v\d+), (v\d+)$`
	gcnWide  = `^\w+ v\[(\d+):\d+\], v\[(\d+):\d+\], v\[(\d+):\d+\]$`
	valhall2 = `^[A-Z]+\.[a-z]\d+(?:\.(?:wait\w*|reconverge))? (r\d+), \^?(r\d+), \^?(r\d+)$`
	tesla2   = `^\w+ f32 \$(r\d+) \$(r\d+) \$(r\d+)$`
	rogue2   = `^\{ s0 = (r\d+), s1 = (r\d+).*p0: \w+ ft0, s0, s1; w0 = (r\d+) \}$` // the destination is the last group
	attila2  = `^(?:add|mul) ([ro]\d+), ([ir]\d+), ([ir]\d+)(?: <- wait)?$`
)

// formulas returns formulas for instructions of all sets; a is the first source.
func formulas() []formula {
	add, mul := exact(func(z, a, b, _ *big.Float) { z.Add(a, b) }), exact(func(z, a, b, _ *big.Float) { z.Mul(a, b) })
	xor := i32(func(a, b, _ uint32) uint32 { return a ^ b })
	return []formula{
		{"gcn:gfx8", "v_xor_b32_e32", gcn2, "", false, xor},
		{"gcn:gfx8", "v_lshlrev_b32_e32", gcn2, "", false, i32(func(a, b, _ uint32) uint32 { return b << (a & 31) })},
		{"gcn:gfx8", "v_ashrrev_i32_e32", gcn2, "", false, i32(func(a, b, _ uint32) uint32 { return uint32(int32(b) >> (a & 31)) })},
		{"gcn:gfx8", "v_min_i32_e32", gcn2, "", false, i32(func(a, b, _ uint32) uint32 { return uint32(min(int32(a), int32(b))) })},
		{"gcn:gfx8", "v_mul_u32_u24_e32", gcn2, "", false, i32(func(a, b, _ uint32) uint32 { return (a & 0xffffff) * (b & 0xffffff) })},
		{"gcn:gfx8", "v_mul_hi_i32_i24_e32", gcn2, "", false, i32(func(a, b, _ uint32) uint32 {
			return uint32(int64(int32(a<<8)>>8) * int64(int32(b<<8)>>8) >> 32)
		})},
		{"gcn:gfx8", "v_bfe_i32", gcn3, "", false, i32(func(a, b, c uint32) uint32 {
			at, n := b&31, c&31
			switch {
			case n == 0:
				return 0
			case at+n < 32:
				return uint32(int32(a<<(32-at-n)) >> (32 - n))
			}
			return uint32(int32(a) >> at)
		})},
		{"gcn:gfx8", "v_alignbyte_b32", gcn3, "", false, i32(func(a, b, c uint32) uint32 {
			return uint32((uint64(a)<<32 | uint64(b)) >> (8 * (c & 3)))
		})},
		{"gcn:gfx8", "v_bcnt_u32_b32", gcn2, "", false, i32(func(a, b, _ uint32) uint32 { return uint32(bits.OnesCount32(a)) + b })},
		{"gcn:gfx8", "v_mul_hi_u32", gcn2, "", false, i32(func(a, b, _ uint32) uint32 { return uint32(uint64(a) * uint64(b) >> 32) })},
		{"gcn:gfx8", "v_add_u32_e32", gcn2, "", false, i32(func(a, b, _ uint32) uint32 { return a + b })},
		{"gcn:gfx6", "v_sub_i32_e32", gcn2, "", false, i32(func(a, b, _ uint32) uint32 { return a - b })},
		{"gcn:gfx8", "v_add_f32_e32", gcn2, "", false, add},
		{"gcn:gfx7", "v_mul_f32_e32", gcn2, "", false, mul},
		{"gcn:gfx8", "v_fma_f32", gcn3, "", false, exact(func(z, a, b, c *big.Float) { z.Add(z.Mul(a, b), c) })},
		{"gcn:gfx8", "v_sqrt_f32_e32", gcn1, "", false, exact(func(z, a, _, _ *big.Float) {
			if a.Sign() > 0 { // 0 is not compared
				z.Sqrt(a)
			}
		})},
		{"gcn:gfx8", "v_rcp_f32_e32", gcn1, "", false, exact(func(z, a, _, _ *big.Float) { z.Quo(big.NewFloat(1), a) })},
		{"gcn:gfx8", "v_mul_f64", gcnWide, "", true, func(a, b, _ uint64) (uint64, bool) {
			d := math.Float64frombits(a) * math.Float64frombits(b)
			return math.Float64bits(d), d == d
		}},
		{"valhall", "IADD.u32", valhall2, "", false, i32(func(a, b, _ uint32) uint32 { return a + b })},
		{"valhall", "FADD.f32", valhall2, "", false, add},
		{"tesla:g80", "mul", tesla2, "", false, mul},
		{"rogue", "fadd", rogue2, "", false, add},
		{"rogue", "fmul", rogue2, "", false, mul},
		{"attila", "add", attila2, ".y", false, add},
		{"attila:sim", "mul", attila2, ".w", false, mul},
	}
}

// TestFormulas: vectors agree with values computed here, in active and inactive lanes, for words without modifiers in
// the default mode of programs.
func TestFormulas(t *testing.T) {
	for _, x := range formulas() {
		t.Run(x.isa+" "+x.mnemonic, func(t *testing.T) {
			t.Parallel()
			compared, count := 0, 32
			if x.text == gcn3 || x.wide || x.part != "" { // these have many modifiers
				count = 96
			}
			for _, test := range readBack(t, NewVerifier(ref.New()), x.mnemonic, made(t, x.isa, x.mnemonic, Options{Seed: 9, Count: count})) {
				if groups := regexp.MustCompile(x.text).FindStringSubmatch(test.Name); groups != nil {
					compared += x.compare(t, test, groups[1:])
				}
			}
			if compared < 2 {
				t.Errorf("%d lanes were compared", compared)
			}
		})
	}
}

// compare compares the lanes of a test with these registers.
func (x *formula) compare(t *testing.T, test *Test, names []string) (compared int) {
	before, after := regsOf(&test.Initial), regsOf(&test.Final)
	if mode := before["mode"]; mode != nil && mode[0] != 0x3c0 {
		return 0
	}
	if x.text == rogue2 {
		names = []string{names[2], names[0], names[1]}
	}
	word := func(r map[string][]uint64, name string, lane int) uint64 {
		if !x.wide {
			return r[name+x.part][lane]
		}
		n, err := strconv.Atoi(name)
		if err != nil {
			t.Fatal(err)
		}
		return r[fmt.Sprintf("v%d", n)][lane] | r[fmt.Sprintf("v%d", n+1)][lane]<<32
	}
	for lane := range test.Lanes {
		in := [3]uint64{0x3f800000, 0x3f800000, 0x3f800000}
		for k, name := range names[1:] {
			in[k] = word(before, name, lane)
		}
		want, ok := x.f(in[0], in[1], in[2])
		if !runs(before, lane) {
			want, ok = word(before, names[0], lane), true
		}
		if !ok {
			continue
		}
		compared++
		if got := word(after, names[0], lane); got != want {
			t.Errorf("%s #%d lane %d: %#x of %#x is %#x here", test.Name, test.Index, lane, got, in, want)
		}
	}
	return compared
}

// runs reports whether a lane is active.
func runs(before map[string][]uint64, lane int) bool {
	switch {
	case before["exec_lo"] != nil:
		return before["exec_lo"][0]>>lane&1 != 0
	case before["pe"] != nil:
		return before["pe"][lane] != 0
	}
	return before["exec"][lane] != 0
}

func regsOf(s *State) map[string][]uint64 {
	m := map[string][]uint64{}
	for _, r := range s.Regs {
		m[r.Name] = r.Values
	}
	return m
}
