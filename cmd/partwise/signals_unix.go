//go:build unix

package main

import (
	"os/signal"
	"syscall"
)

// ignoreWriteSignals makes a closed pipe and the limit on the size of files errors of the write, which are told, and
// after which temporary files are removed; both would end the process where it stands.
func ignoreWriteSignals() { signal.Ignore(syscall.SIGPIPE, syscall.SIGXFSZ) }
