package launch_test

import (
	"context"
	"fmt"

	"github.com/heddle-gpu/heddle"
	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/gcn"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/mem"
)

// numbers begins waves with the item's number in its group in v0, and the group's in s0.
type numbers struct{}

func (numbers) NewGroup(*launch.Group, *exec.Env) error { return nil }

func (numbers) InitWave(g *launch.Group, wave int, st *exec.State, _ *exec.Env) error {
	for lane := range st.Lanes {
		st.Set(gcn.VGPR(0), lane, g.Item(wave, st.Lanes, lane)[0])
	}
	st.Set(gcn.SGPR(0), 0, g.ID[0])
	return nil
}

// A grid of three groups, under conventions of one's own: each item writes the number of its group as a byte. The
// packages below this one have the conventions of drivers.
func ExampleLaunch() {
	target := gcn.Set().At(0, 0)
	a, errs := asm.Assemble(target, []byte(`
		s_mul_i32 s1, s0, 5       // the item's number in all: its group's times 5, and its own
		v_add_u32 v0, vcc, s1, v0
		v_mov_b32 v1, 1           // the high word of the address
		v_mov_b32 v2, s0
		flat_store_byte v[0:1], v2
		s_endpgm`), asm.Options{})
	if len(errs) > 0 {
		fmt.Println(errs[0].Detail())
		return
	}
	out := mem.NewSegment("out", 1<<32, 15, mem.ReadWrite)
	global, err := mem.NewSpace("global", out)
	if err != nil {
		fmt.Println(err)
		return
	}
	l := &launch.Launch{
		Kernel: "numbers", Program: exec.NewProgram(&isa.Program{Target: target, Code: a.Code}), Engine: heddle.Reference(), Target: numbers{},
		Grid: launch.Cover([3]uint32{13, 1, 1}, [3]uint32{5, 1, 1}), Env: exec.Env{Spaces: exec.Spaces{ir.GlobalSpace: {global}}},
	}
	result, err := l.Run(context.Background())
	fmt.Println(out.Data, err) // result and memory are valid beside an error, too
	fmt.Println(result.Groups, "groups,", result.Instructions, "instructions,", result.Memory[ir.GlobalSpace].Written, "bytes written")
	// Output:
	// [0 0 0 0 0 1 1 1 1 1 2 2 2 0 0] <nil>
	// 3 groups, 18 instructions, 13 bytes written
}
