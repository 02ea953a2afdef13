package roguerun

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/heddle-gpu/heddle/internal/reals"
)

// A packedField is a field of a packed format: its kind, its word, its lowest bit and its width. Kinds are u unsigned,
// s signed, o with half of the range added, g signed as in OpenGL, c an unscaled count, h a half, f a float without
// sign, e a significand of a shared exponent, w a whole word.
type packedField struct {
	kind      byte
	word, low int
	bits      int
}

// inOrder returns fields of a kind from the lowest bit up.
func inOrder(kind byte, widths ...int) (fs []packedField) {
	low := 0
	for _, w := range widths {
		fs = append(fs, packedField{kind, 0, low, w})
		low += w
	}
	return fs
}

var packedFormats = map[string][]packedField{
	"u8888": inOrder('u', 8, 8, 8, 8), "s8888": inOrder('s', 8, 8, 8, 8), "o8888": inOrder('o', 8, 8, 8, 8), "s8888ogl": inOrder('g', 8, 8, 8, 8),
	"u1616": inOrder('u', 16, 16), "s1616": inOrder('s', 16, 16), "o1616": inOrder('o', 16, 16), "s1616ogl": inOrder('g', 16, 16),
	"u32": inOrder('u', 32), "s32": inOrder('s', 32), "u1010102": inOrder('u', 10, 10, 10, 2), "s1010102": inOrder('s', 10, 10, 10, 2),
	"u111110": inOrder('u', 11, 11, 10), "s111110": inOrder('s', 11, 11, 10), "f111110": inOrder('f', 11, 11, 10), "f16f16": inOrder('h', 16, 16),
	"f32": inOrder('w', 32), "u565u565": inOrder('u', 5, 6, 5, 5, 6, 5), "d24s8": {{'u', 0, 0, 24}, {'c', 0, 24, 8}}, "s8d24": {{'c', 0, 0, 8}, {'u', 0, 8, 24}},
	"f32_mask": {{'w', 0, 0, 32}, {'c', 1, 0, 8}}, "2f10f10f10": append(inOrder('f', 10, 10, 10), packedField{'u', 0, 30, 2}),
}

// smallFloat returns the format for a float without a sign bit: it is handled as one that has a sign.
func (f *packedField) smallFloat() reals.Format {
	return reals.Format{Bits: f.bits + 1, Mant: f.bits - 5, Bias: 15}
}

// whole returns the value that stands for 1 in the field's range, and whether the field is signed.
func (f *packedField) whole() (one real, signed bool) {
	switch f.kind {
	case 's', 'o':
		return reals.Whole(1<<(f.bits-1) - 1), true
	case 'g':
		return reals.Whole(1<<f.bits - 1), true
	}
	return reals.Whole(1<<f.bits - 1), false
}

// pack returns the pattern of a value in the field.
func (f *packedField) pack(w uint32, scale bool, mode big.RoundingMode) uint64 {
	x := single.Read(uint64(w))
	switch f.kind {
	case 'w':
		return uint64(w)
	case 'h':
		return half.Write(x, mode)
	case 'f':
		if x != nil && reals.IsNeg(x) {
			return 0
		}
		return f.smallFloat().Write(x, mode)
	}
	one, signed := f.whole()
	low, high := reals.New(), reals.Whole(1<<f.bits-1)
	if signed {
		low, high = reals.Whole(-(1 << (f.bits - 1))), reals.Whole(1<<(f.bits-1)-1)
	}
	switch {
	case x == nil:
		x = reals.New()
	case scale && f.kind == 'g': // (2c + 1) / one, as a double
		x = reals.Of(toDouble(reals.Times(reals.Plus(reals.Times(x, one), reals.Of(-1)), reals.Of(0.5)), mode))
	case scale && f.kind != 'c':
		x = reals.Of(toDouble(reals.Times(x, one), mode)) // exact except for 32 bits
		if signed {
			low = reals.New().Neg(one)
		}
	}
	if x = reals.Integer(x, mode); x.Cmp(low) < 0 {
		x = low
	} else if x.Cmp(high) > 0 {
		x = high
	}
	n, _ := x.Int64()
	if f.kind == 'o' {
		n += 1 << (f.bits - 1)
	}
	return uint64(n) & (1<<f.bits - 1)
}

// toDouble rounds to a double.
func toDouble(x real, mode big.RoundingMode) float64 {
	if reals.IsInf(x) {
		v, _ := x.Float64()
		return v
	}
	v, _ := new(big.Float).SetPrec(53).SetMode(mode).Set(x).Float64()
	return v
}

// unpack returns the float of a pattern in the field.
func (f *packedField) unpack(p uint64, flag, towards0 bool) uint32 {
	switch f.kind {
	case 'w':
		return uint32(p)
	case 'h':
		return uint32(single.Near(half.Read(p)))
	case 'f':
		return uint32(single.Near(f.smallFloat().Read(p)))
	}
	one, signed := f.whole()
	n := int64(p)
	if f.kind == 'o' {
		n -= 1 << (f.bits - 1)
	} else if signed && p>>(f.bits-1) != 0 {
		n -= 1 << f.bits
	}
	switch {
	case f.bits == 32 && towards0 && flag:
		return uint32(single.Write(reals.Whole(n), big.ToZero))
	case !flag || f.kind == 'c' || f.bits == 32 && towards0:
		return uint32(single.Near(reals.Whole(n)))
	case f.kind == 'g':
		n = 2*n + 1
	}
	d, _ := one.Float64()
	v := float32(float64(n) / d) // rounding to double first is harmless for so few bits
	if f.kind != 'g' && v < -1 {
		v = -1
	}
	return math.Float32bits(v)
}

// packable returns floats for a field: fractions, numbers in its range, edge values.
func packable(rnd *rand.Rand) uint32 {
	switch rnd.IntN(5) {
	case 0:
		return edge(rnd)
	case 1:
		return math.Float32bits(float32(rnd.IntN(1<<17))/2 - 100)
	case 2:
		return math.Float32bits(float32(2*rnd.Float64() - 1))
	case 3:
		return math.Float32bits(float32(math.Ldexp(rnd.Float64(), rnd.IntN(40)-20)))
	}
	return math.Float32bits(float32(rnd.IntN(512)) / 255)
}

// registers are the registers that a pack may write.
type registers [4]uint32

// putElements puts elements into words: element i into field i, and after the last field into the next words. clear
// says that words start as zeros. written is the number of words.
func putElements(fields []packedField, old registers, xs []uint32, scale bool, mode big.RoundingMode, clear bool) (rs registers, written int) {
	words, last := fields[len(fields)-1].word+1, -1
	for i, x := range xs {
		f := &fields[i%len(fields)]
		at := i/len(fields)*words + f.word
		if at != last {
			if written, last = written+1, at; clear || f.word > 0 { // a byte has a word of its own
				old[at] = 0
			}
		}
		mask := uint32((uint64(1)<<f.bits - 1) << f.low)
		old[at] = old[at]&^mask | uint32(f.pack(x, scale, mode)<<f.low)
	}
	return old, written
}

// repeated returns the start of a group that repeats, and its first source.
func repeated(n int) string {
	if n == 1 {
		return "s0 = r0"
	}
	return fmt.Sprintf("repeat %d , s0 = r0..%d", n, n-1)
}

// TestPacks: all formats, all repetition counts, both rounding modes, scaled and unscaled. Other bits are unchanged.
func TestPacks(t *testing.T) {
	rnd := rand.New(rand.NewPCG(19, 20))
	for _, rest := range []string{"keep", "zero"} {
		k := newTask(t, map[string]string{"pack-rest": rest})
		for name, fields := range packedFormats {
			for _, scale := range []bool{false, true} {
				for _, mode := range []big.RoundingMode{big.ToNearestEven, big.ToZero} {
					for n := 1; n <= 4; n++ {
						packOnce(k, name, fields, scale, mode, n, rest == "zero", rnd)
					}
				}
			}
		}
	}
	k := newTask(t, nil)
	k.words("{ s0 = r0, is0 = s0, is3 = fte, is4 = ft2 p2_pck: pck.zero ft2, is3; w0 = r16 }", integers(32, rnd), func(row) uint32 { return 0 })
	k.words("{ s0 = r0, is0 = s0, is3 = fte, is4 = ft2 p2_pck: pck.one ft2, is3; w0 = r16 }", integers(32, rnd), func(row) uint32 { return 0x3f800000 })
	public := newTask(t, map[string]string{"pack-formats": "public"})
	public.traps("{ s0 = r0, is0 = s0, is3 = fte, is4 = ft2 p2_pck: pck.o8888 ft2, is3; w0 = r16 }", "not public")
	public.traps("{ s0 = r0, is4 = ft0 p0: unpck.u565u565 ft0, s0.e0; w0 = r16 }", "not public")
}

// packOnce runs a pack from registers r0.. to r4.., or to one of its sources if it fills one word.
func packOnce(k *task, name string, fields []packedField, scale bool, mode big.RoundingMode, n int, clear bool, rnd *rand.Rand) {
	k.t.Helper()
	_, words := putElements(fields, registers{}, make([]uint32, n), false, mode, false)
	at := 4
	if words == 1 && rnd.IntN(2) == 0 {
		at = n - 1
	}
	mods := map[bool]string{true: ".scale"}[scale] + map[bool]string{true: ".roundzero"}[mode == big.ToZero]
	text := fmt.Sprintf("{ %s, is0 = s0, is3 = fte, is4 = ft2 p2_pck: pck%s.%s ft2, is3; w0 = r%d }", repeated(n), mods, name, at)
	r := k.group(text)
	var before [32][8]uint32
	for range 4 {
		for i := range 8 {
			k.set(i, func(lane int) uint32 {
				before[lane][i] = packable(rnd)
				return before[lane][i]
			})
		}
		if f := k.step(r, uint64(words)); f != nil {
			k.t.Fatalf("%s: %v", text, f)
		}
		for lane := range before {
			b := &before[lane]
			want := *b
			rs, _ := putElements(fields, registers(b[at:at+4]), b[:n], scale, mode, clear)
			copy(want[at:at+4], rs[:])
			for i := range want {
				if got := k.get(i, lane); got != want[i] {
					k.t.Errorf("%s: %#x: r%d is %#x, want %#x", text, b[:], i, got, want[i])
					return
				}
			}
		}
	}
}

// TestUnpacks: all formats, from each element, all repetition counts.
func TestUnpacks(t *testing.T) {
	rnd := rand.New(rand.NewPCG(21, 22))
	for _, how := range []string{"scale", "roundzero"} {
		k := newTask(t, map[string]string{"unpack-32": how})
		for name, fields := range packedFormats {
			for n := 1; n <= 4; n++ {
				for e := range 4 {
					for _, flag := range []bool{false, true} {
						unpackOnce(k, name, fields, flag, how == "roundzero", e, n, rnd)
					}
				}
			}
		}
	}
}

// unpackOnce runs an unpack of words from r0 on into registers from r8 on.
func unpackOnce(k *task, name string, fields []packedField, flag, towards0 bool, e, n int, rnd *rand.Rand) {
	k.t.Helper()
	head := "s0 = r0"
	if n > 1 {
		head = fmt.Sprintf("repeat %d , s0 = r0", n)
	}
	dst := "r8"
	if n > 1 {
		dst = fmt.Sprintf("r8..%d", 7+n)
	}
	text := fmt.Sprintf("{ %s, is4 = ft0 p0: unpck%s.%s ft0, s0.e%d; w0 = %s }", head, map[bool]string{true: ".scale"}[flag], name, e, dst)
	r := k.group(text)
	var words [32][8]uint32
	for i := range 8 {
		k.set(i, func(lane int) uint32 {
			if words[lane][i] = reals.EdgeInt(rnd); rnd.IntN(3) == 0 {
				words[lane][i] = rnd.Uint32()
			}
			return words[lane][i]
		})
	}
	if f := k.step(r, uint64(n)); f != nil {
		k.t.Fatalf("%s: %v", text, f)
	}
	for lane := range words {
		for i := range n {
			at := e%len(fields) + i
			f := &fields[at%len(fields)]
			w := words[lane][at/len(fields)*(fields[len(fields)-1].word+1)+f.word]
			want := f.unpack(uint64(w>>f.low)&(1<<f.bits-1), flag, towards0)
			if got := k.get(8+i, lane); got != want {
				k.t.Errorf("%s: element %d of %#x gives %#x, want %#x", text, at, w, got, want)
				return
			}
		}
	}
}
