package profile

import (
	"math/bits"
	"slices"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// A How is what an access does.
type How uint8

// What accesses do.
const (
	Loads How = iota
	Stores
	Atomics
)

var howNames = [...]string{"load", "store", "atomic"}

func (h How) String() string { return howNames[h] }

// An Access is what an instruction did to a space of memory, over all its runs. A request is a run with a lane that
// accesses it.
type Access struct {
	Requests uint64 `json:"requests"`
	Lanes    uint64 `json:"lanes"` // that access memory; an access of the wave as a whole counts as one
	Bytes    uint64 `json:"bytes"` // of these lanes, each counted
	// Lines are the aligned ranges of Memory.Line bytes of which a request touches a byte, over all requests. Those of
	// private memory are not counted.
	Lines uint64 `json:"lines,omitempty"`
	// Passes are those that group memory needs: one for each group of Memory.Pass lanes with an active lane and each word
	// of a lane, and more if lanes of a group access different words of one bank. Free is what they would be without
	// such conflicts.
	Passes uint64 `json:"passes,omitempty"`
	Free   uint64 `json:"passes_without_conflicts,omitempty"`
	// Repeats is, of atomics, the largest number of lanes of a request with one address, over all requests: how often
	// memory does its work one after another.
	Repeats uint64 `json:"repeats,omitempty"`
}

// add adds other counts.
func (a *Access) add(b *Access) {
	a.Requests += b.Requests
	a.Lanes += b.Lanes
	a.Bytes += b.Bytes
	a.Lines += b.Lines
	a.Passes += b.Passes
	a.Free += b.Free
	a.Repeats += b.Repeats
}

// A site is an access of the code.
type site struct {
	kind uint64 // of its probe
	op   int    // in its block
	mark int    // likewise
	how  How
	mem  ir.Mem
	wave bool // of the wave as a whole
	of   *code
	// enters is the block that the probe says is entered, and no access; nil: it is one.
	enters *Block
	sum    [spaces]Access // of flat addresses by the space that they are in; of others only the first
}

// Spaces of flat addresses: global memory, or what has no window, that of groups, and private memory.
const (
	other = iota
	group
	private
	spaces
)

// kindOf returns which of them a space is.
func kindOf(id ir.SpaceID) int {
	switch id {
	case ir.GroupSpace:
		return group
	case ir.PrivateSpace:
		return private
	}
	return other
}

// spaceOf returns the space of a flat address, and the address in it.
func (s *site) spaceOf(addr uint64) (at uint64, space int) {
	for _, w := range s.of.windows {
		if addr-w.Base < w.Size {
			return addr - w.Base + w.Offset, kindOf(w.Space)
		}
	}
	return addr, other
}

// A shard is what one goroutine has counted.
type shard struct {
	sites    []*site
	accesses [][spaces]Access // by site
	shapes   []shape          // likewise
	count    counter
	expand   [ir.MaxLanes]uint64
	split    [spaces]struct {
		lanes uint64
		addrs []uint64
	}
}

// hear counts a request.
func (s *shard) hear(r *exec.Probe) {
	if r.Kind >= uint64(len(s.sites)) {
		return
	}
	x, to := s.sites[r.Kind], &s.accesses[r.Kind]
	values := r.Values
	if l, ok := seriesOf(r); ok && s.series(x, to, &l) {
		return
	}
	if values == nil {
		values = s.expanded(r)
	}
	if s.again(x, to, r, values) {
		return
	}
	if x.mem.Space != ir.FlatSpace {
		s.request(x, &to[0], r.Lanes, values, kindOf(x.mem.Space))
		return
	}
	l := series{low: slices.Min(values), high: slices.Max(values)}
	if space, one := x.within(&l); one && space == other {
		s.request(x, &to[other], r.Lanes, values, other)
		return
	}
	for i := range s.split {
		s.split[i].lanes, s.split[i].addrs = 0, s.split[i].addrs[:0]
	}
	lanes := r.Lanes
	for _, addr := range values {
		at, space := x.spaceOf(addr)
		part := &s.split[space]
		part.lanes, part.addrs = part.lanes|lanes&-lanes, append(part.addrs, at)
		lanes &= lanes - 1
	}
	for i := range s.split {
		if part := &s.split[i]; part.lanes != 0 {
			s.request(x, &to[i], part.lanes, part.addrs, i)
		}
	}
}

// request counts what lanes with these addresses do to one space.
func (s *shard) request(x *site, a *Access, lanes uint64, addrs []uint64, space int) {
	size := uint64(x.mem.Bytes())
	a.Requests++
	a.Lanes += uint64(len(addrs))
	a.Bytes += uint64(len(addrs)) * size
	switch {
	case space == group && x.of.memory.Banks > 0:
		s.passes(x, a, lanes, addrs, size)
	case space == other && x.of.memory.Line > 0:
		s.lines(x, a, lanes, addrs, size)
	}
	if x.how == Atomics {
		a.Repeats += s.count.repeats(addrs)
	}
}

// lines counts the lines of an access.
func (s *shard) lines(x *site, a *Access, lanes uint64, addrs []uint64, size uint64) {
	each(lanes, x.of.memory.Merge, addrs, func(addrs []uint64) {
		a.Lines += s.count.lines(addrs, size, bits.TrailingZeros(uint(x.of.memory.Line)))
	})
}

// each calls do with the addresses of the lanes of each part of a wave; 0: the wave is one part.
func each(lanes uint64, part int, addrs []uint64, do func(addrs []uint64)) {
	if part == 0 {
		do(addrs)
		return
	}
	for first := 0; first < ir.MaxLanes && len(addrs) > 0; first += part {
		if n := bits.OnesCount64(lanes >> first & (1<<part - 1)); n > 0 {
			do(addrs[:n])
			addrs = addrs[n:]
		}
	}
}

// passes counts the passes of an access to group memory.
func (s *shard) passes(x *site, a *Access, lanes uint64, addrs []uint64, size uint64) {
	words := (size + 3) / 4
	each(lanes, x.of.memory.Pass, addrs, func(addrs []uint64) {
		a.Passes += max(words, s.count.degree(addrs, words, uint64(x.of.memory.Banks)))
		a.Free += words
	})
}

// A counter counts different numbers among those of an access. Its table has the numbers of one round: an entry with
// the number of another round is empty.
type counter struct {
	round uint32
	shift uint8 // of the hash: the round uses the first 1<<(64-shift) entries
	table [maxNumbers]struct {
		round, times uint32
		number       uint64
	}
	banks [64]uint64
}

// maxNumbers is more than any access has numbers, which are at most those of 4 bytes: the table is never full.
const (
	maxNumbers = 1 << 12
	minLine    = 4
	maxLine    = 1 << 12
)

var _ [maxNumbers - 1 - ir.MaxLanes*(maxBytes/minLine+1)]struct{}

// maxBytes is more than an access of a lane has bytes.
const maxBytes = 8 * 16

// put adds a number, and returns how often it was added in the round.
func (c *counter) put(number uint64) uint32 {
	for i := number * 0x9e37_79b9_7f4a_7c15 >> c.shift; ; i++ {
		switch e := &c.table[i%maxNumbers]; { // it may pass the part
		case e.round != c.round:
			e.round, e.times, e.number = c.round, 1, number
			return 1
		case e.number == number:
			e.times++
			return e.times
		}
	}
}

// start starts a round of at most n numbers.
func (c *counter) start(n int) {
	if c.shift = 64 - 10; n > 1<<9 {
		c.shift = 64 - 12
	}
	if c.round++; c.round == 0 { // entries of all rounds may be left
		*c = counter{round: 1, shift: c.shift}
	}
}

// lines returns the number of lines of 1<<shift bytes that accesses at these addresses touch.
func (c *counter) lines(addrs []uint64, size uint64, shift int) (n uint64) {
	c.start(len(addrs) * int(size>>shift+2))
	for _, a := range addrs {
		for line := a >> shift; line <= max(a, a+size-1)>>shift; line++ { // addresses may end
			if c.put(line) == 1 {
				n++
			}
		}
	}
	return n
}

// repeats returns how often the most frequent of these addresses occurs.
func (c *counter) repeats(addrs []uint64) (most uint64) {
	c.start(len(addrs))
	for _, a := range addrs {
		most = max(most, uint64(c.put(a)))
	}
	return most
}

// degree returns the largest number of different words in one bank, of accesses of so many words at these addresses.
func (c *counter) degree(addrs []uint64, words, banks uint64) (most uint64) {
	c.start(len(addrs) * int(words))
	clear(c.banks[:banks])
	for _, a := range addrs {
		for k := range words {
			if w := a/4 + k; c.put(w) == 1 {
				c.banks[w%banks]++
				most = max(most, c.banks[w%banks])
			}
		}
	}
	return most
}
