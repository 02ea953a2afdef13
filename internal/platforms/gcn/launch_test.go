package gcn

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/isa/gcn"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/mem"
	"github.com/heddle-gpu/heddle/object"
)

const endpgm = "000081bf"

// testObject is a code object of one kernel, "k", with the machine code given as hex.
func testObject(t *testing.T, code string, desc object.Descriptor, meta *object.KernelMetadata) *object.CodeObject {
	t.Helper()
	b, err := hex.DecodeString(code)
	if err != nil {
		t.Fatal(err)
	}
	image := append(make([]byte, 0x100), b...)
	return &object.CodeObject{
		Version: 5, Target: "gfx803", Image: image,
		Segments: []object.ImageSegment{{Addr: 0, Size: 0x100, Read: true}, {Addr: 0x100, Size: uint64(len(b)), Read: true, Exec: true}},
		Kernels:  []object.Kernel{{Name: "k", Descriptor: desc, DescriptorAddr: 0x40, Entry: 0x100, Meta: meta}},
	}
}

// begin prepares a launch of k and returns its dispatch.
func begin(t *testing.T, o *object.CodeObject, k Kernel, c launch.Settings) (*dispatch, *launch.Launch, error) {
	t.Helper()
	m, err := Load(o, nil)
	if err != nil {
		t.Fatal(err)
	}
	k.Module, k.Name = m, "k"
	c.Engine = ref.New()
	l, err := prepare(&k, &c, NewGDS())
	if err != nil {
		return nil, nil, err
	}
	return l.Target.(*dispatch), l, nil
}

// firstWave returns the initial state of a wave of group 0.
func firstWave(t *testing.T, l *launch.Launch, g *launch.Group, wave int) (*exec.State, *exec.Env) {
	t.Helper()
	st, err := exec.NewState(l.Program.Machine(), waveLanes)
	if err != nil {
		t.Fatal(err)
	}
	env := l.Env
	st.Start(l.Entry.PC, g.Lanes(wave, waveLanes))
	if err := l.Target.InitWave(g, wave, st, &env); err != nil {
		t.Fatal(err)
	}
	return st, &env
}

func wantWords(t *testing.T, st *exec.State, want []uint32) {
	t.Helper()
	for i, w := range want {
		if got := st.Get(gcn.SGPR(i), 0); got != w {
			t.Errorf("s%d = %#x, want %#x", i, got, w)
		}
	}
}

// Every property, group ids of y and z, group info and the scratch offset, in the order of docs/reference/gcn.md 9.2.
func TestInitialRegisters(t *testing.T) {
	desc := object.Descriptor{
		PrivateSize: 20, KernargSize: 8,
		Rsrc1:      0xac0000,
		Rsrc2:      1 | 15<<1 | 1<<8 | 1<<9 | 1<<10 | 2<<11,
		Properties: 0x7f,
	}
	k := Kernel{Grid: [3]uint32{10, 20, 3}, Block: [3]uint32{5, 10, 3}}
	_, l, err := begin(t, testObject(t, endpgm, desc, &object.KernelMetadata{}), k, launch.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	g := &launch.Group{ID: [3]uint32{1, 1, 0}, Index: 3, Size: k.Block, Items: 150, Waves: 3}
	st, _ := firstWave(t, l, g, 2)
	const lane, stride = 32, 32*64 + scratchGuard // 20 bytes per lane, rounded up to 2 KiB per wave
	wantWords(t, st, []uint32{
		scratchBase, 1 << 31, 0xffff_ffff, 0x00ea4fac,
		packetAddr & 0xffff_ffff, packetAddr >> 32, queueAddr & 0xffff_ffff, queueAddr >> 32,
		kernargAddr & 0xffff_ffff, kernargAddr >> 32, 0, 0,
		scratchBase, lane, lane,
		1, 0, 3 | 2<<6, 2 * stride, 0,
	})
	if got := st.Get(gcn.CellMode, 0); got != 0x2c0|1<<8 {
		t.Errorf("mode = %#x", got)
	}
	if st.Exec != 1<<22-1 {
		t.Errorf("exec = %#x, want 22 lanes", st.Exec)
	}
	for lane, want := range map[int][3]uint32{0: {3, 5, 2}, 21: {4, 9, 2}, 22: {}} {
		got := [3]uint32{st.Get(gcn.VGPR(0), lane), st.Get(gcn.VGPR(1), lane), st.Get(gcn.VGPR(2), lane)}
		if got != want {
			t.Errorf("lane %d has work-item id %v, want %v", lane, got, want)
		}
	}
	if own := l.Own(2); own.Base != scratchBase+2*stride || own.Size != lane*64 || own.Rights != mem.ReadWrite {
		t.Errorf("scratch is %v", own)
	}
	if st.Get(gcn.CellSharedBase, 0) != sharedAperture || st.Get(gcn.CellPrivateBase, 0) != privateAperture {
		t.Error("apertures are not set")
	}
}

func TestFewerUserSGPRs(t *testing.T) {
	desc := object.Descriptor{KernargSize: 8, Rsrc2: 2<<1 | 1<<7, Properties: 8}
	_, l, err := begin(t, testObject(t, endpgm, desc, &object.KernelMetadata{}), Kernel{Grid: [3]uint32{64}, Block: [3]uint32{64}, Fill: 0xdead}, launch.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	st, _ := firstWave(t, l, &launch.Group{ID: [3]uint32{7}, Size: [3]uint32{64, 1, 1}, Items: 64, Waves: 1}, 0)
	wantWords(t, st, []uint32{kernargAddr & 0xffff_ffff, kernargAddr >> 32, 7, 0xdead})
	if got := st.Get(gcn.VGPR(1), 5); got != 0xdead {
		t.Errorf("v1 = %#x, want the fill", got)
	}
}

// v5 lists its hidden arguments by offset; those of v3 are fewer, with the same names.
func TestKernelArguments(t *testing.T) {
	meta := &object.KernelMetadata{Args: []object.Arg{
		{Name: "out", Offset: 0, Size: 8, ValueKind: "global_buffer"},
		{Name: "n", TypeName: "int", Offset: 8, Size: 4, ValueKind: "by_value"},
		{Offset: 12, Size: 4, ValueKind: "dynamic_shared_pointer", PointeeAlign: 16},
		{Offset: 16, Size: 4, ValueKind: "dynamic_shared_pointer", PointeeAlign: 4},
		{Offset: 24, Size: 4, ValueKind: "hidden_block_count_x"},
		{Offset: 28, Size: 2, ValueKind: "hidden_group_size_x"},
		{Offset: 30, Size: 2, ValueKind: "hidden_remainder_x"},
		{Offset: 32, Size: 8, ValueKind: "hidden_global_offset_x"},
		{Offset: 40, Size: 2, ValueKind: "hidden_grid_dims"},
		{Offset: 44, Size: 4, ValueKind: "hidden_dynamic_lds_size"},
		{Offset: 48, Size: 4, ValueKind: "hidden_shared_base"},
		{Offset: 52, Size: 4, ValueKind: "hidden_private_base"},
		{Offset: 56, Size: 8, ValueKind: "hidden_queue_ptr"},
		{Offset: 64, Size: 8, ValueKind: "hidden_none"},
	}}
	memory := NewMemory()
	out, err := memory.Alloc("out", 100)
	if err != nil {
		t.Fatal(err)
	}
	k := Kernel{
		Grid: [3]uint32{100, 2}, Block: [3]uint32{48}, Offset: [3]uint64{1 << 33}, Memory: memory,
		Args: []Arg{Buf(out), I32(-2), Local(6), Local(8)},
	}
	d, l, err := begin(t, testObject(t, endpgm, object.Descriptor{GroupSize: 20, KernargSize: 72}, meta), k, launch.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	want := "0000000010000000" + "feffffff" + "20000000" + "28000000" + "00000000" +
		"02000000" + "3000" + "0400" + "0000000002000000" + "0200" + "0000" + "1c000000" +
		"00000020" + "01000020" + "0000000002000000" + "0000000000000000"
	if got := hex.EncodeToString(d.kernarg); got != want {
		t.Errorf("kernarg is\n%s, want\n%s", got, want)
	}
	if l.GroupBytes != 48 {
		t.Errorf("%d bytes of local memory, want 20, 12 of padding, 6, 2 of padding, 8", l.GroupBytes)
	}
	if l.Grid.Groups != [3]uint32{3, 2, 1} {
		t.Errorf("groups are %v", l.Grid.Groups)
	}
	packet := make([]byte, 64)
	d.packet(packet)
	le := binary.LittleEndian
	if le.Uint16(packet[2:]) != 2 || le.Uint16(packet[4:]) != 48 || le.Uint32(packet[12:]) != 100 || le.Uint32(packet[28:]) != 48 || le.Uint64(packet[40:]) != kernargAddr {
		t.Errorf("packet is %x", packet)
	}
}

func TestLaunchErrors(t *testing.T) {
	memory := NewMemory()
	x, _ := memory.Alloc("x", 16)
	stranger, _ := NewMemory().Alloc("x", 16)
	meta := &object.KernelMetadata{MaxFlatGroup: 128, UniformGroups: true, WaveSize: 64, Args: []object.Arg{
		{Name: "x", Offset: 0, Size: 8, ValueKind: "global_buffer"},
		{Name: "a", TypeName: "float", Offset: 8, Size: 4, ValueKind: "by_value"},
		{Offset: 12, Size: 4, ValueKind: "dynamic_shared_pointer"},
	}}
	grid, block := [3]uint32{128}, [3]uint32{64}
	ok := []Arg{Buf(x), F32(1), Local(4)}
	for _, c := range []struct {
		k    Kernel
		want string
	}{
		{Kernel{Grid: grid, Block: block, Args: ok}, ""},
		{Kernel{Grid: grid, Block: block, Args: ok[:1]}, `gcn: kernel k: arguments 1 "a" (float, 4 bytes by value), 2 (local memory) are missing: 1 of 3 are given; the kernel is k(void *x, float a, local void *arg2)`},
		{Kernel{Grid: grid, Block: block, Args: append(ok[:3:3], U32(1))}, "4 arguments are given; the kernel has 3"},
		{Kernel{Grid: grid, Block: block, Args: []Arg{Buf(x), F64(1), Local(4)}}, `argument 1 "a" (float, 4 bytes by value): f64 is given, want f32`},
		{Kernel{Grid: grid, Block: block, Args: []Arg{Buf(x), I32(1), Local(4)}}, `f32`},
		{Kernel{Grid: grid, Block: block, Args: []Arg{Buf(x), Bytes([]byte{1}), Local(4)}}, `by value): 1 byte is given`},
		{Kernel{Grid: grid, Block: block, Args: []Arg{Buf(x), Bytes([]byte{1, 2}), Local(4)}}, `by value): 2 bytes are given`},
		{Kernel{Grid: grid, Block: block, Args: []Arg{F32(1), F32(1), Local(4)}}, `argument 0 "x" (address of a buffer): f32 is given`},
		{Kernel{Grid: grid, Block: block, Args: []Arg{Buf(stranger), F32(1), Local(4)}}, `buffer "x" is not of the launch's memory`},
		{Kernel{Grid: grid, Block: block, Args: []Arg{Buf(x), F32(1), Arg{}}}, `argument 2 (local memory) is missing`},
		{Kernel{Grid: grid, Block: block, Args: []Arg{Buf(x), F32(1), Local(1 << 20)}}, `local memory grows to 1048576 bytes; a group has 65536`},
		{Kernel{Grid: grid, Block: [3]uint32{128}, Args: ok}, ""},
		{Kernel{Grid: [3]uint32{129}, Block: [3]uint32{129}, Args: ok}, "have 129 work-items; the kernel was compiled for 128 at most"},
		{Kernel{Grid: grid, Block: [3]uint32{256}, Args: ok}, "have 256 work-items; the kernel was compiled for 128 at most"},
		{Kernel{Grid: [3]uint32{100}, Block: block, Args: ok}, "no multiple of groups"},
		{Kernel{Grid: grid, Args: ok}, "axis x is 0"},
		{Kernel{Grid: grid, Block: [3]uint32{1 << 31, 1 << 31, 1 << 31}, Args: ok}, "more than 1024 work-items"},
		{Kernel{Grid: [3]uint32{64, 2}, Block: block, Args: ok, Dims: 1}, "does not have 1 dimensions"},
	} {
		c.k.Memory = memory
		_, _, err := begin(t, testObject(t, endpgm, object.Descriptor{}, meta), c.k, launch.Settings{})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("grid %v block %v: %v, want %s", c.k.Grid, c.k.Block, err, c.want)
		}
	}
}

// TestArgumentTypes: a number matches an argument of the same OpenCL C type, signed or unsigned, and an argument of
// unknown type by its size.
func TestArgumentTypes(t *testing.T) {
	numbers := []Arg{F32(1), I32(1), U32(1), F64(1), I64(1), U64(1), Bytes(make([]byte, 4)), Bytes(make([]byte, 8))}
	names := []string{"f32", "i32", "u32", "f64", "i64", "u64", "4 bytes", "8 bytes"}
	for _, c := range []struct {
		typ, takes, want string
		size             uint32
	}{
		{"float", "f32, 4 bytes", "want f32", 4},
		{"uint", "i32, u32, 4 bytes", "want u32 or i32", 4},
		{"int", "i32, u32, 4 bytes", "want i32 or u32", 4},
		{"unsigned int", "i32, u32, 4 bytes", "want u32 or i32", 4},
		{"ulong", "i64, u64, 8 bytes", "want u64 or i64", 8},
		{"double", "f64, 8 bytes", "want f64", 8},
		{"my_type", "f32, i32, u32, 4 bytes", "which has 8 bytes", 4}, // a typedef or a struct
		{"", "f64, i64, u64, 8 bytes", "which has 4 bytes", 8},
		{"float2", "f64, i64, u64, 8 bytes", "which has 4 bytes", 8},
		{"int", "f64, i64, u64, 8 bytes", "which has 4 bytes", 8}, // not as OpenCL C has it
	} {
		var takes []string
		for i, v := range numbers {
			meta := &object.KernelMetadata{Args: []object.Arg{{Name: "n", TypeName: c.typ, Size: c.size, ValueKind: "by_value"}}}
			k := Kernel{Grid: [3]uint32{64}, Block: [3]uint32{64}, Args: []Arg{v}}
			_, _, err := begin(t, testObject(t, endpgm, object.Descriptor{}, meta), k, launch.Settings{})
			switch {
			case err == nil:
				takes = append(takes, names[i])
			case numberSize(v.typ) != 0 && !strings.Contains(err.Error(), c.want):
				t.Errorf("%s, %s: %v, want %s", c.typ, names[i], err, c.want)
			}
		}
		if got := strings.Join(takes, ", "); got != c.takes {
			t.Errorf("%q of %d bytes takes %s, want %s", c.typ, c.size, got, c.takes)
		}
	}
}

// TestAllArguments: all errors in the arguments are reported at once, with what would be accepted.
func TestAllArguments(t *testing.T) {
	meta := &object.KernelMetadata{Args: []object.Arg{
		{TypeName: "float*", Offset: 0, Size: 8, ValueKind: "global_buffer", AddressSpace: "global", Const: true, Restrict: true},
		{TypeName: "uint", Offset: 8, Size: 4, ValueKind: "by_value"},
		{TypeName: "int4*", Offset: 16, Size: 8, ValueKind: "global_buffer", AddressSpace: "constant", Const: true},
		{TypeName: "half", Offset: 24, Size: 2, ValueKind: "by_value"},
		{Offset: 32, Size: 8, ValueKind: "hidden_global_offset_x"},
	}}
	k := Kernel{Grid: [3]uint32{64}, Block: [3]uint32{64}, Args: []Arg{U32(1), F32(1)}}
	_, _, err := begin(t, testObject(t, endpgm, object.Descriptor{}, meta), k, launch.Settings{})
	want := "gcn: kernel k: argument 0 (float*, address of a buffer): u32 is given, want a buffer; argument 1 (uint, 4 bytes by value): f32 is given, want u32 or i32; " +
		"arguments 2 (int4*, address of a buffer), 3 (half, 2 bytes by value) are missing: 2 of 4 are given; " +
		"the kernel is k(global const float *restrict arg0, uint arg1, constant int4 *arg2, half arg3); the file has no names of arguments: clang writes them with -g, and of OpenCL C with -cl-kernel-arg-info"
	var all *ArgumentError
	if err == nil || err.Error() != want || !errors.As(err, &all) || len(all.Problems) != 3 {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestModuleErrors(t *testing.T) {
	o := testObject(t, endpgm, object.Descriptor{}, nil)
	for target, want := range map[string]string{"gfx906": "code object for gfx906: only gfx6", "gfx1030": "only gfx6"} {
		o.Target = target
		if _, err := Load(o, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", target, err)
		}
	}
	o.Target = "gfx803"
	o.Kernels[0].Name = "saxpy"
	m, err := Load(o, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Launch(context.Background(), Kernel{Module: m, Name: "sapxy"}, launch.Settings{Engine: ref.New()})
	if err == nil || err.Error() != `gcn: no kernel "sapxy"; saxpy is the nearest name` {
		t.Error(err)
	}
	if _, err := Launch(context.Background(), Kernel{Name: "saxpy"}, launch.Settings{Engine: ref.New()}); err == nil {
		t.Error("a launch without a module is accepted")
	}
}

// s_endpgm runs; s_branch to itself runs into the limit; the end of ctx ends it.
func TestLimits(t *testing.T) {
	k := Kernel{Grid: [3]uint32{256}, Block: [3]uint32{128}}
	run := func(code string, c launch.Settings, ctx context.Context) (*launch.Result, error) {
		_, l, err := begin(t, testObject(t, code, object.Descriptor{}, nil), k, c)
		if err != nil {
			t.Fatal(err)
		}
		return l.Run(ctx)
	}
	r, err := run(endpgm, launch.Settings{}, context.Background())
	if err != nil || r.Instructions != 4 || r.Groups != 2 {
		t.Errorf("%+v, %v", r, err)
	}
	const forever = "ffff82bf"
	if _, err := run(forever, launch.Settings{Limits: exec.Limits{Total: 1000}}, context.Background()); err == nil || !strings.Contains(err.Error(), "step limit") {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := run(forever, launch.Settings{}, ctx); err == nil || !strings.Contains(err.Error(), "context canceled") {
		t.Error(err)
	}
}

func TestMemory(t *testing.T) {
	m := NewMemory()
	a, err := m.Alloc("a", 4097)
	if err != nil {
		t.Fatal(err)
	}
	b, err := m.Alloc("b", 1)
	if err != nil {
		t.Fatal(err)
	}
	if a.Addr != bufferBase || b.Addr != bufferBase+2*page+guard {
		t.Errorf("buffers at %#x and %#x", a.Addr, b.Addr)
	}
	for _, c := range []struct {
		name string
		size int
	}{{"a", 1}, {"", 1}, {"c", 0}, {"c", -1}, {"c", 1 << 62}} {
		if _, err := m.Alloc(c.name, c.size); err == nil {
			t.Errorf("buffer %q of %d bytes is accepted", c.name, c.size)
		}
	}
}

// Two buffers of a launch may have the names of the system segments.
func TestNamesOfSegments(t *testing.T) {
	m := NewMemory()
	for _, name := range []string{"queue", scratchName, "code 1"} {
		if _, err := m.Alloc(name, 8); err != nil {
			t.Fatal(err)
		}
	}
	desc := object.Descriptor{PrivateSize: 4}
	_, l, err := begin(t, testObject(t, endpgm, desc, nil), Kernel{Grid: [3]uint32{64}, Block: [3]uint32{64}, Memory: m}, launch.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Run(context.Background()); err != nil {
		t.Error(err)
	}
}

func TestScratchLimits(t *testing.T) {
	k := Kernel{Grid: [3]uint32{1024}, Block: [3]uint32{1024}}
	for _, c := range []struct {
		size, stack uint32
		props       uint16
		want        uint32 // bytes per lane; 0: rejected
	}{
		{4, 0, 0, 16}, {1 << 20, 0, 0, 1 << 20}, {1<<20 + 16, 0, 0, 0}, {4 << 20, 0, 0, 0}, {0xffff_ffff, 0, 0, 0},
		{16, 0, 1 << 11, DefaultStack}, {16, 1024, 1 << 11, 1024}, {2048, 1024, 1 << 11, 2048},
	} {
		k.Stack = c.stack
		d, _, err := begin(t, testObject(t, endpgm, object.Descriptor{PrivateSize: c.size, Properties: c.props}, nil), k, launch.Settings{})
		if c.want == 0 {
			if err == nil || !strings.Contains(err.Error(), "bytes of scratch per lane") {
				t.Errorf("%+v: %v", c, err)
			}
		} else if err != nil || d.scratch.lane != c.want {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestRegisterNames(t *testing.T) {
	st, err := exec.NewState(gcn.Set().Machine(0), 64)
	if err != nil {
		t.Fatal(err)
	}
	st.Start(0, ^uint64(0))
	for name, perLane := range map[string]bool{"v10": true, "s20": false, "vcc_lo": false, "vcc_hi": false, "exec_lo": false, "exec_hi": false, "m0": false, "scc": false, "mode": false} {
		r, err := LookupRegister(0, name)
		if err != nil {
			t.Error(err)
			continue
		}
		r.Set(st, 3, 1)
		if got := r.Get(st, 3); got != 1 || r.PerLane() != perLane {
			t.Errorf("%s: %#x, a value a lane: %v", name, got, r.PerLane())
		}
	}
	if st.Exec != 1<<32|1 {
		t.Errorf("exec is %#x", st.Exec)
	}
	for _, name := range []string{"v256", "s[0:1]", "vcc", "exec", "x", ""} {
		if _, err := LookupRegister(0, name); err == nil {
			t.Errorf("%q is accepted", name)
		}
	}
}

// A relocated pointer in writable data, and code that reads as data.
func TestLoad(t *testing.T) {
	o := testObject(t, endpgm+strings.Repeat("00", 252), object.Descriptor{}, nil)
	o.Segments = append(o.Segments, object.ImageSegment{Addr: 0x1000, Size: 16, Read: true, Write: true})
	o.Image = append(o.Image, make([]byte, 0x1010-len(o.Image))...)
	o.Relocs = []object.Reloc{{Addr: 0x1008, Type: 13, Addend: 0x100}}
	m, err := Load(o, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := mem.NewSpace("", m.segments...)
	if err != nil {
		t.Fatal(err)
	}
	var c mem.Cursor
	w, fault := s.At(&c, codeBase+0x1008, 8, mem.ReadWrite)
	if fault != nil || mem.Load(w) != codeBase+0x100 {
		t.Errorf("%v %x", fault, w)
	}
	if w, fault := s.At(&c, codeBase+0x100, 4, mem.Read); fault != nil || mem.Load(w) != 0xbf810000 {
		t.Errorf("%v %x", fault, w)
	}
	if _, fault := s.At(&c, codeBase+0x100, 4, mem.Write); fault == nil || fault.Kind != mem.ReadOnly {
		t.Error(fault)
	}
	if id, ok := s.Segment("data 2"); !ok || id.Rights != mem.ReadWrite {
		t.Error("no writable segment")
	}
}

// TestAllocAt: buffers at given addresses, which Alloc avoids, and addresses that are rejected.
func TestAllocAt(t *testing.T) {
	m := NewMemory()
	low, err := m.AllocAt("low", 0x1000, 16)
	if err != nil {
		t.Fatal(err)
	}
	in, err := m.AllocAt("in the way", bufferBase+8, 100)
	if err != nil {
		t.Fatal(err)
	}
	a, err := m.Alloc("a", 4096)
	if err != nil {
		t.Fatal(err)
	}
	b, err := m.Alloc("b", 1)
	if err != nil {
		t.Fatal(err)
	}
	if low.Addr != 0x1000 || in.Addr != bufferBase+8 || a.Addr != bufferBase+page+guard || b.Addr != a.Addr+page+guard {
		t.Errorf("buffers at %#x, %#x, %#x, %#x", low.Addr, in.Addr, a.Addr, b.Addr)
	}
	if list := m.Buffers(); len(list) != 4 || list[0] != low || list[1] != in || list[2] != a || list[3] != b {
		t.Error("the buffers are not in the order of their addresses")
	}
	for _, c := range []struct {
		name string
		addr uint64
		size int
		want string
	}{
		{"x", 0, 8, "want an address from 0x1000"}, {"x", 0xff8, 16, "want an address"}, {"x", 0x1004, 8, "want a multiple of 8"},
		{"x", scratchBase - 8, 16, "want an address"}, {"x", queueAddr, 8, "want an address"}, {"x", bufferBase - 8, 8, "want an address"},
		{"x", 1<<47 - 8, 16, "want an address"}, {"x", ^uint64(7), 16, "want an address"}, {"x", 0x1008, 8, `overlaps "low" at 0x1000`},
		{"low", 0x2000, 8, "the name is empty or taken"}, {"x", 0x2000, 0, "want 1 or more"},
	} {
		if _, err := m.AllocAt(c.name, c.addr, c.size); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if _, err := m.AllocAt("next", 0x1010, 8); err != nil {
		t.Error(err)
	}
	// Wide loads that read past the end do not read bytes of the next buffer.
	pads := map[string]int{}
	for _, g := range m.segments() {
		pads[g.Name] = g.Pad
	}
	if pads["low"] != 0 || pads["next"] != 56 || pads["in the way"] != 28 || pads["b"] != 63 {
		t.Errorf("room for wide loads after the buffers: %v", pads)
	}
}

// TestBufferResource: the words by the fields of docs/reference/gcn.md 8.1.
func TestBufferResource(t *testing.T) {
	set := gcn.Arch()
	gfx6, _ := set.Variant("gfx6")
	gfx8, _ := set.Variant("gfx8")
	const last = 4 | 5<<3 | 6<<6 | 7<<9 | 4<<12 | 4<<15
	for _, c := range []struct {
		variant    int
		addr, size uint64
		stride     uint32
		want       [4]uint32
	}{
		{gfx8, 0x1234_5678_9abc, 64, 0, [4]uint32{0x5678_9abc, 0x1234, 64, last}},
		{gfx8, 0x1000, 64, 16, [4]uint32{0x1000, 16 << 16, 64, last}},
		{gfx6, 0x1000, 64, 16, [4]uint32{0x1000, 16 << 16, 4, last}},
	} {
		if got, err := BufferResource(c.variant, c.addr, c.size, c.stride); err != nil || got != c.want {
			t.Errorf("%+v: %#x, %v", c, got, err)
		}
	}
	for _, c := range []struct {
		addr, size uint64
		stride     uint32
	}{{1 << 48, 1, 0}, {0, 1 << 32, 0}, {0, 1, 1 << 14}} {
		if _, err := BufferResource(gfx8, c.addr, c.size, c.stride); err == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
}
