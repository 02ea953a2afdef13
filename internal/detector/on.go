//go:build race

package detector

// Race reports whether Go's race detector is enabled.
const Race = true
