package main

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/internal/linter"
	"github.com/heddle-gpu/heddle/internal/manual"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/lint"
	"github.com/heddle-gpu/heddle/object"
)

type lintCmd struct {
	ISA    string   `name:"isa" short:"i" placeholder:"ISA" help:"Instruction set; a code object and a file's .isa name their own."`
	Stage  string   `placeholder:"STAGE" help:"Stage, where decoding depends on it."`
	Raw    bool     `help:"The file is bare machine code."`
	Text   bool     `help:"The file is assembly, as is one whose name ends in .s."`
	Rule   []string `placeholder:"RULE,..." help:"Look for these rules only."`
	Ignore []string `placeholder:"RULE,..." help:"Do not look for these rules."`
	Style
	Severity  string `enum:"error,warning,note" default:"warning" help:"The least severity that is reported: error, warning or note."`
	ListRules bool   `help:"List the rules of the instruction set, or of all."`
	Explain   string `placeholder:"RULE" help:"Say what a rule is, with an example."`
	JSON      bool   `help:"Print JSON."`
	File      string `arg:"" optional:"" help:"Code object, bare code, assembly, or - for standard input."`
}

func (c *lintCmd) Help() string {
	return `Each finding is a line on standard output: place, severity, what is wrong, the rule, the instruction. Lines that are
indented belong to it: the other instruction that it is about, what would do, where the rule is stated. How much was looked at
goes to standard error. The exit code is 1 if a finding of severity error is reported, else 0.

Of a code object kernels and functions are entered where symbols and descriptors say, of bare code and assembly at the first
byte and at whatever nothing else leads to. docs/lint.md lists all rules.

Examples:
  heddle lint examples/reduction/reduce_lds.gfx803.hsaco
  heddle lint --isa gcn:gfx8 --severity note kernel.s
  heddle lint --isa gcn:gfx7 --list-rules
  heddle lint --isa gcn:gfx7 --explain pending-read`
}

// Validate runs before Run.
func (c *lintCmd) Validate() error {
	switch {
	case c.Raw && c.Text:
		return errors.New("--raw and --text: a file is one of them")
	case c.ListRules && c.Explain != "":
		return errors.New("--list-rules and --explain: want one of them")
	}
	return nil
}

func (c *lintCmd) Run(a *app) error {
	switch {
	case c.ListRules:
		return c.list(a)
	case c.Explain != "":
		return c.explain(a)
	case c.File == "":
		return errors.New("lint: no file; - is standard input, --list-rules lists what is looked for")
	}
	r, err := c.look(a)
	if err != nil {
		return err
	}
	if c.JSON {
		err = a.json(c.report(r))
	} else {
		c.print(a, r)
	}
	if err != nil {
		return err
	}
	if n := r.Count(isa.SeverityError); n > 0 {
		return wrong{}
	}
	return nil
}

// A linted file is what was found in it, and where its lines are.
type linted struct {
	*lint.Report
	target *isa.Target
	text   *asm.Assembly // of assembly
}

// look reads the file and lints it.
func (c *lintCmd) look(a *app) (*linted, error) {
	if c.Text || !c.Raw && strings.EqualFold(filepath.Ext(c.File), ".s") {
		return c.assembly(a)
	}
	data, err := a.read(c.File)
	if err != nil {
		return nil, err
	}
	if !c.Raw && object.IsHSA(data) {
		return c.object(data)
	}
	if !c.Raw && isWritten(data) {
		return nil, hinted{fmt.Errorf("%s: is text, not machine code", c.File), "--text lints assembly, --raw takes the bytes as they are"}
	}
	t, err := find(c.ISA, c.Stage, ": bare code does not name its own")
	if err != nil {
		return nil, err
	}
	if t, err = c.of(t); err != nil {
		return nil, err
	}
	opt, err := c.options(t)
	if err != nil {
		return nil, err
	}
	return &linted{Report: linter.Bare(t, data, 0, opt), target: t}, nil
}

// isWritten is whether bytes are text: lines of what can be printed. Machine code that happens to be is short.
func isWritten(data []byte) bool {
	return bytes.IndexByte(data, '\n') >= 0 && utf8.Valid(data) && !bytes.ContainsFunc(data, func(r rune) bool {
		return !unicode.IsPrint(r) && !unicode.IsSpace(r)
	})
}

// assembly assembles the file and lints what it becomes. What breaks a rule by itself is a finding, not an error of the text.
func (c *lintCmd) assembly(a *app) (*linted, error) {
	res, err := (&asmCmd{ISA: c.ISA, Stage: c.Stage, Style: c.Style, File: c.File, NoLint: true, JSON: true}).assemble(a)
	if err != nil {
		return nil, err
	}
	if len(res.errs) > 0 {
		return nil, fmt.Errorf("%w: it does not assemble", refused{c.File, res.errs})
	}
	if res.program != nil {
		return c.object(res.program.Data)
	}
	t := res.Assembly.Target
	opt, err := c.options(t)
	if err != nil {
		return nil, err
	}
	return &linted{Report: linter.Assembly(res.Assembly, opt), target: t, text: res.Assembly}, nil
}

// object lints a code object.
func (c *lintCmd) object(data []byte) (*linted, error) {
	o, err := object.ReadHSAFile(data, c.File)
	if err != nil {
		return nil, err
	}
	t, err := findFor(o, c.File, c.ISA, c.Stage)
	if err != nil {
		return nil, err
	}
	if t, err = c.of(t); err != nil {
		return nil, err
	}
	opt, err := c.options(t)
	if err != nil {
		return nil, err
	}
	return &linted{Report: linter.Object(t, o, opt), target: t}, nil
}

// options are what is looked for in code of the target. The error names a rule that there is not.
func (c *lintCmd) options(t *isa.Target) (o lint.Options, err error) {
	known := map[string]bool{}
	for _, r := range lint.Rules(t) {
		known[r.ID] = true
	}
	for _, id := range slices.Concat(c.Rule, c.Ignore) {
		if !known[id] {
			return o, fmt.Errorf("%s has no rule %q; --list-rules lists what there is", t, id)
		}
	}
	o.Least = isa.SeverityNote
	for s := isa.SeverityError; s < isa.SeverityNote; s++ {
		if s.String() == c.Severity {
			o.Least = s
		}
	}
	if len(c.Rule)+len(c.Ignore) > 0 {
		o.Rules = func(id string) bool {
			return (len(c.Rule) == 0 || slices.Contains(c.Rule, id)) && !slices.Contains(c.Ignore, id)
		}
	}
	return o, nil
}

// print writes findings, and how much was looked at.
func (c *lintCmd) print(a *app, r *linted) {
	for i := range r.Findings {
		f := &r.Findings[i]
		a.say("%s: %s: %s [%s]", r.place(c.File, f.Addr), f.Severity, f.Msg, f.Rule)
		if f.Text != "" {
			a.say(" in %q", f.Text)
		}
		a.say("\n")
		if f.Other != nil {
			a.say("    %s: %q\n", r.place(c.File, f.Other.Addr), f.Other.Text)
		}
		if f.Hint != "" {
			a.say("    %s\n", f.Hint)
		}
		if f.Source != "" {
			a.say("    see %s\n", f.Source)
		}
	}
	if a.out.Flush() == nil { // else that is said
		fmt.Fprintf(a.err, "heddle: %s\n", shownText(c.File+": "+r.summary()))
	}
}

// place is an address of the file, with the line where it is of assembly.
func (r *linted) place(file string, addr uint64) string {
	if r.text != nil {
		i, _ := slices.BinarySearchFunc(r.text.Lines, int(addr-r.text.Base)+1, func(l asm.SourceLine, off int) int { return l.Off - off })
		if i > 0 {
			return fmt.Sprintf("%s:%d+%#x", file, r.text.Lines[i-1].Line, addr)
		}
	}
	return fmt.Sprintf("%s+%#x", file, addr)
}

// summary says what was found in how much.
func (r *linted) summary() string {
	var found []string
	for s := isa.SeverityError; s <= isa.SeverityNote; s++ {
		if n := r.Count(s); n > 0 {
			found = append(found, count(n, s.String()))
		}
	}
	if r.Left > 0 {
		found = append(found, fmt.Sprintf("%d more that are not shown", r.Left))
	}
	if found == nil {
		found = []string{"no findings"}
	}
	in := []string{count(r.Instructions, "instruction")}
	if r.Reached < r.Instructions {
		in = append(in, fmt.Sprintf("%d of them reached", r.Reached))
	}
	where := count(r.Kernels, "entry")
	if r.Kernels != 1 {
		where = fmt.Sprintf("%d entries", r.Kernels)
	}
	if r.Functions > 0 {
		where += " and " + count(r.Functions, "function")
	}
	return fmt.Sprintf("%s in %s from %s", strings.Join(found, ", "), strings.Join(in, ", "), where)
}

// A jsonLint is what lint --json prints.
type jsonLint struct {
	File         string            `json:"file"`
	ISA          string            `json:"isa"`
	Bytes        int               `json:"bytes"`
	Instructions int               `json:"instructions"` // that were looked at
	Reached      int               `json:"reached"`      // of these, from entries
	Kernels      int               `json:"kernels"`      // entries at which waves begin
	Functions    int               `json:"functions"`
	Errors       int               `json:"errors"`
	Warnings     int               `json:"warnings"`
	Notes        int               `json:"notes"`
	Left         int               `json:"left,omitempty"` // findings that are not in the list
	Findings     []jsonLintFinding `json:"findings"`
}

type jsonLintFinding struct {
	Addr     uint64      `json:"addr"`
	Line     int         `json:"line,omitempty"` // of assembly
	Text     string      `json:"text,omitempty"`
	Rule     string      `json:"rule"`
	Severity string      `json:"severity"`
	Msg      string      `json:"msg"`
	Source   string      `json:"source,omitempty"`
	Hint     string      `json:"hint,omitempty"`
	Other    *lint.Place `json:"other,omitempty"` // the other instruction
}

func (c *lintCmd) report(r *linted) jsonLint {
	j := jsonLint{File: c.File, ISA: r.target.String(), Bytes: r.Bytes, Instructions: r.Instructions, Reached: r.Reached, Kernels: r.Kernels,
		Functions: r.Functions, Errors: r.Count(isa.SeverityError), Warnings: r.Count(isa.SeverityWarning), Notes: r.Count(isa.SeverityNote),
		Left: r.Left, Findings: []jsonLintFinding{}}
	for _, f := range r.Findings {
		line := 0
		if r.text != nil {
			if i, _ := slices.BinarySearchFunc(r.text.Lines, int(f.Addr-r.text.Base)+1, func(l asm.SourceLine, off int) int { return l.Off - off }); i > 0 {
				line = r.text.Lines[i-1].Line
			}
		}
		j.Findings = append(j.Findings, jsonLintFinding{f.Addr, line, f.Text, f.Rule, f.Severity.String(), f.Msg, f.Source, f.Hint, f.Other})
	}
	return j
}

// aside reports what does not go with a question about rules.
func (c *lintCmd) aside(a *app, kind byte) error {
	if c.File != "" {
		return fmt.Errorf("lint: --list-rules and --explain are about rules, not about %s", c.File)
	}
	return a.fits("lint", kind, "")
}

// list prints the rules of a set, or of all.
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

// explain prints what a rule is, and what lint says of its example, for all sets that say something else of it.
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
