package layering

import (
	"bytes"
	"go/ast"
	"go/format"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// TestImports checks every import of the tree against the table.
func TestImports(t *testing.T) {
	used := map[string]bool{}
	for _, s := range tree(t) {
		may, ok := find(imports, s.pkg)
		if !ok {
			t.Errorf("%s: package %s has no row in the table", s.name, s.pkg)
			continue
		}
		for _, p := range s.imports {
			to, inside := strings.CutPrefix(p, module)
			switch {
			case inside:
				to = strings.TrimPrefix(to, "/")
				if to == "" {
					to = "."
				}
				checkEdge(t, s, may, to, used)
			case strings.Contains(strings.SplitN(p, "/", 2)[0], "."):
				checkModule(t, s, p)
			}
		}
	}
	for edge, why := range debts {
		if !used[edge] {
			t.Errorf("debt %q (%s) is paid: strike it out", edge, why)
		}
	}
}

// checkEdge checks an import within the module.
func checkEdge(t *testing.T, s *source, may []string, to string, used map[string]bool) {
	edge := s.pkg + " -> " + to
	if by, is := find(private, to); is && !fitsAny(by, s.pkg) {
		t.Errorf("%s imports %s, which is for %s", s.name, to, strings.Join(by, " "))
		return
	}
	if _, owed := debts[edge]; owed {
		used[edge] = true
		return
	}
	if s.test {
		more, _ := find(testImports, s.pkg)
		if path.Base(s.name) == "example_test.go" {
			shown, _ := find(exampleImports, s.pkg)
			more = append(more, shown...)
		}
		if to == s.pkg || fitsAny(more, to) || strings.HasPrefix(to, "internal/") || fitsAny(may, to) {
			return
		}
	} else if fitsAny(may, to) {
		shipped := append(strings.Fields(tools), strings.Fields(parts)...)
		helper := fitsAny(testOnly, s.pkg) && !fitsAny(shipped, s.pkg)
		if fitsAny(testOnly, to) && !fitsAny(shipped, to) && !helper {
			t.Errorf("%s imports %s, which is for tests", s.name, to)
		}
		return
	}
	t.Errorf("%s: forbidden import: %s; %s may import: %s", s.name, edge, s.pkg, strings.Join(may, " "))
}

// checkModule checks an import from outside the module.
func checkModule(t *testing.T, s *source, p string) {
	may, _ := find(modules, s.pkg)
	if s.test {
		may = append(may, strings.Fields(testModules)...)
	}
	for _, m := range may {
		if p == m || strings.HasPrefix(p, m+"/") {
			return
		}
	}
	t.Errorf("%s: forbidden import: %s; %s may import: %s", s.name, p, s.pkg, strings.Join(may, " "))
}

// TestNoC: only the library for C needs a C compiler.
func TestNoC(t *testing.T) {
	uses := 0
	for _, s := range tree(t) {
		if !slices.Contains(s.imports, "C") {
			continue
		}
		if uses++; s.pkg != "cmd/libheddle" {
			t.Errorf("%s imports C; only cmd/libheddle may", s.name)
		}
	}
	if uses == 0 {
		t.Error("nothing imports C: the test sees nothing")
	}
}

// TestNoInstructionSet: exec, launch and draw depend on no instruction set, even indirectly.
func TestNoInstructionSet(t *testing.T) {
	edges := map[string]map[string]bool{}
	for _, s := range tree(t) {
		for _, p := range s.imports {
			if to, ok := strings.CutPrefix(p, module+"/"); ok && !s.test {
				if edges[s.pkg] == nil {
					edges[s.pkg] = map[string]bool{}
				}
				edges[s.pkg][to] = true
			}
		}
	}
	for _, start := range []string{"exec", "internal/lanewise", "internal/ref", "internal/lower", "internal/portable", "launch", "draw", "ir", "internal/pass", "mem", "num"} {
		todo, seen := []string{start}, map[string]bool{}
		for len(todo) > 0 {
			at := todo[0]
			todo = todo[1:]
			if at == "isa" || strings.HasPrefix(at, "isa/") {
				t.Errorf("%s depends on %s", start, at)
			}
			for to := range edges[at] {
				if !seen[to] {
					seen[to] = true
					todo = append(todo, to)
				}
			}
		}
	}
}

// TestSizes limits the length of files and functions. Tables are exempt: those at package level, and functions that
// only make one at its first use.
func TestSizes(t *testing.T) {
	for _, s := range tree(t) {
		if s.generated() {
			continue
		}
		if n := s.lines(); n > maxFile {
			t.Errorf("%s: %d lines, at most %d", s.name, n, maxFile)
		}
		ast.Inspect(s.syntax, func(n ast.Node) bool {
			name := "function literal"
			var body *ast.BlockStmt
			switch f := n.(type) {
			case *ast.FuncDecl:
				name, body = f.Name.Name, f.Body
			case *ast.FuncLit:
				body = f.Body
			default:
				return true
			}
			if isTable(body) {
				return true
			}
			from, to := s.fset.Position(n.Pos()), s.fset.Position(n.End())
			if lines := to.Line - from.Line + 1; lines > maxFunc {
				t.Errorf("%s: %s is %d lines, at most %d", from, name, lines, maxFunc)
			}
			return true
		})
	}
}

// isTable reports whether a function only returns a table.
func isTable(body *ast.BlockStmt) bool {
	if body == nil || len(body.List) != 1 {
		return false
	}
	ret, ok := body.List[0].(*ast.ReturnStmt)
	if !ok || len(ret.Results) != 1 {
		return false
	}
	_, ok = ret.Results[0].(*ast.CompositeLit)
	return ok
}

func TestFormatted(t *testing.T) {
	for _, s := range tree(t) {
		if want, err := format.Source(s.text); err != nil || !bytes.Equal(want, s.text) {
			t.Errorf("%s: not as gofmt has it (%v)", s.name, err)
		}
	}
}

// TestTable: a pattern that matches nothing is a mistake.
func TestTable(t *testing.T) {
	for _, tt := range []struct {
		pkg, to string
		want    bool
	}{
		{"internal/platforms/gcn", "isa/gcn", true},
		{"internal/platforms/gcn", "isa/tesla", false},
		{"isa/gcn", "isa/tesla", false},
		{"internal/sets", "isa/tesla", true},
		{"exec", "internal/ref", false},
		{"draw", "launch", false},
		{"launch", "draw", false},
		{"cmd/heddle", "internal/toy", false},
		{"cmd/heddle", "internal/dap", true},
		{"internal/toy", "isa", true},
	} {
		may, _ := find(imports, tt.pkg)
		if got := fitsAny(may, tt.to); got != tt.want {
			t.Errorf("%s -> %s: %t, want %t", tt.pkg, tt.to, got, tt.want)
		}
	}
}

// TestAtomicNames: ir and mem use the same numbers and names for operations.
func TestAtomicNames(t *testing.T) {
	for i := range 256 {
		op := mem.AtomicOp(i)
		name, two := ir.AtomicName(uint8(i))
		if (name != "") != op.Valid() || op.Valid() && (name != op.String() || two != op.Two()) {
			t.Errorf("operation %d: ir has %q %t, mem %q %t", i, name, two, op, op.Valid() && op.Two())
		}
	}
}

// TestLods: ir and mem use the same numbers for levels of detail.
func TestLods(t *testing.T) {
	for ours, theirs := range map[ir.LodKind]mem.LodKind{
		ir.LodImplicit: mem.LodImplicit, ir.LodBias: mem.LodBias, ir.LodExplicit: mem.LodExplicit, ir.LodZero: mem.LodZero,
	} {
		if uint8(ours) != uint8(theirs) {
			t.Errorf("%s is %d in mem", ours, theirs)
		}
	}
}
