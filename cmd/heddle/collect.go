package main

import (
	"os"
	"runtime"
	"runtime/debug"
)

// startPercent is GOGC until the first collection: it then comes at 32 MiB of heap in place of 4.
const startPercent = 800

// collectLate puts the first collection off. Most commands end before they have made 32 MiB, and a collection of the few that
// the tables of an instruction set take would cost as much as making these. From the first collection on all is as without it,
// so a long run needs no more memory. What the user says of GOGC or GOMEMLIMIT holds as it is.
func collectLate() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	usual := debug.SetGCPercent(startPercent)
	collected := new([4]uintptr) // nothing holds it: its cleanup runs after the first collection
	runtime.AddCleanup(collected, func(percent int) { debug.SetGCPercent(percent) }, usual)
}
