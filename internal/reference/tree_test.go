package reference

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/sets"
)

var root = filepath.Join("..", "..")

// pages returns the pages by name.
func pages(t *testing.T) map[string]*Page {
	t.Helper()
	list, err := Read(root)
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]*Page{}
	for _, p := range list {
		byName[p.Name] = p
	}
	return byName
}

// files returns the paths of the tree's files with an extension, relative to this folder.
func files(t *testing.T, ending string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if base := d.Name(); d.IsDir() && name != root && (base == "testdata" || base[0] == '.' || base[0] == '_') {
			return filepath.SkipDir
		}
		if !d.IsDir() && strings.HasSuffix(name, ending) {
			names = append(names, name)
		}
		return nil
	})
	if err != nil || len(names) == 0 {
		t.Fatal(len(names), err)
	}
	return names
}

// check follows the citations of a text and returns the number of sections.
func check(t *testing.T, where, text string, byName map[string]*Page) (n int) {
	t.Helper()
	for _, at := range Cited(text) {
		if p := byName[at.Page]; p == nil {
			t.Errorf("%s: there is no page %s", where, text[at.Lo:at.Hi])
		} else if !p.Has(at) {
			t.Errorf("%s: %s.md has no %q", where, at.Page, text[at.Lo:at.Hi])
		}
		if at.Section != "" {
			n++
		}
	}
	return n
}

// TestSources: citations in rows, encodings and options exist, on the page of their instruction set.
func TestSources(t *testing.T) {
	byName := pages(t)
	for _, s := range sets.Sets() {
		sources := map[string]string{}
		for i := range s.Defs {
			d := &s.Defs[i]
			if d.Source != "" {
				sources[d.Source] = "row " + d.Name
			}
			sources[d.Enc.Source] = "encoding " + d.Enc.Name
		}
		for _, o := range s.Options {
			sources[o.Source] = "option " + o.Name
		}
		for source, who := range sources {
			if check(t, s.Name+": "+who, source, byName) == 0 {
				t.Errorf("%s: %s: source %q names no section", s.Name, who, source)
			}
			for _, at := range Cited(source) {
				if at.Page != s.Name {
					t.Errorf("%s: %s: source %q is the page of another set", s.Name, who, source)
				}
			}
		}
	}
}

// strayPage matches a page named without its path, or with a path that does not exist.
var strayPage = regexp.MustCompile(`(?:^|[^\w/-])(?:isa/)?(?:attila|gcn|rogue|tesla|valhall)\.md`)

// TestTree: citations in comments and strings of the code exist.
func TestTree(t *testing.T) {
	byName, n := pages(t), 0
	for _, name := range files(t, ".go") {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		judge := func(at token.Pos, text string) {
			n += check(t, fset.Position(at).String(), text, byName)
			if m := strayPage.FindString(text); m != "" {
				t.Errorf("%s: %q is not docs/reference/", fset.Position(at), m)
			}
		}
		for _, c := range f.Comments {
			judge(c.Pos(), strings.ReplaceAll(c.Text(), "\n", " "))
		}
		if strings.Contains(filepath.ToSlash(name), "/internal/reference/") {
			continue // its strings are parts of citations
		}
		ast.Inspect(f, func(node ast.Node) bool {
			if lit, ok := node.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if text, err := strconv.Unquote(lit.Value); err == nil {
					judge(lit.Pos(), text)
				}
			}
			return true
		})
	}
	if n < 100 {
		t.Errorf("%d citations", n)
	}
}

// TestFindings: every finding of an instruction set has a source; its citation is a string that TestTree follows.
func TestFindings(t *testing.T) {
	n := 0
	for _, name := range files(t, ".go") {
		if rel, _ := filepath.Rel(root, name); !strings.HasPrefix(filepath.ToSlash(rel), "isa/") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(node ast.Node) bool {
			if lit, ok := node.(*ast.CompositeLit); ok && typeName(lit.Type) == "Finding" {
				n++
				if !hasKey(lit, "Source") {
					t.Errorf("%s: a finding without Source", fset.Position(lit.Pos()))
				}
			}
			return true
		})
	}
	if n == 0 {
		t.Error("no findings")
	}
}

func typeName(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		return x.Sel.Name
	}
	return ""
}

func hasKey(lit *ast.CompositeLit, key string) bool {
	for _, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok && typeName(kv.Key) == key {
			return true
		}
	}
	return false
}

var (
	link   = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	inner  = regexp.MustCompile(`[Ss]ections? (\d+(?:\.\d+)*)(?: no\. (\d+))?`)
	aTitle = regexp.MustCompile(`(?m)^#+ (.+)$`)
)

// TestLinks: links and citations in documents lead to existing files and headings; section numbers that a page mentions
// are its own.
func TestLinks(t *testing.T) {
	byName := pages(t)
	for _, name := range files(t, ".md") {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text := string(data)
		check(t, name, strings.ReplaceAll(text, "\n", " "), byName)
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if !strings.Contains(m[1], ":") {
				followLink(t, name, m[1])
			}
		}
		p := byName[strings.TrimSuffix(filepath.Base(name), ".md")]
		if p == nil || !strings.HasSuffix(filepath.ToSlash(filepath.Dir(name)), Dir) {
			continue
		}
		for _, m := range inner.FindAllStringSubmatch(text, -1) {
			entry, _ := strconv.Atoi(m[2])
			if !p.Has(Place{Page: p.Name, Section: m[1], Entry: entry}) {
				t.Errorf("%s: there is no %s", name, m[0])
			}
		}
	}
}

// followLink checks the target of a relative link of a document.
func followLink(t *testing.T, from, to string) {
	t.Helper()
	file, anchor, _ := strings.Cut(to, "#")
	target := from
	if file != "" {
		target = filepath.Join(filepath.Dir(from), filepath.FromSlash(file))
	}
	if _, err := os.Stat(target); err != nil {
		t.Errorf("%s: link %s: %v", from, to, err)
		return
	}
	if anchor == "" {
		return
	}
	text, err := os.ReadFile(target)
	if err != nil {
		t.Errorf("%s: link %s: %v", from, to, err)
		return
	}
	slugs, found := Slugs{}, false
	for _, m := range aTitle.FindAllStringSubmatch(string(text), -1) {
		found = slugs.Next(m[1]) == anchor || found
	}
	if !found {
		t.Errorf("%s: link %s: no such heading", from, to)
	}
}
