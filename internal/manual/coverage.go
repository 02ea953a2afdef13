package manual

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// An Instruction is a mnemonic without the suffix of its form, and what distinguishes it from others of that name: ""
// if there are none.
type Instruction struct{ Name, What string }

// A Place is the number of a variant and of a stage.
type Place struct{ Variant, Stage int }

// A CaseCount is the number of cases of the repository that run an instruction, by variant and stage.
type CaseCount map[Instruction]map[Place]int

// A coverage is the support of an instruction in a variant and a stage.
type coverage struct {
	decode, encode bool
	fidelity       ir.Fidelity // the worst of its rows that run
	options        []string    // that select its semantics
	lacks          []isa.Lack  // of rows that do not run
	runs           int         // number of rows that run
}

const coverageIntro = `Made by ` + "`go run ./internal/gen`" + ` from the tables and from ` + "`cases/state`" + `.

A cell has **D** if words of the mnemonic decode in the variant and **A** if its text assembles; then how it runs: *exact* to the
bit; *approximate*, hardware is within a bound of what it gives; *modelled*, an option that is named chooses where sources are
silent; or why it does not run. The worst of its forms counts. The number is how many cases of the repository run it, whose
expected values do not come from this code; *f*: none of its own, but a test that writes the formula out, or cases of another
variant. Empty: the variant has no such instruction. In brackets: other names that are read.

`

const (
	coverageSeveral = `A mnemonic whose rows do different things has a line for each of them. It counts as one instruction.

`
	coverageStages = `Stages share a line where all cells say the same; their cases are added up.

`
)

// CoverageMarkdown lists every instruction of a set by variant: whether it decodes and assembles, its fidelity, and the
// number of cases of the repository that run it; by stage, too, if some rows exist only in some stages. The error
// reports a row with semantics of which no word can run.
func CoverageMarkdown(s *isa.Set, cases CaseCount) (string, error) {
	var b strings.Builder
	table, err := coverages(s)
	if err != nil {
		return "", err
	}
	staged := slices.ContainsFunc(s.Defs, func(d isa.Def) bool { return d.Stages != 0 })
	several := slices.ContainsFunc(table, func(m *instructionCoverage) bool { return m.What != "" })
	fmt.Fprintf(&b, "# %s by instruction\n\n%s", s.Name, coverageIntro)
	fmt.Fprintf(&b, "%d instructions in all variants: an instruction is a mnemonic without the suffix of its form.\n\n", len(InstructionNames(s.Arch, AllVariants)))
	if len(s.Entries) > 0 {
		if err := entriesMarkdown(&b, s, cases); err != nil {
			return "", err
		}
	}
	head := []string{"mnemonic"}
	if several {
		b.WriteString(coverageSeveral)
		head = append(head, "what")
	}
	if staged {
		b.WriteString(coverageStages)
		head = append(head, "stages")
	}
	for _, v := range s.Variants {
		head = append(head, v.Name)
	}
	line(&b, append(head, "source"))
	b.WriteString(strings.Repeat("|---", len(head)+1) + "|\n")
	for _, m := range table {
		for _, stages := range m.alike() {
			cells := []string{m.title()}
			if several {
				cells = append(cells, strings.ReplaceAll(m.What, "|", `\|`))
			}
			if staged {
				cells = append(cells, stageNames(s, stages))
			}
			for v := range s.Variants {
				n := 0
				for _, st := range stages {
					n += cases[m.Instruction][Place{v, st}]
				}
				cells = append(cells, m.by[v][stages[0]].cell(n))
			}
			line(&b, append(cells, strings.Join(m.sources, "; ")))
		}
	}
	return b.String(), nil
}

// line writes a line of a table.
func line(b *strings.Builder, cells []string) {
	b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}

// stageNames returns the names of stages, "all" if they are all.
func stageNames(s *isa.Set, stages []int) string {
	if len(stages) == len(s.Stages) {
		return "all"
	}
	var names []string
	for _, st := range stages {
		names = append(names, s.Stages[st])
	}
	return strings.Join(names, " ")
}

// An instructionCoverage is the coverage of an instruction by variant and stage, with the sources of its rows.
type instructionCoverage struct {
	Instruction
	by      [][]coverage
	also    []string // other names that the assembler accepts
	sources []string
}

// title returns the name of the instruction, with the others in brackets.
func (m *instructionCoverage) title() string {
	if len(m.also) == 0 {
		return "`" + m.Name + "`"
	}
	return "`" + m.Name + "` (" + strings.Join(m.also, ", ") + ")"
}

// alike groups the stages that have the instruction: stages that are the same in all variants are one group.
func (m *instructionCoverage) alike() (groups [][]int) {
	at := map[string]int{}
	for st := range m.by[0] {
		key, has := "", false
		for v := range m.by {
			c := m.by[v][st].status()
			key, has = key+c+"|", has || c != ""
		}
		if !has {
			continue
		}
		i, ok := at[key]
		if !ok {
			i = len(groups)
			at[key], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], st)
	}
	return groups
}

// coverages returns all instructions, sorted by name.
func coverages(s *isa.Set) ([]*instructionCoverage, error) {
	table, list := map[Instruction]*instructionCoverage{}, []*instructionCoverage{}
	name := Instructions(s)
	for i := range s.Defs {
		d := &s.Defs[i]
		n := name(d)
		m := table[n]
		if m == nil {
			m = &instructionCoverage{Instruction: n, by: make([][]coverage, len(s.Variants))}
			for v := range m.by {
				m.by[v] = make([]coverage, max(1, len(s.Stages)))
			}
			table[n], list = m, append(list, m)
		}
		if !slices.Contains(m.sources, d.Source) {
			m.sources = append(m.sources, d.Source)
		}
		for _, a := range d.Also {
			// The name with the suffix of a form gives no information.
			if !strings.HasPrefix(a, m.Name) && !slices.Contains(m.also, a) {
				m.also = append(m.also, a)
			}
		}
		for v := range m.by {
			for st := range m.by[v] {
				if !d.InVariant(v) || !d.InStage(st) {
					continue
				}
				if err := m.by[v][st].add(s.At(v, st), d); err != nil {
					return nil, err
				}
			}
		}
	}
	slices.SortStableFunc(list, func(a, b *instructionCoverage) int { return cmp.Compare(a.Name, b.Name) })
	return list, nil
}

// Instructions returns a function that maps each row of a set to its instruction. Instructions with the same mnemonic,
// in one layout and stage, are distinguished by the descriptions of their rows.
func Instructions(s *isa.Set) func(d *isa.Def) Instruction {
	type key struct {
		name string
		enc  *isa.Encoding
	}
	seen, several := map[key][]*isa.Def{}, map[string]bool{}
	for i := range s.Defs {
		d := &s.Defs[i]
		k := key{d.Name, d.Enc}
		for _, o := range seen[k] {
			together := o.Variants&d.Variants != 0 && (o.Stages == 0 || d.Stages == 0 || o.Stages&d.Stages != 0)
			if together && o.Doc != d.Doc {
				several[plainName(d)] = true
			}
		}
		seen[k] = append(seen[k], d)
	}
	return func(d *isa.Def) Instruction {
		n := Instruction{Name: plainName(d)}
		if several[n.Name] {
			n.What = d.Doc
		}
		return n
	}
}

// plainName returns the mnemonic without the suffix of its form.
func plainName(d *isa.Def) string {
	if len(d.Also) > 0 && strings.HasPrefix(d.Name, d.Also[0]+"_") {
		return d.Also[0]
	}
	return d.Name
}

// add adds a row.
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
	for _, o := range d.Options {
		if !slices.Contains(c.options, o) {
			c.options = append(c.options, o)
		}
	}
	return nil
}

// status returns the text of the cell without the number of cases.
func (c *coverage) status() string {
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
	return text
}

// cell returns the text of a cell of the table.
func (c *coverage) cell(cases int) string {
	text := c.status()
	switch {
	case c.runs == 0:
		return text
	case cases == 0:
		return text + ", f"
	}
	return fmt.Sprintf("%s, %d", text, cases)
}
