package roguerun

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/isa/rogue"
)

// TestOutputs: vertex outputs numbered by the instruction or a register; in repeated groups the next one each time.
func TestOutputs(t *testing.T) {
	rnd := rand.New(rand.NewPCG(11, 1))
	for _, c := range []struct {
		text string
		at   func(lane int) int
		n    int
		ends bool
	}{
		{"is4 = fte backend: uvsw.write w0, 0x3", func(int) int { return 3 }, 1, false},
		{"is5 = fte backend: uvsw.write w1, 0xff", func(int) int { return 255 }, 1, false},
		{"is4 = fte backend: uvsw.write w0, s1", func(lane int) int { return 2 * lane }, 1, false},
		{"is5 = fte backend: uvsw.write w1, s1", func(lane int) int { return 2 * lane }, 1, false},
		{"is4 = fte backend: uvsw.write.emit.endtask w0, 0x7", func(int) int { return 7 }, 1, true},
		{"is4 = fte backend: uvsw.write.emit.endtask w0, s1", func(lane int) int { return 2 * lane }, 1, true},
		{"is4 = fte backend: uvsw.write w0, 0x20", func(int) int { return 32 }, 4, false},
	} {
		k := newTask(t, nil)
		for i := range 4 {
			k.set(i, func(int) uint32 { return rnd.Uint32() })
		}
		if c.n == 1 {
			k.set(1, func(lane int) uint32 { return uint32(2 * lane) })
		}
		which := k.half(rnd)
		repeat := ""
		if c.n > 1 {
			repeat = fmt.Sprintf("repeat %d, ", c.n)
		}
		k.run("if(p0) { " + repeat + "s0 = r0, s1 = r1, is0 = s0, " + c.text + "; }")
		for lane := range rogue.Lanes {
			for n := range 256 {
				want := uint32(0)
				if i := n - c.at(lane); i >= 0 && i < c.n && which>>lane&1 != 0 {
					want = k.get(i, lane)
				}
				if got := k.st.Get(cell(rogue.FileVo, n), lane); got != want {
					t.Fatalf("%s: instance %d, vo%d is %#x, want %#x", c.text, lane, n, got, want)
				}
			}
		}
		if k.st.Ended() != c.ends {
			t.Errorf("%s: ended: %t", c.text, k.st.Ended())
		}
	}
	k := newTask(t, nil)
	for _, text := range []string{"uvsw.emit", "uvsw.cut", "uvsw.emit.cut", "uvsw.emit 0x0", "uvsw.cut 0x2", "uvsw.emit.cut 0x0"} {
		newTask(t, nil).run("{ backend: " + text + "; }")
	}
	k.run("{ s0 = r0, s2 = r1 backend: emitpix.freep s0, s2; }")
	if k.st.Ended() {
		t.Error("the task ends")
	}
	k.traps("{ repeat 2, s0 = r0, is0 = s0, is4 = fte backend: uvsw.write w0, 0xff; }", "behind the last")
}

// comparisons are by the number in the state of an alpha test.
var comparisons = [8]func(a, b real) bool{
	func(_, _ real) bool { return false },
	func(a, b real) bool { return a != nil && b != nil && a.Cmp(b) < 0 },
	func(a, b real) bool { return a != nil && b != nil && a.Cmp(b) == 0 },
	func(a, b real) bool { return a != nil && b != nil && a.Cmp(b) <= 0 },
	func(a, b real) bool { return a != nil && b != nil && a.Cmp(b) > 0 },
	func(a, b real) bool { return a == nil || b == nil || a.Cmp(b) != 0 },
	func(a, b real) bool { return a != nil && b != nil && a.Cmp(b) >= 0 },
	func(_, _ real) bool { return true },
}

// TestFeedback: the comparisons of alpha tests, and the dropped pixels: of the active instances those that a condition
// excludes from feedback, and those that fail.
func TestFeedback(t *testing.T) {
	rnd := rand.New(rand.NewPCG(11, 2))
	for way, first := range map[string]bool{"data-reference": false, "reference-data": true} {
		for _, form := range []string{"atst p0, s0, s1, s2", "atst.ifb p0, s0, s1, s2", "atst.ifb _, s0, s1, s2", "depthf w0"} {
			for range 30 {
				k := newTask(t, map[string]string{"alpha-test": way})
				k.mix(rnd, 1<<32-1)
				values := []uint32{edge(rnd), edge(rnd), nan, 0, 1 << 31}
				k.set(0, func(int) uint32 { return values[rnd.IntN(5)] })
				k.set(1, func(int) uint32 { return values[rnd.IntN(5)] })
				k.set(2, func(int) uint32 { return rnd.Uint32() })
				text := "if(p0) { s0 = r0, s1 = r1, s2 = r2, is0 = s0, is4 = fte backend: " + form + "; }"
				var wantP, wantDrop, depth [rogue.Lanes]bool
				for lane := range wantP {
					pe, p := k.instance(lane)
					ref, v := single.Read(uint64(k.get(0, lane))), single.Read(uint64(k.get(1, lane)))
					if first {
						ref, v = v, ref
					}
					pass := form == "depthf w0" || comparisons[k.get(2, lane)&7](v, ref)
					wantP[lane], depth[lane] = p, pe && p && form == "depthf w0"
					if pe && p && strings.Contains(form, "p0,") {
						wantP[lane] = pass
					}
					wantDrop[lane] = form != "atst p0, s0, s1, s2" && pe && !(p && pass)
				}
				k.run(text)
				for lane := range wantP {
					_, p := k.instance(lane)
					d := k.st.Get(cell(rogue.FileDepth, 0), lane)
					if drop := k.st.Get(dropCell, lane) != 0; p != wantP[lane] || drop != wantDrop[lane] || depth[lane] && d != k.get(0, lane) || !depth[lane] && d != 0 {
						t.Fatalf("%s, %s: instance %d of %#x, %#x, %#x: p0 %t, dropped %t, depth %#x; want %t, %t", text, way, lane, k.get(0, lane), k.get(1, lane), k.get(2, lane), p, drop, d, wantP[lane], wantDrop[lane])
					}
				}
			}
		}
	}
}
