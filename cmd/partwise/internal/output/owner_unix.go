//go:build unix

package output

import (
	"io/fs"
	"os"
	"syscall"
)

// chown gives a file the owner of another if that is allowed; if not, the file belongs to who wrote it.
func chown(name string, like fs.FileInfo) {
	if s, ok := like.Sys().(*syscall.Stat_t); ok {
		_ = os.Chown(name, int(s.Uid), int(s.Gid))
	}
}
