//go:build unix

package batch_test

import "syscall"

// cpuSeconds returns the processor time that this process has used, which other processes do not add to.
func cpuSeconds() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
