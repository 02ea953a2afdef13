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
// accesses it, in however many words and places.
type Access struct {
	Requests uint64 `json:"requests"`
	Lanes    uint64 `json:"lanes"` // that access memory; an access of the wave as a whole counts as one
	Bytes    uint64 `json:"bytes"` // of these lanes, each counted
	// Lines are the aligned ranges of Memory.Line bytes of which a request touches a byte, over all requests; under
	// another Memory.Rule its transactions, and Moved their bytes. Those of private memory are not counted, and under
	// such a rule none of constants, which go through a cache of their own.
	Lines uint64 `json:"lines,omitempty"`
	Moved uint64 `json:"bytes_moved,omitempty"`
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
	a.Moved += b.Moved
	a.Passes += b.Passes
	a.Free += b.Free
	a.Repeats += b.Repeats
}

// A site is a request of the code: see requestsOf.
type site struct {
	kind        uint64 // of its probe
	pieces      bool   // that tells all addresses
	to          *site  // that has the sum, and describes the request
	mark        int    // of its block
	how         How
	space       ir.SpaceID
	wave        bool // of the wave as a whole
	of          *code
	enters      *Block         // the block that the probe says is entered, and no access; nil: it is one
	spans       []span         // of a lane, from its address on
	size, words uint64         // of all spans: bytes, and words that they take in group memory
	each, none  uint64         // of the probe with all addresses: the bytes of each, and the address of those that are not accessed
	sum         [spaces]Access // of flat addresses by the space that they are in; of others only the first
}

// measure sums the spans.
func (s *site) measure() {
	s.size, s.words = 0, 0
	for _, x := range s.spans {
		s.size += x.size
		s.words += (x.size + 3) / 4
	}
}

// constant reports whether it reads constants of a chip whose rule is of another memory: they go through a cache of
// their own.
func (s *site) constant() bool { return s.space == ir.ConstSpace && s.of.memory.Rule != ByLine }

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
	steps    []byte           // of a wave that is traced
	count    counter
	expand   [maxUnits * ir.MaxLanes]uint64
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
	if x.pieces {
		if slices.Contains(r.Values, x.none) || !s.again(x, to, r, &series{}, false) {
			s.pieces(x, &to[0], r.Lanes, r.Values)
		}
		return
	}
	l, ok := seriesOf(r)
	if ok && s.series(x, to, l) || s.again(x, to, r, &l, ok) {
		return
	}
	values := r.Values
	if values == nil {
		values = s.expanded(r)
	}
	if x.space != ir.FlatSpace {
		s.request(x, &to[0], r.Lanes, values, kindOf(x.space))
		return
	}
	l = series{low: slices.Min(values), high: slices.Max(values)}
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
	a.Requests++
	a.Lanes += uint64(len(addrs))
	a.Bytes += uint64(len(addrs)) * x.size
	s.serve(x, a, lanes, addrs, space, x.spans)
	if x.how == Atomics {
		a.Repeats += s.count.repeats(addrs)
	}
}

// serve counts the lines and passes of accesses of these spans.
func (s *shard) serve(x *site, a *Access, lanes uint64, addrs []uint64, space int, spans []span) {
	memory := &x.of.memory
	switch {
	case space == group && memory.Banks > 0 && memory.OneWord:
		each(lanes, memory.Pass, addrs, func(addrs []uint64) { s.words(x, a, addrs, spans) })
	case space == group && memory.Banks > 0:
		each(lanes, memory.Pass, addrs, func(addrs []uint64) {
			a.Passes += max(x.words, s.count.degree(addrs, spans, uint64(memory.Banks)))
			a.Free += x.words
		})
	case space == other && x.constant():
	case space == other && memory.Rule != ByLine:
		s.halves(a, memory.Rule, lanes, addrs, spans)
	case space == other && memory.Line > 0:
		a.Lines += s.count.lines(addrs, spans, bits.TrailingZeros(uint(memory.Line)))
	}
}

// columns counts the addresses of each lane of a request that tells all, one after another.
func (s *shard) columns(x *site, a *Access, lanes uint64, values []uint64) {
	n := len(values) / bits.OnesCount64(lanes)
	for k := range n {
		var buffer [ir.MaxLanes]uint64
		addrs, in := buffer[:0], uint64(0)
		for i, left := k, lanes; left != 0; i, left = i+n, left&(left-1) {
			if values[i] != x.none {
				addrs, in = append(addrs, values[i]), in|left&-left
			}
		}
		a.Bytes += uint64(len(addrs)) * x.each
		s.serve(x, a, in, addrs, kindOf(x.space), []span{{0, x.each}})
	}
}

// pieces counts a request that tells all addresses of each lane, as many as its probe has operands.
func (s *shard) pieces(x *site, a *Access, in uint64, values []uint64) {
	n := len(values) / bits.OnesCount64(in)
	a.Requests++
	a.Lanes += uint64(bits.OnesCount64(in))
	memory, space, one := &x.of.memory, kindOf(x.space), []span{{0, x.each}}
	if memory.Rule != ByLine || memory.OneWord {
		s.columns(x, a, in, values)
		return
	}
	part := ir.MaxLanes
	if space == group && memory.Pass > 0 {
		part = memory.Pass
	}
	for first := 0; first < ir.MaxLanes; first += part {
		addrs, most := s.expand[:0], 0 // of a lane
		for lanes := in >> first & (^uint64(0) >> (ir.MaxLanes - part)); lanes != 0; lanes &= lanes - 1 {
			before := len(addrs)
			for _, v := range values[:n] {
				if v != x.none {
					addrs = append(addrs, v)
				}
			}
			values, most = values[n:], max(most, len(addrs)-before)
		}
		a.Bytes += uint64(len(addrs)) * x.each
		switch words := uint64(most) * ((x.each + 3) / 4); {
		case space == group && memory.Banks > 0:
			a.Passes += max(words, s.count.degree(addrs, one, uint64(memory.Banks)))
			a.Free += words
		case space == other && memory.Line > 0:
			a.Lines += s.count.lines(addrs, one, bits.TrailingZeros(uint(memory.Line)))
		}
	}
}

// each calls do with the addresses of the lanes of each part of a wave.
func each(lanes uint64, part int, addrs []uint64, do func(addrs []uint64)) {
	for first := 0; first < ir.MaxLanes && len(addrs) > 0; first += part {
		if n := bits.OnesCount64(lanes >> first & (1<<part - 1)); n > 0 {
			do(addrs[:n])
			addrs = addrs[n:]
		}
	}
}
