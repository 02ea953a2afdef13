//go:build !race

// Package detector tells tests whether Go's race detector is enabled: races of workgroups in guest memory are races of
// the host for it.
package detector

// Race reports whether Go's race detector is enabled.
const Race = false
