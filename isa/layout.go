package isa

import (
	"fmt"
	"strings"
)

// layPairs is the Layout of a set with Arch.Pairs: short instructions that find no partner become long.
func layPairs(t *Target, units []Unit) (changed bool) {
	for i := 0; i < len(units); i++ {
		u := &units[i]
		switch {
		case u.Bundle.Size() != t.Unit:
		case i+1 < len(units) && units[i+1].Bundle.Size() == t.Unit && !units[i+1].Label:
			i++
		case !u.Fixed:
			u.Long, changed = true, true
		}
	}
	return changed
}

// pairs sets the layout of a set with Arch.Pairs.
func (s *Set) pairs() error {
	if !s.Pairs {
		return nil
	}
	if s.Layout != nil || s.Group != nil || s.Open != nil {
		return fmt.Errorf("isa %s: short instructions come in pairs where there is neither another layout nor a group", s.Name)
	}
	s.Layout = layPairs
	return nil
}

// OnlyLong reports whether the instruction on the line, whose mnemonic Parse has found, is longer than one Unit
// whatever its symbols stand for: all rows of the mnemonic are.
func (s *Scan) OnlyLong() bool {
	t := s.Target
	if t.Dialect != 0 || s.start >= len(s.Line) {
		return false
	}
	rest := s.Line[s.start:]
	w, known := rest[:WordLen(rest)], false
	for n := len(w); n > 0; n = strings.LastIndexAny(w[:n], t.ends) {
		for _, d := range t.Rows(w[:n]) {
			if int(d.size) <= t.Unit && d.in(t.Variant, t.Stage) {
				return false
			}
			known = true
		}
	}
	return known
}

// LongForm returns the text of the long form of an instruction given in its short form; "": there is none.
func (s *Scan) LongForm(text string) string {
	if s.Target.LongText == nil {
		return ""
	}
	return s.Target.LongText(s, text)
}
