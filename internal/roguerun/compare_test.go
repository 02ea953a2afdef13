package roguerun

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// ordered are the outcomes for which a test is true: below, equal, above; and whether it is true if there is no order.
var ordered = map[string]struct {
	holds     [3]bool
	unordered bool
	two       bool
}{
	"z": {[3]bool{false, true, false}, false, false}, "gz": {[3]bool{false, false, true}, false, false}, "gez": {[3]bool{false, true, true}, false, false},
	"e": {[3]bool{false, true, false}, false, true}, "g": {[3]bool{false, false, true}, false, true}, "ge": {[3]bool{false, true, true}, false, true},
	"ne": {[3]bool{true, false, true}, true, true}, "l": {[3]bool{true, false, false}, false, true}, "le": {[3]bool{true, true, false}, false, true},
}

// outcome compares two words, or elements of them, in a type: -1, 0, 1; ok is false if they have no order.
func outcome(typ string, e int, a, b uint32) (order int, ok bool) {
	switch typ {
	case "f32":
		x, y := single.Read(uint64(a)), single.Read(uint64(b))
		if x == nil || y == nil {
			return 0, false
		}
		return x.Cmp(y), true
	case "u32":
		return cmp.Compare(a, b), true
	case "s32":
		return cmp.Compare(int32(a), int32(b)), true
	}
	bits := map[string]int{"8": 8, "16": 16}[typ[1:]]
	x, y := narrowElement(a, e, bits, typ[0] == 's', ""), narrowElement(b, e, bits, typ[0] == 's', "")
	return cmp.Compare(x, y), true
}

// TestTests: all tests of all types, with and without P0.
func TestTests(t *testing.T) {
	rnd := rand.New(rand.NewPCG(15, 16))
	k := newTask(t, nil)
	for name, test := range ordered {
		for _, typ := range []string{"f32", "u16", "s16", "u8", "s8", "u32", "s32"} {
			for e := range 4 {
				elem := ""
				if e > 0 {
					elem = fmt.Sprintf(".e%d", e)
				}
				is2 := "_"
				if test.two {
					is2 = "is2" + elem
				}
				pred := []string{"_", "p0"}[min(1, rnd.IntN(4))]
				head := fmt.Sprintf("{ s0 = r0, s1 = r2, s3 = r1, is0 = s1, is1 = ft0, is2 = ft1, is4 = ft1 p0: mbyp ft0, s0; p1: mbyp ft1, s3; p2_tst: tst.%s.%s", typ, name)
				test1 := fmt.Sprintf("%s.phase2end ftt, %s, is1%s, %s; w0 = r16 }", head, pred, elem, is2)
				test2 := fmt.Sprintf("%s ftt, %s, is1%s, %s; p2_mov: movc.phase2end w0, _, ftt, fte, is4, ft0, _; w0 = r16 }", head, pred, elem, is2)
				testOnce(k, test1, typ, name, pred == "p0", e, rnd)
				testOnce(k, test2, typ, name, pred == "p0", e, rnd)
				if typ == "f32" && e == 0 { // short forms, followed by a pack
					short := strings.Replace(head, "p2_tst", "p2_pck: pck.zero ft2, is3; p2_tst", 1)
					testOnce(k, fmt.Sprintf("%s ftt, %s, is1, %s; p2_mov: movc w0, _, ftt, fte, is4, ft0, _; w0 = r16 }", short, pred, is2), typ, name, pred == "p0", e, rnd)
				}
			}
		}
	}
	k.traps("{ s0 = r0, is4 = ft0 p0: mbyp ft0, s0; p2_mov: movc.phase2end w0, _, ftt, fte, is4, ft0, _; w0 = r16 }", "no test")
}

// testOnce runs a test; if the group has a move, it moves r2 if the test is true, else r1.
func testOnce(k *task, text, typ, name string, pred bool, e int, rnd *rand.Rand) {
	k.t.Helper()
	rows := integers(48, rnd)
	if typ == "f32" {
		rows = edges(48, rnd)
	}
	for i := range rows {
		rows[i].p = rnd.IntN(2) == 0
		if i%4 == 0 {
			rows[i].b = rows[i].a
		}
	}
	test := ordered[name]
	k.each(text, rows, func(in row, got result) string {
		b := in.b
		if !test.two {
			b = 0
		}
		order, ok := outcome(typ, e, in.a, b)
		holds := test.unordered
		if ok {
			holds = test.holds[order+1]
		}
		p, w0 := in.p, in.b
		if pred {
			p = holds
		}
		if strings.Contains(text, "movc") && holds {
			w0 = in.c
		}
		if got.p != p || got.w0 != w0 {
			return fmt.Sprintf("%#x, p0 %t", w0, p)
		}
		return ""
	})
}

// TestMoves: moves of bytes, with and without a test, of both results.
func TestMoves(t *testing.T) {
	rnd := rand.New(rand.NewPCG(17, 18))
	k := newTask(t, nil)
	for mask := range 16 {
		text := ".none"
		if mask != 0 {
			text = ""
			for e := range 4 {
				if mask>>e&1 != 0 {
					text += fmt.Sprintf(".e%d", e)
				}
			}
		}
		merged := func(from, old uint32) (v uint32) {
			for e := range 4 {
				b := old
				if mask>>e&1 != 0 {
					b = from
				}
				v |= b & (0xff << (8 * e))
			}
			return v
		}
		const head = "{ s0 = r0, s1 = r2, s3 = r1, is0 = s1, is1 = fte, is4 = ft1, is5 = ft0 p0: mbyp ft0, s0; p1: mbyp ft1, s3; "
		move := func(in row, holds bool) (w0, w1 uint32) {
			if !holds {
				return in.b, in.a
			}
			return merged(in.a, in.b), in.c
		}
		always := func(in row) (w0, w1 uint32) { return merged(in.a, in.b), in.c }
		for _, x := range []struct {
			text string
			f    func(in row) (w0, w1 uint32)
		}{
			{head + "p2_mov: movwm.phase2end w0" + text + ", ft0, is4, fte; w0 = r16, w1 = r17 }", always},
			{head + "p2_tst: tst.u32.z ftt, _, is1, _; p2_mov: movc.phase2end w0" + text + ", w1, ftt, ft0, is4, fte, is5; w0 = r16, w1 = r17 }", func(in row) (w0, w1 uint32) { return move(in, in.c == 0) }},
		} {
			rows := integers(64, rnd)
			for i := range rows {
				if i%2 == 0 {
					rows[i].c = 0
				}
			}
			k.each(x.text, rows, func(in row, got result) string {
				if w0, w1 := x.f(in); got.w0 != w0 || got.w1 != w1 {
					return fmt.Sprintf("%#x, %#x", w0, w1)
				}
				return ""
			})
		}
	}
}
