//go:build unix

package main

import (
	"syscall"
	"time"
)

// used is the processor time of the process so far. A launch runs on goroutines of its own, so that the time of one thread says
// nothing; with one processor for Go, what else the runtime does is part of what the run costs.
func used() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
