package profile

import (
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// Addresses that are no series often have the shape of those of the request before: all of them are the same distance
// away. What such a request does to a space depends on the place of its first address within a line alone.

// A shape is the addresses of the last request of a site that was not counted as a series.
type shape struct {
	lanes     uint64
	addrs     []uint64
	series    bool   // they are one
	step      uint64 // its distance
	falls     bool
	low, high uint64 // the lowest and the highest of them
	round     uint32 // of results
	misses    int    // requests of other shapes than before, less those of the same
	results   []result
}

// A result is what a request does to a space; the shape has it if it is of its round.
type result struct {
	round uint32
	space int
	Access
}

// maxMisses is how many misses make a site one whose shapes are not kept.
const maxMisses = 64

// again counts a request by what one of its shape did; false if it does not know how. The addresses are a series, or
// else values of the record.
func (s *shard) again(x *site, to *[spaces]Access, r *exec.Probe, of *series, isSeries bool) bool {
	sh := &s.shapes[r.Kind]
	if sh.misses >= maxMisses {
		return false
	}
	values := r.Values
	if values == nil && !isSeries {
		values = s.expanded(r)
	}
	var first uint64
	if isSeries {
		first = of.start()
	} else {
		first = values[0]
	}
	if isSeries && !sh.hasSeries(r.Lanes, of) || !isSeries && !sh.has(r.Lanes, values) {
		if values == nil {
			values = s.expanded(r)
		}
		sh.set(r.Lanes, values)
		sh.series, sh.step, sh.falls = isSeries, of.step, of.falls
	}
	moved := first - sh.addrs[0]
	l := series{low: sh.low + moved, high: sh.high + moved}
	if l.low > l.high {
		return false
	}
	low, space, part := l.low, kindOf(x.space), 0
	if x.space == ir.FlatSpace {
		var one bool
		if space, one = x.within(&l); !one {
			return false
		}
		first, part = first+l.low-low, space
	}
	if places := max(x.of.memory.Line, 4); len(sh.results) != places {
		sh.results = make([]result, places)
	}
	res := &sh.results[first%uint64(len(sh.results))]
	if res.round != sh.round || res.space != space {
		*res = result{round: sh.round, space: space}
		if values == nil {
			values = s.expanded(r)
		}
		addrs := s.expand[:len(values)]
		for i, v := range values {
			addrs[i] = v + l.low - low
		}
		if x.pieces {
			s.pieces(x, &res.Access, r.Lanes, addrs)
		} else {
			s.request(x, &res.Access, r.Lanes, addrs, space)
		}
	}
	to[part].add(&res.Access)
	return true
}

// hasSeries reports whether a series has the shape.
func (sh *shape) hasSeries(lanes uint64, l *series) bool {
	same := sh.series && lanes == sh.lanes && l.step == sh.step && l.falls == sh.falls
	if same && sh.misses > 0 {
		sh.misses--
	}
	return same
}

// has reports whether addresses have the shape.
func (sh *shape) has(lanes uint64, values []uint64) bool {
	if sh.series || lanes != sh.lanes || len(values) != len(sh.addrs) {
		return false
	}
	addrs := sh.addrs[:len(values)]
	moved, differ := values[0]-addrs[0], uint64(0)
	for i, v := range values {
		differ |= v - addrs[i] ^ moved
	}
	if differ == 0 && sh.misses > 0 {
		sh.misses--
	}
	return differ == 0
}

// set makes the shape that of these addresses.
func (sh *shape) set(lanes uint64, values []uint64) {
	sh.lanes, sh.addrs = lanes, append(sh.addrs[:0], values...)
	sh.low, sh.high = values[0], values[0]
	for _, v := range values {
		sh.low, sh.high = min(sh.low, v), max(sh.high, v)
	}
	sh.round++
	sh.misses++
}
