//go:build !unix

package main

import "time"

var begin = time.Now()

// used returns the time since the process began, because processor time is not available portably.
func used() time.Duration { return time.Since(begin) }
