//go:build !(linux && amd64)

package host

// Stage does nothing: devices need Linux on x86-64.
func Stage() {}
