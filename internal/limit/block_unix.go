//go:build unix

package limit

import "syscall"

// nonBlocking prevents that opening a file which has been replaced by a pipe waits for the pipe's other end.
const nonBlocking = syscall.O_NONBLOCK
