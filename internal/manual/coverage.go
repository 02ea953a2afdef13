package manual

import (
	"fmt"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// A CaseCount is how many cases of the repository run a mnemonic, without the suffix of its form, by variant.
type CaseCount map[string]map[string]int

// A coverage is what is built of a mnemonic in a variant.
type coverage struct {
	decode, encode bool
	fidelity       ir.Fidelity // the worst of its rows that run
	options        []string    // that choose a meaning
	lacks          []isa.Lack  // of rows that do not run
	runs           int         // rows that do
}

// CoverageMarkdown lists every mnemonic of a set by variant: whether it decodes and assembles, how exactly it runs, and how many
// cases of the repository run it. The error is of rows with a meaning of which no word can run.
func CoverageMarkdown(s *isa.Set, cases CaseCount) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s by instruction\n\n%s", s.Name, coverageIntro)
	b.WriteString("| mnemonic |")
	for _, v := range s.Variants {
		fmt.Fprintf(&b, " %s |", v.Name)
	}
	b.WriteString(" source |\n|---|" + strings.Repeat("---|", len(s.Variants)) + "---|\n")
	table, names, err := coverages(s)
	if err != nil {
		return "", err
	}
	for _, name := range names {
		fmt.Fprintf(&b, "| `%s` |", name)
		var sources []string
		for v := range s.Variants {
			c := table[name].by[v]
			fmt.Fprintf(&b, " %s |", c.cell(cases[name][s.Variants[v].Name]))
		}
		for _, x := range table[name].sources {
			if !slices.Contains(sources, x) {
				sources = append(sources, x)
			}
		}
		fmt.Fprintf(&b, " %s |\n", strings.Join(sources, "; "))
	}
	return b.String(), nil
}

const coverageIntro = `Made by ` + "`go run ./internal/gen`" + ` from the tables and from ` + "`cases/state`" + `.

A cell has **D** if words of the mnemonic decode in the variant and **A** if its text assembles; then how it runs: *exact* to the
bit; *approximate*, hardware is within a bound of what it gives; *modelled*, an option that is named chooses where sources are
silent; or why it does not run. The worst of its forms counts. The number is how many cases of the repository run it, whose
expected values do not come from this code; *f*: none of its own, but a test that writes the formula out, or cases of another
variant. Empty: the variant has no such instruction.

`

// A mnemonicCoverage is that of a mnemonic by variant, and where its rows say they are described.
type mnemonicCoverage struct {
	by      []coverage
	sources []string
}

func coverages(s *isa.Set) (map[string]*mnemonicCoverage, []string, error) {
	table, names := map[string]*mnemonicCoverage{}, []string{}
	for i := range s.Defs {
		d := &s.Defs[i]
		name := plainName(d)
		m := table[name]
		if m == nil {
			m = &mnemonicCoverage{by: make([]coverage, len(s.Variants))}
			table[name], names = m, append(names, name)
		}
		if !slices.Contains(m.sources, d.Source) {
			m.sources = append(m.sources, d.Source)
		}
		for v := range s.Variants {
			if !d.InVariant(v) {
				continue
			}
			if err := m.by[v].add(s.At(v, firstStage(d)), d); err != nil {
				return nil, nil, err
			}
		}
	}
	slices.Sort(names)
	return table, names, nil
}

// plainName is the mnemonic without the suffix of its form.
func plainName(d *isa.Def) string {
	if len(d.Also) > 0 && strings.HasPrefix(d.Name, d.Also[0]+"_") {
		return d.Also[0]
	}
	return d.Name
}

// PlainName is a mnemonic of text without the suffix of its form.
func PlainName(s *isa.Set, mnemonic string) string {
	if rows := s.Rows(mnemonic); len(rows) > 0 {
		return plainName(rows[0])
	}
	return mnemonic
}

// add notes a row.
func (c *coverage) add(t *isa.Target, d *isa.Def) error {
	c.decode = c.decode || !d.Private && !d.Alias
	c.encode = c.encode || !d.Private
	if d.Meaning == nil {
		if !slices.Contains(c.lacks, d.Lack) {
			c.lacks = append(c.lacks, d.Lack)
		}
		return nil
	}
	f, err := variantFidelity(t, d)
	if err != nil {
		return err
	}
	c.fidelity = max(c.fidelity, f)
	c.runs++
	if d.Option != "" && !slices.Contains(c.options, d.Option) {
		c.options = append(c.options, d.Option)
	}
	return nil
}

// cell is the text of a cell of the table.
func (c *coverage) cell(cases int) string {
	text := ""
	switch {
	case c.decode && c.encode:
		text = "DA"
	case c.encode:
		text = "A"
	case !c.decode:
		return ""
	}
	if c.runs == 0 {
		return text + " no: " + c.lacks[0].String()
	}
	text += " " + c.fidelity.String()
	if len(c.options) > 0 {
		text += " (" + strings.Join(c.options, ", ") + ")"
	}
	if cases == 0 {
		return text + ", f"
	}
	return fmt.Sprintf("%s, %d", text, cases)
}
