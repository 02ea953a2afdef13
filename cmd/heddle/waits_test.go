package main

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A lostWait is a finding in any format: the file and line of its instruction, and the rule.
type lostWait struct {
	file string
	line int
	rule string
}

// TestLostWaits removes each s_waitcnt of five texts from clang, one at a time. Every resulting finding has the file
// and line of its instruction, in all four formats. The text itself proves that the line is right: the instruction is
// in it, and its .loc is the last one before it.
func TestLostWaits(t *testing.T) {
	dir := t.TempDir()
	files := withoutWaits(t, dir)
	got := map[string][]lostWait{}
	for format, read := range map[string]func(*testing.T, string, map[string][]string) []lostWait{"text": lostText, "json": lostJSON, "sarif": lostSARIF, "junit": lostJUnit} {
		out, err := os.Create(filepath.Join(dir, format))
		if err != nil {
			t.Fatal(err)
		}
		if code := newApp(t.Context(), os.Stdin, out, os.Stderr).run([]string{"lint", "--format", format, dir}); code != 1 {
			t.Fatalf("%s: exit code %d", format, code)
		}
		out.Close()
		text, err := os.ReadFile(out.Name())
		if err != nil {
			t.Fatal(err)
		}
		list := read(t, string(text), files)
		slices.SortFunc(list, func(a, b lostWait) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		got[format] = list
	}
	found := map[string]bool{}
	for _, x := range got["json"] {
		found[x.file] = true
	}
	t.Logf("%d texts that lack a wait, %d with findings, %d findings", len(files), len(found), len(got["json"]))
	if len(files) < 70 || len(found) < 60 {
		t.Errorf("%d texts, of which %d have findings", len(files), len(found))
	}
	for format, list := range got {
		if !slices.Equal(list, got["json"]) {
			t.Errorf("%s has other findings than json: %v; %v", format, list, got["json"])
		}
	}
}

// withoutWaits writes the texts to a folder, each without one of its waits, and returns their lines.
func withoutWaits(t *testing.T, dir string) map[string][]string {
	names, err := filepath.Glob("testdata/waits/*.s")
	if err != nil || len(names) != 5 {
		t.Fatal(names, err)
	}
	files := map[string][]string{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(text), "\n")
		for i, line := range lines {
			if !strings.HasPrefix(line, "\ts_waitcnt ") {
				continue
			}
			lost := slices.Clone(lines)
			lost[i] = "\t; " + line
			path := filepath.Join(dir, fmt.Sprintf("%s.%d.s", strings.TrimSuffix(filepath.Base(name), ".s"), i+1))
			if err := os.WriteFile(path, []byte(strings.Join(lost, "\n")), 0o666); err != nil {
				t.Fatal(err)
			}
			files[path] = lost
		}
	}
	return files
}

func lostText(t *testing.T, out string, _ map[string][]string) (list []lostWait) {
	first := regexp.MustCompile(`^(.*\.s):(\d+):2: (?:error|warning): .* \[([a-z-]+)\] in ".*" at 0x[0-9a-f]+ <`)
	for _, line := range strings.Split(out, "\n") {
		if line == "" || strings.HasPrefix(line, "    ") {
			continue
		}
		m := first.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("a finding without a line: %s", line)
		}
		n, _ := strconv.Atoi(m[2])
		list = append(list, lostWait{m[1], n, m[3]})
	}
	return list
}

func lostJSON(t *testing.T, out string, files map[string][]string) (list []lostWait) {
	type instruction struct {
		File, Text string
		Line, Col  int
		SourceFile string `json:"source_file"`
		SourceLine int    `json:"source_line"`
	}
	sourced := 0
	for _, line := range strings.Split(strings.TrimSpace(out), "\n") {
		var r struct {
			Findings []struct {
				instruction
				Rule  string
				Other *instruction
			}
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		for _, f := range r.Findings {
			list = append(list, lostWait{f.File, f.Line, f.Rule})
			for _, in := range []*instruction{&f.instruction, f.Other} {
				if in == nil {
					continue
				}
				lines := files[in.File]
				if in.Line < 1 || in.Line > len(lines) || in.Col != 2 {
					t.Fatalf("an instruction without a place: %+v", in)
				}
				if want := strings.Fields(lines[in.Line-1])[0]; want != strings.Fields(in.Text)[0] {
					t.Errorf("%s:%d is %s, the finding says %s", in.File, in.Line, want, in.Text)
				}
				sourced += min(in.SourceLine, 1)
				if file, n := lastLoc(lines[:in.Line]); n != in.SourceLine || n != 0 && file != in.SourceFile {
					t.Errorf("%s:%d is of line %d of %s, the finding says %d of %s", in.File, in.Line, n, file, in.SourceLine, in.SourceFile)
				}
			}
		}
	}
	if sourced < 40 {
		t.Errorf("%d instructions have a line of the source", sourced)
	}
	return list
}

// lastLoc returns the line of the last .loc and the file in clang's comment after it; 0: there is none.
func lastLoc(lines []string) (file string, line int) {
	for _, x := range slices.Backward(lines) {
		f := strings.Fields(x)
		if len(f) > 3 && f[0] == ".loc" {
			line, _ = strconv.Atoi(f[2])
			at := strings.LastIndex(x, "; ")
			file, _, _ = strings.Cut(x[at+2:], ":")
			return filepath.Base(file), line
		}
	}
	return "", 0
}

func lostSARIF(t *testing.T, out string, _ map[string][]string) (list []lostWait) {
	var log struct {
		Runs []struct {
			Results []struct {
				RuleID    string
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine, StartColumn int }
					}
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(out), &log); err != nil {
		t.Fatal(err)
	}
	for _, r := range log.Runs[0].Results {
		p := r.Locations[0].PhysicalLocation
		if p.Region.StartColumn != 2 {
			t.Errorf("%s: %+v", r.RuleID, p)
		}
		list = append(list, lostWait{strings.TrimPrefix(p.ArtifactLocation.URI, "file://"), p.Region.StartLine, r.RuleID})
	}
	return list
}

func lostJUnit(t *testing.T, out string, _ map[string][]string) (list []lostWait) {
	var all struct {
		Suites []struct {
			Cases []struct {
				Name string `xml:"name,attr"`
				File string `xml:"file,attr"`
				Line int    `xml:"line,attr"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal([]byte(out), &all); err != nil {
		t.Fatal(err)
	}
	for _, s := range all.Suites {
		for _, c := range s.Cases {
			if c.Name != "no errors" {
				rule, _, _ := strings.Cut(c.Name, " ")
				list = append(list, lostWait{c.File, c.Line, rule})
			}
		}
	}
	return list
}
