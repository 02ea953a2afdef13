package layering

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// floors are the layers of files of an instruction set, by the kind in their names, from the bottom up; others, such as
// layout.go and regs.go, are in the lowest layer.
var floors = map[string]int{"mean": 1, "text": 1, "form": 2, "rules": 3, "rows": 3, "clrx": 3, "cost": 3, "set": 3}

func floor(file string) int {
	kind, _, _ := strings.Cut(strings.TrimSuffix(path.Base(file), ".go"), "_")
	return floors[kind]
}

// unread is an importer that reads no packages, because the test does not need them.
type unread struct{}

func (unread) Import(string) (*types.Package, error) { return nil, errors.New("not read") }

// TestFloors: in every instruction set no file uses declarations of a higher layer, and each layer exists.
func TestFloors(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	dirs, err := filepath.Glob(filepath.Join(root, "isa", "*", "layout.go"))
	if err != nil || len(dirs) < 2 {
		t.Fatalf("%d instruction sets: %v", len(dirs), err)
	}
	for _, d := range dirs {
		t.Run(filepath.Base(filepath.Dir(d)), func(t *testing.T) { floorsOf(t, filepath.Dir(d)) })
	}
}

func floorsOf(t *testing.T, dir string) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	built := map[int]bool{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
		built[floor(name)] = true
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	conf := types.Config{Importer: unread{}, Error: func(error) {}}
	pkg, _ := conf.Check("set", fset, files, info) // errors at imports do not affect the package itself
	used := 0
	for id, obj := range info.Uses {
		if obj.Pkg() != pkg || !obj.Pos().IsValid() {
			continue
		}
		used++
		from, to := fset.Position(id.Pos()).Filename, fset.Position(obj.Pos()).Filename
		if floor(to) > floor(from) {
			t.Errorf("%s uses %s of %s", fset.Position(id.Pos()), obj.Name(), filepath.Base(to))
		}
	}
	if used < 500 || len(built) != 4 {
		t.Errorf("only %d uses were resolved, on %d floors", used, len(built))
	}
}
