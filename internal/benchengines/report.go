package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"text/tabwriter"
)

// A report is the figures of a run.
type report struct {
	Processor string                `json:"processor"`
	Native    string                `json:"native"` // the implementation, or why there is none
	Engines   []string              `json:"engines"`
	Seconds   float64               `json:"least_seconds"`
	Rounds    int                   `json:"rounds"`
	Workers   int                   `json:"workers,omitempty"` // of figure.Scaled
	Figures   []figure              `json:"figures"`
	Means     map[string]mean       `json:"geometric_means"` // by engine
	Sets      map[string]*setReport `json:"sets"`            // by instruction set
}

// A setReport is the means of one instruction set.
type setReport struct {
	Means map[string]mean `json:"geometric_means"`
}

// A mean is the speed-up of an engine, over several workloads.
type mean struct {
	Reference float64 `json:"times_the_reference"`
	Native    float64 `json:"times_native,omitempty"` // over the workloads that ran natively
}

// A figure is one workload.
type figure struct {
	Set          string              `json:"isa"`
	Name         string              `json:"name"`
	Instructions uint64              `json:"wave_instructions"` // per run
	Engines      map[string]measured `json:"engines"`
	Native       *measured           `json:"native,omitempty"`
	Scaled       float64             `json:"times_one_worker,omitempty"` // in wall-clock time
}

// A measured is the median of the rounds.
type measured struct {
	Runs      int     `json:"runs,omitempty"` // per round; those of native are the helper's
	Seconds   float64 `json:"seconds"`        // of processor time, per run
	MIPS      float64 `json:"wave_mips,omitempty"`
	Reference float64 `json:"times_the_reference"`
	Native    float64 `json:"times_native,omitempty"`
}

// sum computes ratios and means from the seconds.
func (r *report) sum() {
	all := map[string][]mean{}
	sets := map[string]map[string][]mean{}
	for i := range r.Figures {
		f := &r.Figures[i]
		base := f.Engines[r.Engines[0]].Seconds
		if sets[f.Set] == nil {
			sets[f.Set] = map[string][]mean{}
		}
		for _, name := range r.Engines {
			m := f.Engines[name]
			m.MIPS, m.Reference = float64(f.Instructions)/m.Seconds/1e6, base/m.Seconds
			if f.Native != nil {
				m.Native = f.Native.Seconds / m.Seconds
			}
			f.Engines[name] = m
			one := mean{m.Reference, m.Native}
			all[name], sets[f.Set][name] = append(all[name], one), append(sets[f.Set][name], one)
		}
		if f.Native != nil {
			f.Native.Reference = base / f.Native.Seconds
		}
	}
	r.Means, r.Sets = means(all), map[string]*setReport{}
	for set, list := range sets {
		r.Sets[set] = &setReport{means(list)}
	}
}

// means returns the geometric means by engine.
func means(all map[string][]mean) map[string]mean {
	ms := map[string]mean{}
	for name, list := range all {
		ref, native, n := 0.0, 0.0, 0
		for _, m := range list {
			ref += math.Log(m.Reference)
			if m.Native > 0 {
				native += math.Log(m.Native)
				n++
			}
		}
		m := mean{Reference: math.Exp(ref / float64(len(list)))}
		if n > 0 {
			m.Native = math.Exp(native / float64(n))
		}
		ms[name] = m
	}
	return ms
}

// print prints the report as text.
func (r *report) print(w io.Writer) {
	fmt.Fprintf(w, "processor: %s\nnative: %s\nseconds of processor time for a run, one worker, median of %d; in brackets how many times the reference's speed\n\n",
		r.Processor, r.Native, r.Rounds)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "\t%s\tnative", strings.Join(r.Engines, "\t"))
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
		if f.Native != nil {
			fmt.Fprintf(t, "\t%.3g (%.2f)", f.Native.Seconds, f.Native.Reference)
		}
		if f.Scaled > 0 {
			if f.Native == nil {
				fmt.Fprint(t, "\t")
			}
			fmt.Fprintf(t, "\t%.2f x one", f.Scaled)
		}
		fmt.Fprintln(t)
	}
	r.printMeans(t, "geometric mean", r.Means)
	for _, set := range sortedKeys(r.Sets) {
		r.printMeans(t, "geometric mean of "+set, r.Sets[set].Means)
	}
	t.Flush()
}

func (r *report) printMeans(w io.Writer, what string, ms map[string]mean) {
	fmt.Fprint(w, what)
	for _, name := range r.Engines {
		fmt.Fprintf(w, "\t%.2f", ms[name].Reference)
		if n := ms[name].Native; n > 0 {
			fmt.Fprintf(w, ", %.3g of native", n)
		}
	}
	fmt.Fprintln(w)
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
