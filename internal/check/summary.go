package check

import (
	"fmt"
	"sort"
	"strings"
)

// A Count counts cases by outcome, and the files and folders that cannot be read. Lacking cases are also counted in
// Failed, or in Skipped on request.
type Count struct{ Passed, Failed, Skipped, Lacking, Unreadable int }

func (c *Count) add(r *Result) {
	switch r.Status {
	case Passed:
		c.Passed++
	case Failed:
		c.Failed++
	case Unreadable:
		c.Unreadable++
	default:
		c.Skipped++
	}
	if r.Lacking {
		c.Lacking++
	}
}

// Total returns the number of cases.
func (c *Count) Total() int { return c.Passed + c.Failed + c.Skipped }

// String returns the last line of a report: "12 passed, 1 failed, 0 skipped", followed by ", 1 unreadable" if a file
// is.
func (c *Count) String() string {
	s := fmt.Sprintf("%d passed, %d failed, %d skipped", c.Passed, c.Failed, c.Skipped)
	if c.Unreadable > 0 {
		s += fmt.Sprintf(", %d unreadable", c.Unreadable)
	}
	return s
}

// A Part counts a part of the cases, with the reasons of those skipped.
type Part struct {
	Name string
	Count
	Reasons map[string]int
}

// A Summary counts the results of a run.
type Summary struct {
	Count
	Files  int
	Others []Other // files that were ignored
	sets   map[string]*Part
	flags  map[string]*Part
}

func newSummary() *Summary { return &Summary{sets: map[string]*Part{}, flags: map[string]*Part{}} }

func (s *Summary) add(r *Result) {
	s.Count.add(r)
	count(s.sets, r.Set, r)
	if r.Flag != 0 {
		count(s.flags, string(r.Flag), r)
	}
}

func count(parts map[string]*Part, name string, r *Result) {
	p := parts[name]
	if p == nil {
		p = &Part{Name: name, Reasons: map[string]int{}}
		parts[name] = p
	}
	p.Count.add(r)
	if r.Status == Skipped {
		p.Reasons[r.What]++
	}
}

// Sets returns the counts by set of cases, sorted by name.
func (s *Summary) Sets() []*Part { return sorted(s.sets) }

// Flags returns the counts of the claims of pairs, sorted by flag.
func (s *Summary) Flags() []*Part { return sorted(s.flags) }

func sorted(parts map[string]*Part) (list []*Part) {
	for _, p := range parts {
		list = append(list, p)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Name < list[j].Name })
	return list
}

// String returns the end of a report: one line per set and flag, the reasons of skips, the number of ignored files, and
// the total count as the last line.
func (s *Summary) String() string {
	var b strings.Builder
	for _, p := range s.Sets() {
		fmt.Fprintf(&b, "%s: %s%s\n", p.Name, &p.Count, p.lacking())
		for _, reason := range p.reasons() {
			fmt.Fprintf(&b, "    %d skipped: %s\n", p.Reasons[reason], reason)
		}
	}
	for _, p := range s.Flags() {
		fmt.Fprintf(&b, "flag %s: %s\n", p.Name, &p.Count)
	}
	switch n := len(s.Others); n {
	case 0:
	case 1:
		b.WriteString("1 other file passed over\n")
	default:
		fmt.Fprintf(&b, "%d other files passed over\n", n)
	}
	b.WriteString(s.Count.String())
	return b.String()
}

func (c *Count) lacking() string {
	if c.Lacking == 0 {
		return ""
	}
	return fmt.Sprintf("; %d of them lack a meaning that is not built yet", c.Lacking)
}

func (p *Part) reasons() (list []string) {
	for r := range p.Reasons {
		list = append(list, r)
	}
	sort.Strings(list)
	return list
}
