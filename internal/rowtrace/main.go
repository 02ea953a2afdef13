package rowtrace

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/heddle-gpu/heddle/isa"
)

// Main is the TestMain of a package whose tests note on an engine what they run. After all of them have passed, the package
// fails if missing names rows that none of them ran. Runs of some of the tests only (-run, -skip, -list) do not ask for rows.
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

// whole reports whether all tests have been asked for.
func whole() bool {
	for _, name := range []string{"run", "skip", "list", "fuzz"} {
		if f := flag.Lookup("test." + name); f != nil && f.Value.String() != "" {
			return false
		}
	}
	return true
}

// Missing names the rows with a meaning that have neither run on the engine nor been noted, of those that which accepts.
func (e *Engine) Missing(set *isa.Set, which func(*isa.Def) bool) (names []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i := range set.Defs {
		if d := &set.Defs[i]; d.Meaning != nil && !d.Alias && which(d) && !e.rows[d] {
			names = append(names, fmt.Sprintf("%s (%s): %s, variants %b, stages %b", d.Name, d.Enc.Name, d.Doc, d.Variants, d.Stages))
		}
	}
	return names
}
