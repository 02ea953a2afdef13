package invariant

import (
	"context"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/exec"
	launched "github.com/heddle-gpu/heddle/internal/platforms/gcn"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/gcn"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/object"
)

// assemble returns the machine code of a program for gfx8, and the addresses of its labels.
func assemble(t *testing.T, text string) (code []byte, label map[string]uint64) {
	t.Helper()
	a, errs := asm.Assemble(gcn.Set().At(0, 0), []byte(text), asm.Options{File: "program", Base: base})
	for _, err := range errs {
		t.Fatal(err)
	}
	label = map[string]uint64{}
	for _, l := range a.Labels {
		label[l.Name] = l.Addr
	}
	return a.Code, label
}

// base is the address of programs.
const base = 0x1000

// A wave runs a program by itself.
type wave struct {
	st    *exec.State
	env   exec.Env
	lifts *lifts
}

// lifts is code that records which blocks are requested.
type lifts struct {
	ir.Code
	keys []ir.Key
}

func (l *lifts) Block(at ir.Key) (*ir.Block, error) {
	l.keys = append(l.keys, at)
	return l.Code.Block(at)
}

// newWave returns a wave at the start of the code, with all lanes.
func newWave(t *testing.T, code []byte) (*wave, *exec.Program) {
	t.Helper()
	l := &lifts{Code: &isa.Program{Target: gcn.Set().At(0, 0), Base: base, Code: code}}
	st, err := exec.NewState(l.Machine(), 0)
	if err != nil {
		t.Fatal(err)
	}
	st.Start(base, ^uint64(0))
	launched.InitRaw(st)
	st.Goto(base)
	return &wave{st: st, lifts: l}, exec.NewProgram(l)
}

// run runs the wave to its end or a fault.
func (w *wave) run(p *exec.Program) error {
	return launch.RunWave(context.Background(), ref.New(), p, w.st, &w.env, exec.Limits{Steps: 100_000})
}

// newModule returns a code object with one kernel, k: the address of its arguments in s[0:1], the number of its
// workgroup in s2.
func newModule(t *testing.T, text string) *launched.Module { return newGroupModule(t, text, 0) }

// newGroupModule returns a module whose kernel has so many bytes of group memory.
func newGroupModule(t *testing.T, text string, bytes uint32) *launched.Module {
	t.Helper()
	code, _ := assemble(t, text)
	m, err := launched.Load(&object.CodeObject{
		Version: 5, Target: "gfx803", Image: append(make([]byte, 0x100), code...),
		Segments: []object.ImageSegment{{Size: 0x100, Read: true}, {Addr: 0x100, Size: uint64(len(code)), Read: true, Exec: true}},
		Kernels: []object.Kernel{{Name: "k", Entry: 0x100, DescriptorAddr: 0x40,
			Descriptor: object.Descriptor{GroupSize: bytes, KernargSize: 8, Rsrc2: 2<<1 | 1<<7 | 1<<10, Properties: 8,
				Ordered: strings.Contains(text, "ds_ordered_count")}}},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
