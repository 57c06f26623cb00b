//go:build !unix

package main

// ignoreWriteSignals does nothing where a failed write raises no signal.
func ignoreWriteSignals() {}
