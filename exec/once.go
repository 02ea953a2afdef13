package exec

import (
	"errors"
	"sync"
)

// errMaking is the error for goroutines that waited for a value when making it panicked.
var errMaking = errors.New("exec: another goroutine panicked while it made this")

// A once makes the value of each key when it is first requested, and keeps it. Values of different keys may be made
// concurrently, each by one goroutine, without holding the lock.
type once[K comparable, V any] struct {
	mu   sync.RWMutex
	made map[K]V
	busy map[K]*making[V]
	gone int // values that were evicted
}

// A making is a value under construction.
type making[V any] struct {
	done chan struct{}
	v    V
	err  error
}

// get returns the value of the key. An error goes to all waiting goroutines, and is not kept.
func (o *once[K, V]) get(k K, create func(K) (V, error)) (V, error) {
	o.mu.RLock()
	v, ok := o.made[k]
	o.mu.RUnlock()
	if ok {
		return v, nil
	}
	m, mine := o.begin(k)
	if !mine {
		<-m.done
		return m.v, m.err
	}
	defer o.end(k, m)
	m.v, m.err = create(k)
	return m.v, m.err
}

// begin returns the construction of a value, and whether the caller must perform it.
func (o *once[K, V]) begin(k K) (m *making[V], mine bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if m := o.busy[k]; m != nil {
		return m, false
	}
	m = &making[V]{done: make(chan struct{})}
	if v, ok := o.made[k]; ok { // made since the caller looked
		m.v = v
		close(m.done)
		return m, false
	}
	if o.made == nil {
		o.made, o.busy = map[K]V{}, map[K]*making[V]{}
	}
	m.err = errMaking
	o.busy[k] = m
	return m, true
}

// end stores the value and releases the waiting goroutines. If making it panicked they get an error.
func (o *once[K, V]) end(k K, m *making[V]) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if m.err == nil {
		o.made[k] = m.v
	}
	delete(o.busy, k)
	close(m.done)
}

// evict drops all finished values.
func (o *once[K, V]) evict() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.gone += len(o.made)
	if o.made != nil {
		o.made = map[K]V{}
	}
}

// count returns how many values have been made.
func (o *once[K, V]) count() int {
	o.mu.RLock()
	defer o.mu.RUnlock()
	return len(o.made) + o.gone
}
