package gcnrun

import (
	"testing"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa/gcn"
)

// codeExec is the scalar destination of exec_lo. docs/reference/gcn.md 2.
const codeExec = 126

// TestScalarLoad: the low two bits of base and offset are ignored, and so is EXEC.
func TestScalarLoad(t *testing.T) {
	m := newMemRun(t)
	m.st.Exec = 0
	m.s64(2, globalBase+0x103)
	m.s(9, 0x23)
	m.run("s_load_dwordx2 s[4:5], s[2:3], 0x12")
	m.wantS(4, 0x110/4, 0x114/4)
	m.run("s_load_dwordx4 s[4:7], s[2:3], s9")
	m.wantS(4, 0x120/4, 0x124/4, 0x128/4, 0x12c/4)
	m.run("s_load_dwordx2 s[2:3], s[2:3], 0x0") // the base is the destination
	m.wantS(2, 0x100/4, 0x104/4)
	m.s64(2, globalBase+globalSize-8)
	if f := m.try("s_load_dwordx4 s[4:7], s[2:3], 0x0"); f == nil {
		t.Error("a load past the end does not fault")
	}
	m.wantS(4, 0x120/4)
}

// TestScalarLoadMask: EXEC and VCC are loaded as pairs and as halves.
func TestScalarLoadMask(t *testing.T) {
	m := newMemRun(t)
	m.s64(2, globalBase+0x40)
	m.run("s_load_dwordx2 vcc, s[2:3], 0x0")
	m.wantS(int(gcn.CellVCC.Index), 16, 17)
	for _, c := range []struct {
		word []uint64 // the code of the register in SDATA
		want uint64
	}{{[]uint64{codeExec, 1}, 17<<32 | 16}, {[]uint64{codeExec, 0}, 17<<32 | 18}, {[]uint64{codeExec + 1, 0}, 18<<32 | 18}} {
		m.s64(2, globalBase+0x40+8*(1-c.word[1]))
		m.runWord(0xc0<<24|1<<17|c.word[1]<<18|c.word[0]<<6|1, "s_load to exec")
		if m.st.Exec != c.want {
			t.Errorf("exec is %#x, want %#x", m.st.Exec, c.want)
		}
	}
}

// TestScalarBuffer: each dword is checked separately against num_records, in bytes or in units of stride.
func TestScalarBuffer(t *testing.T) {
	const base = globalBase + 0x200
	for _, c := range []struct {
		stride, records uint32
		want            [4]uint32
	}{
		{0, 0x1000, [4]uint32{0x84, 0x85, 0x86, 0x87}},
		{0, 0x18, [4]uint32{0x84, 0x85, 0, 0}},
		{0, 0, [4]uint32{}},
		{8, 3, [4]uint32{0x84, 0x85, 0, 0}},
		{0x3fff, 0xffffffff, [4]uint32{0x84, 0x85, 0x86, 0x87}},
	} {
		m := newMemRun(t)
		m.st.Exec = 0
		m.s64(4, base)
		m.s(5, 1|c.stride<<16)
		m.s(6, c.records, 0)
		m.run("s_buffer_load_dwordx4 s[8:11], s[4:7], 0x10")
		m.wantS(8, c.want[:]...)
		m.s(12, 1, 2, 3, 4)
		m.run("s_buffer_store_dwordx4 s[12:15], s[4:7], 0x12")
		for i, w := range c.want {
			if w != 0 {
				w = uint32(i + 1)
			} else {
				w = uint32(0x84 + i)
			}
			if got := m.word(0x210 + 4*i); got != w {
				t.Errorf("stride %d records %#x: dword %d in memory is %#x, want %#x", c.stride, c.records, i, got, w)
			}
		}
	}
}

func TestScalarStore(t *testing.T) {
	m := newMemRun(t)
	m.st.Exec = 0
	m.s64(2, globalBase)
	m.s(4, 0xa, 0xb)
	m.run("s_store_dwordx2 s[4:5], s[2:3], 0x20")
	m.wantWord(0x20, 0xa)
	m.wantWord(0x24, 0xb)
	m.wantWord(0x28, 10)
}

// TestScalarBufferStore: with a constant and with a register as the offset.
func TestScalarBufferStore(t *testing.T) {
	for i, op := range []string{"s_buffer_store_dword s12", "s_buffer_store_dwordx2 s[12:13]", "s_buffer_store_dwordx4 s[12:15]"} {
		for _, offset := range []string{"0x23", "s9"} {
			m := newMemRun(t)
			m.st.Exec = 0
			m.s64(4, globalBase+0x101)
			m.s(6, 0x28, 0)
			m.s(9, 0x22)
			m.s(12, 0xa, 0xb, 0xc, 0xd)
			m.run(op + ", s[4:7], " + offset)
			want := []uint32{0x120 / 4, 0x124 / 4, 0x128 / 4, 0x12c / 4, 0x130 / 4}
			copy(want, []uint32{0xa, 0xb}[:min(1<<i, 2)]) // num_records is 0x28
			for k, w := range want {
				if got := m.word(0x120 + 4*k); got != w {
					t.Errorf("%s, %s: dword %d is %#x, want %#x", op, offset, k, got, w)
				}
			}
		}
	}
}

// TestTime: both clocks count the instructions that the wave has started.
func TestTime(t *testing.T) {
	for _, op := range []string{"s_memtime", "s_memrealtime"} {
		m := newMemRun(t)
		m.st.Exec, m.st.Clock = 0, 0x1_ffffffff
		m.run(op + " s[6:7]")
		m.wantS(6, 0, 2)
	}
}

func TestTrap(t *testing.T) {
	m := newMemRun(t)
	if f := m.try("s_trap 3"); f == nil || f.Trap != ir.TrapGuest {
		t.Errorf("s_trap: %v", f)
	}
}
