package profile

import (
	"math/bits"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// Most accesses of a wave are a series: neighbouring lanes, without a gap, have addresses of one distance. What they
// touch follows from the first address, the distance and the number of lanes.

// A series is the addresses of n lanes, from lane first on.
type series struct {
	first, n  int
	low, high uint64 // the lowest and the highest address
	step      uint64 // the distance, without its sign
	falls     bool   // the first lane has the highest
}

// start returns the address of the first lane.
func (l *series) start() uint64 {
	if l.falls {
		return l.high
	}
	return l.low
}

// seriesOf returns the series of a probe; false if there is none, the lanes have gaps, or addresses pass the end of
// memory.
func seriesOf(r *exec.Probe) (x series, ok bool) {
	x.first, x.n = bits.TrailingZeros64(r.Lanes), bits.OnesCount64(r.Lanes)
	if r.Lanes>>x.first&(r.Lanes>>x.first+1) != 0 {
		return x, false
	}
	step := int64(r.Step)
	x.low = r.First + r.Step*uint64(x.first)
	if r.Values != nil {
		x.low = r.Values[0]
		if step, ok = stepOf(r.Values); !ok {
			return x, false
		}
	}
	if x.n == 1 {
		step = 0
	}
	x.high = x.low + uint64(step)*uint64(x.n-1)
	if step < 0 {
		x.low, x.high, step, x.falls = x.high, x.low, -step, true
	}
	x.step = uint64(step)
	over, length := bits.Mul64(x.step, uint64(x.n-1))
	return x, over == 0 && x.high-x.low == length && x.low <= x.high
}

// stepOf returns the difference of neighbours; false if it is not the same for all.
func stepOf(addrs []uint64) (d int64, same bool) {
	n := len(addrs) - 1
	if n == 0 {
		return 0, true
	}
	step := addrs[1] - addrs[0]
	if addrs[n]-addrs[0] != step*uint64(n) { // so for most that are no series
		return 0, false
	}
	for i := 2; i < n; i++ {
		if addrs[i]-addrs[i-1] != step {
			return 0, false
		}
	}
	return int64(step), true
}

// expanded returns the values of a series.
func (s *shard) expanded(r *exec.Probe) []uint64 {
	n := 0
	for m := r.Lanes; m != 0; m &= m - 1 {
		s.expand[n] = r.First + r.Step*uint64(bits.TrailingZeros64(m))
		n++
	}
	return s.expand[:n]
}

// series counts a request whose addresses are a series; false if it does not know how.
func (s *shard) series(x *site, to *[spaces]Access, l series) bool {
	space, a, ok := kindOf(x.space), &to[0], len(x.spans) == 1
	if !ok {
		return false
	}
	if x.space == ir.FlatSpace {
		if space, ok = x.within(&l); !ok {
			return false
		}
		a = &to[space]
	}
	size, memory := x.size, &x.of.memory
	var lines, passes, free uint64
	switch {
	case space == group && memory.Banks > 0:
		passes, free, ok = l.passes(memory, size)
	case space == other && x.constant():
	case space == other && (memory.Line > 0 || memory.Rule != ByLine):
		lines, ok = l.lines(memory, size)
	}
	if !ok {
		return false
	}
	a.Requests++
	a.Lanes += uint64(l.n)
	a.Bytes += uint64(l.n) * size
	a.Lines += lines
	a.Passes += passes
	a.Free += free
	switch {
	case x.how != Atomics:
	case l.step == 0:
		a.Repeats += uint64(l.n)
	default:
		a.Repeats++
	}
	return true
}

// within returns the space of all addresses of a series of flat addresses; false if they are in several.
func (s *site) within(l *series) (space int, ok bool) {
	for _, w := range s.of.windows {
		low, high := l.low-w.Base, l.high-w.Base
		switch {
		case low < w.Size && high < w.Size && low <= high:
			l.low, l.high = low+w.Offset, high+w.Offset
			return kindOf(w.Space), true
		case low < w.Size || high < w.Size || low > high:
			return 0, false
		}
	}
	return other, true
}

// lines returns the number of lines that accesses of that size touch.
func (l *series) lines(m *Memory, size uint64) (n uint64, ok bool) {
	line, shift := uint64(m.Line), bits.TrailingZeros(uint(m.Line))
	end := l.high + size - 1
	switch {
	case m.Rule != ByLine || end < l.high:
		return 0, false
	case l.step <= line:
		return end>>shift - l.low>>shift + 1, true
	case l.step%line == 0 && size <= line: // each has lines of its own
		return uint64(l.n) * ((l.low%line+size-1)>>shift + 1), true
	}
	return 0, false
}

// passes returns the passes that accesses of that size take, and those without conflicts.
func (l *series) passes(m *Memory, size uint64) (n, free uint64, ok bool) {
	words, banks := (size+3)/4, uint64(m.Banks)
	distance := l.step / 4
	inBank := (distance | banks) & -(distance | banks) // banks come again after banks/inBank lanes
	switch {
	case m.OneWord || words > banks || l.step%4 != 0:
		return 0, 0, false
	case words > 1 && distance != 0 && distance != words:
		return 0, 0, false
	}
	for at := l.first - l.first%m.Pass; at < l.first+l.n; at += m.Pass {
		lanes := uint64(min(at+m.Pass, l.first+l.n) - max(at, l.first))
		degree := uint64(1)
		switch {
		case distance == 0:
		case words == 1:
			degree = (lanes*inBank + banks - 1) / banks
		default:
			degree = (lanes*words + banks - 1) / banks
		}
		n += max(words, degree)
		free += words
	}
	return n, free, true
}
