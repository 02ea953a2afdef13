//go:build unix

package main

import (
	"syscall"
	"time"
)

// used returns the processor time of the process so far. A launch runs on goroutines of its own, so the time of one
// thread has no meaning; with one processor for Go, other work of the runtime is part of the cost of the run.
func used() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
