package gcnrun

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/isa/gcn"
)

// words64 splits a value into two words, low first.
func words64(x uint64) []uint32 { return []uint32{uint32(x), uint32(x >> 32)} }

// scc returns the scalar condition as 0 or 1.
func (m *memRun) scc() uint32 { return m.st.Get(gcn.CellSCC, 0) }

// TestScalarFields: s_bfe by big integers: a, zero- or sign-extended, divided by 2^offset and rounded down, modulo
// 2^width, and for signed forms minus 2^width if its top bit is set. Other bits of b are ignored.
func TestScalarFields(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 6))
	for _, op := range []struct {
		name   string
		bits   uint
		signed bool
	}{{"u32", 32, false}, {"i32", 32, true}, {"u64", 64, false}, {"i64", 64, true}} {
		text := "s_bfe_" + op.name + " s6, s2, s4"
		if op.bits == 64 {
			text = "s_bfe_" + op.name + " s[6:7], s[2:3], s4"
		}
		for i := range 700 {
			offset, width, a := rnd.UintN(op.bits), rnd.UintN(128), rnd.Uint64()
			if i%3 == 0 {
				width = rnd.UintN(op.bits)
			}
			x := new(big.Int).SetUint64(a & (1<<op.bits - 1))
			if op.signed {
				x.SetInt64(signExtended(int(op.bits), a))
			}
			one := big.NewInt(1)
			field := x.Rsh(x, offset) // rounds down
			field.And(field, new(big.Int).Sub(new(big.Int).Lsh(one, width), one))
			if op.signed && width > 0 && field.Bit(int(width-1)) == 1 {
				field.Sub(field, new(big.Int).Lsh(one, width))
			}
			want := field.And(field, new(big.Int).Sub(new(big.Int).Lsh(one, op.bits), one)).Uint64()
			m := newMemRun(t)
			m.s(2, words64(a)...)
			m.s(4, uint32(offset|width<<16)|rnd.Uint32()&^uint32(0x7f<<16|(op.bits-1)))
			m.run(text)
			m.wantS(6, words64(want)[:op.bits/32]...)
			if m.scc() != nonZeroBit(want) {
				t.Errorf("scc is %d", m.scc())
			}
			if t.Failed() {
				t.Fatalf("%s of %#x, offset %d, width %d", text, a, offset, width)
			}
		}
	}
}

func nonZeroBit(x uint64) uint32 {
	if x != 0 {
		return 1
	}
	return 0
}

// TestScalarLogic: results and SCC, for values one half of which, or all, is zero.
func TestScalarLogic(t *testing.T) {
	ops := map[string]func(a, b uint64) uint64{
		"and": func(a, b uint64) uint64 { return a & b }, "or": func(a, b uint64) uint64 { return a | b }, "xor": func(a, b uint64) uint64 { return a ^ b },
		"andn2": func(a, b uint64) uint64 { return a &^ b }, "orn2": func(a, b uint64) uint64 { return a | ^b },
		"nand": func(a, b uint64) uint64 { return ^(a & b) }, "nor": func(a, b uint64) uint64 { return ^(a | b) }, "xnor": func(a, b uint64) uint64 { return ^(a ^ b) },
	}
	values := []uint64{0, ^uint64(0), 1, 1 << 63, 0xffffffff, 0xffffffff_00000000, 0x12345678_9abcdef0}
	for name, f := range ops {
		for _, a := range values {
			for _, b := range values {
				m := newMemRun(t)
				m.s64(2, a)
				m.s64(4, b)
				m.run("s_" + name + "_b64 s[6:7], s[2:3], s[4:5]")
				m.wantS(6, words64(f(a, b))...)
				scc64 := m.scc()
				m.run("s_" + name + "_b32 s6, s2, s4")
				m.wantS(6, uint32(f(a, b)))
				if scc64 != nonZeroBit(f(a, b)) || m.scc() != nonZeroBit(f(a, b)&0xffffffff) {
					t.Errorf("SCC is %d and %d", scc64, m.scc())
				}
				if t.Failed() {
					t.Fatalf("s_%s of %#x and %#x", name, a, b)
				}
			}
		}
	}
}

// TestScalarMinMax: SCC tells whether a was chosen; if the values are equal b is.
func TestScalarMinMax(t *testing.T) {
	values := []uint32{0, 1, 0x7fffffff, 0x80000000, 0xffffffff}
	for _, a := range values {
		for _, b := range values {
			for op, less := range map[string]bool{"min_u32": a < b, "max_u32": a > b, "min_i32": int32(a) < int32(b), "max_i32": int32(a) > int32(b)} {
				m := newMemRun(t)
				m.s(2, a, b)
				m.run("s_" + op + " s6, s2, s3")
				want, scc := b, uint32(0)
				if less {
					want, scc = a, 1
				}
				m.wantS(6, want)
				if m.scc() != scc {
					t.Errorf("s_%s of %#x, %#x: SCC is %d", op, a, b, m.scc())
				}
			}
		}
	}
}

// TestBranchConditions: each condition where it holds and where it does not, and where half of a mask decides.
func TestBranchConditions(t *testing.T) {
	for _, x := range []uint64{0, 1, 1 << 31, 1 << 32, 1 << 63, ^uint64(0)} {
		for _, scc := range []uint32{0, 1} {
			for cond, taken := range map[string]bool{"vccz": x == 0, "vccnz": x != 0, "execz": x == 0, "execnz": x != 0, "scc0": scc == 0, "scc1": scc != 0} {
				m := newMemRun(t)
				m.s64(int(gcn.CellVCC.Index), x)
				m.st.Exec = x
				if cond[0] == 'v' {
					m.st.Exec = ^x
				} else {
					m.s64(int(gcn.CellVCC.Index), ^x)
				}
				m.st.Set(gcn.CellSCC, 0, scc)
				m.run("s_cbranch_" + cond + " 5")
				m.wantPC(map[bool]uint64{false: 4, true: 24}[taken])
				if t.Failed() {
					t.Fatalf("s_cbranch_%s with a mask of %#x, SCC %d", cond, x, scc)
				}
			}
		}
	}
}

// wantPC checks the address of the next instruction.
func (m *memRun) wantPC(want uint64) {
	m.t.Helper()
	if got := m.st.At.Key.PC; got != want {
		m.t.Errorf("the wave goes on at %#x, want %#x", got, want)
	}
}

// TestJumps: branches count dwords from the next instruction; jumps to registers ignore the low two bits.
func TestJumps(t *testing.T) {
	for simm, want := range map[int]uint64{0: 4, 1: 8, 0x7fff: 4 + 4*32767, 0xffff: 0, 0x8000: ^uint64(0) - 4*32768 + 5} {
		m := newMemRun(t)
		m.run(fmt.Sprintf("s_branch %d", simm))
		m.wantPC(want)
	}
	for low := range uint64(4) {
		m := newMemRun(t)
		m.s64(2, 0x1_00000010|low)
		m.run("s_setpc_b64 s[2:3]")
		m.wantPC(0x1_00000010)
		m.run("s_swappc_b64 s[2:3], s[2:3]")
		m.wantPC(0x1_00000010)
		m.wantS(2, 4, 0)
	}
	m := newMemRun(t)
	m.run("s_getpc_b64 s[2:3]")
	m.wantS(2, 4, 0)
}

// TestBarrier: the wave waits for all others of its workgroup, and continues after the barrier.
func TestBarrier(t *testing.T) {
	m := newMemRun(t)
	m.st.Exec = 0
	m.run("s_barrier")
	m.wantPC(4)
	if m.stop.Reason != exec.StopBarrier || m.stop.At != (exec.Barrier{}) {
		t.Errorf("%v at %+v", m.stop.Reason, m.stop.At)
	}
}
