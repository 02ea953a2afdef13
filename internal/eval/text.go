package eval

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/internal/manual"
)

// A Style says how a result is shown.
type Style struct {
	Lanes bool   // one line per lane
	More  string // printed after the number of omitted lanes: how to show them
	manual.Paint
}

// maxRuns limits the runs of equal lanes that are shown, apart from lanes that were assigned values.
const maxRuns = 4

// Render returns the result for a terminal: the instructions, then a line for each run of lanes with the same value.
func (r *Result) Render(style Style) string {
	var b strings.Builder
	dim := style.Dim
	if dim == nil {
		dim = func(s string) string { return s }
	}
	for line := range strings.Lines(r.program()) {
		fmt.Fprintf(&b, "%s\n", dim(strings.TrimSuffix(line, "\n")))
	}
	if r.branched() {
		fmt.Fprintf(&b, "pc  %s\n", r.place())
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
		b.WriteString("no register and no memory was written\n")
	}
	return b.String()
}

// branched reports whether the path of the wave is worth showing: the program may branch, or did not run exactly once
// from start to end.
func (r *Result) branched() bool {
	p := r.Program
	return len(r.Ran) > 0 && p.studied().jumps && !(r.After.Ended() && r.PC == p.At()[len(r.Ran)-1] && r.once()) || !r.once() || r.Outside
}

// once reports whether each instruction ran once.
func (r *Result) once() bool {
	return !slices.ContainsFunc(r.Ran, func(n uint64) bool { return n != 1 })
}

// program returns the instructions, with addresses and execution counts if those are worth showing.
func (r *Result) program() string {
	var rows [][]string
	for i, text := range r.Program.Text() {
		if !r.branched() {
			rows = append(rows, []string{text})
			continue
		}
		ran := "ran"
		switch n := r.Ran[i]; {
		case r.faulted && r.PC == r.Program.At()[i]:
			ran = "at fault"
		case n == 0:
			ran = "did not run"
		case n > 1:
			ran = fmt.Sprintf("ran %d times", n)
		}
		lines := strings.Split(text, "\n")
		rows = append(rows, []string{fmt.Sprintf("%#x", r.Program.At()[i]), lines[0], ran})
		for _, line := range lines[1:] {
			rows = append(rows, []string{"", line})
		}
	}
	return manual.Table(rows, "    ")
}

// place describes where the wave is after the run.
func (r *Result) place() string {
	size := uint64(len(r.Program.Code))
	switch at := fmt.Sprintf("%#x", r.PC); {
	case r.After.Ended():
		return at + "  the wave has ended"
	case r.Outside:
		return fmt.Sprintf("%s  outside of the program, which is 0x0-%#x: no code is there", at, size)
	case r.PC == size:
		return at + "  the end of the program"
	default:
		return at + "  the wave stops here"
	}
}

// rows returns the lines of one change: name, lanes, the value in hex, its type, the value in that type.
func (r *Result) rows(c *Change, style Style) (rows [][]string) {
	line := func(lanes, typ, text string, width int, v uint64) {
		name := ""
		if len(rows) == 0 {
			name = c.Reg.Name
		}
		if !c.Changed() {
			text = strings.TrimSpace(text + "  as before")
		}
		rows = append(rows, []string{name, lanes, hex(width, v), typ, text})
	}
	value := func(lanes string, v uint64) {
		typ, text := shown(c.Reg.Bits, v, c.Format)
		if len(c.Reg.Cells) == 1 && c.Reg.Cells[0] == r.After.Machine.Mode && r.After.Machine.ModeMask != 0 {
			typ, text = "", r.Program.ModeText(uint32(v))
		}
		line(lanes, typ, text, c.Reg.Bits, v)
	}
	switch {
	case len(c.Values) == 1:
		value("", c.Values[0])
		return rows
	case c.Reg.Bits == 1: // a mask with one bit per lane
		mask := uint64(0)
		for lane, v := range c.Values {
			mask |= v << lane
		}
		line("", "mask", lanesOf(mask), len(c.Values), mask)
		return rows
	}
	active := r.ChangedLanes(c)
	left, typed := 0, r.Setup.Listed()
	for lane := 0; lane < len(c.Values); {
		if active>>lane&1 == 0 {
			lane++
			continue
		}
		end := lane + 1
		for !style.Lanes && end < len(c.Values) && active>>end&1 != 0 && c.Values[end] == c.Values[lane] {
			end++
		}
		if style.Lanes || len(rows) < maxRuns || lane < typed {
			value(laneText(lane, end), c.Values[lane])
		} else {
			left += end - lane
		}
		lane = end
	}
	if left > 0 {
		rows = append(rows, []string{"", fmt.Sprintf("and %d more lanes%s", left, style.More)})
	}
	if len(rows) == 0 {
		rows = append(rows, []string{c.Reg.Name, "no lane ran", "", "", "as before"})
	}
	return rows
}

// ChangedLanes returns the lanes worth showing: those that were active, and others whose value changed.
func (r *Result) ChangedLanes(c *Change) uint64 {
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

// text returns a dump of the changed bytes, sixteen per line.
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

// ActiveCount returns the number of active lanes.
func (r *Result) ActiveCount() int { return bits.OnesCount64(r.Active) }
