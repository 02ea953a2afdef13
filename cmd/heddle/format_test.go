package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// hostile is a name with characters that are special in XML, JSON, URIs and terminals.
const hostile = "a<b>&\"c' %41#?\x1b[2J\u009b.s"

// reportOf runs the command in a folder with a program, and a table, of that name, both with errors.
func reportOf(t *testing.T, args ...string) []byte {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		hostile:          "\ts_load_dword s4, s[0:1], 0x0\n\ts_add_u32 s5, s4, 1\n\ts_endpgm\n",
		hostile + ".tsv": "#isa\tstage\thex\ttext\tflags\tnote\ngcn:gfx8\t-\t000080bf\ts_nop <&\x1b[2J]]>\tAD\t\ngcn:gfx8\t-\t000080bf\ts_nop 0\tA\t\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	c := exec.Command("heddle", args...)
	c.Dir = dir
	out, _ := c.Output()
	if c.ProcessState.ExitCode() != 1 {
		t.Fatalf("exit code %d", c.ProcessState.ExitCode())
	}
	if bytes.ContainsAny(out, "\x1b") || bytes.Contains(out, []byte("\u009b")) || bytes.Contains(out, []byte("\ufffd")) {
		t.Errorf("%q", out)
	}
	return out
}

// TestJUnit: reports are valid XML with correct counts, and names are preserved.
func TestJUnit(t *testing.T) {
	for _, c := range []struct {
		args         []string
		tests, fails int
		name         string
	}{
		{[]string{"lint", "--isa", "gcn", "--format", "junit", hostile}, 1, 1, `pending-read a<b>&"c' %41#?\x1b[2J\u009b.s:2:2`},
		{[]string{"check", "--format", "junit", hostile + ".tsv"}, 3, 2, `A s_nop <&\x1b[2J]]>`},
	} {
		var s junitSuites
		out := reportOf(t, c.args...)
		if err := xml.Unmarshal(out, &s); err != nil {
			t.Fatal(err)
		}
		tests, fails, named := 0, 0, false
		for _, suite := range s.Suites {
			if suite.Tests != len(suite.Cases) || suite.Name == "" {
				t.Errorf("suite %q: %d tests, %d cases", suite.Name, suite.Tests, len(suite.Cases))
			}
			for _, x := range suite.Cases {
				tests++
				if x.Failure != nil {
					fails++
					if x.Failure.Message == "" || x.Failure.Type == "" {
						t.Errorf("%s: %+v", x.Name, x.Failure)
					}
				}
				named = named || strings.ReplaceAll(x.Name, `\u001b`, `\x1b`) == c.name
			}
		}
		if tests != c.tests || s.Tests != tests || fails != c.fails || s.Failures != fails || !named {
			t.Errorf("%q: %d tests, %d failures\n%s", c.args, tests, fails, out)
		}
	}
}

// TestSARIF: each result has a listed rule, a level, and a location in a file that its URI names.
func TestSARIF(t *testing.T) {
	for _, c := range []struct {
		args    []string
		file    string
		results int
	}{
		{[]string{"lint", "--isa", "gcn", "--format", "sarif", hostile}, hostile, 1},
		{[]string{"check", "--format", "sarif", hostile + ".tsv"}, hostile + ".tsv", 2},
	} {
		var s sarifLog
		out := reportOf(t, c.args...)
		d := json.NewDecoder(bytes.NewReader(out))
		d.DisallowUnknownFields()
		if err := d.Decode(&s); err != nil {
			t.Fatal(err)
		}
		if s.Version != "2.1.0" || s.Schema != sarifSchema || len(s.Runs) != 1 {
			t.Fatalf("%s", out)
		}
		rules, results := s.Runs[0].Tool.Driver.Rules, s.Runs[0].Results
		if len(results) != c.results {
			t.Errorf("%d results", len(results))
		}
		for _, r := range rules {
			if r.ID == "" || r.Short.Text == "" || r.Config.Level == "" {
				t.Errorf("%+v", r)
			}
		}
		for _, r := range results {
			if r.RuleIndex < 0 || rules[r.RuleIndex].ID != r.RuleID || r.Level != "error" || r.Message.Text == "" || len(r.Locations) != 1 {
				t.Errorf("%+v", r)
				continue
			}
			p := r.Locations[0].Physical
			u, err := url.Parse(p.Artifact.URI)
			if err != nil || u.Path != c.file || u.Fragment != "" || u.RawQuery != "" {
				t.Errorf("%q is %q: %v", p.Artifact.URI, u, err)
			}
			if p.Region == nil || p.Region.StartLine != 2 {
				t.Errorf("%+v", p.Region)
			}
		}
	}
}
