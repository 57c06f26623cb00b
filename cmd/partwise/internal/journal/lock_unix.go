//go:build unix && !solaris && !aix

package journal

import (
	"errors"
	"os"
	"syscall"
)

const locks = true

// lock keeps other processes out until the file is closed, also by the end of the process. File systems that have no
// locks do without.
func lock(f *os.File) error {
	if errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB), syscall.EWOULDBLOCK) {
		return ErrBusy
	}
	return nil
}
