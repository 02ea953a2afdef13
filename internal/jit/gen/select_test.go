package gen

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestSelectionAlone checks that selection sees neither the assembler nor the machine code of other units: its files do
// not import them.
func TestSelectionAlone(t *testing.T) {
	files, err := filepath.Glob("select*.go")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d files of selection: %v", len(files), err)
	}
	for _, f := range append(files, "plan.go") {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), f, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range file.Imports {
			path, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if slices.Contains([]string{"x86", "code"}, filepath.Base(path)) {
				t.Errorf("%s imports %s", f, path)
			}
		}
	}
}
