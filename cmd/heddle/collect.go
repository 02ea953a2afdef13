package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"sync"
)

// startPercent is GOGC until the first collection, which it delays to 32 MiB of heap instead of 4.
const startPercent = 800

// collectLate delays the first garbage collection. Most commands end before they have allocated 32 MiB, and collections
// of the tables of an instruction set would cost as much as making the tables. After the first collection GOGC is
// restored, so a long run needs no more memory. GOGC and GOMEMLIMIT of the user take precedence.
func collectLate() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	usual := debug.SetGCPercent(startPercent)
	collected := new([4]uintptr) // unreferenced: its cleanup runs after the first collection
	runtime.AddCleanup(collected, func(percent int) {
		frugal.Lock()
		defer frugal.Unlock()
		if frugal.users > 0 {
			frugal.after = percent
		} else {
			debug.SetGCPercent(percent)
		}
	}, usual)
}

// frugal says whether memory takes precedence over the time of collections.
var frugal struct {
	sync.Mutex
	users int
	after int // GOGC when they have ended
}

// frugalPercent is GOGC while what stays in memory is most of it and has few pointers, so that collections are cheap.
const frugalPercent = 40

// collectOften makes collections frequent, until the returned function is called, for work whose tables grow with a
// file of that size, if it is large.
func collectOften(size int) (usual func()) {
	if size < 8<<20 || os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return func() {}
	}
	frugal.Lock()
	defer frugal.Unlock()
	if frugal.users++; frugal.users == 1 {
		frugal.after = debug.SetGCPercent(frugalPercent)
	}
	return func() {
		frugal.Lock()
		defer frugal.Unlock()
		if frugal.users--; frugal.users == 0 {
			debug.SetGCPercent(frugal.after)
		}
	}
}
