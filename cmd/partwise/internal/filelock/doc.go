// Package filelock locks open files, so that processes keep out of each other's way. A lock ends when the file is closed, also by the
// end of the process, however the process ends.
package filelock

import "errors"

// ErrBusy: another process has locked the file.
var ErrBusy = errors.New("another process is at work on it")

// ErrNoLocks: the system, or the file system, has no locks that end with the process.
var ErrNoLocks = errors.New("there are no locks")
