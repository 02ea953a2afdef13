package hsa

import (
	"context"
	"fmt"
	"math"

	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/object"
)

// ReadModule reads the code object of a manifest's build and loads it.
func ReadModule(m *object.Manifest, b *object.Build) (*Module, error) {
	data, err := m.ReadCode(b)
	if err != nil {
		return nil, err
	}
	if b.Bare != nil {
		return bareModule(m, b, data)
	}
	o, err := object.ReadHSAFile(data, m.Path(b.File))
	if err != nil {
		return nil, err
	}
	if o.Variant() != b.Variant {
		return nil, fmt.Errorf("gcn: %s is for %s; the manifest says %s", b.File, o.Target, b.Variant)
	}
	return Load(o, nil)
}

// bareModule makes a module of code without a descriptor, which is the one kernel of the manifest.
func bareModule(m *object.Manifest, b *object.Build, code []byte) (*Module, error) {
	processor := object.Processor(b.Variant)
	if processor == "" || len(code) == 0 {
		return nil, fmt.Errorf("gcn: %s: %d bytes of code for %s", b.File, len(code), b.Variant)
	}
	for i := range m.Launches {
		if m.Launches[i].Kernel != m.Launches[0].Kernel {
			return nil, fmt.Errorf("gcn: %s is bare code, which has one kernel; the launches name %s and %s", b.File, m.Launches[0].Kernel, m.Launches[i].Kernel)
		}
	}
	return Load(BareObject(code, Bare{Name: m.Launches[0].Kernel, Target: processor, LDS: uint32(b.Bare.LDS), Scratch: uint32(b.Bare.Scratch)}), nil)
}

// ManifestMemory makes the buffers of a manifest with their initial contents.
func ManifestMemory(m *object.Manifest) (*Memory, error) {
	memory := NewMemory()
	for i := range m.Buffers {
		b := &m.Buffers[i]
		var data []byte
		if b.Init != "zero" { // as a new buffer is: one that no kernel touches takes no memory of the host
			var err error
			if data, err = m.InitData(b); err != nil {
				return nil, err
			}
		}
		buf, err := memory.Alloc(b.Name, b.Bytes)
		if err != nil {
			return nil, err
		}
		copy(buf.Data, data)
	}
	return memory, nil
}

// ManifestKernel is one launch of a manifest, ready to run.
func ManifestKernel(l *object.Launch, module *Module, memory *Memory) (Kernel, error) {
	k := Kernel{Module: module, Name: l.Kernel, Dims: l.WorkDim, Memory: memory}
	for i := range 3 {
		if l.Grid[i] < 0 || l.Block[i] < 0 || uint64(l.Grid[i]) > math.MaxUint32 || uint64(l.Block[i]) > math.MaxUint32 {
			return k, fmt.Errorf("gcn: kernel %s: grid %v in groups of %v is too large", l.Kernel, l.Grid, l.Block)
		}
		k.Grid[i], k.Block[i], k.Offset[i] = uint32(l.Grid[i]), uint32(l.Block[i]), uint64(l.GlobalOffset[i])
	}
	for i, a := range l.Args {
		arg, err := manifestArg(&a, memory)
		if err != nil {
			return k, fmt.Errorf("gcn: kernel %s: argument %d: %w", l.Kernel, i, err)
		}
		k.Args = append(k.Args, arg)
	}
	return k, nil
}

func manifestArg(a *object.LaunchArg, memory *Memory) (Arg, error) {
	switch {
	case a.Buffer != "":
		b, ok := memory.Buffer(a.Buffer)
		if !ok {
			return Arg{}, fmt.Errorf("there is no buffer %q", a.Buffer)
		}
		return Buf(b), nil
	case a.LocalBytes > 0:
		return Local(uint32(min(uint64(a.LocalBytes), math.MaxUint32))), nil
	case a.Data != nil:
		return Bytes(a.Data), nil
	}
	return Number(a.Type, a.Bits)
}

// RunManifest runs all launches of a manifest on one of its builds, in order. It returns the memory
// they leave and the result of each launch begun, both beside an error too once there are any.
func RunManifest(ctx context.Context, m *object.Manifest, b *object.Build, c Config) (*Memory, []*launch.Result, error) {
	module, err := ReadModule(m, b)
	if err != nil {
		return nil, nil, err
	}
	memory, err := ManifestMemory(m)
	if err == nil {
		err = ctx.Err() // what was read may have taken long
	}
	if err != nil {
		return nil, nil, err
	}
	var results []*launch.Result
	for i := range m.Launches {
		k, err := ManifestKernel(&m.Launches[i], module, memory)
		if err != nil {
			return memory, results, err
		}
		r, err := Launch(ctx, k, c)
		results = append(results, r)
		if err != nil {
			return memory, results, err
		}
	}
	return memory, results, nil
}
