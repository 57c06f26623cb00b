// Partwise answers whether running jobs on a parallel machine should be resized as jobs come and go, or the machine be
// split once. Measured times become phase-type distributions, the distributions an exact Markov chain, and the chain gives response
// times. A simulator that shares no line with the chain checks the response times.
//
// Usage:
//
//	partwise COMMAND [arguments and flags in any order]
//
// See partwise help, or partwise help COMMAND for one command with examples.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/lab"
)

// grace is the time that interrupted work has to write what it has.
const grace = 5 * time.Second

func main() {
	ignoreWriteSignals()
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as nohup has it
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	// The first signal ends the work in good order; a second one ends the process, and so does a single solve that does
	// not come to its end in time. Files are written by a rename, so that no file is left half-written.
	context.AfterFunc(ctx, func() {
		stop()
		time.AfterFunc(grace, func() { os.Exit(fault.Conclude(os.Stderr, context.Canceled)) })
	})
	if lab.IsProcess() {
		os.Exit(fault.Conclude(os.Stderr, lab.ServeProcess(os.Stdin, os.Stdout)))
	}
	program := partwise(policy.Standard())
	program.Alone = true
	os.Exit(program.Run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
