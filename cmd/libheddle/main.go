// Package main is heddle as a library for C, and for all languages that can call C:
//
//	go build -buildmode=c-shared -o libheddle.so ./cmd/libheddle
//
// heddle.h, which is written by hand, declares the interface; docs/capi.md shows how to use it. It is a thin layer over
// package heddle: handles instead of Go's pointers, which C must not keep, statuses and blocks of C memory instead of
// errors and values. No other package imports "C", and without a C compiler this one contains only main.
//
// A function of the interface is a Go function of the same name with an //export line. It does its work in guard, so
// that no panic leaves it.
package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "libheddle: this is a library; build it with cgo and go build -buildmode=c-shared -o libheddle.so ./cmd/libheddle")
	os.Exit(2)
}
