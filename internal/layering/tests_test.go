package layering

import (
	"go/ast"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// fails are the methods of a test that make it fail.
var fails = map[string]bool{"Error": true, "Errorf": true, "Fatal": true, "Fatalf": true, "Fail": true, "FailNow": true}

// TestTestsCanFail: a test that only logs, or only runs something, proves nothing. It must report failures, or pass its
// testing.T to a function that does.
func TestTestsCanFail(t *testing.T) {
	tests := 0
	for _, s := range tree(t) {
		if !s.test {
			continue
		}
		for _, d := range s.syntax.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv != nil || fn.Name.Name == "TestMain" || !strings.HasPrefix(fn.Name.Name, "Test") && !strings.HasPrefix(fn.Name.Name, "Fuzz") {
				continue
			}
			tests++
			if !canFail(fn) {
				t.Errorf("%s: %s cannot fail", s.name, fn.Name.Name)
			}
		}
	}
	if tests < 500 {
		t.Errorf("only %d tests were read", tests)
	}
}

// canFail reports whether a function calls one that may make a test fail.
func canFail(fn *ast.FuncDecl) (can bool) {
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return !can
		}
		if m, ok := call.Fun.(*ast.SelectorExpr); ok && fails[m.Sel.Name] && isTest(m.X) {
			can = true
		}
		for _, a := range call.Args {
			can = can || isTest(a)
		}
		return !can
	})
	return can
}

// isTest reports whether an expression is a test, by the usual names: those of testing, and rapid's.
func isTest(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && (id.Name == "t" || id.Name == "f" || id.Name == "rt")
}

// TestNoEmptyTestdata: an empty file is an unwritten test, or an expectation of nothing.
func TestNoEmptyTestdata(t *testing.T) {
	files := 0
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && name != root && strings.HasPrefix(d.Name(), ".") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.Contains(filepath.ToSlash(name), "/testdata/") {
			return nil
		}
		files++
		info, err := d.Info()
		if err == nil && info.Size() == 0 {
			t.Errorf("%s is empty", name)
		}
		return err
	})
	if err != nil || files < 50 {
		t.Errorf("%d files: %v", files, err)
	}
}
