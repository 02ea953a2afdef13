package roguerun

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa/rogue"
	"github.com/heddle-gpu/heddle/mem"
)

// memoryAt is the address of the memory of these tests: it crosses a multiple of 2^32.
const (
	memoryAt    = 0x12_ffff_fe00
	memoryBytes = 4096
)

// withMemory gives a task random memory, and registers with words that identify register and instance.
func (k *task) withMemory(rnd *rand.Rand) []byte {
	k.t.Helper()
	g := mem.NewSegment("memory", memoryAt, memoryBytes, mem.ReadWrite)
	for i := range g.Data {
		g.Data[i] = byte(rnd.Uint32())
	}
	space, err := mem.NewSpace("global", g)
	if err != nil {
		k.t.Fatal(err)
	}
	k.env.Spaces[ir.GlobalSpace] = []*mem.Space{space}
	for n := range 64 {
		k.set(n, func(lane int) uint32 { return uint32(n)<<24 | 0x00a5_5a00 | uint32(lane) })
	}
	return g.Data
}

// pointTo sets r0 and r1 to the address of so many bytes in memory, with the alignment, and returns the offsets.
func (k *task) pointTo(rnd *rand.Rand, bytes, alignment int) (at [rogue.Lanes]int) {
	for lane := range at {
		at[lane] = rnd.IntN((memoryBytes-bytes)/alignment) * alignment
	}
	k.point(at)
	return at
}

// point sets r0 and r1 to the addresses of offsets.
func (k *task) point(at [rogue.Lanes]int) {
	k.set(0, func(lane int) uint32 { return uint32(memoryAt + at[lane]) })
	k.set(1, func(lane int) uint32 { return uint32(uint64(memoryAt+at[lane]) >> 32) })
}

// half sets P0 in half of the instances, and returns these.
func (k *task) half(rnd *rand.Rand) uint32 {
	which := rnd.Uint32()
	for lane := range rogue.Lanes {
		k.st.Set(p0, lane, which>>lane&1)
	}
	return which
}

// TestLoads: bursts of all lengths, given by the instruction or by a register.
func TestLoads(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 7))
	for n := 1; n <= 16; n++ {
		for _, form := range []string{"ld%s s3, drc0, %d, s0", "ld.regbl%s s3, drc1, s4, s0"} {
			for _, mode := range []string{"", ".bypass", ".forcelinefill", ".slcwriteback"} {
				k := newTask(t, nil)
				data := k.withMemory(rnd)
				at := k.pointTo(rnd, 64, 4)
				k.set(8, func(lane int) uint32 { return uint32(n + lane%3*16) })
				which := k.half(rnd)
				text := "if(p0) { s0 = r0..1, s3 = r20, s4 = r8 backend: " + strings.NewReplacer("%s", mode, "%d", fmt.Sprint(n)).Replace(form) + "; }"
				k.run(text)
				for lane := range rogue.Lanes {
					for i := range 20 {
						want := uint32(20+i)<<24 | 0x00a5_5a00 | uint32(lane)
						if i < n && which>>lane&1 != 0 {
							want = binary.LittleEndian.Uint32(data[at[lane]+4*i:])
						}
						if got := k.get(20+i, lane); got != want {
							t.Fatalf("%s: instance %d, r%d is %#x, want %#x", text, lane, 20+i, got, want)
						}
					}
				}
			}
		}
	}
}

// TestStores: bursts of bytes, halves and words. Of instances with the same address the last wins.
func TestStores(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	for n := 1; n <= 16; n++ {
		for size := range 3 {
			for _, form := range []string{"st s1, #, drc0, %d, s0, _", "st.regbl s1, #, drc0, s4, s0, _", "st.slcwriteback s1, #, drc1, %d, s0, _", "st.regbl.slcwriteback s1, #, drc1, s4, s0, _"} {
				k := newTask(t, nil)
				data := k.withMemory(rnd)
				at := k.pointTo(rnd, 64, 1<<size)
				k.set(8, func(lane int) uint32 { return uint32(n) })
				if strings.Contains(form, "regbl") { // the order of instances is undefined
					for lane := range at {
						at[lane] = lane * 68
					}
					k.point(at)
				}
				which, want := k.half(rnd), slices.Clone(data)
				for lane := range rogue.Lanes {
					for i := range n << size {
						if which>>lane&1 != 0 {
							want[at[lane]+i] = byte(k.get(20+i>>size, lane) >> (8 * (i & (1<<size - 1))))
						}
					}
				}
				text := "if(p0) { s0 = r0..1, s1 = r20, s4 = r8 backend: " + strings.NewReplacer("#", fmt.Sprint(size), "%d", fmt.Sprint(n)).Replace(form) + "; }"
				k.run(text)
				if !slices.Equal(data, want) {
					t.Fatalf("%s: memory differs", text)
				}
			}
		}
	}
}

// atomics are the operations on a word of memory.
var atomics = map[string]func(old, x uint32) uint32{
	"add": func(old, x uint32) uint32 { return old + x }, "sub": func(old, x uint32) uint32 { return old - x },
	"xchg": func(_, x uint32) uint32 { return x }, "umin": func(old, x uint32) uint32 { return min(old, x) },
	"umax": func(old, x uint32) uint32 { return max(old, x) },
	"imin": func(old, x uint32) uint32 { return uint32(min(int32(old), int32(x))) },
	"imax": func(old, x uint32) uint32 { return uint32(max(int32(old), int32(x))) },
	"and":  func(old, x uint32) uint32 { return old & x }, "or": func(old, x uint32) uint32 { return old | x },
	"xor": func(old, x uint32) uint32 { return old ^ x },
}

// TestAtomics: instances access a word one after the other, in order, and get its old value.
func TestAtomics(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 9))
	for name, f := range atomics {
		for _, atom := range []string{"", ".atom"} {
			k := newTask(t, nil)
			data := k.withMemory(rnd)
			at := k.pointTo(rnd, 64, 4)
			for lane := range at {
				at[lane] = 1024 + lane%3*4
			}
			k.point(at)
			k.set(2, func(int) uint32 { return rnd.Uint32() })
			which, want := k.half(rnd), slices.Clone(data)
			text := "if(p0) { s0 = r0..2, s3 = r20 backend: atomic." + name + " s3, drc0, s0; }" + atom
			var old [rogue.Lanes]uint32
			for lane := range old {
				old[lane] = k.get(20, lane)
				if which>>lane&1 != 0 {
					old[lane] = binary.LittleEndian.Uint32(want[at[lane]:])
					binary.LittleEndian.PutUint32(want[at[lane]:], f(old[lane], k.get(2, lane)))
				}
			}
			k.run(text)
			for lane := range old {
				if k.get(20, lane) != old[lane] {
					t.Errorf("%s: instance %d gets %#x, want %#x", text, lane, k.get(20, lane), old[lane])
				}
			}
			if !slices.Equal(data, want) {
				t.Errorf("%s: memory differs", text)
			}
		}
	}
}

// TestFaults: an access that faults in one instance has no effect at all.
func TestFaults(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 10))
	for _, wrong := range []struct {
		at      int
		refused map[string]bool // by option alignment
	}{{memoryBytes - 60, map[string]bool{"natural": true, "any": true}}, {-4, map[string]bool{"natural": true, "any": true}}, {17, map[string]bool{"natural": true}}} {
		for alignment, refused := range map[string]bool{"natural": wrong.refused["natural"], "any": wrong.refused["any"]} {
			for _, op := range []string{"ld s3, drc0, 16, s0", "ld.regbl s3, drc0, s4, s0", "st s1, 2, drc0, 16, s0, _", "st.regbl s1, 2, drc0, s4, s0, _"} {
				k := newTask(t, map[string]string{"alignment": alignment})
				data := k.withMemory(rnd)
				at := k.pointTo(rnd, 64, 4)
				at[13] = wrong.at
				k.point(at)
				k.set(8, func(int) uint32 { return 0 })
				before, registers := slices.Clone(data), k.st.Snapshot()
				f := k.try("{ s0 = r0..1, s1 = r40, s3 = r20, s4 = r8 backend: " + op + "; }")
				if (f != nil) != refused {
					t.Errorf("%s at %d, alignment %s: %v", op, wrong.at, alignment, f)
				}
				if f != nil && (!slices.Equal(before, data) || !k.st.Equal(registers)) {
					t.Errorf("%s at %d: the fault leaves something behind", op, wrong.at)
				}
			}
		}
	}
	k := newTask(t, nil)
	k.traps("{ s0 = r0..1, s3 = i0 backend: ld s3, drc0, 1, s0; }", "cannot be loaded")
}

// TestSharedRegisters: instances of an atomic group access a register of the task one after the other; otherwise all
// read the old value, and the last write wins.
func TestSharedRegisters(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 11))
	for atom, turns := range map[string]bool{"": false, ".atom": true} {
		k := newTask(t, nil)
		k.set(0, func(int) uint32 { return rnd.Uint32() })
		which, sum := k.half(rnd), uint32(1000)
		k.st.Set(cell(rogue.FileSh, 5), 0, sum)
		k.run("if(p0) { s0 = sh5, s1 = sc1, s2 = r0, s3 = sh5, is4 = ft1, is5 = ft0 p0: imadd32 ft0, s0, s1, s2, _; p1: mbyp ft1, s3; w0 = r1, w1 = sh5 }" + atom)
		for lane := range rogue.Lanes {
			old := uint32(0)
			if which>>lane&1 != 0 {
				old = 1000
				if turns {
					old = sum
				}
				sum = old + k.get(0, lane)
			}
			if got := k.get(1, lane); got != old {
				t.Errorf("%q: instance %d sees %d, want %d", atom, lane, got, old)
			}
		}
		if got := k.st.Get(cell(rogue.FileSh, 5), 0); got != sum {
			t.Errorf("%q: sum %d, want %d", atom, got, sum)
		}
	}
}

// TestSwap: a group reads everything before it writes anything, also with index registers.
func TestSwap(t *testing.T) {
	k := newTask(t, nil)
	k.set(3, func(lane int) uint32 { return uint32(100 + lane) })
	k.set(4, func(lane int) uint32 { return uint32(200 + lane) })
	for lane := range rogue.Lanes {
		k.st.Set(cell(rogue.FileIdx, 0), lane, 1)
	}
	k.run("{ s0 = r3, s1 = r4, s3 = r4, is0 = s0, is4 = ft1, is5 = fte p0: mbyp ft0, s0; p1: mbyp ft1, s3; w0 = r3, w1 = r3[idx0] }")
	if k.get(3, 9) != 209 || k.get(4, 9) != 109 {
		t.Errorf("r3 is %d, r4 %d", k.get(3, 9), k.get(4, 9))
	}
}
