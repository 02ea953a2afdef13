package eval

// lines is a set of addresses, rounded to lines of 16 bytes.
type lines struct {
	low, high uint64 // the first and the last line, if there are any
	set       map[uint64]struct{}
}

// lineShift is the binary logarithm of the line size in bytes.
const lineShift = 4

// linesOf returns the first and the last line of n bytes, n > 0, limited to the end of the address space.
func linesOf(addr, n uint64) (first, last uint64) {
	return addr >> lineShift, (addr + min(n-1, ^addr)) >> lineShift
}

// add adds n bytes.
func (l *lines) add(addr, n uint64) {
	first, last := linesOf(addr, n)
	if l.set == nil {
		l.set, l.low, l.high = map[uint64]struct{}{}, first, last
	}
	l.low, l.high = min(l.low, first), max(l.high, last)
	for ; first <= last; first++ {
		l.set[first] = struct{}{}
	}
}

// meet reports whether any of n bytes may be in the set.
func (l *lines) meet(addr, n uint64) bool {
	if len(l.set) == 0 || n == 0 {
		return false
	}
	first, last := linesOf(addr, n)
	first, last = max(first, l.low), min(last, l.high)
	for ; first <= last; first++ {
		if _, ok := l.set[first]; ok {
			return true
		}
	}
	return false
}
