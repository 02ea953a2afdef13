package teslarun

import (
	"fmt"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa/tesla"
)

// Stage-specific instructions, and instructions that wait. docs/reference/tesla.md 3.3, 8.5 and 9.

// TestInterpolation: inputs of fragments, unchanged and times a register, in short and long forms.
func TestInterpolation(t *testing.T) {
	for _, c := range []struct {
		text  string
		how   ir.How
		times bool
		neg   signs
	}{
		{"interp $r4 %s", ir.HowLinear, false, 0}, {"interp $r4 cent %s", ir.HowLinear | ir.AtCentroid, false, 0},
		{"interp $r4 %s $r8", ir.HowLinear, true, 0}, {"interp $r4 cent %s $r8", ir.HowLinear | ir.AtCentroid, true, 0},
		{"interp $r4 flat %s", ir.HowFlat, false, 0},
		{"interp $r4 %s neg $r8", ir.HowLinear, true, negated}, {"interp $r4 cent %s neg $r8", ir.HowLinear | ir.AtCentroid, true, negated},
	} {
		for _, long := range []string{"", "long "} {
			for _, at := range []string{"v[0x24]", "v[$a2+0x14]", "v[$a2+0x3fc]"} {
				w := newWarp(t, tesla.G80, tesla.FP)
				word := 9
				for lane := range tesla.Lanes {
					w.st.Set(addr(2), lane, uint32(4*(lane%3)))
				}
				if at != "v[0x24]" {
					fmt.Sscanf(at, "v[$a2+%v]", &word)
					word /= 4
				}
				slot := func(lane int) int {
					if at == "v[0x24]" {
						return word
					}
					return word + lane%3
				}
				for i := range uint32(inputWords) {
					for lane := range tesla.Lanes {
						w.input(i)[lane] = one32 + i*1000 + uint32(lane*77777)
					}
				}
				w.set(8, func(lane int) uint32 { return 0x40490fdb + uint32(lane)*12345 })
				w.run(long + fmt.Sprintf(c.text, at))
				w.want(4, func(lane int) uint32 {
					v := uint64(w.input(uint32(slot(lane)))[lane])
					if c.times {
						v = finish(single.read(v).times(single.read(c.neg.of(uint64(w.st.Get(reg(8), lane)), 32))), rn)
					}
					return uint32(v)
				})
				if w.how != c.how {
					t.Errorf("%s asks for %v, want %v", c.text, w.how, c.how)
				}
				if t.Failed() {
					t.Fatalf("%s%s of %s", long, c.text, at)
				}
			}
		}
	}
}

// TestSpecialRegisters: per-thread values from the launch, and the clock.
func TestSpecialRegisters(t *testing.T) {
	w := newWarp(t, tesla.GT215, tesla.CP)
	for n := range tesla.NumSR {
		for lane := range tesla.Lanes {
			w.st.Set(ir.Cell{File: tesla.FileSR, Index: uint16(n)}, lane, uint32(100*n+lane))
		}
	}
	for n, name := range []string{"physid", "", "sr2", "vstride", "pm0", "pm1", "pm2", "pm3", "sampleid", "sr9", "sr10", "sr11", "sr12", "sr13", "sr14", "sr15"} {
		if name == "" {
			continue
		}
		w.run("mov $r4 $" + name)
		w.want(4, func(lane int) uint32 { return uint32(100*n + lane) })
	}
	w.program("mov $r4 $clock\nadd b32 $r6 $r6 $r6\nadd b32 $r6 $r6 $r6\nmov $r5 $clock\nexit nop")
	if a, b := w.st.Get(reg(4), 3), w.st.Get(reg(5), 3); b <= a {
		t.Errorf("the clock says %d, then %d", a, b)
	}
}

// TestIdle: instructions without effect on a thread.
func TestIdle(t *testing.T) {
	w := newWarp(t, tesla.GT215, tesla.CP)
	w.set(4, thread)
	w.program("nop\npmevent 0x5\nlong brkpt\nadd b32 $r4 $r4 0x1\nexit nop")
	w.want(4, func(lane int) uint32 { return uint32(lane) + 1 })
	for _, form := range []string{"brkpt", "long brkpt", "(lg $c0) brkpt"} {
		w.run(form)
		w.want(4, func(lane int) uint32 { return uint32(lane) + 1 })
	}
}

// TestTraps: trap is a fault requested by the program, in both forms.
func TestTraps(t *testing.T) {
	for _, form := range []string{"trap", "long trap"} {
		w := newWarp(t, tesla.G80, tesla.CP)
		if f := w.try(form); f == nil || f.Trap != ir.TrapGuest {
			t.Errorf("%s: %v", form, f)
		}
	}
}

// TestVertices: emit records the outputs of the active threads as a vertex, with the number of its primitive, and
// clears them; restart begins another primitive.
func TestVertices(t *testing.T) {
	w := threads(t, tesla.G80, tesla.GP)
	w.set(8, always(1))
	w.program(`
		and b32 $c0 # $r1 $r8
		mov b32 o[0x4] $r1
		emit
		mov b32 o[0x8] $r1
		(e $c0) emit
		(lg $c0) restart
		mov b32 o[0xc] $r1
		emit
		exit nop`)
	for lane := range tesla.Lanes {
		odd := uint32(lane & 1)
		n := uint32(3) - odd
		vertices := w.st.Get(ir.Cell{File: tesla.FileEmit, Index: tesla.EmitVertices}, lane)
		prims := w.st.Get(ir.Cell{File: tesla.FileEmit, Index: tesla.EmitPrimitives}, lane)
		if vertices != n || prims != odd {
			t.Fatalf("thread %d: %d vertices and %d primitives, want %d and %d", lane, vertices, prims, n, odd)
		}
		at := func(vertex, i int) uint32 {
			return word(w.emitted.Data, w.emitted.Offset(lane, uint64(vertex*tesla.EmitBytes+4*i)))
		}
		last := int(n) - 1
		id := uint32(lane)
		for _, c := range []struct {
			vertex, i int
			want      uint32
		}{{0, 1, id}, {0, 2, 0}, {0, tesla.NumO, 0}, {last, 3, id}, {last, 1, 0}, {last, tesla.NumO, odd}, {1, 2, map[bool]uint32{true: id}[odd == 0 || last == 1]}} {
			if got := at(c.vertex, c.i); got != c.want {
				t.Errorf("thread %d: word %d of vertex %d is %d, want %d", lane, c.i, c.vertex, got, c.want)
			}
		}
	}
}

// TestBarriers: warps of a block wait for each other at a barrier by its number.
func TestBarriers(t *testing.T) {
	for n, text := range []string{"bar inc wait 0x%x all", "bar inc wait 0x%x 0xfff", "bar inc wait 0x%x 0x40"} {
		var ws [2]*warp
		for i := range ws {
			ws[i] = threads(t, tesla.G80, tesla.CP)
			ws[i].shared = ws[0].shared
			ws[i].set(1, func(lane int) uint32 { return uint32(lane + 32*i) })
		}
		src := fmt.Sprintf(`
			shl $a1 $r1 0x2
			st b32 s[$a1+0x100] $r1
			`+text+`
			mov b32 $r2 0x3f
			sub b32 $r2 $r2 $r1
			shl $a1 $r2 0x2
			ld $r3 b32 s[$a1+0x100]
			exit nop`, 3*n)
		for i := range ws {
			ws[i].target = tesla.Set().At(tesla.G84, tesla.CP)
			if f := ws[i].steps(ws[i].assembled(src), stepLimit); f != nil || ws[i].stop.Reason != exec.StopBarrier || ws[i].stop.At.Number != 3*n || ws[i].stop.At.Lanes != []uint32{0, 0, 64}[n] {
				t.Fatalf("%s: %v, %v at %v", text, f, ws[i].stop.Reason, ws[i].stop.At)
			}
		}
		for i := range ws {
			if f := ws[i].goOn(ws[i].assembled(src), stepLimit); f != nil || ws[i].stop.Reason != exec.StopEnd {
				t.Fatal(f, ws[i].stop.Reason)
			}
			ws[i].want(3, func(lane int) uint32 { return uint32(63 - lane - 32*i) })
		}
	}
}

// TestBarrierWords: the action of a warp at a barrier by the words of bar, and the number of threads.
func TestBarrierWords(t *testing.T) {
	for _, c := range [...]struct {
		text, count string
		want        exec.Barrier
		stop        exec.StopReason
	}{
		{"bar inc 0x2 0x40", "threads", exec.Barrier{Number: 2, Lanes: 64, Kind: ir.BarrierArrive}, exec.StopBarrier},
		{"bar inc 0xf all", "threads", exec.Barrier{Number: 15, Kind: ir.BarrierArrive}, exec.StopBarrier},
		{"bar wait 0x2 0x40", "threads", exec.Barrier{Number: 2, Lanes: 64, Kind: ir.BarrierWait}, exec.StopBarrier},
		{"bar wait 0x0 all", "threads", exec.Barrier{Kind: ir.BarrierWait}, exec.StopBarrier},
		{"bar 0x2 0x40", "threads", exec.Barrier{}, exec.StopEnd},
		{"bar 0x2 all", "threads", exec.Barrier{}, exec.StopEnd},
		{"bar inc wait 0x2 0x3", "warps", exec.Barrier{Number: 2, Lanes: 96}, exec.StopBarrier},
		{"bar inc 0x2 0x3", "warps", exec.Barrier{Number: 2, Lanes: 96, Kind: ir.BarrierArrive}, exec.StopBarrier},
		{"bar wait 0x2 0xfff", "warps", exec.Barrier{Number: 2, Kind: ir.BarrierWait}, exec.StopBarrier},
	} {
		w := newWarp(t, tesla.G80, tesla.CP)
		var err error
		if w.target, err = w.target.With(w.target.Dialect, map[string]string{"barrier-count": c.count}); err != nil {
			t.Fatal(err)
		}
		if f := w.steps(w.assembled(c.text+"\nexit nop"), stepLimit); f != nil || w.stop.Reason != c.stop || w.stop.At != c.want {
			t.Errorf("%s, count of %s: %v, %v at %+v, want %v at %+v", c.text, c.count, f, w.stop.Reason, w.stop.At, c.stop, c.want)
		}
	}
}
