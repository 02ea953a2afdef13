package eval

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/heddle-gpu/heddle/internal/manual"
)

// A Style says how a result is shown.
type Style struct {
	Lanes bool   // every lane on a line of its own
	More  string // behind the number of lanes that are left out: how to see them
	manual.Paint
}

// maxRuns is how many runs of equal lanes are shown before the rest is left out.
const maxRuns = 4

// Render is the result for a terminal: the instructions, then a line for each run of lanes with one value.
func (r *Result) Render(style Style) string {
	var b strings.Builder
	dim := style.Dim
	if dim == nil {
		dim = func(s string) string { return s }
	}
	for _, text := range r.Program.Text {
		fmt.Fprintf(&b, "%s\n", dim("    "+text))
	}
	rows := [][]string{}
	for i := range r.Changes {
		rows = append(rows, r.rows(&r.Changes[i], style)...)
	}
	b.WriteString(manual.Table(rows, ""))
	for _, m := range r.Memory {
		b.WriteString(m.text())
	}
	if len(r.Changes)+len(r.Memory) == 0 {
		b.WriteString("no change\n")
	}
	return b.String()
}

// rows are the lines of one change: name, lanes, and the value in hex, as integer, as float.
func (r *Result) rows(c *Change, style Style) (rows [][]string) {
	line := func(lanes string, lane int) {
		name := ""
		if len(rows) == 0 {
			name = c.Reg.Name
		}
		n := c.Number(lane)
		rows = append(rows, []string{name, lanes, n.Hex(), n.Int(), n.Float()})
	}
	if len(c.Values) == 1 {
		line("", 0)
		return rows
	}
	active := r.changedLanes(c)
	left := 0
	for lane := 0; lane < len(c.Values); {
		if active>>lane&1 == 0 {
			lane++
			continue
		}
		end := lane + 1
		for !style.Lanes && end < len(c.Values) && active>>end&1 != 0 && c.Values[end] == c.Values[lane] {
			end++
		}
		if style.Lanes || len(rows) < maxRuns {
			line(laneText(lane, end), lane)
		} else {
			left += end - lane
		}
		lane = end
	}
	if left > 0 {
		rows = append(rows, []string{"", fmt.Sprintf("and %d more lanes%s", left, style.More)})
	}
	return rows
}

// changedLanes are the lanes worth showing: those that ran, and others whose value changed all the same.
func (r *Result) changedLanes(c *Change) uint64 {
	m := r.Active & (^uint64(0) >> (64 - len(c.Values)))
	for lane := range c.Values {
		if c.Values[lane] != c.Was[lane] {
			m |= 1 << lane
		}
	}
	return m
}

func laneText(from, end int) string {
	if end == from+1 {
		return fmt.Sprintf("lane %d", from)
	}
	return fmt.Sprintf("lanes %d-%d", from, end-1)
}

// text is a dump of the changed bytes, sixteen a line.
func (m *MemoryChange) text() string {
	var b strings.Builder
	for at := 0; at < len(m.Now); at += 16 {
		end := min(at+16, len(m.Now))
		words := []string{}
		for i := at; i < end; i += 4 {
			words = append(words, fmt.Sprintf("%x", m.Now[i:min(i+4, end)]))
		}
		fmt.Fprintf(&b, "%s %#x  %s\n", m.Region, m.Addr+uint64(at), strings.Join(words, " "))
	}
	return b.String()
}

// ActiveCount is the number of lanes that ran.
func (r *Result) ActiveCount() int { return bits.OnesCount64(r.Active) }
