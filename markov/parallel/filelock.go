package parallel

import (
	"errors"
	"os"
)

// FileLocks reports whether the system has locks of files that end with the process.
const FileLocks = fileLocks

// ErrFileBusy says that another process has locked the file.
var ErrFileBusy = errors.New("another process is at work on it")

// errNoFileLocks says that the system, or the file system, has no locks that end with the process.
var errNoFileLocks = errors.New("there are no locks")

// LockFile keeps other processes that lock the file out until f is closed, also by the end of the process, however the process ends.
// It returns [ErrFileBusy] if another process has locked the file, and another error if the file system has no locks.
func LockFile(f *os.File) error { return lockFile(f) }
