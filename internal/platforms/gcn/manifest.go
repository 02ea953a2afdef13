package gcn

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/internal/spell"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/mem"
	"github.com/heddle-gpu/heddle/object"
)

// ReadModule reads the code object of a manifest's build and loads it.
func ReadModule(m *casefile.Manifest, b *casefile.Build) (*Module, error) {
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

// bareModule creates a module from code without a descriptor, which is the only kernel of the manifest.
func bareModule(m *casefile.Manifest, b *casefile.Build, code []byte) (*Module, error) {
	processor := object.Processor(b.Variant)
	if processor == "" || len(code) == 0 {
		return nil, fmt.Errorf("gcn: %s: %s of code for %s", b.File, spell.Count(len(code), "byte"), b.Variant)
	}
	for i := range m.Launches {
		if m.Launches[i].Kernel != m.Launches[0].Kernel {
			return nil, fmt.Errorf("gcn: %s is bare code, which has one kernel; the launches name %s and %s", b.File, m.Launches[0].Kernel, m.Launches[i].Kernel)
		}
	}
	o := BareObject(code, Bare{Name: m.Launches[0].Kernel, Target: processor, Base: b.Address, LDS: uint32(b.Bare.LDS), Scratch: uint32(b.Bare.Scratch)})
	SetListing(o, b.From)
	if d := b.Bare.Descriptor; d != nil {
		to := &o.Kernels[0].Descriptor
		to.Rsrc1, to.Rsrc2, to.Properties = d.Rsrc1, d.Rsrc2, uint16(d.Properties)
	}
	module, err := Load(o, nil)
	if err != nil {
		return nil, err
	}
	if d := b.Bare.Descriptor; d != nil {
		if err := checkInitiator(d.Initiator); err != nil {
			return nil, fmt.Errorf("gcn: %s: %w", b.File, err)
		}
		module.scratchWave, module.initiator = uint64(d.ScratchWave), d.Initiator
	}
	if t := b.Bare.Tiling; t != nil {
		// The variants of the set are gfx8, gfx7, gfx6.
		module.tiling = &Tiling{Gen: 8 - module.Variant, AddrConfig: t.AddrConfig, Modes: t.Modes, Macro: t.Macro}
	}
	return module, nil
}

// ManifestMemory creates the buffers of a manifest with their initial contents.
func ManifestMemory(m *casefile.Manifest) (*Memory, error) {
	memory := NewMemory()
	for _, placed := range []bool{true, false} { // buffers with an address first: the others are placed around them
		for i := range m.Buffers {
			if b := &m.Buffers[i]; (b.Address != 0) == placed {
				if err := manifestBuffer(m, b, memory); err != nil {
					return nil, err
				}
			}
		}
	}
	return memory, nil
}

func manifestBuffer(m *casefile.Manifest, b *casefile.Buffer, memory *Memory) (err error) {
	var data []byte
	if b.Init != "zero" && !b.Unset() { // a new buffer is zero; one that no kernel accesses takes no memory of the host
		if data, err = m.InitData(b); err != nil {
			return err
		}
	}
	var buf *Buffer
	if b.Address != 0 {
		buf, err = memory.AllocAt(b.Name, b.Address, b.Bytes)
	} else {
		buf, err = memory.Alloc(b.Name, b.Bytes)
	}
	if err != nil {
		return fmt.Errorf("%s: buffers.%s: %w", m.File, b.Name, err)
	}
	buf.ReadOnly, buf.Unset = b.ReadOnly, b.Unset()
	buf.Init(data)
	return nil
}

// ManifestKernel prepares one launch of a manifest.
func ManifestKernel(l *casefile.Launch, module *Module, memory *Memory) (Kernel, error) {
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
	k.Kernarg = l.Kernarg
	for _, name := range slices.Sorted(maps.Keys(l.Registers)) {
		r, err := manifestRegister(module.Variant, name, l.Registers[name])
		if err == nil {
			err = k.AddRegisters(r)
		}
		if err != nil {
			return k, fmt.Errorf("gcn: kernel %s: registers: %w", l.Kernel, err)
		}
	}
	return k, nil
}

func manifestRegister(variant int, name string, words casefile.Words) (r InitRegister, err error) {
	r.Name = name
	if r.Reg, err = LookupRegister(variant, name); err != nil {
		return r, err
	}
	if len(words.V) > 1 && !r.Reg.PerLane() {
		return r, fmt.Errorf("%d words for %s, which holds one", len(words.V), name)
	}
	for _, w := range words.V {
		r.Values = append(r.Values, uint32(w))
	}
	return r, nil
}

func manifestArg(a *casefile.LaunchArg, memory *Memory) (Arg, error) {
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

// RunManifest runs all launches of a manifest on one of its builds, in order. It returns the memory that they leave and
// the result of each launch that started; both are valid together with an error once there are any.
func RunManifest(ctx context.Context, m *casefile.Manifest, b *casefile.Build, s launch.Settings) (*Memory, []*launch.Result, error) {
	return runManifest(ctx, m, b, s, 0)
}

// runManifest is RunManifest with a value for undefined registers; see Kernel.Fill.
func runManifest(ctx context.Context, m *casefile.Manifest, b *casefile.Build, s launch.Settings, fill uint32) (*Memory, []*launch.Result, error) {
	module, err := ReadModule(m, b)
	if err != nil {
		return nil, nil, err
	}
	return RunModule(ctx, m, module, s, fill)
}

// RunModule is RunManifest on a module, with a value for undefined registers; see Kernel.Fill.
func RunModule(ctx context.Context, m *casefile.Manifest, module *Module, s launch.Settings, fill uint32) (*Memory, []*launch.Result, error) {
	memory, err := ManifestMemory(m)
	if err == nil {
		err = ctx.Err() // reading the files may have taken long
	}
	if err != nil {
		return nil, nil, err
	}
	for i := range m.Buffers {
		if b, ok := memory.Buffer(m.Buffers[i].Name); ok && s.Declared && m.Buffers[i].Input() {
			b.Uses = mem.Read
		}
	}
	var results []*launch.Result
	for i := range m.Launches {
		k, err := ManifestKernel(&m.Launches[i], module, memory)
		if err != nil {
			return memory, results, err
		}
		k.Fill = fill
		r, err := Launch(ctx, k, s)
		results = append(results, r)
		if err != nil {
			return memory, results, err
		}
	}
	return memory, results, nil
}
