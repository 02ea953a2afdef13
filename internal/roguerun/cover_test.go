package roguerun

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/isa/rogue"
)

// TestCovered: a store with a coverage mask is performed by instances whose mask has a bit, or that of the first
// sample; tiled stores, too.
func TestCovered(t *testing.T) {
	rnd := rand.New(rand.NewPCG(51, 52))
	for mode, bits := range map[string]uint32{"any": ^uint32(0), "first": 1} {
		for _, form := range []string{"st.slcwriteback s1, 2, drc0, 2, s0, s2", "st.regbl.slcwriteback s1, 2, drc1, s4, s0, s2", "st.tiled s1, 2, drc0, 2, s0, s2", "st.tiled.regbl s1, 2, drc0, s4, s0, s2",
			"st.tiled s1, 2, drc0, 2, s0, _"} {
			k := newTask(t, map[string]string{"store-mask": mode})
			data := k.withMemory(rnd)
			var at [rogue.Lanes]int
			for lane := range at {
				at[lane] = lane * 68
			}
			k.point(at)
			k.set(8, func(int) uint32 { return 2 })
			k.set(9, func(int) uint32 { return rnd.Uint32() & rnd.Uint32() & rnd.Uint32() & 7 })
			which, want := k.half(rnd), slices.Clone(data)
			for lane := range rogue.Lanes {
				if which>>lane&1 == 0 || strings.HasSuffix(form, "s2") && k.get(9, lane)&bits == 0 {
					continue
				}
				for i := range 8 {
					want[at[lane]+i] = byte(k.get(20+i/4, lane) >> (8 * (i & 3)))
				}
			}
			text := "if(p0) { s0 = r0..1, s1 = r20, s2 = r9, s4 = r8 backend: " + form + "; }"
			k.run(text)
			if !slices.Equal(data, want) {
				t.Errorf("%s, %s: memory differs", mode, text)
			}
		}
	}
}

// TestSampleMasks: an instance has one sample, which is valid and covered.
func TestSampleMasks(t *testing.T) {
	rnd := rand.New(rand.NewPCG(53, 54))
	for _, mode := range []string{"vm", "icm"} {
		k := newTask(t, nil)
		which := k.half(rnd)
		for lane := range rogue.Lanes {
			k.st.Set(cell(rogue.FileSr, rogue.SpecialSample), lane, uint32(lane%4))
		}
		k.run(fmt.Sprintf("if(p0) { backend: savmsk.%s w0, _; w0 = r5 }", mode))
		for lane := range rogue.Lanes {
			if got, want := k.get(5, lane), which>>lane&1<<(lane%4); got != want {
				t.Errorf("%s: instance %d has %#x, want %#x", mode, lane, got, want)
			}
		}
	}
	k := newTask(t, nil)
	k.traps("{ backend: savmsk.caxy w0, _; w0 = r5 }", "icmoc, icmi and caxy hold is not public")
	k.traps("{ backend: savmsk.vm w0, w1; w0 = r5, w1 = r6 }", "savmsk gives in w1 is not public")
}

// TestVertices: outputs after the first vertex of an instance do not belong to it, and a second vertex is an error.
func TestVertices(t *testing.T) {
	k := newTask(t, nil)
	k.set(0, func(lane int) uint32 { return uint32(100 + lane) })
	k.set(1, func(lane int) uint32 { return uint32(200 + lane) })
	which := k.half(rand.New(rand.NewPCG(55, 56)))
	write := func(cond, from string) {
		k.run(cond + "{ s0 = " + from + ", is0 = s0, is4 = fte backend: uvsw.write w0, 0x5; }")
	}
	write("", "r0")
	k.run("if(p0) { backend: uvsw.emit 0x0; }")
	write("", "r1")
	k.run("if(!p0) { backend: uvsw.emit.cut 0x0; }")
	write("", "r0")
	for lane := range rogue.Lanes {
		want := uint32(200 + lane)
		if which>>lane&1 != 0 {
			want = uint32(100 + lane)
		}
		if got := k.st.Get(cell(rogue.FileVo, 5), lane); got != want {
			t.Errorf("instance %d gives %d, want %d", lane, got, want)
		}
	}
	k.traps("{ backend: uvsw.emit; }", "stage output 1")
	k.traps("{ backend: uvsw.emit 0x2; }", "streams other than 0")
}
