package profiles

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/internal/spell"
	"github.com/heddle-gpu/heddle/internal/timing"
)

// An htmlTime is the model of time of a code.
type htmlTime struct {
	Says, Chip   string
	Launches     []string
	Tiles        []htmlTile
	Spent, Units []htmlBar
	Drawn        *htmlTimeline // nil: a profile that was read has none
}

// An htmlTimeline is the waves of a core of the longest launch. Shapes are placed in a thousandth of the width.
type htmlTimeline struct {
	Name string
	Rows []htmlWaves
	Left int // shapes that are not drawn
}

// An htmlWaves is the waves that have one place of a SIMD, one after another.
type htmlWaves struct {
	Name   string
	Shapes []htmlShape
}

// An htmlShape is a wave, or a stall of it.
type htmlShape struct {
	Class, Title string
	X, W         float64
}

// mostShapes is how many shapes a page has.
const mostShapes = 6000

// timeOf returns the model of a profile; nil: there is none.
func timeOf(p *Profile) *htmlTime {
	r := p.Timing
	if r == nil {
		return nil
	}
	h := &htmlTime{Says: r.Says, Chip: r.Chip, Spent: bars(r.Spent), Units: bars(r.Units)}
	h.Tiles = []htmlTile{{spell.Grouped(uint64(r.Clocks)), "clocks, modelled", "on " + r.Chip}, {r.Bound, "bottleneck", "modelled"}}
	var longest *timing.Launch
	for i := range r.Launches {
		l := &r.Launches[i]
		h.Launches = append(h.Launches, l.String())
		if l.Chart != nil && (longest == nil || l.Clocks > longest.Clocks) {
			longest = l
		}
	}
	if longest != nil {
		h.Drawn = timeline(p, longest)
	}
	return h
}

// bars returns parts as bars.
func bars(parts []timing.Part) (list []htmlBar) {
	for _, x := range parts {
		list = append(list, htmlBar{x.Name, fmt.Sprintf("%.1f %%", 100*x.Share), min(100, 100*x.Share)})
	}
	return list
}

// timeline returns the waves of the first core.
func timeline(p *Profile, l *timing.Launch) *htmlTimeline {
	h := &htmlTimeline{Name: fmt.Sprintf("core 0 of %s, %s clocks", l.Kernel, spell.Grouped(uint64(l.Clocks)))}
	text := p.texts()
	waves := slices.DeleteFunc(slices.Clone(l.Chart.Waves), func(w timing.Span) bool { return w.Core != 0 })
	slices.SortStableFunc(waves, func(a, b timing.Span) int {
		return cmp.Or(cmp.Compare(a.SIMD, b.SIMD), cmp.Compare(a.Slot, b.Slot), cmp.Compare(a.From, b.From))
	})
	scale, shapes := 1000/max(l.Clocks, 1), 0
	shape := func(class, title string, from, to float64) {
		shapes++
		if shapes > mostShapes {
			h.Left++
			return
		}
		row := &h.Rows[len(h.Rows)-1]
		row.Shapes = append(row.Shapes, htmlShape{class, title, from * scale, max((to-from)*scale, 0.2)})
	}
	for i, w := range waves {
		if i == 0 || w.SIMD != waves[i-1].SIMD || w.Slot != waves[i-1].Slot {
			h.Rows = append(h.Rows, htmlWaves{Name: fmt.Sprintf("SIMD %d, %d", w.SIMD, w.Slot)})
		}
		shape("wave", fmt.Sprintf("group %d,%d,%d wave %d: clocks %.0f to %.0f", w.Group[0], w.Group[1], w.Group[2], w.Wave, w.From, w.To), w.From, w.To)
		for _, s := range w.Stalls {
			shape(classOf(s.Reason), fmt.Sprintf("%s: %.0f clocks at %#x %s", s.Reason, s.To-s.From, s.Addr, text[s.Addr]), s.From, s.To)
		}
	}
	return h
}

// classOf returns the class of a stall: what the colour stands for.
func classOf(reason string) string {
	switch {
	case strings.HasPrefix(reason, "wait for "), strings.HasPrefix(reason, "result of "):
		return "wait"
	case strings.HasSuffix(reason, " busy"):
		return "busy"
	}
	return reason
}

// texts returns the text of instructions by address.
func (p *Profile) texts() map[uint64]string {
	text := map[uint64]string{}
	for i := range p.List {
		text[p.List[i].Addr] = p.List[i].Text
	}
	return text
}
