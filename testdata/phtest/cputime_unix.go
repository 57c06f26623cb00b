//go:build unix

package phtest

import "syscall"

// CPUSeconds returns the processor time that this process has used, in all its threads. Other processes do not add to
// it, so that tests and benchmarks that measure it do not depend on what else the machine does.
func CPUSeconds() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
