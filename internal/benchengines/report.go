package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
)

// A report is the figures of a run.
type report struct {
	Processor string                     `json:"processor"`
	Native    string                     `json:"native"`  // the implementation, or why there is none
	Hand      string                     `json:"by_hand"` // the same of code by hand
	Engines   []string                   `json:"engines"`
	Checks    []string                   `json:"checks,omitempty"` // of the engines after the first
	Seconds   float64                    `json:"least_seconds"`
	Rounds    int                        `json:"rounds"`
	Workers   int                        `json:"workers,omitempty"` // of figure.Scaled
	Figures   []figure                   `json:"figures"`
	Groups    map[string]map[string]mean `json:"geometric_means"` // by group, and by engine, natively or byHand
}

// natively and byHand stand for code that is no engine's.
const (
	natively = "native"
	byHand   = "by hand"
)

// ratios are how many times as fast an engine is; 0: there is nothing to compare with.
type ratios struct {
	Reference float64 `json:"times_the_reference"`
	Native    float64 `json:"times_native,omitempty"`
	Hand      float64 `json:"times_by_hand,omitempty"`
}

// A mean is the geometric means of several workloads, each of those for which there is a ratio.
type mean struct {
	ratios
	Least float64 `json:"least_times_native,omitempty"`
}

// A figure is one workload.
type figure struct {
	Set          string              `json:"isa"`
	Name         string              `json:"name"`
	Group        string              `json:"group"`
	Instructions uint64              `json:"wave_instructions"` // per run
	Engines      map[string]measured `json:"engines"`
	Native       *measured           `json:"native,omitempty"`
	NotNative    string              `json:"not_native,omitempty"` // why Native is missing, if it was tried
	Hand         *measured           `json:"by_hand,omitempty"`
	Scaled       float64             `json:"times_one_worker,omitempty"` // in wall-clock time
}

// A measured is the median of the rounds.
type measured struct {
	Runs    int     `json:"runs,omitempty"` // per round; those of native are the program's
	Seconds float64 `json:"seconds"`        // of processor time, per run
	MIPS    float64 `json:"wave_mips,omitempty"`
	ratios
}

// sum computes ratios and means from the seconds.
func (r *report) sum() {
	all := map[string]map[string][]ratios{}
	for i := range r.Figures {
		f := &r.Figures[i]
		if all[f.Group] == nil {
			all[f.Group] = map[string][]ratios{}
		}
		for _, name := range r.Engines {
			m := f.Engines[name]
			m.MIPS, m.ratios = float64(f.Instructions)/m.Seconds/1e6, f.ratios(r.Engines[0], m.Seconds)
			f.Engines[name] = m
			all[f.Group][name] = append(all[f.Group][name], m.ratios)
		}
		for name, m := range map[string]*measured{natively: f.Native, byHand: f.Hand} {
			if m != nil {
				m.ratios = f.ratios(r.Engines[0], m.Seconds)
				all[f.Group][name] = append(all[f.Group][name], m.ratios)
			}
		}
	}
	r.Groups = map[string]map[string]mean{}
	for group, engines := range all {
		r.Groups[group] = map[string]mean{}
		for name, list := range engines {
			r.Groups[group][name] = meanOfAll(list)
		}
	}
}

// ratios compares a time with that of the reference, and with the native ones.
func (f *figure) ratios(reference string, seconds float64) ratios {
	r := ratios{Reference: f.Engines[reference].Seconds / seconds}
	if f.Native != nil {
		r.Native = f.Native.Seconds / seconds
	}
	if f.Hand != nil {
		r.Hand = f.Hand.Seconds / seconds
	}
	return r
}

func meanOfAll(list []ratios) (m mean) {
	geometric := func(of func(r *ratios) float64) float64 {
		sum, n := 0.0, 0
		for i := range list {
			if x := of(&list[i]); x > 0 {
				sum += math.Log(x)
				n++
			}
		}
		if n == 0 {
			return 0
		}
		return math.Exp(sum / float64(n))
	}
	m.Reference = geometric(func(r *ratios) float64 { return r.Reference })
	m.Native = geometric(func(r *ratios) float64 { return r.Native })
	m.Hand = geometric(func(r *ratios) float64 { return r.Hand })
	for _, r := range list {
		if r.Native > 0 && (m.Least == 0 || r.Native < m.Least) {
			m.Least = r.Native
		}
	}
	return m
}

// print prints the report as text.
func (r *report) print(w io.Writer) {
	fmt.Fprintf(w, "processor: %s\nnative: %s\nby hand: %s\nseconds of processor time for a run, one worker, median of %d; in brackets how many times the reference's speed\n\n",
		r.Processor, r.Native, r.Hand, r.Rounds)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "\t%s\t%s\t%s", strings.Join(r.Engines, "\t"), natively, byHand)
	if r.Workers > 1 {
		fmt.Fprintf(t, "\t%d workers by the clock", r.Workers)
	}
	fmt.Fprintln(t)
	for i := range r.Figures {
		f := &r.Figures[i]
		fmt.Fprintf(t, "%s %s", f.Set, f.Name)
		for _, name := range r.Engines {
			m := f.Engines[name]
			fmt.Fprintf(t, "\t%.3g (%.2f)", m.Seconds, m.Reference)
		}
		for _, m := range []*measured{f.Native, f.Hand} {
			if fmt.Fprint(t, "\t"); m != nil {
				fmt.Fprintf(t, "%.3g (%.2f)", m.Seconds, m.Reference)
			}
		}
		if f.Scaled > 0 {
			fmt.Fprintf(t, "\t%.2f x one", f.Scaled)
		}
		fmt.Fprintln(t)
	}
	for _, group := range r.groups() {
		fmt.Fprintf(t, "geometric mean: %s", group)
		for _, name := range r.Engines {
			m := r.Groups[group][name]
			if fmt.Fprintf(t, "\t%.2f", m.Reference); m.Native > 0 {
				fmt.Fprintf(t, ", %.3g of native", m.Native)
			}
		}
		fmt.Fprintln(t)
	}
	t.Flush()
}

// groups returns the groups of the figures, in their order.
func (r *report) groups() (list []string) {
	for i := range r.Figures {
		if g := r.Figures[i].Group; !slices.Contains(list, g) {
			list = append(list, g)
		}
	}
	return list
}

// processor returns the name of the processor, if the system tells it.
func processor() string {
	data, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "unknown"
	}
	for line := range strings.Lines(string(data)) {
		if name, ok := strings.CutPrefix(line, "model name"); ok {
			return strings.TrimSpace(strings.TrimLeft(name, "\t :"))
		}
	}
	return "unknown"
}
