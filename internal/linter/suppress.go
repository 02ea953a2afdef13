package linter

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/lint"
	"github.com/heddle-gpu/heddle/loc"
	"github.com/heddle-gpu/heddle/sanitize"
)

// A Suppression is a comment that suppresses findings:
//
//	// heddle: ignore pending-read, barrier-pending, the host waits for both
//
// It names rules; any text after them is the reason. It applies to the statement on its line; if there is none, to the
// next one.
type Suppression struct {
	File      string // that has it, as Place.Text has it; "": any
	Line, Col int    // of the comment, from 1, Col in bytes
	Text      string
	Rules     []string
	Reason    string
	wrong     string // what is wrong with the comment, which then suppresses nothing
	lines     []int  // lines it applies to: those where statements begin
	used      []bool // by rule
}

// Suppressions returns the suppressions in a text, sorted by line; format is that of a program in sections, or nil. The
// set, or the dialect that the text names, defines what a comment is.
func Suppressions(t *isa.Target, format *asm.Format, text []byte) []*Suppression {
	if !bytes.Contains(text, []byte("heddle:")) { // true for most texts
		return nil
	}
	o := asm.NewOutline(t, format, text)
	lines := lineStarts(text)
	lineOf := func(off int) int { return sort.SearchInts(lines, off+1) }
	var list []*Suppression
	for _, x := range o.Comments {
		s := parseSuppression(string(text[x.From:x.To]))
		if s == nil {
			continue
		}
		s.Line = lineOf(x.From)
		s.Col = x.From - lines[s.Line-1] + 1
		end := len(text)
		if s.Line < len(lines) {
			end = lines[s.Line]
		}
		s.lines = statements(o, lines[s.Line-1], end, lineOf)
		list = append(list, s)
	}
	return list
}

// lineStarts returns the offsets of the starts of lines.
func lineStarts(text []byte) []int {
	starts := []int{0}
	for i, c := range text {
		if c == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

// statements returns the lines where the statements start that overlap the bytes from .. to of the text; if there are
// none, the line where the next statement starts. Labels do not count as statements.
func statements(o *asm.Outline, from, to int, lineOf func(int) int) (lines []int) {
	first := sort.Search(len(o.Pieces), func(i int) bool { return o.Pieces[i].To > from })
	for i := first; i < len(o.Pieces); i++ {
		p := &o.Pieces[i]
		if p.From >= to && len(lines) > 0 {
			break
		}
		if p.Kind == asm.PieceLabel {
			continue
		}
		lines = append(lines, lineOf(p.From))
		if p.From >= to {
			break
		}
	}
	return lines
}

// suppressing matches a comment for lint: the opening of the comment, and the keyword. ruleShaped matches names of
// rules.
var (
	suppressing = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[/;#*!\s]*heddle:\s*([A-Za-z-]+)\s*(.*)$`) })
	ruleShaped  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`) })
)

// parseSuppression parses a comment. It returns nil if the comment is not for lint.
func parseSuppression(comment string) *Suppression {
	text := comment
	if strings.HasPrefix(text, "/*") { // another comment may follow it
		text, _, _ = strings.Cut(text, "*/")
	}
	text = strings.TrimSpace(text)
	m := suppressing().FindStringSubmatch(text)
	switch {
	case m == nil:
		return nil
	case m[1] != "ignore" && isa.Nearest(m[1], []string{"ignore"}) == "": // prose
		return nil
	}
	s := &Suppression{Text: text}
	if m[1] != "ignore" {
		s.wrong = fmt.Sprintf("%q suppresses nothing: want heddle: ignore RULE", m[1])
		return s
	}
	rest := m[2]
	for rest != "" {
		part, more, _ := strings.Cut(rest, ",")
		name := strings.TrimSpace(part)
		if !isRule(name) && !(ruleShaped().MatchString(name) && (len(s.Rules) == 0 || strings.Contains(name, "-"))) {
			break
		}
		if !slices.Contains(s.Rules, name) {
			s.Rules = append(s.Rules, name)
		}
		rest = strings.TrimSpace(more)
	}
	s.Reason = rest
	if len(s.Rules) == 0 {
		s.wrong = "the comment names no rule: want heddle: ignore RULE, REASON"
	}
	s.used = make([]bool, len(s.Rules))
	return s
}

// isRule reports whether any set or a sanitizer has a rule of that name.
func isRule(id string) bool { return allRules()[id] != nil || sanitize.RuleOf(id) != nil }

// Unknown returns the error for a rule name that lint has for no set, with the nearest name.
func Unknown(id string) error {
	switch {
	case allRules()[id] != nil:
		return nil
	case sanitize.RuleOf(id) != nil:
		return fmt.Errorf("%s is a rule of the sanitizer, which heddle run --sanitize runs", id)
	}
	if near := isa.Nearest(id, allNames()); near != "" {
		return fmt.Errorf("no rule %q of any instruction set; did you mean %q?", id, near)
	}
	return fmt.Errorf("no rule %q of any instruction set; heddle lint --list-rules lists what there is", id)
}

// allNames returns the rules of all sets and of the sanitizer.
func allNames() []string {
	list := slices.Sorted(maps.Keys(allRules()))
	for _, r := range sanitize.Rules() {
		list = append(list, r.ID)
	}
	return list
}

// allRules returns the sets that have a rule, by its name; "" stands for all sets.
var allRules = sync.OnceValue(func() map[string]map[string]bool {
	m := map[string]map[string]bool{}
	for _, s := range sets.Sets() {
		for v := range s.Variants {
			for _, r := range lint.Rules(s.At(v, 0)) {
				if m[r.ID] == nil {
					m[r.ID] = map[string]bool{}
				}
				m[r.ID][s.Name] = true
			}
		}
	}
	return m
})

// A Suppressed finding is one that a comment suppresses.
type Suppressed struct {
	lint.Finding
	By *Suppression
}

// take divides findings into those that no comment suppresses and those that one does.
func take(list []*Suppression, findings []lint.Finding) (left []lint.Finding, gone []Suppressed) {
	byLine := map[int][]*Suppression{}
	for _, s := range list {
		for _, n := range s.lines {
			byLine[n] = append(byLine[n], s)
		}
		if !slices.Contains(s.lines, s.Line) { // for findings about the comment itself
			byLine[s.Line] = append(byLine[s.Line], s)
		}
	}
	for i := range findings {
		f := &findings[i]
		by := (*Suppression)(nil)
		for _, s := range byLine[f.Place.Text.Line] {
			if k := slices.Index(s.Rules, f.Rule); k >= 0 {
				s.used[k] = true
				by = s
			}
		}
		if by == nil {
			left = append(left, *f)
		} else {
			gone = append(gone, Suppressed{*f, by})
		}
	}
	return left, gone
}

// judge returns findings about the comment itself.
func (s *Suppression) judge(t *isa.Target, file string, o *lint.Options) (list []lint.Finding) {
	looked := func(id string) bool { return o.Rules == nil || o.Rules(id) }
	find := func(msg, hint string) {
		list = append(list, lint.Unused(msg, hint, s.Text, loc.Position{File: file, Line: s.Line, Col: s.Col}))
	}
	if !looked(lint.RuleUnused) {
		return nil
	}
	if s.wrong != "" {
		find(s.wrong, "")
	}
	for i, id := range s.Rules {
		switch {
		case sanitize.RuleOf(id) != nil: // it is for runs
		case !allRules()[id][t.Name]:
			find(fmt.Sprintf("%s has no rule %q", t.Name, id), s.meant(t, id))
		// A rule of other variants cannot be judged.
		case id == lint.RuleUnused || s.used[i] || !looked(id) || !hasRule(t, id):
		default:
			find(fmt.Sprintf("the statement does not break %s", id), "remove the comment")
		}
	}
	return list
}

// hasRule reports whether the variant has a rule.
func hasRule(t *isa.Target, id string) bool {
	return slices.ContainsFunc(lint.Rules(t), func(r isa.Rule) bool { return r.ID == id })
}

// meant returns a hint for the name of a rule that does not exist.
func (s *Suppression) meant(t *isa.Target, id string) string {
	var names []string
	for _, r := range lint.Rules(t) {
		names = append(names, r.ID)
	}
	if near := isa.Nearest(id, names); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	if len(s.Rules) > 1 {
		return "heddle lint --list-rules lists the rules; a reason of one word is taken for a rule, write more than one"
	}
	return "heddle lint --list-rules lists the rules"
}
