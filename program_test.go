package heddle_test

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/mem"
)

// contents returns a file in memory that guests may access in place.
func contents(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b := mem.Alloc(len(data))
	copy(b, data)
	return b
}

// TestProgram: the example programs leave in the caller's bytes what their files say; these are from elsewhere.
func TestProgram(t *testing.T) {
	in := func(path string) heddle.InPlace { return heddle.InPlace{Data: contents(t, path), ReadOnly: true} }
	for _, tt := range []struct {
		isa, path, want string
		o               heddle.ProgramOptions
		l               heddle.Launch
		args            []any
		result          int // index in args
	}{
		{"tesla", "examples/scan/scan.s", "examples/scan/out.exp.bin", heddle.ProgramOptions{Group: 1040}, heddle.Launch{Grid: [3]uint32{1024}, Block: [3]uint32{256}},
			[]any{in("examples/scan/in.in.bin"), heddle.InPlace{Data: mem.Alloc(4096)}}, 1},
		{"valhall", "examples/transpose/transpose.s", "examples/transpose/out.exp.bin", heddle.ProgramOptions{Group: 1088},
			heddle.Launch{Grid: [3]uint32{64, 48}, Block: [3]uint32{16, 16}},
			[]any{in("examples/transpose/in.in.bin"), heddle.InPlace{Data: mem.Alloc(12288)}, uint32(64), uint32(48)}, 1},
		{"rogue", "examples/over/over.s", "examples/over/out.exp.bin", heddle.ProgramOptions{}, heddle.Launch{Grid: [3]uint32{3072}, Block: [3]uint32{96}},
			[]any{in("examples/over/lower.in.bin"), in("examples/over/upper.in.bin"), heddle.InPlace{Data: mem.Alloc(12288)}, uint32(96)}, 2},
	} {
		p, err := heddle.MustFind(tt.isa).Program(string(contents(t, tt.path)), tt.o)
		if err != nil {
			t.Errorf("%s: %v", tt.path, err)
			continue
		}
		r, err := p.Launch(t.Context(), tt.l, tt.args...)
		out := tt.args[tt.result].(heddle.InPlace).Data
		if same := bytes.Equal(out, contents(t, tt.want)); err != nil || !same || r.Groups == 0 {
			t.Errorf("%s: %d groups, %v; result as expected: %t", tt.path, r.Groups, err, same)
		}
	}
}

// double is y[i] = 2 x[i] for GCN: arguments are at s[4:5], the number of the workgroup is in s6, that of the
// work-item in v0.
const double = `s_load_dwordx4 s[0:3], s[4:5], 0x0
s_lshl_b32 s6, s6, 8
v_lshlrev_b32 v0, 2, v0
v_add_u32 v0, vcc, s6, v0
s_waitcnt lgkmcnt(0)
v_mov_b32 v2, s1
v_add_u32 v1, vcc, s0, v0
v_addc_u32 v2, vcc, 0, v2, vcc
flat_load_dword v5, v[1:2]
v_mov_b32 v4, s3
v_add_u32 v3, vcc, s2, v0
v_addc_u32 v4, vcc, 0, v4, vcc
s_waitcnt vmcnt(0) lgkmcnt(0)
v_add_f32 v5, v5, v5
flat_store_dword v[3:4], v5
s_endpgm`

// TestProgramGCN: bare code of GCN is a module without metadata, from text and from bytes.
func TestProgramGCN(t *testing.T) {
	gcn := heddle.MustFind("gfx803")
	code, err := gcn.Assemble(double)
	if err != nil {
		t.Fatal(err)
	}
	text, err := gcn.Program(double, heddle.ProgramOptions{Name: "double"})
	if err != nil {
		t.Fatal(err)
	}
	bare, err := gcn.ProgramOf(code, heddle.ProgramOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []*heddle.Program{text, bare} {
		in, out := make([]float32, 128), mem.Alloc(512)
		var want []float32
		for i := range in {
			in[i] = float32(i) / 3
			want = append(want, in[i]+in[i])
		}
		l := heddle.Launch{Grid: [3]uint32{128}, Block: [3]uint32{64}}
		_, err := p.Launch(t.Context(), l, heddle.InPlace{Data: floats(0, in...), ReadOnly: true}, heddle.InPlace{Data: out})
		if err != nil || !bytes.Equal(out, floats(0, want...)) {
			t.Errorf("%s: %v, % x", p.Name(), err, out[:16])
		}
		if p.ISA().String() != "gcn:gfx8" {
			t.Errorf("%s is of %v", p.Name(), p.ISA())
		}
	}
}

// TestProgramValues: each value is aligned to its size, and to at least four bytes if arguments are words.
func TestProgramValues(t *testing.T) {
	p, err := heddle.MustFind("valhall").Program(`
		SHADDX.u64 r0, u0, r60.w0, shift:0x3
		IADD_IMM.i32 r2, u2, #0x0
		IADD_IMM.i32 r3, u3, #0x0
		STORE.i64.slot0.wait0 @r2:r3, r0, offset:0
		IADD_IMM.i32 r2, u4, #0x0
		IADD_IMM.i32 r3, u5, #0x0
		STORE.i64.slot0.end @r2:r3, r0, offset:8`, heddle.ProgramOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]any{
		{uint8(0x11), uint64(0x8877665544332211)},
		{heddle.Value{0x11}, heddle.Value{0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88}},
		{int16(0x11), nil},
		{heddle.Value{0x11, 0, 0, 0, 0, 0}, heddle.Value{0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 9, 10, 11, 12}}, // of no power of 2: aligned to 4
	} {
		out := make([]byte, 16)
		l := heddle.Launch{Grid: [3]uint32{1}, Block: [3]uint32{1}}
		_, err := p.Launch(t.Context(), l, append([]any{heddle.InPlace{Data: out}}, args...)...)
		want := []byte{0x11, 0, 0, 0, 0, 0, 0, 0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88}
		if args[1] == nil {
			clear(want[8:])
		}
		if err != nil || !bytes.Equal(out, want) {
			t.Errorf("%v: % x, %v; want % x", args, out, err, want)
		}
	}
}

// TestProgramRefused: the error of a program that cannot be launched says why.
func TestProgramRefused(t *testing.T) {
	var wrong *isa.Error
	if _, err := heddle.MustFind("attila").Program("mul o0, i0, i1\nend", heddle.ProgramOptions{}); !errors.As(err, &wrong) || wrong.Code != isa.ErrUnsupported {
		t.Errorf("attila: %v", err)
	}
	for _, tt := range []struct {
		isa, src, want string
		o              heddle.ProgramOptions
	}{
		{"gcn", "", "there is no code", heddle.ProgramOptions{}},
		{"gcn", "s_frob", "s_frob", heddle.ProgramOptions{}},
		{"gcn", "s_endpgm", "bytes of a group's memory", heddle.ProgramOptions{Group: -1}},
		{"gcn", "s_endpgm", "no ABI \"mesa\": there is only one, without a name", heddle.ProgramOptions{ABI: "mesa"}},
		{"tesla", "exit nop", "no ABI \"opencl\"; there are cuda, mesa", heddle.ProgramOptions{ABI: "opencl"}},
		{"rogue", "{ s0 = r1, s1 = r2, is4 = ft0 p0: fadd ft0, s0, s1; w0 = r3 }", "not built", heddle.ProgramOptions{Group: 4}},
	} {
		if _, err := heddle.MustFind(tt.isa).Program(tt.src, tt.o); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s %q: %v, want %s", tt.isa, tt.src, err, tt.want)
		}
	}
	p, err := heddle.MustFind("tesla").Program("mov b32 $r1 0x0\nst b32 g14[$r1] $r1\nexit nop", heddle.ProgramOptions{})
	if err != nil {
		t.Fatal(err)
	}
	l := heddle.Launch{Grid: [3]uint32{32}, Block: [3]uint32{32}}
	data := floats(0, 1, 2, 3)
	for _, tt := range []struct {
		l    heddle.Launch
		args []any
		want string
	}{
		{heddle.Launch{}, nil, "want whole groups"},
		{heddle.Launch{Grid: [3]uint32{33}, Block: [3]uint32{32}}, nil, "want whole groups"},
		{l, []any{[]byte{1}}, "argument 0: a []uint8 cannot be passed"},
		{l, []any{1}, "argument 0: a int cannot be passed"},
		{l, []any{heddle.Local(16)}, "ProgramOptions.Group"},
		{l, []any{heddle.InPlace{}}, "there are no bytes"},
		{l, []any{heddle.InPlace{Data: data}, heddle.InPlace{Data: data[4:]}}, `argument 1: the bytes overlap those of buffer "arg0" in part`},
	} {
		if r, err := p.Launch(t.Context(), tt.l, tt.args...); r == nil || err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: %v, want %s", tt.args, err, tt.want)
		}
	}
	var f *exec.Fault
	if _, err := p.Launch(t.Context(), l, heddle.InPlace{Data: data}); !errors.As(err, &f) || f.Kind != exec.FaultMemory {
		t.Errorf("a store to nowhere: %v", err)
	}
}
