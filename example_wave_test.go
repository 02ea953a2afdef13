package heddle_test

import (
	"fmt"
	"log"

	"github.com/heddle-gpu/heddle"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/mem"
)

// Trace each instruction of code at an address, and map memory on demand.
func ExampleWave_OnInstruction() {
	w, err := heddle.MustFind("gfx803").EmptyWave(heddle.State{Lanes: 1})
	if err != nil {
		log.Fatal(err)
	}
	if err := w.LoadText(0x1000, `
		s_mov_b32 s0, 2
		loop: v_add_f32 v2, 1.0, v2
		s_sub_u32 s0, s0, 1
		s_cmp_lg_u32 s0, 0
		s_cbranch_scc1 loop
		flat_store_dword v[0:1], v2
		s_endpgm`); err != nil {
		log.Fatal(err)
	}
	w.SetU64("v[0:1]", 0, 0x20010)
	w.SetBits("pc", 0, 0x1000)
	w.OnInstruction(heddle.Anywhere, func(pc uint64) {
		text, _, _ := w.Instruction(pc)
		fmt.Printf("%#x  %-28s s0=%d v2=%g\n", pc, text, w.U32("s0", 0), w.F32("v2", 0))
	})
	w.OnStore(heddle.Anywhere, func(a *exec.Access) {
		fmt.Printf("        %v of %#x at %#x by lane %d\n", a.Kind, a.Value(), a.Addr, a.Lane)
	})
	w.OnFault(func(f *exec.Fault) bool {
		if f.Kind != exec.FaultMemory {
			return false
		}
		page := f.Addr &^ 0xfff
		fmt.Printf("        a page at %#x\n", page)
		return w.Map(page, 0x1000, mem.ReadWrite) == nil
	})
	halt, err := w.Step(100)
	fmt.Println(halt, err, w.Counters().Instructions)
	// Output:
	// 0x1000  s_mov_b32 s0, 2              s0=0 v2=0
	// 0x1004  v_add_f32_e32 v2, 1.0, v2    s0=2 v2=0
	// 0x1008  s_sub_u32 s0, s0, 1          s0=2 v2=1
	// 0x100c  s_cmp_lg_u32 s0, 0           s0=1 v2=1
	// 0x1010  s_cbranch_scc1 65532         s0=1 v2=1
	// 0x1004  v_add_f32_e32 v2, 1.0, v2    s0=1 v2=1
	// 0x1008  s_sub_u32 s0, s0, 1          s0=1 v2=2
	// 0x100c  s_cmp_lg_u32 s0, 0           s0=0 v2=2
	// 0x1010  s_cbranch_scc1 65532         s0=0 v2=2
	// 0x1014  flat_store_dword v[0:1], v2  s0=0 v2=2
	//         a page at 0x20000
	//         store of 0x40000000 at 0x20010 by lane 0
	// 0x101c  s_endpgm                     s0=0 v2=2
	// end <nil> 11
}
