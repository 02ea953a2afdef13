package profiles

import (
	"cmp"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/loc"
)

// A Line is a line of the source, with a count of its instructions.
type Line struct {
	At       loc.Position // without the column
	Text     string       // without blanks around it; "": not known
	Compiled bool         // it is in the source of a compiler
	Count    uint64
	Insts    []*Inst
}

// Hottest returns the lines that have any of a count, those with most first.
func (p *Profile) Hottest(by *Metric) (list []*Line) {
	at, texts := map[loc.Position]*Line{}, map[string][]string{}
	for i := range p.List {
		in := &p.List[i]
		n, pos := by.Of(in), in.At
		if pos.Col = 0; n == 0 || !pos.Known() {
			continue
		}
		l := at[pos]
		if l == nil {
			if _, ok := texts[pos.File]; !ok {
				texts[pos.File] = p.Lines(pos.File)
			}
			l = &Line{At: pos, Compiled: in.Compiled}
			if text := texts[pos.File]; pos.Line <= len(text) {
				l.Text = strings.TrimSpace(text[pos.Line-1])
			}
			at[pos], list = l, append(list, l)
		}
		l.Count += n
		l.Insts = append(l.Insts, in)
	}
	slices.SortStableFunc(list, func(x, y *Line) int { return cmp.Compare(y.Count, x.Count) })
	return list
}
