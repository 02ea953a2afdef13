package tesla_test

import (
	"context"
	"fmt"
	"log"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/platforms/tesla"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/isa"
	set "github.com/heddle-gpu/heddle/isa/tesla"
	"github.com/heddle-gpu/heddle/launch"
)

// A compute program as CUDA starts it: the thread is in $r0, parameters begin at s[0x10], pointers lead into g14.
func Example_compute() {
	target := set.Set().At(set.G80, set.CP)
	a, errs := asm.Assemble(target, []byte(`
		and b32 $r0 $r0 0xffff
		add b32 $r1 b32 s[0x10] $r0
		add b32 $r0 b32 s[0x14] $r0
		st u8 g14[$r1] $r0
		exit nop
	`), asm.Options{})
	for _, e := range errs {
		log.Fatal(e.Detail())
	}
	out := &launch.Buffer{Name: "out", Data: make([]byte, 8)}
	k := &launch.Kernel{Name: "count", Program: exec.NewProgram(&isa.Program{Target: target, Code: a.Code}), Groups: [3]uint32{1, 1, 1}, Block: [3]uint32{6, 1, 1}}
	args := tesla.Platform.Compute.Arguments(k)
	if err := args.Add(out, false); err != nil {
		log.Fatal(err)
	}
	args.Pass(out)
	args.Word(100, 4)
	result, err := tesla.Platform.Compute.Launch(context.Background(), k, launch.Settings{Engine: ref.New()})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out.Data, result.Waves, "warp")
	// Output:
	// [100 101 102 103 104 105 0 0] 1 warp
}
