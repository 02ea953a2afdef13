package profile

import (
	"math/bits"

	"github.com/heddle-gpu/heddle/ir"
)

// A Rule is how accesses to global memory become transactions.
type Rule string

const (
	ByLine Rule = "" // each line of which lanes touch a byte is one
	// InOrder is that of compute capability 1.0 and 1.1: if each lane k of 16 accesses word k of an aligned segment, the
	// segment is one transaction, or two of words of 16 bytes; else each lane has one of 32 bytes.
	// NVIDIA CUDA C Programming Guide 4.2, F.3.2.1.
	InOrder Rule = "in order"
	// Reduced is that of compute capability 1.2 and 1.3: each segment that 16 lanes access is a transaction, which is
	// halved, down to 32 bytes, while one half is not used. NVIDIA CUDA C Programming Guide 4.2, F.3.2.2.
	Reduced Rule = "reduced"
)

// transactions adds those of lanes of one half of a warp, which access so many bytes each at addrs. index is the number
// of each lane within its half.
func (r Rule) transactions(a *Access, index []int, addrs []uint64, size uint64) {
	add := func(bytes uint64) { a.Lines, a.Moved = a.Lines+1, a.Moved+bytes }
	if r == Reduced {
		reduced(addrs, size, add)
		return
	}
	bytes := inOrder(index, addrs, size)
	if bytes == 0 {
		for range addrs {
			add(32)
		}
	}
	for ; bytes > 0; bytes -= min(bytes, 128) {
		add(min(bytes, 128))
	}
}

// reduced adds the transactions of segments that are halved.
func reduced(addrs []uint64, size uint64, add func(bytes uint64)) {
	segment := min(32*size, 128)
	var done [halfWarp]bool
	for i := range addrs {
		if done[i] {
			continue
		}
		from, bytes := addrs[i]&^(segment-1), segment
		low, high := segment, uint64(0)
		for k, at := range addrs {
			if off := at - from; off < segment && !done[k] {
				done[k], low, high = true, min(low, off), max(high, off+size)
			}
		}
		for bytes > 32 && (high <= bytes/2 || low >= bytes/2) {
			if bytes /= 2; low >= bytes {
				low, high = low-bytes, high-bytes
			}
		}
		add(bytes)
	}
}

// inOrder returns the bytes of the segment of which each lane accesses the word of its number; 0: it is no such one.
func inOrder(index []int, addrs []uint64, size uint64) uint64 {
	if size != 4 && size != 8 && size != 16 {
		return 0
	}
	first := addrs[0] - uint64(index[0])*size
	if first%min(16*size, 128) != 0 {
		return 0
	}
	for i, at := range addrs {
		if at != first+uint64(index[i])*size {
			return 0
		}
	}
	return 16 * size
}

// steps returns how often group memory works for lanes that access a word, or part of one, at these addresses: at most
// one lane for each bank at a time, and all that read one word besides. Which word that is documents leave open: here
// it is the first of those that most lanes still want. Of lanes that write to one address only one does.
// NVIDIA CUDA C Programming Guide 4.2, F.3.3.
func (c *counter) steps(addrs []uint64, reads bool, banks uint64) (n uint64) {
	if !reads {
		c.start(len(addrs))
		clear(c.banks[:banks])
		for _, at := range addrs {
			if c.put(at) == 1 {
				c.banks[at/4%banks]++
				n = max(n, c.banks[at/4%banks])
			}
		}
		return n
	}
	var buffer [64]uint64
	left := buffer[:0]
	for _, at := range addrs {
		left = append(left, at/4)
	}
	for ; len(left) > 0; n++ {
		word, most := uint64(0), 0
		for _, w := range left {
			same := 0
			for _, o := range left {
				if o == w {
					same++
				}
			}
			if same > most {
				word, most = w, same
			}
		}
		var busy [64]bool
		busy[word%banks] = true
		rest := left[:0]
		for _, w := range left {
			if w != word && busy[w%banks] {
				rest = append(rest, w)
			}
			busy[w%banks] = true
		}
		left = rest
	}
	return n
}

// halfWarp is the lanes whose accesses to global memory are served together.
const halfWarp = 16

// halves counts the transactions of the lanes of each half of a warp.
func (s *shard) halves(a *Access, rule Rule, lanes uint64, addrs []uint64, spans []span) {
	for first := 0; len(addrs) > 0; first += halfWarp {
		n, index := 0, [halfWarp]int{}
		for half := lanes >> first & (1<<halfWarp - 1); half != 0; half &= half - 1 {
			index[n] = bits.TrailingZeros64(half)
			n++
		}
		if n == 0 {
			continue
		}
		for _, x := range spans {
			var at [halfWarp]uint64
			for i, v := range addrs[:n] {
				at[i] = v + x.at
			}
			rule.transactions(a, index[:n], at[:n], x.size)
		}
		addrs = addrs[n:]
	}
}

// words counts the passes of accesses to group memory that is read word by word.
func (s *shard) words(x *site, a *Access, addrs []uint64, spans []span) {
	var at [ir.MaxLanes]uint64
	for _, span := range spans {
		for off := uint64(0); off < span.size; off += 4 {
			for i, v := range addrs {
				at[i] = v + span.at + off
			}
			a.Passes += s.count.steps(at[:len(addrs)], x.how == Loads, uint64(x.of.memory.Banks))
			a.Free++
		}
	}
}
