// Package digest checks that text, bytes and results do not change: digests of everything that the case sets give are
// compared with recorded ones. It consists of tests only.
//
// What is printed, assembled, listed, executed and drawn is split into items, and the items of a set make a record in
// digests.tsv: a digest of all items, short digests of parts, to locate a difference, and a digest of the files of the
// set. A record of a set outside the repository is skipped if its files have changed. To record an intended difference,
// for all sets or some:
//
//	go test ./internal/digest -update
//	go test ./internal/digest -update -run 'TestDigests/cases/pairs/gcn-llvm$'
//
// HEDDLE_DIGEST_DUMP=DIR writes the items themselves, one file per record; a diff of two such folders from two versions
// of the code shows what has changed.
package digest

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/heddle-gpu/heddle/internal/cases"
)

var update = flag.Bool("update", false, "record the digests anew")

const recordFile = "digests.tsv"

const head = `# What the case sets give: text, bytes, listings, states, buffers, pictures. Written by go test ./internal/digest -update.
# name, digest of the input files, number of items, digest of the items, short digests of parts of them
`

// outside is the prefix of the names of sets outside the repository.
const outside = "full/"

func TestDigests(t *testing.T) {
	text, err := os.ReadFile(recordFile)
	if err != nil && !*update {
		t.Fatal(err)
	}
	recorded, err := parseRecords(string(text))
	if err != nil {
		t.Fatal(err)
	}
	c := &comparison{recorded: recorded, got: map[string]record{}, ran: map[string]bool{}}
	sets, full := allSets(t)
	for _, s := range sets {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			c.run(t, &s)
		})
	}
	t.Cleanup(func() { // after the sets, which run in parallel
		if *update {
			c.write(t)
		} else {
			c.unused(t, sets, full)
		}
	})
}

// allSets returns the sets of the repository, and the full ones if they are present.
func allSets(t *testing.T) (sets []set, full bool) {
	t.Helper()
	add := func(list []set, err error) {
		if err != nil {
			t.Fatal(err)
		}
		sets = append(sets, list...)
	}
	root := filepath.Join("..", "..")
	add(setsOf("cases", filepath.Join(root, "cases")))
	add(setsOf("frames", filepath.Join(root, "casefile", "testdata", "frames")))
	add(scenes(filepath.Join(root, "examples")))
	dir, full := cases.Find()
	if !full {
		t.Log("NOT CHECKED against the full set of cases: set HEDDLE_CASES to its folder")
		return sets, false
	}
	for _, folder := range []string{"pairs", "state", "kernels", "render/attila", "render/gcn"} {
		path := filepath.Join(dir, filepath.FromSlash(folder))
		if _, err := os.Stat(path); err == nil { // recorded sets that are missing are reported at the end
			add(setsOf(outside+folder, path))
		}
	}
	return sets, true
}

// A comparison collects the results of the sets so far.
type comparison struct {
	sync.Mutex
	recorded, got map[string]record
	ran           map[string]bool // the sets that have run
}

// run runs a set and compares its records.
func (c *comparison) run(t *testing.T, s *set) {
	inputs, err := inputsOf(s.inputs)
	if err != nil {
		t.Fatal(err)
	}
	dump := os.Getenv("HEDDLE_DIGEST_DUMP")
	if !*update && dump == "" && strings.HasPrefix(s.name, outside) && c.changed(s.name, inputs) {
		t.Logf("%s: the set has changed, or was never recorded: digest not compared", s.name)
		return
	}
	digesters := map[string]*digester{}
	err = s.run(func(of, item string) {
		d := digesters[of]
		if d == nil {
			var err error
			if d, err = newDigester(dump, s.name+" "+of); err != nil {
				t.Fatal(err)
			}
			digesters[of] = d
		}
		d.add(item)
	})
	if err != nil {
		t.Fatal(err)
	}
	var list []record
	for of, d := range digesters {
		if err := d.close(); err != nil {
			t.Fatal(err)
		}
		r := d.record(s.name+" "+of, inputs)
		list = append(list, r)
		if *update {
			continue
		}
		if what := compare(c.recorded, r, d); what != "" {
			t.Errorf("%s: %s", r.name, what)
		}
	}
	c.note(s, list)
}

// changed reports whether no record of a set has these inputs.
func (c *comparison) changed(set, inputs string) bool {
	for name, r := range c.recorded {
		if strings.HasPrefix(name, set+" ") && r.inputs == inputs {
			return false
		}
	}
	return true
}

// compare describes how a record differs from the recorded one, or returns "".
func compare(recorded map[string]record, got record, d *digester) string {
	want, ok := recorded[got.name]
	switch {
	case !ok:
		return "not recorded: go test ./internal/digest -update"
	case want.inputs != got.inputs:
		if strings.HasPrefix(got.name, outside) {
			return ""
		}
		return "the files of the set have changed: go test ./internal/digest -update"
	}
	return d.differs(want)
}

// note keeps the records of a set that has run.
func (c *comparison) note(s *set, list []record) {
	c.Lock()
	defer c.Unlock()
	c.ran[s.name] = true
	for _, r := range list {
		c.got[r.name] = r
	}
}

// unused reports records of sets that do not exist, and those that a set which has run no longer gives.
func (c *comparison) unused(t *testing.T, sets []set, full bool) {
	there := map[string]bool{}
	for _, s := range sets {
		there[s.name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(c.recorded)) {
		s, _, _ := strings.Cut(name, " ")
		far := strings.HasPrefix(name, outside)
		switch _, got := c.got[name]; {
		case !there[s] && far && full:
			t.Logf("%s: the set is gone: digest not compared", name)
		case !there[s] && !far, c.ran[s] && !got:
			t.Errorf("%s: recorded, and there is none", name)
		}
	}
}

// write writes the records: those of the sets that have run replace the old ones.
func (c *comparison) write(t *testing.T) {
	for name := range c.recorded {
		if s, _, _ := strings.Cut(name, " "); c.ran[s] {
			delete(c.recorded, name)
		}
	}
	maps.Copy(c.recorded, c.got)
	var b strings.Builder
	b.WriteString(head)
	for _, name := range slices.Sorted(maps.Keys(c.recorded)) {
		r := c.recorded[name]
		b.WriteString(r.line())
	}
	if err := os.WriteFile(recordFile, []byte(b.String()), 0o666); err != nil {
		t.Error(err)
	}
	t.Log(fmt.Sprint(len(c.got), " digests recorded"))
}
