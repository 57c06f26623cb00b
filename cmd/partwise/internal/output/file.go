package output

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// WriteFile gives path the contents that write makes, whole or not at all: they go to a temporary file beside it, which
// is renamed when everything is on disk. A device or a pipe is written to directly.
func WriteFile(path string, write func(io.Writer) error) error {
	path, regular, err := resolve(path)
	if err != nil {
		return err
	}
	if !regular {
		return writeThrough(path, write)
	}
	tmp, err := temporary(path)
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, cause(err))
	}
	err = fill(tmp, write, true)
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

// temporary makes a file beside path whose permissions are those any new file gets.
func temporary(path string) (*os.File, error) {
	for i := 0; ; i++ {
		name := fmt.Sprintf("%s.%d-%d.tmp", path, os.Getpid(), i)
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
