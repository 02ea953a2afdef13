package gcn

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/detector"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/object"
)

const kernels = "../../../cases/kernels/gcn"

func readManifest(t testing.TB, name string) *casefile.Manifest {
	t.Helper()
	m, err := casefile.ReadManifestFile(filepath.Join(kernels, name, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Groups that run in parallel, with scratch and atomics, leave the same memory as groups in order, and as the manifest
// expects.
func TestWorkers(t *testing.T) {
	for _, name := range []string{"saxpy", "scratch_array", "atomics", "histogram", "ids3d"} {
		m := readManifest(t, name)
		for i := range m.Variants {
			b := &m.Variants[i]
			if b.Variant != "gfx8" {
				continue
			}
			one, _, err := RunManifest(context.Background(), m, b, launch.Settings{Engine: ref.New(), Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			many, _, err := runManifest(context.Background(), m, b, launch.Settings{Engine: ref.New(), Workers: 4}, 0xdeadbeef)
			if err != nil {
				t.Fatal(err)
			}
			for j, buf := range one.Buffers() {
				if !bytes.Equal(buf.Data, many.Buffers()[j].Data) {
					t.Errorf("%s: buffer %s differs with 4 workers", b.File, buf.Name)
				}
			}
		}
	}
}

// An out-of-bounds store names the next buffer, and the same lane for any number of workers.
func TestFaultNamesTheBuffer(t *testing.T) {
	m := readManifest(t, "saxpy")
	var first string
	for _, workers := range []int{1, 4} {
		module, err := ReadModule(m, &m.Variants[0])
		if err != nil {
			t.Fatal(err)
		}
		memory := NewMemory()
		x, _ := memory.Alloc("x", 4000)
		y, _ := memory.Alloc("y", 400)
		_, err = Launch(context.Background(), Kernel{
			Module: module, Name: "saxpy", Memory: memory, Grid: [3]uint32{1024}, Block: [3]uint32{64},
			Args: []Arg{Buf(x), Buf(y), F32(2), I32(937)},
		}, launch.Settings{Engine: ref.New(), Workers: workers})
		const want = `: global load of 4 bytes at 0x1000011190: no segment; nearest is "y" (0x1000011000-0x1000011190), right below; v0=0x11190 v1=0x10`
		if err == nil || !bytes.HasSuffix([]byte(err.Error()), []byte(want)) {
			t.Errorf("%v; want %s", err, want)
			continue
		}
		if first == "" {
			first = err.Error()
		}
		if err.Error() != first {
			t.Errorf("%d workers: %v; 1: %s", workers, err, first)
		}
	}
}

// hostile reads, loads and launches arbitrary data, with arguments of the kinds that it declares. It must not panic or
// run for long. hostile counts how far each input came.
func hostile(data []byte) (reached struct{ loaded, launched, faulted int }) {
	o, err := object.ReadHSA(data)
	if err != nil {
		return reached
	}
	module, err := Load(o, nil)
	if err != nil {
		return reached
	}
	reached.loaded++
	for i := range o.Kernels[:min(len(o.Kernels), 2)] {
		k := &o.Kernels[i]
		memory := NewMemory()
		b, err := memory.Alloc("b", 4096)
		if err != nil {
			panic(err)
		}
		var args []Arg
		if k.Meta != nil {
			for _, a := range k.Meta.Args {
				switch a.ValueKind {
				case "global_buffer":
					args = append(args, Buf(b))
				case "dynamic_shared_pointer":
					args = append(args, Local(64))
				case "by_value":
					args = append(args, Bytes(make([]byte, min(a.Size, 64))))
				}
			}
		}
		workers := 2
		if detector.Race { // data races between groups on their buffers are allowed
			workers = 1
		}
		r, err := Launch(context.Background(), Kernel{
			Module: module, Name: k.Name, Memory: memory, Grid: [3]uint32{128, 2}, Block: [3]uint32{64}, Args: args,
		}, launch.Settings{Engine: ref.New(), Workers: workers, Limits: exec.Limits{Total: 2000, Memory: 64 << 20}})
		var f *exec.Fault
		switch {
		case errors.As(err, &f):
			reached.faulted++
		case r != nil && err == nil:
			reached.launched++
		}
	}
	return reached
}

func FuzzLaunch(f *testing.F) {
	names, err := filepath.Glob(filepath.Join(kernels, "*", "*.gfx803*.hsaco"))
	if err != nil || len(names) < 20 {
		f.Fatalf("%d code objects, %v", len(names), err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(_ *testing.T, data []byte) { hostile(data) })
}

// Some hundred code objects with changed bytes: descriptors, metadata and code at random.
func TestHostile(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(kernels, "saxpy/saxpy.gfx803.O0.hsaco"))
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	n := 600
	if testing.Short() {
		n = 150
	}
	loaded, launched, faulted := 0, 0, 0
	for range n {
		bad := bytes.Clone(data)
		for range 1 + r.IntN(4) {
			bad[r.IntN(len(bad))] = byte(r.Uint32())
		}
		reached := hostile(bad)
		loaded += reached.loaded
		launched += reached.launched
		faulted += reached.faulted
	}
	t.Logf("%d of %d are loaded; launches: %d end, %d fault", loaded, n, launched, faulted)
	if loaded == n || loaded < n/4 || launched < n/20 || faulted < n/20 {
		t.Error("the changes do not reach the loader, or nothing behind it")
	}
}

// A grid that is not a multiple of the groups has partial groups at its end; code objects of version 5 get their size
// from remainders, older ones from the dispatch packet. Kernels compiled for whole groups only reject such a grid.
func TestShortGroups(t *testing.T) {
	m := readManifest(t, "saxpy")
	want, err := os.ReadFile(m.Path("y.exp.bin"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range m.Variants {
		if m.Variants[i].Variant != "gfx8" {
			continue
		}
		module, err := ReadModule(m, &m.Variants[i])
		if err != nil {
			t.Fatal(err)
		}
		memory, err := ManifestMemory(m)
		if err != nil {
			t.Fatal(err)
		}
		k, err := ManifestKernel(&m.Launches[0], module, memory)
		if err != nil {
			t.Fatal(err)
		}
		k.Grid[0] = 937
		r, err := Launch(context.Background(), k, launch.Settings{Engine: ref.New()})
		y, _ := memory.Buffer("y")
		if kernel, _ := module.Object.Kernel("saxpy"); kernel.Meta.UniformGroups {
			if err == nil || !strings.Contains(err.Error(), "no multiple of groups") {
				t.Errorf("%s: %v", m.Variants[i].File, err)
			}
		} else if err != nil || r.Groups != 15 || !bytes.Equal(y.Data, want) {
			t.Errorf("%s: %v, %d groups", m.Variants[i].File, err, r.Groups)
		}
	}
}
