//go:build unix && !solaris && !aix

package filelock

import (
	"errors"
	"os"
	"syscall"
)

// Exist reports whether the system has locks that end with the process.
const Exist = true

// Lock keeps other processes out until the file is closed. It returns [ErrBusy] if another process has locked the file, and
// [ErrNoLocks] if the file system has no locks.
func Lock(f *os.File) error {
	switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return ErrBusy
	case err != nil:
		return ErrNoLocks
	}
	return nil
}
