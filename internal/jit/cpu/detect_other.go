//go:build !amd64

package cpu

func detect() Set { return 0 }
