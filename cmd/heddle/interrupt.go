package main

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

// grace limits the time in which an interrupted command may report its position, and write the current picture. A
// command that waits for a pipe reports nothing.
const grace = 200 * time.Millisecond

// The signals that end the command; exit statuses are derived from their numbers.
var deadly = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}

// drain limits the time in which a command that serves others may finish its current work.
const drain = 3 * time.Second

// A guard ends the process on a signal, whatever it is waiting for.
type guard struct {
	signals chan os.Signal
	ended   chan struct{} // closed when the command has ended
	caught  chan struct{} // closed when a signal has arrived
	serves  *atomic.Bool  // a signal is the normal end of the command: it gets time, and keeps its exit code
}

// watch starts the guard; stop interrupts the command, which sets serves if it ends in its own way. Signals that the
// parent ignores, as nohup does, stay ignored.
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
		case s = <-g.signals: // after a second signal it does not wait
		}
		d.abandon(true)
		die(s)
	}()
	return g
}

// end returns the exit code of a command that has ended. If a signal has arrived meanwhile it does not return.
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

// die ends the process with the signal itself, so that a shell sees the cause: a shell that runs a loop stops it. The
// status in the shell is 128 plus the number of the signal; the same is used where a process cannot send itself one.
func die(s os.Signal) {
	signal.Reset(s)
	if p, err := os.FindProcess(os.Getpid()); err == nil && p.Signal(s) == nil {
		time.Sleep(grace)
	}
	n, _ := s.(syscall.Signal)
	os.Exit(128 + int(n))
}
