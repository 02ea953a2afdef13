// Command benchengines compares the engines: on kernels in OpenCL C compiled for GCN, on programs of the other
// instruction sets, and on scenes of all. Where PoCL, its headers and a C compiler are installed, the same sources also
// run on the host's processor at the same time.
//
//	go run ./internal/benchengines -json docs/engines.json -png docs/engines.png -docs
//
// Engines take turns, so that other load on the machine affects all of them; each figure is the median of the rounds,
// in seconds of processor time on one worker. The memory that engines leave is compared, bit for bit.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/pprof"
	"slices"
	"time"

	"github.com/heddle-gpu/heddle/internal/engines"
	"github.com/heddle-gpu/heddle/internal/jit"
)

// settings are the command-line options.
type settings struct {
	root    string // of the module
	least   time.Duration
	rounds  int
	only    *regexp.Regexp // workloads
	groups  *regexp.Regexp // of workloads
	engines *regexp.Regexp
	native  bool
	workers int // of the runs that are compared with those of one; 1: none
}

func main() {
	s := settings{}
	jsonFile := flag.String("json", "", "write the figures to this file")
	pngFile := flag.String("png", "", "write a chart to this file")
	pages := flag.Bool("docs", false, "show the figures in README.md and docs/engines.md")
	only := flag.String("run", "", "only workloads whose name matches")
	groups := flag.String("groups", "", "only workloads whose group matches")
	which := flag.String("engines", "", "only engines whose name matches; ratios are to the first of them")
	flag.StringVar(&s.root, "root", ".", "folder of the module")
	flag.DurationVar(&s.least, "time", 300*time.Millisecond, "least time of a measurement of the fastest engine")
	flag.IntVar(&s.rounds, "rounds", 3, "measurements of each engine")
	flag.BoolVar(&s.native, "native", true, "run OpenCL sources natively, if PoCL is installed")
	flag.IntVar(&s.workers, "workers", min(2, runtime.NumCPU()), "run the fastest engine with so many workers, too; 1: do not")
	profile := flag.String("cpuprofile", "", "write a profile of all runs to this file")
	flag.Parse()
	s.only, s.groups, s.engines = regexp.MustCompile(*only), regexp.MustCompile(*groups), regexp.MustCompile(*which)
	runtime.GOMAXPROCS(1) // the rest of the runtime counts as part of a run
	var r *report
	err := profiled(*profile, func() (err error) {
		r, err = measure(context.Background(), &s, os.Stderr)
		return err
	})
	if err == nil {
		r.print(os.Stdout)
		if err = r.save(*jsonFile, *pngFile); err == nil && *pages {
			err = r.show(s.root)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "benchengines:", err)
		os.Exit(1)
	}
}

// profiled runs f, and writes a profile of it to a file unless name is "".
func profiled(name string, f func() error) error {
	if name == "" {
		return f()
	}
	file, err := os.Create(filepath.Clean(name))
	if err != nil {
		return err
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		return err
	}
	err = f()
	pprof.StopCPUProfile()
	return errors.Join(err, file.Close())
}

// measure runs all workloads on all engines.
func measure(ctx context.Context, s *settings, progress io.Writer) (*report, error) {
	list, err := contenders(s.engines)
	if err != nil {
		return nil, err
	}
	r := &report{Engines: names(list), Seconds: s.least.Seconds(), Rounds: s.rounds, Processor: processor(), Workers: s.workers}
	var n natives
	if s.native {
		var why string
		if n.pocl, why = newPoCL(); n.pocl == nil {
			r.Native = "no PoCL here: " + why
		} else {
			defer n.pocl.close()
			r.Native = n.pocl.version
		}
		if n.hand, why = newHand(); n.hand == nil {
			r.Hand = "nothing by hand here: " + why
		} else {
			defer n.hand.close()
			r.Hand = n.hand.version
		}
	}
	for _, l := range workloads(s.root) {
		if !s.only.MatchString(l.set+" "+l.name) || !s.groups.MatchString(l.group) {
			continue
		}
		fmt.Fprintf(progress, "%s %s\n", l.set, l.name)
		f, err := one(ctx, s, l, list, n)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", l.set, l.name, err)
		}
		r.Figures = append(r.Figures, *f)
	}
	if len(r.Figures) == 0 {
		return nil, fmt.Errorf("no workload of a group like %q matches %q", s.groups, s.only)
	}
	r.sum()
	return r, nil
}

// contenders returns the engines to measure: those that the machine can run. If it has vectors of 512 bits, the fastest
// engine is also measured with vectors of 256 bits.
func contenders(only *regexp.Regexp) (list []engines.Entry, err error) {
	all := engines.All()
	if jit.New256() != nil {
		all = append(all, engines.Entry{Name: "jit AVX2", New: jit.New256})
	}
	for _, e := range all {
		if only.MatchString(e.Name) {
			list = append(list, e)
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("no engine matches %s", only)
	}
	return list, nil
}

func names(list []engines.Entry) (names []string) {
	for _, e := range list {
		names = append(names, e.Name)
	}
	return names
}

// natives are the programs that run kernels natively; nil: there is none.
type natives struct{ pocl, hand *native }

// A contest is the runs of one workload.
type contest struct {
	runs  []runner // by engine
	count []int    // of a round
	long  []bool   // by engine: it takes five times as long as a measurement must, so that one run is enough
	first outcome
	times [][]float64 // by engine, natively and by hand: one of each round
}

// one measures one workload: for each engine and round, enough runs to be measurable.
func one(ctx context.Context, s *settings, l *workload, list []engines.Entry, n natives) (*figure, error) {
	c, err := enter(ctx, s, l, list)
	if err != nil {
		return nil, err
	}
	var k *clKernel
	if l.row != nil {
		if k, err = l.row.load(s.root, 1); err != nil {
			return nil, err
		}
	}
	for range s.rounds {
		for i := range list {
			if c.long[i] {
				continue
			}
			t, err := meanOf(c.runs[i], c.count[i])
			if err != nil {
				return nil, err
			}
			c.times[i] = append(c.times[i], t)
		}
		if err := c.natively(ctx, s, l, k, n); err != nil {
			return nil, err
		}
	}
	f := &figure{Set: l.set, Name: l.name, Group: l.group, Instructions: c.first.instructions, Engines: map[string]measured{}}
	for i, e := range list {
		f.Engines[e.Name] = measured{Runs: c.count[i], Seconds: median(c.times[i])}
	}
	for i, to := range []**measured{&f.Native, &f.Hand} {
		if t := c.times[len(list)+i]; t != nil {
			*to = &measured{Seconds: median(t)}
		}
	}
	if s.workers > 1 {
		if f.Scaled, err = scaled(ctx, s, l, c.first.sum); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// enter runs a workload on each engine to compile it, to compare what it leaves, and to estimate the time.
func enter(ctx context.Context, s *settings, l *workload, list []engines.Entry) (*contest, error) {
	c := &contest{times: make([][]float64, len(list)+2)}
	for i, e := range list {
		run, err := l.prepare(ctx, e.New(), 1)
		if err != nil {
			return nil, err
		}
		count, long := 0, false
		for range min(i+1, 2) { // the first, the reference, compiles nothing
			o, err := run()
			switch {
			case err != nil:
				return nil, fmt.Errorf("engine %s: %w", e.Name, err)
			case i == 0:
				c.first = o
			case o.sum != c.first.sum:
				return nil, fmt.Errorf("engine %s leaves other bytes than %s", e.Name, list[0].Name)
			}
			count = int(max(1, min(1000, s.least/max(o.time, time.Microsecond))))
			if long = o.time > 5*s.least; long {
				c.times[i] = []float64{o.time.Seconds()}
			}
		}
		c.runs, c.count, c.long = append(c.runs, run), append(c.count, count), append(c.long, long)
	}
	return c, nil
}

// natively runs the kernel of a workload natively and by hand.
func (c *contest) natively(ctx context.Context, s *settings, l *workload, k *clKernel, n natives) error {
	if n.pocl != nil && k != nil && k.native != none {
		t, err := n.pocl.openCL(ctx, k, s.least, c.first.left)
		if err != nil {
			return fmt.Errorf("native: %w", err)
		}
		c.times[len(c.runs)] = append(c.times[len(c.runs)], t)
	}
	if n.hand != nil && l.group == micro {
		t, err := n.hand.byHand(ctx, k, s.least, c.first.left)
		if err != nil {
			return fmt.Errorf("by hand: %w", err)
		}
		c.times[len(c.runs)+1] = append(c.times[len(c.runs)+1], t)
	}
	return nil
}

// meanOf returns the mean of several runs, in seconds.
func meanOf(run runner, n int) (float64, error) {
	runtime.GC() // so that the run does not collect garbage of others
	sum := time.Duration(0)
	for range n {
		o, err := run()
		if err != nil {
			return 0, err
		}
		sum += o.time
	}
	return sum.Seconds() / float64(n), nil
}

func median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	if n := len(x); n%2 == 0 {
		return (x[n/2-1] + x[n/2]) / 2
	}
	return x[len(x)/2]
}

// save writes the requested files.
func (r *report) save(jsonFile, pngFile string) error {
	if jsonFile != "" {
		data, err := json.MarshalIndent(r, "", "  ")
		if err == nil {
			err = os.WriteFile(filepath.Clean(jsonFile), append(data, '\n'), 0o644)
		}
		if err != nil {
			return err
		}
	}
	if pngFile == "" {
		return nil
	}
	f, err := os.Create(pngFile)
	if err != nil {
		return err
	}
	if err := r.chart(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
