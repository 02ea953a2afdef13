package profiles

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/internal/spell"
)

// A Comparison is where two profiles of one kernel differ.
type Comparison struct {
	Kernel string `json:"kernel"`
	// KernelBefore has the names before if they are others.
	KernelBefore     string       `json:"kernel_before,omitempty"`
	Before           string       `json:"before,omitempty"` // instruction set; "": it did not run
	After            string       `json:"after,omitempty"`
	BeforeIncomplete string       `json:"before_incomplete,omitempty"` // why counts are missing
	AfterIncomplete  string       `json:"after_incomplete,omitempty"`
	By               string       `json:"matched_by"`
	TooLong          bool         `json:"too_long_to_match,omitempty"` // parts were, and are gone and new
	Totals           []Change     `json:"totals"`
	List             []Difference `json:"differences"` // the largest first
}

// Names returns the names of the kernel, those before as well if they are others.
func (c *Comparison) Names() string {
	if c.KernelBefore != "" {
		return c.KernelBefore + " → " + c.Kernel
	}
	return c.Kernel
}

// Warnings says on which sides counts are missing, and what could not be matched.
func (c *Comparison) Warnings() (list []string) {
	for _, side := range [2][2]string{{"before", c.BeforeIncomplete}, {"after", c.AfterIncomplete}} {
		if side[1] != "" {
			list = append(list, side[0]+" is incomplete: "+side[1])
		}
	}
	if c.TooLong {
		list = append(list, "too long to match: what is alike may be listed as gone and new")
	}
	return list
}

// What parts of profiles are matched by.
const (
	bySource      = "source line"
	byInstruction = "instruction"
)

// A Difference is a line of the source, or an instruction, whose counts differ.
type Difference struct {
	Before  string   `json:"before,omitempty"` // line or address; "": it is only in the other
	After   string   `json:"after,omitempty"`
	Text    string   `json:"text,omitempty"` // of the line or the instruction
	Changes []Change `json:"counts"`
}

// A Change is a count before and after.
type Change struct {
	Count  string `json:"count"`
	Before uint64 `json:"before"`
	After  uint64 `json:"after"`
}

// of returns the change of a count.
func changeOf(list []Change, name string) Change {
	if i := slices.IndexFunc(list, func(c Change) bool { return c.Count == name }); i >= 0 {
		return list[i]
	}
	return Change{Count: name}
}

// Of returns the change of a count.
func (d *Difference) Of(by *Metric) Change { return changeOf(d.Changes, by.Name) }

// Of returns the change of the sum of a count.
func (c *Comparison) Of(by *Metric) Change { return changeOf(c.Totals, by.Name) }

// Notes returns the counts that changed, but for one.
func (d *Difference) Notes(except string) string {
	var list []string
	for _, c := range d.Changes {
		if c.Count != except && c.Before != c.After {
			list = append(list, words(c.Count)+" "+c.String())
		}
	}
	return strings.Join(list, ", ")
}

// Place returns the line or address before and after, once if it is the same.
func (d *Difference) Place() string {
	switch {
	case d.Before == d.After:
		return d.After
	case d.Before == "":
		return d.After + " (new)"
	case d.After == "":
		return d.Before + " (gone)"
	}
	return d.Before + " → " + d.After
}

// size returns how much it is.
func (c Change) size() uint64 { return max(c.Before, c.After) - min(c.Before, c.After) }

// String returns it as text: 12 → 8.
func (c Change) String() string {
	return fmt.Sprintf("%s → %s", spell.Grouped(c.Before), spell.Grouped(c.After))
}

// Percent returns by how much of what it was a count changed; "": it is the same, or was 0.
func (c Change) Percent() string {
	if c.Before == 0 || c.Before == c.After {
		return ""
	}
	return fmt.Sprintf("%+.1f %%", 100*(float64(c.After)-float64(c.Before))/float64(c.Before))
}

// Compare compares profiles, those of kernels with the same names, with the lines or instructions first whose count by
// changed most.
func Compare(before, after []Profile, by *Metric) (list []Comparison) {
	pairs, taken := pairs(before, after), make([]bool, len(after))
	for i := range before {
		to := &Profile{}
		if k := pairs[i]; k >= 0 {
			to, taken[k] = &after[k], true
		}
		list = append(list, compare(&before[i], to, by))
	}
	for k := range after {
		if !taken[k] {
			list = append(list, compare(&Profile{}, &after[k], by))
		}
	}
	return list
}

// compare compares two profiles.
func compare(before, after *Profile, by *Metric) Comparison {
	c := Comparison{Kernel: cmp.Or(after.kernels(), before.kernels()), Before: before.ISA, After: after.ISA, BeforeIncomplete: before.Incomplete, AfterIncomplete: after.Incomplete,
		By: byInstruction, Totals: []Change{}, List: []Difference{}}
	if before.ISA != "" && after.ISA != "" && before.nameKey() != after.nameKey() {
		c.KernelBefore = before.kernels()
	}
	var all [2][]*Inst
	for side, p := range [2]*Profile{before, after} {
		for i := range p.List {
			all[side] = append(all[side], &p.List[i])
		}
	}
	metrics := shared(before, after)
	c.Totals = append(c.Totals, changes(metrics, all[0], all[1])...)
	var parts []part
	if before.compiled() && after.compiled() {
		c.By = bySource
		parts, c.TooLong = byLines(before, after)
	} else {
		parts, c.TooLong = byTexts(all[0], all[1])
	}
	for _, x := range parts {
		d := Difference{Before: x.name[0], After: x.name[1], Text: x.text, Changes: changes(metrics, x.insts[0], x.insts[1])}
		if slices.ContainsFunc(d.Changes, func(c Change) bool { return c.Before != c.After }) {
			c.List = append(c.List, d)
		}
	}
	slices.SortStableFunc(c.List, func(x, y Difference) int { return cmp.Compare(y.Of(by).size(), x.Of(by).size()) })
	return c
}

// shared returns the counts that both profiles have: those of time only if it was modelled of each that ran.
func shared(before, after *Profile) []*Metric {
	for _, p := range [2]*Profile{before, after} {
		if p.ISA != "" && p.Timing == nil {
			return metricsOf()
		}
	}
	return metricsOf(before, after)
}

// changes returns the counts that are not 0 both before and after.
func changes(metrics []*Metric, before, after []*Inst) (list []Change) {
	for _, m := range metrics {
		x := Change{Count: m.Name}
		for _, in := range before {
			x.Before += m.Of(in)
		}
		for _, in := range after {
			x.After += m.Of(in)
		}
		if x.Before != 0 || x.After != 0 {
			list = append(list, x)
		}
	}
	return list
}

// compiled reports whether instructions have lines in the source of a compiler.
func (p *Profile) compiled() bool {
	return slices.ContainsFunc(p.List, func(in Inst) bool { return in.Compiled })
}

// A part is a line or an instruction, before and after.
type part struct {
	name  [2]string
	text  string
	insts [2][]*Inst
}

// byTexts matches instructions by an alignment of their texts and mnemonics.
func byTexts(before, after []*Inst) (parts []part, tooLong bool) {
	keys := func(list []*Inst) (all []alike) {
		for _, in := range list {
			mnemonic, _, _ := strings.Cut(in.Text, " ")
			all = append(all, alike{in.Text, mnemonic})
		}
		return all
	}
	i, k := 0, 0
	skip := func(a, b int) {
		for ; i < a; i++ {
			parts = append(parts, part{[2]string{address(before[i])}, before[i].Text, [2][]*Inst{{before[i]}}})
		}
		for ; k < b; k++ {
			parts = append(parts, part{[2]string{"", address(after[k])}, after[k].Text, [2][]*Inst{nil, {after[k]}}})
		}
	}
	pairs, whole := align(keys(before), keys(after))
	for _, x := range pairs {
		skip(x.a, x.b)
		parts = append(parts, part{[2]string{address(before[i]), address(after[k])}, after[k].Text, [2][]*Inst{{before[i]}, {after[k]}}})
		i, k = i+1, k+1
	}
	skip(len(before), len(after))
	return parts, !whole
}

func address(in *Inst) string { return fmt.Sprintf("%#x", in.Addr) }
