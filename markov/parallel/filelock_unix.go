//go:build unix && !solaris && !aix

package parallel

import (
	"errors"
	"os"
	"syscall"
)

const fileLocks = true

// lockFile does what [LockFile] says by flock(2).
func lockFile(f *os.File) error {
	switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return ErrFileBusy
	case err != nil:
		return errNoFileLocks
	}
	return nil
}
