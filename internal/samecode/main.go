// Command samecode reports which Go and assembly files differ in code, not only in comments, between two revisions:
//
//	go run ./internal/samecode -from HEAD~1                       the worktree against the commit before
//	go run ./internal/samecode -from main -to topic ir exec       two revisions, some folders
//	go run ./internal/samecode -from HEAD~1 -names Crew=GroupRunner,crew=runner
//
// It proves that a commit changes only comments, or only names. Files are compared token by token after they were
// parsed, so that equal files have equal syntax trees. Layout does not count. Comments that tools obey count as code:
// see code.go.
//
// With -names an identifier of the old revision may be one that the list gives instead. A name may be in the list
// several times, if it was renamed differently in different places. The list may name string literals, with their
// quotes, for import paths. Files that git takes for renamed are compared as one file. A file without a counterpart
// is a difference.
//
// Files of other kinds that changed are listed; they are not compared. The exit status is 1 if there is a difference, 2
// if a revision cannot be read or a file cannot be parsed.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	os.Exit(command(".", os.Args[1:], os.Stdout, os.Stderr))
}

// command runs the command in a folder of a repository and returns its exit status.
func command(dir string, args []string, stdout, stderr io.Writer) int {
	set := flag.NewFlagSet("samecode", flag.ContinueOnError)
	set.SetOutput(stderr)
	from := set.String("from", "", "the old `revision` (required)")
	to := set.String("to", "", "the new `revision`; the worktree if empty")
	list := set.String("names", "", "`OLD=NEW,...`: identifiers that were renamed")
	if err := set.Parse(args); err != nil {
		return 2
	}
	found, err := 0, errors.New("-from needs a revision")
	if *from != "" {
		found, err = compare(dir, *from, *to, *list, set.Args(), stdout)
	}
	switch {
	case err != nil:
		fmt.Fprintln(stderr, "samecode:", err)
		return 2
	case found != 0:
		return 1
	}
	return 0
}

// compare writes the differences between two revisions and returns their number.
func compare(dir, from, to, list string, paths []string, out io.Writer) (found int, err error) {
	names, err := parseNames(list)
	if err != nil {
		return 0, err
	}
	top, err := git(dir, "rev-parse", "--show-toplevel")
	if err != nil {
		return 0, err
	}
	top = strings.TrimSuffix(top, "\n")
	changes, err := changed(dir, from, to, paths)
	if err != nil {
		return 0, err
	}
	compared := 0
	for _, c := range changes {
		if !isCode(c.old) && !isCode(c.new) {
			fmt.Fprintf(out, "not compared: %s\n", c.name())
			continue
		}
		compared++
		diff, err := c.difference(top, from, to, names)
		if err != nil {
			return 0, err
		}
		if diff != "" {
			found++
			fmt.Fprintln(out, diff)
		}
	}
	fmt.Fprintf(out, "%d changed files of code, %d differ\n", compared, found)
	return found, nil
}

// parseNames reads OLD=NEW,... and returns the new names of each old one.
func parseNames(list string) (map[string][]string, error) {
	names := map[string][]string{}
	if list == "" {
		return names, nil
	}
	for _, pair := range strings.Split(list, ",") {
		old, to, ok := strings.Cut(pair, "=")
		if !ok || old == "" || to == "" || strings.Contains(to, "=") {
			return nil, fmt.Errorf("-names: %q is not OLD=NEW", pair)
		}
		names[old] = append(names[old], to)
	}
	return names, nil
}

// A change is a file that differs between the revisions: its path in each, relative to the root, empty where it does
// not exist.
type change struct{ old, new string }

func (c change) name() string {
	if c.new != "" {
		return c.new
	}
	return c.old
}

func isCode(path string) bool {
	return strings.HasSuffix(path, ".go") || strings.HasSuffix(path, ".s") && !strings.Contains(path, "testdata/")
}

// changed lists the changed files, including untracked ones in the worktree.
func changed(dir, from, to string, paths []string) ([]change, error) {
	args := []string{"diff", "--name-status", "-M", "-z", from}
	if to != "" {
		args = append(args, to)
	}
	text, err := git(dir, append(append(args, "--"), paths...)...)
	if err != nil {
		return nil, err
	}
	var all []change
	for fields := split(text); len(fields) != 0; {
		n := 2
		switch status := fields[0]; status[0] {
		case 'A':
			all = append(all, change{new: fields[1]})
		case 'D':
			all = append(all, change{old: fields[1]})
		case 'R':
			n = 3
			all = append(all, change{fields[1], fields[2]})
		case 'M', 'T':
			all = append(all, change{fields[1], fields[1]})
		default:
			return nil, fmt.Errorf("git diff: %s has status %s", fields[1], status)
		}
		fields = fields[n:]
	}
	if to != "" {
		return all, nil
	}
	text, err = git(dir, append([]string{"ls-files", "--others", "--exclude-standard", "--full-name", "-z", "--"}, paths...)...)
	for _, name := range split(text) {
		all = append(all, change{new: name})
	}
	return all, err
}

// split splits an output whose fields end with a NUL.
func split(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\x00"), "\x00")
}

// difference is the first place where the code of a file differs, in both revisions, or "".
func (c change) difference(top, from, to string, names map[string][]string) (string, error) {
	if c.old == "" {
		return c.new + ": not in the old revision", nil
	}
	if c.new == "" {
		return c.old + ": not in the new revision", nil
	}
	text, err := git(top, "show", from+":"+c.old)
	if err != nil {
		return "", err
	}
	old, err := tokens(c.old, text)
	if err != nil {
		return "", fmt.Errorf("old revision: %w", err)
	}
	if to != "" {
		text, err = git(top, "show", to+":"+c.new)
	} else {
		var data []byte
		data, err = os.ReadFile(filepath.Join(top, c.new))
		text = string(data)
	}
	if err != nil {
		return "", err
	}
	now, err := tokens(c.new, text)
	if err != nil {
		return "", fmt.Errorf("new revision: %w", err)
	}
	for i := range max(len(old), len(now)) {
		a, b := at(old, i), at(now, i)
		if a.text != b.text && !(a.name && b.name && slices.Contains(names[a.text], b.text)) {
			return fmt.Sprintf("%s:%s: %s; was %s at %s", c.new, b.place(), b.show(), a.show(), a.place()), nil
		}
	}
	return "", nil
}

// at returns token i, or one for the end of the file.
func at(all []token, i int) token {
	if i < len(all) {
		return all[i]
	}
	end := token{text: ""}
	if len(all) != 0 {
		end.line, end.col = all[len(all)-1].line, all[len(all)-1].col
	}
	return end
}

// git runs git and returns its output.
func git(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	var text, report strings.Builder
	cmd.Stdout, cmd.Stderr = &text, &report
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(report.String()))
	}
	return text.String(), nil
}
