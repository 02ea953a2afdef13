// Command heddle assembles, disassembles, checks, runs and explains GPU machine code on any CPU.
//
// It holds flags and output only: the work is done by the packages of this module. One file holds one
// command; app.go what they share. Exit codes: 0 success, 1 what was checked is wrong or the guest
// faulted, 2 bad usage or unreadable input.
package main

import (
	"context"
	"os"
	"os/signal"
)

func main() { os.Exit(command()) }

func command() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	a := newApp(ctx, os.Stdin, os.Stdout, os.Stderr)
	return a.run(os.Args[1:])
}
