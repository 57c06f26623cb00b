//go:build unix && !solaris && !aix

package testbed

import (
	"os"
	"syscall"
)

const locks = true

// lock locks a file until it is closed, also by the end of the process, and reports whether no other process holds it.
func lock(f *os.File) bool { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil }
