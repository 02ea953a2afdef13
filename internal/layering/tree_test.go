package layering

import (
	"bufio"
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/heddle-gpu/heddle"

// root is the module's folder, relative to this package.
var root = filepath.Join("..", "..")

// A source is one Go file of the tree.
type source struct {
	name    string // path from the root
	pkg     string // folder relative to the root, "." for the root
	test    bool
	text    []byte
	syntax  *ast.File
	fset    *token.FileSet
	imports []string
}

// tree reads all Go files of the module, whatever their build tags.
func tree(t *testing.T) (files []*source) {
	t.Helper()
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if base := d.Name(); d.IsDir() && name != root && (base == "testdata" || base[0] == '.' || base[0] == '_') {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") {
			return nil
		}
		s, err := read(name)
		files = append(files, s)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func read(name string) (*source, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	rel, _ := filepath.Rel(root, name)
	s := &source{name: filepath.ToSlash(rel), text: text, fset: token.NewFileSet()}
	s.pkg, s.test = path.Dir(s.name), strings.HasSuffix(s.name, "_test.go")
	s.syntax, err = parser.ParseFile(s.fset, s.name, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, i := range s.syntax.Imports {
		p, _ := strconv.Unquote(i.Path.Value)
		s.imports = append(s.imports, p)
	}
	return s, nil
}

// generated reports whether the file is marked as generated.
func (s *source) generated() bool { return ast.IsGenerated(s.syntax) }

func (s *source) lines() (n int) {
	sc := bufio.NewScanner(bytes.NewReader(s.text))
	sc.Buffer(nil, 1<<24)
	for sc.Scan() {
		n++
	}
	return n
}

// fits reports whether a package matches a pattern of the table, and returns what * matched.
func fits(pattern, pkg string) (star string, ok bool) {
	if head, has := strings.CutSuffix(pattern, "*"); has {
		star, ok = strings.CutPrefix(pkg, head)
		return star, ok && star != "" && !strings.Contains(star, "/")
	}
	return "", pattern == pkg
}

// find returns the list of the first row that matches the package.
func find(rows []row, pkg string) (list []string, ok bool) {
	for _, r := range rows {
		if star, ok := fits(r.pkg, pkg); ok {
			return strings.Fields(strings.ReplaceAll(r.may, "$", star)), true
		}
	}
	return nil, false
}

func fitsAny(patterns []string, pkg string) bool {
	for _, p := range patterns {
		if _, ok := fits(p, pkg); ok || p == "everything" || p == "public" && !strings.HasPrefix(pkg, "internal/") {
			return true
		}
	}
	return false
}
