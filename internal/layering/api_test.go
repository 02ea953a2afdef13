package layering

import (
	"flag"
	"go/ast"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "record the exported names of the public packages")

// apiFile lists what public packages export, one line per declaration, field and method.
var apiFile = filepath.Join("testdata", "api.txt")

// TestAPI: what public packages export is what testdata/api.txt records, so that a change of it is made on purpose:
// go test ./internal/layering -run TestAPI -update records it, and the difference is part of the commit.
func TestAPI(t *testing.T) {
	var lines []string
	for _, s := range tree(t) {
		if s.test || s.syntax.Name.Name == "main" || strings.HasPrefix(s.pkg, "internal/") || strings.Contains(s.pkg, "/internal/") {
			continue
		}
		a := api{s: s}
		for _, d := range s.syntax.Decls {
			a.declaration(d)
		}
		lines = append(lines, a.lines...)
	}
	slices.Sort(lines)
	got := strings.Join(slices.Compact(lines), "\n")
	if *update {
		if err := os.WriteFile(apiFile, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(apiFile)
	if err != nil {
		t.Fatal(err)
	}
	before, now := strings.Split(string(want), "\n"), strings.Split(got, "\n")
	for _, l := range missing(before, now) {
		t.Errorf("gone, or changed: %s", l)
	}
	for _, l := range missing(now, before) {
		t.Errorf("new, or changed: %s", l)
	}
	if t.Failed() {
		t.Log("if the exported names change on purpose, record them: go test ./internal/layering -run TestAPI -update")
	}
}

// missing returns the elements of a sorted list that another one does not have.
func missing(list, other []string) (lack []string) {
	for _, l := range list {
		if _, ok := slices.BinarySearch(other, l); !ok && l != "" {
			lack = append(lack, l)
		}
	}
	return lack
}

// TestPublic limits the number of public packages.
func TestPublic(t *testing.T) {
	public := map[string]bool{}
	for _, s := range tree(t) {
		if !s.test && s.syntax.Name.Name != "main" && !strings.HasPrefix(s.pkg, "internal/") && !strings.Contains(s.pkg, "/internal/") {
			public[s.pkg] = true
		}
	}
	if len(public) > 25 {
		t.Errorf("%d public packages, at most 25: what programs need not import belongs under internal", len(public))
	}
}

// An api collects what a file exports.
type api struct {
	s     *source
	lines []string
}

func (a *api) add(name string, node any) {
	var b strings.Builder
	if node != nil {
		if err := printer.Fprint(&b, token.NewFileSet(), node); err != nil {
			panic("layering: " + err.Error()) // a node of a parsed file
		}
	}
	a.lines = append(a.lines, strings.TrimSpace(a.s.pkg+": "+name+" "+strings.Join(strings.Fields(b.String()), " ")))
}

func (a *api) declaration(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if !d.Name.IsExported() {
			return
		}
		name := "func "
		if d.Recv != nil {
			if !ast.IsExported(receiver(d.Recv.List[0].Type)) {
				return
			}
			name = "method " + receiver(d.Recv.List[0].Type) + "."
		}
		a.add(name+d.Name.Name, d.Type)
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				if spec.Name.IsExported() {
					a.typ(spec)
				}
			case *ast.ValueSpec:
				for _, n := range spec.Names {
					if n.IsExported() {
						a.value(d.Tok.String()+" "+n.Name, spec.Type)
					}
				}
			}
		}
	}
}

// value adds a constant or variable, with its type if that is stated.
func (a *api) value(name string, typ ast.Expr) {
	if typ == nil {
		a.add(name, nil)
		return
	}
	a.add(name, typ)
}

// typ adds a type: its exported fields or methods one by one, or what it is defined as.
func (a *api) typ(spec *ast.TypeSpec) {
	name := spec.Name.Name
	switch t := spec.Type.(type) {
	case *ast.StructType:
		a.add("type "+name+" struct", nil)
		a.fields(name, t.Fields)
	case *ast.InterfaceType:
		a.add("type "+name+" interface", nil)
		a.fields(name, t.Methods)
	default:
		a.add("type "+name, t)
	}
}

func (a *api) fields(of string, list *ast.FieldList) {
	for _, f := range list.List {
		if len(f.Names) == 0 {
			a.add("field "+of, f.Type) // embedded
		}
		for _, n := range f.Names {
			if n.IsExported() {
				a.add("field "+of+"."+n.Name, f.Type)
			}
		}
	}
}

// receiver returns the name of a method's type.
func receiver(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
}
