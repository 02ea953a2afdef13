package roguerun

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/reals"
)

// Sums of products, in exact arithmetic with rounding to halves where the unit rounds.

// toHalf rounds a number to a half.
func toHalf(x reals.Real) reals.Real { return reals.Half.Read(reals.Half.Near(x)) }

func minus(x reals.Real) reals.Real {
	if x == nil {
		return nil
	}
	return reals.New().Neg(x)
}

// least returns the smaller number, or the larger; a number is preferred to a NaN.
func least(a, b reals.Real, larger bool) reals.Real {
	switch {
	case a == nil:
		return b
	case b == nil || a.Cmp(b) < 0 != larger:
		return a
	}
	return b
}

// clamped clamps a number to [0, 1]; NaN gives 0.
func clamped(x reals.Real) reals.Real {
	if x == nil {
		return reals.Whole(0)
	}
	return least(least(x, reals.Whole(0), true), reals.Whole(1), false)
}

// A sopOperand is the text of an operand and how it is read.
type sopOperand struct {
	source string // s0 to s5, z, 0
	form   string // "", .f16.e0, .u8.e3
	mods   []string
}

func (o sopOperand) String() string {
	text := o.source + o.form
	for _, m := range o.mods {
		text += "." + m
	}
	return text
}

func (o sopOperand) has(mod string) bool {
	for _, m := range o.mods {
		if m == mod {
			return true
		}
	}
	return false
}

// taken returns the part of a word that a form reads.
func taken(word uint32, form string) reals.Real {
	if form == "" {
		return toHalf(reals.Single.Read(uint64(word)))
	}
	e := int(form[len(form)-1] - '0')
	if strings.HasPrefix(form, ".u8") {
		return toHalf(reals.New().Quo(reals.Whole(int64(word>>(8*e)&255)), reals.Whole(255)))
	}
	return reals.Half.Read(uint64(word >> (16 * e) & 0xffff))
}

// A sopTexts generates and runs sums of products. Factors z have their own abs and clamp.
type sopTexts struct {
	*texts
	forms        []string // of operands
	fused        bool
	zabs, zclamp bool
}

func (k *sopTexts) value(in words, o sopOperand) (x reals.Real) {
	switch o.source {
	case "0":
		x = reals.Whole(0)
	case "z":
		var v [2]reals.Real
		for n := range v {
			v[n] = taken(in[n], o.form)
			if k.zabs && v[n] != nil {
				v[n] = reals.New().Abs(v[n])
			}
			if k.zclamp {
				v[n] = clamped(v[n])
			}
		}
		x = least(v[1], toHalf(reals.Plus(reals.Whole(1), minus(v[0]))), false)
	default:
		x = taken(in[o.source[1]-'0'], o.form)
	}
	if o.has("flr") {
		x = reals.Integer(x, big.ToNegativeInf)
	}
	if o.has("abs") && x != nil {
		x = reals.New().Abs(x)
	}
	if o.has("clamp") {
		x = clamped(x)
	}
	if o.has("neg") {
		x = minus(x)
	}
	if o.has("oneminus") {
		x = toHalf(reals.Plus(reals.Whole(1), minus(x)))
	}
	return x
}

// times returns a product, rounded unless a sum uses the unrounded one.
func (k *sopTexts) times(a, b reals.Real) reals.Real {
	if k.fused {
		return reals.Times(a, b)
	}
	return toHalf(reals.Times(a, b))
}

// combined returns a*b op c*d.
func (k *sopTexts) combined(op string, a, b, c, d reals.Real) reals.Real {
	second := toHalf(reals.Times(c, d))
	switch op {
	case "add":
		return toHalf(reals.Plus(k.times(a, b), second))
	case "sub":
		return toHalf(reals.Plus(k.times(a, b), minus(second)))
	case "rsub":
		return toHalf(reals.Plus(second, minus(k.times(a, b))))
	}
	return least(toHalf(reals.Times(a, b)), second, op == "max")
}

// any returns an operand with random modifiers.
func (k *sopTexts) any(more string, can ...string) sopOperand {
	sources := append([]string{"s0", "s1", "s2", "s3", "s4", "s5"}, strings.Fields(more)...)
	o := sopOperand{source: sources[k.rnd.IntN(len(sources))]}
	if o.source != "0" {
		o.form = k.forms[k.rnd.IntN(len(k.forms))]
	}
	for _, m := range can {
		if k.rnd.IntN(3) == 0 {
			o.mods = append(o.mods, m)
		}
	}
	return o
}

// input returns words of two halves, floats or bytes.
func (k *sopTexts) input() (w words) {
	for n := range w {
		switch k.rnd.IntN(3) {
		case 0:
			w[n] = uint32(reals.Single.Edge(k.rnd))
		case 1:
			w[n] = k.rnd.Uint32()
		default:
			w[n] = uint32(reals.Half.Edge(k.rnd)) | uint32(reals.Half.Edge(k.rnd))<<16
		}
	}
	return w
}

const sixSources = "{ s0 = r0, s1 = r1, s2 = r2, s3 = r3, s4 = r4, s5 = r5 p0: "

// sameHalf compares a half with a number; zeros of both signs are equal, and so are NaNs: a factor that is a result
// keeps its own.
func sameHalf(got uint32, want reals.Real) string {
	w := uint32(reals.Half.Near(want))
	if g := got & 0xffff; g == w || (g|w)&0x7fff == 0 || want == nil && reals.Half.IsNaN(uint64(g)) {
		return ""
	}
	return fmt.Sprintf("%#x ", w)
}

// sameSingle does the same for a half as a word.
func sameSingle(got uint32, want reals.Real) string {
	w := uint32(reals.Single.Near(want))
	if got == w || (got|w)&0x7fffffff == 0 {
		return ""
	}
	return fmt.Sprintf("%#x ", w)
}

// asByte returns a number as a fraction of 255.
func asByte(x reals.Real) uint32 {
	n, _ := reals.Integer(reals.Times(clamped(x), reals.Whole(255)), big.ToNearestEven).Int64()
	return uint32(n)
}

var sopOps = []string{"add", "sub", "min", "max", "rsub"}

// bothOptions runs a test with both rounding options.
func bothOptions(t *testing.T, forms []string, f func(k *sopTexts)) {
	for _, mode := range []string{"rounded", "fused"} {
		f(&sopTexts{texts: newTexts(t, map[string]string{"sop": mode}), forms: forms, fused: mode == "fused"})
	}
}

// two returns the operands and operations of two sums, as text and in the order a e b f c g d h.
func (k *sopTexts) two(first, second []string) (text string, ops [2]string, list []sopOperand) {
	for i := range 4 {
		a, e := k.any("", first...), k.any("z 0", second...)
		list = append(list, a, e)
		text += ", " + a.String() + ", " + e.String()
		if i%2 == 0 {
			ops[i/2] = sopOps[k.rnd.IntN(len(sopOps))]
			text += ", " + ops[i/2]
		}
	}
	return text, ops, list
}

// results returns j and k, or the factors that are output instead.
func (k *sopTexts) results(in words, ops [2]string, list []sopOperand, out [2]string) (v [2]reals.Real) {
	for i := range v {
		of := list[4*i : 4*i+4]
		x := [4]reals.Real{k.value(in, of[0]), k.value(in, of[1]), k.value(in, of[2]), k.value(in, of[3])}
		switch out[i][len(".jout"):] {
		case "j", "k":
			v[i] = k.combined(ops[i], x[0], x[1], x[2], x[3])
		case "a", "c":
			v[i] = x[0]
		default:
			v[i] = x[2]
		}
	}
	return v
}

var outs = [2][]string{{".joutj", ".jouta", ".joutb"}, {".koutk", ".koutc", ".koutd"}}

func (k *sopTexts) out() [2]string { return [2]string{outs[0][k.rnd.IntN(3)], outs[1][k.rnd.IntN(3)]} }

func TestSums(t *testing.T) {
	bothOptions(t, []string{"", ".e0", ".e1"}, func(k *sopTexts) {
		for range 300 {
			text, ops, list := k.two([]string{"neg"}, []string{"oneminus"})
			out := k.out()
			check := func(first, second func(got result) (uint32, func(uint32, reals.Real) string)) func(in words, got result) string {
				return func(in words, got result) string {
					v := k.results(in, ops, list, out)
					a, same1 := first(got)
					b, same2 := second(got)
					return same1(a, v[0]) + same2(b, v[1])
				}
			}
			low := func(got result) (uint32, func(uint32, reals.Real) string) { return got.w0, sameHalf }
			high := func(got result) (uint32, func(uint32, reals.Real) string) { return got.w0 >> 16, sameHalf }
			word := func(got result) (uint32, func(uint32, reals.Real) string) { return got.w0, sameSingle }
			other := func(got result) (uint32, func(uint32, reals.Real) string) { return got.w1, sameSingle }
			switch k.rnd.IntN(4) {
			case 0:
				k.run(sixSources+"f16sop w0"+out[0]+", w1"+out[1]+", _"+text+", _; w0 = r16, w1 = r17 }", k.input, check(word, other))
			case 1:
				k.run(sixSources+"f16sop w0.e0"+out[0]+", w0.e1"+out[1]+", _"+text+", _; w0 = r16 }", k.input, check(low, high))
			case 2:
				k.run(sixSources+"f16sop w0.e1"+out[0]+", w0.e0"+out[1]+", _"+text+", _; w0 = r16 }", k.input, check(high, low))
			default:
				halves := check(low, high)
				k.run(sixSources+"f16sop w0.e0"+out[0]+", w0.e1"+out[1]+", w1"+text+", s3; w0 = r16, w1 = r17 }", k.input, func(in words, got result) string {
					return halves(in, got) + same(got.w1, in[3])
				})
			}
		}
	})
}

func TestFourSums(t *testing.T) {
	factor, second, addend := []string{"neg", "abs", "flr"}, []string{"oneminus", "clamp", "abs"}, []string{"neg", "clamp", "abs", "flr"}
	bothOptions(t, []string{"", ".f16.e0", ".f16.e1", ".u8.e0", ".u8.e1", ".u8.e2", ".u8.e3"}, func(k *sopTexts) {
		for range 200 {
			bytes := k.rnd.IntN(2) == 0
			text, list, clamps := "", []sopOperand{}, [4]bool{}
			for i := range 4 {
				a, e, v := k.any("", factor...), k.any("z 0", second...), k.any("0", addend...)
				list = append(list, a, e, v)
				text += fmt.Sprintf(", %s, %s, %s", a, e, v)
				clamps[i] = k.rnd.IntN(3) == 0
			}
			sums := func(in words) (v [4]reals.Real) {
				for i := range v {
					v[i] = toHalf(reals.Plus(k.times(k.value(in, list[3*i]), k.value(in, list[3*i+1])), k.value(in, list[3*i+2])))
					if clamps[i] {
						v[i] = clamped(v[i])
					}
				}
				return v
			}
			to := ""
			for i := range 4 {
				r := fmt.Sprintf(", w%d.e%d", i/2, i%2)
				if bytes {
					r = fmt.Sprintf(", w0.u8.e%d", i)
				}
				to += r + map[bool]string{true: ".clamp"}[clamps[i]]
			}
			if !bytes {
				k.run(sixSources+"f16sop.mad"+to[1:]+text+"; w0 = r16, w1 = r17 }", k.input, func(in words, got result) string {
					v := sums(in)
					return sameHalf(got.w0, v[0]) + sameHalf(got.w0>>16, v[1]) + sameHalf(got.w1, v[2]) + sameHalf(got.w1>>16, v[3])
				})
				continue
			}
			mov, from := ", w1", ", s0"
			if k.rnd.IntN(2) == 0 {
				mov, from = ", _", ", _"
			}
			k.run(sixSources+"f16sop.u8mad"+to[1:]+mov+text+from+"; w0 = r16"+map[bool]string{true: ", w1 = r17"}[mov == ", w1"]+" }", k.input, func(in words, got result) string {
				want := uint32(0)
				for i, v := range sums(in) {
					want |= asByte(v) << (8 * i)
				}
				if mov == ", w1" && got.w1 != in[0] {
					return fmt.Sprintf("w1 %#x", in[0])
				}
				return same(got.w0, want)
			})
		}
	})
}

func TestByteSums(t *testing.T) {
	bothOptions(t, []string{"", ".f16.e0", ".f16.e1", ".u8.e0", ".u8.e1", ".u8.e2", ".u8.e3"}, func(k *sopTexts) {
		for range 200 {
			text, ops, list := k.two([]string{"neg", "clamp", "abs"}, []string{"oneminus", "clamp", "abs"})
			out, name := k.out(), "f16sop.u8"
			k.zabs, k.zclamp = k.rnd.IntN(3) == 0, k.rnd.IntN(3) == 0
			if k.zabs {
				name += ".zabs"
			}
			if k.zclamp {
				name += ".zclamp"
			}
			to := [...][2]string{{".u8.e0.e1.e2", ".u8.e3"}, {".f16.e0", ".f16.e1"}, {".u8.e0", ".f16.e1"}, {".f16.e0", ".u8.e3"}, {".e1.e2", ".e0"}, {".u8.e1.e2.e3", ".u8.e1"}}[k.rnd.IntN(6)]
			mov, from, has := ", _", ", _", ""
			if k.rnd.IntN(2) == 0 {
				mov, from, has = ", w1", ", s3", ", w1 = r17"
			}
			k.run(sixSources+name+" w0"+to[0]+out[0]+", w0"+to[1]+out[1]+mov+text+from+"; w0 = r16"+has+" }", k.input, func(in words, got result) string {
				want, what := uint32(0), ""
				for i, v := range k.results(in, ops, list, out) {
					for e := range 4 {
						if !strings.Contains(to[i], fmt.Sprint(".e", e)) {
							continue
						}
						if !strings.HasPrefix(to[i], ".f16") {
							want = want&^(255<<(8*e)) | asByte(v)<<(8*e)
							continue
						}
						h := uint32(reals.Half.Near(v))
						if g := got.w0 >> (16 * e) & 0xffff; sameHalf(g, v) == "" { // another zero or NaN
							h = g
						}
						want = want&^(0xffff<<(16*e)) | h<<(16*e)
					}
				}
				if has != "" {
					what = same(got.w1, in[3])
				}
				return same(got.w0, want) + what
			})
		}
	})
}

func TestSumMoves(t *testing.T) {
	k := newTexts(t, nil)
	input := func() (w words) {
		for n := range w {
			w[n] = k.rnd.Uint32()
		}
		return w
	}
	k.run("{ s0 = r0, s3 = r3, is4 = ft0 p0: mbyp ft0, s0; p2_mov: sopmov w1, s3; w0 = r16, w1 = r17 }", input, func(in words, got result) string { return same(got.w0, in[0]) + same(got.w1, in[3]) })
	k.run("{ s0 = r0, is4 = ft0, is5 = ft0 p0: mbyp ft0, s0; p2_mov: sopmov _, _; w0 = r16, w1 = r17 }", input, func(in words, got result) string { return same(got.w0, in[0]) + same(got.w1, in[0]) })
	k.run("{ s3 = r3 p0: sopmov.u8.zabs.zclamp w0, w1, s3; w0 = r16, w1 = r17 }", input, func(in words, got result) string { return same(got.w0, in[3]) + same(got.w1, in[3]) })
	k.run("{ s0 = r5 p2_mov: sopu8madmov w1, s0; w1 = r17 }", input, func(in words, got result) string { return same(got.w1, in[5]) })
}
