package roguerun

import (
	"encoding/binary"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue"
	"github.com/heddle-gpu/heddle/mem"
)

// whole runs a group with all its marks, as a program.
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

// A turning is a task for atomic groups: its instances have random words in r0 and r1, the task in sh5 to sh8.
type turning struct {
	*task
	which uint32 // instances with P0
	sh    [4]uint32
}

func newTurning(t *testing.T, rnd *rand.Rand) *turning {
	k := &turning{task: newTask(t, nil)}
	for i := range 2 {
		k.set(i, func(int) uint32 { return rnd.Uint32() })
	}
	k.which = k.half(rnd)
	for i := range k.sh {
		k.sh[i] = rnd.Uint32()
		k.st.Set(cell(rogue.FileSh, 5+i), 0, k.sh[i])
	}
	return k
}

// shared compares the registers of the task with the expected ones.
func (k *turning) shared(name string) {
	k.t.Helper()
	for i, want := range k.sh {
		if got := k.st.Get(cell(rogue.FileSh, 5+i), 0); got != want {
			k.t.Errorf("%s: sh%d is %#x, want %#x", name, 5+i, got, want)
		}
	}
}

// TestTurns: atomic groups that write a register of the task run completely for one instance after the other: those
// that repeat, and those for all instances.
func TestTurns(t *testing.T) {
	rnd := rand.New(rand.NewPCG(31, 32))
	k := newTurning(t, rnd)
	k.whole("if(p0) { repeat 2, s0 = sh5, s1 = sc1, s2 = r0, is4 = ft0 p0: imadd32 ft0, s0, s1, s2, _; w0 = sh6 }.atom")
	for lane := range rogue.Lanes {
		if k.which>>lane&1 != 0 {
			k.sh[1] = k.sh[0] + k.get(0, lane)
			k.sh[2] = k.sh[1] + k.get(1, lane)
		}
	}
	k.shared("repeated")

	k = newTurning(t, rnd)
	for lane := range rogue.Lanes {
		k.st.Set(cell(rogue.FileExec, 0), lane, k.which>>lane&1)
	}
	k.whole("(ignorepe) { s0 = sh5, s1 = sc1, s2 = r0, s3 = sh5, is4 = ft1, is5 = ft0 p0: imadd32 ft0, s0, s1, s2, _; p1: mbyp ft1, s3; w0 = r2, w1 = sh5 }.atom")
	for lane := range rogue.Lanes {
		if got := k.get(2, lane); got != k.sh[0] {
			t.Errorf("of all instances: %d sees %#x, want %#x", lane, got, k.sh[0])
		}
		k.sh[0] += k.get(0, lane)
	}
	k.shared("of all instances")
}

// TestTurnsBeside: atomic groups with an instruction of the backend.
func TestTurnsBeside(t *testing.T) {
	const sum = "if(p0) { s0 = sh5, s1 = sc1, s2 = r0, is4 = ft0 p0: imadd32 ft0, s0, s1, s2, _; p2_mov: movwm.phase2end w0.e0.e1.e2.e3, ft0, is4, fte; backend: "
	rnd := rand.New(rand.NewPCG(35, 36))
	k := newTurning(t, rnd)
	k.whole(sum + "uvsw.write w0, 0x7; w0 = sh5 }.atom")
	for lane := range rogue.Lanes {
		want := uint32(0)
		if k.which>>lane&1 != 0 {
			k.sh[0] += k.get(0, lane)
			want = k.sh[0]
		}
		if got := k.st.Get(cell(rogue.FileVo, 7), lane); got != want {
			t.Errorf("with an output: %d gives %#x, want %#x", lane, got, want)
		}
	}
	k.shared("with an output")

	k = newTurning(t, rnd)
	k.whole(sum + "setl w0; w0 = sh5 }.atom")
	link, first := k.st.Get(cell(rogue.FileLink, 0), 0), true
	for lane := range rogue.Lanes {
		if k.which>>lane&1 == 0 {
			continue
		}
		if k.sh[0] += k.get(0, lane); first && link != k.sh[0]<<1 {
			t.Errorf("the link address is %#x, want %#x", link, k.sh[0]<<1)
		}
		first = false
	}
	k.shared("with a link address")
}

// A dynamics is a task with random constants and memory, and index registers.
type dynamics struct {
	*task
	constants, global []byte
	which             uint32
}

// Sizes of constants and memory in words, and the address of memory.
const (
	dynamicWords = 512
	dynamicAt    = 0x1000
)

func newDynamics(t *testing.T, rnd *rand.Rand) *dynamics {
	k := &dynamics{task: newTask(t, nil)}
	constants, global := mem.NewSegment("constants", 0, 4*dynamicWords, mem.Read), mem.NewSegment("global", dynamicAt, 4*dynamicWords, mem.Read)
	for space, g := range map[ir.SpaceID]mem.Segment{ir.ConstSpace: constants, ir.GlobalSpace: global} {
		for i := range g.Data {
			g.Data[i] = byte(rnd.Uint32())
		}
		s, err := mem.NewSpace(g.Name, g)
		if err != nil {
			t.Fatal(err)
		}
		k.env.Spaces[space] = []*mem.Space{s}
	}
	k.constants, k.global = constants.Data, global.Data
	for lane := range rogue.Lanes {
		for i := range 2 {
			k.st.Set(cell(rogue.FileIdx, i), lane, rnd.Uint32N(dynamicWords-64))
		}
	}
	k.which = k.half(rnd)
	return k
}

// at returns the constant that an index register of an instance selects.
func (k *dynamics) at(index, lane int, offset uint32) uint32 {
	return binary.LittleEndian.Uint32(k.constants[4*(k.st.Get(cell(rogue.FileIdx, index), lane)+offset):])
}

// check runs a group and compares r9 in instances with P0.
func (k *dynamics) check(name, text string, want func(lane int) uint32) {
	k.t.Helper()
	k.st.Start(0, 1<<rogue.Lanes-1)
	k.whole(text)
	for lane := range rogue.Lanes {
		if k.which>>lane&1 == 0 {
			continue
		}
		if got, w := k.get(9, lane), want(lane); got != w {
			k.t.Errorf("%s: instance %d has %#x, want %#x", name, lane, got, w)
		}
	}
}

// halfOfBits returns a float as a half.
func halfOfBits(w uint32) uint32 {
	f := packedField{'h', 0, 0, 16}
	return uint32(f.pack(w, false, big.ToNearestEven))
}

// TestDynamic: dynamic constants are words of memory at index and offset; a group may read several, repeat, and be
// atomic.
func TestDynamic(t *testing.T) {
	k := newDynamics(t, rand.New(rand.NewPCG(33, 34)))
	k.check("two", "if(p0) { s0 = dc3[idx0], s1 = sc1, s2 = dc17[idx1], is4 = ft0 p0: imadd32 ft0, s0, s1, s2, _; w0 = r9 }",
		func(lane int) uint32 { return k.at(0, lane, 3) + k.at(1, lane, 17) })
	k.check("one twice, then the next", "if(p0) { repeat 2, s0 = dc3[idx0], s1 = sc1, s2 = dc3[idx0], is4 = ft0 p0: imadd32 ft0, s0, s1, s2, _; w0 = r8 }",
		func(lane int) uint32 { return 2 * k.at(0, lane, 4) })

	k.check("a pack of four", "if(p0) { repeat 4, s0 = dc5[idx0], is0 = s0, is3 = fte, is4 = ft2 p2_pck: pck.f16f16 ft2, is3; w0 = r8 }", func(lane int) uint32 {
		return halfOfBits(k.at(0, lane, 7)) | halfOfBits(k.at(0, lane, 8))<<16
	})

	sum := uint32(77)
	k.st.Set(cell(rogue.FileSh, 5), 0, sum)
	k.check("in turns", "if(p0) { s0 = sh5, s1 = sc1, s2 = dc17[idx1], s3 = sh5, is4 = ft1, is5 = ft0 p0: imadd32 ft0, s0, s1, s2, _; p1: mbyp ft1, s3; w0 = r9, w1 = sh5 }.atom",
		func(lane int) uint32 {
			old := sum
			sum += k.at(1, lane, 17)
			return old
		})
	if got := k.st.Get(cell(rogue.FileSh, 5), 0); got != sum {
		t.Errorf("in turns: sum %#x, want %#x", got, sum)
	}
}

// TestDynamicBeside: a dynamic constant may be the address of a load; if its memory access fails, there is a fault.
func TestDynamicBeside(t *testing.T) {
	const load = "if(p0) { s0 = dc8[idx0], s3 = r9 backend: ld s3, drc0, 1, s0; }"
	k := newDynamics(t, rand.New(rand.NewPCG(37, 38)))
	binary.LittleEndian.PutUint64(k.constants[4*(dynamicWords-8):], dynamicAt+40)
	for lane := range rogue.Lanes {
		k.st.Set(cell(rogue.FileIdx, 0), lane, dynamicWords-16)
	}
	k.check("an address", load, func(int) uint32 { return binary.LittleEndian.Uint32(k.global[40:]) })
	for lane := range rogue.Lanes {
		k.st.Set(cell(rogue.FileIdx, 0), lane, dynamicWords)
	}
	k.st.Start(0, 1<<rogue.Lanes-1)
	k.traps(load, "no segment")
}
