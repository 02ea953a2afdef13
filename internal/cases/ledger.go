package cases

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A Ledger counts what passes of the full set of cases, and holds it against what is required.
type Ledger struct {
	dir    string
	rows   []*account
	others map[string]*count // what nothing is required of, by set and variant
	order  []string          // of others
}

type count struct{ passed, total int }

// An account is what has come in for a requirement.
type account struct {
	Requirement
	count
	failures []string
}

// maxFailures is how many failures of a set are listed; the rest is counted.
const maxFailures = 100

// hint is by how much a share has to be above what is required before the list should be changed.
const hint = 10

// NewLedger opens a ledger for some of the Claims about the full set, which is in dir.
func NewLedger(t testing.TB, dir string, claims ...string) *Ledger {
	t.Helper()
	list, err := Required()
	if err != nil {
		t.Fatal(err)
	}
	return newLedger(dir, list, claims)
}

func newLedger(dir string, list []Requirement, claims []string) *Ledger {
	l := &Ledger{dir: dir, others: map[string]*count{}}
	for _, r := range list {
		if slices.Contains(claims, r.Claim) {
			l.rows = append(l.rows, &account{Requirement: r})
		}
	}
	return l
}

// Add counts a result of a file. isa is "" if the result says that something of the file is no case at all: then
// it counts against all that is required of the file. failure is "" if the result is as it should be; what was
// skipped is a failure here.
func (l *Ledger) Add(file, isa, claim, failure string) {
	set := l.set(file)
	listed := false
	for _, r := range l.rows {
		if !r.covers(set) || isa != "" && (r.ISA != isa || r.Claim != claim) {
			continue
		}
		listed = true
		r.count.add(failure)
		if failure != "" {
			r.failures = append(r.failures, failure)
		}
	}
	if !listed {
		l.other(set, isa).add(failure)
	}
}

// set is the name of a file in the list: its path without endings.
func (l *Ledger) set(file string) string {
	rel, err := filepath.Rel(l.dir, file)
	if err != nil {
		rel = file
	}
	dir, base := filepath.Split(rel)
	base, _, _ = strings.Cut(base, ".")
	return filepath.ToSlash(filepath.Join(dir, base))
}

func (r *Requirement) covers(set string) bool {
	return set == r.Set || strings.HasPrefix(set, r.Set+"/")
}

// other is the count of a set that is not listed; sets in folders of folders are counted by folder.
func (l *Ledger) other(set, isa string) *count {
	if p := strings.Split(set, "/"); len(p) > 2 {
		set = strings.Join(p[:2], "/")
	}
	key := strings.TrimSpace(set + " " + isa)
	if l.others[key] == nil {
		l.others[key] = &count{}
		l.order = append(l.order, key)
	}
	return l.others[key]
}

func (c *count) add(failure string) {
	c.total++
	if failure == "" {
		c.passed++
	}
}

// Settle reports what has come in: an error for each requirement that is not met or of which there are no cases,
// with what failed, and for one that excuses failures of which there are none any more; a hint for one that asks for less
// than there is; a line for each set of which nothing is
// required.
func (l *Ledger) Settle(t testing.TB) {
	t.Helper()
	failed, said := l.settle()
	for _, s := range said {
		t.Log(s)
	}
	for _, s := range failed {
		t.Error(s)
	}
}

func (l *Ledger) settle() (failed, said []string) {
	for _, r := range l.rows {
		place := fmt.Sprintf("required.tsv:%d: %s %s %s", r.Line, r.Set, r.ISA, r.Claim)
		switch {
		case r.total == 0:
			failed = append(failed, place+": listed, and there are no such cases")
		case r.passed*all < r.Least*r.total:
			failed = append(failed, fmt.Sprintf("%s: %v pass, want %s%%%s", place, &r.count, showShare(r.Least), r.list()))
		case r.passed == r.total && r.Least < all: // the note says what fails, and nothing does
			failed = append(failed, fmt.Sprintf("%s: %v pass: raise the share from %s%% to 100%% and strike out %q", place, &r.count, showShare(r.Least), r.Note))
		case r.share()-r.Least >= hint:
			said = append(said, fmt.Sprintf("%s: %v pass: raise the share from %s%% to %s%%", place, &r.count, showShare(r.Least), showShare(r.share())))
		}
	}
	for _, key := range l.order {
		said = append(said, fmt.Sprintf("not required: %s: %v pass", key, l.others[key]))
	}
	return failed, said
}

// share is rounded down.
func (c *count) share() int { return c.passed * all / c.total }

func (c *count) String() string {
	return fmt.Sprintf("%d of %d (%s%%)", c.passed, c.total, showShare(c.share()))
}

// list is the failures, a line each.
func (a *account) list() string {
	list, more := a.failures, ""
	if n := len(list) - maxFailures; n > 0 {
		list, more = list[:maxFailures], fmt.Sprintf("\n\tand %d more", n)
	}
	return "\n\t" + strings.Join(list, "\n\t") + more
}
