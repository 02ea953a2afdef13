package differ

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/internal/cases"
	"github.com/heddle-gpu/heddle/internal/engines"
	"github.com/heddle-gpu/heddle/internal/platforms/gcn"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/object"
)

// eachKernel calls f with each build of the compiled kernels of gcn: of the full cases if full is set and they are
// there. number differs for neighbours, for tests that take one of several places.
func eachKernel(t *testing.T, full bool, f func(m *casefile.Manifest, b *casefile.Build, number int)) {
	t.Helper()
	dir := "../../cases"
	if all, ok := cases.Find(); ok && full {
		dir = all
	}
	files, err := filepath.Glob(filepath.Join(dir, "kernels", "gcn", "*", "manifest.json"))
	if err != nil || len(files) < 20 {
		t.Fatalf("%d kernels: %v", len(files), err)
	}
	for i, file := range files {
		m, err := casefile.ReadManifestFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for k := range m.Variants {
			f(m, &m.Variants[k], i+k)
		}
	}
}

// objectOf returns the code object of a build.
func objectOf(t *testing.T, m *casefile.Manifest, b *casefile.Build) *object.CodeObject {
	t.Helper()
	data, err := os.ReadFile(m.Path(b.File))
	if err != nil {
		t.Fatal(err)
	}
	o, err := object.ReadHSAFile(data, b.File)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// launchAll runs the launches of a manifest on a code object, on the fastest engine, up to one that fails.
func launchAll(t *testing.T, m *casefile.Manifest, o *object.CodeObject, set launch.Settings) (*gcn.Memory, error) {
	t.Helper()
	set.Engine, set.Workers = engines.Fastest(engines.Use{}), 1
	return launchFilled(t, m, o, set, 0)
}

// launchFilled is launchAll with the engine and the workers of the settings, and what unset registers hold.
func launchFilled(t *testing.T, m *casefile.Manifest, o *object.CodeObject, set launch.Settings, fill uint32) (*gcn.Memory, error) {
	t.Helper()
	module, err := gcn.Load(o, nil)
	if err != nil {
		t.Fatal(err)
	}
	memory, _, err := gcn.RunModule(t.Context(), m, module, set, fill)
	if memory == nil {
		t.Fatal(err)
	}
	return memory, err
}
