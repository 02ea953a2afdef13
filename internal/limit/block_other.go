//go:build !unix

package limit

// nonBlocking is nothing where opening a file does not wait.
const nonBlocking = 0
