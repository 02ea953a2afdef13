package heddle_test

import (
	"context"
	"fmt"

	"github.com/heddle-gpu/heddle"
	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/launch"
)

// The steps behind the short functions: assemble a program, decode it, look at its semantics, run it on one wave with
// an engine.
func Example_lift() {
	target := heddle.MustFind("gcn:gfx8").Target()

	src := `
		v_mul_u32_u24 v1, v0, v0    // lane number squared
		s_endpgm`
	res, errs := asm.Assemble(target, []byte(src), asm.Options{})
	for _, e := range errs {
		panic(e.Detail())
	}
	fmt.Printf("%x\n", res.Code)

	var b isa.Bundle
	if err := target.DecodeBundle(res.Code, 0, &b); err != nil {
		panic(err)
	}
	fmt.Println(&b.Parts[0])
	block := target.LiftOne(&b, 0)
	fmt.Print(ir.Print(target.Machine(), block))

	program := exec.NewProgram(&isa.Program{Target: target, Code: res.Code})
	st, err := exec.NewState(program.Machine(), 64)
	if err != nil {
		panic(err)
	}
	v, err := target.Cell(target.Variant, "v[0:1]")
	if err != nil {
		panic(err)
	}
	st.Start(0, 0xf) // four lanes
	for lane := range 64 {
		st.Set(v[0], lane, uint32(lane))
	}
	if err := launch.RunWave(context.Background(), heddle.Reference(), program, st, &exec.Env{}, exec.Limits{}); err != nil {
		panic(err)
	}
	fmt.Println(st.Row(v[1])[:6])

	// Output:
	// 00010210000081bf
	// v_mul_u32_u24_e32 v1, v0, v0
	// block 0
	// mark 0 size 4
	//   %0 = get.i32 v[0]
	//   %1 = get.i32 v[0]
	//   %2w = const.i32 0xffffff
	//   %3 = and.i32 %0, %2w
	//   %4w = const.i32 0xffffff
	//   %5 = and.i32 %1, %4w
	//   %6 = imul.i32 %3, %5
	//   %7 = get.i1 exec
	//   set v[1], %6, %7
	//   jump 4
	// [0 1 4 9 0 0]
}
