//go:build linux && amd64

package drm

import (
	"errors"
	"testing"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"
)

func TestFence(t *testing.T) {
	d := NewDevice(noDriver{}, nil, nil)
	f := d.NewFence()
	var order []int
	f.after(func() { order = append(order, 1) })
	if f.Signalled() || f.Err() != nil || len(order) != 0 {
		t.Error("a new fence is signalled")
	}
	bad := errors.New("bad")
	f.Signal(bad)
	f.after(func() { order = append(order, 2) })
	if !f.Signalled() || f.Err() != bad || len(order) != 2 {
		t.Errorf("a signalled fence: %v, calls %v", f.Err(), order)
	}
	a, b := d.NewFence(), d.NewFence()
	ab := both(a, b)
	b.Signal(nil)
	if ab.Signalled() {
		t.Error("one of two is signalled, and so are both")
	}
	a.Signal(nil)
	if !ab.Signalled() {
		t.Error("both are signalled")
	}
	good := d.NewFence()
	for _, failed := range []*Fence{both(f, good), both(good, f)} {
		if failed.Signalled() {
			t.Error("one of two is signalled, and so are both")
		}
		defer func() {
			if failed.Err() != bad {
				t.Errorf("one of two has failed; both: %v", failed.Err())
			}
		}()
	}
	good.Signal(nil)
	for range mostThen {
		a := d.NewFence()
		a.Signal(nil)
		both(ab, a)
	}
	pending := d.NewFence()
	for range mostThen {
		pending.after(func() {})
	}
	if !pending.crowded() || ab.crowded() {
		t.Error("what waits for a fence is limited, and nothing waits for one that is signalled")
	}
}

// A point of a timeline is signalled when its fence and those of all earlier points are.
func TestTimeline(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := NewDevice(noDriver{}, nil, nil)
		s := &Sync{}
		var points []uint64
		var fences []*Fence
		check := func(t *rapid.T) {
			passed, whole := uint64(0), true
			for i, p := range points {
				if whole = whole && fences[i].Signalled(); whole {
					passed = p
				}
			}
			last := uint64(0)
			if n := len(points); n > 0 {
				last = points[n-1]
			}
			for at := uint64(1); at <= last+1; at++ {
				f := s.Find(at)
				if (f != nil) != (at <= last) || f != nil && f.Signalled() != (at <= passed) {
					t.Fatalf("point %d of %d, signalled to %d: %+v", at, last, passed, f)
				}
			}
			if s.value(false) != passed || s.value(true) != last {
				t.Fatalf("value %d and last %d, want %d and %d", s.value(false), s.value(true), passed, last)
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"": check,
			"add": func(t *rapid.T) {
				at := rapid.Uint64Range(1, 4).Draw(t, "step")
				if n := len(points); n > 0 {
					at += points[n-1]
				}
				f := d.NewFence()
				s.Add(at, f)
				points, fences = append(points, at), append(fences, f)
			},
			"signal": func(t *rapid.T) {
				if len(fences) == 0 {
					t.Skip()
				}
				if f := rapid.SampledFrom(fences).Draw(t, "fence"); !f.Signalled() {
					f.Signal(nil)
				}
			},
			"set": func(*rapid.T) {
				s.Set(nil)
				points, fences = nil, nil
			},
		})
	})
}

// A point that is not later than the last one counts as the last one.
func TestTimelineNotLater(t *testing.T) {
	d := NewDevice(noDriver{}, nil, nil)
	s := &Sync{}
	a, b := d.NewFence(), d.NewFence()
	s.Add(10, a)
	s.Add(3, b)
	a.Signal(nil)
	if s.value(true) != 10 || s.Find(11) != nil {
		t.Errorf("the last point is %d, want 10", s.value(true))
	}
	b.Signal(nil)
	if s.value(false) != 10 {
		t.Errorf("the value is %d, want 10", s.value(false))
	}
}

func TestWaitStates(t *testing.T) {
	d := NewDevice(noDriver{}, nil, nil)
	empty, open, done := &Sync{}, &Sync{fence: d.NewFence()}, &Sync{fence: signalled}
	for _, c := range []struct {
		name  string
		list  []*Sync
		flags uint32
		done  bool
		first uint32
		err   error
	}{
		{"any: none", []*Sync{open, open}, 0, false, 9, nil},
		{"any: the second", []*Sync{open, done}, 0, true, 1, nil},
		{"all: one is missing", []*Sync{done, open}, waitAll, false, 9, nil},
		{"all", []*Sync{done, done}, waitAll, true, 9, nil},
		{"nothing submitted", []*Sync{open, empty}, 0, false, 9, unix.EINVAL},
		{"wait for submit", []*Sync{empty}, waitSubmit, false, 9, nil},
		{"any, one not submitted", []*Sync{empty, done}, waitSubmit, true, 1, nil},
		{"available: none", []*Sync{empty}, waitAvailable, false, 9, nil},
		{"available, not signalled", []*Sync{empty, open}, waitAvailable, true, 1, nil},
		{"all available", []*Sync{done, open}, waitAvailable | waitAll, true, 9, nil},
		{"not all available", []*Sync{done, empty}, waitAvailable | waitAll, false, 9, nil},
	} {
		first := uint32(9)
		done, err := stateOf(c.list, make([]uint64, len(c.list)), c.flags, &first)()
		if done != c.done || err != c.err || first != c.first {
			t.Errorf("%s: %v %d %v, want %v %d %v", c.name, done, first, err, c.done, c.first, c.err)
		}
	}
}

// Another thread may reset an object as soon as it is signalled: the wait is over all the same.
func TestWaitReset(t *testing.T) {
	d := NewDevice(noDriver{}, nil, nil)
	f := d.NewFence()
	s := &Sync{fence: f}
	var first uint32
	state := stateOf([]*Sync{s}, []uint64{0}, 0, &first)
	if done, err := state(); done || err != nil {
		t.Fatal(done, err)
	}
	f.Signal(nil)
	s.Set(nil)
	if done, err := state(); !done || err != nil {
		t.Errorf("%v, %v: the fence that the wait has found is signalled", done, err)
	}
}
