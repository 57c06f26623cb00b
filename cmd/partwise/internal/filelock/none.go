//go:build !unix || solaris || aix

package filelock

import "os"

// Exist reports whether the system has locks that end with the process.
const Exist = false

// Lock returns [ErrNoLocks].
func Lock(*os.File) error { return ErrNoLocks }
