package main

import (
	"context"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/heddle-gpu/heddle/debug"
	"github.com/heddle-gpu/heddle/internal/dap"
)

// A gpuEditors lets editors join the dispatches of a program, and leave them again. It is a dap.Program.
type gpuEditors struct {
	feed   *debug.Feed
	listen net.Listener
	stop   context.CancelFunc // ends the program

	joined chan struct{} // closed when the first editor has joined
	first  sync.Once
	conns  sync.WaitGroup
}

// lastEditor is how long an editor has to take leave when the program has ended.
const lastEditor = 2 * time.Second

// editors listens for editors at the address of --dap. stop ends the program.
func (c *gpuCmd) editors(a *app, stop context.CancelFunc) (*gpuEditors, error) {
	l, err := listen(a.ctx, "--dap", c.DAP, false)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(a.err, "heddle gpu: listening on %v; the program starts when an editor attaches\n", l.Addr())
	e := &gpuEditors{feed: debug.NewFeed(), listen: l, stop: stop, joined: make(chan struct{})}
	go e.serve(a)
	return e, nil
}

// serve accepts editors until the listener is closed.
func (e *gpuEditors) serve(a *app) {
	for {
		to, err := e.listen.Accept()
		if err != nil {
			return
		}
		e.conns.Go(func() {
			defer to.Close()
			defer context.AfterFunc(a.ctx, func() { to.Close() })()
			if err := dap.Attach(a.ctx, to, to, e); err != nil && a.ctx.Err() == nil {
				fmt.Fprintf(a.err, "heddle gpu: editor: %v\n", err)
			}
		})
	}
}

// wait waits for the first editor that joins.
func (e *gpuEditors) wait(ctx context.Context) error {
	select {
	case <-e.joined:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// end tells editors that the program has ended, and waits for them to leave.
func (e *gpuEditors) end(err error) {
	e.feed.End(err)
	e.listen.Close()
	left := make(chan struct{})
	go func() {
		e.conns.Wait()
		close(left)
	}()
	select {
	case <-left:
	case <-time.After(lastEditor):
	}
}

// Join implements dap.Program.
func (e *gpuEditors) Join() (debug.Run, error) {
	if err := e.feed.Join(); err != nil {
		return nil, err
	}
	e.first.Do(func() { close(e.joined) })
	return e.feed.Run, nil
}

// Leave implements dap.Program.
func (e *gpuEditors) Leave() { e.feed.Leave() }

// Stop implements dap.Program.
func (e *gpuEditors) Stop() { e.stop() }
