package valhall_test

import (
	"context"
	"fmt"
	"log"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/platforms/valhall"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/isa"
	set "github.com/heddle-gpu/heddle/isa/valhall"
	"github.com/heddle-gpu/heddle/launch"
)

// A compute program: r60 is the thread's x in the grid, u0 and u1 the address of a buffer, u2 what is added.
func Example_compute() {
	target := set.Set().At(0, 0)
	a, errs := asm.Assemble(target, []byte(`
		SHADDX.u64 r2, u0, r60.w0, shift:0x0
		IADD.u32 r0, r60, u2
		STORE.i8.slot0.end @r0, r2, offset:0
	`), asm.Options{})
	for _, e := range errs {
		log.Fatal(e.Detail())
	}
	out := &launch.Buffer{Name: "out", Data: make([]byte, 24)}
	k := &launch.Kernel{Name: "count", Program: exec.NewProgram(&isa.Program{Target: target, Code: a.Code}), Groups: [3]uint32{1, 1, 1}, Block: [3]uint32{20, 1, 1}}
	args := valhall.Platform.Compute.Arguments(k)
	if err := args.Add(out, false); err != nil {
		log.Fatal(err)
	}
	args.Pass(out)
	args.Word(100, 4)
	result, err := valhall.Platform.Compute.Launch(context.Background(), k, launch.Settings{Engine: ref.New()})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out.Data, result.Waves, "warps")
	// Output:
	// [100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 0 0 0 0] 2 warps
}
