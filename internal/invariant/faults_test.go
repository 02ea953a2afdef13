package invariant

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/engines"
	"github.com/heddle-gpu/heddle/internal/platforms/gcn"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/launch"
)

// cut runs the launches of the kernel with half of one buffer missing, and returns the fault; nil: there is none.
func (k *kernel) cut(t *testing.T, buffer int, c launch.Settings) *exec.Fault {
	module, err := gcn.ReadModule(k.m, k.b)
	if err != nil {
		t.Fatal(err)
	}
	memory, err := gcn.ManifestMemory(k.m)
	if err != nil {
		t.Fatal(err)
	}
	b := memory.Buffers()[buffer]
	b.Data = b.Data[:len(b.Data)/2]
	for i := range k.m.Launches {
		x, err := gcn.ManifestKernel(&k.m.Launches[i], module, memory)
		if err != nil {
			t.Fatal(err)
		}
		var f *exec.Fault
		if _, err := gcn.Launch(context.Background(), x, c); errors.As(err, &f) {
			return f
		} else if err != nil {
			t.Fatal(err)
		}
	}
	return nil
}

// cuts compares the faults of all engines, and returns how many there were and how many registers they name.
func (k *kernel) cuts(t *testing.T) (faults, registers int) {
	for i, b := range k.m.Buffers {
		if !long && b.Bytes > 1<<20 {
			continue
		}
		want := k.cut(t, i, launch.Settings{Engine: ref.New(), Workers: 1})
		if want == nil {
			continue
		}
		faults++
		registers += len(want.Registers)
		for _, e := range engines.Tested() {
			got := k.cut(t, i, launch.Settings{Engine: exec.Eager(e.New()), Workers: 1})
			if got == nil || got.Error() != want.Error() {
				t.Errorf("%s: half of %s, engine %s: %v\nwant %v", k.name, b.Name, e.Name, got, want)
			}
		}
	}
	return faults, registers
}

// TestFaultsAlike: a fault is reported alike on every engine, with the registers that the instruction read and their
// values, even in hot code where dead registers are not written.
func TestFaultsAlike(t *testing.T) {
	faults, registers, seen := 0, 0, map[string]bool{}
	for _, k := range kernels() {
		if seen[k.dir] {
			continue
		}
		seen[k.dir] = true
		t.Run(k.m.Name, func(t *testing.T) {
			for i := range k.m.Variants {
				if k := newKernel(k.dir, k.m, &k.m.Variants[i]); long || !strings.HasSuffix(k.name, ".O0") {
					f, r := k.cuts(t)
					faults, registers = faults+f, registers+r
				}
			}
		})
	}
	if faults < 20 || registers < 2*faults {
		t.Errorf("%d faults with %d registers", faults, registers)
	}
}
