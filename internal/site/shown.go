package site

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/internal/eval"
	"github.com/heddle-gpu/heddle/internal/meaning"
	"github.com/heddle-gpu/heddle/ir"
)

// examples writes the example of the first form of a sense, and the placeholder where the live part runs it.
func (t *text) examples(b *book, sn *sense, first bool) error {
	var r *row
	var p *eval.Program
	source := ""
	for _, form := range sn.forms {
		if form.pg.Lack == "" && p == nil {
			r = form
			p, source = form.assemble()
		}
	}
	if p == nil {
		return nil
	}
	e, err := r.run(p)
	if err != nil {
		return err
	}
	t.WriteString("<h3>Example</h3>\n")
	if first && t.s.o.live("live.js") {
		t.f("<section class=live data-isa=\"%s:%s\"%s%s></section>\n", b.Name, esc(r.pg.Variant), stageOf(b, r), e.notShown(source))
	}
	switch {
	case e.fault != "":
		t.f("<p>Run by itself %s faults: %s.</p>\n", code(e.text), esc(e.fault))
	case len(e.runs) > 0:
		t.runsTable(e)
	default:
		t.lanesTable(e)
	}
	return nil
}

// notShown returns the attributes with the inputs of the live part that it cannot read from the table, where the text
// is in the caption and the registers are in the columns.
func (e *example) notShown(source string) string {
	text := fmt.Sprintf(" data-text=\"%s\"", esc(source))
	state := fmt.Sprintf(" data-state=\"%s\"", esc(strings.Join(e.state, " ")))
	switch {
	case e.fault != "" || len(e.assigns) == 0 || len(e.assigns) > mostColumns: // there is no table, or it is incomplete
		return text + state
	case source == e.text:
		text = ""
	}
	// The table has no bits of such values.
	if slices.ContainsFunc(e.assigns, func(a eval.Assign) bool { return a.Reg.Bits > 64 }) {
		return text + state
	}
	return text
}

// stageOf returns the attribute with the stage of a row, if the set has stages.
func stageOf(b *book, r *row) string {
	if len(b.Stages) == 0 {
		return ""
	}
	return " data-stage=" + b.Stages[r.t.Stage]
}

// A column is a register before or after the run, by line of the table.
type column struct {
	title string
	after bool
	cells []string
}

// lanesTable writes a run with one line per lane.
func (t *text) lanesTable(e *example) {
	n := 1
	for i := range e.assigns {
		n = max(n, len(e.assigns[i].Values))
	}
	for i := range e.result.Changes {
		if len(e.result.Changes[i].Values) > 1 && e.result.Changes[i].Changed() {
			n = max(n, min(lanes, len(e.result.Changes[i].Values)))
		}
	}
	var cols []column
	for i := range e.assigns {
		a := &e.assigns[i]
		c := column{title: a.Reg.Name}
		for lane := range n {
			if lane > 0 && len(a.Values) == 1 {
				c.cells = append(c.cells, "")
				continue
			}
			c.cells = append(c.cells, registerText(&a.Reg, assigned(a, lane), a.Format))
		}
		cols = append(cols, c)
	}
	for i := range e.result.Changes {
		ch := &e.result.Changes[i]
		c := column{title: ch.Reg.Name, after: true}
		for lane := range n {
			switch {
			case lane < len(ch.Values) && (lane == 0 || len(ch.Values) > 1):
				c.cells = append(c.cells, changeText(ch, lane))
			default:
				c.cells = append(c.cells, "")
			}
		}
		cols = append(cols, c)
	}
	first := "Lane"
	if n == 1 {
		first = ""
	}
	t.table(e, first, cols, n)
	t.memory(e)
}

// runsTable writes several runs of an instruction without lanes, one line each.
func (t *text) runsTable(e *example) {
	var cols []column
	for i := range e.runs[0].Setup.Regs {
		c := column{title: e.runs[0].Setup.Regs[i].Reg.Name}
		for _, r := range e.runs {
			a := &r.Setup.Regs[i]
			c.cells = append(c.cells, registerText(&a.Reg, a.Values[0], a.Format))
		}
		cols = append(cols, c)
	}
	for k, r := range e.runs {
		for i := range r.Changes {
			ch := &r.Changes[i]
			at := slices.IndexFunc(cols, func(c column) bool { return c.after && c.title == ch.Reg.Name })
			if at < 0 {
				at = len(cols)
				cols = append(cols, column{title: ch.Reg.Name, after: true, cells: make([]string, len(e.runs))})
			}
			cols[at].cells[k] = changeText(ch, 0)
		}
	}
	first := "Run"
	if len(e.runs) == 1 {
		first = ""
	}
	t.table(e, first, cols, len(e.runs))
	t.memory(e)
}

// mostColumns limits the registers of a table.
const mostColumns = 24

// table writes columns: the state before, then the state after.
func (t *text) table(e *example, first string, cols []column, n int) {
	if len(cols) > mostColumns {
		cols = cols[:mostColumns]
	}
	before := 0
	for _, c := range cols {
		if !c.after {
			before++
		}
	}
	if len(cols) == before {
		t.f("<p>%s writes no register.</p>\n", code(e.text))
	}
	if len(cols) == 0 {
		return
	}
	// x1 to x9 give the first column of the state after: site.css draws a line there.
	t.f("<table class=\"x x%d\"><caption>%s</caption><thead><tr>", min(before, 9), esc(e.text))
	t.f("<th rowspan=2>%s", first)
	t.over(before, "Before")
	t.over(len(cols)-before, "After")
	t.WriteString("<tr>")
	for _, c := range cols {
		t.f("<th>%s", esc(c.title))
	}
	t.WriteString("<tbody>\n")
	for line := range n {
		t.WriteString("<tr>")
		if t.WriteString("<th>"); first != "" {
			t.f("%d", line)
		}
		for _, c := range cols {
			t.WriteString("<td>" + c.cells[line])
		}
		t.WriteByte('\n')
	}
	t.end()
}

// over writes the head of some columns; nothing for none.
func (t *text) over(columns int, title string) {
	switch {
	case columns > 1:
		t.f("<th colspan=%d>%s", columns, title)
	case columns == 1:
		t.WriteString("<th>" + title)
	}
}

// registerText formats the value of a register of any width.
func registerText(r *eval.Register, v *big.Int, f meaning.Format) string {
	if r.Bits <= 64 {
		return valueText(r.Bits, v.Uint64(), f)
	}
	var list []string
	n := r.Bits / max(1, len(r.Cells))
	mask := big.NewInt(1<<n - 1)
	for i := range r.Cells {
		word := new(big.Int).And(new(big.Int).Rsh(v, uint(i*n)), mask).Uint64()
		_, text := eval.ValueText(n, word, f.Cut(i*n, n))
		if len(f.Cut(i*n, n)) == 0 {
			text = fmt.Sprintf("%#x", word)
		}
		list = append(list, text)
	}
	return esc(strings.Join(list, ", "))
}

// changeText formats the value of a changed register in a lane.
func changeText(c *eval.Change, lane int) string {
	return valueText(c.Reg.Bits, c.Values[lane], c.Format)
}

// valueText formats a value by its format, and its bits.
func valueText(bits int, v uint64, f meaning.Format) string {
	if bits == 1 {
		return fmt.Sprint(v)
	}
	hex := fmt.Sprintf("0x%0*x", (bits+3)/4, v)
	if len(f) == 0 {
		return hex
	}
	_, text := eval.ValueText(bits, v, f)
	if len(f) == 1 && f[0].Kind != meaning.Float && f[0].Kind != meaning.Mask && v < 10 {
		return text
	}
	if _, signed, ok := strings.Cut(text, " = "); ok { // a number that may be signed or not
		text = signed
	}
	return esc(text) + " <i>" + hex[2:] + "</i>"
}

// memory writes the memory that the example read, and what it wrote.
func (t *text) memory(e *example) {
	r := e.result
	if len(e.runs) > 0 {
		r = e.runs[0]
	}
	if r == nil {
		return
	}
	for _, m := range e.memory {
		space := "global memory"
		if m.Space == ir.GroupSpace {
			space = "group memory"
		}
		t.f("<p class=note>%s from %#x holds the bytes %02x %02x %02x %02x and so on upwards.</p>\n", strings.ToUpper(space[:1])+space[1:], m.Addr, m.Data[0], m.Data[1], m.Data[2], m.Data[3])
	}
	for _, c := range r.Memory {
		n := min(len(c.Now), 32)
		more := ""
		if n < len(c.Now) {
			more = " …"
		}
		t.f("<p class=note>Written at %#x: <code>% x%s</code>, where there was <code>% x%s</code>.</p>\n", c.Addr, c.Now[:n], more, c.Was[:n], more)
	}
}
