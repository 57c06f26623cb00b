package tree

import (
	"fmt"
	"os"
	"path/filepath"
)

// FilePath reads the name of a file, relative to the file it stands in.
func (c *Cursor) FilePath(what string) (path string, ok bool) {
	name, ok := c.Text(what)
	if !ok {
		return "", false
	}
	path = filepath.FromSlash(name)
	if !filepath.IsAbs(path) {
		path = filepath.Join(c.Source.dir, path)
	}
	if info, err := os.Stat(path); err == nil && info.Mode()&(os.ModeDir|os.ModeDevice) != 0 {
		c.Fail(fmt.Sprintf("%s is not a file", path), "")
		return path, false
	}
	return path, true
}

// File reads the file that the node names, relative to the file it stands in.
func (c *Cursor) File(what string) (path string, data []byte, ok bool) {
	if path, ok = c.FilePath(what); !ok {
		return path, nil, false
	}
	data, err := os.ReadFile(path)
	if err != nil {
		c.FailFile(path, err)
	}
	return path, data, err == nil
}

// FailFile notes why the file that the node names cannot be read.
func (c *Cursor) FailFile(path string, err error) {
	if os.IsNotExist(err) {
		c.Fail(fmt.Sprintf("there is no file %s", path), "")
		return
	}
	if e, ok := err.(*os.PathError); ok {
		err = e.Err
	}
	c.Fail(fmt.Sprintf("cannot read %s: %v", path, err), "")
}
