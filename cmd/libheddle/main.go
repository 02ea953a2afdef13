// Package main is heddle as a library for C, and for all that can call C:
//
//	go build -buildmode=c-shared -o libheddle.so ./cmd/libheddle
//
// heddle.h, which is written by hand, says what there is; docs/capi.md shows how it is used. It is a thin layer over package heddle: handles in place of
// Go's pointers, which C must not keep, statuses and blocks of C's memory in place of errors and values. No other package imports "C", and without a
// C compiler this one has nothing but main.
//
// A function of the interface is a Go function of its name with an //export line. It does its work within guard, so that no panic leaves it.
package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "libheddle: this is a library; build it with cgo and go build -buildmode=c-shared -o libheddle.so ./cmd/libheddle")
	os.Exit(2)
}
