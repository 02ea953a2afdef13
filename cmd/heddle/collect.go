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
		if !frugal.on {
			debug.SetGCPercent(percent)
		}
	}, usual)
}

// frugal says whether memory takes precedence over the time of collections.
var frugal struct {
	sync.Mutex
	on bool
}

// frugalPercent is GOGC while what stays in memory is most of it and has few pointers, so that collections are cheap.
const frugalPercent = 10

// collectOften makes collections frequent for a command whose tables grow with a file of that size, if it is large.
func collectOften(size int) {
	if size < 8<<20 || os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	frugal.Lock()
	defer frugal.Unlock()
	frugal.on = true
	debug.SetGCPercent(frugalPercent)
}
