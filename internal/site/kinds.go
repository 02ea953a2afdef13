package site

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/internal/spell"
	"github.com/heddle-gpu/heddle/isa"
)

// kindsPage lists the operand kinds of a set.
func (s *site) kindsPage(b *book) ([]byte, error) {
	t := &text{s: s, root: "../"}
	t.tabs(b, "kinds.html")
	t.f("<h1>Operand kinds of %s</h1>\n<p class=lead>How the value of a field reads as text, and which values are reserved.</p>\n", b.Name)
	t.head("Kind", "As", "Instructions")
	for _, n := range b.kinds.list {
		t.row(fmt.Sprintf("<a href=%s>%s</a>", n.kindFile(), esc(n.name)), esc(strings.Join(some(operandNames(n)), ", ")), fmt.Sprint(len(n.in)))
	}
	t.end()
	t.words(b)
	return t.page("Operand kinds of " + b.Name)
}

// kindFile returns the path of a kind's description, relative to the folder of its set.
func (n *named) kindFile() string {
	if n.word {
		return "kinds.html#" + n.file
	}
	return "kind/" + n.file + ".html"
}

// isWord reports whether operands of a kind are one word that is present or absent, which needs no page.
func (n *named) isWord() bool {
	word, is := "", true
	n.args(func(r *row, a *isa.Arg) {
		if is = is && (a.At == nil || a.At.Len() <= 1 && !slices.Contains(a.Kind.Reserved, true)); !is || a.At == nil {
			return
		}
		for _, text := range wordTexts(r, a) {
			if word == "" {
				word = text
			}
			is = is && (text == "" || text == word)
		}
	})
	return is && word != ""
}

// wordTexts returns the texts of the values of a field of one bit, or of none.
func wordTexts(r *row, a *isa.Arg) (list []string) {
	for v := range uint64(1) << a.At.Len() {
		list = append(list, valueTextOf(r, a, v))
	}
	return list
}

// words writes the kinds without a page of their own.
func (t *text) words(b *book) {
	first := true
	for _, n := range b.kinds.list {
		if !n.word {
			continue
		}
		if first {
			t.WriteString("<h2 id=words>Words</h2>\n<p>Operands that are a word, which is there or not.</p>\n")
			first = false
		}
		t.f("<h3 id=%s>%s</h3>\n<p>", n.file, esc(n.name))
		if names := operandNames(n); len(names) != 1 || names[0] != n.name {
			t.f("Called %s. ", code(strings.Join(some(names), ", ")))
		}
		t.WriteString(strings.Join(n.wordValues(b), "; ") + ".</p>\n")
		t.usedBy(b, "", n.in, fmt.Sprintf("#k=%d", b.kinds.position(n.name)))
		t.f("<p class=in>In the encodings %s</p>\n", n.encodings(b, ""))
	}
}

// wordValues returns the values of fields for which a word is present.
func (n *named) wordValues(b *book) (list []string) {
	type reading struct {
		text     string
		variants uint32
	}
	var readings []*reading
	n.args(func(r *row, a *isa.Arg) {
		if a.At == nil {
			return
		}
		var shown []string
		for v, text := range wordTexts(r, a) {
			if text != "" {
				shown = append(shown, fmt.Sprintf("%s is the value %d of a bit", code(strings.TrimSpace(text)), v))
			}
		}
		line := strings.Join(shown, " and ")
		if a.At.Len() == 0 {
			line = code(strings.TrimSpace(wordTexts(r, a)[0])) + " is always there, and has no bit"
		}
		i := slices.IndexFunc(readings, func(o *reading) bool { return o.text == line })
		if i < 0 {
			i = len(readings)
			readings = append(readings, &reading{text: line})
		}
		readings[i].variants |= r.variants()
	})
	for _, r := range readings {
		list = append(list, esc(b.variantNames(r.variants))+": "+r.text)
	}
	return list
}

// encodings returns links to the encodings that have operands of a kind; folder leads from the page to the set's
// folder.
func (n *named) encodings(b *book, folder string) string {
	var list []string
	for _, r := range n.rows {
		list = with(list, fmt.Sprintf("<a href=%senc/%s.html>%s</a>", folder, b.encs.at(r.def.Enc.Name).file, esc(r.def.Enc.Name)))
	}
	return strings.Join(list, " ")
}

// operandNames returns the names of the operands of a kind.
func operandNames(n *named) (list []string) {
	n.args(func(_ *row, a *isa.Arg) { list = with(list, a.Name) })
	return list
}

// some returns the start of a list, and a note if there is more.
func some(list []string) []string {
	const most = 8
	if len(list) <= most {
		return list
	}
	return append(slices.Clone(list[:most]), "…")
}

// args calls f for the operands of a kind, with their rows.
func (n *named) args(f func(r *row, a *isa.Arg)) {
	for _, r := range n.rows {
		for i := range r.def.Args {
			if a := &r.def.Args[i]; kindName(a.Kind) == n.name {
				f(r, a)
			}
		}
	}
}

// mostValues limits the values of a field that are printed.
const mostValues = 1 << 12

// mostLines limits the lines of a table of values.
const mostLines = 80

// A reading is the texts of the values of a kind, and the rows with these texts.
type reading struct {
	lines    []string // cells of the table
	variants uint32
	bits     int
	encs     []string
}

// kindPage returns the page for the kinds of one name.
func (s *site) kindPage(b *book, n *named) ([]byte, error) {
	t := &text{s: s, root: "../../"}
	t.above(b, "kinds.html", "operand kinds")
	t.f("<h1>%s <small>operand kind of %s</small></h1>\n", esc(n.name), b.Name)
	var names, widths []string
	n.args(func(_ *row, a *isa.Arg) {
		names = with(names, code(a.Name))
		if a.Width != 0 {
			widths = with(widths, fmt.Sprint(a.Width))
		}
	})
	t.f("<p>Operands of it are called %s", strings.Join(some(names), ", "))
	if len(widths) > 0 {
		t.f(", and have %s bits", strings.Join(widths, ", "))
	}
	t.WriteString(".</p>\n")
	for _, v := range n.readings() {
		t.f("<h2>%s, %s of %s</h2>\n", esc(b.variantNames(v.variants)), spell.Count(v.bits, "bit"), esc(strings.Join(some(v.encs), ", ")))
		t.head("Value", "Text")
		for _, line := range v.lines {
			t.WriteString(line)
		}
		t.end()
	}
	t.WriteString("<h2>Instructions</h2>\n")
	t.usedBy(b, "../", n.in, fmt.Sprintf("#k=%d", b.kinds.position(n.name)))
	t.f("<p>In the encodings %s</p>\n", n.encodings(b, "../"))
	return t.page(n.name + ", operand kind of " + b.Name)
}

// readings returns the distinct tables of values of a kind, which may depend on variants and fields.
func (n *named) readings() (list []*reading) {
	type key struct {
		k    *isa.Kind
		bits int
	}
	seen := map[key]*reading{}
	n.args(func(r *row, a *isa.Arg) {
		if a.At == nil {
			return
		}
		k := key{a.Kind, a.At.Len()}
		v := seen[k]
		if v == nil {
			lines := valueLines(r, a)
			i := slices.IndexFunc(list, func(o *reading) bool { return o.bits == k.bits && slices.Equal(o.lines, lines) })
			if i < 0 {
				i = len(list)
				list = append(list, &reading{lines: lines, bits: k.bits})
			}
			v = list[i]
			seen[k] = v
		}
		v.variants |= r.variants()
		v.encs = with(v.encs, r.def.Enc.Name)
	})
	return list
}

// A shownValue is the text of a value.
type shownValue struct {
	text     string
	reserved bool
}

// valueLines returns the rows of the table of an operand's values, with ranges of similar values in one row.
func valueLines(r *row, a *isa.Arg) (lines []string) {
	list := make([]shownValue, min(uint64(1)<<min(a.At.Len(), 32), mostValues))
	for v := range list {
		if list[v].reserved = v < len(a.Kind.Reserved) && a.Kind.Reserved[v]; !list[v].reserved {
			list[v].text = valueTextOf(r, a, uint64(v))
		}
	}
	for from := 0; from < len(list); {
		if len(lines) == mostLines {
			return append(lines, fmt.Sprintf("<tr><td>from %d on<td>and so on: heddle explain and dis print each\n", from))
		}
		to := from + alike(list[from:])
		value, text := fmt.Sprint(from), code(list[from].text)
		if to > from+1 {
			value += fmt.Sprintf("–%d", to-1)
			if list[to-1].text != list[from].text {
				text += " to " + code(list[to-1].text)
			}
		}
		switch {
		case list[from].reserved:
			text = "<i>reserved</i>"
		case list[from].text == "":
			text = "<i>no text</i>"
		}
		lines = append(lines, "<tr><td>"+value+"<td>"+text+"\n")
		from = to
	}
	if a.At.Len() > 12 {
		lines = append(lines, fmt.Sprintf("<tr><td>from %d on<td>likewise, to %s\n", mostValues, code(valueTextOf(r, a, ones(a.At.Len())))))
	}
	return lines
}

// alike returns how many values at the start of a list are shown in one row: they are reserved, or have the same text,
// or texts that count up or down.
func alike(list []shownValue) int {
	n := 1
	for n < len(list) && list[n] == list[0] {
		n++
	}
	if n > 1 || n == len(list) || list[0].reserved || list[1].reserved {
		return n
	}
	step, ok := follows(list[0].text, list[1].text)
	for ok && n < len(list) && !list[n].reserved {
		next, same := follows(list[n-1].text, list[n].text)
		if !same || next != step {
			break
		}
		n++
	}
	if step != 1 && n < 4 { // two or three texts with numbers may be unrelated
		return 1
	}
	return n
}

func ones(n int) uint64 {
	if n >= 64 {
		return ^uint64(0)
	}
	return 1<<n - 1
}

// valueTextOf returns the text of the operand for a value.
func valueTextOf(r *row, a *isa.Arg, v uint64) string {
	in := r.bundle.Parts[r.part]
	in.Word = a.Put(in.Word, v)
	in.Size = uint8(in.Def.EncodedSize(in.Word))
	if int(v) < len(a.Kind.Table) && a.Kind.Table[v] != "" {
		return a.Kind.Table[v]
	}
	return strings.TrimSpace(string(r.t.Printer().AppendArg([]byte{' '}, &in, a)))
}

// follows returns by how much the numbers increase between two texts that are otherwise equal.
func follows(a, b string) (step int64, ok bool) {
	restA, numbersA := numbers(a)
	restB, numbersB := numbers(b)
	if restA != restB || len(numbersA) != len(numbersB) {
		return 0, false
	}
	for i := range numbersA {
		switch by := numbersB[i] - numbersA[i]; {
		case by == 0:
		case step == 0:
			step = by
		case step != by:
			return 0, false
		}
	}
	return step, step != 0
}

// numbers returns the numbers of a text, and the text without them.
func numbers(s string) (rest string, list []int64) {
	var b strings.Builder
	for i := 0; i < len(s); {
		end := i
		if strings.HasPrefix(s[i:], "0x") {
			end += 2
			for end < len(s) && strings.IndexByte("0123456789abcdef", s[end]) >= 0 {
				end++
			}
		} else {
			for end < len(s) && s[end] >= '0' && s[end] <= '9' {
				end++
			}
		}
		n, err := strconv.ParseInt(s[i:end], 0, 64)
		if err != nil { // no number, or one with leading zeros
			b.WriteByte(s[i])
			i++
			continue
		}
		if i > 0 && s[i-1] == '-' {
			n = -n
		}
		list = append(list, n)
		b.WriteByte('#')
		i = end
	}
	return strings.ReplaceAll(b.String(), "-#", "#"), list
}
