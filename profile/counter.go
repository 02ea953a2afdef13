package profile

import (
	"math/bits"

	"github.com/heddle-gpu/heddle/ir"
)

// A counter counts different numbers among those of a request. Numbers that lie close together are bits of a map that
// is empty between counts; others go to a hash table.
type counter struct {
	bits  [mapBits / 64]uint64
	round uint32 // of the table: an entry with the number of another round is empty
	shift uint8  // of the hash: the round uses the first 1<<(64-shift) entries
	table [maxNumbers]struct {
		round, times uint32
		number       uint64
	}
	banks [64]uint64
}

// mapBits is the number of bits of the map.
const mapBits = 1 << 14

// maxNumbers is more than any request has numbers, which are at most those of 4 bytes: the table is never full.
const (
	maxNumbers = 1 << 12
	minLine    = 4
	maxLine    = 1 << 12
)

var _ [maxNumbers - 1 - ir.MaxLanes*(maxBytes/minLine+maxSpans)]struct{}

// put adds a number to the table, and returns how often it was added in the round.
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
		c.round = 1
		clear(c.table[:])
	}
}

// near returns the number of the first range of 1<<shift bytes that accesses of these spans touch, and how many ranges
// follow it up to the last one; false if the map does not have so many bits, or an access passes the end of memory.
func near(addrs []uint64, spans []span, shift int) (first, more uint64, ok bool) {
	low, high := ^uint64(0), uint64(0)
	for _, x := range spans {
		for _, a := range addrs {
			a += x.at
			end := a + x.size - 1
			if end < a {
				return 0, 0, false
			}
			low, high = min(low, a), max(high, end)
		}
	}
	first = low >> shift
	more = high>>shift - first
	return first, more, more < mapBits
}

// lines returns the number of lines of 1<<shift bytes that accesses of these spans touch.
func (c *counter) lines(addrs []uint64, spans []span, shift int) (n uint64) {
	if mask, ok := closeLines(addrs, spans, shift); ok {
		return uint64(bits.OnesCount64(mask))
	}
	first, more, ok := near(addrs, spans, shift)
	if !ok {
		return c.farLines(addrs, spans, shift)
	}
	for _, x := range spans {
		for _, a := range addrs {
			a += x.at
			for line, end := a>>shift-first, (a+x.size-1)>>shift-first; line <= end; line++ {
				c.bits[line/64%(mapBits/64)] |= 1 << (line % 64)
			}
		}
	}
	used := c.bits[:more/64+1]
	for _, word := range used {
		n += uint64(bits.OnesCount64(word))
	}
	clear(used)
	return n
}

// closeLines returns the lines that accesses touch as bits of a word; false if they are not within 32 lines of the
// first address.
func closeLines(addrs []uint64, spans []span, shift int) (lines uint64, ok bool) {
	base, all := (addrs[0]+spans[0].at)>>(shift%64)-32, uint64(0)
	for _, x := range spans {
		for _, a := range addrs {
			a += x.at
			from, end := a>>(shift%64)-base, (a+x.size-1)>>(shift%64)-base
			all |= from | end
			lines |= 2<<(end%64) - 1<<(from%64)
		}
	}
	return lines, all < 64
}

// farLines is lines for addresses that lie far apart.
func (c *counter) farLines(addrs []uint64, spans []span, shift int) (n uint64) {
	most := 0
	for _, x := range spans {
		most += int(x.size>>shift + 2)
	}
	c.start(len(addrs) * most)
	for _, first := range addrs {
		for _, x := range spans {
			a := first + x.at
			for line := a >> shift; line <= max(a, a+x.size-1)>>shift; line++ { // addresses may end
				if c.put(line) == 1 {
					n++
				}
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

// degree returns the largest number of different words in one bank, of accesses of these spans.
func (c *counter) degree(addrs []uint64, spans []span, banks uint64) (most uint64) {
	clear(c.banks[:banks])
	first, more, ok := near(addrs, spans, 2)
	if !ok {
		return c.farDegree(addrs, spans, banks)
	}
	for _, x := range spans {
		words := (x.size + 3) / 4
		for _, a := range addrs {
			for w, end := (a+x.at)/4, (a+x.at)/4+words; w < end; w++ {
				at := &c.bits[(w-first)/64%(mapBits/64)]
				if *at>>((w-first)%64)&1 == 0 {
					*at |= 1 << ((w - first) % 64)
					bank := &c.banks[w&(banks-1)]
					*bank++
					most = max(most, *bank)
				}
			}
		}
	}
	clear(c.bits[:more/64+1])
	return most
}

// farDegree is degree for addresses that lie far apart. Banks are empty before.
func (c *counter) farDegree(addrs []uint64, spans []span, banks uint64) (most uint64) {
	c.start(len(addrs) * (maxBytes/4 + maxSpans))
	for _, first := range addrs {
		for _, x := range spans {
			for w := (first + x.at) / 4; w < (first+x.at)/4+(x.size+3)/4; w++ {
				if c.put(w) == 1 {
					c.banks[w&(banks-1)]++
					most = max(most, c.banks[w&(banks-1)])
				}
			}
		}
	}
	return most
}
