//go:build unix && !solaris && !aix

package parallel

import (
	"errors"
	"os"
	"syscall"
)

// FileLocks reports whether the system has locks that end with the process.
const FileLocks = true

// LockFile keeps other processes out until the file is closed. It returns [ErrFileBusy] if another process has locked the file, and
// [ErrNoFileLocks] if the file system has no locks.
func LockFile(f *os.File) error {
	switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return ErrFileBusy
	case err != nil:
		return ErrNoFileLocks
	}
	return nil
}
