package valhallrun

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa/valhall"
)

// Offsets of the resource table and its targets in memory.
const (
	tableOff    = 0x100 // of the table: a multiple of 64 as an address
	descriptors = 0x180
	bufferOff   = 0x203
	bufferSize  = 0x75
	numTables   = 2

	descriptorsSize = 3 * 32
)

// putTable writes a resource table with two tables, of which the second has three descriptors: nothing, a texture, a
// buffer.
func putTable(data []byte) {
	put64 := func(at int, v uint64) { binary.LittleEndian.PutUint64(data[at:], v) }
	put64(tableOff, memoryAt)
	put64(tableOff+8, 0)
	put64(tableOff+16, memoryAt+descriptors|1<<56) // flags are above the address
	put64(tableOff+24, descriptorsSize)
	clear(data[descriptors : descriptors+descriptorsSize])
	binary.LittleEndian.PutUint32(data[descriptors+32:], 2)
	binary.LittleEndian.PutUint32(data[descriptors+36:], bufferSize)
	put64(descriptors+40, memoryAt+bufferOff)
	binary.LittleEndian.PutUint32(data[descriptors+64:], 0x19)
	binary.LittleEndian.PutUint32(data[descriptors+68:], bufferSize)
	put64(descriptors+72, memoryAt+bufferOff)
}

// setSpecial sets both words of a special value of page 1.
func (w *warp) setSpecial(number int, v uint64) {
	w.st.Set(valhall.Special(valhall.PagePointers, number, 0), 0, uint32(v))
	w.st.Set(valhall.Special(valhall.PagePointers, number, 1), 0, uint32(v>>32))
}

// handles are tables and indexes; that of the buffer occurs often.
var handles = []uint32{1<<24 | 2, 1<<24 | 2, 1<<24 | 2, 1<<24 | 1, 1 << 24, 1<<24 | 3, 2<<24 | 2, 0, 0xff<<24 | 2, 1<<24 | 0xffffff, directHandle, directHandle}

// directHandle names the descriptors of the second table.
const directHandle = 0x7f<<25 | 1

// TestBufferLoads: LD_BUFFER of all sizes and lanes, inside and outside the buffer, with handles of nothing, or of the
// descriptors; with and without bounds.
func TestBufferLoads(t *testing.T) {
	rnd := rand.New(rand.NewPCG(11, 1))
	for _, size := range []int{8, 16, 24, 32, 48, 64, 96, 128} {
		eachLoad(size, func(suffix string, at, bits int, unsigned bool) {
			for _, bounds := range []string{"check", "none"} {
				w := newWarp(t, map[string]string{"bounds": bounds})
				data := w.withMemory(rnd)
				putTable(data)
				w.setSpecial(valhall.SpecialTable, memoryAt+tableOff|numTables)
				bytes := size / 8
				w.set(5, func(int) uint32 { return handles[rnd.IntN(len(handles))] })
				w.set(4, func(lane int) uint32 {
					if bounds == "check" && rnd.IntN(8) == 0 {
						return 0xffffffff - uint32(rnd.IntN(16))
					}
					size := bufferSize
					if w.get(5, lane) == directHandle {
						size = descriptorsSize
					}
					return uint32(size - bytes - 8 + rnd.IntN(16))
				})
				text := fmt.Sprintf("LD_BUFFER.i%d%s.slot1 %s, r4, r5", size, suffix, stagingAll)
				w.run(text)
				for lane := range valhall.Lanes {
					off, b := int(w.get(4, lane)), make([]byte, bytes)
					switch from, size := bufferOff, bufferSize; w.get(5, lane) {
					case directHandle:
						from, size = descriptors, descriptorsSize
						fallthrough
					case handles[0]:
						if bounds == "none" || off+bytes <= size {
							copy(b, data[from+off:])
						}
					}
					var want [4]uint32
					for i := range want {
						want[i] = uint32(20+i)<<24 | 0x00a5_5a00 | uint32(lane)
					}
					want = loaded(want, b, at, bits, unsigned)
					for i := range want {
						if got := w.get(20+i, lane); got != want[i] {
							t.Fatalf("%s of %#x at %#x: lane %d r%d is %#x, want %#x", text, w.get(5, lane), off, lane, 20+i, got, want[i])
						}
					}
				}
			}
		})
	}
}

// TestBufferBytes: LEA_PKA returns the address of a byte of a buffer or of descriptors, also past its end, and 0 if
// there is no buffer.
func TestBufferBytes(t *testing.T) {
	rnd := rand.New(rand.NewPCG(11, 3))
	w := newWarp(t, nil)
	putTable(w.withMemory(rnd))
	w.setSpecial(valhall.SpecialTable, memoryAt+tableOff|numTables)
	w.set(5, func(lane int) uint32 { return handles[lane%len(handles)] })
	w.set(4, func(lane int) uint32 { return uint32(lane) * 0x11111111 })
	w.run("LEA_PKA.slot1 @r20:r21, r4, r5")
	for lane := range valhall.Lanes {
		want := uint64(0)
		switch w.get(5, lane) {
		case directHandle:
			want = memoryAt + descriptors + uint64(w.get(4, lane))
		case handles[0]:
			want = memoryAt + bufferOff + uint64(w.get(4, lane))
		}
		if got := uint64(w.get(20, lane)) | uint64(w.get(21, lane))<<32; got != want {
			t.Errorf("of handle %#x and byte %#x: %#x, want %#x", w.get(5, lane), w.get(4, lane), got, want)
		}
	}
}

// TestTableFaults: access to a missing table is a fault, whatever the number of tables.
func TestTableFaults(t *testing.T) {
	w := newWarp(t, nil)
	w.withMemory(rand.New(rand.NewPCG(11, 2)))
	w.setSpecial(valhall.SpecialTable, 0x40|numTables)
	if f := w.try("LD_BUFFER.i32.unsigned.slot0 @r20, 0x0, 0x0"); f == nil || f.Kind != exec.FaultMemory || f.Addr != 0x40 {
		t.Errorf("%v, want a fault at 0x40", f)
	}
}

// TestBarrier: the block ends at a barrier whether or not its flow waits; threads that end there do not stop at it.
func TestBarrier(t *testing.T) {
	for _, text := range []string{"BARRIER.slot7.wait", "BARRIER.slot7", "BARRIER.slot7.wait0"} {
		w := newWarp(t, nil)
		w.run(text)
		if w.stop.Reason != exec.StopBarrier || w.st.At.Key.PC != 8 {
			t.Errorf("%s: stops by %v at %#x, want a barrier and 0x8", text, w.stop.Reason, w.st.At.Key.PC)
		}
	}
	w := newWarp(t, nil)
	w.run("BARRIER.slot7.end")
	if w.stop.Reason != exec.StopEnd {
		t.Errorf("BARRIER.end stops by %v", w.stop.Reason)
	}
	w = newWarp(t, nil)
	if f := w.try("BARRIER.slot7.reconverge"); f == nil || f.Trap != ir.TrapUndefined {
		t.Errorf("BARRIER.reconverge: %v, want a trap", f)
	}
}

// TestBranchToRegister: each thread branches to the address in its register, if the tested value is not 0 or, with eq,
// if it is.
func TestBranchToRegister(t *testing.T) {
	for _, eq := range []string{"", ".eq"} {
		w := newWarp(t, nil)
		w.st.Exec &^= 1 << 5
		w.st.LanePC[5] = 0x400
		w.set(0, func(lane int) uint32 { return uint32(lane&1) << 31 })
		w.set(1, func(lane int) uint32 { return uint32(0x100 + 8*lane) })
		w.run("BRANCHZI" + eq + ".absolute.reconverge r0, r1")
		for lane := range valhall.Lanes {
			want := uint64(8)
			if (lane&1 != 0) == (eq == "") {
				want = uint64(0x100 + 8*lane)
			}
			if lane == 5 {
				want = 0x400
			}
			got, waits := w.st.WaitsAt(lane)
			if !waits {
				got = w.st.At.Key.PC
			}
			if got != want || waits == (want == 8) {
				t.Errorf("BRANCHZI%s: lane %d is at %#x, want %#x", eq, lane, got, want)
			}
		}
	}
}
