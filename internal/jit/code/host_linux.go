//go:build linux && amd64

package code

import (
	"fmt"
	"os"
	"syscall"

	"github.com/heddle-gpu/heddle/internal/jit/cpu"
)

// protections are the mprotect flags by access.
var protections = [...]int{
	closed:     syscall.PROT_NONE,
	writable:   syscall.PROT_READ | syscall.PROT_WRITE,
	executable: syscall.PROT_READ | syscall.PROT_EXEC,
}

func host() (system, error) {
	if !cpu.Host().Has(cpu.AVX) { // Call clears the upper halves of vector registers
		return system{}, fmt.Errorf("%w: the processor lacks %v", ErrNotHere, cpu.AVX)
	}
	return system{
		reserve: func(bytes int) ([]byte, error) {
			return syscall.Mmap(-1, 0, bytes, syscall.PROT_NONE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
		},
		protect: func(b []byte, to access) error { return syscall.Mprotect(b, protections[to]) },
		release: syscall.Munmap,
		page:    os.Getpagesize(),
	}, nil
}
