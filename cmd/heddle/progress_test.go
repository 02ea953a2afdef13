package main

import (
	"bytes"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/heddle-gpu/heddle/casefile"
)

// A screen records output to a terminal.
type screen struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// await waits until the screen shows a text.
func (s *screen) await(t *testing.T, text string) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !strings.Contains(s.String(), text); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%q is not shown, but %q", text, s.String())
		}
	}
}

// TestProgress: a terminal shows a bar, the work done of the total, and the remaining time, updated as work continues,
// and cleared at the end.
func TestProgress(t *testing.T) {
	s := &screen{}
	a := &app{err: s, tty: true}
	var done, total atomic.Int64
	stop := a.watch("run", time.Millisecond, func() far { return far{done.Load(), total.Load(), "groups"} })
	done.Store(12)
	s.await(t, " 12 groups, ") // the total is unknown
	total.Store(5000)
	done.Store(1250)
	s.await(t, "25%  1 250 of 5 000 groups  ETA ")
	// There are 22 columns between the brackets, of which 5.5 are a quarter.
	if text := s.String(); strings.Count(text, "25%") != strings.Count(text, "run [=====>----------------] 25%") {
		t.Errorf("the bar is another: %q", text)
	}
	done.Store(5000)
	s.await(t, "100%  5 000 of 5 000 groups  ETA 0s")
	stop()
	stop() // a second call has no effect
	if text := s.String(); !strings.HasSuffix(text, "\x1b[1A\x1b[J") {
		t.Errorf("the bar is still there: %q", text[max(0, len(text)-100):])
	}
	was := s.String()
	time.Sleep(2 * progressEvery)
	if s.String() != was {
		t.Errorf("something is drawn behind the end: %q", s.String()[len(was):])
	}
}

// TestNoProgress: there is no progress without a terminal, nor for short work, which is not polled.
func TestNoProgress(t *testing.T) {
	for _, tty := range []bool{false, true} {
		s := &screen{}
		a := &app{err: s, tty: tty}
		after := time.Hour
		if !tty {
			after = 0
		}
		stop := a.watch("run", after, func() far { t.Error("asked"); return far{} })
		time.Sleep(20 * time.Millisecond)
		stop()
		if s.String() != "" {
			t.Errorf("terminal %v: %q", tty, s.String())
		}
	}
}

// TestETA: the estimate assumes constant speed.
func TestETA(t *testing.T) {
	for _, c := range []struct {
		at     far
		passed time.Duration
		want   string
	}{
		{far{25, 100, "cases"}, 10 * time.Second, "25%  25 of 100 cases  ETA 30s"},
		{far{1, 1000, "groups"}, 6 * time.Second, "0%  1 of 1 000 groups  ETA 1h39m54s"},
		{far{0, 1000, "groups"}, 6 * time.Second, "0%  0 of 1 000 groups"},
		{far{100, 100, "tiles"}, time.Second, "100%  100 of 100 tiles  ETA 0s"},
		{far{29, 100, "tiles"}, 29 * time.Second, "29%  29 of 100 tiles  ETA 1m11s"},
		// One has been added since they were counted.
		{far{120, 100, "cases"}, time.Second, "100%  120 of 100 cases  ETA 0s"},
		{far{7, 0, "cases, 2 failed"}, 90 * time.Second, "7 cases, 2 failed, 1m30s"},
		{far{1 << 60, 1 << 62, "groups"}, time.Second, "25%  1 152 921 504 606 846 976 of 4 611 686 018 427 387 904 groups  ETA 3s"},
		{far{1, 1 << 50, "groups"}, 3 * time.Hour, "0%  1 of 1 125 899 906 842 624 groups"}, // in about 10^11 years
	} {
		p := &progress{now: c.at}
		if got := p.text(c.passed); got != c.want {
			t.Errorf("%+v after %v: %q, want %q", c.at, c.passed, got, c.want)
		}
	}
}

func TestGroupsOf(t *testing.T) {
	if n := gridGroups([3]uint32{100, 8, 1}, [3]uint32{64, 4, 1}); n != 4 {
		t.Error(n)
	}
	if n := gridGroups([3]uint32{}, [3]uint32{}); n != 1 {
		t.Error(n)
	}
	if n := gridGroups([3]uint32{1<<32 - 1, 1 << 31, 2}, [3]uint32{}); n != 1<<63-1 {
		t.Error(n)
	}
	m := &casefile.Manifest{Launches: []casefile.Launch{{Grid: [3]int{384, 288, 1}, Block: [3]int{16, 4, 1}}, {Grid: [3]int{64, 1, 1}, Block: [3]int{64, 1, 1}}}}
	if n := manifestGroups(m); n != 24*72+1 {
		t.Error(n)
	}
}
