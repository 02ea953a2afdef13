package site

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
)

// TestSearch: the entries of the index exist, and each instruction, encoding, kind, option, rule, section and op has
// one.
func TestSearch(t *testing.T) {
	files := site5(t)
	ids := map[string]map[string]bool{}
	for name, data := range files {
		if strings.HasSuffix(name, ".html") {
			_, ids[name] = linksAndIDs(t, name, data)
		}
	}
	found := map[string]bool{}
	for _, e := range searchEntries(t, files["search.js"]) {
		file, anchor, _ := strings.Cut(e.at, "#")
		if files[file] == nil || anchor != "" && !ids[file][anchor] {
			t.Errorf("%s, %s: there is no %s", e.name, e.what, e.at)
		}
		found[e.what+": "+e.name] = true
	}
	for name := range files {
		if path, ok := strings.CutSuffix(name, ".html"); ok && strings.Count(path, "/") > 0 && !strings.Contains(" index reference options rules kinds encodings ", " "+path[strings.LastIndex(path, "/")+1:]+" ") {
			if !strings.Contains(string(files["search.js"]), heading(files[name])) {
				t.Errorf("%s: %q is not in the index", name, heading(files[name]))
			}
		}
	}
	for _, want := range []string{"gcn: v_add_f32", "encoding of gcn: VOP3", "operand kind of gcn: a source operand", "operand kind of gcn: glc", "option of rogue: rounding", "rule of gcn: constant-bus",
		"op of the IR: fadd", "reference of gcn: 7.6 VOP1 and VOP2"} {
		if !found[want] {
			t.Errorf("no %s", want)
		}
	}
}

// heading returns the first heading of a page as JSON has it, without its small parts.
func heading(page []byte) string {
	m := regexp.MustCompile(`<h1>([^<]*?)( <small>.*)?</h1>`).FindSubmatch(page)
	if m == nil {
		return "no heading"
	}
	return `"` + strings.ReplaceAll(string(m[1]), "&#34;", `\"`) + `"`
}

// An entry is an entry of the index as site.js reads it.
type entry struct{ name, what, at string }

// searchEntries parses the index as site.js does.
func searchEntries(t *testing.T, script []byte) (list []entry) {
	t.Helper()
	text, ok := strings.CutPrefix(string(script), "heddleIndex(")
	var shelves [][4]json.RawMessage
	if err := json.Unmarshal([]byte(strings.TrimSuffix(text, ")\n")), &shelves); err != nil || !ok {
		t.Fatalf("%v in %.100s", err, script)
	}
	read := func(data []byte, v any) {
		if err := json.Unmarshal(data, v); err != nil {
			t.Fatalf("%v in %.200s", err, data)
		}
	}
	other, edges, dashes := regexp.MustCompile(`[^a-z0-9_.]`), regexp.MustCompile(`^[-.]+|[-.]+$`), regexp.MustCompile(`-{2,}`)
	for _, s := range shelves {
		var what, before, after string
		read(s[0], &what)
		read(s[1], &before)
		read(s[2], &after)
		var entries []json.RawMessage
		read(s[3], &entries)
		for _, e := range entries {
			var parts []string
			if e[0] == '"' {
				parts = make([]string, 1)
				read(e, &parts[0])
			} else {
				read(e, &parts)
			}
			at := ""
			if len(parts) == 3 {
				at = parts[2]
			}
			if at == "" {
				at = dashes.ReplaceAllString(edges.ReplaceAllString(other.ReplaceAllString(strings.ToLower(parts[0]), "-"), ""), "-")
			}
			list = append(list, entry{parts[0], what, before + at + after})
		}
	}
	return list
}
