//go:build !unix || solaris || aix

package parallel

import "os"

// FileLocks reports whether the system has locks that end with the process.
const FileLocks = false

// LockFile returns [ErrNoFileLocks].
func LockFile(*os.File) error { return ErrNoFileLocks }
