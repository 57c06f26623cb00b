//go:build unix

package main

import (
	"os/signal"
	"syscall"
)

// ignoreWriteSignals turns two signals into errors of the write: a closed pipe, and the limit on the size of files. The
// errors are reported and temporary files are removed. Otherwise both signals would end the process at once.
func ignoreWriteSignals() { signal.Ignore(syscall.SIGPIPE, syscall.SIGXFSZ) }
