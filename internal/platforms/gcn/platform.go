package gcn

import (
	"context"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa/gcn"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/object"
)

// Platform provides this package to tools that take any instruction set.
var Platform = &launch.Platform{
	ISA: "gcn",
	Register: func(variant int, name string) (launch.Register, error) {
		return LookupRegister(variant, name)
	},
	Spaces:   spaces,
	Manifest: manifestBuffers,
	Object: func(code []byte, variant string, base uint64, k *launch.Kernel) *object.CodeObject {
		return BareObject(code, Bare{Name: k.Name, Target: object.Processor(variant), Base: base, LDS: uint32(k.GroupBytes), Scratch: uint32(k.PrivateBytes)})
	},
	Scenes: Scenes,
	Cases: launch.Cases{
		Stages: []string{"raw"},
		Init:   func(_ int, st *exec.State) { InitRaw(st) },
		End:    []byte{0x00, 0x00, 0x81, 0xbf}, // s_endpgm
		Prepare: func(env *exec.Env, _ *casefile.State) error {
			env.ImageOf = NewImages(env.Space(ir.GlobalSpace, 0), nil).Of
			return nil
		},
	},
}

func manifestBuffers(ctx context.Context, m *casefile.Manifest, b *casefile.Build, s launch.Settings) (map[string][]byte, []*launch.Result, error) {
	memory, results, err := RunManifest(ctx, m, b, s)
	buffers := map[string][]byte{}
	for _, b := range memory.Buffers() {
		buffers[b.Name] = b.Data
	}
	return buffers, results, err
}

// spaces returns the address spaces by the names that cases use.
func spaces() map[string]launch.Space {
	return map[string]launch.Space{"global": {ID: ir.GlobalSpace}, "lds": {ID: ir.GroupSpace}, "shared": {ID: ir.GroupSpace}, "gds": {ID: ir.GlobalSpace, Bank: gcn.BankGDS},
		"turns": {ID: ir.GlobalSpace, Bank: gcn.BankOrder}}
}
