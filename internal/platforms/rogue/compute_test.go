package rogue

import (
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue"
	"github.com/heddle-gpu/heddle/launch"
)

func settings(workers int) launch.Settings {
	return launch.Settings{Engine: ref.New(), Workers: workers, Limits: exec.Limits{Steps: 10000}}
}

func target() *isa.Target { return rogue.Set().At(0, 0) }

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

// move copies a register.
func move(to, from string) string {
	return "{ s0 = " + from + ", is4 = ft0 p0: mbyp0 ft0, s0; w0 = " + to + " }\n"
}

// show copies the initial registers of each instance to r0 to r8.
const numShown = 9

func show() string {
	text := ""
	for i, from := range [numShown]string{"cf0", "cf1", "cf2", "sr102", "vi0", "vi1", "sr112", "sr51", "sh3"} {
		text += move("r"+string(rune('0'+i)), from)
	}
	return text + "{ ctrl: nop.end; }\n"
}

// TestTasks: the initial registers of instances of all tasks, in workgroups whose last task is partial.
func TestTasks(t *testing.T) {
	groups, block := [3]uint32{2, 3, 2}, [3]uint32{7, 3, 2}
	k := &launch.Kernel{Name: "show", Program: program(t, show()), Groups: groups, Block: block, Args: le(5, 6, 7, 0xabcd1234)}
	l, err := compute.Begin(k, settings(1))
	if err != nil {
		t.Fatal(err)
	}
	s, err := l.Begin(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	w := s.NewSlot()
	for index := range uint32(12) {
		if err := w.Begin(uint64(index)); err != nil {
			t.Fatal(err)
		}
		for wave, ok := w.Next(); ok; wave, ok = w.Next() {
			if stop := w.Turn(wave, exec.Budget{}); stop.Reason != exec.StopEnd {
				t.Fatal(stop.Fault)
			}
		}
		if len(w.Waves) != 2 {
			t.Fatalf("%d tasks of 42 instances", len(w.Waves))
		}
		for i := range uint32(42) {
			want := [numShown]uint32{index % 2, index / 2 % 3, index / 6, index, i % 7, i/7%3 | i/21<<16, i, i % 32, 0xabcd1234}
			for j, v := range want {
				if got := w.Waves[i/32].State.Get(ir.Cell{File: rogue.FileR, Index: uint16(j)}, int(i%32)); got != v {
					t.Errorf("work-group %d, instance %d: r%d is %#x, want %#x", index, i, j, got, v)
				}
			}
		}
		w.End()
	}
}

// count stores, for each instance of a row of workgroups of sh3 instances, sh2 and its global index, at sh0 up.
const count = `
	{ s0 = sh3, s1 = sr102, s2 = vi0, is4 = ft0 p0: imadd32 ft0, s0, s1, s2, _; w0 = r0 }
	{ s0 = sh0, is4 = ft0 p0: mbyp0 ft0, s0; w0 = r8 }
	{ s0 = r0, s1 = sc4, s2 = r8, is4 = ft0 p0: imadd32 ft0, s0, s1, s2, _; w0 = r2 }
	{ s0 = sh1, is4 = ft0 p0: mbyp0 ft0, s0; w0 = r3 }
	{ s0 = r0, s1 = sc1, s2 = sh2, is4 = ft0 p0: imadd32 ft0, s0, s1, s2, _; w0 = r4 }
	{ s0 = r4, s3 = r2..3 backend: st.writethrough s0, 2, drc0, 1, s3, _; }
	{ s3 = r2..3 backend: idf drc0, s3; }
	{ ctrl: wdf drc0; }
	{ ctrl: nop.end; }
`

const countAt = 0x1_0000_1000

// TestStores: all instances write their words, for any number of workers, and through a manifest, too.
func TestStores(t *testing.T) {
	check := func(data []byte) {
		t.Helper()
		for i := range 5 * 48 {
			if got := binary.LittleEndian.Uint32(data[4*i:]); got != uint32(i+1000) {
				t.Fatalf("word %d is %d, want %d", i, got, i+1000)
			}
		}
	}
	for _, workers := range []int{1, 4} {
		out := &launch.Buffer{Name: "out", Addr: countAt, Data: make([]byte, 5*48*4)}
		k := &launch.Kernel{Name: "count", Program: program(t, count), Groups: [3]uint32{5, 1, 1}, Block: [3]uint32{48, 1, 1},
			Args: le(countAt&0xffffffff, countAt>>32, 1000, 48), Buffers: []*launch.Buffer{out}}
		res, err := compute.Launch(context.Background(), k, settings(workers))
		if err != nil || res.Groups != 5 || res.Waves != 10 {
			t.Fatalf("%v, %+v", err, res)
		}
		check(out.Data)
	}
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "k.bin"), code(t, count), 0o666); err != nil {
		t.Fatal(err)
	}
	m, err := casefile.ReadManifest(strings.NewReader(`{"format": "heddle-rogue-kernel-1", "name": "n", "variants": [{"file": "k.bin", "isa": "rogue", "variant": "rogue"}],
		"buffers": {"out": {"bytes": 960, "elem": "uint32", "init": "zero"}},
		"launches": [{"kernel": "k", "work_dim": 1, "grid": [240, 1, 1], "block": [48, 1, 1], "options": {"denormals": "flush"},
			"args": [{"buffer": "out"}, {"type": "u32", "value": 1000}, {"type": "u32", "value": 48}]}]}`), filepath.Join(folder, "m.json"))
	if err != nil {
		t.Fatal(err)
	}
	left, results, err := Platform.RunManifest(context.Background(), m, &m.Variants[0], settings(2))
	if err != nil || len(results) != 1 {
		t.Fatalf("%v, %d results", err, len(results))
	}
	check(left["out"])
	m.Launches[0].Options = map[string]string{"denormals": "both"}
	if _, _, err := Platform.RunManifest(context.Background(), m, &m.Variants[0], settings(2)); err == nil || !strings.Contains(err.Error(), "launches[0]: ") {
		t.Errorf("%v, want one of launches[0]", err)
	}
}

// TestRefused: values that no launch can encode.
func TestRefused(t *testing.T) {
	nop := code(t, "{ ctrl: nop.end; }")
	for _, x := range [...]struct {
		change func(k *launch.Kernel)
		text   string
	}{
		{func(k *launch.Kernel) { k.Program = nil }, "there is no code"},
		{func(k *launch.Kernel) { k.Block = [3]uint32{32, 33, 1} }, "work-groups of [32 33 1] instances; want 1 to 1024"},
		{func(k *launch.Kernel) { k.Block[1] = 0 }, "instances; want 1 to 1024"},
		{func(k *launch.Kernel) { k.Groups[2] = 0 }, "want 1 to 2^32 instances on each axis"},
		{func(k *launch.Kernel) { k.Args = make([]byte, 4*4096+1) }, "4097 shared words; there are sh0 to sh4095"},
		{func(k *launch.Kernel) { k.Buffers = []*launch.Buffer{{Name: "b", Addr: 1 << 46, Data: []byte{1}}} }, "buffer b: 1 byte at 0x400000000000"},
		{func(k *launch.Kernel) {
			k.Buffers = []*launch.Buffer{{Name: "b", Addr: 64, Data: make([]byte, 9)}, {Name: "c", Addr: 72, Data: make([]byte, 9)}}
		}, "overlap"},
	} {
		k := &launch.Kernel{Name: "n", Program: exec.NewProgram(&isa.Program{Target: target(), Code: nop}), Groups: [3]uint32{1, 1, 1}, Block: [3]uint32{32, 1, 1}}
		x.change(k)
		if _, err := compute.Launch(context.Background(), k, settings(1)); err == nil || !strings.Contains(err.Error(), x.text) {
			t.Errorf("%v, want %q", err, x.text)
		}
	}
}

// TestUnits: the states of all texture units that a scene can name are in shared registers after its constants.
func TestUnits(t *testing.T) {
	st, err := exec.NewState(rogue.Machine(), rogue.Lanes)
	if err != nil {
		t.Fatal(err)
	}
	env, err := sceneEnv()
	if err != nil {
		t.Fatal(err)
	}
	env.Textures = make([]exec.Sampler, 256)
	shared(st, &env)
	for _, n := range []uint32{0, 1, 15, 16, 255} {
		for at, what := range map[uint32]string{128 + 8*n: "image", 132 + 8*n: "sampler"} {
			if got := st.Get(ir.Cell{File: rogue.FileSh, Index: uint16(at)}, 0); got != n {
				t.Errorf("the %s of unit %d, sh%d, is %d", what, n, at, got)
			}
		}
	}
}
