package roguerun

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/reals"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue"
	"github.com/heddle-gpu/heddle/mem"
)

// Groups without public encoding, docs/reference/rogue.md 5.10, run from their text.

// A texts is a task that runs a group from its text: r0 to r7 are its inputs, r16 and r17 its results.
type texts struct {
	*task
	rnd *rand.Rand
}

func newTexts(t *testing.T, options map[string]string) *texts {
	t.Helper()
	return &texts{newTask(t, options), rand.New(rand.NewPCG(11, 5))}
}

type words [8]uint32

// runner returns a runner for a group from its text; the group has no bytes.
func (k *texts) runner(text string) exec.Runner {
	k.t.Helper()
	bs := make([]isa.Bundle, 1)
	if err := k.target.Parse(text, 0, &bs[0]); err != nil {
		k.t.Fatalf("%s: %v", text, err)
	}
	if _, err := bs[0].Encode(nil); err == nil || !strings.Contains(err.Error(), "no public encoding") {
		k.t.Errorf("%s: encodes, %v", text, err)
	}
	var back isa.Bundle
	printed := string(k.target.Print(nil, &bs[0]))
	if err := k.target.Parse(printed, 0, &back); err != nil || string(k.target.Print(nil, &back)) != printed {
		k.t.Errorf("%s: printed %s: %v", text, printed, err)
	}
	for i := range bs[0].Parts {
		noted.Note(bs[0].Parts[i].Def)
	}
	l, err := isa.NewListing(k.target, bs)
	if err != nil {
		k.t.Fatal(err)
	}
	return ref.New().NewRunner(exec.NewProgram(l))
}

// run runs a group on 32 instances with words from input; check describes what is wrong with r16, r17 and P0.
func (k *texts) run(text string, input func() words, check func(in words, got result) string) {
	k.t.Helper()
	var in [rogue.Lanes]words
	for lane := range in {
		in[lane] = input()
		for n, v := range in[lane] {
			k.st.Set(temp(n), lane, v)
		}
		k.st.Set(temp(16), lane, 0xa5c3_1111)
		k.st.Set(temp(17), lane, 0xb6d4_2222)
		k.st.Set(p0, lane, 0)
	}
	if f := k.step(k.runner(text), 1); f != nil {
		k.t.Fatalf("%s: %v", text, f)
	}
	for lane := range in {
		got := result{k.get(16, lane), k.get(17, lane), k.st.Get(p0, lane) != 0}
		if what := check(in[lane], got); what != "" {
			k.t.Errorf("%s of %#x gives %#x, %#x, %t: want %s", text, in[lane], got.w0, got.w1, got.p, what)
			return
		}
	}
}

// same describes how words differ.
func same(got, want uint32) string {
	if got != want {
		return fmt.Sprintf("%#x", want)
	}
	return ""
}

func double(low, high uint32) float64 { return math.Float64frombits(uint64(high)<<32 | uint64(low)) }

// sameDouble compares a pair with a double of the host; any NaN is the canonical one.
func sameDouble(got result, want float64) string {
	w := math.Float64bits(want)
	if math.IsNaN(want) {
		w = 0x7ff8 << 48
	}
	if g := uint64(got.w1)<<32 | uint64(got.w0); g != w {
		return fmt.Sprintf("%#x (%g)", w, want)
	}
	return ""
}

// anyDouble returns a random double: one in four is a special one.
func (k *texts) anyDouble() uint64 {
	special := []float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(), 2, 0.5, math.MaxFloat64, 4, 1.0 / 3}
	switch k.rnd.IntN(4) {
	case 0:
		return math.Float64bits(special[k.rnd.IntN(len(special))])
	case 1:
		return k.rnd.Uint64()
	}
	return math.Float64bits((k.rnd.Float64() - 0.5) * math.Ldexp(1, k.rnd.IntN(80)-40))
}

func (k *texts) doubles() (w words) {
	for n := 0; n < 6; n += 2 {
		v := k.anyDouble()
		w[n], w[n+1] = uint32(v), uint32(v>>32)
	}
	return w
}

func TestDoubles(t *testing.T) {
	for _, fused := range []bool{true, false} {
		k := newTexts(t, map[string]string{"fmad": map[bool]string{true: "fused", false: "unfused"}[fused]})
		for name, x := range map[string]struct {
			n int
			f func(a, b, c float64) float64
		}{
			"mul": {2, func(a, b, _ float64) float64 { return a * b }}, "add": {2, func(a, b, _ float64) float64 { return a + b }}, "div": {2, func(a, b, _ float64) float64 { return a / b }},
			"rcp": {1, func(a, _, _ float64) float64 { return 1 / a }}, "sqrt": {1, func(a, _, _ float64) float64 { return math.Sqrt(a) }}, "rsq": {1, func(a, _, _ float64) float64 { return 1 / math.Sqrt(a) }},
			"mad": {3, func(a, b, c float64) float64 {
				if fused {
					return math.FMA(a, b, c)
				}
				return float64(a*b) + c
			}},
		} {
			group := "{ " + [...]string{1: "s0 = r0..1", 2: "s0 = r0..1, s1 = r2..3", 3: "s0 = r0..1, s1 = r2..3, s2 = r4..5"}[x.n] + " p0: f64" + name + " w0, " + [...]string{1: "s0", 2: "s0, s1", 3: "s0, s1, s2"}[x.n] + "; w0 = r16..17 }"
			for range 40 {
				k.run(group, k.doubles, func(in words, got result) string {
					return sameDouble(got, x.f(double(in[0], in[1]), double(in[2], in[3]), double(in[4], in[5])))
				})
			}
		}
		k.run("{ s0 = r2 p0: f64byp w0, s0; w0 = r16 }", k.doubles, func(in words, got result) string {
			return same(got.w0, in[2]) + same(got.w1, in[3])
		})
	}
}

func TestDoubleConversions(t *testing.T) {
	for _, mode := range []string{"nearest", "zero"} {
		k := newTexts(t, map[string]string{"f64-to-integer": mode})
		whole := func(v float64) float64 {
			if mode == "zero" {
				return math.Trunc(v)
			}
			return math.RoundToEven(v)
		}
		to := func(v float64, low, high float64) int64 {
			if v != v {
				return 0
			}
			return int64(math.Min(math.Max(whole(v), low), high))
		}
		near := func() (w words) {
			v := math.Float64bits((k.rnd.Float64() - 0.4) * math.Ldexp(1, k.rnd.IntN(36)))
			if k.rnd.IntN(3) == 0 {
				v = math.Float64bits(float64(k.rnd.IntN(40)-20) / 2)
			}
			if k.rnd.IntN(4) == 0 {
				v = k.anyDouble()
			}
			w[0], w[2] = uint32(v), uint32(v>>32)
			return w
		}
		for range 60 {
			for name, f := range map[string]func(v float64) uint32{
				"s32": func(v float64) uint32 { return uint32(to(v, math.MinInt32, math.MaxInt32)) }, "u32": func(v float64) uint32 { return uint32(to(v, 0, math.MaxUint32)) },
				"f32": func(v float64) uint32 {
					if v != v {
						return 0x7fc00000
					}
					return math.Float32bits(float32(v))
				},
			} {
				k.run("{ s0 = r0, s2 = r2, is4 = ft0 p0: convertfromf64."+name+" ft0, s0, s2; w0 = r16 }", near, func(in words, got result) string {
					return same(got.w0, f(double(in[0], in[2])))
				})
			}
			for name, f := range map[string]func(v uint32) float64{
				"s32": func(v uint32) float64 { return float64(int32(v)) }, "u32": func(v uint32) float64 { return float64(v) }, "f32": func(v uint32) float64 { return float64(math.Float32frombits(v)) },
			} {
				k.run("{ s0 = r0, is3 = ft0, is4 = ft0, is5 = ft2 p0: mbyp ft0, s0; p2_pck: converttof64."+name+" ft0, ft2, is3; w0 = r16, w1 = r17 }",
					func() words { return words{uint32(reals.Single.Edge(k.rnd))} }, func(in words, got result) string { return sameDouble(got, f(in[0])) })
				// No header could encode these phases.
				k.run("{ s3 = r1, is3 = ft1, is4 = ft0, is5 = ft2 p1: mbyp ft1, s3; p2_pck: converttof64."+name+" ft0, ft2, is3; w0 = r16, w1 = r17 }",
					func() words { return words{1: k.rnd.Uint32()} }, func(in words, got result) string { return sameDouble(got, f(in[1])) })
			}
		}
	}
}

// quiet returns a float with the canonical NaN.
func quiet(v float32) uint32 {
	if v != v {
		return 0x7fc00000
	}
	return math.Float32bits(v)
}

// value16 returns the number of a half as a float of the host.
func value16(h uint32) float32 {
	x := reals.Half.Read(uint64(h & 0xffff))
	if x == nil {
		return float32(math.NaN())
	}
	v, _ := x.Float32()
	return v
}

// half16 rounds a float of the host to a half.
func half16(v float32) uint32 {
	if v != v {
		return 0x7e00
	}
	return uint32(reals.Half.Near(reals.Of(float64(v))))
}

func TestHalves(t *testing.T) {
	k := newTexts(t, nil)
	root := func(v float32) float32 { return float32(math.Sqrt(float64(v))) }
	single := func() words { return words{uint32(reals.Single.Edge(k.rnd))} }
	halves := func() words {
		return words{uint32(reals.Half.Edge(k.rnd)) | uint32(reals.Half.Edge(k.rnd))<<16}
	}
	for range 30 {
		k.run("{ s0 = r0 p0: fsqrt w0, s0; w0 = r16 }", single, func(in words, got result) string {
			return same(got.w0, quiet(root(math.Float32frombits(in[0]))))
		})
		k.run("{ s0 = r0 p0: fsqrt w0, s0.abs; w0 = r16 }", single, func(in words, got result) string {
			return same(got.w0, quiet(root(math.Float32frombits(in[0]&0x7fffffff))))
		})
		k.run("{ s0 = r0 p0: fsqrt w0.f16.e0.e1, s0.f16.e1.neg; w0 = r16 }", halves, func(in words, got result) string {
			return same(got.w0, 0x10001*half16(root(-value16(in[0]>>16))))
		})
		k.run("{ s0 = r0 p0: fsqrt w0.f16.e1, s0; w0 = r16 }", single, func(in words, got result) string {
			return same(got.w0, half16(root(math.Float32frombits(in[0])))<<16)
		})
		k.run("{ s0 = r0 p0: fsqrt w0, s0.f16.e0; w0 = r16 }", halves, func(in words, got result) string {
			return same(got.w0, quiet(root(value16(in[0]))))
		})
	}
	// The others work on whole words, which other tests cover: here with values whose results are exact.
	for _, phase := range []struct{ p, lead, source string }{{"p0", "", "s0"}, {"p1", "s0 = r1, ", "s3"}} {
		for name, x := range map[string]struct{ in, want uint32 }{"frcp": {0x4400, 0x3400}, "frsq": {0x4400, 0x3800}, "flog": {0x4400, 0x4000}, "fexp": {0x4000, 0x4400}, "gcmp": {0x3c00, 0x3c00}, "gexp": {0x3c00, 0x3c00}} {
			first := ""
			if phase.p == "p1" {
				first = "p0: mbyp ft0, s0; "
			}
			k.run("{ "+phase.lead+phase.source+" = r0 "+first+phase.p+": "+name+" w0.f16.e1, "+phase.source+".f16.e0; w0 = r16 }", func() words { return words{x.in | 0x12340000} },
				func(_ words, got result) string { return same(got.w0, x.want<<16) })
		}
	}
}

func TestThirdPhase(t *testing.T) {
	k := newTexts(t, nil)
	for range 40 {
		for name, f := range map[string]func(a, b float32) float32{"fadd": func(a, b float32) float32 { return a + b }, "fmul": func(a, b float32) float32 { return a * b }} {
			for _, sat := range []bool{false, true} {
				dot := map[bool]string{true: ".sat"}[sat]
				k.run("{ s0 = r0, s1 = r1, is0 = s1, is3 = ft0, is4 = ft2 p0: mbyp ft0, s0; p2_pck: "+name+dot+" ft2, is3.abs.neg, fte.abs; w0 = r16 }",
					func() words { return words{uint32(reals.Single.Edge(k.rnd)), uint32(reals.Single.Edge(k.rnd))} }, func(in words, got result) string {
						v := f(math.Float32frombits(in[0]|1<<31), math.Float32frombits(in[1]&^(1<<31)))
						if sat {
							v = min(max(v, 0), 1)
							if v != v || v == 0 {
								v = 0
							}
						}
						return same(got.w0, quiet(v))
					})
			}
		}
	}
}

func TestMinMax(t *testing.T) {
	k := newTexts(t, nil)
	input := func() words {
		a := uint32(reals.Single.Edge(k.rnd))
		if k.rnd.IntN(3) == 0 {
			return words{a, a}
		}
		return words{a, uint32(reals.Single.Edge(k.rnd))}
	}
	for range 40 {
		for name, less := range map[string]bool{"min": true, "max": false} {
			for typ, f := range map[string]func(a, b uint32) bool{
				"f32": func(a, b uint32) bool {
					x, y := math.Float32frombits(a), math.Float32frombits(b)
					return less && x < y || !less && x >= y
				},
				"s32":    func(a, b uint32) bool { return int32(a) < int32(b) == less },
				"u8.e2":  func(a, b uint32) bool { return a>>16&255 < b>>16&255 == less },
				"s16.e1": func(a, b uint32) bool { return int16(a>>16) < int16(b>>16) == less },
			} {
				typ, elem, _ := strings.Cut(typ, ".")
				if elem != "" {
					elem = "." + elem
				}
				k.run("{ s0 = r0, s1 = r1, is0 = s1, is1 = ft0, is2 = fte p0: mbyp ft0, s0; p2_tst: tst."+typ+"."+name+" ftt, p0, is1"+elem+", is2"+elem+"; }", input,
					func(in words, got result) string {
						if want := f(in[0], in[1]); want != got.p {
							return fmt.Sprint(want)
						}
						return ""
					})
			}
		}
	}
}

// TestOwnElements: tests of halves of words as floats, and of narrow integers in different elements of each word.
func TestOwnElements(t *testing.T) {
	k := newTexts(t, nil)
	input := func() words { return words{edgeHalves(k.rnd), edgeHalves(k.rnd)} }
	holds := map[string]func(a, b float64) bool{"e": func(a, b float64) bool { return a == b }, "g": func(a, b float64) bool { return a > b }, "ge": func(a, b float64) bool { return a >= b },
		"ne": func(a, b float64) bool { return a != b }, "l": func(a, b float64) bool { return a < b }, "le": func(a, b float64) bool { return a <= b },
		"min": func(a, b float64) bool { return a < b }, "max": func(a, b float64) bool { return a >= b },
		"z": func(a, _ float64) bool { return a == 0 }, "gz": func(a, _ float64) bool { return a > 0 }, "gez": func(a, _ float64) bool { return a >= 0 }}
	element := func(w uint32, typ string, e int) float64 {
		switch typ {
		case "f32":
			return halfValue(uint16(w >> (16 * e)))
		case "u8":
			return float64(uint8(w >> (8 * e)))
		case "s8":
			return float64(int8(w >> (8 * e)))
		case "u16":
			return float64(uint16(w >> (16 * e)))
		}
		return float64(int16(w >> (16 * e)))
	}
	for name, f := range holds {
		for typ, elements := range map[string]int{"f32": 2, "u8": 4, "s8": 4, "u16": 2, "s16": 2} {
			alone := name == "z" || name == "gz" || name == "gez"
			if alone && typ != "f32" {
				continue
			}
			for pair := range elements * elements {
				a, b := pair/elements, pair%elements
				form := ".e"
				switch {
				case typ == "f32":
					form = ".f16.e"
				case a == b: // these have encodings
					continue
				}
				second := fmt.Sprint("is2", form, b)
				if alone {
					second = "_"
				}
				text := fmt.Sprintf("{ s0 = r0, s1 = r1, is0 = s1, is1 = ft0, is2 = fte p0: mbyp ft0, s0; p2_tst: tst.%s.%s ftt, p0, is1%s%d, %s; }", typ, name, form, a, second)
				k.run(text, input, func(in words, got result) string {
					if want := f(element(in[0], typ, a), element(in[1], typ, b)); want != got.p {
						return fmt.Sprint(want)
					}
					return ""
				})
			}
		}
	}
}

// edgeHalves returns a word of two halves, often special ones, and often equal.
func edgeHalves(rnd *rand.Rand) uint32 {
	a := uint32(reals.Half.Edge(rnd)) & 0xffff
	if rnd.IntN(3) == 0 {
		return a<<16 | a
	}
	return uint32(reals.Half.Edge(rnd))<<16 | a
}

// halfValue returns the value of a float of 16 bits.
func halfValue(h uint16) float64 {
	sign, exp, frac := 1.0, int(h>>10&31), float64(h&0x3ff)
	if h>>15 != 0 {
		sign = -1
	}
	switch exp {
	case 0:
		return sign * math.Ldexp(frac, -24)
	case 31:
		if frac != 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	}
	return sign * math.Ldexp(1024+frac, exp-25)
}

func TestCounts(t *testing.T) {
	k := newTexts(t, nil)
	for range 40 {
		input := func() words { return words{reals.EdgeInt(k.rnd)} }
		k.run("{ s2 = r0 p0: ftb_shi ft3, s2; w1 = r17 }", input, func(in words, got result) string {
			v, c := in[0], 0
			if v>>31 != 0 {
				v = ^v
			}
			for ; v>>c != 0; c++ {
			}
			return same(got.w1, uint32(c-1))
		})
		k.run("{ s2 = r0 p0: rev ft2, s2; p0: ftb_msb ft3, ft2; w1 = r17 }", input, func(in words, got result) string {
			v, want := bits.Reverse32(in[0]), uint32(0xffffffff)
			if v != 0 {
				c := 31
				for ; uint64(v)>>(32-c) != 0; c-- {
				}
				want = uint32(c)
			}
			return same(got.w1, want)
		})
	}
}

func TestTessellator(t *testing.T) {
	k := newTexts(t, nil)
	k.run("{ s0 = r0, s1 = r1, is0 = s1, is4 = fte backend: tessw w0, 0x7; }", func() words { return words{k.rnd.Uint32(), k.rnd.Uint32()} }, func(in words, _ result) string { return "" })
	for lane := range rogue.Lanes {
		if got, want := k.st.Get(ir.Cell{File: rogue.FileVo, Index: 7}, lane), k.get(1, lane); got != want {
			t.Errorf("lane %d: %#x, want %#x", lane, got, want)
		}
	}
}

// TestDirect: a store and a load that bypass the main unit move words as others do, for each way to give their number.
func TestDirect(t *testing.T) {
	const base, each = 0x1_0000, 64
	k := newTexts(t, nil)
	space := &mem.Space{Name: "global"}
	g := mem.NewSegment("words", base, each*rogue.Lanes, mem.ReadWrite)
	if err := space.Add(g); err != nil {
		t.Fatal(err)
	}
	k.env.Spaces[ir.GlobalSpace] = []*mem.Space{space}
	lane := 0
	input := func() words {
		lane++
		return words{uint32(base + (lane-1)%rogue.Lanes*each), 0, k.rnd.Uint32(), k.rnd.Uint32(), 2, 0xffffffff}
	}
	for _, store := range []string{"st.direct.writethrough s2, 0x2, drc0, 0x2, s0, _", "st.regbl.direct.writethrough s2, 0x2, drc0, s4, s0, _", "st.direct.writethrough.slcwriteback s2, 0x2, drc0, 0x2, s0, _",
		"st.regbl.direct.writethrough.slcwriteback s2, 0x2, drc0, s4, s0, _", "st.tiled.direct.writethrough s2, 0x2, drc0, 0x2, s0, _", "st.tiled.regbl.direct.writethrough s2, 0x2, drc0, s4, s0, _"} {
		for _, load := range []string{"ld.direct s3, drc0, 0x2, s0", "ld.regbl.direct s3, drc0, s4, s0", "ld.regbl.direct.slcwriteback s3, drc0, s4, s0"} {
			clear(g.Data)
			k.run("{ s0 = r0, s2 = r2, s4 = r4 backend: "+store+"; }", input, func(in words, _ result) string {
				at := in[0] - base
				return same(binary.LittleEndian.Uint32(g.Data[at:]), in[2]) + same(binary.LittleEndian.Uint32(g.Data[at+4:]), in[3]) + same(binary.LittleEndian.Uint32(g.Data[at+8:]), 0)
			})
			k.run("{ s0 = r0, s3 = r16, s4 = r4 backend: "+load+"; }", input, func(in words, got result) string {
				at := in[0] - base
				return same(got.w0, binary.LittleEndian.Uint32(g.Data[at:])) + same(got.w1, binary.LittleEndian.Uint32(g.Data[at+4:]))
			})
		}
	}
	for i := range g.Data {
		g.Data[i] = byte(i)
	}
	old := slices.Clone(g.Data)
	k.run("{ s0 = r0, s3 = r16 backend: atomic.direct.add s3, drc0, s0; }", input, func(in words, got result) string {
		at := in[0] - base
		was := binary.LittleEndian.Uint32(old[at:])
		return same(got.w0, was) + same(binary.LittleEndian.Uint32(g.Data[at:]), was+in[2])
	})
	k.run("{ s0 = r0 backend: idf.direct drc0, s0; }", input, func(words, result) string { return "" })
}

// TestTextLacks: instructions for which the reference has no formula trap, with that reason.
func TestTextLacks(t *testing.T) {
	k := newTexts(t, nil)
	for _, text := range []string{"{ s0 = r0, s1 = r1, s3 = r3, s4 = r4, s5 = r5 p2_mov: gta.array w0, w1, p0, s3, s0, s1, s4, s5; w0 = r16, w1 = r17 }", "{ ctrl: bpret; }", "{ s2 = r1 backend: st.texelmode s2, w1, drc0; }"} {
		if f := k.step(k.runner(text), 1); f == nil || !strings.Contains(f.Error(), "the reference documents give no meaning") {
			t.Errorf("%s: %v", text, f)
		}
	}
}
