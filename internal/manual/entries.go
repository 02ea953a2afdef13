package manual

import (
	"fmt"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

const entriesIntro = `## As the reference lists them

%d instructions, in its order. An instruction of the reference may be several rows here, and text of several names: those are all of
its names. *encoding*: all of it is public, or what else is; *none* assembles to an error, and runs from text. The other columns
are those of the table below, the sum of the rows.

`

// entriesMarkdown writes the table of the entries of the reference, each with its rows.
func entriesMarkdown(b *strings.Builder, s *isa.Set, cases CaseCount) error {
	fmt.Fprintf(b, entriesIntro, len(s.Entries))
	line(b, []string{"instruction", "text", "encoding", "runs", "source"})
	b.WriteString(strings.Repeat("|---", 5) + "|\n")
	name := Instructions(s)
	for _, e := range s.Entries {
		var c coverage
		var texts, sources []string
		var all []Instruction
		for i := range s.Defs {
			d := &s.Defs[i]
			if d.Entry != e.Name || d.Alias {
				continue
			}
			if err := c.add(s.At(0, 0), d); err != nil {
				return err
			}
			texts, sources, all = with(texts, "`"+d.Name+"`"), with(sources, d.Source), with(all, name(d))
		}
		n := 0
		for _, in := range all {
			for _, count := range cases[in] {
				n += count
			}
		}
		public := e.Public
		if public == "" {
			public = "all"
		}
		runs := "no row"
		if len(all) > 0 {
			c.decode, c.encode = false, true // the previous column says how it runs
			runs = strings.TrimPrefix(c.cell(n), "A ")
		}
		line(b, []string{e.Name, strings.Join(texts, " "), public, runs, strings.Join(sources, "; ")})
	}
	b.WriteString("\n## By mnemonic\n\n")
	return nil
}

// with appends x if it is not in the list.
func with[T comparable](list []T, x T) []T {
	if slices.Contains(list, x) {
		return list
	}
	return append(list, x)
}
