package exec_test

import (
	"fmt"
	"log"

	"github.com/heddle-gpu/heddle"
	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/gcn"
	"github.com/heddle-gpu/heddle/mem"
)

// gfx8 assembles a program.
func gfx8(src string) *exec.Program {
	target := gcn.Set().At(0, 0)
	a, errs := asm.Assemble(target, []byte(src), asm.Options{})
	for _, e := range errs {
		log.Fatal(e.Detail())
	}
	return exec.NewProgram(&isa.Program{Target: target, Code: a.Code})
}

// A loop on the state of one wave: each of four lanes counts up to 3, and waits for the others.
func ExampleRunner() {
	p := gfx8(`
	again:	v_cmp_gt_u32 vcc, 3, v0
		s_and_b64 exec, exec, vcc
		v_add_u32 v0, vcc, 1, v0
		s_cbranch_execnz again
		s_endpgm`)
	st, err := exec.NewState(p.Machine(), 64)
	if err != nil {
		log.Fatal(err)
	}
	for lane := range 4 {
		st.Set(gcn.VGPR(0), lane, uint32(lane))
	}
	st.Start(0, 0xf)
	env := &exec.Env{}
	stop := heddle.Reference().NewRunner(p).Run(st, env, exec.Budget{Steps: 1000, Counted: true})
	fmt.Println(stop.Reason, st.Row(gcn.VGPR(0))[:4], st.Ended())
	fmt.Println(env.Count.Instructions, "instructions") // four rounds of four, and the end
	// Output:
	// end [3 3 3 3] true
	// 17 instructions
}

// A load that memory refuses stops the wave before the instruction: no lane has loaded.
func ExampleFault() {
	p := gfx8(`
		v_lshlrev_b32 v0, 2, v0   // the low word of the address
		v_mov_b32 v1, 1           // and the high one
		flat_load_dword v2, v[0:1]
		s_endpgm`)
	global, err := mem.NewSpace("global", mem.NewSegment("in", 1<<32, 8, mem.Read))
	if err != nil {
		log.Fatal(err)
	}
	st, err := exec.NewState(p.Machine(), 64)
	if err != nil {
		log.Fatal(err)
	}
	for lane := range 4 {
		st.Set(gcn.VGPR(0), lane, uint32(lane))
	}
	st.Start(0, 0xf)
	env := &exec.Env{Spaces: exec.Spaces{ir.GlobalSpace: {global}}}
	stop := heddle.Reference().NewRunner(p).Run(st, env, exec.Budget{Steps: 1000})
	fmt.Printf("%v at %#x: %s in lanes %#b\n", stop.Reason, stop.Fault.PC, stop.Fault.Instruction(), stop.Fault.Lanes)
	fmt.Println(stop.Fault.Reason())
	fmt.Println("v2 is", st.Row(gcn.VGPR(2))[:4])
	// Output:
	// fault at 0x8: flat_load_dword v2, v[0:1] in lanes 0b1100
	// global load of 4 bytes at 0x100000008: no segment; nearest is "in" (0x100000000-0x100000008), right below
	// v2 is [0 0 0 0]
}
