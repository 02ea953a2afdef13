//go:build !linux || !amd64

package code

func host() (system, error) { return system{}, ErrNotHere }

// call is not reached: there is no unit where there is no arena.
func call(uintptr, *Context) { panic(ErrNotHere) }
