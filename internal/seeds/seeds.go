// Package seeds makes defects in programs of text, one at a time, and counts which of them the sanitizer finds. It is
// for tests.
package seeds

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/sanitize"
)

// A Kind makes a defect of a line of a program, with the next one. What it leaves as it is has none.
type Kind struct {
	Name string
	Make func(line, next string) (string, string)
	// Rules are those by which the defect may be found: beginnings, separated by spaces.
	Rules string
	Shows bool // in findings only: operations complete at once here
	Must  bool // it must be found if the result is wrong
}

// Kinds are the kinds of defects.
var Kinds = [...]Kind{
	{Name: "dropped", Rules: values, Make: func(line, next string) (string, string) {
		if wait.MatchString(line) && !barrier.MatchString(line) {
			return line, next // see below
		}
		return "//" + line, next
	}},
	{Name: "swapped", Rules: values, Make: func(line, next string) (string, string) { return next, line }},
	{Name: "wait dropped", Rules: "missing early", Shows: true, Make: func(line, next string) (string, string) { return wait.ReplaceAllString(line, ""), next }},
	{Name: "guard dropped", Rules: values, Make: func(line, next string) (string, string) { return guard.ReplaceAllString(line, "\t"), next }},
	{Name: "index enlarged", Rules: "outside clipped undefined-address race", Make: func(line, next string) (string, string) {
		return scale.ReplaceAllString(line, "${1}0x14"), next
	}},
}

const values = "undefined race sync-stuck outside misaligned missing early"

// Shrunk is the kind of defect that makes less memory of what a program uses wholly.
var Shrunk = Kind{Name: "shrunk", Rules: "outside clipped", Must: true}

var (
	barrier = regexp.MustCompile(`(?i)\bbar`)
	wait    = regexp.MustCompile(`\.wait[0-9]*\b|^\t\{ ctrl: wdf drc[01]; \}$`)
	guard   = regexp.MustCompile(`^\t\((e|ne|lt|gt|le|ge|!?p[0-9]+)[^)]*\) `)
	scale   = regexp.MustCompile(`(shift:|shl b32 \$r[0-9]+ \$r[0-9]+ |shl u32 \$r[0-9]+ \$r[0-9]+ )0x2\b`)
)

// Each calls run for one of so many defects of a kind in a text, with the changed text and the lines that it concerns.
func (k *Kind) Each(text string, each int, run func(changed, lines string)) {
	lines := strings.Split(text, "\n")
	is := func(i int) bool {
		s := ""
		if i < len(lines) {
			s = strings.TrimSpace(lines[i])
		}
		return s != "" && strings.HasPrefix(lines[i], "\t") && !strings.HasPrefix(s, "//") && !end.MatchString(s)
	}
	n := 0
	for i := range lines {
		if !is(i) || !is(i+1) && k.Name == "swapped" {
			continue
		}
		changed := append(slices.Clone(lines), "")
		changed[i], changed[i+1] = k.Make(changed[i], changed[i+1])
		if slices.Equal(changed[:len(lines)], lines) {
			continue
		}
		if n++; n%each == 0 {
			run(strings.Join(changed[:len(lines)], "\n"), lines[i]+"\n"+lines[min(i+1, len(lines)-1)])
		}
	}
}

var end = regexp.MustCompile(`\bend\b|^exit\b`)

// Counts are what became of defects.
type Counts struct {
	Made   int // such that the code begins
	Found  int // results change, and a finding or a fault says so
	Placed int // of these, with the instruction, and where the value came from, or the other access
	Told   int // there is a finding, and results are right
	Other  int // something else is computed from values that are set, which no sanitizer can know
	None   int // nothing shows, and there is no finding
	Missed int // results change as Count says, and there is no finding
}

// Add adds other counts.
func (c *Counts) Add(o *Counts) {
	c.Made, c.Found, c.Placed, c.Told = c.Made+o.Made, c.Found+o.Found, c.Placed+o.Placed, c.Told+o.Told
	c.None, c.Other, c.Missed = c.None+o.None, c.Other+o.Other, c.Missed+o.Missed
}

// A Ran is how a program with a defect runs.
type Ran struct {
	Lines    string // that the defect concerns; "": any register may be the origin
	Depends  bool   // results differ with what registers hold that nothing has set
	Wrong    bool   // results differ from those without the defect
	Findings []sanitize.Finding
	Err      error // a fault that ended the run, which names its place; a limit is none
}

// Count counts a defect. A defect that shows in results must be found if they depend on what nothing has set, or if
// a barrier is missing; name is for errors.
func (k *Kind) Count(t *testing.T, c *Counts, r *Ran, name string) {
	t.Helper()
	found, placed := k.found(r)
	var fault *exec.Fault
	if errors.As(r.Err, &fault) {
		r.Wrong, found, placed = true, found || fault.Kind != exec.FaultLimit, placed || fault.Kind != exec.FaultLimit && fault.Text != ""
	}
	line, _, _ := strings.Cut(r.Lines, "\n")
	shows := r.Depends || r.Wrong && (k.Must || k.Name == "dropped" && barrier.MatchString(line))
	c.Made++
	switch {
	case found && (shows || r.Wrong || k.Shows):
		if c.Found++; placed {
			c.Placed++
		} else {
			t.Logf("%s: %s: found without its origin: %v", name, k.Name, r.Findings)
		}
	case found:
		c.Told++
	case shows:
		c.Missed++
		t.Errorf("%s: %s: nothing is found", name, k.Name)
	case r.Wrong:
		c.Other++
	default:
		c.None++
	}
}

// found reports whether a defect is found, and whether a finding has the place of an instruction and where the value
// came from: a register of the lines, the instruction whose operation is outstanding, or the other access of a race.
func (k *Kind) found(r *Ran) (found, placed bool) {
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Severity() == isa.SeverityNote && f.Rule != "clipped" || !slices.ContainsFunc(strings.Fields(k.Rules), func(rule string) bool { return strings.HasPrefix(f.Rule, rule) }) {
			continue
		}
		found = true
		switch name, is := strings.CutPrefix(f.Origin, "register "); {
		case f.At.Text == "":
		case is:
			name, _, _ = strings.Cut(name, ",")
			name, _, _ = strings.Cut(name, ".")
			placed = placed || r.Lines == "" || named(r.Lines, name)
		case f.Origin == "": // of a race, a wait, or an access outside of memory
			placed = placed || len(f.Others) > 0 || f.Check() == "memory"
		default:
			placed = true // memory, by address
		}
	}
	return found, placed
}

// named reports whether lines have the name of a register. Rogue writes outputs, vo, by number, and those of Tesla are
// o[0x4] in text.
func named(lines, name string) bool {
	if strings.HasPrefix(name, "$o") {
		name = name[1:]
	}
	return strings.HasPrefix(name, "vo") && strings.Contains(lines, "uvsw.write") || regexp.MustCompile(`(^|[^a-z0-9])`+regexp.QuoteMeta(name)+`($|[^0-9a-z])`).MatchString(lines) || inSpan(lines, name)
}

var span = regexp.MustCompile(`(\$?[a-z]+)([0-9]+)\.\.([0-9]+)`)

// inSpan reports whether lines have a register in a span, such as r4 in r2..5.
func inSpan(lines, name string) bool {
	for _, m := range span.FindAllStringSubmatch(lines, -1) {
		var from, to, n int
		fmt.Sscan(m[2], &from)
		fmt.Sscan(m[3], &to)
		if rest, ok := strings.CutPrefix(name, m[1]); ok {
			if _, err := fmt.Sscan(rest, &n); err == nil && from <= n && n <= to {
				return true
			}
		}
	}
	return false
}

// Fill fills the registers that nothing has set when a wave begins. It is an exec.Prober.
type Fill struct {
	With  uint32
	Unset map[string][2]int // numbers of registers by file: from, to before
}

// Fills are two contents of such registers.
var Fills = [2]uint32{0, 0x7fc5_5aa3}

// Watch implements exec.Prober.
func (f *Fill) Watch(code ir.Code, _ []exec.Window) ir.Code { return code }

// Observe implements exec.Observer.
func (f *Fill) Observe(e exec.Event) {
	if e.Kind != exec.WaveStart {
		return
	}
	st := e.State
	for i, file := range st.Machine.Files {
		for k := f.Unset[file.Name][0]; k < min(f.Unset[file.Name][1], file.Count); k++ {
			c := ir.Cell{File: uint8(i), Index: uint16(k)}
			for lane := range st.Lanes {
				if file.Kind == ir.Lane1 {
					st.Set(c, lane, f.With&1)
				} else {
					st.Set(c, lane, f.With)
				}
			}
		}
	}
}

// Sample is one of how many places get a defect: all with HEDDLE_LONG.
func Sample(each int) int {
	if os.Getenv("HEDDLE_LONG") != "" {
		return 1
	}
	return each
}

// Hold compares counts with the table of docs/sanitize.md, the page at a path, with HEDDLE_LONG. Nothing may be
// missed.
func (c *Counts) Hold(t *testing.T, page, set, where string) {
	t.Helper()
	row := fmt.Sprintf("| %s | %s | %d | %d | %d | %d | %d | %d |", set, where, c.Made, c.Found, c.Placed, c.Told, c.Other, c.None)
	t.Log(row)
	if c.Missed > 0 || c.Found < c.Made/20 || c.Placed < c.Found*3/4 {
		t.Errorf("%s %s: %+v", set, where, *c)
	}
	if os.Getenv("HEDDLE_LONG") == "" {
		return
	}
	if text, err := os.ReadFile(page); err != nil || !strings.Contains(string(text), row) {
		t.Errorf("docs/sanitize.md does not have %s: %v", row, err)
	}
}
