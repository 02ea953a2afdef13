package check

import (
	"context"
	"fmt"
	"sync"
)

// A task is a part of the cases that one worker runs.
type task struct {
	run   func() []Result
	cases func() int // the number of results
}

// one returns a task of one case.
func one(run func() Result) task {
	return task{func() []Result { return []Result{run()} }, func() int { return 1 }}
}

// A batch collects checks into a task.
type batch struct {
	emit func(task) bool
	list []func() Result
}

// flush emits the collected checks; it returns false after the context has ended.
func (b *batch) flush() bool {
	run := b.list
	b.list = nil
	return len(run) == 0 || b.emit(task{func() (results []Result) {
		for _, one := range run {
			results = append(results, one())
		}
		return results
	}, func() int { return len(run) }})
}

// inOrder runs the tasks that produce emits on workers, and passes their results to each in the order in which the
// tasks were emitted, from the calling goroutine. emit returns false after ctx has ended.
func inOrder(ctx context.Context, workers int, produce func(emit func(task) bool) error, each func(Result)) error {
	type running struct {
		task
		out chan []Result
	}
	todo := make(chan running)
	queue := make(chan running, 4*workers)
	var failed error
	var wg sync.WaitGroup
	wg.Go(func() {
		defer close(queue)
		defer close(todo)
		failed = produce(func(t task) bool {
			r := running{t, make(chan []Result, 1)}
			select {
			case queue <- r:
				todo <- r
				return true
			case <-ctx.Done():
				return false
			}
		})
	})
	for range workers {
		wg.Go(func() {
			for r := range todo {
				if ctx.Err() != nil {
					r.out <- nil
					continue
				}
				r.out <- r.run()
			}
		})
	}
	for r := range queue {
		for _, result := range <-r.out {
			each(result)
		}
	}
	wg.Wait()
	if failed == nil {
		failed = ctx.Err()
	}
	return failed
}

// guarded runs a check; a panic becomes a failure of the case and does not end the run.
func guarded(check func() string) (what string) {
	defer func() {
		if p := recover(); p != nil {
			what = fmt.Sprintf("panic: %v", p)
		}
	}()
	return check()
}
