package output

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// WriteFile gives path the contents that write makes, whole or not at all: they go to a temporary file beside it, which
// is renamed when everything is on disk. A file that is replaced keeps its permissions and, where the system lets us, its
// owner. A device or a pipe is written to directly. Temporary files that killed runs left behind are removed.
func WriteFile(path string, write func(io.Writer) error) error {
	path, regular, err := resolve(path)
	if err != nil {
		return err
	}
	if !regular {
		return writeThrough(path, write)
	}
	removeLeftovers(path)
	tmp, err := temporary(path)
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, cause(err))
	}
	err = fill(tmp, write, true)
	if err == nil {
		err = likeReplaced(tmp.Name(), path)
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		os.Remove(tmp.Name())
		return fmt.Errorf("writing %s: %w", path, cause(err))
	}
	return nil
}

// Check reports what would keep WriteFile from writing to path, before the work is done whose result is to be written
// there; "" is no file.
func Check(path string) error {
	if path == "" {
		return nil
	}
	path, regular, err := resolve(path)
	if err != nil || !regular {
		return err
	}
	f, err := temporary(path)
	if err == nil {
		err = errors.Join(f.Close(), os.Remove(f.Name()))
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, cause(err))
	}
	return nil
}

// resolve returns the file that a path leads to, and whether it is, or will be, a regular one.
func resolve(path string) (target string, regular bool, err error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	info, err := os.Stat(path)
	switch {
	case err != nil || info.Mode().IsRegular():
		return path, true, nil
	case info.IsDir():
		return path, false, fmt.Errorf("writing %s: is a directory", path)
	}
	return path, false, nil
}

// likeReplaced gives the file name the permissions, and if that is allowed the owner, of the file that it replaces.
func likeReplaced(name, replaced string) error {
	info, err := os.Stat(replaced)
	if err != nil {
		return nil // there is none
	}
	chown(name, info)
	return os.Chmod(name, info.Mode().Perm())
}

// temporaryName is the form of the names of temporary files: the file that they become, the process that writes them and
// a number.
const temporaryName = "%s.%d-%d.tmp"

// removeLeftovers removes the temporary files beside path of processes that are gone.
func removeLeftovers(path string) {
	dir, base := filepath.Split(path)
	entries, err := os.ReadDir(cmp.Or(dir, "."))
	if err != nil {
		return
	}
	for _, e := range entries {
		rest, ours := strings.CutPrefix(e.Name(), base+".")
		var pid, i int
		if _, err := fmt.Sscanf(rest, "%d-%d.tmp", &pid, &i); !ours || err != nil ||
			e.Name() != fmt.Sprintf(temporaryName, base, pid, i) || runs(pid) {
			continue
		}
		_ = os.Remove(dir + e.Name()) // it only takes space
	}
}

// runs reports whether there is a process.
func runs(pid int) bool {
	p, err := os.FindProcess(pid)
	return err == nil && !errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}

// temporary makes a file beside path whose permissions are those any new file gets.
func temporary(path string) (*os.File, error) {
	for i := 0; ; i++ {
		name := fmt.Sprintf(temporaryName, path, os.Getpid(), i)
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, os.ErrExist) {
			return f, err
		}
	}
}

func fill(f *os.File, write func(io.Writer) error, sync bool) error {
	w := bufio.NewWriter(f)
	err := write(w)
	if err == nil {
		err = w.Flush()
	}
	if err == nil && sync {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

func writeThrough(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err == nil {
		err = fill(f, write, false)
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, cause(err))
	}
	return nil
}

// cause leaves out the name of the temporary file, which says nothing to the reader.
func cause(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		return link.Err
	}
	return err
}
