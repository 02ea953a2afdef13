package cases

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A Ledger counts what passes of the full set of cases, and compares it with what is required.
type Ledger struct {
	dir    string
	rows   []*account
	others map[string]*count // for sets without a requirement, by set and variant
	order  []string          // of others
}

type count struct{ passed, total int }

// An account is the results for a requirement.
type account struct {
	Requirement
	count
	failures []string
}

// maxFailures limits the failures listed for a set; the rest is counted.
const maxFailures = 100

// hint is how much a share must be above the required one before the list should be changed.
const hint = 10

// NewLedger returns a ledger for some of the Claims about the full set in dir.
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

// Add counts a result of a file. isa is "" if a part of the file is no valid case: then it counts against all
// requirements of the file. failure is "" on success; a skipped case is a failure here.
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

// set returns the name of a file in the list: its path without extensions.
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

// other returns the count of an unlisted set; sets in nested folders are counted by folder.
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

// Settle reports the results: an error for each requirement that is not met, with the failures, or that has no cases,
// or that excuses failures which no longer occur; a hint for one that requires less than passes; a line for each set
// without a requirement.
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
		case r.passed == r.total && r.Least < all: // the note describes failures, but there are none
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

// share returns the share that passed, rounded down.
func (c *count) share() int { return c.passed * all / c.total }

func (c *count) String() string {
	return fmt.Sprintf("%d of %d (%s%%)", c.passed, c.total, showShare(c.share()))
}

// list returns the failures, one line each.
func (a *account) list() string {
	list, more := a.failures, ""
	if n := len(list) - maxFailures; n > 0 {
		list, more = list[:maxFailures], fmt.Sprintf("\n\tand %d more", n)
	}
	return "\n\t" + strings.Join(list, "\n\t") + more
}
