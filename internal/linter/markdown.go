package linter

import (
	_ "embed" // for page.md
	"fmt"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/internal/sets"
)

// page is docs/lint.md without its tables.
//
//go:embed page.md
var page string

// Markdown returns docs/lint.md: the page, and the rules of each set.
func Markdown() (string, error) {
	var b strings.Builder
	b.WriteString(page)
	rules, err := Rules("")
	if err != nil {
		return "", err
	}
	b.WriteString("\n## Rules of all instruction sets\n\n")
	table(&b, rules, (*Rule).everywhere, "")
	for _, s := range sets.Sets() {
		own := func(r *Rule) bool { return !r.everywhere() && strings.HasPrefix(r.ISAs[0], s.Name) }
		any := false
		for i := range rules {
			any = any || own(&rules[i])
		}
		if any {
			fmt.Fprintf(&b, "\n## Rules of %s\n\n", s.Name)
			table(&b, rules, own, s.Name)
		}
	}
	return b.String(), nil
}

// everywhere reports whether all sets have the rule.
func (r *Rule) everywhere() bool {
	for _, s := range sets.Sets() {
		if !slices.Contains(r.ISAs, s.Name) {
			return false
		}
	}
	return true
}

// table writes the chosen rules.
func table(b *strings.Builder, rules []Rule, chosen func(*Rule) bool, set string) {
	b.WriteString("| rule | severity | what must hold | on | source |\n|---|---|---|---|---|\n")
	for i := range rules {
		r := &rules[i]
		if !chosen(r) {
			continue
		}
		on := "all"
		if set != "" && r.ISAs[0] != set {
			on = strings.ReplaceAll(strings.Join(r.ISAs, ", "), set+":", "")
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s |\n", r.ID, r.Severity, r.Doc, on, strings.TrimPrefix(r.Source, "docs/"))
	}
}
