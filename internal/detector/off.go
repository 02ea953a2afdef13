//go:build !race

// Package detector tells tests whether Go's race detector watches: to it groups of a guest that meet in memory are a race
// of the host.
package detector

// Race says that Go's race detector watches.
const Race = false
