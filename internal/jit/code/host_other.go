//go:build !linux || !amd64

package code

func host() (system, error) { return system{}, ErrNotHere }

// call is unreachable: without an arena there are no units.
func call(uintptr, *Context) { panic(ErrNotHere) }
