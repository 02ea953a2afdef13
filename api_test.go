package heddle_test

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/heddle-gpu/heddle"

// TestNothingInternal: importers of this package can name every type in its API.
func TestNothingInternal(t *testing.T) {
	pkg, err := compiled(t, token.NewFileSet()).Import(module)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(pkg.Scope().Names()); n < 15 {
		t.Fatalf("only %d names", n)
	}
	for _, leak := range leaks(pkg) {
		t.Error(leak)
	}
}

// TestLeaks: the test above detects the leaks that it is for.
func TestLeaks(t *testing.T) {
	const src = `package face
		import "` + module + `/internal/manual"
		type Field struct { In []map[string]*manual.Page; out manual.Page }
		type Embedded struct { manual.Page }
		type Alias = manual.Part
		type Method struct { page *manual.Page; List []Method }
		func (*Method) Get() (func(manual.Field), error) { return nil, nil }
		type hidden struct{}
		func Hidden() hidden { return hidden{} }
		var Global = manual.Page{}
		func Generic[T *manual.Page](T) {}
		func Fine(Method, int, ...string) error { return nil }
	`
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "face.go", src, 0)
	if err != nil {
		t.Fatal(err)
	}
	conf := types.Config{Importer: compiled(t, fset)}
	pkg, err := conf.Check("face", fset, []*ast.File{f}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, leak := range leaks(pkg) {
		where, _, _ := strings.Cut(leak, " ")
		got = append(got, where)
	}
	slices.Sort(got)
	want := []string{"Alias", "Embedded.Page", "Field.In", "Generic", "Global", "Hidden", "Method.Get"}
	if !slices.Equal(got, want) {
		t.Errorf("leaks in %v, want %v", got, want)
	}
}

// compiled imports packages as built by the go command.
func compiled(t *testing.T, fset *token.FileSet) types.Importer {
	t.Helper()
	out, err := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		files[path] = file
	}
	return importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(files[path]) })
}

// leaks returns the exported names of a package, and fields and methods of its types, whose type contains an internal
// or unexported one.
func leaks(pkg *types.Package) (found []string) {
	check := func(where string, typ types.Type) {
		if name := unnamable(typ, map[types.Type]bool{}); name != "" {
			found = append(found, fmt.Sprintf("%s shows %s", where, name))
		}
	}
	for _, name := range pkg.Scope().Names() {
		obj := pkg.Scope().Lookup(name)
		if !obj.Exported() {
			continue
		}
		tn, ok := obj.(*types.TypeName)
		if !ok || tn.IsAlias() {
			check(name, types.Unalias(obj.Type()))
			continue
		}
		s, ok := tn.Type().Underlying().(*types.Struct)
		if !ok {
			check(name, tn.Type().Underlying())
		}
		for i := 0; ok && i < s.NumFields(); i++ {
			if f := s.Field(i); f.Exported() {
				check(name+"."+f.Name(), f.Type())
			}
		}
		for m := range tn.Type().(*types.Named).Methods() {
			if m.Exported() {
				check(name+"."+m.Name(), m.Type())
			}
		}
	}
	return found
}

// unnamable returns a type within typ that other packages cannot name; "" if there is none. The underlying type of a
// named type does not count.
func unnamable(typ types.Type, seen map[types.Type]bool) string {
	if seen[typ] {
		return ""
	}
	seen[typ] = true
	var parts []types.Type
	switch x := types.Unalias(typ).(type) {
	case *types.Named:
		if p := x.Obj().Pkg(); p != nil && (strings.Contains(p.Path(), "internal/") || !x.Obj().Exported()) {
			return x.String()
		}
		for a := range x.TypeArgs().Types() {
			parts = append(parts, a)
		}
	case *types.Signature:
		parts = append(parts, x.Params(), x.Results())
		for p := range x.TypeParams().TypeParams() {
			parts = append(parts, p.Constraint().Underlying())
		}
	case *types.Tuple:
		for v := range x.Variables() {
			parts = append(parts, v.Type())
		}
	case *types.Struct:
		for f := range x.Fields() {
			if f.Exported() || f.Embedded() {
				parts = append(parts, f.Type())
			}
		}
	case *types.Interface:
		for m := range x.Methods() {
			parts = append(parts, m.Type())
		}
		for e := range x.EmbeddedTypes() {
			parts = append(parts, e)
		}
	case *types.Union:
		for term := range x.Terms() {
			parts = append(parts, term.Type())
		}
	case *types.Map:
		parts = append(parts, x.Key(), x.Elem())
	case interface{ Elem() types.Type }: // pointers, slices, arrays, channels
		parts = append(parts, x.Elem())
	}
	for _, p := range parts {
		if name := unnamable(p, seen); name != "" {
			return name
		}
	}
	return ""
}
