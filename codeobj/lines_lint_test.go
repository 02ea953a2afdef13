package codeobj_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/codeobj"
	"github.com/heddle-gpu/heddle/internal/linter"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/lint"
)

var waits = regexp.MustCompile(`(?m)^\ts_waitcnt .*$`)

// lintLines lints a text of clang -g as it is and without its waits, and checks the lines of all findings against the
// text: a finding's line begins with the mnemonic of its instruction, without the suffix of its encoding. It returns
// the number of findings without waits.
func lintLines(t *testing.T, text string) (findings int) {
	t.Helper()
	for _, x := range []string{text, waits.ReplaceAllString(text, "\ts_nop 0")} {
		c, errs, err := codeobj.Assemble([]byte(x), codeobj.Options{File: "k.s", Lines: true})
		if err != nil || len(errs) > 0 {
			t.Fatal(errs, err)
		}
		o, err := c.Object()
		if err != nil {
			t.Fatal(err)
		}
		target, err := sets.Lookup(o.Target)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(x, "\n")
		r := linter.Object(target, o, lint.Options{Least: isa.SeverityNote})
		findings = len(r.Findings)
		for i := range r.Findings {
			f := &r.Findings[i]
			at := f.Place.Text
			if at.File != "k.s" || !at.Known() || at.Col < 1 || at.Line > len(lines) {
				t.Errorf("%s at %v has no line", f.Rule, f.Place)
				continue
			}
			mnemonic, _, _ := strings.Cut(f.Text, " ")
			for _, suffix := range []string{"_e32", "_e64", "_sdwa", "_dpp"} {
				mnemonic = strings.TrimSuffix(mnemonic, suffix)
			}
			if line := lines[at.Line-1]; !strings.HasPrefix(line[min(at.Col-1, len(line)):], mnemonic) {
				t.Errorf("%s at %v is about %q; the line is %q", f.Rule, f.Place, f.Text, line)
			}
		}
	}
	return findings
}
