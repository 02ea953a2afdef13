package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/heddle-gpu/heddle/internal/gpu/host"
)

func TestMain(m *testing.M) {
	host.Stage()                     // the test binary is the command
	os.Setenv("HEDDLE_CACHE", "off") // tests must not use the user's cache
	testscript.Main(m, map[string]func(){"heddle": main, "patch": patch, "joined": joinFiles, "cubin": writeCubin})
}

// TestScripts runs the command from outside; $ROOT is the repository.
func TestScripts(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:           filepath.Join("testdata", "script"),
		UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != "",
		Cmds:          map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "replace": replace},
		Setup: func(e *testscript.Env) error {
			e.Setenv("ROOT", root)
			return nil
		},
	})
}

// exits is a command of the scripts: a command must end with exactly that exit code. Its output is available to stdout,
// stderr and cmp as usual.
//
//	exits CODE COMMAND ARGUMENT...
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND ARGUMENT...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var e *exec.ExitError
	if errors.As(err, &e) {
		got = e.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// replace is a command of the scripts: it replaces a text in a file, which must be present.
//
//	replace OLD NEW FILE
func replace(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: replace OLD NEW FILE")
	}
	file := ts.MkAbs(args[2])
	text, err := os.ReadFile(file)
	ts.Check(err)
	changed := strings.ReplaceAll(string(text), args[0], args[1])
	if changed == string(text) {
		ts.Fatalf("%s has no %q", args[2], args[0])
	}
	ts.Check(os.WriteFile(file, []byte(changed), 0o666))
}

// TestScriptsSayExitCodes: a script that accepts any failure does not distinguish a failed check from bad usage, and
// one without a command checks nothing.
func TestScriptsSayExitCodes(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "script", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	vague := regexp.MustCompile(`(?m)^! *(exec|heddle).*`)
	command := regexp.MustCompile(`(?m)^(exits [0-9]+ |exec )?heddle `)
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range vague.FindAllString(string(text), -1) {
			t.Errorf("%s: say which: exits 1, or exits 2, %s", f, line)
		}
		if !command.Match(text) {
			t.Errorf("%s runs nothing", f)
		}
	}
}
