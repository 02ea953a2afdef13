package main

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

// grace is how long a command that is told to stop may take to say where it was, and to write the picture that it was at. One that waits for a pipe says nothing.
const grace = 200 * time.Millisecond

// The signals that end the command; they are the numbers of the exit status too.
var deadly = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}

// drain is how long a command that serves others may take to end what it is at.
const drain = 3 * time.Second

// A guard ends the process when a signal asks for it, whatever it is waiting for.
type guard struct {
	signals chan os.Signal
	ended   chan struct{} // closed when the command has ended
	caught  chan struct{} // closed when a signal has come
	serves  *atomic.Bool  // a signal is how the command ends: it is left its time, and its exit code
}

// watch starts the guard; stop tells the command, which says by serves that it has its own way to end. Signals that whoever started the process ignores, as
// nohup does, stay ignored.
func watch(d *drafts, serves *atomic.Bool, stop context.CancelFunc) *guard {
	g := &guard{make(chan os.Signal, 1), make(chan struct{}), make(chan struct{}), serves}
	for _, s := range deadly {
		if !signal.Ignored(s) {
			signal.Notify(g.signals, s)
		}
	}
	go func() {
		s := <-g.signals
		close(g.caught)
		d.abandon(false)
		stop()
		wait := grace
		if serves.Load() {
			wait = drain
		}
		select {
		case <-g.ended:
			if serves.Load() {
				return
			}
		case <-time.After(wait):
		case s = <-g.signals: // the second does not wait
		}
		d.abandon(true)
		die(s)
	}()
	return g
}

// end returns the exit code of a command that has ended, unless a signal has come meanwhile: then it does not return.
func (g *guard) end(code int) int {
	close(g.ended)
	select {
	case <-g.caught:
		if g.serves.Load() {
			return code
		}
		select {}
	default:
		return code
	}
}

// die ends the process by the signal itself, so that a shell sees what it was: one that runs a loop stops the loop. The
// status in the shell is 128 and the number of the signal, and so it is where a process cannot send itself one.
func die(s os.Signal) {
	signal.Reset(s)
	if p, err := os.FindProcess(os.Getpid()); err == nil && p.Signal(s) == nil {
		time.Sleep(grace)
	}
	n, _ := s.(syscall.Signal)
	os.Exit(128 + int(n))
}
