//go:build !linux

package mem

// advise would request large pages; this system has no such request.
func advise([]byte) {}
