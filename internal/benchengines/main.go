// Command benchengines compares the engines: on kernels in OpenCL C compiled for GCN, on programs of the other
// instruction sets, and on scenes of all. Where PoCL, its headers and a C compiler are installed, the same sources also
// run on the host's processor at the same time.
//
//	go run ./internal/benchengines -json engines.json -png engines.png
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
	engines *regexp.Regexp
	native  bool
	workers int // of the runs that are compared with those of one; 1: none
}

func main() {
	s := settings{}
	jsonFile := flag.String("json", "", "write the figures to this file")
	pngFile := flag.String("png", "", "write a chart to this file")
	only := flag.String("run", "", "only workloads whose name matches")
	which := flag.String("engines", "", "only engines whose name matches; ratios are to the first of them")
	flag.StringVar(&s.root, "root", ".", "folder of the module")
	flag.DurationVar(&s.least, "time", 300*time.Millisecond, "least time of a measurement of the fastest engine")
	flag.IntVar(&s.rounds, "rounds", 3, "measurements of each engine")
	flag.BoolVar(&s.native, "native", true, "run OpenCL sources natively, if PoCL is installed")
	flag.IntVar(&s.workers, "workers", min(2, runtime.NumCPU()), "run the fastest engine with so many workers, too; 1: do not")
	profile := flag.String("cpuprofile", "", "write a profile of all runs to this file")
	flag.Parse()
	s.only, s.engines = regexp.MustCompile(*only), regexp.MustCompile(*which)
	runtime.GOMAXPROCS(1) // the rest of the runtime counts as part of a run
	var r *report
	err := profiled(*profile, func() (err error) {
		r, err = measure(context.Background(), &s, os.Stderr)
		return err
	})
	if err == nil {
		r.print(os.Stdout)
		err = r.save(*jsonFile, *pngFile)
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
	loads, err := workloads(s.root)
	if err != nil {
		return nil, err
	}
	list, err := contenders(s.engines)
	if err != nil {
		return nil, err
	}
	r := &report{Engines: names(list), Seconds: s.least.Seconds(), Rounds: s.rounds, Processor: processor(), Workers: s.workers}
	var n *native
	if s.native {
		var why string
		if n, why = newNative(); n == nil {
			r.Native = why
		} else {
			defer n.close()
			r.Native = n.version
		}
	}
	for _, l := range loads {
		if !s.only.MatchString(l.set + " " + l.name) {
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
		return nil, fmt.Errorf("no workload matches %s", s.only)
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

// one measures one workload: for each engine and round, enough runs to be measurable.
func one(ctx context.Context, s *settings, l *workload, list []engines.Entry, n *native) (*figure, error) {
	runs := make([]runner, len(list))
	var first [32]byte
	f := &figure{Set: l.set, Name: l.name, Engines: map[string]measured{}}
	counts := make([]int, len(list))
	for i, e := range list { // once, to compile, to compare, and to estimate the time
		run, err := l.prepare(ctx, e.New(), 1)
		if err != nil {
			return nil, err
		}
		runs[i] = run
		for range 2 {
			o, err := run()
			switch {
			case err != nil:
				return nil, fmt.Errorf("engine %s: %w", e.Name, err)
			case i == 0:
				first, f.Instructions = o.sum, o.instructions
			case o.sum != first:
				return nil, fmt.Errorf("engine %s leaves other bytes than %s", e.Name, list[0].Name)
			}
			counts[i] = int(max(1, min(1000, s.least/max(o.time, time.Microsecond))))
		}
	}
	times := make([][]float64, len(list)+1)
	for range s.rounds {
		for i := range list {
			t, err := meanOf(runs[i], counts[i])
			if err != nil {
				return nil, err
			}
			times[i] = append(times[i], t)
		}
		if n != nil && l.cl != nil {
			t, err := n.run(ctx, l.cl, s.least)
			if err != nil {
				return nil, fmt.Errorf("native: %w", err)
			}
			times[len(list)] = append(times[len(list)], t)
		}
	}
	for i, e := range list {
		f.Engines[e.Name] = measured{Runs: counts[i], Seconds: median(times[i])}
	}
	if t := times[len(list)]; t != nil {
		f.Native = &measured{Seconds: median(t)}
	}
	if s.workers > 1 {
		var err error
		if f.Scaled, err = scaled(ctx, s, l, first); err != nil {
			return nil, err
		}
	}
	return f, nil
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
