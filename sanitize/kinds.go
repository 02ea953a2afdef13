package sanitize

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
