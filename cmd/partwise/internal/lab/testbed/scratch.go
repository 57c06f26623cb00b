// This file makes temporary folders that do not outlive the processes that made them: what a process leaves behind
// when it is killed, the next one removes.

package testbed

import (
	"os"
	"path/filepath"
)

// lockFile is the file in a folder that its process keeps locked.
const lockFile = "lock"

// folder is a temporary folder.
type folder struct {
	Path string
	lock *os.File
}

// newFolder makes a folder whose name begins with a prefix, and removes those of the prefix whose processes are gone.
func newFolder(prefix string) (*folder, error) {
	sweep(prefix)
	for {
		path, err := os.MkdirTemp("", prefix)
		if err != nil {
			return nil, err
		}
		name := filepath.Join(path, lockFile)
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
		if os.IsNotExist(err) {
			continue // another process has swept the folder before it was locked
		}
		if err != nil {
			os.RemoveAll(path)
			return nil, err
		}
		lock(f)
		if _, err := os.Stat(name); err == nil {
			return &folder{path, f}, nil
		}
		f.Close()
	}
}

// Remove removes the folder.
func (f *folder) Remove() error {
	defer f.lock.Close()
	return os.RemoveAll(f.Path)
}

// sweep removes the folders of a prefix whose processes are gone: they are not locked, or empty. Folders of others cannot be
// opened.
func sweep(prefix string) {
	if !locks {
		return
	}
	paths, err := filepath.Glob(filepath.Join(os.TempDir(), prefix+"*"))
	if err != nil {
		return
	}
	for _, path := range paths {
		f, err := os.OpenFile(filepath.Join(path, lockFile), os.O_RDWR, 0)
		if os.IsNotExist(err) {
			os.Remove(path) // if it is empty
		}
		if err != nil {
			continue
		}
		if lock(f) {
			os.RemoveAll(path)
		}
		f.Close()
	}
}
