package tree

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/partwise/partwise/models/words"
)

// MostBytes is the largest file that is read as a model, a study or a distribution.
const MostBytes = 8 << 20

// ErrTooLarge says that a file has more than [MostBytes] bytes.
var ErrTooLarge = fmt.Errorf("more than %d MiB: models, studies and distributions are no larger", MostBytes>>20)

// ReadFile reads a file of at most [MostBytes] bytes; the error is an *[fs.PathError].
func ReadFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MostBytes+1))
	if err == nil && len(data) > MostBytes {
		err = &fs.PathError{Op: "read", Path: path, Err: ErrTooLarge}
	}
	return data, err
}

// FilePath reads the name of a file, relative to the file it stands in. It must be a regular file. Of a file outside the folder of
// the file that names it, mistakes tell no more than where they are.
func (c *Cursor) FilePath(what string) (path string) {
	path = filepath.FromSlash(c.Text(what))
	if !c.Valid() {
		return ""
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(c.Source.dir, path)
	}
	switch info, err := os.Stat(path); {
	case err == nil && !info.Mode().IsRegular():
		c.Failf("%s is not a regular file", path)
		return path
	case err == nil && info.Size() == 0: // also of those that the system makes while they are read
		c.Failf("%s is empty", path)
		return path
	}
	if !beneath(path, c.Source.dir) || c.Errs().Concealed(c.Source.Name) {
		c.Errs().conceal(path)
	}
	return path
}

// beneath reports whether a file lies in a folder or beneath it, wherever symbolic links lead.
func beneath(path, folder string) bool {
	resolved := func(path string) string {
		if abs, err := filepath.Abs(path); err == nil {
			path = abs
		}
		if real, err := filepath.EvalSymlinks(path); err == nil {
			return real
		}
		return path // there is no such file, or none that can be read
	}
	rel, err := filepath.Rel(resolved(folder), resolved(path))
	return err == nil && filepath.IsLocal(rel)
}

// ReadFile reads the file that the node names, whose path is that of [Cursor.FilePath], if the path is right.
func (c *Cursor) ReadFile(path string) []byte {
	if !c.Valid() {
		return nil
	}
	data, err := ReadFile(path)
	if err != nil {
		c.FailFile(path, err)
	}
	return data
}

// nearestFile returns the question whether another file beside an absent one was meant; "" if no name is near. Only folders at or
// below that of the model are looked into.
func (c *Cursor) nearestFile(path string) string {
	folder := filepath.Dir(path)
	entries, err := os.ReadDir(folder)
	if err != nil || !beneath(folder, c.Source.dir) {
		return ""
	}
	name, near := words.NearestFile(filepath.Base(path), entries)
	if !near {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", name)
}

// FailFile notes why the file that the node names cannot be read.
func (c *Cursor) FailFile(path string, err error) {
	if os.IsNotExist(err) {
		c.Failf("there is no file %s%s", path, c.nearestFile(path))
		return
	}
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		err = e.Err
	}
	c.Failf("cannot read %s: %v", path, err)
}
