//go:build race

package detector

// Race says that Go's race detector watches.
const Race = true
