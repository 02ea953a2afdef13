package manual

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

// cost writes the work of the instruction by execution unit, and the throughput per clock of the cores of chips.
func (pg *Page) cost(b *strings.Builder, c Paint) {
	list := slices.DeleteFunc(slices.Clone(pg.Costs), func(x isa.Cost) bool { return x.Class != "" || x.Count == 0 && x.Lack == "" })
	if len(list) == 0 {
		return
	}
	section(b, c, "Cost of a thread")
	for _, x := range list {
		if x.Lack != "" {
			fmt.Fprintf(b, "  %s: %s\n", x.Unit, x.Lack)
			continue
		}
		line := fmt.Sprintf("%s: %d", x.Unit, x.Count)
		if len(x.Rates) == 0 {
			line += "; no source says how many a core executes per clock"
		}
		rates := slices.SortedStableFunc(slices.Values(x.Rates), func(a, b isa.Rate) int { return cmp.Compare(b.PerClock, a.PerClock) })
		for i, r := range rates {
			switch {
			case i > 0 && r.PerClock == rates[i-1].PerClock:
				line += ", " + r.Chip
			case i > 0:
				line += fmt.Sprintf("; %d on %s", r.PerClock, r.Chip)
			default:
				line += fmt.Sprintf("; per core and clock: %d on %s", r.PerClock, r.Chip)
			}
		}
		for i, part := range Wrap(line, wrapAt) {
			fmt.Fprintf(b, "%s%s\n", map[bool]string{true: "  ", false: "    "}[i == 0], part)
		}
	}
}
