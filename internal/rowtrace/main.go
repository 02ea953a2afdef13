package rowtrace

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/heddle-gpu/heddle/isa"
)

// Main is the TestMain of a package whose tests record the rows that they run on an engine. After all tests have
// passed, the package fails if missing names rows that no test ran. Runs of some of the tests (-run, -skip, -list) do
// not check rows.
func Main(m *testing.M, missing func() []string) {
	code := m.Run()
	if code == 0 && whole() {
		for _, row := range missing() {
			fmt.Printf("--- FAIL: %s: no test runs it against a value that its lift did not make: it needs a case in cases/state, or a test in this package\n", row)
			code = 1
		}
	}
	os.Exit(code)
}

// whole reports whether all tests were requested.
func whole() bool {
	for _, name := range []string{"run", "skip", "list", "fuzz"} {
		if f := flag.Lookup("test." + name); f != nil && f.Value.String() != "" {
			return false
		}
	}
	return true
}

// Missing names the rows with semantics that have neither run on the engine nor been noted, among those that which
// accepts; nil: all.
func (e *Engine) Missing(set *isa.Set, which func(*isa.Def) bool) (names []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i := range set.Defs {
		if d := &set.Defs[i]; d.Meaning != nil && !d.Alias && !e.rows[d] && (which == nil || which(d)) {
			names = append(names, fmt.Sprintf("%s (%s): %s, variants %b, stages %b", d.Name, d.Enc.Name, d.Doc, d.Variants, d.Stages))
		}
	}
	return names
}
