package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/heddle-gpu/heddle/internal/chips"
	"github.com/heddle-gpu/heddle/internal/engines"
	"github.com/heddle-gpu/heddle/internal/jit"
	"github.com/heddle-gpu/heddle/internal/profiles"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/profile"
	"github.com/heddle-gpu/heddle/sanitize"
)

// A contender is an engine, which may have checks of the sanitizer to do.
type contender struct {
	engines.Entry
	checks sanitize.Check
}

// settings returns those of launches on one worker, the sanitizer, nil without checks, and what a run does besides.
func (c *contender) settings() (s launch.Settings, watch *sanitize.Sanitizer, besides func(run runner) runner) {
	s = launch.Settings{Engine: c.New(), Workers: 1}
	besides = func(run runner) runner { return run }
	switch c.checks {
	case 0:
	case countsOnly:
		s.Watcher = profiles.New()
	case countsTime:
		counts := profiles.NewTimed()
		s.Watcher, besides = counts, func(run runner) runner { return modelled(run, counts) }
	default:
		watch = sanitize.New(c.checks, nil)
		s.Watcher = watch
	}
	return s, watch, besides
}

// modelled returns a run that also models the time of its launches, on the first chip that runs the code.
func modelled(run runner, counts *profile.Profiler) runner {
	return func() (outcome, error) {
		o, err := run()
		if err != nil {
			return o, err
		}
		cpu, wall := used(), time.Now()
		err = profiles.Time(profiles.Of(counts), counts, false, func(isa string) (*chips.Chip, error) { return chips.Named(isa, "") })
		o.time, o.wall = o.time+used()-cpu, o.wall+time.Since(wall)
		return o, err
	}
}

// What stands in place of checks for counting what instructions do, and for modelling their time as well.
const (
	countsOnly = ^sanitize.Check(0)
	countsTime = countsOnly - 1
)

// sanitized reads the lists of checks.
func (s *settings) sanitized(lists string) error {
	for _, list := range strings.Fields(lists) {
		if c := map[string]sanitize.Check{"profile": countsOnly, "timing": countsTime}[list]; c != 0 {
			s.checks = append(s.checks, c)
			continue
		}
		c, err := sanitize.ParseChecks(list)
		if err != nil {
			return err
		}
		s.checks = append(s.checks, c)
	}
	return nil
}

// contenders returns the engines to measure: those that the machine can run. If it has vectors of 512 bits, the fastest
// engine is also measured with vectors of 256 bits. With checks it is the fastest of them, without and with each list.
func (s *settings) contenders() (list []contender, err error) {
	all := engines.All()
	if len(s.checks) == 0 && jit.New256() != nil {
		all = append(all, engines.Entry{Name: "jit AVX2", New: jit.New256})
	}
	for _, e := range all {
		if s.engines.MatchString(e.Name) {
			list = append(list, contender{Entry: e})
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("no engine matches %s", s.engines)
	}
	if len(s.checks) == 0 {
		return list, nil
	}
	list = list[len(list)-1:]
	for _, c := range s.checks {
		e := list[0].Entry
		switch c {
		case countsOnly:
			e.Name += " profile"
		case countsTime:
			e.Name += " timing"
		default:
			e.Name += " " + c.String()
		}
		list = append(list, contender{e, c})
	}
	return list, nil
}

func names(list []contender) (names []string) {
	for i := range list {
		names = append(names, list[i].Name)
	}
	return names
}

// errorsOf returns the errors that a sanitizer has found: there are none in the workloads.
func errorsOf(watch *sanitize.Sanitizer) error {
	if watch == nil {
		return nil
	}
	var list []error
	for _, f := range watch.Findings() {
		if f.Severity() == isa.SeverityError {
			list = append(list, errors.New(f.String()))
		}
	}
	return errors.Join(list...)
}
