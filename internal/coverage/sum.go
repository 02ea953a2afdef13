package coverage

import (
	"maps"
	"slices"
	"strings"
)

// A Sum is how much of codes ran.
type Sum struct {
	Codes, Insts, Ran  int
	Ways, WaysRan      int // directions of branches that ran and depend on something
	Lines, LinesRan    int
	Masked             int // instructions that ran with some lanes only
	Unknown            int // codes of which only what ran is known
	Ones               int // tests of one instruction each
	Incomplete         []string
	Forms              map[string]map[string]int // forms that ran, by set, with how many instructions had them
	FormsWithModifiers map[string]int
	AllForms           map[string]int // that the sets have
}

// Sum adds up.
func (c *Coverage) Sum() (s Sum) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s.Forms, s.FormsWithModifiers = map[string]map[string]int{}, map[string]int{}
	s.AllForms = maps.Clone(c.Forms)
	why, with := map[string]bool{}, map[string]bool{}
	for _, x := range c.Codes {
		s.Codes++
		if !x.Whole {
			s.Unknown++
		}
		if x.Incomplete != "" {
			why[x.Incomplete] = true
		}
		for _, in := range x.Insts {
			s.add(x, in, with)
		}
	}
	for _, o := range c.Ones {
		s.Ones += int(o.Tests)
		s.forms(o.ISA, o.Forms, int(o.Tests), with)
	}
	s.Incomplete = slices.Sorted(maps.Keys(why))
	for _, f := range c.lines() {
		for _, l := range f.lines {
			if s.Lines++; l.waves > 0 {
				s.LinesRan++
			}
		}
	}
	return s
}

// add adds an instruction.
func (s *Sum) add(x *Code, in *Inst, with map[string]bool) {
	s.Insts++
	if in.Waves == 0 {
		return
	}
	s.Ran++
	if in.Some > 0 {
		s.Masked++
	}
	if in.Branch {
		s.Ways += 2
		for _, n := range [...]uint64{in.Taken, in.Passed} {
			if n > 0 {
				s.WaysRan++
			}
		}
	}
	s.forms(x.ISA, in.Forms, 1, with)
}

// forms adds forms that n instructions have.
func (s *Sum) forms(set string, list []Form, n int, with map[string]bool) {
	for _, f := range list {
		if s.Forms[set] == nil {
			s.Forms[set] = map[string]int{}
		}
		s.Forms[set][f.Name+" "+f.Encoding] += n
		if key := set + " " + f.Name + " " + f.Encoding + " " + strings.Join(f.Modifiers, " "); !with[key] {
			with[key] = true
			s.FormsWithModifiers[set]++
		}
	}
}
