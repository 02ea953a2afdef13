package main

import (
	"os"
	"runtime"
	"runtime/debug"
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
	runtime.AddCleanup(collected, func(percent int) { debug.SetGCPercent(percent) }, usual)
}
