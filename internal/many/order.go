package many

import (
	"cmp"
	"context"
	"io"
	"sync"
)

// HeldBytes limits the output about a file that is kept in memory until the file's turn. A worker with more output
// waits for it.
const HeldBytes = 1 << 20

// A Turn controls when the output about a file is written.
type Turn struct {
	ctx  context.Context
	due  chan struct{} // closed when all previous files are done
	over chan struct{} // closed when the work is done
	outs []*Output
}

// Output returns a writer to w that keeps output until the file's turn. Only the goroutine of the work may use it.
func (t *Turn) Output(w io.Writer) *Output {
	o := &Output{turn: t, to: w}
	t.outs = append(t.outs, o)
	return o
}

// An Output is a writer of Turn.Output.
type Output struct {
	turn *Turn
	to   io.Writer
	held []byte
	err  error
}

// Write keeps p, or, if that would exceed HeldBytes, waits for the file's turn and writes it.
func (o *Output) Write(p []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	if len(o.held)+len(p) <= HeldBytes {
		o.held = append(o.held, p...)
		return len(p), nil
	}
	select {
	case <-o.turn.due:
	case <-o.turn.ctx.Done():
		o.err = o.turn.ctx.Err()
		return 0, o.err
	}
	if o.flush(); o.err != nil {
		return 0, o.err
	}
	n, err := o.to.Write(p)
	o.err = err
	return n, err
}

// flush writes the kept output.
func (o *Output) flush() {
	if len(o.held) > 0 && o.err == nil {
		_, o.err = o.to.Write(o.held)
	}
	o.held = o.held[:0]
}

// An item is one file being processed by InOrder.
type item[T, R any] struct {
	Turn
	file   T
	result R
}

// InOrder processes what produce emits with jobs workers. Output of a work through its turn appears in the order in
// which the files were emitted; then done is called with its result, also in that order, from the goroutine that calls
// InOrder. At most a few files per worker are in progress. It ends at the first error of produce, of done, of an
// output, or of ctx: then it cancels the context of produce and of the works, and returns when they have returned.
func InOrder[T, R any](ctx context.Context, jobs int, produce func(ctx context.Context, emit func(T) bool) error,
	work func(ctx context.Context, t T, turn *Turn) R, done func(T, R) error) error {
	outer := ctx
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	todo := make(chan *item[T, R])
	queue := make(chan *item[T, R], 4*jobs)
	var produced error
	var wg sync.WaitGroup
	wg.Go(func() {
		defer close(queue)
		defer close(todo)
		produced = produce(ctx, func(f T) bool {
			i := &item[T, R]{Turn{ctx: ctx, due: make(chan struct{}), over: make(chan struct{})}, f, *new(R)}
			select {
			case queue <- i:
				todo <- i
				return true
			case <-ctx.Done():
				return false
			}
		})
	})
	for range jobs {
		wg.Go(func() {
			for i := range todo {
				if ctx.Err() == nil {
					i.result = work(ctx, i.file, &i.Turn)
				}
				close(i.over)
			}
		})
	}
	var failed error
	for i := range queue {
		err := i.end()
		if failed == nil {
			failed = cmp.Or(err, ctx.Err())
		}
		if failed == nil {
			failed = done(i.file, i.result)
		}
		if failed != nil {
			stop()
		}
	}
	wg.Wait()
	if err := outer.Err(); err != nil {
		return err
	}
	return cmp.Or(failed, produced)
}

// end lets the work write directly, waits for its end, and writes the kept output. The error is the first of an output.
func (t *Turn) end() (err error) {
	close(t.due)
	<-t.over
	for _, o := range t.outs {
		o.flush()
		err = cmp.Or(err, o.err)
	}
	return err
}
