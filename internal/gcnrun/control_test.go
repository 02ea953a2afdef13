package gcnrun

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa/gcn"
)

// Registers by the source codes of docs/reference/gcn.md 2.1.
const maskAt, addrAt = 20, 22

// forked is the state of a divided wave by the manuals' formula.
type forked struct {
	exec, pc uint64
	pushed   bool
	entry    [2]uint64 // mask, address
}

func forkOf(exec, mask, target, next uint64) forked {
	pass, fail := exec&mask, exec&^mask
	switch {
	case pass == exec:
		return forked{exec: exec, pc: target}
	case fail == exec:
		return forked{exec: exec, pc: next}
	case bits.OnesCount64(fail) < bits.OnesCount64(pass):
		return forked{fail, next, true, [2]uint64{pass, target}}
	}
	return forked{pass, target, true, [2]uint64{fail, next}}
}

// TestFork: both forks against the formula, at each depth of the stack, and the following s_cbranch_join.
func TestFork(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 8))
	for i := range 300 {
		live, mask := rnd.Uint64(), rnd.Uint64()
		switch i % 5 {
		case 0:
			mask = live
		case 1:
			mask = ^live
		case 2:
			live, mask = 0xff, 0x0f // two halves
		}
		csp := uint32(i % 5)
		for _, text := range []string{"s_cbranch_g_fork s[20:21], s[22:23]", "s_cbranch_i_fork s[20:21], 9"} {
			target := uint64(4 + 4*9)
			if text[11] == 'i' {
				target = 4 + 4*9
			}
			m := newMemRun(t)
			m.st.Set(gcn.CellMode, 0, 0x3c0|csp<<29)
			m.st.Exec = live
			m.s64(maskAt, mask)
			m.s64(addrAt, target|3)
			for k := range 20 {
				m.s(k, 0xabc)
			}
			m.run(text)
			want := forkOf(live, mask, target, 4)
			m.wantPC(want.pc)
			height := csp
			if want.pushed {
				height++
				m.wantS(int(4*csp), append(words64(want.entry[0]), words64(want.entry[1])...)...)
			} else {
				m.wantS(int(4*csp)%20, 0xabc)
			}
			if m.st.Exec != want.exec || m.st.Get(gcn.CellMode, 0) != 0x3c0|height<<29 {
				t.Errorf("EXEC is %#x, MODE %#x", m.st.Exec, m.st.Get(gcn.CellMode, 0))
			}
			if t.Failed() {
				t.Fatalf("%s with EXEC %#x and mask %#x", text, live, mask)
			}
			m.join(csp, want)
		}
	}
}

// join runs s_cbranch_join until both sides have arrived.
func (m *memRun) join(csp uint32, f forked) {
	m.t.Helper()
	m.s(30, csp)
	if f.pushed {
		m.run("s_cbranch_join s30")
		m.wantPC(f.entry[1])
		if m.st.Exec != f.entry[0] {
			m.t.Errorf("behind the first join EXEC is %#x, want %#x", m.st.Exec, f.entry[0])
		}
	}
	before := m.st.Exec
	m.run("s_cbranch_join s30")
	m.wantPC(4)
	if m.st.Exec != before || m.st.Get(gcn.CellMode, 0)>>29 != csp {
		m.t.Errorf("behind the last join EXEC is %#x, MODE %#x", m.st.Exec, m.st.Get(gcn.CellMode, 0))
	}
}

// TestForkProgram: the lanes of a mask add 1, the others 2; they reconverge, and all add 4. After the join EXEC is that
// of the side that arrived last, so the program saves it.
func TestForkProgram(t *testing.T) {
	m := newMemRun(t)
	mask := uint64(0x0123456789abcdef)
	m.s64(maskAt, mask)
	m.v(1, all(0))
	m.program(100,
		"s_mov_b64 s[24:25], exec",     // 0
		"s_cbranch_i_fork s[20:21], 2", // 4
		"v_add_u32_e32 v1, vcc, 2, v1", // 8
		"s_branch 1",                   // c: to the join
		"v_add_u32_e32 v1, vcc, 1, v1", // 10
		"s_cbranch_join 0",             // 14
		"s_mov_b64 s[26:27], exec",     // 18
		"s_mov_b64 exec, s[24:25]",     // 1c
		"v_add_u32_e32 v1, vcc, 4, v1", // 20
	)
	m.wantS(26, words64(^mask)...) // both sides have equal size, so that of the mask went first
	m.st.Exec = ^uint64(0)
	m.wantV(1, func(i int) uint32 { return 6 - uint32(mask>>i&1) })
}

// TestVectorSkip: while VSKIP is on, vector instructions of all kinds do nothing, including those without semantics.
func TestVectorSkip(t *testing.T) {
	m := newMemRun(t)
	m.s(maskAt, 1<<7, 39) // bit 39 modulo 32
	m.v(1, all(1))
	m.v(2, all(0x20))
	m.s64(int(gcn.CellVCC.Index), 0x1234)
	m.program(50,
		"s_setvskip s20, s21",
		"s_nop 1",
		"v_mov_b32_e32 v1, 2",
		"v_cmp_eq_u32_e32 vcc, v1, v1",
		"v_readfirstlane_b32 s24, v1",
		"ds_write_b32 v2, v1",
		"ds_ordered_count v3, v2 gds",
		"buffer_store_dword v1, off, s[4:7], 0",
		"s_getreg_b32 s25, hwreg(HW_REG_MODE, 28, 1)",
		"s_setvskip 0, 0",
		"v_add_u32_e32 v1, vcc, 4, v1",
	)
	m.st.Exec = ^uint64(0)
	m.wantV(1, all(5))
	m.wantS(24, 0, 1)
	m.wantLocal(0x20, ^uint32(8))
}

// TestHardwareRegisters: STATUS shows state held elsewhere; TRAPSTS keeps what was written; others are always 0.
func TestHardwareRegisters(t *testing.T) {
	for _, c := range []struct {
		scc       uint32
		exec, vcc uint64
	}{{0, 0, 0}, {1, 5, 0}, {0, 0, 1 << 40}, {1, 7, 7}} {
		m := newMemRun(t)
		m.st.Set(gcn.CellSCC, 0, c.scc)
		m.st.Exec = c.exec
		m.s64(int(gcn.CellVCC.Index), c.vcc)
		m.run("s_setprio 2")
		m.run("s_getreg_b32 s4, hwreg(HW_REG_STATUS)")
		want := c.scc | 2<<3 | 1<<16
		if c.exec == 0 {
			want |= 1 << 9
		}
		if c.vcc == 0 {
			want |= 1 << 10
		}
		m.wantS(4, want)
		m.run("s_getreg_b32 s4, hwreg(HW_REG_STATUS, 9, 2)")
		m.wantS(4, want>>9&3)
		m.run("s_setreg_imm32_b32 hwreg(HW_REG_STATUS), 0xffffffff")
		m.run("s_getreg_b32 s4, hwreg(HW_REG_STATUS)")
		m.wantS(4, want)
	}
	m := newMemRun(t)
	m.s(5, 0xdead)
	for _, name := range []string{"HW_REG_TRAPSTS", "HW_REG_HW_ID", "HW_REG_GPR_ALLOC", "HW_REG_LDS_ALLOC", "HW_REG_IB_STS"} {
		m.run("s_setreg_b32 hwreg(" + name + ", 4, 12), s5")
		m.run("s_getreg_b32 s4, hwreg(" + name + ")")
		want := uint32(0)
		if name == "HW_REG_TRAPSTS" {
			want = 0xead << 4
		}
		m.wantS(4, want)
	}
	if f := m.try("s_getreg_b32 s4, hwreg(9)"); f == nil || f.Trap != ir.TrapUndefined {
		t.Errorf("register 9: %v", f)
	}
}

// TestDebugBranches: the conditions are bits 20 and 21 of STATUS.
func TestDebugBranches(t *testing.T) {
	for status := range uint32(4) {
		user, sys := status&1 != 0, status&2 != 0
		for name, taken := range map[string]bool{"sys": sys, "user": user, "sys_or_user": sys || user, "sys_and_user": sys && user} {
			m := newMemRun(t)
			m.st.Set(gcn.CellStatus, 0, status<<20)
			m.run("s_cbranch_cdbg" + name + " 5")
			m.wantPC(map[bool]uint64{false: 4, true: 24}[taken])
		}
	}
}

// TestEnds: instructions that end or stop a wave, and those that do not.
func TestEnds(t *testing.T) {
	for _, text := range []string{"s_endpgm_saved", "s_setkill 1"} {
		m := newMemRun(t)
		m.run(text)
		if m.stop.Reason != exec.StopEnd {
			t.Errorf("%s: %v", text, m.stop.Reason)
		}
	}
	for _, text := range []string{"s_sethalt 1", "s_sendmsghalt sendmsg(MSG_INTERRUPT)"} {
		m := newMemRun(t)
		if f := m.try(text); f == nil || f.Trap != ir.TrapGuest {
			t.Errorf("%s: %v", text, f)
		}
	}
	for text, want := range map[string]ir.TrapReason{"s_sendmsg sendmsg(MSG_GS, GS_OP_EMIT, 0)": ir.TrapUnimplemented, "s_sendmsg 9": ir.TrapUndefined} {
		m := newMemRun(t)
		if f := m.try(text); f == nil || f.Trap != want {
			t.Errorf("%s: %v", text, f)
		}
	}
}

// TestTrapReturn: both returns continue at the address; s_mov_fed_b32 is a move.
func TestTrapReturn(t *testing.T) {
	m := newMemRun(t)
	m.s64(4, 0x1_00000042)
	m.run("s_rfe_b64 s[4:5]")
	m.wantPC(0x1_00000040)
	m.run("s_rfe_restore_b64 s[4:5], s6")
	m.wantPC(0x1_00000040)
	m.runWord(0xbe843105, "s_mov_fed_b32 s4, s5")
	m.wantS(4, 1)
}

// TestModeLoop: a loop whose body changes the rounding of MODE in each iteration computes with the current mode.
func TestModeLoop(t *testing.T) {
	m := newMemRun(t)
	m.v(1, all(0x3f800001))
	m.v(2, all(0x3f800001)) // 1 + 2^-22 + 2^-46
	m.s(4, 0)
	m.program(200,
		"s_setreg_b32 hwreg(HW_REG_MODE, 0, 2), s4", // 0
		"s_movk_i32 m0, 0",                          // 4
		"s_mov_b32 m0, s4",                          // 8
		"v_mul_f32_e32 v3, v1, v2",                  // c
		"v_movreld_b32_e32 v8, v3",                  // 10
		"s_add_u32 s4, s4, 1",                       // 14
		"s_cmp_lt_u32 s4, 4",                        // 18
		fmt.Sprintf("s_cbranch_scc1 %d", 0xffff-7),  // 1c
	)
	m.st.Exec = ^uint64(0)
	for round, want := range []uint32{0x3f800002, 0x3f800003, 0x3f800002, 0x3f800002} {
		m.wantV(8+round, all(want))
	}
}
