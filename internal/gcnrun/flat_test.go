package gcnrun

import (
	"testing"
)

// addr sets a pair of vector registers to an address in each lane.
func (m *memRun) addr(i int, f func(lane int) uint64) {
	m.v(i, func(lane int) uint32 { return uint32(f(lane)) })
	m.v(i+1, func(lane int) uint32 { return uint32(f(lane) >> 32) })
}

func TestFlat(t *testing.T) {
	m := newMemRun(t)
	m.addr(2, func(i int) uint64 { return globalBase + 0x100 + 16*uint64(i) })
	m.run("flat_load_dwordx3 v[4:6], v[2:3]")
	for k := range 3 {
		m.wantV(4+k, func(i int) uint32 { return uint32(0x40 + 4*i + k) })
	}
	m.run("flat_store_dwordx2 v[2:3], v[5:6] glc")
	m.wantWord(0x110, 0x45)
	m.wantWord(0x114, 0x46)
	m.wantWord(0x118, 0x46)
	m.global[0x100] = 0x90
	m.st.Exec = 1
	m.run("flat_load_sbyte v4, v[2:3]")
	m.wantV(4, all(0xffffff90))
	m.run("flat_load_ushort v4, v[2:3]")
	m.wantV(4, all(0x0090))
	m.v(4, all(0x12345678))
	m.run("flat_store_short v[2:3], v4")
	m.wantWord(0x100, 0x5678)
	m.addr(2, func(int) uint64 { return sharedHi<<32 + 0x40 })
	m.run("flat_load_dwordx2 v[4:5], v[2:3]")
	m.wantV(5, all(^uint32(0x11)))
	m.addr(2, func(int) uint64 { return 0x1000 })
	if m.try("flat_load_dword v4, v[2:3]") == nil {
		t.Error("a load from nowhere does not fault")
	}
}

// TestFlatPrivate: some lanes access scratch, the others global memory. Dword j of lane i is at base + 256*j + 4*i.
func TestFlatPrivate(t *testing.T) {
	const base = globalBase + 0x2000
	m := newMemRun(t)
	m.s(flatScratch(gfx8), 64, uint32(uint64(base)>>8))
	private := func(i int) bool { return i%3 == 0 }
	m.addr(2, func(i int) uint64 {
		if private(i) {
			return privateHi<<32 + 8
		}
		return globalBase + 8*uint64(i)
	})
	at := func(i, word int) int {
		if private(i) {
			return 0x2000 + (2+word)*256 + 4*i
		}
		return 8*i + 4*word
	}
	m.run("flat_load_dwordx2 v[4:5], v[2:3]")
	m.wantV(4, func(i int) uint32 { return m.word(at(i, 0)) })
	m.wantV(5, func(i int) uint32 { return m.word(at(i, 1)) })
	m.run("flat_load_dword v4, v[2:3]")
	m.wantV(4, func(i int) uint32 { return m.word(at(i, 0)) })
	m.v(6, perLane(0x101))
	m.v(7, perLane(0x10001))
	m.run("flat_store_dwordx2 v[2:3], v[6:7]")
	m.run("flat_atomic_add v8, v[2:3], v6 glc")
	m.wantV(8, perLane(0x101))
	for i := range 64 {
		m.wantWord(at(i, 0), uint32(i)*0x202)
		m.wantWord(at(i, 1), uint32(i)*0x10001)
	}
	m.v(2, func(i int) uint32 { return 9 + uint32(i)%2 }) // bytes within a dword
	m.v(3, all(privateHi))
	m.run("flat_store_byte v[2:3], v6")
	m.run("flat_load_ubyte v4, v[2:3]")
	m.wantV(4, perLane(1))
	if m.try("flat_atomic_add_x2 v[2:3], v[6:7]") == nil {
		t.Error("an atomic of 64 bits on scratch does not fault")
	}
}

func TestFlatAtomics(t *testing.T) {
	m := newMemRun(t)
	m.st.Exec = 2
	m.addr(2, func(i int) uint64 { return globalBase + 0x100 })
	m.v(4, all(99))   // new
	m.v(5, all(0x40)) // compare
	m.run("flat_atomic_cmpswap v6, v[2:3], v[4:5] glc")
	m.wantV(6, all(0x40))
	m.wantWord(0x100, 99)
	m.run("flat_atomic_cmpswap v[2:3], v[4:5]")
	m.wantWord(0x100, 99)
	m.v(6, all(99))
	m.v(7, all(0x41))
	m.v(5, all(0x42))
	m.run("flat_atomic_cmpswap_x2 v[8:9], v[2:3], v[4:7] glc")
	m.wantV(9, all(0x41))
	m.wantWord(0x104, 0x42)
}
