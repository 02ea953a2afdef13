package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/heddle-gpu/heddle/internal/linter"
	"github.com/heddle-gpu/heddle/internal/spell"
	"github.com/heddle-gpu/heddle/isa"
)

// verdict returns the exit code for a file: 1 if a finding is selected by --fail-on. Findings that are not listed
// belong to rules that have listed ones.
func (c *lintCmd) verdict(r *linted) error {
	for i := range r.Findings {
		if c.fails(r.Findings[i].Severity) {
			return wrong{}
		}
	}
	if r.Beyond > 0 && c.FailOn.FailOn != "never" { // their severity is unknown
		return wrong{}
	}
	return nil
}

// A FailOn selects the findings that make the exit code 1.
type FailOn struct {
	FailOn string `enum:"error,warning,note,never" default:"error" placeholder:"SEVERITY" help:"The least severity of findings that make the exit code 1: error, warning, note or never."`
}

// fails reports whether findings of a severity make the exit code 1.
func (f *FailOn) fails(s isa.Severity) bool { return f.FailOn != "never" && s <= severityOf(f.FailOn) }

// severityOf returns the severity of that name; an unknown name gives note, the least.
func severityOf(name string) isa.Severity {
	for s := isa.SeverityError; s < isa.SeverityNote; s++ {
		if s.String() == name {
			return s
		}
	}
	return isa.SeverityNote
}

// least returns the least severity to check, for --severity and --fail-on.
func (c *lintCmd) least() (isa.Severity, error) {
	least := severityOf(c.Severity)
	if c.FailOn.FailOn == "never" {
		return least, nil
	}
	fail := severityOf(c.FailOn.FailOn)
	if least == isa.SeverityError && fail > least {
		return least, fmt.Errorf("--severity %s and --fail-on %s: what is not reported cannot make the exit code 1", c.Severity, c.FailOn.FailOn)
	}
	return max(least, fail), nil
}

// A Baseline is the flags about known findings.
type Baseline struct {
	Baseline      string `placeholder:"FILE" help:"Do not report findings that are in the file. Entries of it that match no finding are listed."`
	WriteBaseline string `placeholder:"FILE" help:"Write the findings to a file for --baseline, and report none."`

	base *linter.Baseline // nil: neither flag is set
}

// mostRecorded limits the findings of a rule in one file that a baseline records.
const mostRecorded = 100_000

// checkBaseline rejects incompatible flags.
func (b *Baseline) checkBaseline(f *Format) error {
	form, err := f.form()
	switch {
	case err != nil || b.WriteBaseline == "":
		return err
	case b.Baseline != "":
		return errors.New("--baseline and --write-baseline: want one of them; a new file replaces the old one")
	case form != "text":
		return fmt.Errorf("--write-baseline and --format %s: findings go to the baseline file only", form)
	}
	return nil
}

// readBaseline reads the file of --baseline, or creates the baseline for --write-baseline.
func (b *Baseline) readBaseline(a *app) error {
	switch {
	case b.WriteBaseline != "":
		if err := writable(b.WriteBaseline); err != nil {
			return err
		}
		b.base = linter.NewBaseline(b.WriteBaseline)
	case b.Baseline != "":
		data, err := a.read(b.Baseline)
		if err != nil {
			return err
		}
		if b.base, err = linter.ReadBaseline(b.Baseline, data); err != nil {
			return err
		}
	}
	return nil
}

// writeBaseline writes the file of --write-baseline. left findings exceed its limit for a rule; they remain findings
// when the file is used.
func (b *Baseline) writeBaseline(a *app, left int) error {
	if err := a.save(b.WriteBaseline, func(w io.Writer) error { return b.base.Write(w) }); err != nil {
		return err
	}
	fmt.Fprintf(a.err, "heddle: wrote %s to %s\n", spell.Count(b.base.Len(), "finding"), shownText(b.WriteBaseline))
	if left > 0 {
		fmt.Fprintf(a.err, "heddle: %s not in it: a baseline takes %d findings of a rule from a file\n", spell.Count(left, "finding"), mostRecorded)
	}
	return nil
}

// mostStale limits the stale entries that are listed; the rest is counted.
const mostStale = 50

// A staleList is the entries of a baseline that match no finding.
type staleList struct {
	Stale []linter.Known `json:"stale,omitempty"`
}

// gone adds the entries for files that no longer exist.
func (l *staleList) gone(b *linter.Baseline) {
	if b == nil {
		return
	}
	for _, name := range b.Files() {
		if _, err := os.Stat(b.Path(name)); name != "-" && errors.Is(err, os.ErrNotExist) {
			l.Stale = append(l.Stale, b.Of(name)...)
		}
	}
}

// tell lists the entries on standard error.
func (l *staleList) tell(a *app, file string) {
	for i := range l.Stale[:min(len(l.Stale), mostStale)] {
		fmt.Fprintf(a.err, "heddle: %s: no longer found: %s\n", shownText(file), shownText(l.Stale[i].String()))
	}
	if more := len(l.Stale) - mostStale; more > 0 {
		fmt.Fprintf(a.err, "heddle: %s: %s no longer found\n", shownText(file), spell.Count(more, "more entry"))
	}
	if len(l.Stale) > 0 {
		fmt.Fprintln(a.err, "    --write-baseline writes the file without them")
	}
}

// filtered describes what was removed from a report, as text after the findings: ", 2 suppressed, 1 in the baseline";
// "" for nothing.
func filtered(suppressed, known int) (s string) {
	if suppressed > 0 {
		s += fmt.Sprintf(", %d suppressed", suppressed)
	}
	if known > 0 {
		s += fmt.Sprintf(", %d in the baseline", known)
	}
	return s
}

// reasonOf returns the reason why a finding is suppressed.
func reasonOf(x *linter.Suppressed) string {
	return orNoReason(x.By.Reason)
}

// orNoReason returns a reason, or that there is none.
func orNoReason(reason string) string {
	if reason == "" {
		return "the comment gives no reason"
	}
	return reason
}
