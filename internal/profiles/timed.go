package profiles

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/internal/chips"
	"github.com/heddle-gpu/heddle/internal/timing"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/profile"
)

// mostTraced is how many steps are traced.
const mostTraced = 1 << 26

// NewTimed returns a profiler that also traces waves, for a model of their time.
func NewTimed() *profile.Profiler {
	p := New()
	p.Record(mostTraced)
	return p
}

// A Chooser returns the chip of an instruction set and variant.
type Chooser = func(isa string) (*chips.Chip, error)

// Time adds a model of the launches to the profiles of what was counted, which are those of Of. draws is whether waves
// are drawn, too.
func Time(list []Profile, counts *profile.Profiler, draws bool, chip Chooser) error {
	runs := map[ir.Code][]timing.Run{}
	for i, t := range counts.Traces() {
		runs[t.Code] = append(runs[t.Code], timing.Run{Trace: &t, Order: i})
	}
	var codes []ir.Code
	for _, of := range counts.Codes() {
		if len(of.Insts) > 0 {
			codes = append(codes, of.Code)
		}
	}
	return model(list, codes, runs, draws, chip)
}

// model adds models of runs, by code, to the profiles of codes.
func model(list []Profile, codes []ir.Code, runs map[ir.Code][]timing.Run, draws bool, chip Chooser) error {
	room := timing.MostShapes
	shapes := &room
	if !draws {
		shapes = nil
	}
	for i := range list {
		p, of := &list[i], codes[i]
		own := runs[of]
		delete(runs, of)   // of code that is there twice, with other windows, all are of the first
		if len(own) == 0 { // launches of an earlier call
			continue
		}
		c, err := chip(p.ISA)
		if err != nil {
			return err
		}
		if p.Timing, err = timing.Of(of, own, c, shapes); err != nil {
			return err
		}
		p.timed()
	}
	Sequence(list)
	return nil
}

// timed links instructions to the model.
func (p *Profile) timed() {
	if p.Timing == nil {
		return
	}
	at := map[uint64]*timing.Inst{}
	for i := range p.Timing.Insts {
		at[p.Timing.Insts[i].Addr] = &p.Timing.Insts[i]
	}
	for i := range p.List {
		p.List[i].time = at[p.List[i].Addr]
	}
}

// clocks returns the modelled clocks of an instruction, or of them those of its stalls.
func (in *Inst) clocks(stalls bool) uint64 {
	switch {
	case in.time == nil:
		return 0
	case stalls:
		return uint64(math.Round(max(0, in.time.Clocks-in.time.Issue)))
	}
	return uint64(math.Round(in.time.Clocks))
}

// TimeShare formats the share of the waves' modelled clocks that an instruction has.
func (p *Profile) TimeShare(in *Inst) string {
	all, own := 0.0, 0.0
	for i := range p.Timing.Insts {
		all += p.Timing.Insts[i].Clocks
	}
	if in.time != nil {
		own = in.time.Clocks
	}
	return fmt.Sprintf("%.1f %%", 100*own/max(all, 1))
}

// shortWait is the share of an instruction's clocks from which on a stall is worth a note.
const shortWait = 0.1

// waited says what an instruction waited for, of the clocks of its waves.
func (in *Inst) waited() string {
	if in.time == nil || len(in.time.Stalls) == 0 || in.time.Waves == 0 || in.time.Stalls[0].Share < shortWait {
		return ""
	}
	s := in.time.Stalls[0]
	return fmt.Sprintf("modelled: %s %s a wave", s.Name, Clocks(s.Clocks/float64(in.time.Waves)))
}

// Clocks formats a number of clocks.
func Clocks(n float64) string {
	if n >= 100 || n == math.Trunc(n) {
		return fmt.Sprintf("%.0f clocks", n)
	}
	return fmt.Sprintf("%.1f clocks", n)
}

// metricsOf returns the counts that profiles have: those of time only if it was modelled.
func metricsOf(list ...*Profile) (all []*Metric) {
	timed := slices.ContainsFunc(list, func(p *Profile) bool { return p.Timing != nil })
	for i := range Metrics {
		if m := &Metrics[i]; timed || !m.Modelled() {
			all = append(all, m)
		}
	}
	return all
}

// Modelled reports whether only profiles with a model of time have the count.
func (m *Metric) Modelled() bool { return strings.HasPrefix(m.Name, timePrefix) }

// Sequence returns the launches and stages of all profiles in their order.
func Sequence(list []Profile) []*timing.Launch {
	var reports []*timing.Report
	for i := range list {
		if r := list[i].Timing; r != nil {
			reports = append(reports, r)
		}
	}
	return timing.InOrder(reports)
}

// pointers returns the elements of a list.
func pointers(list []Profile) (all []*Profile) {
	for i := range list {
		all = append(all, &list[i])
	}
	return all
}

// WritePerfetto writes the waves of profiles whose time was modelled.
func WritePerfetto(w io.Writer, list []Profile) error {
	of := make([]timing.Timeline, 0, len(list))
	for i := range list {
		p := &list[i]
		if p.Timing == nil {
			continue
		}
		text := p.texts()
		of = append(of, timing.Timeline{Report: p.Timing, Text: func(addr uint64) string { return text[addr] }})
	}
	return timing.WritePerfetto(w, of)
}
