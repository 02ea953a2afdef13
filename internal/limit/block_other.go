//go:build !unix

package limit

// nonBlocking is 0 where opening a file does not block.
const nonBlocking = 0
