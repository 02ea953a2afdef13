package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/internal/manual"
)

type isasCmd struct {
	JSON     bool `help:"Print JSON." xor:"form"`
	Markdown bool `help:"Print the support table of the README." xor:"form"`
}

func (c *isasCmd) Help() string {
	return `An instruction is a mnemonic without the suffix of its form, such as _e64;
a row is an instruction in one encoding and one set of operands. The first variant of a set is its default.

Example:
  heddle isas`
}

func (c *isasCmd) Run(a *app) error {
	if c.Markdown {
		a.printf("%s", manual.SupportMarkdown())
		return nil
	}
	list := manual.Everything()
	if c.JSON {
		return a.json(list)
	}
	rows := [][]string{{"ISA", "INSTRUCTIONS", "ROWS", "ASSEMBLE", "DISASSEMBLE", "RUN", "LACKING", "ALSO CALLED"}}
	for _, s := range list {
		lacks := s.Lacks
		if lacks == "" {
			lacks = "-"
		}
		rows = append(rows, []string{strings.TrimSuffix(s.ISA+":"+s.Variant, ":"), strconv.Itoa(s.Instructions), strconv.Itoa(s.Rows),
			strconv.Itoa(s.Assemble), strconv.Itoa(s.Disassemble), strconv.Itoa(s.Run), lacks, clip(s.Aliases)})
	}
	a.printf("%s", manual.Table(rows, ""))
	return nil
}

// clip returns the first few of many names.
func clip(names []string) string {
	const most = 4
	if len(names) <= most {
		return strings.Join(names, " ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], " "), len(names)-most)
}
