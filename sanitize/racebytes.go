package sanitize

import (
	"math/bits"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// groupAccesses is what the waves of a running group have done.
type groupAccesses struct {
	number int32
	epoch  uint32 // completed barriers, plus one
	bytes  bytesOf
}

// bytesOf are the accesses of bytes of memory.
type bytesOf struct {
	pages map[pageKey]*page
	last  pageKey
	page  *page // of last
}

const pageBytes = 64

// maxPages is for how many pages of global memory accesses are remembered in a launch.
const maxPages = 1 << 15

type pageKey struct {
	bank uint8
	page uint64
}

type page [pageBytes]byteState

// A byteState is the accesses of a byte: the last store, and two of each other kind that stand for all. A later access
// that conflicts with one of the others conflicts with one of these.
type byteState struct {
	store touch
	seq   uint32 // of the store
	value byte   // that it has stored
	of    [numSorts][2]touch
}

// Sorts of accesses other than stores.
const (
	loads = iota
	atomics
	polls // loads past caches
	numSorts
)

// A touch is an access of a byte, which is off bytes after the start of the access.
type touch struct {
	access int32 // index in Races.accesses, plus one; 0: none
	group  int32
	epoch  uint32
	wave   uint16
	lane   int8
	off    uint8
}

// page returns the bytes with that key; nil: there are too many.
func (b *bytesOf) at(k pageKey, limit int) *page {
	if b.page != nil && b.last == k {
		return b.page
	}
	p := b.pages[k]
	if p == nil {
		if len(b.pages) >= limit {
			return nil
		}
		if b.pages == nil {
			b.pages = map[pageKey]*page{}
		}
		p = new(page)
		b.pages[k] = p
	}
	b.last, b.page = k, p
	return p
}

// same reports whether the program orders two accesses of one group.
func (r *Races) same(a, b *touch) bool {
	return a.wave == b.wave && (!r.Threads || a.lane == b.lane)
}

// keep adds an access to the two that stand for all of its kind: those of two groups if there are, otherwise of two
// waves behind the last barrier.
func (r *Races) keep(two *[2]touch, s *touch) {
	a, b := &two[0], &two[1]
	switch {
	case a.access == 0:
		*a = *s
	case b.access != 0 && a.group != b.group:
	case a.group != s.group:
		*b = *s
	case a.epoch != s.epoch:
		*a, *b = *s, touch{}
	case r.same(a, s):
		*a = *s
	default:
		*b = *s
	}
}

// probed checks the accesses of the lanes of a probe.
func (r *Races) probed(g *groupAccesses, at *exec.Where, p *exec.Probe) {
	a := r.code.accesses.of(firstKind, p.Kind)
	if a == nil {
		return
	}
	if a.at == 0 {
		r.seq++
	}
	e := exec.Env{Windows: r.windows}
	lanes := p.Lanes
	if a.whole {
		lanes &= -lanes
	}
	for i := 0; lanes != 0; i, lanes = i+1+a.elems, lanes&(lanes-1) {
		id, bank, addr := e.Resolve(&a.mem, p.Values[i])
		to, limit := &r.global, maxPages
		switch {
		case id == ir.GroupSpace:
			if to, limit = &g.bytes, 1<<30; r.narrow != nil && !r.narrow.group {
				continue
			}
		case id != ir.GlobalSpace || r.Local || bank == 0 && r.own != nil && r.own(at.Wave, addr) || !r.narrow.has(addr, a.mem.Bytes()) || !r.written(bank, addr):
			continue
		}
		s := touch{access: int32(p.Kind-firstKind) + 1, group: g.number, epoch: g.epoch, wave: uint16(at.Wave), lane: int8(bits.TrailingZeros64(lanes))}
		if a.whole {
			s.lane = -1
		}
		r.access(&place{where: at, to: to, limit: limit, id: id, bank: bank, addr: addr}, s, p.Values[i+1:][:a.elems])
	}
}

// written reports whether a segment of global memory at an address may be written, as far as is known. Where there is
// none nothing happens, unless memory is mapped when it is accessed.
func (r *Races) written(bank uint8, addr uint64) bool {
	banks := r.memory[ir.GlobalSpace]
	if int(bank) >= len(banks) || banks[bank] == nil {
		return true
	}
	s, ok := banks[bank].Find(addr)
	return ok && s.May()&mem.Write != 0 || !ok && banks[bank].Asks()
}

// A place is what a lane accesses.
type place struct {
	where *exec.Where
	to    *bytesOf
	limit int
	id    ir.SpaceID
	bank  uint8
	addr  uint64
}

// access compares the access of a lane with those before it. elems are what it stores.
func (r *Races) access(at *place, s touch, elems []uint64) {
	a := &r.code.accesses[s.access-1]
	first, n := 0, a.mem.Bytes()
	if len(elems) > 0 {
		first, n = a.at*int(a.mem.Elem), len(elems)*int(a.mem.Elem)
	}
	r.met = r.met[:0]
	for k := range n {
		addr := at.addr + uint64(first+k)
		p := at.to.at(pageKey{at.bank, addr / pageBytes}, at.limit)
		if p == nil {
			r.lost++
			continue
		}
		s.off = uint8(first + k)
		value := byte(0)
		if len(elems) > 0 {
			value = byte(elems[k/int(a.mem.Elem)] >> (8 * (k % int(a.mem.Elem))))
		}
		r.touch(&p[addr%pageBytes], addr, &s, a, value)
	}
	for i := range r.met {
		r.race(at, &r.met[i], s, elems)
	}
}

// touch compares an access of a byte with those before it, and adds it to them.
func (r *Races) touch(b *byteState, addr uint64, s *touch, a *access, value byte) {
	kind := HalfAtomic
	switch {
	case a.how == Stores && b.value == value:
		kind = SameValue
	case a.how == Stores || a.sort() == loads:
		kind = Unordered
	}
	switch {
	case b.store.access == 0:
	case a.how != Stores || b.seq != r.seq || b.store.lane == s.lane:
		r.meet(&b.store, addr, s, kind, b.value)
	case (r.Lanes || r.Threads) && b.value != value:
		r.meet(&b.store, addr, s, AmongLanes, b.value)
	}
	if a.how == Stores {
		for sort := range b.of {
			r.meetTwo(b, sort, addr, s)
		}
		b.store, b.seq, b.value = *s, r.seq, value
		return
	}
	switch a.sort() {
	case loads:
		r.meetTwo(b, atomics, addr, s)
	case atomics:
		r.meetTwo(b, loads, addr, s)
	}
	r.keep(&b.of[a.sort()], s)
}

// meetTwo compares an access that is not of a sort with those of the sort.
func (r *Races) meetTwo(b *byteState, sort int, addr uint64, s *touch) {
	kind := HalfAtomic
	if sort == loads && r.code.accesses[s.access-1].how == Stores {
		kind = Unordered
	}
	r.meet(&b.of[sort][0], addr, s, kind, 0)
	r.meet(&b.of[sort][1], addr, s, kind, 0)
}

// sort is that of an access other than a store.
func (a *access) sort() int {
	switch {
	case a.polls:
		return polls
	case a.how == Atomic:
		return atomics
	case a.mem.Load&ir.Volatile != 0:
		return polls
	}
	return loads
}

// A meeting is a conflict of the access under way with an earlier one.
type meeting struct {
	was   touch
	kind  RaceKind
	addr  uint64 // of the first byte
	off   uint64 // of it in the earlier access
	bytes int
	value []byte // of the earlier access in those bytes
}

// meet notes a conflict with an earlier access, if it is one.
func (r *Races) meet(was *touch, addr uint64, s *touch, kind RaceKind, value byte) {
	if was.access == 0 || kind != AmongLanes && was.group == s.group && (was.epoch != s.epoch || r.same(was, s)) {
		return
	}
	start := *was
	start.off = 0
	for i := range r.met {
		if m := &r.met[i]; m.was == start && (m.kind == AmongLanes) == (kind == AmongLanes) {
			if kind == Unordered {
				m.kind = kind
			}
			if m.addr+uint64(len(m.value)) == addr {
				m.value = append(m.value, value)
			}
			m.bytes++
			return
		}
	}
	r.met = append(r.met, meeting{start, kind, addr, uint64(was.off), 1, []byte{value}})
}

// race adds a conflict to the races. A pair of instructions that stores different values somewhere is one race.
func (r *Races) race(at *place, m *meeting, s touch, elems []uint64) {
	was, is := &r.code.accesses[m.was.access-1], &r.code.accesses[s.access-1]
	key := raceKey{was.in.PC, is.in.PC, m.kind}
	if m.kind == SameValue {
		if unordered := (raceKey{key.first, key.second, Unordered}); r.found[unordered] != nil {
			key = unordered
		}
	}
	count := uint64(m.bytes)
	if x := r.found[key]; x != nil {
		x.Count += count
		return
	}
	if m.kind == Unordered {
		equal := raceKey{key.first, key.second, SameValue}
		if x := r.found[equal]; x != nil {
			count += x.Count
			delete(r.found, equal)
		}
	}
	x := &Race{Kind: m.kind, Kernel: at.where.Kernel, Group: r.ids[m.was.group], Space: at.id.String(), Addr: m.addr, Count: count}
	x.First, x.Second = r.side(was, &m.was, m.addr-m.off), r.side(is, &s, at.addr)
	x.Bytes = int(min(x.First.Addr+uint64(x.First.Bytes), x.Second.Addr+uint64(x.Second.Bytes)) - x.Addr)
	r.found[key] = x
	if was.how == Stores {
		x.First.Value = m.value
	}
	if is.how == Stores {
		x.Second.Value = bytesOfElems(is, elems)[m.addr-at.addr-uint64(is.at*int(is.mem.Elem)):][:len(m.value)]
	}
	x.buffer(r.memory, at)
	if r.tell != nil {
		r.tell(x.Finding())
	}
}

// buffer names the segment that has the bytes.
func (x *Race) buffer(memory exec.Spaces, at *place) {
	if banks := memory[at.id]; at.id == ir.GlobalSpace && int(at.bank) < len(banks) && banks[at.bank] != nil {
		if s, ok := banks[at.bank].Find(x.Addr); ok {
			x.Buffer, x.Offset = s.Name, x.Addr-s.Base
		}
	}
}

// bytesOfElems returns the bytes that a store stores.
func bytesOfElems(a *access, elems []uint64) (list []byte) {
	for _, v := range elems {
		for k := range a.mem.Elem {
			list = append(list, byte(v>>(8*k)))
		}
	}
	return list
}

// side returns an access.
func (r *Races) side(a *access, s *touch, addr uint64) Access {
	return Access{Instruction: a.in, How: a.how, Group: r.ids[s.group], Wave: int(s.wave), Lane: int(s.lane), Addr: addr, Bytes: a.mem.Bytes()}
}
