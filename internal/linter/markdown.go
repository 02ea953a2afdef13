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

The exit code is 1 if a finding of severity error is reported, 0 if not, and 2 if a file cannot be read. ` + "`" + `--fail-on warning` + "`" + `, ` + "`" + `note` + "`" + ` or
` + "`" + `never` + "`" + ` changes which findings make it 1; with ` + "`" + `--fail-on note` + "`" + ` notes are looked for too. ` + "`" + `--rule` + "`" + ` and
` + "`" + `--ignore` + "`" + ` choose rules by name; a rule that is not looked for changes no exit code. Names of rules stay as they are.

## Several files

` + "`" + `lint` + "`" + `, ` + "`" + `dis` + "`" + `, ` + "`" + `fidelity` + "`" + ` and ` + "`" + `asm -o DIR` + "`" + ` take several files and folders. Of folders they take code objects, told by their first bytes, and
assembly whose name ends in ` + "`" + `.s` + "`" + ` (` + "`" + `asm` + "`" + ` also ` + "`" + `.asm` + "`" + `, ` + "`" + `dis` + "`" + ` no assembly, with ` + "`" + `--raw` + "`" + ` all of them ` + "`" + `.bin` + "`" + `). ` + "`" + `--include GLOB` + "`" + ` takes the files that match
instead, whatever they hold: a glob without a slash is about the name, one with a slash about the path below the folder. Hidden
folders and links are not followed. Standard error says at the end how many files were passed over; a folder with no file to take is an error.

A file that cannot be read or assembled is reported, in the report too, and the others follow. The exit code is the
worst of all files. ` + "`" + `--jobs N` + "`" + ` works on N files at the same time; the output is the same for every N, in the order of the arguments, and of a folder in
lexical order.

    $ heddle lint --jobs 2 --include '*.hsaco' examples

Several files, a folder, ` + "`" + `--include` + "`" + ` or ` + "`" + `--jobs` + "`" + ` give one report: SARIF has one run with the rules of all instruction sets, and a notification
for each file that cannot be read; JUnit has a suite for each file, without totals on ` + "`" + `testsuites` + "`" + `, and an ` + "`" + `error` + "`" + ` for such a file;
` + "`" + `--json` + "`" + ` prints JSON Lines: an object for each file, ` + "`" + `file` + "`" + ` and ` + "`" + `error` + "`" + ` of one that cannot be read, and last ` + "`" + `total` + "`" + `.

## Comments that suppress findings

A comment in assembly keeps rules from being reported for the statement on its line. If its line has no statement, it is about the next one:

    s_mov_b32 s5, s4   // heddle: ignore pending-read, the trap handler waits
    ; heddle: ignore vgpr-unset, lds-outside, only lane 0 uses it
    ds_read_b32 v0, v1

Names of rules come first, with commas between them; what follows them is the reason. A reason of one word with a hyphen looks like a rule: write
more than one word. Every kind of comment of the instruction set and its dialect will do, in bare assembly and in programs in sections.
What a macro gives is found at its use, and suppressed there. ` + "`" + `heddle lsp` + "`" + ` and ` + "`" + `heddle run --check` + "`" + ` read the comments too.

A comment that suppresses nothing, or names a rule that the instruction set does not have, is a finding of ` + "`" + `unused-suppression` + "`" + `. A rule that
only other variants have, or that is not looked for, is not judged. Suppressed findings are counted; JSON lists them with
` + "`" + `reason` + "`" + `, SARIF with ` + "`" + `suppressions` + "`" + `, JUnit as skipped.

## A baseline of known findings

` + "`" + `--write-baseline FILE` + "`" + ` writes all findings that would be reported to a file, and reports none. With ` + "`" + `--baseline FILE` + "`" + ` the findings in the file are counted and
not reported, so that only new ones make a job fail. A finding is known by file, rule, function or label before it, text of the instruction, and how
many are alike; lines and addresses may change, and so may the distance that a branch goes. Files are named from the folder of the baseline.
Entries that match no finding any more are listed on standard error and as ` + "`" + `stale` + "`" + ` in JSON. They do not change the exit code; write the
baseline again to drop them. The format is JSON, ` + "`" + `heddle-lint-baseline-1` + "`" + `, with the schema docs/schemas/baseline.schema.json.

    $ heddle lint --write-baseline known.json examples/matmul
    $ heddle lint --baseline known.json --fail-on warning examples/matmul

## In CI

A job of GitHub Actions that shows findings in pull requests, by code scanning:

    - run: heddle lint --format sarif --fail-on never --baseline lint-baseline.json build > lint.sarif
    - uses: github/codeql-action/upload-sarif@v3
      with:
        sarif_file: lint.sarif
    - run: heddle lint --fail-on warning --baseline lint-baseline.json build

The first command fails only if a file cannot be read, the last one if there are new findings. Servers that read JUnit take ` + "`" + `--format junit` + "`" + `, as
GitLab does with ` + "`" + `artifacts: reports: junit` + "`" + `. ` + "`" + `heddle run --check` + "`" + ` does the same for one run: races, missing waits and lint in one, with the
same ` + "`" + `--fail-on` + "`" + `.

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
errors, warnings, notes, left (findings beyond the first 1000 of a rule), suppressed (findings, each with its reason), in_baseline (how many), stale (entries of the baseline), and findings. A finding has its place, as above, text (the
instruction), rule, severity, msg, source (where the rule is stated), hint, and other: place and text of the second instruction.
` + "`--list-rules --json`" + ` prints a list of rules with id, severity, isas, doc, source, example.

` + "`--format junit`" + ` prints JUnit XML: a test case for each finding, a failure if ` + "`" + `--fail-on` + "`" + ` makes it one. ` + "`--format sarif`" + ` prints SARIF 2.1.0: the rules of
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
