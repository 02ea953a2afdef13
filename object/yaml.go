package object

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Limits of metadata as text.
const (
	maxYAMLNodes = 1 << 18
	maxYAMLDepth = 32
)

// A node is a value of a document: of metadata as YAML text or as MessagePack.
type node struct {
	kind   nodeKind
	text   string // of a scalar
	quoted bool   // the scalar is a string, whatever its text
	keys   []string
	items  []node // of a list, or the values of keys
	line   int    // from 1
}

type nodeKind uint8

const (
	scalarNode nodeKind = iota // a plain scalar without text is null
	listNode
	mapNode
)

// at returns the value of a key, nil if there is none.
func (n *node) at(key string) *node {
	for i, k := range n.keys {
		if k == key {
			return &n.items[i]
		}
	}
	return nil
}

// A yamlLine is a line that is not blank, without its comment.
type yamlLine struct {
	indent int
	text   string
	num    int
}

// A yamlReader reads the subset of YAML in which compilers write metadata: maps, lists and scalars, in block and flow
// style. There are no anchors, so a document is never larger than its text.
type yamlReader struct {
	lines []yamlLine
	pos   int
	nodes int
	last  int // number of the line after the text
}

func (r *yamlReader) fail(line int, format string, args ...any) *Error {
	return &Error{Code: "syntax", Line: line, Msg: fmt.Sprintf(format, args...)}
}

// readYAML reads one document. Errors have the line, from 1.
func readYAML(text string) (node, error) {
	r := &yamlReader{}
	if err := r.split(text); err != nil {
		return node{}, err
	}
	if len(r.lines) == 0 {
		return node{line: 1}, nil
	}
	n, err := r.block(r.lines[0].indent, 0)
	if err != nil {
		return n, err
	}
	if r.pos < len(r.lines) {
		l := r.lines[r.pos]
		return n, r.fail(l.num, "%q is indented otherwise than what it belongs to", l.text)
	}
	return n, nil
}

// split collects the lines between --- and ... .
func (r *yamlReader) split(text string) error {
	for line := range strings.Lines(text) {
		r.last++
		if !utf8.ValidString(line) {
			return r.fail(r.last, "the line is no UTF-8")
		}
		line = strings.TrimRight(line, " \t\r\n")
		if line == "..." {
			break
		}
		if line == "---" {
			if len(r.lines) > 0 {
				break // another document
			}
			continue
		}
		body := strings.TrimLeft(line, " ")
		if body = strings.TrimRight(body[:commentAt(body)], " \t"); body == "" {
			continue
		}
		if body[0] == '\t' {
			return r.fail(r.last, "a tab in front of %q: want blanks", strings.TrimSpace(body))
		}
		r.lines = append(r.lines, yamlLine{len(line) - len(strings.TrimLeft(line, " ")), body, r.last})
	}
	return nil
}

// commentAt returns the position of a line's comment, its length if it has none.
func commentAt(s string) int {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case (c == '"' || c == '\'') && scalarBegins(s[:i]):
			n := quotedEnd(s[i:])
			if n < 0 {
				return len(s)
			}
			i += n - 1
		case c == '#' && (i == 0 || s[i-1] == ' ' || s[i-1] == '\t'):
			return i
		}
	}
	return len(s)
}

// scalarBegins reports whether a scalar may begin after a text; elsewhere a quote is an ordinary character.
func scalarBegins(s string) bool {
	t := strings.TrimRight(s, " \t")
	if t == "" || strings.IndexByte("[{,:-", t[len(t)-1]) >= 0 {
		return true
	}
	return len(t) < len(s) && t[strings.LastIndexAny(t, " \t[{,:-")+1] == '!'
}

// count limits the number of nodes of a document and their nesting.
func (r *yamlReader) count(line, depth int) error {
	if r.nodes++; r.nodes > maxYAMLNodes {
		return &Error{Code: "limit", Line: line, Msg: fmt.Sprintf("more than %d values", maxYAMLNodes)}
	}
	if depth > maxYAMLDepth {
		return &Error{Code: "limit", Line: line, Msg: fmt.Sprintf("nested more than %d deep", maxYAMLDepth)}
	}
	return nil
}

// block reads the block that begins at the present line, whose indent is given.
func (r *yamlReader) block(indent, depth int) (node, error) {
	l := r.lines[r.pos]
	if err := r.count(l.num, depth); err != nil {
		return node{}, err
	}
	if isItem(l.text) {
		return r.list(indent, depth)
	}
	if _, _, ok := cutKey(l.text); ok {
		return r.mapping(indent, depth)
	}
	r.pos++
	return r.inline(l.text, l.num, depth)
}

func isItem(s string) bool { return s == "-" || strings.HasPrefix(s, "- ") }

func (r *yamlReader) list(indent, depth int) (node, error) {
	n := node{kind: listNode, line: r.lines[r.pos].num}
	for r.pos < len(r.lines) && r.lines[r.pos].indent == indent && isItem(r.lines[r.pos].text) {
		l := &r.lines[r.pos]
		rest := strings.TrimLeft(l.text[1:], " ")
		var item node
		var err error
		if rest == "" {
			r.pos++
			item, err = r.below(indent+1, l.num, depth)
		} else {
			l.indent += len(l.text) - len(rest)
			l.text = rest
			item, err = r.block(l.indent, depth+1)
		}
		if err != nil {
			return n, err
		}
		n.items = append(n.items, item)
	}
	return n, nil
}

// below reads a block that is indented by at least least, if there is one.
func (r *yamlReader) below(least, line, depth int) (node, error) {
	if r.pos < len(r.lines) && r.lines[r.pos].indent >= least {
		return r.block(r.lines[r.pos].indent, depth+1)
	}
	return node{line: line}, r.count(line, depth)
}

func (r *yamlReader) mapping(indent, depth int) (node, error) {
	n := node{kind: mapNode, line: r.lines[r.pos].num}
	seen := map[string]bool{}
	for r.pos < len(r.lines) && r.lines[r.pos].indent == indent && !isItem(r.lines[r.pos].text) {
		l := r.lines[r.pos]
		key, rest, ok := cutKey(l.text)
		if !ok {
			return n, r.fail(l.num, "%q where KEY: is expected", l.text)
		}
		if key, ok = unquote(key); !ok || seen[key] {
			return n, r.fail(l.num, "key %s is malformed, or is given twice", key)
		}
		seen[key] = true
		r.pos++
		var v node
		var err error
		switch next := r.pos < len(r.lines) && r.lines[r.pos].indent == indent && isItem(r.lines[r.pos].text); {
		case rest != "":
			v, err = r.inline(rest, l.num, depth+1)
		case next:
			v, err = r.block(indent, depth+1)
		default:
			v, err = r.below(indent+1, l.num, depth)
		}
		if err != nil {
			return n, err
		}
		n.keys, n.items = append(n.keys, key), append(n.items, v)
	}
	return n, nil
}

// cutKey splits KEY: REST. A colon does not end a key inside quotes or brackets, or if it is not followed by a blank.
func cutKey(s string) (key, rest string, ok bool) {
	if s[0] == '[' || s[0] == '{' {
		return "", "", false
	}
	i := 0
	if s[0] == '"' || s[0] == '\'' {
		if i = quotedEnd(s); i < 0 {
			return "", "", false
		}
	}
	for ; i < len(s); i++ {
		if s[i] == ':' && (i+1 == len(s) || s[i+1] == ' ' || s[i+1] == '\t') {
			return strings.TrimRight(s[:i], " "), strings.Trim(s[i+1:], " \t"), true
		}
	}
	return "", "", false
}

// quotedEnd returns the position after a quoted text, -1 if the quote is not closed.
func quotedEnd(s string) int {
	for i := 1; i < len(s); i++ {
		switch {
		case s[0] == '"' && s[i] == '\\':
			i++
		case s[i] != s[0]:
		case s[0] == '\'' && i+1 < len(s) && s[i+1] == '\'':
			i++
		default:
			return i + 1
		}
	}
	return -1
}

// inline reads a value within a line. A value in brackets may continue in the lines after it.
func (r *yamlReader) inline(text string, line, depth int) (node, error) {
	text, tag := cutTag(text)
	if text == "" || text[0] != '[' && text[0] != '{' {
		n := node{text: text, line: line, quoted: tag}
		if text != "" && strings.IndexByte("&*|>%@`", text[0]) >= 0 {
			return n, r.fail(line, "%q: anchors and folded texts are not read", text)
		}
		if text != "" && (text[0] == '"' || text[0] == '\'') {
			var ok bool
			if n.text, ok = unquote(text); !ok {
				return n, r.fail(line, "%s is no text in quotes", text)
			}
			n.quoted = true
		}
		return n, r.count(line, depth)
	}
	f := flow{r: r, text: text, line: line}
	n, err := f.value(depth)
	if err != nil {
		return n, err
	}
	if f.space(); f.text != "" {
		return n, r.fail(f.line, "%q is too much here", f.text)
	}
	return n, nil
}

// cutTag removes the tag of a string from a scalar.
func cutTag(text string) (rest string, tagged bool) {
	for _, tag := range []string{"!str ", "!!str "} {
		if rest, ok := strings.CutPrefix(text, tag); ok {
			return strings.TrimLeft(rest, " "), true
		}
	}
	return text, false
}

// A flow is a value in brackets that is being read.
type flow struct {
	r    *yamlReader
	text string // rest of the present line
	line int
}

// space skips blanks, and goes on to the next line at the end of one.
func (f *flow) space() {
	f.text = strings.TrimLeft(f.text, " \t")
}

func (f *flow) more() bool {
	f.space()
	for f.text == "" && f.r.pos < len(f.r.lines) {
		f.text, f.line = f.r.lines[f.r.pos].text, f.r.lines[f.r.pos].num
		f.r.pos++
		f.space()
	}
	return f.text != ""
}

func (f *flow) value(depth int) (node, error) {
	if err := f.r.count(f.line, depth); err != nil {
		return node{}, err
	}
	if !f.more() {
		return node{}, f.r.fail(f.line, "a bracket is not closed")
	}
	n := node{line: f.line}
	switch f.text[0] {
	case '[':
		n.kind = listNode
		return n, f.members(&n, "]", depth)
	case '{':
		n.kind = mapNode
		return n, f.members(&n, "}", depth)
	}
	var err error
	n.text, n.quoted, err = f.scalar(",]}")
	return n, err
}

// members reads the contents of brackets.
func (f *flow) members(n *node, end string, depth int) error {
	f.text = f.text[1:]
	for {
		if !f.more() {
			return f.r.fail(f.line, "a bracket is not closed")
		}
		if f.text[:1] == end {
			f.text = f.text[1:]
			return nil
		}
		if n.kind == mapNode {
			key, _, err := f.scalar(":,]}")
			if err != nil {
				return err
			}
			if f.space(); f.text == "" || f.text[0] != ':' || n.at(key) != nil || len(n.keys) > 256 {
				return f.r.fail(f.line, "key %q has no value, or is given twice", key)
			}
			f.text = f.text[1:]
			n.keys = append(n.keys, key)
		}
		v, err := f.value(depth + 1)
		if err != nil {
			return err
		}
		n.items = append(n.items, v)
		if !f.more() {
			return f.r.fail(f.line, "a bracket is not closed")
		}
		if f.text[0] == ',' {
			f.text = f.text[1:]
		} else if f.text[:1] != end {
			return f.r.fail(f.line, "%q where a comma or %s is expected", f.text, end)
		}
	}
}

// scalar reads a text up to one of the bytes that end it.
func (f *flow) scalar(ends string) (text string, quoted bool, err error) {
	if f.text, quoted = cutTag(f.text); f.text == "" {
		return "", quoted, nil
	}
	if f.text[0] == '"' || f.text[0] == '\'' {
		n := quotedEnd(f.text)
		if n < 0 {
			return "", true, f.r.fail(f.line, "%s is no text in quotes", f.text)
		}
		text, ok := unquote(f.text[:n])
		if !ok {
			return "", true, f.r.fail(f.line, "%s is no text in quotes", f.text[:n])
		}
		f.text = f.text[n:]
		return text, true, nil
	}
	n := strings.IndexAny(f.text, ends)
	if n < 0 {
		n = len(f.text)
	}
	text = strings.TrimSpace(f.text[:n])
	f.text = f.text[n:]
	return text, quoted, nil
}
