package roguerun

import (
	"testing"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa/rogue"
)

// bodies are groups in which all instances write r16, and some r17 and P0.
var bodies = []string{
	"{ s0 = r0, s1 = r1, s2 = r2, is4 = ft0 p0: fmad ft0, s0, s1, s2; w0 = r16 }",
	"{ s0 = r0, s3 = r5 p0: fred.sin.b w0, w1, p0, s0, s3, 0; w0 = r16, w1 = r17 }",
	"{ s0 = r0 p0: fsinc w0, p0, s0; w0 = r16 }",
	"{ repeat 4 , s0 = r0..3, is0 = s0, is3 = fte, is4 = ft2 p2_pck: pck.scale.u8888 ft2, is3; w0 = r16 }",
	"{ repeat 2 , s0 = r0, is4 = ft0 p0: unpck.scale.u8888 ft0, s0.e0; w0 = r16..17 }",
	"{ s0 = r0, s1 = r1, s2 = r2, s3 = r3, is0 = s3, is4 = ft0, is5 = fte p0: imadd64 ft0, fte, s0, s1, s2, is0, p0; p2_tst: tst.u32.c ftt, p0, _, _; w0 = r16, w1 = r17 }",
	"{ s0 = r0, s1 = r1, s2 = r2, s4 = r4 p0: msk ft0, ft1, s0, s1; p0: ftb ft3, s2; p2: shr ft5, ft4, s4; p2: tz p0, ft3; w0 = r16, w1 = r17 }",
	"{ s0 = r0, is4 = ft0 p0: fdsx ft0, s0; w0 = r16 }",
}

// TestInactiveLanes: instances that a group does not select are unchanged, with all conditions and masks of no lane,
// one, every other and all; the selected ones have the same results as when all are active.
func TestInactiveLanes(t *testing.T) {
	conditions := map[string]func(pe, p bool) bool{"": func(pe, _ bool) bool { return pe }, "if(p0) ": func(pe, p bool) bool { return pe && p }, "if(!p0) ": func(pe, p bool) bool { return pe && !p },
		"(ignorepe) ": func(bool, bool) bool { return true }}
	for _, body := range bodies {
		for condition, runs := range conditions {
			for _, mask := range []uint64{0, 1 << 7, 0x55555555, 0xffffffff} {
				all, some := newTask(t, nil), newTask(t, nil)
				for i, k := range []*task{all, some} {
					for n := range 20 {
						k.set(n, func(lane int) uint32 { return uint32(0x3e000000+lane<<18) ^ uint32(n*0x01010101) })
					}
					for lane := range rogue.Lanes {
						k.st.Set(p0, lane, uint32(lane>>1&1))
					}
					text := "(ignorepe) " + body
					if i == 1 {
						k.st.SetMask(ir.Cell{File: rogue.FileExec}, mask)
						text = condition + body
					}
					steps := uint64(1)
					if body == bodies[4] {
						steps = 2
					}
					if f := k.step(k.group(text), steps); f != nil {
						t.Fatalf("%s: %v", text, f)
					}
				}
				compareLanes(t, condition+body, all, some, func(lane int) bool { return runs(mask>>lane&1 != 0, lane>>1&1 != 0) })
			}
		}
	}
}

func compareLanes(t *testing.T, text string, all, some *task, runs func(lane int) bool) {
	t.Helper()
	for lane := range rogue.Lanes {
		for n := range 20 {
			want := uint32(0x3e000000+lane<<18) ^ uint32(n*0x01010101)
			if runs(lane) {
				want = all.get(n, lane)
			}
			if got := some.get(n, lane); got != want {
				t.Errorf("%s: lane %d: r%d is %#x, want %#x", text, lane, n, got, want)
				return
			}
		}
		want := uint32(lane >> 1 & 1)
		if runs(lane) {
			want = all.st.Get(p0, lane)
		}
		if got := some.st.Get(p0, lane); got != want {
			t.Errorf("%s: lane %d: p0 is %d, want %d", text, lane, got, want)
			return
		}
	}
}
