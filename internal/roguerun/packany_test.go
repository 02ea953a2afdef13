package roguerun

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/heddle-gpu/heddle/isa/rogue"
)

// formatCodes are formats by number; docs/reference/rogue.md 5.4 describes their fields.
var formatCodes = map[uint32]string{0: "u8888", 1: "s8888", 2: "o8888", 3: "u1616", 4: "s1616", 5: "o1616", 6: "u32", 7: "s32", 8: "u1010102", 9: "s1010102", 10: "u111110", 11: "s111110",
	12: "f111110", 13: "shared", 14: "f16f16", 15: "f32", 17: "u565u565", 18: "d24s8", 19: "s8d24", 20: "f32_mask", 21: "2f10f10f10", 22: "s8888ogl", 23: "s1616ogl", 30: "zero", 31: "one"}

// packedAs returns the registers after a run of values is packed in a format.
func packedAs(code uint32, old registers, xs []uint32, scale bool, mode big.RoundingMode, clear bool) registers {
	switch name := formatCodes[code]; name {
	case "":
	case "zero", "one":
		for i := range xs {
			old[i] = map[string]uint32{"one": 0x3f800000}[name]
		}
	case "shared":
		for at := 0; at < len(xs); at += 3 {
			var x [3]real
			for i := range x {
				switch {
				case at+i < len(xs):
					x[i] = sharedFloat(xs[at+i])
				case clear:
					x[i] = apart(0, i)
				default:
					x[i] = apart(old[at/3], i)
				}
			}
			old[at/3] = joined(x, mode)
		}
	default:
		fields := packedFormats[name]
		whole := map[int]int{} // fields of a word, and how many of them are written
		for i := range xs {
			whole[i/len(fields)*(fields[len(fields)-1].word+1)+fields[i%len(fields)].word]++
		}
		for w, n := range whole { // a word that is written completely starts as zeros
			have := 0
			for _, f := range fields {
				if f.word == w%(fields[len(fields)-1].word+1) {
					have++
				}
			}
			if n == have {
				old[w] = 0
			}
		}
		old, _ = putElements(fields, old, xs, scale, mode, clear)
	}
	return old
}

// TestPackAny: each instance packs in its own format, given by a register, into as many registers as the format needs.
func TestPackAny(t *testing.T) {
	rnd := rand.New(rand.NewPCG(41, 42))
	for _, options := range []map[string]string{nil, {"pack-rest": "zero"}} {
		k := newTask(t, options)
		for n := 1; n <= 4; n++ {
			for _, scale := range []bool{false, true} {
				for _, mode := range []big.RoundingMode{big.ToNearestEven, big.ToZero} {
					mods := map[bool]string{true: ".scale"}[scale] + map[bool]string{true: ".roundzero"}[mode == big.ToZero]
					text := fmt.Sprintf("if(p0) { %s, s1 = r20, is0 = s1, is3 = ft0, is4 = ft2 p0: mbyp ft0, s0; p2_pck: pck.prog%s ft2, is3, fte; w0 = r4 }", repeated(n), mods)
					r := k.group(text)
					for range 6 {
						which := k.half(rnd)
						var before [32][8]uint32
						for i := range 8 {
							k.set(i, func(lane int) uint32 { before[lane][i] = packable(rnd); return before[lane][i] })
						}
						k.set(20, func(int) uint32 {
							code := rnd.Uint32N(32)
							for code == 16 { // a mask of coverage: see TestCoverage
								code = rnd.Uint32N(32)
							}
							return code | rnd.Uint32()<<5
						})
						if f := k.step(r, 1); f != nil {
							t.Fatalf("%s: %v", text, f)
						}
						for lane := range rogue.Lanes {
							b := &before[lane]
							want := *b
							if which>>lane&1 != 0 {
								rs := packedAs(k.get(20, lane)&31, registers(b[4:8]), b[:n], scale, mode, options != nil)
								copy(want[4:], rs[:])
							}
							for i := range want {
								if got := k.get(i, lane); got != want[i] {
									t.Fatalf("%s: format %d of %#x: r%d is %#x, want %#x", text, k.get(20, lane)&31, b[:], i, got, want[i])
								}
							}
						}
					}
				}
			}
		}
	}
	k := newTask(t, map[string]string{"pack-formats": "public"})
	k.set(20, func(int) uint32 { return 2 })
	k.set(4, func(int) uint32 { return 7 })
	k.run("{ s0 = r0, s1 = r20, is0 = s1, is3 = ft0, is4 = ft2 p0: mbyp ft0, s0; p2_pck: pck.prog ft2, is3, fte; w0 = r4 }")
	if got := k.get(4, 3); got != 7 {
		t.Errorf("a format that is not public: %#x", got)
	}
	k.traps("{ s0 = r0, s1 = r20, is0 = s1, is3 = ft0, is4 = ft2, is5 = ft2 p0: mbyp ft0, s0; p2_pck: pck.prog ft2, is3, fte; w0 = r4, w1 = r9 }", "pck.prog whose result goes")
}
