package gcn

import (
	"fmt"

	"github.com/heddle-gpu/heddle/isa"
)

const (
	perLane  = "32 bits per lane"
	perWave  = "32 bits per wave"
	pairWave = "64 bits per wave"
)

// terms returns the registers and counters of GCN, for users who look them up.
func terms() []isa.Term {
	const machine, counts, hardware = "docs/reference/gcn.md 0", "docs/reference/gcn.md 5", "docs/reference/gcn.md 4.5"
	list := []isa.Term{
		{Name: "v#", Most: 255, Size: perLane, Source: machine, Doc: "A vector register. Vector instructions and loads write it in the active lanes (EXEC) only. A kernel has as many as its descriptor asks for."},
		{Name: "vcc", Size: pairWave, Source: machine, Doc: "The vector condition code, one bit a lane: v_cmp and the carry of v_add_u32 write it, v_cndmask_b32, v_addc_u32 and s_cbranch_vccz read it. Bits of inactive lanes become 0. It is also two scalar registers, vcc_lo and vcc_hi."},
		{Name: "vcc_lo", Size: perWave, Source: machine, Doc: "Bits 31:0 of VCC, lanes 0 to 31."},
		{Name: "vcc_hi", Size: perWave, Source: machine, Doc: "Bits 63:32 of VCC, lanes 32 to 63."},
		{Name: "exec", Size: pairWave, Source: machine, Doc: "The execution mask: bit i set means lane i is active. Vector instructions write, and memory instructions access, in active lanes only. Scalar instructions write it (s_and_saveexec_b64, s_mov_b64) and v_cmpx; scalar instructions run whatever it holds."},
		{Name: "exec_lo", Size: perWave, Source: machine, Doc: "Bits 31:0 of EXEC, lanes 0 to 31."},
		{Name: "exec_hi", Size: perWave, Source: machine, Doc: "Bits 63:32 of EXEC, lanes 32 to 63."},
		{Name: "scc", Size: "1 bit per wave", Source: machine, Doc: "The scalar condition code: s_cmp writes the comparison, scalar arithmetic the carry or overflow, scalar logic whether the result is not 0. s_cbranch_scc0 and _scc1, s_cselect, s_cmov, s_addc and s_subb read it."},
		{Name: "m0", Size: perWave, Source: machine, Doc: "A scalar register with fixed uses: the limit of LDS addresses (a lane whose access ends above it loads 0 and stores nothing; compilers write -1), the index of s_movrel and v_movrel, the payload of s_sendmsg, the place of parameters of v_interp. Only scalar instructions write it."},
		{Name: "vccz", Size: "1 bit per wave", Source: machine, Doc: "Whether VCC is 0, as a source operand and for s_cbranch_vccz. On gfx6 and gfx7 it keeps its old value after a scalar load wrote VCC."},
		{Name: "execz", Size: "1 bit per wave", Source: machine, Doc: "Whether EXEC is 0, as a source operand and for s_cbranch_execz."},
		{Name: "flat_scratch", Variants: 1<<gfx7 | 1<<gfx8, Size: pairWave, Source: "docs/reference/gcn.md 8.2", Doc: "Where the private memory (scratch) of the wave lies, for FLAT instructions: two scalar registers that the start of a kernel writes."},
		{Name: "tba", Size: pairWave, Source: machine, Doc: "The address of the trap handler."},
		{Name: "tma", Size: pairWave, Source: machine, Doc: "The address of memory for the trap handler."},
		{Name: "ttmp#", Most: numTTMP - 1, Align: 4, Size: perWave, Source: machine, Doc: "A scalar register for the trap handler."},
		{Name: "lds_direct", Size: perLane, Source: "docs/reference/gcn.md 7", Doc: "As first source of a vector instruction: one value of LDS for all lanes, from M0[15:0], of the type in M0[18:16]."},
		{Name: "mode", Size: perWave, Source: hardware, Doc: "A hardware register: how floats round (3:0), whether denormals are kept (7:4), DX10_CLAMP (8), IEEE (9). s_setreg writes it, s_getreg reads it; a kernel's descriptor gives its first value."},
		{Name: "status", Size: perWave, Source: hardware, Doc: "A hardware register that s_getreg reads: SCC, EXECZ, VCCZ, the priority, whether the group has several waves."},
		{Name: "pc", Size: pairWave, Source: "docs/reference/gcn.md 4.4", Doc: "The program counter, a byte address. s_getpc_b64 reads it (the address of the next instruction); s_setpc_b64, s_swappc_b64 and branches write it."},
	}
	for v := range gens {
		list = append(list, isa.Term{Name: "s#", Most: gens[v].codes.sgprs - 1, Align: 4, Variants: 1 << v, Size: perWave, Source: machine,
			Doc: "A scalar register: one value for all lanes. Scalar instructions, scalar loads, v_readlane and v_readfirstlane write it, and comparisons a pair of them. Pairs begin at an even number, groups of four and more at a multiple of four."})
	}
	for i := range counters {
		c := &counters[i]
		list = append(list, isa.Term{Name: c.name, Pending: 1<<c.at.Len() - 1, Size: fmt.Sprintf("%d bits per wave", c.at.Len()), Source: counts,
			Doc: fmt.Sprintf("A counter that s_waitcnt waits for. It counts %s. %s(N) waits until at most N of them are pending; 0 waits for all, %d for none. %s", counted[c.queue].what, c.name, 1<<c.at.Len()-1, counted[c.queue].order)})
	}
	return list
}
