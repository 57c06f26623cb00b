package needs

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Program returns the path of a program of the system, and skips the test t where the program is not installed. Besides the folders
// of the PATH it looks where systems keep daemons, which is not in the PATH of all users.
func Program(t testing.TB, name string) string {
	t.Helper()
	path, installed := lookUp(name)
	if !installed {
		skip(t, "the program "+name, "it is not installed")
	}
	return path
}

// lookUp returns the path of a program, and whether there is one.
func lookUp(name string) (path string, installed bool) {
	if path, err := exec.LookPath(name); err == nil {
		return path, true
	}
	for _, folder := range []string{"/usr/sbin", "/sbin"} {
		path := filepath.Join(folder, name)
		if _, err := os.Stat(path); err == nil {
			return path, true
		}
	}
	return "", false
}
