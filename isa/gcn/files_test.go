package gcn

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
	"testing"
)

// floors are the kinds of file of the package, from the bottom up; others, such as layout.go, are on the ground.
var floors = map[string]int{"mean": 1, "text": 1, "form": 2, "rows": 3, "set": 3}

func floor(file string) int {
	kind, _, _ := strings.Cut(strings.TrimSuffix(file, ".go"), "_")
	return floors[kind]
}

// unread is an importer of packages that the test has no need of.
type unread struct{}

func (unread) Import(string) (*types.Package, error) { return nil, errors.New("not read") }

// TestFloors: no file uses what stands on a higher floor.
func TestFloors(t *testing.T) {
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	conf := types.Config{Importer: unread{}, Error: func(error) {}}
	pkg, _ := conf.Check("gcn", fset, files, info) // it fails at imports, which say nothing about the package itself
	used := 0
	for id, obj := range info.Uses {
		if obj.Pkg() != pkg || !obj.Pos().IsValid() {
			continue
		}
		used++
		from, to := fset.Position(id.Pos()).Filename, fset.Position(obj.Pos()).Filename
		if floor(to) > floor(from) {
			t.Errorf("%s uses %s of %s", fset.Position(id.Pos()), obj.Name(), to)
		}
	}
	if used < 1000 {
		t.Errorf("only %d uses were resolved", used)
	}
}
