package roguerun

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue"
	"github.com/heddle-gpu/heddle/mem"
)

// whole runs a group with all its marks, up to the end of a program of it.
func (k *task) whole(text string) {
	k.t.Helper()
	var b isa.Bundle
	if err := k.target.Parse(text, 0, &b); err != nil {
		k.t.Fatalf("%s: %v", text, err)
	}
	for i := range b.Parts {
		noted.Note(b.Parts[i].Def)
	}
	k.program(text + "\n{ ctrl: nop.end; }\n")
}

// TestTurns: atomic groups that write a register of the task and repeat, are about all instances, or have an instruction of the backend
// run instance by instance, each in full.
func TestTurns(t *testing.T) {
	rnd := rand.New(rand.NewPCG(31, 32))
	fresh := func() (k *task, which uint32, sh [4]uint32) {
		k = newTask(t, nil)
		for i := range 2 {
			k.set(i, func(int) uint32 { return rnd.Uint32() })
		}
		which = uint32(k.half(rnd))
		for i := range sh {
			sh[i] = rnd.Uint32()
			k.st.Set(cell(rogue.FileSh, 5+i), 0, sh[i])
		}
		return k, which, sh
	}
	shared := func(k *task, name string, sh [4]uint32) {
		t.Helper()
		for i, want := range sh {
			if got := k.st.Get(cell(rogue.FileSh, 5+i), 0); got != want {
				t.Errorf("%s: sh%d is %#x, want %#x", name, 5+i, got, want)
			}
		}
	}
	k, which, sh := fresh()
	k.whole("if(p0) { repeat 2, s0 = sh5, s1 = sc1, s2 = r0, is4 = ft0 p0: imadd32 ft0, s0, s1, s2, _; w0 = sh6 }.atom")
	for lane := range rogue.Lanes {
		if which>>lane&1 != 0 {
			sh[1] = sh[0] + k.get(0, lane)
			sh[2] = sh[1] + k.get(1, lane)
		}
	}
	shared(k, "repeated", sh)

	k, which, sh = fresh()
	for lane := range rogue.Lanes {
		k.st.Set(cell(rogue.FileExec, 0), lane, which>>lane&1)
	}
	k.whole("(ignorepe) { s0 = sh5, s1 = sc1, s2 = r0, s3 = sh5, is4 = ft1, is5 = ft0 p0: imadd32 ft0, s0, s1, s2, _; p1: mbyp ft1, s3; w0 = r2, w1 = sh5 }.atom")
	for lane := range rogue.Lanes {
		if got := k.get(2, lane); got != sh[0] {
			t.Errorf("of all instances: %d sees %#x, want %#x", lane, got, sh[0])
		}
		sh[0] += k.get(0, lane)
	}
	shared(k, "of all instances", sh)

	k, which, sh = fresh()
	k.whole("if(p0) { s0 = sh5, s1 = sc1, s2 = r0, is4 = ft0 p0: imadd32 ft0, s0, s1, s2, _; p2_mov: movwm.phase2end w0.e0.e1.e2.e3, ft0, is4, fte; backend: uvsw.write w0, 0x7; w0 = sh5 }.atom")
	for lane := range rogue.Lanes {
		want := uint32(0)
		if which>>lane&1 != 0 {
			sh[0] += k.get(0, lane)
			want = sh[0]
		}
		if got := k.st.Get(cell(rogue.FileVo, 7), lane); got != want {
			t.Errorf("with an output: %d gives %#x, want %#x", lane, got, want)
		}
	}
	shared(k, "with an output", sh)

	k, which, sh = fresh()
	k.whole("if(p0) { s0 = sh5, s1 = sc1, s2 = r0, is4 = ft0 p0: imadd32 ft0, s0, s1, s2, _; p2_mov: movwm.phase2end w0.e0.e1.e2.e3, ft0, is4, fte; backend: setl w0; w0 = sh5 }.atom")
	first := true
	for lane := range rogue.Lanes {
		if which>>lane&1 == 0 {
			continue
		}
		sh[0] += k.get(0, lane)
		if got := k.st.Get(cell(rogue.FileLink, 0), 0); first && got != sh[0]<<1 {
			t.Errorf("the link address is %#x, want %#x", got, sh[0]<<1)
		}
		first = false
	}
	shared(k, "with a link address", sh)
}

// TestDynamic: dynamic constants are words of memory at index and offset; a group may read several, repeat, load memory besides and be
// atomic.
func TestDynamic(t *testing.T) {
	const words, at = 512, 0x1000
	rnd := rand.New(rand.NewPCG(33, 34))
	constants, global := mem.NewSegment("constants", 0, 4*words, mem.Read), mem.NewSegment("global", at, 4*words, mem.Read)
	for _, g := range [...]mem.Segment{constants, global} {
		for i := range g.Data {
			g.Data[i] = byte(rnd.Uint32())
		}
	}
	dc := func(i uint32) uint32 { return binary.LittleEndian.Uint32(constants.Data[4*i:]) }
	k := newTask(t, nil)
	for space, g := range map[ir.SpaceID]mem.Segment{ir.ConstSpace: constants, ir.GlobalSpace: global} {
		s, err := mem.NewSpace(g.Name, g)
		if err != nil {
			t.Fatal(err)
		}
		k.env.Spaces[space] = []*mem.Space{s}
	}
	index := func(i, lane int) uint32 { return k.st.Get(cell(rogue.FileIdx, i), lane) }
	for lane := range rogue.Lanes {
		for i := range 2 {
			k.st.Set(cell(rogue.FileIdx, i), lane, rnd.Uint32N(words-64))
		}
	}
	which := k.half(rnd)
	check := func(name string, want func(lane int) uint32) {
		t.Helper()
		for lane := range rogue.Lanes {
			if got := k.get(9, lane); which>>lane&1 != 0 && got != want(lane) {
				t.Errorf("%s: instance %d has %#x, want %#x", name, lane, got, want(lane))
			}
		}
	}
	run := func(text string) {
		t.Helper()
		k.st.Start(0, 1<<rogue.Lanes-1)
		k.whole(text)
	}
	run("if(p0) { s0 = dc3[idx0], s1 = sc1, s2 = dc17[idx1], is4 = ft0 p0: imadd32 ft0, s0, s1, s2, _; w0 = r9 }")
	check("two", func(lane int) uint32 { return dc(index(0, lane)+3) + dc(index(1, lane)+17) })

	run("if(p0) { repeat 2, s0 = dc3[idx0], s1 = sc1, s2 = dc3[idx0], is4 = ft0 p0: imadd32 ft0, s0, s1, s2, _; w0 = r8 }")
	check("one twice, then the next", func(lane int) uint32 { return 2 * dc(index(0, lane)+4) })

	sum := uint32(77)
	k.st.Set(cell(rogue.FileSh, 5), 0, sum)
	run("if(p0) { s0 = sh5, s1 = sc1, s2 = dc17[idx1], s3 = sh5, is4 = ft1, is5 = ft0 p0: imadd32 ft0, s0, s1, s2, _; p1: mbyp ft1, s3; w0 = r9, w1 = sh5 }.atom")
	check("in turns", func(lane int) uint32 {
		old := sum
		sum += dc(index(1, lane) + 17)
		return old
	})
	if got := k.st.Get(cell(rogue.FileSh, 5), 0); got != sum {
		t.Errorf("in turns: sum %#x, want %#x", got, sum)
	}

	for i := range 2 { // the address of a load
		binary.LittleEndian.PutUint32(constants.Data[4*(words-8+i):], [2]uint32{at + 40}[i])
	}
	for lane := range rogue.Lanes {
		k.st.Set(cell(rogue.FileIdx, 0), lane, words-16)
	}
	run("if(p0) { s0 = dc8[idx0], s3 = r9 backend: ld s3, drc0, 1, s0; }")
	check("an address", func(int) uint32 { return binary.LittleEndian.Uint32(global.Data[40:]) })

	for lane := range rogue.Lanes {
		k.st.Set(cell(rogue.FileIdx, 0), lane, words)
	}
	k.st.Start(0, 1<<rogue.Lanes-1)
	k.traps("if(p0) { s0 = dc8[idx0], s3 = r9 backend: ld s3, drc0, 1, s0; }", "no segment")
}
