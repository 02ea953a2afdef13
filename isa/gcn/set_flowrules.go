package gcn

import "github.com/heddle-gpu/heddle/isa"

const (
	sectCounters = "docs/reference/gcn.md 5"
	sectHazards  = "docs/reference/gcn.md 6"
	sectBegin    = "docs/reference/gcn.md 9.2"
)

// flowRules returns the rules about sequences of instructions.
func flowRules() []isa.Rule {
	const only6, only67, only78, only8 = 1 << gfx6, 1<<gfx6 | 1<<gfx7, 1<<gfx7 | 1<<gfx8, 1 << gfx8
	return append(pendingRules(), []isa.Rule{
		{ID: "m0-unset", Source: "docs/reference/gcn.md 8.3", Doc: "M0 is written before LDS is accessed: it is the limit of addresses.",
			Example: "v_mov_b32_e32 v0, 0\nds_read_b32 v1, v0\ns_endpgm"},
		{ID: "sgpr-unset", Severity: isa.SeverityWarning, Source: sectBegin, Doc: "A scalar register, VCC or SCC is written before it is read, or holds what the launch puts there.",
			Example: "s_mov_b32 s0, s40\ns_endpgm"},
		{ID: "vgpr-unset", Severity: isa.SeverityWarning, Source: sectBegin, Doc: "A vector register is written before it is read, or holds what the launch puts there.",
			Example: "v_mov_b32_e32 v0, v40\ns_endpgm"},
		{ID: "sgpr-undeclared", Source: "docs/reference/gcn.md 9.1", Doc: "A kernel touches no scalar register beyond those that its descriptor asks for.",
			Example: "s_mov_b32 s90, 0\ns_endpgm"},
		{ID: "vgpr-undeclared", Source: "docs/reference/gcn.md 9.1", Doc: "A kernel touches no vector register beyond those that its descriptor asks for.",
			Example: "v_mov_b32_e32 v200, 0\ns_endpgm"},
		{ID: "ttmp-outside", Severity: isa.SeverityWarning, Source: "docs/reference/gcn.md 0", Doc: "A kernel touches none of TTMP0 to TTMP11, which only the trap handler has.",
			Example: "s_mov_b32 s0, ttmp4\ns_endpgm"},
		{ID: "lds-outside", Severity: isa.SeverityWarning, Source: "docs/reference/gcn.md 9.6", Doc: "An LDS access at a constant address lies in the group segment that the kernel declares.",
			Example: "s_mov_b32 m0, -1\nv_mov_b32_e32 v0, 0x8000\nds_read_b32 v1, v0\ns_endpgm"},
		{ID: "barrier-divergent", Severity: isa.SeverityWarning, Source: "docs/reference/gcn.md 9.6", Doc: "No branch on VCC or EXEC leads some waves of a group around s_barrier and back to the others.",
			Example: "s_cbranch_execz L\ns_barrier\nL:\ns_nop 0\ns_endpgm"},
		{ID: isa.RuleBarrierStore, Severity: isa.SeverityWarning, Source: sectCounters, Doc: "No store to LDS is pending at s_barrier: behind it other waves may read what was there before.",
			Example: "s_mov_b32 m0, -1\nds_write_b32 v0, v0\ns_barrier\ns_endpgm"},
		{ID: "lane-select", Source: sectHazards, Doc: "4 wait states between a vector instruction that writes an SGPR and v_readlane or v_writelane that take it as lane number.",
			Example: "v_readfirstlane_b32 s0, v0\nv_readlane_b32 s1, v1, s0\ns_endpgm"},
		{ID: "div-fmas-vcc", Source: sectHazards, Doc: "4 wait states between a vector instruction that writes VCC and v_div_fmas.",
			Example: "v_cmp_eq_u32_e32 vcc, 0, v0\nv_div_fmas_f32 v0, v1, v2, v3\ns_endpgm"},
		{ID: "vmem-sgpr", Source: sectHazards, Variants: only8, Doc: "5 wait states between a vector instruction that writes an SGPR and buffer or image instructions that read it.",
			Example: "v_readfirstlane_b32 s4, v0\nbuffer_load_dword v1, off, s[0:3], s4\ns_endpgm"},
		{ID: "dpp-exec", Source: sectHazards, Variants: only8, Doc: "5 wait states between a vector instruction that writes EXEC and DPP.",
			Example: "v_cmpx_eq_u32_e32 vcc, 0, v0\nv_mov_b32_dpp v1, v2 row_shr:1\ns_endpgm"},
		{ID: "dpp-vgpr", Source: sectHazards, Variants: only8, Doc: "2 wait states between the write of a VGPR and DPP that takes it from other lanes.",
			Example: "v_mov_b32_e32 v2, 1\nv_mov_b32_dpp v1, v2 row_shr:1\ns_endpgm"},
		{ID: "smrd-sgpr", Source: sectHazards, Variants: only6, Doc: "4 wait states between a vector instruction that writes an SGPR and scalar memory that reads it.",
			Example: "v_readfirstlane_b32 s0, v0\ns_load_dword s4, s[0:1], 0x0\ns_endpgm"},
		{ID: "buffer-resource", Severity: isa.SeverityWarning, Source: sectHazards, Variants: only6, Doc: "4 wait states between a scalar instruction that writes a buffer resource, which is not the offset, and s_buffer_load.",
			Example: "s_mov_b32 s3, 0\ns_buffer_load_dword s4, s[0:3], 0x0\ns_endpgm"},
		{ID: "m0-message", Source: sectHazards, Variants: only8, Doc: "1 wait state between a scalar instruction that writes M0 and GDS, s_sendmsg or s_ttracedata.",
			Example: "s_mov_b32 m0, s0\ns_sendmsg sendmsg(MSG_INTERRUPT)\ns_endpgm"},
		{ID: "m0-index", Severity: isa.SeverityNote, Source: sectHazards, Doc: "1 wait state between a scalar instruction that writes M0 and moves by index, interpolation, LDS_DIRECT or loads to LDS.",
			Example: "s_mov_b32 m0, s0\nv_movrels_b32_e32 v0, v1\ns_endpgm"},
		{ID: "getreg", Source: sectHazards, Doc: "2 wait states between s_setreg and s_getreg of the same register.",
			Example: "s_setreg_b32 hwreg(HW_REG_MODE), s0\ns_getreg_b32 s1, hwreg(HW_REG_MODE)\ns_endpgm"},
		{ID: "setreg", Source: sectHazards, Doc: "1 wait state, on gfx8 2, between two s_setreg of the same register.",
			Example: "s_setreg_b32 hwreg(HW_REG_MODE), s0\ns_setreg_b32 hwreg(HW_REG_MODE), s1\ns_endpgm"},
		{ID: "vskip", Severity: isa.SeverityWarning, Source: sectHazards, Doc: "2 wait states between what writes VSKIP and a vector instruction.",
			Example: "s_setvskip s0, 0\nv_mov_b32_e32 v0, 0\ns_endpgm"},
		{ID: "trapsts", Source: sectHazards, Variants: only8, Doc: "1 wait state between s_setreg of TRAPSTS and s_rfe.",
			Example: "s_setreg_b32 hwreg(HW_REG_TRAPSTS), s0\ns_rfe_b64 s[2:3]"},
		{ID: "store-data", Source: sectHazards, Variants: only78, Doc: "1 wait state between a store of more than 64 bits without scalar offset and a vector instruction that writes its data.",
			Example: "buffer_store_dwordx4 v[0:3], off, s[0:3], 0\nv_mov_b32_e32 v1, 0\ns_endpgm"},
		{ID: "vccz-smem", Source: "docs/reference/gcn.md 0", Variants: only67, Doc: "VCC is written once more between a scalar load into it and a branch on VCCZ.",
			Example: "s_load_dwordx2 vcc, s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\ns_cbranch_vccz L\nL:\ns_endpgm"},
		{ID: "vccz-half", Severity: isa.SeverityWarning, Source: "docs/reference/gcn.md 0", Doc: "VCC is written as a whole before a branch on VCCZ.",
			Example: "s_mov_b32 vcc_lo, 0\ns_cbranch_vccz L\nL:\ns_endpgm"},
	}...)
}

// pendingRules returns those about operations that complete later than they are issued.
func pendingRules() []isa.Rule {
	return []isa.Rule{
		{ID: isa.RulePendingRead, Source: sectCounters, Doc: "No instruction reads a register that a pending operation will write: s_waitcnt comes before.",
			Example: "s_load_dword s4, s[0:1], 0x0\ns_add_u32 s5, s4, 1\ns_endpgm"},
		{ID: isa.RulePendingWrite, Source: sectCounters, Doc: "No instruction writes a register that a pending operation will write, unless both end in order.",
			Example: "s_load_dword s4, s[0:1], 0x0\ns_mov_b32 s4, 1\ns_endpgm"},
		{ID: isa.RulePendingSource, Source: sectCounters, Doc: "No instruction writes a register that a pending operation still reads: exports, the global data share, and stores on gfx6.",
			Example: "exp mrt0 v0, v1, v2, v3 done vm\nv_mov_b32_e32 v0, 0\ns_endpgm"},
		{ID: isa.RulePendingDoubt, Severity: isa.SeverityNote, Source: sectCounters, Doc: "What a FLAT load writes is read after a wait for lgkmcnt, too, unless the address is known to be none of LDS.", Variants: 1<<gfx7 | 1<<gfx8,
			Example: "flat_load_dword v2, v[0:1]\ns_waitcnt vmcnt(0)\nv_mov_b32_e32 v3, v2\ns_endpgm"},
		{ID: isa.RulePendingReturn, Source: sectCounters, Doc: "A function returns when no operation that writes registers is pending.",
			Example: "s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)\ns_load_dword s4, s[0:1], 0x0\ns_setpc_b64 s[30:31]"},
		{ID: isa.RulePendingCall, Severity: isa.SeverityWarning, Source: sectCounters, Doc: "A function waits for all that its caller left pending before it reads a register.",
			Example: "v_add_f32_e32 v0, v0, v1\ns_setpc_b64 s[30:31]"},
	}
}
