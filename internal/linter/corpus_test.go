package linter

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/heddle-gpu/heddle/internal/cases"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/lint"
	"github.com/heddle-gpu/heddle/object"
)

// objects returns the code objects made by compilers: those of the full set of cases if it is there, else those of the
// repository.
func objects(t *testing.T) (files []string) {
	t.Helper()
	dir, ok := cases.Find()
	if !ok {
		dir = filepath.Join("..", "..", "cases")
	}
	files, err := filepath.Glob(filepath.Join(dir, "kernels", "gcn", "*", "*.hsaco"))
	if err != nil || len(files) < 20 {
		t.Fatalf("%d code objects in %s: %v", len(files), dir, err)
	}
	return files
}

func open(t *testing.T, file string) (*isa.Target, *object.CodeObject) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	o, err := object.ReadHSAFile(data, file)
	if err != nil {
		t.Fatal(err)
	}
	tg, err := sets.Lookup(o.Target)
	if err != nil {
		t.Fatal(err)
	}
	return tg, o
}

// TestCorpus: no code object of a compiler has a finding of severity error, and all of their kernels are checked.
func TestCorpus(t *testing.T) {
	insts, kernels := 0, 0
	for _, file := range objects(t) {
		tg, o := open(t, file)
		r := Object(tg, o, lint.Options{Least: isa.SeverityError})
		if len(r.Findings) > 0 {
			t.Errorf("%s:%s", file, listed(r))
		}
		if r.Kernels != len(o.Kernels) || r.Reached < 10 {
			t.Errorf("%s: %d of %d kernels are looked at, %d instructions", file, r.Kernels, len(o.Kernels), r.Reached)
		}
		insts, kernels = insts+r.Reached, kernels+r.Kernels
	}
	t.Logf("%d kernels, %d instructions", kernels, insts)
}

// scenes returns the recorded draws of an instruction set in the full set of cases, by name.
func scenes[T any](t *testing.T, set string) map[string]*T {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(cases.Dir(t), "render", set, "*", "scene.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenes: %v", err)
	}
	list := map[string]*T{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		x := new(T)
		if err := json.Unmarshal(text, x); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		list[filepath.Base(filepath.Dir(file))] = x
	}
	return list
}

// TestScenes: no shader that Mesa's compiler made has a finding of severity error.
func TestScenes(t *testing.T) {
	type shader struct{ Code string }
	type scene struct {
		Variants map[string]struct {
			Vertex shader `json:"vertex_shader"`
			Pixel  shader `json:"pixel_shader"`
		}
	}
	for file, x := range scenes[scene](t, "gcn") {
		for name, v := range x.Variants {
			tg, err := sets.Lookup("gcn:" + name)
			if err != nil {
				t.Fatal(err)
			}
			for stage, s := range map[string]shader{"vertex": v.Vertex, "pixel": v.Pixel} {
				code, err := hex.DecodeString(s.Code)
				if err != nil || len(code) == 0 {
					t.Fatalf("%s %s %s: %d bytes: %v", file, name, stage, len(code), err)
				}
				if r := lint.Run(lint.Code{Target: tg, Bytes: code}, lint.Options{Least: isa.SeverityError}); len(r.Findings) > 0 || r.Reached < 3 {
					t.Errorf("%s %s %s: %d instructions:%s", file, name, stage, r.Reached, listed(r))
				}
			}
		}
	}
}

// TestDroppedWaits: if a wait is removed from compiled code, the linter reports it; other waits are for stores before a
// function returns.
func TestDroppedWaits(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	dropped, found := 0, 0
	for i, file := range objects(t) {
		tg, o := open(t, file)
		if i%8 != 0 {
			continue
		}
		for _, s := range o.Segments {
			code, ok := o.Bytes(s.Addr, s.Size)
			if !s.Exec || !ok {
				continue
			}
			c := lint.Code{Target: tg, Base: s.Addr, Bytes: code, Entries: entriesOf(tg, o)}
			before := len(lint.Run(c, lint.Options{Least: isa.SeverityWarning}).Findings)
			for off := 0; off+4 <= len(code); off += 4 {
				if code[off+3] != 0xbf || code[off+2] != 0x8c || dropped > 200 && off%16 != 0 { // s_waitcnt
					continue
				}
				old := [4]byte(code[off:])
				copy(code[off:], []byte{0, 0, 0x80, 0xbf}) // s_nop 0
				dropped++
				if r := lint.Run(c, lint.Options{Least: isa.SeverityWarning}); len(r.Findings) > before {
					found++
				}
				copy(code[off:], old[:])
			}
		}
	}
	t.Logf("%d of %d dropped waits are found", found, dropped)
	if dropped < 100 || found*20 < dropped*19 {
		t.Errorf("%d of %d dropped waits are found, want 19 of 20", found, dropped)
	}
}

// TestSizes: functions whose symbols have no size are checked like others.
func TestSizes(t *testing.T) {
	file := objects(t)[0]
	tg, o := open(t, file)
	want := Object(tg, o, lint.Options{Least: isa.SeverityNote})
	for i := range o.Symbols {
		o.Symbols[i].Size = 0
	}
	for i := range o.Kernels {
		o.Kernels[i].CodeSize = 0
	}
	got := Object(tg, o, lint.Options{Least: isa.SeverityNote})
	if !reflect.DeepEqual(got, want) || got.Instructions < 100 {
		t.Errorf("%s: without sizes %d instructions, %d reached, with sizes %d, %d", file, got.Instructions, got.Reached, want.Instructions, want.Reached)
	}
}
