// Command heddle assembles, disassembles, checks, runs and explains GPU machine code on any CPU.
//
// It holds flags and output only: the work is done by the packages of this module. One file holds one
// command; app.go what they share, output.go how output is written, interrupt.go what ends a run from outside.
//
// Exit codes: 0 success, 1 what was checked is wrong, a text does not assemble or compile, or the guest faulted, 2 bad usage, unreadable input, or output that
// could not be written, which counts for more than the other two, 124 if --timeout is over. Of a pipe that its reader has closed nothing is said. An
// interrupt ends any command at once, by the signal itself: 130 in the shell, 143 for SIGTERM; serve ends with 0, which is how it ends. A file is there whole or
// as it was before.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() { os.Exit(command()) }

func command() int {
	collectLate()
	signal.Ignore(syscall.SIGPIPE) // writing then fails, as on a full disk
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	a := newApp(ctx, os.Stdin, os.Stdout, os.Stderr)
	g := watch(a.drafts, &a.serves, stop)
	return g.end(a.run(os.Args[1:]))
}
