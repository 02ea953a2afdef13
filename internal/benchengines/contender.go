package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/internal/engines"
	"github.com/heddle-gpu/heddle/internal/jit"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/profile"
	"github.com/heddle-gpu/heddle/sanitize"
)

// A contender is an engine, which may have checks of the sanitizer to do.
type contender struct {
	engines.Entry
	checks   sanitize.Check
	profiles bool // it counts what instructions do, without checks
}

// settings returns those of launches on one worker, and the sanitizer, nil without checks.
func (c *contender) settings() (s launch.Settings, watch *sanitize.Sanitizer) {
	s = launch.Settings{Engine: c.New(), Workers: 1}
	if c.checks != 0 {
		watch = sanitize.New(c.checks, nil)
		s.Watcher = watch
	}
	if c.profiles {
		s.Watcher = profile.New(func(ir.Code) profile.Memory { return profile.Memory{Line: 64, Banks: 32, Pass: 32} })
	}
	return s, watch
}

// sanitized reads the lists of checks. No checks stand for a profile.
func (s *settings) sanitized(lists string) error {
	for _, list := range strings.Fields(lists) {
		if list == "profile" {
			s.checks = append(s.checks, 0)
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
		if c == 0 {
			e.Name += " profile"
		} else {
			e.Name += " " + c.String()
		}
		list = append(list, contender{e, c, c == 0})
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
