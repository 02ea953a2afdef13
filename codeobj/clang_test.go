package codeobj_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/codeobj"
	"github.com/heddle-gpu/heddle/internal/cases"
	"github.com/heddle-gpu/heddle/internal/check"
	"github.com/heddle-gpu/heddle/internal/platforms/gcn"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/object"
)

// assemble is Assemble for a text without errors.
func assemble(t testing.TB, text []byte) *codeobj.Code {
	t.Helper()
	c, errs, err := codeobj.Assemble(text, codeobj.Options{File: "text"})
	for _, e := range errs {
		t.Error(e.Detail())
	}
	if err != nil || c == nil {
		t.Fatal(err)
	}
	return c
}

// manifest returns that of a kernel, in the repository or the full set; nil: it is in neither.
func manifest(t testing.TB, name string) *casefile.Manifest {
	path := filepath.Join(cases.Repository(t), "kernels", "gcn", name, "manifest.json")
	if _, err := os.Stat(path); err != nil {
		return nil
	}
	m, err := casefile.ReadManifestFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// run runs the launches of a manifest on a code object, and compares the buffers.
func run(t *testing.T, m *casefile.Manifest, data []byte) {
	t.Helper()
	o, err := object.ReadHSA(data)
	if err != nil {
		t.Fatal(err)
	}
	module, err := gcn.Load(o, nil)
	if err != nil {
		t.Fatal(err)
	}
	memory, _, err := gcn.RunModule(t.Context(), m, module, launch.Settings{Engine: ref.New()}, 0)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]byte{}
	for _, b := range memory.Buffers() {
		got[b.Name] = b.Data
	}
	compared, err := check.Buffers(m, got)
	if err != nil || len(compared) == 0 {
		t.Fatal(len(compared), err)
	}
	for _, b := range compared {
		if b.What != "" {
			t.Error(b.What)
		}
	}
}

// TestClangText: clang's text of the kernels assembles to the code and the descriptors of clang's own objects, and
// runs as the manifests say.
func TestClangText(t *testing.T) {
	table, err := os.ReadFile("testdata/clang/objects.tsv")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(table)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if line[0] == '#' {
			continue
		}
		n++
		name, target, _ := strings.Cut(f[0], ".")
		t.Run(f[0], func(t *testing.T) {
			c := assemble(t, cases.Text(t, filepath.Join("testdata", "clang", f[0]+".s.gz")))
			o, err := object.ReadHSA(c.Data)
			if err != nil {
				t.Fatal(err)
			}
			k, ok := o.Kernel(f[1])
			if !ok || o.Target != target || o.Version < 4 || o.Version > 5 || c.Target != target {
				t.Fatalf("no kernel %s in %s version %d", f[1], o.Target, o.Version)
			}
			if got := fmt.Sprintf("%x", sha256.Sum256(o.Code(k))); got != f[2] {
				t.Errorf("the code has the hash %s, clang's %s", got, f[2])
			}
			d := k.Descriptor.Raw
			clear(d[16:24])
			if got := fmt.Sprintf("%x", d); got != f[3] {
				t.Errorf("the descriptor is\n%s, clang's\n%s", got, f[3])
			}
			m := manifest(t, name)
			if m == nil {
				t.Fatal("no manifest")
			}
			run(t, m, c.Data)
		})
	}
	if n < 70 {
		t.Errorf("%d kernels", n)
	}
}

// objects returns the code objects of the repository, and of the full set if present.
func objects(t testing.TB) []string {
	var list []string
	dirs := []string{cases.Repository(t)}
	if full, ok := cases.Find(); ok {
		dirs = append(dirs, full)
	}
	for _, dir := range dirs {
		files, err := filepath.Glob(filepath.Join(dir, "kernels", "gcn", "*", "*.hsaco"))
		if err != nil || len(files) < 40 {
			t.Fatalf("%d code objects in %s: %v", len(files), dir, err)
		}
		list = append(list, files...)
	}
	return append(list, "../object/testdata/call.gfx803.hsaco", "../object/testdata/call.gfx803.o")
}

// TestSource: the text of a code object assembles to the same sections at the same addresses, descriptors and
// metadata.
func TestSource(t *testing.T) {
	n := 0
	for _, file := range objects(t) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		was, err := object.ReadHSA(data)
		if err != nil {
			t.Fatal(err)
		}
		n++
		var text bytes.Buffer
		if err := codeobj.Source(&text, was); err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		is, err := object.ReadHSA(assemble(t, text.Bytes()).Data)
		if err != nil {
			t.Fatal(file, err)
		}
		if what := differ(was, is); what != "" {
			t.Errorf("%s: %s", file, what)
		}
	}
	if n < 40 {
		t.Errorf("%d code objects", n)
	}
}

// differ describes the difference of two code objects; "" if there is none.
func differ(was, is *object.CodeObject) string {
	if was.Target != is.Target || was.Version != is.Version || was.Flags != is.Flags || len(was.Kernels) != len(is.Kernels) {
		return fmt.Sprintf("%s version %d, want %s version %d", is.Target, is.Version, was.Target, was.Version)
	}
	if !bytes.Equal(was.Note, is.Note) {
		return "metadata differs"
	}
	for _, s := range was.Sections {
		a, _ := was.Bytes(s.Addr, s.Size)
		if b, ok := is.Bytes(s.Addr, s.Size); s.Name != ".relro_padding" && (!ok || !bytes.Equal(a, b)) {
			return "section " + s.Name + " differs"
		}
	}
	for i := range was.Kernels {
		k := &was.Kernels[i]
		q, ok := is.Kernel(k.Name)
		if !ok || q.Descriptor != k.Descriptor || q.Entry != k.Entry || q.CodeSize != k.CodeSize {
			return fmt.Sprintf("kernel %s is %+v, want %+v", k.Name, q, k)
		}
	}
	for _, y := range was.Symbols {
		if !y.Defined || y.Name == "" || y.Name == "_DYNAMIC" || y.Kind == object.NoType || strings.HasPrefix(y.Name, ".L") {
			continue
		}
		if !slices.ContainsFunc(is.Symbols, func(z object.Symbol) bool {
			return z.Name == y.Name && z.Addr == y.Addr && z.Kind == y.Kind && z.Size == y.Size && z.Bind == y.Bind && z.Vis == y.Vis
		}) {
			return fmt.Sprintf("no symbol %+v", y)
		}
	}
	return ""
}

// TestSourceMoved: without .address, and with more code before, references are resolved to the new addresses: the
// program runs as before.
func TestSourceMoved(t *testing.T) {
	for _, name := range []string{"globalconst", "conv2d", "fft64"} {
		m := manifest(t, name)
		data, err := os.ReadFile(m.Path(name + ".gfx803.hsaco"))
		if err != nil {
			t.Fatal(err)
		}
		o, err := object.ReadHSA(data)
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if err := codeobj.Source(&text, o); err != nil {
			t.Fatal(err)
		}
		var moved bytes.Buffer
		for line := range strings.Lines(text.String()) {
			if strings.HasPrefix(line, "\t.address\t") {
				continue
			}
			if moved.WriteString(line); strings.Contains(line, ",\"a") {
				moved.WriteString("\t.zero 4096\n")
			}
		}
		again := assemble(t, moved.Bytes())
		if p, _ := object.ReadHSA(again.Data); p.Kernels[0].Entry == o.Kernels[0].Entry {
			t.Errorf("%s did not move", name)
		}
		run(t, m, again.Data)
	}
}

// TestOldCodeObjects: code objects of version 2 run, and their text assembles to one of version 5 that runs the same.
func TestOldCodeObjects(t *testing.T) {
	files, err := filepath.Glob("../object/testdata/old/*.hsaco")
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		name, _, _ := strings.Cut(filepath.Base(f), ".")
		t.Run(name, func(t *testing.T) {
			m := manifest(t, name)
			data, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			run(t, m, data)
			o, err := object.ReadHSA(data)
			if err != nil {
				t.Fatal(err)
			}
			var text bytes.Buffer
			if err := codeobj.Source(&text, o); err != nil {
				t.Fatal(err)
			}
			run(t, m, assemble(t, text.Bytes()).Data)
		})
	}
}

// TestRelocatable runs a relocatable file, and its text, against its source.
func TestRelocatable(t *testing.T) {
	data, err := os.ReadFile("../object/testdata/call.gfx803.o")
	if err != nil {
		t.Fatal(err)
	}
	o, err := object.ReadHSA(data)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := codeobj.Source(&text, o); err != nil {
		t.Fatal(err)
	}
	for _, data := range [][]byte{data, assemble(t, text.Bytes()).Data} {
		o, err := object.ReadHSA(data)
		if err != nil {
			t.Fatal(err)
		}
		module, err := gcn.Load(o, nil)
		if err != nil {
			t.Fatal(err)
		}
		memory := gcn.NewMemory()
		x, err := memory.Alloc("x", 4*64)
		if err != nil {
			t.Fatal(err)
		}
		k := gcn.Kernel{Module: module, Name: "call", Memory: memory, Grid: [3]uint32{64}, Block: [3]uint32{64}, Args: []gcn.Arg{gcn.Buf(x)}}
		if _, err := gcn.Launch(context.Background(), k, launch.Settings{Engine: ref.New()}); err != nil {
			t.Fatal(err)
		}
		for i := range uint32(64) {
			p, tab := [4]uint32{0, 7, 11, 13}, [4]uint32{1, 2, 3, 5}
			p[i&3] += i
			want := p[i>>2&3]*tab[i&3] + (i & 1) // the result of rec for 0 and 1
			if got := uint32(x.Data[4*i]) | uint32(x.Data[4*i+1])<<8 | uint32(x.Data[4*i+2])<<16 | uint32(x.Data[4*i+3])<<24; got != want {
				t.Errorf("x[%d] is %d, want %d", i, got, want)
			}
		}
	}
}
