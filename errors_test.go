package heddle_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/object"
)

const (
	saxpy  = "cases/kernels/gcn/saxpy/saxpy.gfx803.hsaco"
	reduce = "examples/reduction/reduce_lds.gfx803.hsaco"
)

func load(t *testing.T, path string) *heddle.Module {
	t.Helper()
	m, err := heddle.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestErrors: errors name what the caller asked for.
func TestErrors(t *testing.T) {
	gcn, attila := heddle.MustFind("gcn:gfx8"), heddle.MustFind("attila")
	eval := func(a *heddle.ISA, program string, s heddle.State) func() error {
		return func() error { _, err := a.Run(t.Context(), program, s); return err }
	}
	regs := func(name string, words ...uint64) heddle.State {
		return heddle.State{Regs: map[string][]uint64{name: words}}
	}
	const mov = "v_mov_b32 v0, v1"
	for name, c := range map[string]struct {
		do   func() error
		want string
	}{
		"unknown ISA":     {func() error { _, err := heddle.Find("gnc"); return err }, `no instruction set "gnc"; gcn is the nearest name`},
		"variant":         {func() error { _, err := heddle.Find("gcn:gfx5"); return err }, `gcn has no variant "gfx5"`},
		"stage":           {func() error { _, err := gcn.With(isa.Config{Stage: "vp"}); return err }, `gcn has no stage "vp"`},
		"option":          {func() error { _, err := gcn.With(isa.Config{Options: map[string]string{"q": "1"}}); return err }, `gcn has no option "q"`},
		"mnemonic":        {eval(gcn, "v_mow_b32 v0, v1", heddle.State{}), `no instruction "v_mow_b32" in gcn`},
		"no program":      {eval(gcn, " ; ", heddle.State{}), "no instruction"},
		"register":        {eval(gcn, mov, regs("v999", 1)), `no register "v999"`},
		"register text":   {eval(gcn, mov, heddle.State{Set: []string{"q=1"}}), `no register "q"`},
		"assignment":      {eval(gcn, mov, heddle.State{Set: []string{"v0"}}), `"v0": want REGISTER=VALUE`},
		"value":           {eval(gcn, mov, heddle.State{Set: []string{"v0=x"}}), `v0: "x" is no number`},
		"too wide":        {eval(gcn, mov, regs("v0", 1<<32)), "v0: 0x100000000 does not fit 32 bits"},
		"no value":        {eval(gcn, mov, regs("v0")), "v0: no value"},
		"one a wave":      {eval(gcn, mov, regs("s0", 1, 2)), "s0: a list, but the register holds one value per wave"},
		"too many values": {eval(attila, "mov o0, i0", regs("i0.x", 1, 2, 3, 4, 5)), "i0.x: 5 values; a wave has 4 lanes"},
		"and as text":     {eval(attila, "mov o0, i0", heddle.State{Set: []string{"i0.x=1,2,3,4,5"}}), "i0.x: 5 values; a wave has 4 lanes"},
		"lanes":           {eval(attila, "mov o0, i0", heddle.State{Lanes: 5}), "5 lanes; a wave has 4"},
		"shared bits": {eval(gcn, mov, heddle.State{Regs: map[string][]uint64{"v1": {1}, "v[0:1]": {2}}}),
			"v1 and v[0:1] share bits"},
		"shared mask": {eval(gcn, mov, heddle.State{Regs: map[string][]uint64{"exec": {1}, "exec_hi": {2}}}),
			"exec and exec_hi share bits"},
		"memory":  {eval(gcn, "flat_load_dword v1, v[2:3]", heddle.State{}), "global load of 4 bytes at 0x0"},
		"endless": {eval(gcn, "top: s_branch top", heddle.State{Steps: 10}), "step limit of 10 guest instructions"},
		"overlapping memory": {eval(gcn, mov, heddle.State{Global: []heddle.Region{
			{Name: "a", Addr: 16, Data: make([]byte, 16)}, {Name: "b", Addr: 24, Data: make([]byte, 16)}}}), `"a"`},
		"wide register": {func() error {
			r, err := attila.Eval("mov o0, i0")
			if err == nil {
				_, err = r.Reg("o0")
			}
			return err
		}, "o0 has 128 bits"},
		"explain":       {func() error { _, err := gcn.Explain("v_mow_b32"); return err }, `no instruction "v_mow_b32"`},
		"no code":       {func() error { _, _, err := gcn.Decode([]byte{1, 2}); return err }, "[truncated]"},
		"not there":     {func() error { _, err := heddle.Load("none.hsaco"); return err }, "none.hsaco"},
		"no ELF":        {func() error { _, err := heddle.Read([]byte("MZ")); return err }, "code object"},
		"other machine": {func() error { _, err := heddle.Load("doc.go"); return err }, "doc.go"},
	} {
		if err := c.do(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

// TestLaunchErrors: arguments that do not fit the kernel are refused by name before a wave runs.
func TestLaunchErrors(t *testing.T) {
	m, r := load(t, saxpy), load(t, reduce)
	x, y := make([]float32, 64), make([]float32, 64)
	l := heddle.Launch{Grid: [3]uint32{64}, Block: [3]uint32{64}}
	with := func(change func(*heddle.Launch)) heddle.Launch { n := l; change(&n); return n }
	for name, c := range map[string]struct {
		m    *heddle.Module
		l    heddle.Launch
		args []any
		want string
	}{
		"kernel name":   {m, with(func(l *heddle.Launch) { l.Kernel = "saxpi" }), nil, `no kernel "saxpi"; saxpy is the nearest name`},
		"kernel":        {m, with(func(l *heddle.Launch) { l.Kernel = "q" }), nil, `no kernel "q"; there are saxpy`},
		"no grid":       {m, heddle.Launch{Block: [3]uint32{64}}, []any{x, y, float32(1), 64}, "axis x is 0"},
		"no block":      {m, heddle.Launch{Grid: [3]uint32{64}}, nil, "saxpy: no Block is given"},
		"block":         {m, with(func(l *heddle.Launch) { l.Block[0] = 2048 }), []any{x, y, float32(1), 64}, "more than 1024 work-items"},
		"wrong block":   {r, l, []any{x, y, 64}, "compiled for [256 1 1]"},
		"no buffer":     {m, l, []any{x}, `arguments 1 (float*, address of a buffer), 2 (float, 4 bytes by value), 3 (int, 4 bytes by value) are missing: 1 of 4 are given; the kernel is saxpy(global const float *arg0, global float *arg1, float arg2, int arg3)`},
		"too many":      {m, l, []any{x, y, float32(1), 64, 1}, "5 arguments are given; the kernel has 4"},
		"number for it": {m, l, []any{x, 5, float32(1), 64}, `argument 1 (float*, address of a buffer): i64 is given`},
		"double":        {m, l, []any{x, y, 1.5, 64}, `argument 2 (float, 4 bytes by value): f64 is given, want f32`},
		"float for int": {m, l, []any{x, y, float32(1), float32(64)}, `argument 3 (int, 4 bytes by value): f32 is given, want i32 or u32`},
		"int for float": {m, l, []any{x, y, 1, 64}, `argument 2 (float, 4 bytes by value): i32 is given, want f32`},
		"large":         {m, l, []any{x, y, float32(1), 1 << 32}, "saxpy: argument 3: 4294967296 does not fit 32 bits"},
		"negative":      {m, l, []any{x, y, float32(1), -1<<31 - 1}, "saxpy: argument 3: -2147483649 does not fit 32 bits"},
		"type":          {m, l, []any{x, "y", float32(1), 64}, "saxpy: argument 1: a string cannot be passed"},
		"empty":         {m, l, []any{x, y[:0], float32(1), 64}, "saxpy: argument 1: the slice is empty"},
		"overlap":       {m, l, []any{x[:32], x[16:48], float32(1), 16}, `saxpy: argument 1: the slice overlaps that of buffer "arg0" in part`},
		"overlap below": {m, l, []any{x[16:48], x[:32], float32(1), 16}, `saxpy: argument 1: the slice overlaps that of buffer "arg0" in part`},
	} {
		res, err := c.m.Launch(t.Context(), c.l, c.args...)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
		if res == nil || res.Waves != 0 {
			t.Errorf("%s: result %v", name, res)
		}
	}
}

// TestMetadata: messages and ints follow the kernel's metadata, as far as there are any.
func TestMetadata(t *testing.T) {
	x, y := make([]float32, 64), make([]float32, 64)
	l := heddle.Launch{Grid: [3]uint32{64}, Block: [3]uint32{64}}
	for name, c := range map[string]struct {
		change func(o *object.CodeObject)
		args   []any
		want   string
	}{
		"names": {func(o *object.CodeObject) { o.Kernels[0].Meta.Args[0].Name = "in" }, []any{x, x[1:], float32(1), 63},
			`overlaps that of buffer "in"`},
		"two kernels": {func(o *object.CodeObject) { o.Kernels = append(o.Kernels, object.Kernel{Name: "other"}) }, nil,
			"no kernel is named; there are saxpy, other"},
		"no kernels": {func(o *object.CodeObject) { o.Kernels = nil }, nil, "the code object has no kernels"},
		"no metadata": {func(o *object.CodeObject) { o.Kernels[0].Meta = nil }, []any{x, y, float32(1), 64},
			"argument 3: an int, and the code object does not say of what size"},
		"short": {func(o *object.CodeObject) { o.Kernels[0].Meta.Args[3].Size = 1 }, []any{x, y, float32(1), 256},
			"argument 3: 256 does not fit 8 bits"},
		"short, signed": {func(o *object.CodeObject) { o.Kernels[0].Meta.Args[3].Size = 2 }, []any{x, y, float32(1), -32769},
			"argument 3: -32769 does not fit 16 bits"},
		"long": {func(o *object.CodeObject) { o.Kernels[0].Meta.Args[3].Size = 8 }, []any{x, y, float32(1), -1 << 40}, ""},
		"local": {func(o *object.CodeObject) { o.Kernels[0].Meta.Args[3].ValueKind = "dynamic_shared_pointer" },
			[]any{x, y, float32(1), heddle.Local(64)}, ""},
		"too much": {func(o *object.CodeObject) { o.Kernels[0].Meta.Args[3].ValueKind = "dynamic_shared_pointer" },
			[]any{x, y, float32(1), heddle.Local(1 << 20)}, "local memory grows to 1048576 bytes"},
		"no local": {func(*object.CodeObject) {}, []any{x, y, float32(1), heddle.Local(4)}, "local memory is given"},
	} {
		m := load(t, saxpy)
		c.change(m.Object)
		_, err := m.Launch(t.Context(), l, c.args...)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

// TestErrorTypes: errors can be distinguished without their text.
func TestErrorTypes(t *testing.T) {
	gcn := heddle.MustFind("gfx803")
	_, err := gcn.Assemble("v_mow_b32 v0, v1\n\tv_mov_b32 v0")
	var e *isa.Error
	if !errors.As(err, &e) || e.Line != 1 || e.Code != isa.ErrMnemonic {
		t.Errorf("%v: %+v", err, e)
	}
	var es heddle.Errors
	if !errors.As(err, &es) || len(es) != 2 || es[1].Line != 2 || es[1].Code != isa.ErrOperand {
		t.Errorf("%v: %+v", err, es)
	}
	for _, do := range []func() error{
		func() error { _, err := gcn.Eval("v_mow_b32 v0, v1"); return err },
		func() error { _, err := gcn.Explain("v_mow_b32 v0, v1"); return err },
		func() error { _, _, err := gcn.Decode([]byte{0xff, 0xff, 0xff, 0xff}); return err },
	} {
		if err := do(); !errors.As(err, &e) {
			t.Errorf("%v is no isa.Error", err)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("MustFind found nonsense")
		}
	}()
	heddle.MustFind("nonsense")
}

// TestFaults: with a fault, the effects of the program up to it are returned.
func TestFaults(t *testing.T) {
	var f *exec.Fault
	r, err := heddle.MustFind("gfx803").Eval("v_mov_b32 v0, 7; flat_store_dword v[2:3], v0")
	if !errors.As(err, &f) || f.PC != 4 || r == nil || len(r.Changed) != 1 || r.Changed[0].Now[63] != 7 {
		t.Errorf("%v, %v", r, err)
	}
	m := load(t, saxpy)
	x, y := []float32{1, 2}, []float32{1, 1, 1, 1}
	l := heddle.Launch{Grid: [3]uint32{64}, Block: [3]uint32{64}}
	if _, err := m.Launch(t.Context(), l, x, y, float32(1), len(y)); !errors.As(err, &f) || f.Lane != 2 || !strings.Contains(err.Error(), `"arg0"`) {
		t.Errorf("a short x: %v", err)
	}
	if _, err := m.Launch(t.Context(), l, nil, y, float32(1), len(y)); !errors.As(err, &f) || f.Lane != 0 {
		t.Errorf("no x: %v", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := m.Launch(ctx, l, y, y, float32(1), len(y)); !errors.Is(err, context.Canceled) {
		t.Errorf("a launch after its context ended: %v", err)
	}
	if _, err := heddle.MustFind("gfx803").Run(ctx, "v_mov_b32 v0, 7", heddle.State{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a run after its context ended: %v", err)
	}
}
