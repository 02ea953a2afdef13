//go:build !unix

package main

import "time"

var begin = time.Now()

// used is the time since the process began: processor time is not to be had in a portable way.
func used() time.Duration { return time.Since(begin) }
