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
	declares := func(e *Entry) bool { return !e.Function && (len(e.Limits) > 0 || !e.Grows) && a.stepAt(e.Addr) >= 0 }
	p := purse{left: a.each*a.count + a.free}
	for i := range a.code.Entries {
		if declares(&a.code.Entries[i]) {
			p.todo++
		}
	}
	var todo []int32
	for i := range a.code.Entries {
		e := &a.code.Entries[i]
		if !declares(e) {
			continue
		}
		budget := p.take(1)
		for todo = append(todo[:0], a.blockOf(a.stepAt(e.Addr))); len(todo) > 0; {
			n := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			if seen[n] == int32(i)+1 {
				continue
			}
			seen[n] = int32(i) + 1
			b := &a.blocks[n]
			if budget -= int(b.n); budget < 0 {
				a.findAt(a.rule(ruleTangle), e.Addr, orAddr(e.Name, e.Addr)+" reaches too much code to compare all of it with what it declares")
				break
			}
			todo = append(todo, b.succ()...)
			for j, left := b.first, b.n; left > 0; j, left = a.next(j), left-1 {
				s := a.look(j)
				if s.traits&isa.TraitCall != 0 && !s.open && a.stepAt(s.target) >= 0 {
					todo = append(todo, a.blockOf(a.stepAt(s.target)))
				}
				if !told[j] && a.beyond(e, j, s) {
					told[j] = true
				}
			}
		}
		p.giveBack(budget)
	}
}

// beyond reports whether a step exceeds what the entry declares, and if so adds a finding.
func (a *analysis) beyond(e *Entry, j int32, s step) bool {
	for k := range e.Limits {
		l := &e.Limits[k]
		for _, p := range [...][]ir.Span{s.reads, s.writes} {
			for _, sp := range p {
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
