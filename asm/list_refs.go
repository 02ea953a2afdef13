package asm

import (
	"cmp"
	"slices"
	"sort"
	"strconv"

	"github.com/heddle-gpu/heddle/isa"
)

// A part is a range of offsets that are listed.
type part struct{ from, to int }

// A Link says that an instruction names the address of another.
type Link struct{ To, From uint64 }

// Links returns the links of all branches of code, and of computed targets as in ListOptions.Calls, sorted by target.
func Links(t *isa.Target, code []byte, base uint64, calls map[uint64]uint64) []Link {
	l := newLister(t, code, base, ListOptions{Calls: calls, Refs: true, Comments: true})
	l.sweep()
	l.sortRefs()
	return l.refs
}

// LinksTo returns the links to an address, of links sorted by target.
func LinksTo(refs []Link, addr uint64) []Link {
	from, _ := slices.BinarySearchFunc(refs, addr, func(r Link, to uint64) int { return cmp.Compare(r.To, to) })
	to := from
	for to < len(refs) && refs[to].To == addr {
		to++
	}
	return refs[from:to]
}

// LineAt returns the start and size of the line of a listing that contains an address; size 0: the code does not
// contain it.
func LineAt(t *isa.Target, code []byte, base, addr uint64, data []Range) (from uint64, size int) {
	off := addr - base
	if addr < base || off >= uint64(len(code)) {
		return addr, 0
	}
	l := newLister(t, code, base, ListOptions{Data: data})
	l.sweep()
	l.starts.add(len(code))
	at := int(off)
	for !l.starts.has(at) {
		at--
	}
	return base + uint64(at), l.starts.next(at) - at
}

// findParts makes the parts that were asked for; a part that ends inside a line takes all of it.
func (l *lister) findParts() {
	if len(l.opt.Parts) == 0 {
		l.parts = []part{{0, len(l.code)}}
		return
	}
	reached := 0
	for _, r := range l.opt.Parts {
		from, to := max(r.From, l.base)-l.base, max(r.To, l.base)-l.base
		p := part{max(int(min(from, uint64(len(l.code)))), reached), int(min(to, uint64(len(l.code))))}
		if p.from >= p.to {
			continue
		}
		if !l.starts.has(p.to) {
			p.to = l.starts.next(p.to)
		}
		reached = p.to
		if n := len(l.parts); n > 0 && l.parts[n-1].to == p.from {
			l.parts[n-1].to = p.to
			continue
		}
		l.parts = append(l.parts, p)
	}
}

// listed reports whether a label at an offset is in a listed part.
func (l *lister) listed(off int) bool {
	if len(l.opt.Parts) == 0 {
		return true
	}
	i := sort.Search(len(l.parts), func(i int) bool { return l.parts[i].to > off })
	return i < len(l.parts) && off >= l.parts[i].from
}

// gap writes what precedes a part that is not the first.
func (l *lister) gap(i int) {
	if i == 0 {
		return
	}
	from, to := l.parts[i-1].to, l.parts[i].from
	l.filled += uint64(to - from)
	l.buf = isa.AppendHex(append(l.buf, "\t.org "...), l.base+uint64(to))
	if l.opt.Comments {
		l.buf = append(append(append(l.buf, ' '), l.target.Comments[0]...), ' ')
		l.buf = append(strconv.AppendInt(l.buf, int64(to-from), 10), " bytes are not listed"...)
	}
	l.buf = append(l.buf, '\n')
}

// sortRefs sorts the branches and the symbols, if Refs is set.
func (l *lister) sortRefs() {
	if !l.opt.Refs || !l.opt.Comments {
		l.refs = nil
		return
	}
	for from, to := range l.opt.Calls {
		l.refs = append(l.refs, Link{to, from})
	}
	slices.SortFunc(l.refs, func(a, b Link) int { return cmp.Or(cmp.Compare(a.To, b.To), cmp.Compare(a.From, b.From)) })
	l.refs = slices.Compact(l.refs) // parts of one group may name the same
	l.around = NewSymbols(l.opt.Symbols)
}

// Symbols finds the symbol that an address belongs to.
type Symbols struct{ list []Symbol }

// NewSymbols takes those whose names can be written in text.
func NewSymbols(list []Symbol) (s Symbols) {
	for _, y := range list {
		if _, ok := isa.SymbolText(y.Name); ok {
			s.list = append(s.list, y)
		}
	}
	slices.SortStableFunc(s.list, func(a, b Symbol) int { return cmp.Compare(a.Addr, b.Addr) })
	return s
}

// at returns how many of the symbols are at or before an address.
func (s Symbols) at(addr uint64) int {
	return sort.Search(len(s.list), func(i int) bool { return s.list[i].Addr > addr })
}

// Within returns an address as a symbol plus offset, as name+0x8; "": no symbol precedes it.
func (s Symbols) Within(addr uint64) string {
	i := s.at(addr)
	if i == 0 {
		return ""
	}
	y := s.list[i-1].Addr
	for i > 1 && s.list[i-2].Addr == y { // of several names the first, as at its label
		i--
	}
	if addr == y {
		return s.list[i-1].Name
	}
	return s.list[i-1].Name + "+0x" + strconv.FormatUint(addr-y, 16)
}

// mostRefs is how many branches to a label are named; the others are counted.
const mostRefs = 3

// putRefs lists, after a label whose line begins at offset at of the buffer, the branches to it.
func (l *lister) putRefs(at int, addr uint64) {
	refs := LinksTo(l.refs, addr)
	n := len(refs)
	if n == 0 {
		return
	}
	l.fillUp(at)
	l.buf = append(l.buf, blankLine[:7]...) // other lines begin with a tab
	l.buf = append(append(append(l.buf, ' '), l.target.Comments[0]...), " from "...)
	for k := range min(n, mostRefs) {
		if k > 0 {
			l.buf = append(l.buf, ", "...)
		}
		l.buf = isa.AppendHex(l.buf, refs[k].From)
	}
	if n > mostRefs {
		l.buf = append(strconv.AppendInt(append(l.buf, " (+"...), int64(n-mostRefs), 10), " more)"...)
	}
}

// goal returns the symbol of the target of the last decoded instruction, "" if its text names it already.
func (l *lister) goal(addr uint64) string {
	if len(l.around.list) > 0 && l.target.Branch != nil {
		for i := range l.bundle.Parts {
			if to, ok := l.target.Branch(&l.bundle, i); ok {
				if l.within(to, addr) {
					return ""
				}
				if name := l.around.Within(to); name != "" {
					return "-> " + name
				}
				return ""
			}
		}
	}
	return l.computed(addr)
}

// within reports whether the text of a target is enough: its symbol, or a label in the same function.
func (l *lister) within(to, from uint64) bool {
	off := to - l.base
	if off > uint64(len(l.code)) || !l.named.has(int(off)) {
		return false
	}
	return len(l.labels[to]) > 0 || l.around.at(to) == l.around.at(from)
}

// computed is goal for a branch or call to a computed address.
func (l *lister) computed(addr uint64) string {
	if len(l.opt.Calls) == 0 || !l.opt.Refs || !l.opt.Comments {
		return ""
	}
	to, ok := l.opt.Calls[addr]
	if !ok {
		return ""
	}
	if name := l.around.Within(to); name != "" {
		return "-> " + name
	}
	return "-> 0x" + strconv.FormatUint(to, 16)
}

// fillUp pads the line that began at offset at of the buffer to the column of comments.
func (l *lister) fillUp(at int) {
	if n := len(l.buf) - at; n < len(blankLine) {
		l.buf = append(l.buf, blankLine[n:]...)
	}
}
