//go:build !linux

package mem

// advise would ask the system for large pages.
func advise([]byte) {}
