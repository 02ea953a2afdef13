package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	"github.com/heddle-gpu/heddle/internal/live"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/internal/site"
)

type serveCmd struct {
	Addr   string `default:"localhost:8080" placeholder:"HOST:PORT" help:"Where to listen; port 0 is any that is free."`
	NoLive bool   `help:"Leave out what runs instructions in pages."`
}

func (c *serveCmd) Help() string {
	return `The site is that of heddle docs. It is made in memory while the first pages are shown already, and asks nothing of any other host. Only this
machine can reach it unless --addr names another address. Ctrl-C ends it, with exit code 0.

A binary that does not hold the WebAssembly builds it with the go command, once for each version, and keeps it among the user's caches.

Examples:
  heddle serve
  heddle serve --addr localhost:0 --no-live`
}

// The limits of a connection: pages are small, and the largest file has a few megabytes.
const (
	headTime = 5 * time.Second
	sendTime = 5 * time.Minute
	idleTime = time.Minute
	mostHead = 32 << 10
	lateTime = 500 * time.Millisecond // after which a request for a page is answered with the progress
	endTime  = 2 * time.Second        // for answers in progress when the command ends
)

func (c *serveCmd) Run(a *app) error {
	if err := a.fits("serve", 0, ""); err != nil {
		return err
	}
	l, err := net.Listen("tcp", c.Addr)
	if err != nil {
		return c.refused(err)
	}
	a.serves.Store(true)
	ctx, stop := context.WithCancelCause(a.ctx)
	defer stop(nil)
	files := live.NewServer()
	files.Patience = lateTime
	go func() {
		if err := c.make(ctx, a, files); err != nil {
			files.Done(err)
			stop(err)
			return
		}
		files.Done(nil)
	}()
	s := &http.Server{Handler: files, ReadHeaderTimeout: headTime, ReadTimeout: headTime, WriteTimeout: sendTime, IdleTimeout: idleTime, MaxHeaderBytes: mostHead,
		BaseContext: func(net.Listener) context.Context { return ctx }}
	a.printf("http://%s/\n", c.shown(l.Addr()))
	if err := a.out.Flush(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.Background(), endTime)
	defer cancel()
	if err := s.Shutdown(last); err != nil {
		s.Close() // remaining connections have had their time
	}
	if err := context.Cause(ctx); a.ctx.Err() == nil && err != nil {
		return err
	}
	return nil
}

// make gives the files to the server: the pages, and in parallel what takes longest.
func (c *serveCmd) make(ctx context.Context, a *app, files *live.Server) error {
	o := site.Options{Sets: sets.Sets(), Progress: files.Progress}
	engine := make(chan error, 1)
	if c.NoLive {
		engine <- nil
	} else {
		o.Live, o.Play = livePages(), live.Play()
		if err := files.Put("play.html", site.Frame("", "Play", o.Play)); err != nil { // it needs no other page
			return err
		}
		go func() {
			w, err := a.wasm(ctx)
			if err == nil {
				f := w.File()
				err = files.Put(f.Name, f.Data)
			}
			engine <- err
		}()
	}
	put := func(name string, data []byte) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return files.Put(name, data)
	}
	pages := make(chan error, 1)
	go func() { pages <- site.Write(put, o) }()
	for range 2 {
		var err error
		select {
		case err = <-pages:
		case err = <-engine:
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// livePages returns the files that pages load to run instructions, except the engine.
func livePages() (list []site.File) {
	for _, f := range live.Pages() {
		list = append(list, site.File(f))
	}
	return list
}

// wasm finds the engine of pages, or builds it; a build is reported.
func (a *app) wasm(ctx context.Context) (*live.Wasm, error) {
	w, err := live.Find(ctx, live.Options{Say: func(what string) { fmt.Fprintf(a.err, "heddle: %s\n", shown(what)) }})
	var lack *live.Lack
	if errors.As(err, &lack) {
		return nil, hinted{err, lack.Hint}
	}
	return w, err
}

// shown returns the address for users: as given, with the actual port.
func (c *serveCmd) shown(at net.Addr) string {
	host, _, err := net.SplitHostPort(c.Addr)
	_, port, bad := net.SplitHostPort(at.String())
	if err != nil || bad != nil || host == "" {
		return at.String()
	}
	return net.JoinHostPort(host, port)
}

// refused returns the error of an address that cannot be listened on.
func (c *serveCmd) refused(err error) error {
	err = fmt.Errorf("--addr %s: %w", c.Addr, err)
	var addr *net.AddrError
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return hinted{err, "another program listens there; --addr localhost:0 takes any free port"}
	case errors.Is(err, syscall.EACCES):
		return hinted{err, "ports below 1024 are for the system; --addr localhost:8080"}
	case errors.As(err, &addr) || strings.Contains(err.Error(), "port"):
		return hinted{err, "want HOST:PORT, such as localhost:8080"}
	}
	return err
}
