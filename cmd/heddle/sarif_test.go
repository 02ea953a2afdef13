package main

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// A sarifShape is the specification of an object in SARIF 2.1.0: the properties that it may have, and those that it
// must have. The schema permits no others.
type sarifShape struct {
	section  string
	required []string
	// has maps a property to the shape of its value, after [] for an array: string, uri, level, or a number's minimum.
	has map[string]string
}

// sarifShapes are the objects that heddle writes, with the properties that it may use.
var sarifShapes = map[string]sarifShape{
	"sarifLog": {"3.13", []string{"version", "runs"}, map[string]string{"$schema": "uri", "version": "string", "runs": "[]run"}},
	"run": {"3.14", []string{"tool"}, map[string]string{"tool": "tool", "results": "[]result", "columnKind": "columnKind",
		"artifacts": "[]artifactLocation", "invocations": "[]invocation"}},
	"invocation":   {"3.20", []string{"executionSuccessful"}, map[string]string{"executionSuccessful": "bool", "toolExecutionNotifications": "[]notification"}},
	"notification": {"3.58", []string{"message"}, map[string]string{"level": "level", "message": "message", "locations": "[]location"}},
	"suppression":  {"3.35", []string{"kind"}, map[string]string{"kind": "suppressionKind", "justification": "string"}},
	"tool":         {"3.18", []string{"driver"}, map[string]string{"driver": "toolComponent"}},
	"toolComponent": {"3.19", []string{"name"}, map[string]string{"name": "string", "version": "string", "informationUri": "absolute",
		"rules": "[]reportingDescriptor"}},
	"reportingDescriptor": {"3.49", []string{"id"}, map[string]string{"id": "string", "shortDescription": "multiformatMessageString",
		"fullDescription": "multiformatMessageString", "helpUri": "absolute", "defaultConfiguration": "reportingConfiguration"}},
	"multiformatMessageString": {"3.12", []string{"text"}, map[string]string{"text": "string"}},
	"reportingConfiguration":   {"3.50", nil, map[string]string{"level": "level"}},
	"result": {"3.27", []string{"message"}, map[string]string{"ruleId": "string", "ruleIndex": "-1", "level": "level", "message": "message",
		"locations": "[]location", "relatedLocations": "[]location", "suppressions": "[]suppression"}},
	// or an id, which heddle does not use
	"message":          {"3.11", []string{"text"}, map[string]string{"text": "string"}},
	"location":         {"3.28", nil, map[string]string{"physicalLocation": "physicalLocation", "message": "message"}},
	"physicalLocation": {"3.29", nil, map[string]string{"artifactLocation": "artifactLocation", "region": "region", "address": "address"}},
	"artifactLocation": {"3.4", []string{"uri"}, map[string]string{"uri": "uri"}},
	"region":           {"3.30", nil, map[string]string{"startLine": "1", "startColumn": "1", "byteOffset": "0", "byteLength": "0"}},
	"address":          {"3.32", nil, map[string]string{"absoluteAddress": "-1"}},
}

// sarifCheck checks a value against its shape. at is its path in the log.
func sarifCheck(t *testing.T, at, shape string, v any) {
	t.Helper()
	if item, is := shape, len(shape) > 2 && shape[:2] == "[]"; is {
		list, ok := v.([]any)
		if !ok {
			t.Errorf("%s: %T, want an array", at, v)
		}
		for i, x := range list {
			sarifCheck(t, fmt.Sprintf("%s[%d]", at, i), item[2:], x)
		}
		return
	}
	if s, ok := sarifShapes[shape]; ok {
		sarifObject(t, at, s, v)
		return
	}
	text, isText := v.(string)
	u, err := url.Parse(text)
	ok := isText && text != ""
	switch shape {
	case "string":
	case "uri":
		ok = ok && err == nil
	case "absolute":
		ok = ok && err == nil && u.IsAbs()
	case "level": // 3.27.10
		ok = slices.Contains([]string{"none", "note", "warning", "error"}, text)
	case "suppressionKind": // 3.35.2
		ok = slices.Contains([]string{"inSource", "external"}, text)
	case "bool":
		_, ok = v.(bool)
	case "columnKind": // 3.14.17
		ok = slices.Contains([]string{"utf16CodeUnits", "unicodeCodePoints"}, text)
	default:
		var least float64
		n, isNumber := v.(float64)
		_, err := fmt.Sscan(shape, &least)
		ok = isNumber && err == nil && n >= least && n == float64(int64(n))
	}
	if !ok {
		t.Errorf("%s: %v is no %s", at, v, shape)
	}
}

func sarifObject(t *testing.T, at string, s sarifShape, v any) {
	t.Helper()
	o, ok := v.(map[string]any)
	if !ok {
		t.Errorf("%s: %T, want an object (section %s)", at, v, s.section)
	}
	for _, name := range s.required {
		if o[name] == nil {
			t.Errorf("%s: no %s, which section %s requires", at, name, s.section)
		}
	}
	for name, x := range o {
		shape, known := s.has[name]
		if !known {
			t.Errorf("%s: section %s has no property %s", at, s.section, name)
			continue
		}
		sarifCheck(t, at+"."+name, shape, x)
	}
}

// sarifTies checks rules across objects: identifiers of rules are distinct, a result's index is that of its rule, a
// column requires a line, bytes require an offset, a location names a file.
func sarifTies(t *testing.T, s *sarifLog) (results int) {
	t.Helper()
	for _, run := range s.Runs {
		ids := map[string]bool{}
		for _, r := range run.Tool.Driver.Rules { // 3.19.23
			if ids[r.ID] {
				t.Errorf("two rules %s", r.ID)
			}
			ids[r.ID] = true
		}
		for _, r := range run.Results {
			results++
			// 3.27.6
			if r.RuleIndex < 0 || r.RuleIndex >= len(run.Tool.Driver.Rules) || run.Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID {
				t.Errorf("result of %s has index %d", r.RuleID, r.RuleIndex)
			}
			for _, l := range slices.Concat(r.Locations, r.Related) {
				g := l.Physical.Region
				if g != nil && (g.StartLine > 0) == (g.ByteOffset != nil) || g != nil && g.StartColumn > 0 && g.StartLine == 0 ||
					g != nil && g.ByteLength > 0 && g.ByteOffset == nil { // 3.30.2
					t.Errorf("%s: region %+v is neither lines nor bytes", r.RuleID, *g)
				}
			}
		}
	}
	return results
}

// TestSARIFShapes: output of lint and check is SARIF 2.1.0 according to the sections that the shapes name.
func TestSARIFShapes(t *testing.T) {
	object, err := filepath.Abs(filepath.Join("..", "..", "examples", "reduction", "reduce_lds.gfx803.hsaco"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.s":    "\ts_load_dword s4, s[0:1], 0x0\n\ts_add_u32 s5, s4, 1\n\ts_endpgm\n",
		"a.bin":  "\xff\xff\xff\xff\x00\x00\x81\xbf",
		"a.tsv":  "#isa\tstage\thex\ttext\tflags\tnote\ngcn:gfx8\t-\t000080bf\ts_nop 1\tAD\t\n",
		"none.s": "\ts_endpgm\n",
		"bad.s":  "\tno_such\n",
		"sup.s":  "\ts_load_dword s4, s[0:1], 0x0\n\ts_mov_b32 s5, s4 // heddle: ignore pending-read, why\n\ts_endpgm // heddle: ignore stage\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args    []string
		results bool
	}{
		{[]string{"lint", "--isa", "gcn", "--format", "sarif", "a.s"}, true},
		{[]string{"lint", "--isa", "gcn", "--format", "sarif", "a.bin"}, true},
		{[]string{"lint", "--isa", "gcn", "--format", "sarif", "none.s"}, false},
		{[]string{"lint", "--severity", "note", "--format", "sarif", object}, true},
		{[]string{"lint", "--isa", "gcn", "--format", "sarif", "sup.s"}, true},
		{[]string{"lint", "--isa", "gcn", "--format", "sarif", "a.s", "bad.s", object, "sup.s", "none"}, true},
		{[]string{"lint", "--isa", "gcn", "--format", "sarif", "--include", "none.s", "."}, false},
		{[]string{"check", "--format", "sarif", "a.tsv"}, true},
	} {
		cmd := exec.Command("heddle", c.args...)
		cmd.Dir = dir
		out, _ := cmd.Output() // it fails because of findings
		var v any
		var s sarifLog
		if json.Unmarshal(out, &v) != nil || json.Unmarshal(out, &s) != nil {
			t.Errorf("%q: no JSON: %.200s", c.args, out)
			continue
		}
		sarifCheck(t, fmt.Sprint(c.args[:1], c.args[len(c.args)-1]), "sarifLog", v)
		if n := sarifTies(t, &s); s.Version != "2.1.0" || len(s.Runs) != 1 || s.Runs[0].Results == nil || (n > 0) != c.results {
			t.Errorf("%q: version %s, %d runs, %d results", c.args, s.Version, len(s.Runs), n)
		}
	}
}

// TestSARIFColumns: columns count characters, not bytes; lines of ASCII are unaffected.
func TestSARIFColumns(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.s")
	text := "/* é漢😀 */ s_load_dword s4, s[0:1], 0x0\n\t/* é */ s_add_u32 s5, s4, 1\n  s_endpgm\n"
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	// it fails because of findings
	out, _ := exec.Command("heddle", "lint", "--isa", "gcn", "--format", "sarif", file).Output()
	var s sarifLog
	if err := json.Unmarshal(out, &s); err != nil || len(s.Runs) != 1 || len(s.Runs[0].Results) == 0 {
		t.Fatalf("%v: %.200s", err, out)
	}
	want := map[int]int{1: 11, 2: 10} // by line: the columns of s_load_dword and s_add_u32
	seen := 0
	for _, r := range s.Runs[0].Results {
		for _, l := range slices.Concat(r.Locations, r.Related) {
			if g := l.Physical.Region; g != nil && want[g.StartLine] != 0 {
				if seen++; g.StartColumn != want[g.StartLine] {
					t.Errorf("line %d: column %d, want %d", g.StartLine, g.StartColumn, want[g.StartLine])
				}
			}
		}
	}
	if seen == 0 {
		t.Error("no finding has a column")
	}
}
