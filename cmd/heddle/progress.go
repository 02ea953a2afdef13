package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/bits"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/internal/check"
	"github.com/heddle-gpu/heddle/internal/render"
)

// Progress is shown after progressAfter, and updated at this interval.
const (
	progressAfter = 500 * time.Millisecond
	progressEvery = 200 * time.Millisecond
)

// A far is the progress of work.
type far struct {
	done, total int64  // total 0: unknown
	what        string // what is counted, and additional text
}

// A progress shows the progress of work on the terminal. It polls the work, which reports nothing by itself, so that
// progress costs the work nothing.
type progress struct {
	name  string
	at    func() far
	start time.Time
	stop  chan struct{}
	over  sync.WaitGroup
	now   far                          // shown in this frame; used by the drawing goroutine
	bars  atomic.Pointer[mpb.Progress] // nil: no bar is shown
}

// watch shows the progress of work until stop is called, if there is a terminal and the work takes longer than after.
func (a *app) watch(name string, after time.Duration, at func() far) (stop func()) {
	_, stop = a.watchNotes(name, after, at)
	return stop
}

// watchNotes is watch for work that prints messages: lines written to notes appear on standard error, above the bar.
func (a *app) watchNotes(name string, after time.Duration, at func() far) (notes io.Writer, stop func()) {
	if !a.tty {
		return a.err, func() {}
	}
	p := &progress{name: name, at: at, start: time.Now(), stop: make(chan struct{})}
	p.over.Go(func() {
		select {
		case <-p.stop:
		case <-time.After(after):
			p.show(a)
		}
	})
	return above{p, a.err}, sync.OnceFunc(func() {
		close(p.stop)
		p.over.Wait()
	})
}

// An above writes lines above the bar, or directly if there is none.
type above struct {
	p  *progress
	to io.Writer
}

func (n above) Write(lines []byte) (int, error) {
	if c := n.p.bars.Load(); c != nil {
		if k, err := c.Write(lines); err == nil { // else the bar has ended meanwhile
			return k, nil
		}
	}
	return n.to.Write(lines)
}

// show draws the bar until the work is done, and removes it. The work is polled once per frame, before anything is
// drawn, so that the bar and its text agree; mpb's own count is not used, and so the bar does not end by itself.
func (p *progress) show(a *app) {
	c := mpb.New(mpb.WithOutput(a.err), mpb.WithRefreshRate(progressEvery), mpb.WithAutoRefresh())
	bar := c.New(0, mpb.BarStyle(), mpb.BarRemoveOnComplete(), mpb.BarWidth(barWidth), mpb.BarFillerMiddleware(p.filler),
		mpb.PrependDecorators(decor.Any(func(decor.Statistics) string { p.now = p.at(); return p.name })),
		mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return p.text(time.Since(p.start)) })))
	p.bars.Store(c)
	<-p.stop
	p.bars.Store(nil)
	bar.Abort(true)
	c.Wait()
}

// filler draws the bar of this frame.
func (p *progress) filler(bar mpb.BarFiller) mpb.BarFiller {
	return mpb.BarFillerFunc(func(w io.Writer, s decor.Statistics) error {
		s.Total = max(p.now.total, 1)
		s.Current = min(p.now.done, p.now.total)
		return bar.Fill(w, s)
	})
}

// barWidth is the width of the bar itself in columns.
const barWidth = 24

// text returns the text after the bar at that time.
func (p *progress) text(passed time.Duration) string {
	f := p.now
	if f.total == 0 {
		return fmt.Sprintf("%s %s, %v", grouped(uint64(f.done)), f.what, passed.Round(time.Second))
	}
	s := fmt.Sprintf("%d%%  %s of %s %s", int(min(100*float64(f.done)/float64(f.total), 100)), grouped(uint64(f.done)), grouped(uint64(f.total)), f.what)
	if left, ok := f.left(passed); ok {
		s += "  ETA " + left.String()
	}
	return s
}

// left estimates the remaining time from the speed so far; ok is false if nothing is done, or if the time overflows.
func (f far) left(passed time.Duration) (left time.Duration, ok bool) {
	if f.done <= 0 || f.total <= 0 {
		return 0, false
	}
	d := float64(passed) / float64(f.done) * float64(max(f.total-f.done, 0))
	if d >= math.MaxInt64 {
		return 0, false
	}
	return time.Duration(d).Round(time.Second), true
}

// watched shows how many workgroups of a run are done, of the builds and launches of a manifest or of one launch.
func (c *runCmd) watched(a *app, groups int64) (stop func()) {
	if !a.tty || c.observes() {
		return func() {}
	}
	c.done = &atomic.Int64{}
	return a.watch("run", progressAfter, func() far { return far{c.done.Load(), groups, "groups"} })
}

// gridGroups returns the number of workgroups of a grid, where a partial one counts. Numbers above the range of int64
// are limited to it.
func gridGroups(grid, block [3]uint32) int64 {
	n := uint64(1)
	for i := range grid {
		g, b := uint64(max(grid[i], 1)), uint64(max(block[i], 1))
		high, low := bits.Mul64(n, (g+b-1)/b)
		if n = low; high != 0 || n > math.MaxInt64 {
			return math.MaxInt64
		}
	}
	return int64(n)
}

// manifestGroups returns the number of workgroups in the launches of a manifest.
func manifestGroups(m *casefile.Manifest) (n int64) {
	for i := range m.Launches {
		l := &m.Launches[i]
		var grid, block [3]uint32
		for k := range grid {
			grid[k], block[k] = uint32(l.Grid[k]), uint32(l.Block[k])
		}
		n += min(gridGroups(grid, block), math.MaxInt64-n)
	}
	return n
}

// progress shows the progress of a picture: completed draws, and tiles of the current one.
func (c *renderCmd) progress(a *app) (report func(render.At), stop func()) {
	if !a.tty || c.observes() {
		return nil, func() {}
	}
	var at atomic.Pointer[render.At]
	stop = a.watch("render", progressAfter, func() far {
		p := at.Load()
		if p == nil {
			return far{what: "tiles"}
		}
		f := far{int64(p.Draw*p.Tiles + p.Tile), int64(p.Draws * p.Tiles), "tiles"}
		if p.Draws > 1 {
			f.what += fmt.Sprintf(" (draw %d of %d)", p.Draw+1, p.Draws)
		}
		return f
	})
	return func(p render.At) { at.Store(&p) }, stop
}

// progress shows how many cases are done of the total, which is counted in parallel.
func (c *checkCmd) progress(a *app, o check.Options) (done func(check.Status), stop func()) {
	if !a.tty || c.Quiet || c.JSON || c.Format.Format != "text" {
		return func(check.Status) {}, func() {}
	}
	var cases, failed, total atomic.Int64
	ctx, cancel := context.WithCancel(a.ctx)
	var counting sync.WaitGroup
	count := sync.OnceFunc(func() {
		counting.Go(func() {
			if n, err := check.Total(ctx, c.Paths, o); err == nil { // the run reports errors of paths
				total.Store(int64(n))
			}
		})
	})
	end := a.watch("check", progressAfter, func() far {
		count()
		return far{cases.Load(), total.Load(), fmt.Sprintf("cases, %d failed", failed.Load())}
	})
	return func(s check.Status) {
			if s == check.Failed {
				failed.Add(1)
			}
			cases.Add(1)
		}, func() {
			end()
			cancel()
			counting.Wait()
		}
}
