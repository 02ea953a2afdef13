package tesla_test

import (
	"context"
	"fmt"
	"log"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/exec/ref"
	isa "github.com/heddle-gpu/heddle/isa/tesla"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/launch/tesla"
)

// A compute program as CUDA starts it: the thread is in $r0, parameters begin at s[0x10], pointers lead into g14.
func ExampleKernel_Launch() {
	target := isa.Set().At(isa.G80, isa.CP)
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
	out := &tesla.Buffer{Name: "out", Bank: 14, Addr: 0x1000, Data: make([]byte, 8)}
	k := &tesla.Kernel{Name: "count", Target: target, Code: a.Code, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{6, 1, 1},
		Params: []byte{0, 0x10, 0, 0, 100, 0, 0, 0}, Buffers: []*tesla.Buffer{out}}
	result, err := k.Launch(context.Background(), launch.Settings{Engine: ref.New()})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out.Data, result.Waves, "warp")
	// Output:
	// [100 101 102 103 104 105 0 0] 1 warp
}
