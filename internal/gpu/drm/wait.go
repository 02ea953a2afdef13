//go:build linux && amd64

package drm

import (
	"time"

	"golang.org/x/sys/unix"
)

// Flags of waits for synchronisation objects.
const (
	waitAll       = 1
	waitSubmit    = 2 // for a fence to be submitted, too
	waitAvailable = 4 // only for that
	waitDeadline  = 8 // a hint
)

type waitArgs struct {
	handles      uint64
	timeout      int64 // absolute, in nanoseconds of CLOCK_MONOTONIC
	count, flags uint32
	first, _     uint32
}

func syncWait(f *File, c *Call) error {
	a := Args[waitArgs](c)
	list, err := f.syncList(c, a.handles, a.count)
	if err != nil {
		return err
	}
	return f.waitSyncs(c, list, make([]uint64, len(list)), a.flags, a.timeout, &a.first)
}

type timelineWaitArgs struct {
	handles, points uint64
	timeout         int64
	count, flags    uint32
	first, _        uint32
}

func syncTimelineWait(f *File, c *Call) error {
	a := Args[timelineWaitArgs](c)
	list, err := f.syncList(c, a.handles, a.count)
	if err != nil {
		return err
	}
	points, err := Array[uint64](c, a.points, a.count)
	if err != nil {
		return err
	}
	return f.waitSyncs(c, list, points, a.flags, a.timeout, &a.first)
}

// waitSyncs waits for points of objects and stores the index of the first that is signalled.
func (f *File) waitSyncs(c *Call, list []*Sync, points []uint64, flags uint32, timeout int64, first *uint32) error {
	if flags&^(waitAll|waitSubmit|waitAvailable|waitDeadline) != 0 || len(list) == 0 {
		return unix.EINVAL
	}
	return f.Wait(c, timeout, unix.ETIME, stateOf(list, points, flags, first))
}

// stateOf returns what Wait asks: whether a wait for points of objects is over.
func stateOf(list []*Sync, points []uint64, flags uint32, first *uint32) func() (bool, error) {
	fences := make([]*Fence, len(list)) // once found: another thread may reset the object before the next look
	return func() (done bool, err error) {
		all := true
		for i, s := range list {
			if fences[i] == nil {
				fences[i] = s.Find(points[i])
			}
			fence := fences[i]
			switch {
			case fence == nil && flags&(waitSubmit|waitAvailable) == 0:
				return false, unix.EINVAL
			case fence == nil || flags&waitAvailable == 0 && !fence.Signalled():
				all = false
			case flags&waitAll == 0:
				*first = uint32(i)
				return true, nil
			}
		}
		return all, nil
	}
}

// Wait answers a call when state is done or has an error, or with the error late after an absolute time in nanoseconds
// of CLOCK_MONOTONIC. state is called again when a fence or synchronisation object of the device has
// changed; another goroutine may call it.
func (f *File) Wait(c *Call, timeout int64, late error, state func() (bool, error)) error {
	w := f.changed.add() // before the state is looked at
	done, err := state()
	left := min(time.Duration(max(timeout, 0))-Monotonic(), longest)
	if !done && err == nil && left > 0 {
		go func() {
			defer f.changed.remove(w)
			c.Done(f.wait(c, w, left, late, state))
		}()
		return Later
	}
	f.changed.remove(w)
	if !done && err == nil {
		err = late
	}
	return err
}

// longest limits waits without an end.
const longest = 365 * 24 * time.Hour

// lookAfter is how often a wait looks whether its program still waits.
const lookAfter = time.Second

func (f *File) wait(c *Call, w chan struct{}, left time.Duration, late error, state func() (bool, error)) error {
	end := time.Now().Add(left)
	t := time.NewTimer(min(left, lookAfter))
	defer t.Stop()
	for {
		select {
		case <-w:
		case <-t.C:
			if !time.Now().Before(end) {
				if done, err := state(); done || err != nil {
					return err
				}
				return late
			}
			if !c.Waiting() {
				return unix.EINTR
			}
			t.Reset(min(time.Until(end), lookAfter))
		}
		if done, err := state(); done || err != nil {
			return err
		}
	}
}

// Monotonic returns the time of CLOCK_MONOTONIC.
func Monotonic() time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		panic("drm: " + err.Error()) // the clock always exists
	}
	return time.Duration(ts.Nano())
}
