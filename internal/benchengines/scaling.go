package main

import (
	"context"
	"fmt"
	"runtime"

	"github.com/heddle-gpu/heddle/internal/engines"
	"github.com/heddle-gpu/heddle/launch"
)

// manyTimes is the factor of the numbers in braces of rows for several workers: runs of a few milliseconds mostly
// measure how long a second processor takes to wake up.
const manyTimes = 16

// scaled returns the speed-up of the fastest engine with several workers over one, in wall-clock time. Runs of both
// take turns; the result is the ratio of the medians. want is the expected result; if there is more work, the result of
// one worker is expected.
func scaled(ctx context.Context, s *settings, l *workload, want [32]byte) (float64, error) {
	prepare := l.prepare
	if l.row != nil && l.row.scales() {
		k, err := l.row.load(s.root, manyTimes)
		if err != nil {
			return 0, err
		}
		prepare, want = k.prepare, [32]byte{}
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(s.workers))
	e := engines.Fastest(engines.Use{})
	var runs [2]runner
	for i, workers := range []int{1, s.workers} {
		var err error
		if runs[i], err = prepare(ctx, launch.Settings{Engine: e, Workers: workers}); err != nil {
			return 0, err
		}
	}
	var times [2][]float64
	sum := 0.0
	for n := 0; n < 3*s.rounds || sum < s.least.Seconds() && n < 1000; n++ {
		for i, run := range runs {
			runtime.GC()
			o, err := run()
			if want == [32]byte{} {
				want = o.sum
			}
			switch {
			case err != nil:
				return 0, fmt.Errorf("%s with %d workers: %w", e.Name(), []int{1, s.workers}[i], err)
			case o.sum != want:
				return 0, fmt.Errorf("%s with %d workers leaves other bytes", e.Name(), []int{1, s.workers}[i])
			}
			if n > 0 { // the first run compiles
				times[i] = append(times[i], o.wall.Seconds())
				sum += o.wall.Seconds()
			}
		}
	}
	return median(times[0]) / median(times[1]), nil
}
