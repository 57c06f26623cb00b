//go:build !unix

package output

import "io/fs"

// chown does nothing: files have no owners that could be changed in this way.
func chown(string, fs.FileInfo) {}
