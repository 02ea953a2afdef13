package heddle_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/heddle-gpu/heddle"
	"github.com/heddle-gpu/heddle/isa"
)

// short are the examples in README.md, of eight lines at most, which need only this package.
var short = []string{"ExampleISA_Eval", "ExampleISA_NewWave", "ExampleModule_Launch"}

// TestReadmeExamples: README.md contains the examples as they run.
func TestReadmeExamples(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	src, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "example_test.go", src, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range f.Imports {
		if path := strings.Trim(i.Path.Value, `"`); strings.Contains(path, ".") && path != module {
			t.Errorf("example_test.go imports %s too", path)
		}
	}
	fns := map[string]*ast.FuncDecl{}
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			fns[fn.Name.Name] = fn
		}
	}
	for _, name := range short {
		fn := fns[name]
		if fn == nil {
			t.Errorf("there is no %s", name)
			continue
		}
		first, last := fset.Position(fn.Body.List[0].Pos()).Offset, fset.Position(fn.Body.List[len(fn.Body.List)-1].End()).Offset
		for last < len(src) && src[last] != '\n' { // a comment after the last statement
			last++
		}
		lines := strings.Split("\t"+string(src[first:last]), "\n")
		if len(lines) > 8 {
			t.Errorf("%s has %d lines", name, len(lines))
		}
		for i, l := range lines {
			lines[i] = "    " + strings.ReplaceAll(strings.TrimPrefix(l, "\t"), "\t", "    ")
		}
		if text := strings.Join(lines, "\n") + "\n"; !strings.Contains(string(readme), "\n\n"+text) {
			t.Errorf("README.md does not have %s:\n%s", name, text)
		}
	}
}

// TestList: each listed entry is found by its name.
func TestList(t *testing.T) {
	list := heddle.List()
	if len(list) < 3 {
		t.Errorf("only %v", list)
	}
	for _, a := range list {
		name, _, _ := strings.Cut(a.String(), " ") // without stage
		if b, err := heddle.Find(name); err != nil || b.Target().String() != a.Target().String() {
			t.Errorf("%s: %v, %v", a, b, err)
		}
	}
}

// TestWith: a configuration that omits the variant keeps it, and has defaults for the rest.
func TestWith(t *testing.T) {
	sim, err := heddle.MustFind("attila").With(isa.Config{Variant: "sim"})
	if err != nil || sim.String() != "attila:sim" {
		t.Fatalf("%v, %v", sim, err)
	}
	if len(sim.Target().Options) == 0 {
		t.Fatal("attila has no options")
	}
	o := sim.Target().Options[0]
	for i, v := range o.Values {
		a, err := sim.With(isa.Config{Options: map[string]string{o.Name: v}})
		if err != nil || a.String() != "attila:sim" || a.Target().Option(0) != i {
			t.Errorf("%s=%s: %v, %v", o.Name, v, a, err)
		}
	}
}

// TestState: registers by number and by text, lanes, workgroup memory, and the accessors of the result.
func TestState(t *testing.T) {
	gcn := heddle.MustFind("gfx803")
	r, err := gcn.Run(t.Context(), "s_mov_b32 m0, -1; ds_read_b32 v1, v0; v_add_u32 v2, vcc, v1, v3", heddle.State{
		Regs:  map[string][]uint64{"v0": {0, 4, 8}},
		Set:   []string{"v3=6"},
		Group: []byte{1, 0, 0, 0, 2, 0, 0, 0, 0xff, 0xff, 0xff, 0xff},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		was  uint64
		now  []uint64
	}{
		{"v1", 0, []uint64{1, 2, 0xffffffff, 0}},
		{"v2", 0, []uint64{7, 8, 5, 0}},
		{"v3", 6, []uint64{6, 6, 6, 6}},
		{"v[2:3]", 6 << 32, []uint64{6<<32 | 7, 6<<32 | 8, 6<<32 | 5, 6 << 32}},
		{"m0", 0, []uint64{0xffffffff}},
		{"exec", 7, []uint64{7}},
		{"vcc", 0, []uint64{4}},
	} {
		g, err := r.Reg(c.name)
		if err != nil || g.Was[0] != c.was || !slices.Equal(g.Now[:len(c.now)], c.now) {
			t.Errorf("%s: %#x, %v; want %#x", c.name, g, err, c.now)
		}
	}
	if len(r.Memory) != 0 || r.Counters.Instructions != 3 || len(r.Text) != 3 {
		t.Errorf("%+v", r)
	}
	names := []string{}
	for _, c := range r.Changed {
		names = append(names, c.Name)
	}
	slices.Sort(names)
	if !slices.Equal(names, []string{"m0", "v1", "v2", "vcc"}) {
		t.Errorf("changed: %v", names)
	}
}

// TestNumbers: a register in readable form.
func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		r     heddle.Register
		i     int64
		float float64
	}{
		{heddle.Register{Bits: 32, Now: []uint64{0, 0xbfc00000}}, 0xbfc00000 - 1<<32, -1.5},
		{heddle.Register{Bits: 32, Now: []uint64{0x40000000}}, 0x40000000, 2},
		{heddle.Register{Bits: 64, Now: []uint64{0, 0xc000000000000000}}, -1 << 62, -2},
		{heddle.Register{Bits: 1, Now: []uint64{0, 1}}, -1, math.NaN()},
	} {
		if got := c.r.Int(1); got != c.i {
			t.Errorf("%+v: %d, want %d", c.r, got, c.i)
		}
		if got := c.r.Float(1); got != c.float && !(math.IsNaN(got) && math.IsNaN(c.float)) {
			t.Errorf("%+v: %g, want %g", c.r, got, c.float)
		}
	}
}

// TestEvalBytes: bytes and text of an instruction do the same.
func TestEvalBytes(t *testing.T) {
	gcn := heddle.MustFind("gfx803")
	a, err := gcn.Eval("v_add_f32 v0, v1, v2", "v1=1.5", "v2=2.0")
	if err != nil {
		t.Fatal(err)
	}
	b, err := gcn.Eval("01050002", "v1=1.5", "v2=2.0")
	if err != nil || a.Changed[0].Float(0) != 3.5 || b.Changed[0].Float(0) != 3.5 {
		t.Errorf("%v %v, %v", a, b, err)
	}
}

// TestPublicPackages: doc.go says for every public package what can be relied on.
func TestPublicPackages(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, promise, ok := strings.Cut(string(doc), "// # What can be relied on")
	if !ok {
		t.Fatal("doc.go promises nothing")
	}
	words := strings.FieldsFunc(promise, func(r rune) bool { return !unicode.IsLetter(r) && r != '/' })
	packages, err := filepath.Glob("*/*.go")
	if err != nil || len(packages) < 10 {
		t.Fatal(packages, err)
	}
	for _, file := range packages {
		if dir := filepath.Dir(file); dir != "examples" && !slices.Contains(words, dir) {
			t.Errorf("doc.go does not say whether package %s is stable", dir)
		}
	}
}
