package roguerun

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/heddle-gpu/heddle/internal/reals"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa/rogue"
)

// A place is a register for sources and results.
type place struct {
	text string
	cell ir.Cell
	wave bool // it belongs to the task
}

// randomPlace returns a register with a number below a limit, of the first kinds: some positions have no others.
func randomPlace(rnd *rand.Rand, kinds, limit int) place {
	all := []struct {
		letters string
		file    uint8
		count   int
		wave    bool
	}{{"r", rogue.FileR, 240, false}, {"vi", rogue.FileVi, 240, false}, {"cf", rogue.FileCf, 256, true}, {"sh", rogue.FileSh, 2048, true}}
	x := all[rnd.IntN(kinds)]
	n := rnd.IntN(min(limit, x.count))
	return place{fmt.Sprintf("%s%d", x.letters, n), ir.Cell{File: x.file, Index: uint16(n)}, x.wave}
}

// TestPlaces: a sum of products in each phase, with sources and results in all files, near and far, so that all maps
// occur.
func TestPlaces(t *testing.T) {
	rnd := rand.New(rand.NewPCG(29, 30))
	k := newTask(t, nil)
	for range 600 {
		limit := []int{20, 60, 120, 250, 2048}[rnd.IntN(5)]
		placesOnce(k, rnd, limit, 1+rnd.IntN(4), rnd.IntN(3))
	}
}

// placesOnce runs imadd32 in the first phase and, in the second, a bypass of s3 or a multiply-add of 1 and it.
func placesOnce(k *task, rnd *rand.Rand, limit, kinds, second int) {
	k.t.Helper()
	var at [6]place
	var values [6][32]uint32
	used := map[ir.Cell]bool{}
	take := func(kinds int) (p place) {
		for p = randomPlace(rnd, kinds, limit); used[p.cell]; {
			p = randomPlace(rnd, kinds, limit)
		}
		used[p.cell] = true
		return p
	}
	text := ""
	for n := range at {
		if at[n] = take(min(kinds, []int{4, 3, 4, 4, 3, 3}[n])); n > 3 && second == 0 || second == 1 && n > 4 {
			continue
		}
		text += fmt.Sprintf("s%d = %s, ", n, at[n].text)
		for lane := range 32 {
			v := reals.EdgeInt(rnd)
			if n >= 3 {
				v = uint32(single.Near(reals.Whole(int64(rnd.IntN(2000) - 1000))))
			}
			if at[n].wave && lane > 0 {
				v = values[n][0]
			} else {
				k.st.Set(at[n].cell, lane, v)
			}
			values[n][lane] = v
		}
	}
	w0, w1 := take(2), take(2)
	text = fmt.Sprintf("{ %sis4 = ft0, is5 = ft1 p0: imadd32 ft0, s0, s1, s2, _; p1: %s; w0 = %s, w1 = %s }", text, []string{"mbyp ft1, s3", "fadd ft1, s3, s4", "fmad ft1, s3, s4, s5"}[second], w0.text, w1.text)
	if f := k.step(k.group(text), 1); f != nil {
		k.t.Fatalf("%s: %v", text, f)
	}
	for lane := range 32 {
		v := func(n int) uint32 { return values[n][lane] }
		f := func(n int) real { return single.Read(uint64(v(n))) }
		want0 := v(0)*v(1) + v(2)
		want1 := []func() uint32{func() uint32 { return v(3) }, func() uint32 { return uint32(single.Near(reals.Plus(f(3), f(4)))) },
			func() uint32 { return uint32(single.Near(reals.Plus(reals.Times(f(3), f(4)), f(5)))) }}[second]()
		if got0, got1 := k.st.Get(w0.cell, lane), k.st.Get(w1.cell, lane); got0 != want0 || got1 != want1 {
			k.t.Errorf("%s: lane %d gives %#x, %#x, want %#x, %#x", text, lane, got0, got1, want0, want1)
			return
		}
	}
}

// TestFar: one or two sources with large numbers, and results in shared registers, where the last instance wins.
func TestFar(t *testing.T) {
	k := newTask(t, nil)
	shared := func(n int) ir.Cell { return ir.Cell{File: rogue.FileSh, Index: uint16(n)} }
	k.st.Set(shared(300), 0, 0x12345678)
	k.set(70, func(lane int) uint32 { return uint32(lane) })
	k.set(71, func(lane int) uint32 { return uint32(1000 * lane) })
	for _, text := range []string{"{ s0 = sh300, is4 = ft0 p0: mbyp ft0, s0; w0 = r100 }", "{ s0 = r70, s1 = r71, is4 = ft0 p0: umul16 ft0, s0, s1; w0 = r16 }",
		"{ s0 = r70, s1 = r71, is0 = s1, is4 = ft0, is5 = fte p0: mbyp ft0, s0; w0 = sh700, w1 = sh1700 }"} {
		if f := k.step(k.group(text), 1); f != nil {
			t.Fatalf("%s: %v", text, f)
		}
	}
	for lane := range uint32(32) {
		if a, b := k.get(100, int(lane)), k.get(16, int(lane)); a != 0x12345678 || b != 1000*lane*lane&0xffff {
			t.Errorf("lane %d: %#x, %#x", lane, a, b)
		}
	}
	if a, b := k.st.Get(shared(700), 0), k.st.Get(shared(1700), 0); a != 31 || b != 31000 {
		t.Errorf("shared: %d, %d", a, b)
	}
}

// TestRowsOfRegisters: repetitions use the next registers by name; a constant stays the same. Registers without a next
// one have no semantics.
func TestRowsOfRegisters(t *testing.T) {
	k := newTask(t, nil)
	for _, x := range [...]struct {
		from, to string
		n        int
		cells    []ir.Cell // written, first one first
	}{
		{"r1", "r9", 4, []ir.Cell{temp(9), temp(10), temp(11), temp(12)}},
		{"r1", "po2", 4, []ir.Cell{{File: rogue.FilePo, Index: 2}, {File: rogue.FilePo, Index: 3}, {File: rogue.FilePo, Index: 4}, {File: rogue.FilePo, Index: 5}}},
		{"r1", "i5", 3, []ir.Cell{{File: rogue.FileI, Index: 5}, {File: rogue.FileI, Index: 6}, {File: rogue.FileI, Index: 7}}},
		{"r1", "idx0", 2, []ir.Cell{{File: rogue.FileIdx, Index: 0}, {File: rogue.FileIdx, Index: 1}}},
		{"r1", "sh30", 2, []ir.Cell{{File: rogue.FileSh, Index: 30}, {File: rogue.FileSh, Index: 31}}},
		{"sc7", "r9", 3, []ir.Cell{temp(9), temp(10), temp(11)}},
	} {
		for n := range 8 {
			k.set(n, func(int) uint32 { return uint32(100 + n) })
		}
		text := fmt.Sprintf("{ repeat %d, s0 = %s, is4 = ft0 p0: mbyp ft0, s0; w0 = %s }.olchk", x.n, x.from, x.to)
		if f := k.step(k.group(text), uint64(x.n)); f != nil {
			t.Fatalf("%s: %v", text, f)
		}
		for i, c := range x.cells {
			want := uint32(7)
			if x.from != "sc7" {
				want = uint32(101 + i)
			}
			if got := k.st.Get(c, 5); got != want {
				t.Errorf("%s: %v is %d, want %d", text, c, got, want)
			}
		}
	}
	for _, to := range []string{"i6", "po6", "idx1", "g7"} {
		k.traps("{ repeat 3, s0 = r1, is4 = ft0 p0: mbyp ft0, s0; w0 = "+to+" }.olchk", "a register behind the last cannot be written")
	}
	k.traps("{ repeat 2, s0 = i7, is4 = ft0 p0: mbyp ft0, s0; w0 = r1 }", "a register behind the last does not exist")
	k.traps("{ s0 = r0, s3 = idx0 backend: ld s3, drc0, 4, s0; }", "idx0..3 cannot be loaded")
}
