package trial

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestAdding follows "Adding an instruction" of CONTRIBUTING.md. HEDDLE_TRIAL=1 tries all sets,
// HEDDLE_TRIAL=gcn,rogue those two. All of them are tried in one copy, so that tests of all sets run once.
func TestAdding(t *testing.T) {
	list := chosen(t)
	tr := newTree(t)
	for _, s := range []struct {
		name string
		f    func(t *testing.T, tr *tree, in *instruction)
	}{
		{"1-row-and-2-meaning", addRow},
		{"commands", commands},
		{"tests-ask", testsAsk},
		{"3-golden-line", addGolden},
		{"4-case", addCase},
		{"4-digest-asks", digestAsks},
		{"5-gen", generate},
		{"tests-pass", testsPass},
	} {
		ok := t.Run(s.name, func(t *testing.T) {
			for i := range list {
				t.Run(list[i].set, func(t *testing.T) { s.f(t, tr, &list[i]) })
			}
		})
		if !ok {
			return // what follows needs it
		}
	}
}

// chosen are the instructions of the sets that HEDDLE_TRIAL names.
func chosen(t *testing.T) (list []instruction) {
	text := os.Getenv("HEDDLE_TRIAL")
	if text == "" {
		t.Skip("adds an instruction to a copy of the tree and runs the tests there, which takes minutes: make trial, or HEDDLE_TRIAL=gcn,rogue go test -timeout 1h ./internal/trial")
	}
	if text == "1" {
		return instructions
	}
	for _, name := range strings.Split(text, ",") {
		i := slices.IndexFunc(instructions, func(in instruction) bool { return in.set == name })
		if i < 0 {
			t.Fatalf("HEDDLE_TRIAL: no instruction is invented for %q", name)
		}
		list = append(list, instructions[i])
	}
	return list
}

// addRow adds the row and its meaning.
func addRow(t *testing.T, tr *tree, in *instruction) {
	tr.edit(t, in.row)
	tr.edit(t, in.meaning)
	if out := tr.run(t, "gofmt", "-l", filepath.Join("isa", in.set)); out != "" {
		t.Errorf("gofmt would change %s", out)
	}
}

// commands: the command assembles, disassembles, runs and explains the instruction, by its row alone.
func commands(t *testing.T, tr *tree, in *instruction) {
	tr.run(t, "go", "build", "-o", tr.heddle(), "./cmd/heddle")
	file := filepath.Join(t.TempDir(), "x.s")
	write(t, file, in.text+"\n")
	if got := strings.TrimSpace(tr.run(t, tr.heddle(), "asm", "--isa", in.isa, "--lines", file)); got != in.hex {
		t.Errorf("asm gives %q, want %s", got, in.hex)
	}
	write(t, file, in.hex+"\n")
	if got := strings.TrimSpace(tr.run(t, tr.heddle(), "dis", "--isa", in.isa, "--lines", file)); got != in.text {
		t.Errorf("dis gives %q, want %q", got, in.text)
	}
	if got := tr.run(t, tr.heddle(), "explain", "--isa", in.isa, in.text); !strings.Contains(got, in.doc) {
		t.Errorf("explain does not say %q:\n%s", in.doc, got)
	}
	got := tr.frame(t, in).final()["regs"]
	if text := marshal(t, got); text != marshal(t, in.want) {
		t.Errorf("eval gives %s, want %s", text, marshal(t, in.want))
	}
}

// testsAsk: tests fail that name the row and what it wants.
func testsAsk(t *testing.T, tr *tree, in *instruction) {
	for _, a := range append(in.asked, asked{"./internal/gen", "^TestUpToDate$", "docs/isa-" + in.set + ".md is not what the tables give: run go run ./internal/gen"}) {
		tr.refuses(t, a)
	}
}

// addGolden adds a line without the text, which -update writes; where the opcode was one that does not decode, it
// rewrites those lines too.
func addGolden(t *testing.T, tr *tree, in *instruction) {
	tr.edit(t, in.lists)
	if in.golden == "" {
		return
	}
	file := filepath.Join("isa", in.set, "testdata", in.golden)
	tr.edit(t, []edit{{file: file, text: in.hex + " | "}})
	tr.run(t, "go", "test", "./isa/"+in.set, "-run", "^TestGolden$", "-update")
	data, err := os.ReadFile(filepath.Join(tr.dir, file))
	if err != nil {
		t.Fatal(err)
	}
	if line := in.hex + " | " + in.text + "\n"; !strings.HasSuffix(string(data), line) {
		t.Errorf("%s does not end with %q", file, line)
	}
}

// addCase adds a case with the values that the table gives, and the formula that some rows need besides.
func addCase(t *testing.T, tr *tree, in *instruction) {
	tr.edit(t, in.formula)
	c := tr.frame(t, in)
	c.final()["regs"] = in.want
	file := filepath.Join("cases", "state", in.set+"-trial.jsonl")
	write(t, filepath.Join(tr.dir, file), marshal(t, c)+"\n")
	if out := tr.run(t, tr.heddle(), "check", file); !strings.Contains(out, "1 passed, 0 failed, 0 skipped") {
		t.Errorf("heddle check: %s", out)
	}
}

// digestAsks: a new file of cases has no digests until they are recorded, of the sets that internal/digest compares.
func digestAsks(t *testing.T, tr *tree, in *instruction) {
	if !in.digests {
		return
	}
	run := "^TestDigests$/^cases$/^state$/^" + in.set + "-trial$"
	tr.refuses(t, asked{"./internal/digest", run, "go test ./internal/digest -update"})
	tr.run(t, "go", "test", "./internal/digest", "-update", "-run", run)
}

// generate writes what is made of the tables.
func generate(t *testing.T, tr *tree, in *instruction) {
	tr.run(t, "go", "run", "./internal/gen")
	page := filepath.Join("docs", "isa-"+in.set+".md")
	data, err := os.ReadFile(filepath.Join(tr.dir, page))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(data, []byte(in.name)) {
		t.Errorf("%s does not name %s", page, in.name)
	}
	for _, a := range in.recorded {
		tr.refuses(t, a.asked)
		tr.run(t, a.by[0], a.by[1:]...)
	}
}

// testsPass: the tests that matter for one set pass.
func testsPass(t *testing.T, tr *tree, in *instruction) {
	tr.run(t, "make", "test-isa", "SET="+in.set)
}

// A tree is a copy of the tracked files.
type tree struct{ dir string }

func newTree(t *testing.T) *tree {
	tr := &tree{t.TempDir()}
	root := filepath.Join("..", "..")
	list, err := exec.Command("git", "-C", root, "ls-files", "-z").Output()
	if err != nil {
		t.Fatal("git ls-files: ", err)
	}
	for _, name := range strings.Split(strings.TrimSuffix(string(list), "\x00"), "\x00") {
		data, err := os.ReadFile(filepath.Join(root, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed, but not committed yet
		} else if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(tr.dir, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			t.Fatal(err)
		}
		write(t, to, string(data))
	}
	return tr
}

func (tr *tree) heddle() string { return filepath.Join(tr.dir, "build", "heddle") }

// An edit adds a line to a file after the only one that contains some text, or at the end; or it removes that line,
// or replaces that text.
type edit struct {
	file, after, text string
	remove, replace   bool
}

func (tr *tree) edit(t *testing.T, list []edit) {
	t.Helper()
	for _, e := range list {
		file := filepath.Join(tr.dir, e.file)
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.SplitAfter(string(data), "\n")
		at := len(lines) - 1
		if e.after != "" {
			has := func(line string) bool { return strings.Contains(line, e.after) }
			if at = slices.IndexFunc(lines, has); at < 0 || slices.ContainsFunc(lines[at+1:], has) {
				t.Fatalf("%s: not one line has %q: the trial is out of date", e.file, e.after)
			}
			at++
		}
		switch {
		case e.remove:
			lines = slices.Delete(lines, at-1, at)
		case e.replace:
			lines[at-1] = strings.Replace(lines[at-1], e.after, e.text, 1)
		default:
			lines = slices.Insert(lines, at, e.text+"\n")
		}
		write(t, file, strings.Join(lines, ""))
	}
}

// asked is a test that fails, and what it says.
type asked struct{ pkg, run, says string }

// refuses checks that it does. Without run all tests of the package are asked for.
func (tr *tree) refuses(t *testing.T, a asked) {
	t.Helper()
	args := []string{"test", a.pkg}
	if a.run != "" {
		args = append(args, "-run", a.run)
	}
	out, err := tr.try(t, "go", args...)
	if err == nil {
		t.Errorf("go %s passes, and is to say %q", strings.Join(args, " "), a.says)
	} else if !strings.Contains(out, a.says) {
		t.Errorf("go %s does not say %q:\n%s", strings.Join(args, " "), a.says, out)
	}
}

func (tr *tree) try(t *testing.T, name string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = tr.dir
	cmd.Env = append(os.Environ(), "HEDDLE_TRIAL=")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), err
}

// run is for what is to succeed.
func (tr *tree) run(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := tr.try(t, name, args...)
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return out
}

// A frame is a state case.
type frame map[string]any

func (f frame) final() map[string]any { return f["final"].(map[string]any) }

// frame is the case that eval writes.
func (tr *tree) frame(t *testing.T, in *instruction) (f frame) {
	t.Helper()
	out := tr.run(t, tr.heddle(), append([]string{"eval", "--json", "--name", in.set + "-trial", "--isa", in.isa, cmp.Or(in.program, in.text)}, in.regs...)...)
	if err := json.Unmarshal([]byte(out), &f); err != nil {
		t.Fatal(err)
	}
	if _, ok := f["final"].(map[string]any); !ok {
		t.Fatalf("eval writes no final state: %s", out)
	}
	return f
}

func marshal(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
