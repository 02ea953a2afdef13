//go:build linux && amd64

package drm

import (
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// A Sync is a synchronisation object: it holds a fence, and on a timeline one for each point.
type Sync struct {
	mu     sync.Mutex
	fence  *Fence  // the last one; nil: none was submitted
	points []point // ascending, those that matter still
	passed uint64  // the last point that was seen to be signalled
}

type point struct {
	at    uint64
	fence *Fence // includes all earlier points
}

// Set replaces what the object holds by one fence; nil empties it.
func (s *Sync) Set(f *Fence) {
	s.mu.Lock()
	s.fence, s.points, s.passed = f, nil, 0
	s.mu.Unlock()
}

// Add adds a point to the timeline. It is signalled after all earlier points. Linux accepts points that are not later
// than the last one and warns; they count as the last one.
func (s *Sync) Add(at uint64, f *Fence) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fence != nil {
		f = both(s.fence, f)
	}
	if n := len(s.points); n > 0 {
		at = max(at, s.points[n-1].at)
	}
	s.fence, s.points = f, append(s.points, point{max(at, s.passed), f})
	s.trim()
}

// trim forgets points that are signalled.
func (s *Sync) trim() {
	for len(s.points) > 0 && s.points[0].fence.Signalled() {
		s.passed, s.points = s.points[0].at, s.points[1:]
	}
}

// Find returns the fence of a point, 0 for the object as a whole; nil if it was not submitted yet.
func (s *Sync) Find(at uint64) *Fence {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at == 0 || s.fence == nil {
		return s.fence
	}
	if s.passed >= at {
		return signalled
	}
	for _, p := range s.points {
		if p.at >= at {
			return p.fence
		}
	}
	return nil
}

// signalled is a fence that always was.
var signalled = func() *Fence {
	f := &Fence{done: make(chan struct{})}
	close(f.done)
	return f
}()

// value returns the last point that is signalled, or with last the last that was submitted.
func (s *Sync) value(last bool) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trim()
	if n := len(s.points); last && n > 0 {
		return s.points[n-1].at
	}
	return s.passed
}

// Sync returns the synchronisation object of a handle; nil if there is none.
func (f *File) Sync(handle uint32) *Sync {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.syncs[handle]
}

// NewSync makes a synchronisation object that holds a fence, nil for one that has been signalled, and returns its
// handle.
func (f *File) NewSync(fence *Fence) uint32 {
	f.mu.Lock()
	defer f.mu.Unlock()
	h := f.newHandle()
	f.syncs[h] = SyncOf(fence)
	return h
}

// SyncOf makes a synchronisation object that holds a fence, nil for one that has been signalled. It has no handle.
func SyncOf(fence *Fence) *Sync { return &Sync{fence: orSignalled(fence)} }

// orSignalled returns the fence, or one that has been signalled in place of nil.
func orSignalled(fence *Fence) *Fence {
	if fence == nil {
		return signalled
	}
	return fence
}

// syncList returns the objects of an array of handles.
func (f *File) syncList(c *Call, addr uint64, n uint32) ([]*Sync, error) {
	handles, err := Array[uint32](c, addr, n)
	if err != nil {
		return nil, err
	}
	list := make([]*Sync, n)
	for i, h := range handles {
		if list[i] = f.Sync(h); list[i] == nil {
			return nil, unix.ENOENT
		}
	}
	return list, nil
}

const createSignalled = 1

func syncCreate(f *File, c *Call) error {
	a := Args[struct{ handle, flags uint32 }](c)
	if a.flags&^createSignalled != 0 {
		return unix.EINVAL
	}
	s := &Sync{}
	if a.flags&createSignalled != 0 {
		s.fence = signalled
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	a.handle = f.newHandle()
	f.syncs[a.handle] = s
	return nil
}

func syncDestroy(f *File, c *Call) error {
	h := *Args[uint32](c)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.syncs[h] == nil {
		return unix.EINVAL
	}
	delete(f.syncs, h)
	return nil
}

type syncArray struct {
	handles uint64
	count   uint32
	_       uint32
}

// each calls do for the objects of a syncArray.
func (f *File) each(c *Call, do func(*Sync)) error {
	a := Args[syncArray](c)
	if a.count == 0 {
		return unix.EINVAL
	}
	list, err := f.syncList(c, a.handles, a.count)
	if err != nil {
		return err
	}
	for _, s := range list {
		do(s)
	}
	f.changed.wake()
	return nil
}

func syncReset(f *File, c *Call) error { return f.each(c, func(s *Sync) { s.Set(nil) }) }

func syncSignal(f *File, c *Call) error { return f.each(c, func(s *Sync) { s.Set(signalled) }) }

type timelineArray struct {
	handles, points uint64
	count, flags    uint32
}

func (f *File) timelines(c *Call) (a *timelineArray, list []*Sync, points []uint64, err error) {
	a = Args[timelineArray](c)
	if a.count == 0 {
		return a, nil, nil, unix.EINVAL
	}
	if list, err = f.syncList(c, a.handles, a.count); err == nil {
		points, err = Array[uint64](c, a.points, a.count)
	}
	return a, list, points, err
}

func syncTimelineSignal(f *File, c *Call) error {
	_, list, points, err := f.timelines(c)
	if err != nil {
		return err
	}
	for i, s := range list {
		if points[i] == 0 {
			s.Set(signalled)
			continue
		}
		done := f.NewFence()
		s.Add(points[i], done)
		done.Signal(nil)
	}
	f.changed.wake()
	return nil
}

const queryLast = 1

func syncQuery(f *File, c *Call) error {
	a, list, points, err := f.timelines(c)
	if err != nil {
		return err
	}
	for i, s := range list {
		points[i] = s.value(a.flags&queryLast != 0)
	}
	return PutArray(c, a.points, points)
}

type transferArgs struct {
	from, to           uint32
	fromPoint, toPoint uint64
	flags, _           uint32
}

// transferLimit is how long Linux waits for a point of a transfer to be submitted.
const transferLimit = 5 * time.Second

func syncTransfer(f *File, c *Call) error {
	a := *Args[transferArgs](c)
	if a.flags&^waitSubmit != 0 {
		return unix.EINVAL
	}
	from, to := f.Sync(a.from), f.Sync(a.to)
	if from == nil || to == nil {
		return unix.ENOENT
	}
	var limit int64
	if a.flags&waitSubmit != 0 {
		limit = int64(Monotonic() + transferLimit)
	}
	late := error(unix.EINVAL)
	if limit != 0 {
		late = unix.ETIME
	}
	return f.Wait(c, limit, late, func() (bool, error) {
		fence := from.Find(a.fromPoint)
		if fence == nil {
			return false, nil
		}
		if a.toPoint == 0 {
			to.Set(fence)
		} else {
			to.Add(a.toPoint, fence)
		}
		f.changed.wake()
		return true, nil
	})
}
