//go:build linux && amd64

package amdgpu

import (
	"encoding/binary"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/heddle-gpu/heddle/internal/gpu/drm"
)

// Types of events.
const (
	eventSignal    = 0
	eventException = 3
	eventDebug     = 5
	eventMemory    = 8
)

// Limits of events: those of signals have a slot of 8 bytes each in the page of events. Others have ids above.
const (
	mostSignals = 4096
	firstOther  = 1 << 30
	mostOthers  = 4096
	unsignalled = ^uint64(0) // in a slot

	// eventsOffset is where Linux would have the page mapped: that is not 0 says that there are slots.
	eventsOffset = 2 << 62
)

// kfdEvents are the events of a file.
type kfdEvents struct {
	mu   sync.Mutex
	list map[uint32]*kfdEvent
	page *drm.Buffer // of slots, nil: none yet
}

// A kfdEvent is something that programs wait for.
type kfdEvent struct {
	kind    uint32
	auto    bool // a wait resets it
	set     bool
	waiters map[*eventWait]bool
	data    exceptionData
}

// exceptionData is the union of struct kfd_event_data: a memory exception or a hardware exception.
type exceptionData struct {
	notPresent, readOnly, _, imprecise uint32
	va                                 uint64
	gpuID, _                           uint32
}

// An eventWait is a call of WAIT_EVENTS.
type eventWait struct {
	events []*kfdEvent
	set    []bool
	all    bool
	wake   chan struct{}
}

type createEventArgs struct {
	page          uint64
	trigger, kind uint32
	auto, _       uint32
	id, slot      uint32
}

func createEvent(k *kfd, c *drm.Call) error {
	a := drm.Args[createEventArgs](c)
	e := &k.events
	e.mu.Lock()
	defer e.mu.Unlock()
	if a.page != 0 && e.page == nil {
		b, err := k.memory.find(a.page)
		if err != nil || b.Buffer == nil || b.Size < mostSignals*8 {
			return unix.EINVAL
		}
		b.Retain()
		e.page = b.Buffer
		for i := range mostSignals {
			binary.LittleEndian.PutUint64(b.Bytes()[8*i:], unsignalled)
		}
	}
	if a.kind > eventMemory {
		return unix.EINVAL
	}
	first, limit := uint32(firstOther), uint32(mostOthers)
	if a.kind == eventSignal || a.kind == eventDebug {
		if e.page == nil { // programs of processors with a GPU inside map one
			k.Once("%s: CREATE_EVENT without a page of events is not built", kfdPath)
			return unix.EINVAL
		}
		first, limit = 1, mostSignals-1
	}
	id := first
	for e.list[id] != nil {
		id++
	}
	if id-first >= limit {
		return unix.ENOSPC
	}
	if first == 1 {
		a.slot, a.trigger, a.page = id, id, eventsOffset
	}
	if e.list == nil {
		e.list = map[uint32]*kfdEvent{}
	}
	e.list[id] = &kfdEvent{kind: a.kind, auto: a.auto != 0, waiters: map[*eventWait]bool{}}
	a.id = id
	return nil
}

// onEvent answers a request that is about an event.
func (k *kfd) onEvent(c *drm.Call, do func(id uint32, e *kfdEvent) error) error {
	id := *drm.Args[uint32](c)
	k.events.mu.Lock()
	defer k.events.mu.Unlock()
	e := k.events.list[id]
	if e == nil {
		return unix.EINVAL
	}
	return do(id, e)
}

func destroyEvent(k *kfd, c *drm.Call) error {
	return k.onEvent(c, func(id uint32, e *kfdEvent) error {
		delete(k.events.list, id)
		for w := range e.waiters { // they wait for nothing any more
			w.each(e, func(i int) { w.events[i] = nil })
		}
		return nil
	})
}

func (e *kfdEvent) isSignal() bool { return e.kind == eventSignal || e.kind == eventDebug }

func setEvent(k *kfd, c *drm.Call) error {
	return k.onEvent(c, func(id uint32, e *kfdEvent) error {
		if !e.isSignal() {
			return unix.EINVAL
		}
		e.signal()
		return nil
	})
}

func resetEvent(k *kfd, c *drm.Call) error {
	return k.onEvent(c, func(id uint32, e *kfdEvent) error {
		if !e.isSignal() {
			return unix.EINVAL
		}
		e.set = false
		return nil
	})
}

// signal sets the event. One that a wait resets stays set only if none waits.
func (e *kfdEvent) signal() {
	e.set = !e.auto || len(e.waiters) == 0
	for w := range e.waiters {
		w.each(e, func(i int) { w.set[i] = true })
	}
}

// interrupt sets the event of an id, as an interrupt of the GPU does.
func (k *kfd) interrupt(id uint32) {
	k.events.mu.Lock()
	defer k.events.mu.Unlock()
	if e := k.events.list[id]; e != nil && e.isSignal() {
		if p := k.events.page; p != nil {
			binary.LittleEndian.PutUint64(p.Bytes()[8*id:], unsignalled)
		}
		e.signal()
	}
}

// except sets all events of a kind of exception.
func (k *kfd) except(kind uint32, data exceptionData) {
	k.events.mu.Lock()
	defer k.events.mu.Unlock()
	for _, e := range k.events.list {
		if e.kind == kind {
			e.data = data
			e.signal()
		}
	}
}

// each calls do with the places of an event and wakes the wait.
func (w *eventWait) each(e *kfdEvent, do func(i int)) {
	for i, v := range w.events {
		if v == e {
			do(i)
		}
	}
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// eventData is struct kfd_event_data.
type eventData struct {
	exceptionData
	_     uint64
	id, _ uint32
}

type waitEventsArgs struct {
	ptr             uint64
	n, all, timeout uint32
	result          uint32
}

// Results of WAIT_EVENTS.
const (
	waitComplete = iota
	waitTimeout
	waitFail
)

// waitEvents answers WAIT_EVENTS: now, or later from a goroutine.
func waitEvents(k *kfd, c *drm.Call) error {
	a := drm.Args[waitEventsArgs](c)
	list, err := drm.Array[eventData](c, a.ptr, a.n)
	if err != nil {
		return err
	}
	w := &eventWait{events: make([]*kfdEvent, a.n), set: make([]bool, a.n), all: a.all != 0, wake: make(chan struct{}, 1)}
	if err := k.events.join(w, list); err != nil {
		return err
	}
	if !k.events.ready(w) && a.timeout != 0 {
		var limit <-chan time.Time
		if a.timeout != ^uint32(0) {
			limit = time.After(time.Duration(a.timeout) * time.Millisecond)
		}
		k.work.Go(func() {
			if !k.await(c, w, limit) {
				k.events.leave(w)
				c.Done(unix.EINTR)
				return
			}
			c.Done(k.waited(c, a, w, list))
		})
		return drm.Later
	}
	return k.waited(c, a, w, list)
}

// join makes a wait one of its events' waits.
func (e *kfdEvents) join(w *eventWait, list []eventData) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i := range list {
		if e.list[list[i].id] == nil {
			return unix.EINVAL
		}
	}
	for i := range list {
		v := e.list[list[i].id]
		w.events[i], w.set[i] = v, v.set
		v.waiters[w] = true
	}
	for _, v := range w.events {
		v.set = v.set && !v.auto
	}
	return nil
}

// leave ends a wait.
func (e *kfdEvents) leave(w *eventWait) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, v := range w.events {
		if v != nil {
			delete(v.waiters, w)
		}
	}
}

// ready reports whether a wait is over.
func (e *kfdEvents) ready(w *eventWait) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i, set := range w.set {
		switch {
		case w.events[i] == nil: // destroyed
			return true
		case set && !w.all:
			return true
		case !set && w.all:
			return false
		}
	}
	return w.all
}

// lookAfter is how often a wait looks whether its program still waits.
const lookAfter = time.Second

// await waits until a wait is over or the time has passed; false: nobody waits for the answer any more.
func (k *kfd) await(c *drm.Call, w *eventWait, limit <-chan time.Time) bool {
	look := time.NewTicker(lookAfter)
	defer look.Stop()
	for {
		select {
		case <-w.wake:
			if k.events.ready(w) {
				return true
			}
		case <-limit:
			return true
		case <-look.C:
			if !c.Waiting() {
				return false
			}
		case <-k.ctx.Done():
			return false
		}
	}
}

// waited fills the answer of a wait.
func (k *kfd) waited(c *drm.Call, a *waitEventsArgs, w *eventWait, list []eventData) error {
	a.result = waitTimeout
	if k.events.ready(w) {
		a.result = waitComplete
	}
	k.events.leave(w)
	k.events.mu.Lock()
	for i, v := range w.events {
		if v == nil {
			a.result = waitFail
		} else if w.set[i] && !v.isSignal() {
			list[i].exceptionData = v.data
			err := drm.PutArray(c, a.ptr+uint64(i)*uint64(unsafe.Sizeof(list[0])), list[i:i+1])
			if err != nil {
				k.events.mu.Unlock()
				return err
			}
		}
	}
	k.events.mu.Unlock()
	return nil
}
