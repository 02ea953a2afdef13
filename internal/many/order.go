package many

import (
	"cmp"
	"context"
	"io"
	"sync"
)

// HeldBytes is how much of the output about a file is kept in memory until it is the file's turn. A worker that has more to print waits for it.
const HeldBytes = 1 << 20

// A Turn is when what is printed about a file goes out.
type Turn struct {
	ctx  context.Context
	due  chan struct{} // closed when all files before are done
	over chan struct{} // closed when the work is done
	outs []*Output
}

// Output returns a writer to w that keeps what is written until it is the file's turn. It is for one goroutine, that of the work.
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

// Write keeps p, or writes it if too much would be kept: then it waits for the file's turn.
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

// flush writes what is kept.
func (o *Output) flush() {
	if len(o.held) > 0 && o.err == nil {
		_, o.err = o.to.Write(o.held)
	}
	o.held = o.held[:0]
}

// An item is one file on its way through InOrder.
type item[T, R any] struct {
	Turn
	file   T
	result R
}

// InOrder has jobs workers do the work on what produce emits. What a work writes to the outputs of its turn comes out in the order in which the
// files were emitted; then done gets its result, in that order too, from the goroutine that calls InOrder. At most a few
// files per worker are under way. It ends at the first error of produce, of done, of an output, or of ctx: then the context of produce and of
// the works is cancelled, and InOrder returns when they have returned.
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

// end lets the work write, waits for its end, and writes what was kept. The error is the first of an output.
func (t *Turn) end() (err error) {
	close(t.due)
	<-t.over
	for _, o := range t.outs {
		o.flush()
		err = cmp.Or(err, o.err)
	}
	return err
}
