// Command heddle assembles, disassembles, checks, runs and explains GPU machine code on any CPU.
//
// It contains only flags and output: the packages of this module do the work. One file has one command; app.go is what
// they share, output.go writes output, interrupt.go handles signals.
//
// Exit codes: 0 success; 1 what was checked is wrong, a text does not assemble or compile, or the guest faulted; 2 bad
// usage, unreadable input, or output that could not be written, which takes precedence over the other two; 124 if the
// time of --timeout is over. A pipe that its reader has closed is not reported. An interrupt ends any command at once,
// with the signal itself: 130 in the shell, 143 for SIGTERM; serve ends with 0, because that is its normal end. Files
// are written completely or not changed.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/heddle-gpu/heddle/internal/gpu/host"
)

func main() {
	host.Stage() // of heddle gpu
	os.Exit(command())
}

func command() int {
	collectLate()
	signal.Ignore(syscall.SIGPIPE) // writing then returns an error, as for a full disk
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	a := newApp(ctx, os.Stdin, os.Stdout, os.Stderr)
	g := watch(a.drafts, &a.serves, stop)
	return g.end(a.run(os.Args[1:]))
}
