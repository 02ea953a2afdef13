package lsp

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A marker is an expectation in a line of testdata:
//
//	text  //@ hover("text", "part of it") diag("text", error, "code", "part of the message")
//
// The first argument is the place: a text of the line. A line that begins with //@ refers to the previous line.
//
//	hover(AT, PART...)          the hover of AT contains each part
//	nohover(AT)                 there is none
//	diag(AT, SEVERITY, CODE, PART)   a diagnostic whose range is exactly AT; every diagnostic of the file has such a
//	                            marker
//	fix(AT, TITLE, LINE)        the quick fix of that title makes the line that; "+LINE": inserts that line before it
//	complete(AT, LABEL...)      is offered after AT; "!LABEL" is not
//	def(AT, LINE)               the definition is on that line of the file, from 1
//	refs(AT, N)                 the number of places, the definition included
//	high(AT, N)                 the number of highlights
//	rename(AT, NEW, N)          the number of edits; if N is a text, the refusal contains it
//	token(AT, TYPE)             is a token of that type
//	inlay(TEXT)                 is the inlay hint; inlay("") there is none
//	sign(AT, LABEL, N)          after AT a signature has the label, and parameter N is active
//	symbol(AT, KIND, LINE)      a symbol of that kind, whose range ends on that line
type marker struct {
	what string
	args []string
	line int // from 0, of the line it refers to
}

var markerForm = regexp.MustCompile(`(\w+)\(((?:[^()"]|"(?:[^"\\]|\\.)*")*)\)`)
var argForm = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|[\w-]+`)

func markersOf(t *testing.T, text string) (list []marker) {
	about := 0
	for n, line := range strings.Split(text, "\n") {
		code, says, ok := strings.Cut(line, "//@ ")
		if strings.TrimSpace(code) != "" {
			about = n
		}
		if !ok {
			continue
		}
		for _, m := range markerForm.FindAllStringSubmatch(says, -1) {
			k := marker{what: m[1], line: about}
			for _, a := range argForm.FindAllString(m[2], -1) {
				if a[0] == '"' {
					var err error
					if a, err = strconv.Unquote(a); err != nil {
						t.Fatalf("line %d: %v", n+1, err)
					}
				}
				k.args = append(k.args, a)
			}
			list = append(list, k)
		}
	}
	return list
}

// A marked file is a document of testdata in a session.
type marked struct {
	*peer
	t      *testing.T
	uri    string
	text   *text
	tokens map[string]string // by place and text
	expect []diagnostic      // without a marker so far
}

// TestMarkers: the server's answers for the files of testdata are those in their markers. There are files of all
// sets.
func TestMarkers(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "*.s"))
	if err != nil || len(files) < 6 {
		t.Fatal(files, err)
	}
	checks := map[string]func(*marked, marker){
		"hover": (*marked).hover, "nohover": (*marked).hover, "diag": (*marked).diag, "fix": (*marked).fix, "complete": (*marked).complete,
		"def": (*marked).def, "refs": (*marked).refs, "high": (*marked).high, "rename": (*marked).rename, "token": (*marked).token,
		"inlay": (*marked).inlay, "sign": (*marked).sign, "symbol": (*marked).symbol,
	}
	p := newPeer(t, Options{}, capable)
	seen := map[string]int{}
	for _, f := range files {
		t.Run(filepath.Base(f), func(t *testing.T) {
			src, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			m := &marked{peer: p, t: t, uri: "file:///" + filepath.Base(f), text: newText(string(src), utf16Encoding)}
			m.open(m.uri, string(src))
			m.expect = m.diagnostics(m.uri, 1)
			m.readTokens()
			for _, k := range markersOf(t, string(src)) {
				check := checks[k.what]
				if check == nil {
					t.Fatalf("line %d: no marker %q", k.line+1, k.what)
				}
				check(m, k)
				seen[k.what]++
			}
			for _, d := range m.expect {
				t.Errorf("line %d: a diagnostic without marker: %+v", d.Range.Start.Line+1, d)
			}
		})
	}
	for what := range checks {
		if seen[what] == 0 {
			t.Errorf("no marker %s", what)
		}
	}
}

func (m *marked) errorf(k marker, format string, args ...any) {
	m.t.Helper()
	m.t.Errorf("line %d: %s(%q): %s", k.line+1, k.what, k.args, fmt.Sprintf(format, args...))
}

// place returns the range of the first argument of a marker.
func (m *marked) place(k marker) textRange {
	line, _, _ := strings.Cut(m.text.line(k.line), "//@ ")
	n := strings.Index(line, k.args[0])
	if n < 0 {
		m.t.Fatalf("line %d: %q is not in it", k.line+1, k.args[0])
	}
	from := m.text.lines[k.line] + n
	return m.text.rangeOf(from, from+len(k.args[0]))
}

func (m *marked) params(k marker, p position, more ...any) map[string]any {
	return posOf(m.uri, p.Line, p.Character, more...)
}

func (m *marked) hover(k marker) {
	var h *hover
	m.ask("textDocument/hover", m.params(k, m.place(k).Start), &h)
	switch {
	case k.what == "nohover" && h != nil:
		m.errorf(k, "is %q", h.Contents.Value)
	case k.what == "hover" && h == nil:
		m.errorf(k, "there is none")
	case h != nil:
		for _, part := range k.args[1:] {
			if !strings.Contains(h.Contents.Value, part) {
				m.errorf(k, "%q is not in\n%s", part, h.Contents.Value)
			}
		}
	}
}

func (m *marked) diag(k marker) {
	r := m.place(k)
	severity := slices.Index([]string{"", "error", "warning", "information", "hint"}, k.args[1])
	for i, d := range m.expect {
		if d.Range == r && d.Severity == severity && d.Code == k.args[2] && d.Source == "heddle" && strings.Contains(d.Message, k.args[3]) {
			m.expect = slices.Delete(m.expect, i, i+1)
			return
		}
	}
	m.errorf(k, "at %v there is none; there are %+v", r, m.expect)
}

func (m *marked) fix(k marker) {
	var list []codeAction
	m.ask("textDocument/codeAction", map[string]any{"textDocument": documentID{m.uri}, "range": m.place(k), "context": map[string]any{"diagnostics": []any{}}}, &list)
	for _, a := range list {
		if a.Title != k.args[1] {
			continue
		}
		e := a.Edit.Changes[m.uri][0]
		after := m.text.apply(&contentChange{&e.Range, e.NewText})
		code, _, _ := strings.Cut(after.line(k.line), "//@ ")
		want, added := strings.CutPrefix(k.args[2], "+")
		if got := strings.TrimRight(code, " \t"); got != want || added != (len(after.lines) > len(m.text.lines)) {
			m.errorf(k, "the line becomes %q", got)
		}
		return
	}
	m.errorf(k, "is none of %+v", list)
}

func (m *marked) complete(k marker) {
	var list completionList
	m.ask("textDocument/completion", m.params(k, m.place(k).End), &list)
	for _, label := range k.args[1:] {
		want := true
		if label[0] == '!' {
			want, label = false, label[1:]
		}
		i := slices.IndexFunc(list.Items, func(it completionItem) bool { return it.Label == label })
		if (i >= 0) != want {
			m.errorf(k, "%s is offered: %t, of %d", label, i >= 0, len(list.Items))
		} else if i >= 0 && list.Items[i].Data != nil {
			var it completionItem
			m.ask("completionItem/resolve", list.Items[i], &it)
			if it.Documentation == nil || !strings.Contains(it.Documentation.Value, "**Meaning**") {
				m.errorf(k, "%s resolves to %+v", label, it)
			}
		}
	}
}

func (m *marked) def(k marker) {
	var list []location
	m.ask("textDocument/definition", m.params(k, m.place(k).Start), &list)
	if len(list) == 0 || fmt.Sprint(list[0].Range.Start.Line+1) != k.args[1] || list[0].URI != m.uri {
		m.errorf(k, "is %+v", list)
	}
}

func (m *marked) refs(k marker) {
	var all, uses []location
	m.ask("textDocument/references", m.params(k, m.place(k).Start, "context", map[string]bool{"includeDeclaration": true}), &all)
	m.ask("textDocument/references", m.params(k, m.place(k).Start), &uses)
	if fmt.Sprint(len(all)) != k.args[1] || len(uses) >= len(all) {
		m.errorf(k, "%d places, %d of them no definitions: %+v", len(all), len(uses), all)
	}
}

func (m *marked) high(k marker) {
	var list []documentHighlight
	m.ask("textDocument/documentHighlight", m.params(k, m.place(k).Start), &list)
	if fmt.Sprint(len(list)) != k.args[1] {
		m.errorf(k, "%d highlights: %+v", len(list), list)
	}
}

func (m *marked) rename(k marker) {
	var e workspaceEdit
	err := m.try("textDocument/rename", m.params(k, m.place(k).Start, "newName", k.args[1]), &e)
	n, bad := strconv.Atoi(k.args[2])
	switch {
	case bad != nil && (err == nil || !strings.Contains(err.Error(), k.args[2])):
		m.errorf(k, "the refusal is %v", err)
	case bad == nil && (err != nil || len(e.Changes[m.uri]) != n):
		m.errorf(k, "%d edits, %v", len(e.Changes[m.uri]), err)
	case bad == nil:
		for _, x := range e.Changes[m.uri] {
			if old := m.text.s[m.text.offset(x.Range.Start):m.text.offset(x.Range.End)]; old != k.args[0] || x.NewText != k.args[1] {
				m.errorf(k, "%q becomes %q", old, x.NewText)
			}
		}
	}
}

// readTokens reads the semantic tokens of the file.
func (m *marked) readTokens() {
	var data tokenData
	m.ask("textDocument/semanticTokens/full", docParams{documentID{m.uri}}, &data)
	m.tokens = map[string]string{}
	line, char := 0, 0
	for d := data.Data; len(d) >= 5; d = d[5:] {
		if d[0] > 0 {
			char = 0
		}
		line, char = line+d[0], char+d[1]
		from := m.text.offset(position{line, char})
		text := m.text.s[from:m.text.offset(position{line, char + d[2]})]
		if strings.ContainsAny(text, "\r\n") || text == "" {
			m.t.Errorf("line %d: a token %q", line+1, text)
		}
		m.tokens[fmt.Sprint(line, text)] = tokenTypes()[d[3]]
	}
}

func (m *marked) token(k marker) {
	if got := m.tokens[fmt.Sprint(k.line, k.args[0])]; got != k.args[1] {
		m.errorf(k, "is %q", got)
	}
}

func (m *marked) inlay(k marker) {
	var list []inlayHint
	m.ask("textDocument/inlayHint", map[string]any{"textDocument": documentID{m.uri}, "range": textRange{position{k.line, 0}, position{k.line + 1, 0}}}, &list)
	got := ""
	for _, h := range list {
		if got += h.Label; h.Position.Line != k.line {
			m.errorf(k, "a hint of line %d", h.Position.Line+1)
		}
	}
	if got != k.args[0] {
		m.errorf(k, "is %q", got)
	}
}

func (m *marked) sign(k marker) {
	var h signatureHelp
	m.ask("textDocument/signatureHelp", m.params(k, m.place(k).End), &h)
	if !slices.ContainsFunc(h.Signatures, func(s signature) bool { return s.Label == k.args[1] }) || fmt.Sprint(h.ActiveParameter) != k.args[2] {
		m.errorf(k, "is %+v", h)
	}
}

func (m *marked) symbol(k marker) {
	var list []documentSymbol
	m.ask("textDocument/documentSymbol", docParams{documentID{m.uri}}, &list)
	kinds := map[int]string{kindFunction: "function", kindConstant: "constant", kindVariable: "variable", kindKey: "key"}
	for len(list) > 0 {
		y := list[0]
		list = append(list[1:], y.Children...)
		if y.Name == k.args[0] && y.SelectionRange == m.place(k) && kinds[y.Kind] == k.args[1] && fmt.Sprint(y.Range.End.Line+1) == k.args[2] {
			return
		}
	}
	m.errorf(k, "there is none")
}
