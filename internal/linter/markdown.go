package linter

import (
	"fmt"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/isa/all"
)

// page is docs/lint.md but for its tables.
const page = `# What lint looks for

<!-- go run ./internal/gen writes this file -->

` + "`heddle lint FILE`" + ` reads a code object, bare machine code or assembly and reports what hardware does not forgive. It runs nothing: from
each entry it follows all paths through the code, and at each instruction it knows what may be true whatever path led there.

## Severities and exit codes

| severity | |
|---|---|
| error | hardware does something else than the text says, or nothing that is known |
| warning | it may work, or sources differ, or a launch may make it right |
| note | it works, and is perhaps not what was meant; shown with ` + "`--severity note`" + ` |

The exit code is 1 if a finding of severity error is reported, 0 if not, and 2 if the file cannot be read. ` + "`--rule`" + ` and
` + "`--ignore`" + ` choose rules by name; a rule that is not looked for changes no exit code. Names of rules stay as they are.

## Where code is entered

* Of a code object, waves begin at its kernels, with the registers and the group memory that their descriptors declare. Its
  other functions are called, whether or not their symbols have a size. What the code itself computes from constants and calls
  is a function, too.
* Bare code and assembly are entered at the first byte, and at whatever nothing else leads to. Which registers a launch sets is
  not known then, so none counts as unset but those that no launch sets.
* Code that no entry leads to may be data: what its instructions break by themselves is a note.

## What is known of a path

* Pending operations by queue, oldest first. A queue is what ends in order; several may share a counter. Of paths that meet,
  all that is pending on one of them is pending, and as young as on the path on which it is youngest.
* Registers that all paths have written, and those that some have. A register that only some have written is a note: lanes that
  are off where it is written may be off where it is read.
* Instructions of the last few wait states, by the shortest path.
* What a thread has pushed on the control stack of its warp, where the machine has one, and not taken off again. All paths to an
  instruction leave the same there, or that is reported, and one of them is followed on; so code that pushes in a loop ends.
* What an instruction says nobody reads again, what must have ended before an instruction begins or behind it, and what must have
  begun before one that waits for it, where the set has such rules.
* Whether the threads of such a warp have parted: a branch parts them if its condition comes from what differs between threads,
  until the join, or the end of the loop or the call, that was set up before it.
  Where there is no such stack, until all ways from the branch meet.
* A call ends what is pending and sets all registers; what a function finds pending when it is called is not known.

Paths are followed until nothing changes, within a bound that grows with the length of the code. Code that is too tangled for
that is reported as ` + "`too-tangled`" + `.

What depends on addresses and on which threads come where lint does not know. Two waves that meet in group memory with no barrier
between are found by ` + "`heddle run --races`" + ` and ` + "`heddle check --races`" + `, which name both instructions. So do
` + "`--waits`" + ` of both: what touches a register before a pending operation has written it, on the paths that a run takes.

## Places

A finding names its instruction by everything that is known of it:

* the line and column of the assembly text, of assembly: bare instructions, and programs in sections as clang -S writes them;
* the address, as ` + "`heddle dis`" + ` prints it, and the symbol before it;
* the line and column of the source, of a code object with line tables (clang -g), if the compiler made the instruction for a line.

| format | where |
|---|---|
| text | ` + "`FILE:LINE:COL:`" + ` or ` + "`FILE+ADDRESS:`" + ` first; then, after the instruction, ` + "`at ADDRESS <SYMBOL+OFFSET> (SOURCE:LINE:COL)`" + ` |
| JSON | addr, symbol, offset; file, line, col of the text, or else of the source; source_file, source_path, source_line, source_col |
| SARIF | the location is the line of the text, or else of the source, or else the bytes of the file; all else is a related location |
| JUnit | the attributes file and line of the test case are of the text, or else of the source; its text is that of the text format |

The second instruction that a finding is about has the same: the indented line, other in JSON, relatedLocations in SARIF.
Columns count bytes, in SARIF characters. A column in SARIF is left out if the source cannot be read.

## JSON

` + "`--json`" + ` prints one object: file, isa, bytes, instructions (that were looked at), reached (of these, from entries), kernels, functions,
errors, warnings, notes, left (findings beyond the first 1000 of a rule), and findings. A finding has its place, as above, text (the
instruction), rule, severity, msg, source (where the rule is stated), hint, and other: place and text of the second instruction.
` + "`--list-rules --json`" + ` prints a list of rules with id, severity, isas, doc, source, example.

` + "`--format junit`" + ` prints JUnit XML: a test case for each finding; an error is a failure. ` + "`--format sarif`" + ` prints SARIF 2.1.0: the rules of
the set, and the findings.
`

// Markdown is docs/lint.md: the page, and the rules of each set.
func Markdown() (string, error) {
	var b strings.Builder
	b.WriteString(page)
	rules, err := Rules("")
	if err != nil {
		return "", err
	}
	b.WriteString("\n## Rules of all instruction sets\n\n")
	table(&b, rules, (*Rule).everywhere, "")
	for _, s := range all.Sets() {
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
	for _, s := range all.Sets() {
		if !slices.Contains(r.ISAs, s.Name) {
			return false
		}
	}
	return true
}

// table writes the rules that are chosen.
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
