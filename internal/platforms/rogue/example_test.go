package rogue_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"log"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/platforms/rogue"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/isa"
	set "github.com/heddle-gpu/heddle/isa/rogue"
	"github.com/heddle-gpu/heddle/launch"
)

// A compute program: vi0 is the instance in its work-group, sh0 and sh1 the address of a buffer, sh2 what is added.
func Example_compute() {
	target := set.Set().At(0, 0)
	a, errs := asm.Assemble(target, []byte(`
		{ s0 = sh0, is4 = ft0 p0: mbyp0 ft0, s0; w0 = r4 }
		{ s0 = vi0, s1 = sc4, s2 = r4, is4 = ft0 p0: imadd32 ft0, s0, s1, s2, _; w0 = r2 }
		{ s0 = sh1, is4 = ft0 p0: mbyp0 ft0, s0; w0 = r3 }
		{ s0 = vi0, s1 = sc1, s2 = sh2, is4 = ft0 p0: imadd32 ft0, s0, s1, s2, _; w0 = r4 }
		{ s0 = r4, s3 = r2..3 backend: st.writethrough s0, 2, drc0, 1, s3, _; }
		{ s3 = r2..3 backend: idf drc0, s3; }
		{ ctrl: wdf drc0; }
		{ ctrl: nop.end; }
	`), asm.Options{})
	for _, e := range errs {
		log.Fatal(e.Detail())
	}
	out := &launch.Buffer{Name: "out", Data: make([]byte, 4*8)}
	k := &launch.Kernel{Name: "count", Program: exec.NewProgram(&isa.Program{Target: target, Code: a.Code}), Groups: [3]uint32{1, 1, 1}, Block: [3]uint32{6, 1, 1}}
	args := rogue.Platform.Compute.Arguments(k)
	if err := args.Add(out, false); err != nil {
		log.Fatal(err)
	}
	args.Pass(out)
	args.Word(100, 4)
	if _, err := rogue.Platform.Compute.Launch(context.Background(), k, launch.Settings{Engine: ref.New()}); err != nil {
		log.Fatal(err)
	}
	words := make([]uint32, 8)
	_, err := binary.Decode(out.Data, binary.LittleEndian, words)
	fmt.Println(words, err)
	// Output:
	// [100 101 102 103 104 105 0 0] <nil>
}
