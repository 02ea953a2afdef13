package manual

import (
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/isa"
)

// TestEntries: every instruction that a reference lists has rows, and the list is right about whether they have a
// public encoding; no row names an entry that does not exist; and the page has a line for each, in the order of the
// reference.
func TestEntries(t *testing.T) {
	listed := map[string]int{"rogue": 121}
	for _, s := range sets.Sets() {
		if len(s.Entries) < listed[s.Name] { // none may be lost
			t.Errorf("%s: %d entries, want %d at least", s.Name, len(s.Entries), listed[s.Name])
		}
		if len(s.Entries) > 0 {
			entriesOf(t, s)
		}
	}
}

func entriesOf(t *testing.T, s *isa.Set) {
	public, private := map[string]int{}, map[string]int{}
	for i := range s.Defs {
		if d := &s.Defs[i]; d.Private {
			private[d.Entry]++
		} else {
			public[d.Entry]++
		}
	}
	page, err := CoverageMarkdown(s, CaseCount{})
	if err != nil {
		t.Fatal(err)
	}
	at := 0
	for _, e := range s.Entries {
		if public[e.Name]+private[e.Name] == 0 {
			t.Errorf("%s: no row is for %s", s.Name, e.Name)
		} else if (e.Public == "") != (public[e.Name] > 0) {
			t.Errorf("%s: %s: %q of the encoding is public, with %d rows that are and %d that are not", s.Name, e.Name, e.Public, public[e.Name], private[e.Name])
		}
		i := strings.Index(page[at:], "\n| "+e.Name+" | ")
		if i < 0 {
			t.Errorf("%s: the page has no line for %s behind those before it", s.Name, e.Name)
			continue
		}
		at += i
		delete(public, e.Name)
		delete(private, e.Name)
	}
	for _, m := range []map[string]int{public, private} {
		delete(m, "")
		for name := range m {
			t.Errorf("%s: rows are for %s, which the reference does not list", s.Name, name)
		}
	}
}
