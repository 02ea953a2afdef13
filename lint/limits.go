package lint

import (
	"fmt"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// limits finds registers and workgroup memory beyond what kernels declare, also in functions that they call.
func (a *analysis) limits() {
	seen := make([]int32, len(a.blocks)) // by block: the last entry that reached it + 1
	told := map[int32]bool{}
	budget := 64*a.count + 1<<20
	var todo []int32
	for i := range a.code.Entries {
		e := &a.code.Entries[i]
		at := a.stepAt(e.Addr)
		if e.Function || len(e.Limits) == 0 && e.Grows || at < 0 {
			continue
		}
		for todo = append(todo[:0], a.look(at).block); len(todo) > 0 && budget > 0; {
			n := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			if seen[n] == int32(i)+1 {
				continue
			}
			seen[n] = int32(i) + 1
			b := &a.blocks[n]
			budget -= int(b.n)
			todo = append(todo, b.succ()...)
			for j, left := b.first, b.n; left > 0; j, left = a.next(j), left-1 {
				s := a.look(j)
				if s.traits&isa.TraitCall != 0 && !s.open && a.stepAt(s.target) >= 0 {
					todo = append(todo, a.look(a.stepAt(s.target)).block)
				}
				if !told[j] && a.beyond(e, j, s) {
					told[j] = true
				}
			}
		}
	}
}

// beyond reports whether a step exceeds what the entry declares, and if so adds a finding.
func (a *analysis) beyond(e *Entry, j int32, s step) bool {
	for k := range e.Limits {
		l := &e.Limits[k]
		for _, p := range [...]piece{s.reads, s.writes} {
			for _, sp := range a.spans[p.lo:p.hi] {
				at := int(sp.Cell.Index) + int(sp.Count) - 1 // the last
				last := min(at, int(l.First.Index)+l.Count-1)
				if sp.Cell.File != l.First.File || int(sp.Cell.Index) >= int(l.First.Index)+l.Count || last < int(l.First.Index)+l.Have {
					continue
				}
				c := ir.Cell{File: sp.Cell.File, Index: uint16(last)}
				a.find(a.rule(l.Rule), j, -1, fmt.Sprintf("%s: touches %s, and %s has %s", s.in.Def.Name, a.name(c), orAddr(e.Name, e.Addr), l.What), "")
				return true
			}
		}
	}
	if hi, ok := a.group[j]; ok && !e.Grows && hi > e.Group {
		a.find(a.rule(isa.RuleGroupOutside), j, -1, fmt.Sprintf("%s: accesses group memory up to byte %d, and %s declares %d bytes", s.in.Def.Name,
			hi, orAddr(e.Name, e.Addr), e.Group), "")
		return true
	}
	return false
}
