package site

import (
	"bytes"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/heddle-gpu/heddle/internal/eval"
	"github.com/heddle-gpu/heddle/internal/sets"
)

// TestShownState: the values that the live part reads from the table of an example have the bits in the table. The
// rules are those of shownState in live.js.
func TestShownState(t *testing.T) {
	n := 0
	for name, data := range site5(t) {
		if !bytes.Contains(data, []byte("<section class=live")) || bytes.Contains(data, []byte("data-state=")) {
			continue
		}
		doc, err := html.Parse(bytes.NewReader(data))
		if err != nil {
			t.Fatal(name, err)
		}
		checkShown(t, name, find(doc, "section", "live"), find(doc, "table", "x"))
		n++
	}
	if n < 1000 {
		t.Errorf("%d pages leave the values to their table", n)
	}
}

// checkShown parses the columns of a table and compares them with the bits in it.
func checkShown(t *testing.T, name string, section, table *html.Node) {
	t.Helper()
	if section == nil || table == nil {
		t.Errorf("%s: no table, or no section", name)
		return
	}
	target, err := sets.Lookup(attr(section, "data-isa"))
	if err != nil {
		t.Fatal(name, err)
	}
	if stage, ok := target.Arch.Stage(attr(section, "data-stage")); ok {
		target = target.Move(target.Variant, stage)
	}
	text := attr(section, "data-text")
	if text == "" {
		text = inner(find(table, "caption", ""))
	}
	p, errs := eval.Assemble(target, text)
	if len(errs) > 0 {
		t.Errorf("%s: %q: %v", name, text, errs[0])
		return
	}
	var rows [][]*html.Node
	for tr := range table.Descendants() {
		if tr.Data == "tr" {
			var cells []*html.Node
			for c := range tr.ChildNodes() {
				if c.Type == html.ElementNode {
					cells = append(cells, c)
				}
			}
			rows = append(rows, cells)
		}
	}
	before := 0
	if head := rows[0][1]; inner(head) == "Before" {
		before, _ = strconv.Atoi(attr(head, "colspan"))
		before = max(before, 1)
	}
	lines := rows[2:]
	if inner(rows[0][0]) == "Run" {
		lines = lines[:1]
	}
	for k := range before {
		checkColumn(t, name, p, inner(rows[1][k]), lines, k+1)
	}
}

// checkColumn parses the values of a column.
func checkColumn(t *testing.T, name string, p *eval.Program, register string, lines [][]*html.Node, k int) {
	t.Helper()
	var cells []*html.Node
	floats := false
	for _, line := range lines {
		if inner(line[k]) != "" {
			cells = append(cells, line[k])
			floats = floats || find(line[k], "i", "") != nil && fraction.MatchString(strings.TrimSpace(line[k].FirstChild.Data))
		}
	}
	var values []string
	var bits []*big.Int
	for _, cell := range cells {
		value, hex := shownCell(cell, floats)
		values = append(values, value)
		v, ok := new(big.Int).SetString(hex, 0)
		if !ok {
			t.Errorf("%s: %s: %q is no number", name, register, hex)
			return
		}
		bits = append(bits, v)
	}
	a, err := p.ParseAssign(register + "=" + strings.Join(values, ","))
	if err != nil || len(a.Values) != len(bits) {
		t.Errorf("%s: %s=%v: %v, %d values", name, register, values, err, len(a.Values))
		return
	}
	for i, v := range a.Values {
		if v.Cmp(bits[i]) != 0 {
			t.Errorf("%s: %s=%v: value %d is %#x, and the table has %#x", name, register, values, i, v, bits[i])
		}
	}
}

var (
	integer  = regexp.MustCompile(`^-?\d+$`)
	fraction = regexp.MustCompile(`^-?\d+(\.\d+(e[-+]\d+)?|e[-+]\d+)$`)
	infinity = regexp.MustCompile(`^[-+]Inf$`)
)

// shownCell returns the value of a cell as the live part reads it, in a column of floats or another, and its bits in
// the table.
func shownCell(cell *html.Node, floats bool) (value, bits string) {
	digits := find(cell, "i", "")
	if digits == nil {
		return inner(cell), inner(cell)
	}
	text, hex := strings.TrimSpace(cell.FirstChild.Data), "0x"+inner(digits)
	if v, ok := new(big.Int).SetString(text, 10); ok && integer.MatchString(text) {
		if floats {
			return text + ".0", hex
		}
		mask := new(big.Int).Lsh(big.NewInt(1), uint(4*len(inner(digits))))
		if want, ok := new(big.Int).SetString(hex, 0); ok && v.And(v, mask.Sub(mask, big.NewInt(1))).Cmp(want) == 0 {
			return text, hex
		}
	}
	if floats && (fraction.MatchString(text) || infinity.MatchString(text)) {
		return text, hex
	}
	return hex, hex
}

// find returns the first element below a node with a name and a class.
func find(n *html.Node, name, class string) *html.Node {
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && d.Data == name && (class == "" || strings.Contains(" "+attr(d, "class")+" ", " "+class+" ")) {
			return d
		}
	}
	return nil
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// inner returns the text in an element.
func inner(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return strings.TrimSpace(b.String())
}
