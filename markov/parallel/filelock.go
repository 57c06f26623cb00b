package parallel

import "errors"

// Locks of open files keep processes out of each other's way. A lock ends when the file is closed, also by the end of the process,
// however the process ends.
var (
	// ErrFileBusy says that another process has locked the file.
	ErrFileBusy = errors.New("another process is at work on it")
	// ErrNoFileLocks says that the system, or the file system, has no locks that end with the process.
	ErrNoFileLocks = errors.New("there are no locks")
)
