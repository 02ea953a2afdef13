package exec

import (
	"errors"
	"slices"
	"sync"
)

// errMaking is the error for goroutines that waited for a value when making it panicked.
var errMaking = errors.New("exec: another goroutine panicked while it made this")

// A once makes the value of each key when it is first requested, and keeps it. Values of different keys may be made
// concurrently, each by one goroutine, without holding the lock.
type once[K comparable, V any] struct {
	mu   sync.RWMutex
	one  *making[K, V] // the first value made: many programs have one block
	made map[K]V       // the others
	busy []*making[K, V]
	gone int // values that were evicted
}

// A making is a value under construction.
type making[K comparable, V any] struct {
	key  K
	done chan struct{} // nil: no goroutine waits
	v    V
	err  error
}

// get returns the value of the key. An error goes to all waiting goroutines, and is not kept.
func (o *once[K, V]) get(k K, create func(K) (V, error)) (V, error) {
	o.mu.RLock()
	v, ok := o.find(k)
	o.mu.RUnlock()
	if ok {
		return v, nil
	}
	m, mine := o.begin(k)
	if !mine {
		if m.done != nil {
			<-m.done
		}
		return m.v, m.err
	}
	defer o.end(m)
	m.v, m.err = create(k)
	return m.v, m.err
}

// find returns the value of the key if it has been made. The caller holds the lock.
func (o *once[K, V]) find(k K) (v V, ok bool) {
	if o.one != nil && o.one.key == k {
		return o.one.v, true
	}
	v, ok = o.made[k]
	return v, ok
}

// begin returns the construction of a value, and whether the caller must perform it.
func (o *once[K, V]) begin(k K) (m *making[K, V], mine bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, m := range o.busy {
		if m.key != k {
			continue
		}
		if m.done == nil {
			m.done = make(chan struct{})
		}
		return m, false
	}
	if v, ok := o.find(k); ok { // made since the caller looked
		return &making[K, V]{v: v}, false
	}
	m = &making[K, V]{key: k, err: errMaking}
	o.busy = append(o.busy, m)
	return m, true
}

// end stores the value and releases the waiting goroutines. If making it panicked they get an error.
func (o *once[K, V]) end(m *making[K, V]) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case m.err != nil:
	case o.one == nil:
		o.one = m
	case o.made == nil:
		o.made = map[K]V{m.key: m.v}
	default:
		o.made[m.key] = m.v
	}
	i := slices.Index(o.busy, m)
	o.busy = slices.Delete(o.busy, i, i+1)
	if m.done != nil {
		close(m.done)
	}
}

// evict drops all finished values.
func (o *once[K, V]) evict() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.gone += o.kept()
	o.one, o.made = nil, nil
}

// count returns how many values have been made.
func (o *once[K, V]) count() int {
	o.mu.RLock()
	defer o.mu.RUnlock()
	return o.kept() + o.gone
}

func (o *once[K, V]) kept() int {
	if o.one == nil {
		return 0
	}
	return 1 + len(o.made)
}
