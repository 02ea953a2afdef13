package valhall

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/valhall"
	"github.com/heddle-gpu/heddle/launch"
)

func settings(workers int) launch.Settings {
	return launch.Settings{Engine: ref.New(), Workers: workers, Limits: exec.Limits{Steps: 10000}}
}

func target() *isa.Target { return valhall.Set().At(0, 0) }

// code assembles a program.
func code(t *testing.T, text string) []byte {
	t.Helper()
	a, errs := asm.Assemble(target(), []byte(text), asm.Options{File: "program"})
	for _, e := range errs {
		t.Fatal(e.Detail())
	}
	return a.Code
}

// program returns the code of a program.
func program(t *testing.T, text string) *exec.Program {
	t.Helper()
	return exec.NewProgram(&isa.Program{Target: target(), Code: code(t, text)})
}

// le returns words as they lie in memory.
func le(words ...uint32) (data []byte) {
	for _, w := range words {
		data = binary.LittleEndian.AppendUint32(data, w)
	}
	return data
}

// outAt is the address of the results of these tests.
const outAt = 0x5_0000_1000

// kernel returns a program that writes to a buffer of the given size, whose address is in u0 and u1.
func kernel(t *testing.T, text string, groups, block [3]uint32, size int) (*launch.Kernel, *launch.Buffer) {
	t.Helper()
	out := &launch.Buffer{Name: "out", Addr: outAt, Data: make([]byte, size)}
	return &launch.Kernel{Name: "test", Program: program(t, text), Groups: groups, Block: block, Args: le(outAt&0xffffffff, outAt>>32),
		Buffers: []*launch.Buffer{out}}, out
}

func wordAt(data []byte, i int) uint32 { return binary.LittleEndian.Uint32(data[4*i:]) }

// linear computes the global index of each thread, in r0, in a grid of u2 by u3 by any threads.
const linear = `
	IMUL.i32 r0, r62, u3
	IADD.u32 r0, r0, r61
	IMUL.i32 r0, r0, u2
	IADD.u32 r0, r0, r60
`

// showAll writes the initial registers of a thread, 16 words each.
const showAll = linear + `
	MOV.i32 r63, lane_id
	MOV.i32 r54, warp_id.w0
	SHADDX.u64 r2, u0, r0.w0, shift:0x6
	STORE.i128.slot0 @r52:r53:r54:r55, r2, offset:0
	STORE.i128.slot1 @r56:r57:r58:r59, r2, offset:16
	STORE.i128.slot2.end @r60:r61:r62:r63, r2, offset:32
`

// TestThreads: the initial registers of threads in workgroups whose last warp is partial; in a program that requests
// fewer, zeros.
func TestThreads(t *testing.T) {
	groups, block := [3]uint32{2, 3, 2}, [3]uint32{5, 3, 2}
	size := [3]uint32{10, 9, 4}
	for _, mask := range []uint16{0, PreloadAll, 1<<(55-48) | 1<<(58-48) | 7<<(60-48)} {
		k, out := kernel(t, showAll, groups, block, 64*10*9*4)
		k.Args, k.Preload = append(k.Args, le(size[0], size[1])...), mask
		res, err := compute.Launch(context.Background(), k, settings(3))
		if err != nil || res.Groups != 12 || res.Waves != 24 {
			t.Fatalf("%v, %+v", err, res)
		}
		if mask == 0 {
			mask = PreloadAll
		}
		for i := range 10 * 9 * 4 {
			at := [3]uint32{uint32(i % 10), uint32(i / 10 % 9), uint32(i / 90)}
			local := [3]uint32{at[0] % 5, at[1] % 3, at[2] % 2}
			number := local[0] + 5*local[1] + 15*local[2]
			want := [12]uint32{2: number / 16, 3: local[0] | local[1]<<16, 4: local[2], 5: at[0] / 5, 6: at[1] / 3, 7: at[2] / 2, 8: at[0], 9: at[1], 10: at[2], 11: number % 16}
			for j := range want {
				reg := 52 + j
				if reg >= 55 && reg < 63 && mask>>(reg-48)&1 == 0 {
					want[j] = 0
				}
				if got := wordAt(out.Data, 16*i+j); got != want[j] {
					t.Fatalf("mask %#x: thread %v: r%d is %#x, want %#x", mask, at, reg, got, want[j])
				}
			}
		}
	}
}

// TestCompiledThreads: drivers fill the registers of the compiled cases as this package does.
func TestCompiledThreads(t *testing.T) {
	f, err := os.Open(filepath.Join("..", "..", "..", "cases", "state", "valhall-compiled.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	compared := 0
	for c, err := range casefile.States(f, "cases") {
		if err != nil {
			t.Fatal(err)
		}
		if c.Stage != "compute" || c.Initial == nil || len(c.Initial.Regs) == 0 {
			continue
		}
		bare := *c
		state := *c.Initial
		state.Regs, bare.Initial = nil, &state
		k, err := Platform.Case(&isa.Program{Target: target(), Code: c.Code}, 0, &bare)
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range c.Initial.Regs {
			get, _, err := k.Reg(name)
			if err != nil {
				t.Fatal(err)
			}
			for lane := range k.Lanes() {
				if got := get(lane); got != want.Lane(lane) {
					t.Fatalf("%s: %s of thread %d is %#x, the driver gives %#x", c.Name, name, lane, got, want.Lane(lane))
				}
			}
			compared++
		}
	}
	if compared == 0 {
		t.Fatal("no registers to compare")
	}
}

// turnAround writes the index of each thread to workgroup memory and reads that of the opposite thread, in another
// warp. The initial contents are added: they must be zeros in every workgroup.
const turnAround = linear + `
	U16_TO_U32 r1, r55.h00
	SHADDX.u64 r4, workgroup_local_pointer.w0, r1.w0, shift:0x2
	LOAD.i32.unsigned.slot0.wait0 @r6, r4, offset:0
	IADD.u32 r6, r6, r0
	STORE.i32.slot0.wait0 @r6, r4, offset:0
	BARRIER.slot7.wait
	IADD_IMM.i32 r2, 0x0, #0x2F
	ISUB.u32 r1, r2, r1
	SHADDX.u64 r4, workgroup_local_pointer.w0, r1.w0, shift:0x2
	LOAD.i32.unsigned.slot0.wait0 @r6, r4, offset:0
	SHADDX.u64 r4, u0, r0.w0, shift:0x2
	STORE.i32.slot0.end @r6, r4, offset:0
`

// TestWorkgroupMemory: each workgroup has its own, initially zero, and its warps wait at barriers, for any number of
// workers.
func TestWorkgroupMemory(t *testing.T) {
	for _, workers := range []int{1, 4} {
		k, out := kernel(t, turnAround, [3]uint32{7, 1, 1}, [3]uint32{48, 1, 1}, 4*48*7)
		k.Args, k.GroupBytes = append(k.Args, le(48*7, 1)...), 4*48
		res, err := compute.Launch(context.Background(), k, settings(workers))
		if err != nil || res.Barriers != 21 {
			t.Fatalf("%v, %+v", err, res)
		}
		for i := range 48 * 7 {
			if got, want := wordAt(out.Data, i), uint32(i/48*48+47-i%48); got != want {
				t.Fatalf("%d workers: word %d is %d, want %d", workers, i, got, want)
			}
		}
	}
	k, _ := kernel(t, turnAround, [3]uint32{1, 1, 1}, [3]uint32{48, 1, 1}, 4*48)
	k.Args, k.GroupBytes = append(k.Args, le(48, 1)...), 4*47
	_, err := compute.Launch(context.Background(), k, settings(1))
	var f *exec.Fault
	if !errors.As(err, &f) || f.Kind != exec.FaultMemory || f.Lanes != 1<<15 {
		t.Errorf("a word behind workgroup memory: %v, want a fault of lane 15", err)
	}
}

// TestThreadMemory: each thread has its own, at one address.
func TestThreadMemory(t *testing.T) {
	k, out := kernel(t, linear+`
		STORE.i32.slot0.wait0 @r0, thread_local_pointer.w0, offset:20
		BARRIER.slot7.wait
		LOAD.i64.unsigned.slot0.wait0 @r2:r3, thread_local_pointer.w0, offset:16
		SHADDX.u64 r4, u0, r0.w0, shift:0x3
		STORE.i64.slot0.end @r2:r3, r4, offset:0
	`, [3]uint32{2, 1, 1}, [3]uint32{33, 1, 1}, 8*66)
	k.Args, k.PrivateBytes = append(k.Args, le(66, 1)...), 24
	if _, err := compute.Launch(context.Background(), k, settings(2)); err != nil {
		t.Fatal(err)
	}
	for i := range 66 {
		if lo, hi := wordAt(out.Data, 2*i), wordAt(out.Data, 2*i+1); lo != 0 || hi != uint32(i) {
			t.Fatalf("thread %d finds %d and %d", i, lo, hi)
		}
	}
}

// TestTables: LD_BUFFER finds the buffers of the tables by their handles, and reads zeros for null descriptors and
// after the end of a table. A handle whose upper seven bits are ones selects the descriptors of a table.
func TestTables(t *testing.T) {
	k, out := kernel(t, linear+`
		SHADDX.u64 r2, u2, r0.w0, shift:0x2
		LOAD.i32.unsigned.slot0.wait0 @r4, r2, offset:0
		LD_BUFFER.i32.unsigned.slot0.wait0 @r5, 0x0, r4
		SHADDX.u64 r2, u0, r0.w0, shift:0x2
		STORE.i32.slot0.end @r5, r2, offset:0
	`, [3]uint32{1, 1, 1}, [3]uint32{7, 1, 1}, 4*7)
	one, two := &launch.Buffer{Name: "one", Addr: 0x7000, Data: []byte{1, 0, 0, 0}}, &launch.Buffer{Name: "two", Addr: 0x9_0000_0000, Data: []byte{2, 0, 0, 0, 3}}
	handles := &launch.Buffer{Name: "handles", Addr: 0x8000}
	for _, h := range []uint32{0, 1, 1 << 24, 3 << 24, 3<<24 | 1, 3<<24 | 2, 4 << 24} {
		handles.Data = binary.LittleEndian.AppendUint32(handles.Data, h)
	}
	k.Buffers, k.Tables = append(k.Buffers, one, two, handles), [][]*launch.Buffer{{one, two}, {}, nil, {nil, two}}
	k.Args = append(k.Args, le(0x8000, 0)...)
	if _, err := compute.Launch(context.Background(), k, settings(1)); err != nil {
		t.Fatal(err)
	}
	for i, want := range []uint32{1, 2, 0, 0, 2, 0, 0} {
		if got := wordAt(out.Data, i); got != want {
			t.Errorf("handle %#x gives %d, want %d", wordAt(handles.Data, i), got, want)
		}
	}
}

// TestHostileKernels: values that no job can encode are errors that say so, before anything runs.
func TestHostileKernels(t *testing.T) {
	for _, c := range []struct {
		change func(k *launch.Kernel)
		want   string
	}{
		{func(k *launch.Kernel) { k.Block[1] = 0 }, "work-groups of [16 0 1] threads"},
		{func(k *launch.Kernel) { k.Block = [3]uint32{1 << 31, 1 << 31, 4} }, "want 1 to 1024 in all"},
		{func(k *launch.Kernel) { k.Block = [3]uint32{64, 64, 1} }, "want 1 to 1024 in all"},
		{func(k *launch.Kernel) { k.Groups[2] = 0 }, "grid of [1 1 0]"},
		{func(k *launch.Kernel) { k.Groups[0] = 1<<28 + 1 }, "want 1 to 2^32 threads"},
		{func(k *launch.Kernel) { k.Groups = [3]uint32{1 << 28, 1 << 31, 1 << 31} }, "too large"},
		{func(k *launch.Kernel) { k.Program = nil }, "there is no code"},
		{func(k *launch.Kernel) { k.Args = make([]byte, 4*256+1) }, "257 uniform words"},
		{func(k *launch.Kernel) { k.GroupBytes = 1 << 20 }, "bytes of workgroup memory; at most 65536"},
		{func(k *launch.Kernel) { k.PrivateBytes = -1 }, "-1 bytes of thread memory"},
		{func(k *launch.Kernel) { k.Tables = make([][]*launch.Buffer, 64) }, "64 tables of resources; at most 63"},
		{func(k *launch.Kernel) {
			k.Buffers = append(k.Buffers, &launch.Buffer{Name: "b", Addr: outAt + 4, Data: make([]byte, 4)})
		}, "overlap"},
		{func(k *launch.Kernel) { k.Buffers[0].Addr = 1<<46 - 8 }, "buffers lie below"},
		{func(k *launch.Kernel) { k.Buffers[0].Addr = ^uint64(0) }, "buffers lie below"},
	} {
		k, _ := kernel(t, "NOP.end", [3]uint32{1, 1, 1}, [3]uint32{16, 1, 1}, 16)
		c.change(k)
		res, err := compute.Launch(context.Background(), k, settings(1))
		if err == nil || !strings.Contains(err.Error(), c.want) || res != nil && res.Waves != 0 {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// TestManifest: each launch sees the results of the one before; a fault in the second keeps the results of the first.
func TestManifest(t *testing.T) {
	text := `{"format": "heddle-valhall-kernel-1", "name": "n", "variants": [{"file": "add.s", "isa": "valhall", "variant": "%s"}],
		"buffers": {"out": {"bytes": 16, "elem": "uint32", "init": "zero"}},
		"launches": [{"kernel": "k", "work_dim": 1, "grid": [4, 1, 1], "block": [2, 1, 1], "args": [{"buffer": "out"}, {"type": "u32", "value": 7}]},
			{"kernel": "k", "work_dim": 1, "grid": [%d, 1, 1], "block": [1, 1, 1], "args": [{"buffer": "out"}, {"type": "u32", "value": 100}]}]}`
	add := "SHADDX.u64 r0, u0, r60.w0, shift:0x2\nLOAD.i32.unsigned.slot0.wait0 @r2, r0, offset:0\nIADD.u32 r2, r2, u2\nSTORE.i32.slot0.end @r2, r0, offset:0\n"
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "add.s"), []byte(add), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		variant string
		threads int
		want    []uint32
		runs    int
		err     string
	}{
		{"v9", 3, []uint32{107, 107, 107, 7}, 2, ""},
		{"v9", 5, []uint32{107, 107, 107, 107}, 2, "at 0x100000010"},
		{"v7", 3, nil, 0, `valhall has no variant "v7", only v9`},
	} {
		m, err := casefile.ReadManifest(strings.NewReader(fmt.Sprintf(text, c.variant, c.threads)), filepath.Join(folder, "m.json"))
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := Platform.RunManifest(context.Background(), m, &m.Variants[0], settings(1)); err == nil || !strings.Contains(err.Error(), "no assembler") {
			t.Errorf("without an assembler: %v", err)
		}
		m.Assemble = func(_ *casefile.Build, _ string, text []byte) ([]byte, error) { return code(t, string(text)), nil }
		buffers, results, err := Platform.RunManifest(context.Background(), m, &m.Variants[0], settings(1))
		if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) || len(results) != c.runs {
			t.Errorf("%d results, %v, want %d, %q", len(results), err, c.runs, c.err)
		}
		var want []byte
		for _, w := range c.want {
			want = binary.LittleEndian.AppendUint32(want, w)
		}
		if c.want != nil && !bytes.Equal(buffers["out"], want) {
			t.Errorf("out is %v, want %v", buffers["out"], want)
		}
	}
}

// TestCaseMemory: workgroup memory of a case lies at its address, of a grid each group's own; there is no second one.
func TestCaseMemory(t *testing.T) {
	program := code(t, `
		MOV.i32 r0, workgroup_local_pointer.w0
		MOV.i32 r1, workgroup_local_pointer.w1
		ATOM1_RETURN.i32.slot0.ainc.wait0 @r2, r0, offset:0x0
		STORE.i32.slot0.end @r2, r0, offset:4
	`)
	const at = 0x3_0000_0100
	shared := casefile.Memory{Space: "shared", Addr: at, Data: []byte{40, 0, 0, 0, 0, 0, 0, 0}}
	for _, c := range []casefile.StateCase{
		{Stage: "raw", Launch: casefile.CaseLaunch{Lanes: 16}},
		{Stage: "compute", Launch: casefile.CaseLaunch{Grid: [3]int{2, 1, 1}, Block: [3]int{20, 1, 1}}},
	} {
		c.Initial = &casefile.State{Memory: []casefile.Memory{shared}, Uniform: map[string]casefile.Words{"workgroup_local_pointer": {V: []uint64{at}}}}
		k, err := Platform.Case(&isa.Program{Target: target(), Code: program}, 0, &c)
		if err != nil {
			t.Fatal(err)
		}
		if err := k.Run(context.Background(), ref.New(), exec.Limits{}); err != nil {
			t.Fatal(err)
		}
		get, _, err := k.Reg("r2")
		if err != nil {
			t.Fatal(err)
		}
		for lane := range k.Lanes() {
			if want := uint64(40 + lane%20); get(lane) != want {
				t.Errorf("%s: thread %d gets %d, want %d", c.Stage, lane, get(lane), want)
			}
		}
		if data, err := k.Bytes("shared", at, 4); c.Stage == "raw" && (err != nil || wordAt(data, 0) != 56) {
			t.Errorf("memory is % x, %v", data, err)
		}
		c.Initial.Memory = append(c.Initial.Memory, casefile.Memory{Space: "shared", Addr: at + 64, Data: shared.Data})
		if _, err := Platform.Case(&isa.Program{Target: target(), Code: program}, 0, &c); c.Stage == "compute" && (err == nil || !strings.Contains(err.Error(), "each group of the grid has its own")) {
			t.Errorf("a second memory of a group: %v", err)
		}
	}
}
