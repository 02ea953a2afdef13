package sanitize

import "slices"

// kinds is what the probes of a check tell, by their kind: the first of them has the number first.
type kinds[T any] []T

// add makes a kind of probe.
func (k *kinds[T]) add(first uint64, x T) uint64 {
	*k = append(*k, x)
	return first + uint64(len(*k)) - 1
}

// of returns what a probe of that kind tells; nil: it is not of the check.
func (k kinds[T]) of(first, kind uint64) *T {
	if kind < first || kind-first >= uint64(len(k)) {
		return nil
	}
	return &k[kind-first]
}

// keptCodes is of how many codes a check keeps what it makes of them: stages of a draw, and kernels of a program, take
// turns.
const keptCodes = 8

// kept is what a check makes of the code of launches. The last ones stay for later launches, as what engines compile
// of them does.
type kept[K comparable, T any] struct {
	from   [keptCodes]K
	made   [keptCodes]T
	number int // of the next one
}

// of returns what is made of the code: as before, or by rewrite, which gets a number below keptCodes of its own.
func (k *kept[K, T]) of(code K, rewrite func(at int) T) T {
	at := slices.Index(k.from[:min(k.number, keptCodes)], code)
	if at < 0 {
		at = k.number % keptCodes
		k.number++
		k.from[at], k.made[at] = code, rewrite(at)
	}
	return k.made[at]
}
