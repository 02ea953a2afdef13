package sanitize

import (
	"slices"
	"sync/atomic"

	"github.com/heddle-gpu/heddle/internal/shadow"
)

// A step is an instruction that carried an undefined value, or its origin. Steps are shared: a path is its last step.
type step struct {
	from   *step // nil: an origin
	site   *shadow.Site
	origin Origin
	length int         // steps up to this one
	told   atomic.Bool // of a store: that the host reads it was told
}

// again reports whether a value comes from memory of which was told that the host reads it: a copy of that.
func (s *step) again() bool {
	for at := s.from; at != nil; at = at.from {
		if at.told.Load() {
			return true
		}
	}
	return false
}

// paths are the steps of a run.
type paths struct {
	known map[stepKey]*step
}

type stepKey struct {
	from   *step
	site   *shadow.Site
	origin Origin
}

// maxPath is the number of steps that a path remembers. Of a longer one the last steps are replaced.
const maxPath = 64

// maxSteps is the number of steps that paths share. Later ones are their own.
const maxSteps = 1 << 20

// between is how many instructions are told between the first and the last of a path.
const between = 8

// from returns the path that begins at an origin.
func (p *paths) from(o Origin) *step { return p.step(stepKey{origin: o}, 0) }

// after returns the path that goes on at a site. A path that has been there before, in a loop, ends there again.
func (p *paths) after(s *step, site *shadow.Site) *step {
	for at := s; at.site != nil; at = at.from {
		if at.site.Code == site.Code && at.site.PC == site.PC && at.site.Kind == site.Kind && at.site.Cell == site.Cell {
			return at
		}
	}
	if s.length >= maxPath {
		s = s.from
	}
	return p.step(stepKey{from: s, site: site}, s.length+1)
}

func (p *paths) step(k stepKey, length int) *step {
	s := p.known[k]
	if s == nil {
		s = &step{from: k.from, site: k.site, origin: k.origin, length: length}
		if len(p.known) < maxSteps {
			p.known[k] = s
		}
	}
	return s
}

// first returns the origin.
func (s *step) first() *step {
	for s.from != nil {
		s = s.from
	}
	return s
}

// second returns the first instruction of a path; nil: there is none.
func (s *step) second() *step {
	if s.from == nil {
		return nil
	}
	for s.from.from != nil {
		s = s.from
	}
	return s
}

// instructions is list in the form of a finding.
func (s *step) instructions() (list []Instruction, left int) {
	steps, left := s.list()
	for _, s := range steps {
		list = append(list, instructionAt(s.site.Code, s.site.PC))
	}
	return list, left
}

// list returns the steps of a path: the first, the last and up to eight between, and how many are left out.
func (s *step) list() (list []*step, left int) {
	for ; s.from != nil; s = s.from {
		list = append(list, s)
	}
	slices.Reverse(list)
	if most := between + 2; len(list) > most {
		left = len(list) - most
		list = slices.Concat(list[:between+1], list[len(list)-1:])
	}
	return list, left
}
