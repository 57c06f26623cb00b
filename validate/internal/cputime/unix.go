//go:build unix

// Package cputime tells benchmarks what the processor did for them on a machine that is shared.
package cputime

import "syscall"

// Seconds returns the processor time that this process has used, which other processes do not add to.
func Seconds() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
