// Command benchengines compares the engines: on kernels in OpenCL C compiled for GCN, on programs of the other
// instruction sets, and on scenes of all. Where PoCL, its headers and a C compiler are installed, the same sources also
// run on the host's processor at the same time.
//
//	go run ./internal/benchengines -json docs/engines.json -png docs/engines.png -docs
//
// Engines take turns, so that other load on the machine affects all of them; each figure is the median of the rounds,
// in seconds of processor time on one worker. The memory that engines leave is compared, bit for bit.
//
// With -sanitize it measures the fastest engine without and with checks of the sanitizer, which must find no error, and
// the same sources in Oclgrind if that is installed:
//
//	go run ./internal/benchengines -sanitize 'init all' -groups 'tuned on|held out' -workers 1
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

	"github.com/heddle-gpu/heddle/sanitize"
)

// settings are the command-line options.
type settings struct {
	root    string // of the module
	least   time.Duration
	rounds  int
	only    *regexp.Regexp // workloads
	groups  *regexp.Regexp // of workloads
	engines *regexp.Regexp
	checks  []sanitize.Check // lists of checks of the sanitizer to measure the cost of
	native  bool             // run on PoCL and by hand; with checks on Oclgrind
	limit   time.Duration    // of a native run
	workers int              // of the runs that are compared with those of one; 1: none
}

func main() {
	s := settings{}
	jsonFile := flag.String("json", "", "write the figures to this file")
	pngFile := flag.String("png", "", "write a chart to this file")
	pages := flag.Bool("docs", false, "show the figures in README.md and docs/engines.md")
	only := flag.String("run", "", "only workloads whose name matches")
	groups := flag.String("groups", "", "only workloads whose group matches")
	which := flag.String("engines", "", "only engines whose name matches; ratios are to the first of them")
	checks := flag.String("sanitize", "", "measure the cost of these lists of checks, or of profile or timing, separated by spaces; ratios are to a run without")
	flag.StringVar(&s.root, "root", ".", "folder of the module")
	flag.DurationVar(&s.least, "time", 300*time.Millisecond, "least time of a measurement of the fastest engine")
	flag.IntVar(&s.rounds, "rounds", 3, "measurements of each engine")
	flag.BoolVar(&s.native, "native", true, "run OpenCL sources natively, if PoCL is installed, with -sanitize on Oclgrind")
	flag.DurationVar(&s.limit, "limit", 5*time.Minute, "longest native run of a kernel")
	flag.IntVar(&s.workers, "workers", min(2, runtime.NumCPU()), "run the fastest engine with so many workers, too; 1: do not")
	profile := flag.String("cpuprofile", "", "write a profile of all runs to this file")
	flag.Parse()
	s.only, s.groups, s.engines = regexp.MustCompile(*only), regexp.MustCompile(*groups), regexp.MustCompile(*which)
	if err := s.sanitized(*checks); err != nil {
		fmt.Fprintln(os.Stderr, "benchengines:", err)
		os.Exit(2)
	}
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
	list, err := s.contenders()
	if err != nil {
		return nil, err
	}
	r := &report{Engines: names(list), Seconds: s.least.Seconds(), Rounds: s.rounds, Processor: processor(), Workers: s.workers}
	for _, c := range s.checks {
		r.Checks = append(r.Checks, c.String())
	}
	n := s.natives(r)
	defer n.close()
	for _, l := range workloads(s.root) {
		if !s.only.MatchString(l.set+" "+l.name) || !s.groups.MatchString(l.group) || len(s.checks) > 0 && l.group == scenesAre {
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

// A contest is the runs of one workload.
type contest struct {
	runs  []runner // by engine
	count []int    // of a round
	long  []bool   // by engine: it takes five times as long as a measurement must, so that one run is enough
	first outcome
	times [][]float64 // by engine, natively and by hand: one of each round
	why   string      // there is no native run, if not ""
}

// one measures one workload: for each engine and round, enough runs to be measurable.
func one(ctx context.Context, s *settings, l *workload, list []contender, n natives) (*figure, error) {
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
	f.NotNative = c.why
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
func enter(ctx context.Context, s *settings, l *workload, list []contender) (*contest, error) {
	c := &contest{times: make([][]float64, len(list)+2)}
	for i, e := range list {
		set, watch, besides := e.settings()
		run, err := l.prepare(ctx, set)
		if err != nil {
			return nil, err
		}
		run = besides(run)
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
			if err := errorsOf(watch); err != nil {
				return nil, fmt.Errorf("%s finds: %w", e.Name, err)
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
