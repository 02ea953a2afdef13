package layering

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// mostColumns limits a line that holds only a comment; a tab counts as one column. Directives and preformatted text,
// which is indented, have no limit.
const mostColumns = 120

// TestCommentColumns: lines of comments fit an editor.
func TestCommentColumns(t *testing.T) {
	for _, s := range tree(t) {
		if s.generated() {
			continue
		}
		output := false // of an example
		for i, line := range strings.Split(string(s.text), "\n") {
			text := strings.TrimLeft(line, "\t")
			output = strings.HasPrefix(text, "//") && (output || strings.HasPrefix(text, "// Output:"))
			if n := utf8.RuneCountInString(line); n > mostColumns && strings.HasPrefix(text, "// ") && !output {
				t.Errorf("%s:%d: a comment of %d columns, at most %d", s.name, i+1, n, mostColumns)
			}
		}
	}
}

// riddles are words that documentation does not use, each with what it says instead. docs/glossary.md has the terms.
var riddles = []struct{ pattern, instead string }{
	{`\b(no|any|some)body\b|\bwhoever\b`, "name the code that does it, or use the passive: unused, dead, not read"},
	{`\bin front of\b`, "before"},
	{`\bone an? (lane|wave|group|item)\b`, "one per lane, per wave, per workgroup"},
	{`\bis told\b`, "is given, is set, receives"},
	{`\b(lanes|threads|waves) (meet|part)\b`, "reconverge, diverge"},
}

// TestExportedDocs: the documentation of packages and exported names is in the terms of the field.
func TestExportedDocs(t *testing.T) {
	docs := 0
	for _, s := range tree(t) {
		if s.test || s.generated() {
			continue
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, s.name, s.text, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range exportedDocs(f) {
			docs++
			for _, r := range riddles {
				if at := regexp.MustCompile(r.pattern).FindString(strings.Join(strings.Fields(c.Text()), " ")); at != "" {
					t.Errorf("%s: %q: %s", fset.Position(c.Pos()), at, r.instead)
				}
			}
		}
	}
	if docs < 2000 {
		t.Errorf("only %d documented names were found: the test misses most", docs)
	}
}

// exportedDocs returns the package comment and the doc comments of exported functions, methods, types, constants,
// variables and fields.
func exportedDocs(f *ast.File) (docs []*ast.CommentGroup) {
	add := func(c *ast.CommentGroup, names ...*ast.Ident) {
		for _, n := range names {
			if c != nil && n.IsExported() {
				docs = append(docs, c)
				return
			}
		}
	}
	if f.Doc != nil {
		docs = append(docs, f.Doc)
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			add(d.Doc, d.Name)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					add(d.Doc, spec.Name)
					if st, ok := spec.Type.(*ast.StructType); ok && spec.Name.IsExported() {
						for _, field := range st.Fields.List {
							add(field.Doc, field.Names...)
							add(field.Comment, field.Names...)
						}
					}
				case *ast.ValueSpec:
					add(d.Doc, spec.Names...)
					add(spec.Doc, spec.Names...)
					add(spec.Comment, spec.Names...)
				}
			}
		}
	}
	return docs
}
