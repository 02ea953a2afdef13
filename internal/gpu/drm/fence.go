//go:build linux && amd64

package drm

import (
	"cmp"
	"sync"
)

// A Fence is the end of some work. It is signalled once.
type Fence struct {
	dev  *Device
	done chan struct{}
	mu   sync.Mutex
	err  error
	then []func()
}

// NewFence returns a fence that is not signalled.
func (d *Device) NewFence() *Fence { return &Fence{dev: d, done: make(chan struct{})} }

// Signal signals the fence; err says that the work failed.
func (f *Fence) Signal(err error) {
	f.mu.Lock()
	then := f.then
	f.err, f.then = err, nil
	close(f.done)
	f.mu.Unlock()
	for _, do := range then {
		do()
	}
	f.dev.changed.wake()
}

// Done is closed when the fence is signalled.
func (f *Fence) Done() <-chan struct{} { return f.done }

// Signalled reports whether the fence is signalled.
func (f *Fence) Signalled() bool {
	select {
	case <-f.done:
		return true
	default:
		return false
	}
}

// Err is the error of the work; nil before its end.
func (f *Fence) Err() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

// after calls do when the fence is signalled, at once if it is.
func (f *Fence) after(do func()) {
	f.mu.Lock()
	if !f.Signalled() {
		f.then = append(f.then, do)
		f.mu.Unlock()
		return
	}
	f.mu.Unlock()
	do()
}

// both returns a fence that is signalled when two are.
func both(a, b *Fence) *Fence {
	if a.status() == 1 {
		return b
	}
	f := a.dev.NewFence()
	a.after(func() { b.after(func() { f.Signal(cmp.Or(a.Err(), b.Err())) }) })
	return f
}

// mostThen limits what waits for a fence: a program can make it wait for ever, and more and more objects with it.
const mostThen = 1 << 16

// crowded reports whether nothing more may wait for the fence.
func (f *Fence) crowded() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.then) >= mostThen
}

// watchers are goroutines that wait for a change of any fence or synchronisation object.
type watchers struct {
	mu   sync.Mutex
	list map[chan struct{}]bool
}

func (w *watchers) add() chan struct{} {
	c := make(chan struct{}, 1)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.list == nil {
		w.list = map[chan struct{}]bool{}
	}
	w.list[c] = true
	return c
}

func (w *watchers) remove(c chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.list, c)
}

func (w *watchers) wake() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for c := range w.list {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}
