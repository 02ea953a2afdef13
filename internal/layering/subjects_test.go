package layering

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// subjectsSince is the commit after which subjects are checked.
const subjectsSince = "f8f2be380564"

var (
	// subject is the form of a commit's subject: areas, then what the commit does.
	subject = regexp.MustCompile(`^[a-zA-Z0-9_.*/-]+(, [a-zA-Z0-9_.*/-]+)*: (\S+) `)
	// indicative matches first words that are no imperative: articles, pronouns, and forms of verbs.
	indicative = regexp.MustCompile(`(?i)^(an?|the|some|more|new|its?|this|now|no|\w+[^r]ing|\w*[^be]ed|(add|fix|mend|mak|us|tak|remov|renam|say|run|test|mov|giv|keep|let|show)e?s)$`)
)

// badSubject returns what is wrong with the subject of a commit; "" if nothing is.
func badSubject(text string) string {
	m := subject.FindStringSubmatch(text)
	switch {
	case m == nil:
		return `want "area: what it does"`
	case indicative.MatchString(m[2]):
		return "want the imperative after the area: add, mend, say"
	}
	return ""
}

// TestSubjects: commits say in the imperative what they do, after their area.
func TestSubjects(t *testing.T) {
	out, err := exec.Command("git", "log", "--no-merges", "--format=%h %s", subjectsSince+"..HEAD").Output()
	if err != nil {
		t.Skipf("NOT RUN: this is no clone with commit %s: %v", subjectsSince, err)
	}
	for line := range strings.Lines(string(out)) {
		id, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		if why := badSubject(text); why != "" {
			t.Errorf("commit %s: %q: %s", id, text, why)
		}
	}
}

// TestBadSubject: what the check accepts and refuses.
func TestBadSubject(t *testing.T) {
	for _, s := range []string{
		"asm: add a directive", "cmd/heddle, launch: say what is true of files", "isa/*: need fewer names", "docs: proceed by chips", "object: embed a table",
	} {
		if why := badSubject(s); why != "" {
			t.Errorf("%q: %s", s, why)
		}
	}
	for _, s := range []string{"Add a directive", "asm: added a directive", "asm: adds it", "asm: adding it", "asm: a directive is added", "asm: the end", "asm:add it"} {
		if badSubject(s) == "" {
			t.Errorf("%q is accepted", s)
		}
	}
}
