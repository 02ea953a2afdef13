//go:build unix

package limit

import "syscall"

// nonBlocking keeps an open of what has become a pipe from waiting for its other end.
const nonBlocking = syscall.O_NONBLOCK
