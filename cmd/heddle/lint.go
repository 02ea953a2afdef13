package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/internal/linter"
	"github.com/heddle-gpu/heddle/internal/manual"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/lint"
)

type lintCmd struct {
	CodeFile
	Many
	Rule   []string `placeholder:"RULE,..." help:"Look for these rules only."`
	Ignore []string `placeholder:"RULE,..." help:"Do not look for these rules."`
	Style
	Severity string `enum:"error,warning,note" default:"warning" help:"The least severity that is reported: error, warning or note."`
	FailOn
	Baseline
	ListRules bool   `help:"List the rules of the instruction set, or of all."`
	Explain   string `placeholder:"RULE" help:"Say what a rule is, with an example."`
	Format
	Paths []string `arg:"" optional:"" name:"file" help:"Code objects, bare code, assembly, folders of them, or - for standard input."`

	File string `kong:"-"` // the one being linted

}

func (c *lintCmd) Help() string {
	return `Each finding is a line on standard output: place, severity, what is wrong, the rule, the instruction, its address and symbol. The place is
file:line:column of assembly, file+address of machine code; of code objects with line tables (clang -g) the line of the source follows.
Indented lines belong to the finding: the other instruction that it is about, what would be right, where the rule is stated. How much was
looked at goes to standard error. The exit code is 1 if a finding of severity error is reported, or of what --fail-on says, else 0.

Of a folder, code objects and assembly whose name ends in .s are taken; --include takes others, and what is passed over is counted. A file that
cannot be read, or does not assemble, is reported, and the others are looked at; the exit code is then 2, or 1. Several files give one report: JSON is a line for each
file then, and a line with the total.

A comment in assembly keeps a rule from being reported for the statement on its line, or else the next one: // heddle: ignore pending-read, the
reason. One that suppresses nothing is reported as unused-suppression. --write-baseline writes all findings to a file, and with --baseline those in the
file are not reported again, wherever they have moved within their function.

Of a code object kernels and functions are entered where symbols and descriptors say, of bare code and assembly at the first
byte and at whatever nothing else leads to. docs/lint.md lists all rules.

Examples:
  heddle lint examples/reduction/reduce_lds.gfx803.hsaco
  heddle lint --isa gcn:gfx8 --severity note kernel.s
  heddle lint -j 4 --include '*.hsaco' --fail-on warning examples/mandelbrot examples/reduction
  heddle lint --write-baseline lint.json examples/matmul
  heddle lint --baseline lint.json --fail-on warning examples/matmul
  heddle lint --format sarif examples/reduction/reduce_lds.gfx803.hsaco > lint.sarif
  heddle lint --isa gcn:gfx7 --list-rules
  heddle lint --isa gcn:gfx7 --explain pending-read`
}

// Validate runs before Run.
func (c *lintCmd) Validate() error {
	if err := c.check(); err != nil {
		return err
	}
	if c.ListRules && c.Explain != "" {
		return errors.New("--list-rules and --explain: want one of them")
	}
	for _, id := range slices.Concat(c.Rule, c.Ignore) {
		if err := linter.Unknown(id); err != nil {
			return err
		}
	}
	if _, err := c.least(); err != nil {
		return err
	}
	if err := c.checkBaseline(&c.Format); err != nil {
		return err
	}
	form, err := c.form()
	if err == nil && (c.ListRules || c.Explain != "") && form != "text" && form != "json" {
		err = fmt.Errorf("--format %s is of findings; rules are text or json", form)
	}
	c.JSON = form == "json"
	return err
}

func (c *lintCmd) Run(a *app) error {
	c.File = only(c.Paths)
	switch {
	case c.ListRules:
		return c.list(a)
	case c.Explain != "":
		return c.explain(a)
	case c.File == "":
		return errors.New("lint: no file; - is standard input, --list-rules lists what is looked for")
	case c.several(a, c.Paths):
		return c.many(a)
	}
	if err := c.readBaseline(a); err != nil {
		return err
	}
	r, err := c.look(a)
	if err != nil {
		return c.unreadable(a, err)
	}
	if c.WriteBaseline != "" {
		c.base.Add(c.File, r.Findings)
		return c.writeBaseline(a, r.Left)
	}
	if err := c.tell(a, r); err != nil {
		return err
	}
	return c.verdict(r)
}

// A linted is the findings in a file.
type linted struct {
	*linter.Filtered
	target *isa.Target
	files  []fileRange // for machine code: which bytes of the file are loaded at which addresses
}

// look reads the file and lints it. Instructions that break rules are findings, not errors of a text.
func (c *lintCmd) look(a *app) (*linted, error) {
	f, err := c.open(a, c.File, codeUse{Style: c.Style, comments: true, hint: "--text lints assembly, --raw takes the bytes as they are"})
	if err != nil {
		return nil, err
	}
	opt, err := c.options()
	if err != nil {
		return nil, err
	}
	filter := linter.Filter{File: c.File, Baseline: c.base}
	if c.WriteBaseline != "" {
		filter.Baseline, filter.Record, opt.Most = nil, true, mostRecorded
	}
	defer collectOften(len(f.data))()
	r := &linted{Filtered: f.lint(opt, filter), target: f.target}
	switch {
	case f.object != nil && f.data != nil:
		r.files = rangesOf(f.data)
	case f.text == nil && f.object == nil:
		r.files = []fileRange{{0, 0, uint64(len(f.data))}}
	}
	return r, nil
}

// options returns the rules to check, for code of any set: a set that lacks a rule breaks none.
func (c *lintCmd) options() (o lint.Options, err error) {
	if o.Least, err = c.least(); err != nil {
		return o, err
	}
	if len(c.Rule)+len(c.Ignore) > 0 {
		o.Rules = func(id string) bool {
			return (len(c.Rule) == 0 || slices.Contains(c.Rule, id)) && !slices.Contains(c.Ignore, id)
		}
	}
	return o, nil
}

// aside reports flags that do not go with a question about rules.
func (c *lintCmd) aside(a *app, kind byte) error {
	if c.File != "" {
		return fmt.Errorf("lint: --list-rules and --explain are about rules, not about %s", c.File)
	}
	return a.fits("lint", kind, "")
}

// list prints the rules of a set, or of all sets.
func (c *lintCmd) list(a *app) error {
	if err := c.aside(a, 'l'); err != nil {
		return err
	}
	rules, err := linter.Rules(c.ISA)
	if err != nil {
		return err
	}
	if c.JSON {
		return a.json(rules)
	}
	rows := [][]string{{"RULE", "SEVERITY", "ISA", "WHAT MUST HOLD", "SOURCE"}}
	for _, r := range rules {
		rows = append(rows, []string{r.ID, r.Severity, strings.Join(r.ISAs, " "), r.Doc, r.Source})
	}
	a.printf("%s", manual.Table(rows, ""))
	return nil
}

// explain prints the description of a rule, with the findings in its example, for each set that describes it
// differently.
func (c *lintCmd) explain(a *app) error {
	if err := c.aside(a, 'e'); err != nil {
		return err
	}
	r, err := linter.Explain(c.ISA, c.Explain)
	if err != nil {
		return err
	}
	if c.JSON {
		return a.json(r)
	}
	explained(a, r)
	for _, o := range r.Others {
		a.printf("\n")
		explained(a, o)
	}
	return nil
}

func explained(a *app, r *linter.Explanation) {
	a.printf("%s: %s, %s\n%s\nsee %s\n", r.ID, r.Severity, strings.Join(r.ISAs, " "), r.Doc, r.Source)
	if r.Example == "" {
		return
	}
	a.printf("\nexample for %s:\n", r.ExampleISA)
	for _, line := range strings.Split(r.Example, "\n") {
		a.printf("    %s\n", line)
	}
	for _, f := range r.Findings {
		a.printf("%#x: %s\n", f.Addr, f.Msg)
		if f.Hint != "" {
			a.printf("    %s\n", f.Hint)
		}
	}
}
