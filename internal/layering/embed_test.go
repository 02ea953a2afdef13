package layering

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestEmbedding: a program that imports package heddle compiles one package of another module, and nothing that reaches
// the network, other processes or C.
func TestEmbedding(t *testing.T) {
	imports := map[string][]string{}
	for _, s := range tree(t) {
		if !s.test {
			imports[s.pkg] = append(imports[s.pkg], s.imports...)
		}
	}
	outside, seen, todo := map[string]bool{}, map[string]bool{".": true}, []string{"."}
	for len(todo) > 0 {
		at := todo[0]
		todo = todo[1:]
		for _, p := range imports[at] {
			to, own := strings.CutPrefix(p, module+"/")
			switch {
			case own && !seen[to]:
				seen[to] = true
				todo = append(todo, to)
			case !own && p != module:
				outside[p] = true
			}
		}
	}
	if len(seen) < 30 {
		t.Fatalf("only %d packages are imported", len(seen))
	}
	var others []string
	for p := range maps.Keys(outside) {
		first, _, _ := strings.Cut(p, "/")
		switch {
		case strings.Contains(first, "."):
			others = append(others, p)
		case first == "net" || first == "plugin" || p == "os/exec" || p == "C":
			t.Errorf("package heddle imports %s", p)
		}
	}
	if want := []string{"github.com/tinylib/msgp/msgp"}; !slices.Equal(others, want) {
		t.Errorf("packages of other modules: %v, want %v", others, want)
	}
}
