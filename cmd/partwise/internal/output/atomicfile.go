package output

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/partwise/partwise/markov/parallel"
)

// WriteFile gives path the contents that write makes, whole or not at all: they go to a temporary file beside it, which
// is renamed when everything is on disk. A file that is replaced keeps its permissions and, where the system lets us, its
// owner. A device, a pipe, and a file that is open as a standard stream are written to directly. A pipe whose reader has
// gone is no error: the reader, such as head, has read enough.
func WriteFile(path string, write func(io.Writer) error) error {
	path, replaced, err := resolve(path)
	if err != nil {
		return err
	}
	if !replaced {
		return writeThrough(path, write)
	}
	tmp, err := temporary(path)
	if err != nil {
		return WritingError(path, err)
	}
	err = buffered(tmp, write)
	if err == nil {
		err = tmp.Sync() // the bytes are on the disk before they have the name
	}
	if err == nil {
		err = likeReplaced(tmp.Name(), path)
	}
	return WritingError(path, put(tmp, path, err))
}

// put closes a temporary file and gives it the name path, or removes the file if it could not be written. The file is
// closed last, so that nobody takes it for that of a process which was killed. Where there are no locks the file is
// closed first: some of these systems rename no open files.
func put(tmp *os.File, path string, written error) error {
	if written != nil {
		return errors.Join(written, discard(tmp))
	}
	if !parallel.FileLocks {
		written = tmp.Close()
	}
	if written == nil {
		written = os.Rename(tmp.Name(), path)
	}
	if written != nil {
		os.Remove(tmp.Name())
	}
	if parallel.FileLocks {
		written = errors.Join(written, tmp.Close())
	}
	return written
}

// Text returns a function that writes a text, as [WriteFile] takes it.
func Text(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

// ProgramSum returns a checksum of the file of the running program, by which a journal tells programs of the same version
// apart. The file is summed up piece by piece: reading all of it into memory takes as long as the sum.
func ProgramSum() (string, error) {
	name, err := os.Executable()
	if err != nil {
		return "", err
	}
	program, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer program.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, program)
	return fmt.Sprintf("%x", sum.Sum(nil)[:8]), err
}

// Check reports what would keep WriteFile from writing to path, before the work is done whose result is to be written
// there; "" is no file.
func Check(path string) error {
	if path == "" {
		return nil
	}
	path, replaced, err := resolve(path)
	if err != nil || !replaced {
		return err
	}
	f, err := temporary(path)
	if err == nil {
		err = discard(f)
	}
	return WritingError(path, err)
}

// Replaced reports whether WriteFile puts a new file in place of path; otherwise it writes to what is there.
func Replaced(path string) bool {
	_, replaced, err := resolve(path)
	return replaced && err == nil
}

// Target returns the absolute path of the file that a name leads to, or would lead to if it were there.
func Target(path string) string {
	path = followed(path)
	if folder, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		path = filepath.Join(folder, filepath.Base(path))
	}
	if absolute, err := filepath.Abs(path); err == nil {
		return absolute
	}
	return path
}

// resolve returns the file that a path leads to, and whether it is replaced.
func resolve(path string) (target string, replaced bool, err error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return path, false, nil // a link such as /dev/stdout may lead to a pipe, which has no name
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) { // such as links that lead to each other, or a name that is too long
		return path, false, WritingError(path, err)
	}
	path = followed(path)
	switch {
	case err != nil:
		return path, true, nil
	case info.IsDir():
		return path, false, fmt.Errorf("writing %s: is a folder; name a file in it", path)
	}
	return path, info.Mode().IsRegular() && stream(path) == nil, nil
}

// mostLinks bounds the symbolic links to a file that is not there.
const mostLinks = 40

// followed follows symbolic links, also to a file that is not there yet.
func followed(path string) string {
	for range mostLinks {
		link, err := os.Readlink(path)
		switch {
		case err != nil:
			return path
		case filepath.IsAbs(link):
			path = link
		default: // filepath.Join would take .. for the folder above the link of a folder
			path = filepath.Dir(path) + string(filepath.Separator) + link
		}
	}
	return path
}

// stream returns the standard stream that is open on a file, such as that of /dev/stdout; nil if there is none.
func stream(path string) *os.File {
	for _, f := range []*os.File{os.Stdout, os.Stderr} {
		if IsFile(f, path) {
			return f
		}
	}
	return nil
}

// IsFile reports whether an open file is a regular one, and the one of a name.
func IsFile(f *os.File, name string) bool {
	open, err := f.Stat()
	named, errNamed := os.Stat(name)
	return err == nil && errNamed == nil && open.Mode().IsRegular() && os.SameFile(open, named)
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

// longestBeginning is how many bytes of a name the name of a temporary file begins with: file systems take 255 bytes.
const longestBeginning = 200

// temporary makes a file beside path whose permissions are those any new file gets, and locks the file. Temporary files
// of path that processes left behind when they were killed are removed.
func temporary(path string) (made *os.File, err error) {
	folder, base := filepath.Split(path)
	beginning := strings.ToValidUTF8(base[:min(len(base), longestBeginning)], "")
	for i := 0; ; i++ {
		name := fmt.Sprintf("%s%s.%d.partwise.tmp", folder, beginning, i)
		there := removeOrphan(name)
		switch {
		case made != nil && !there:
			return made, nil
		case made != nil:
			continue // look for further orphans
		}
		made, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		switch {
		case errors.Is(err, os.ErrExist):
			made = nil
		case err != nil:
			return nil, err
		case !lockNew(made):
			made.Close()
			made = nil
		}
	}
}

// lockNew locks a new file, where files can be locked. It returns false if another process took the file for an orphan
// before it was locked: that process removes the file, or has removed it.
func lockNew(f *os.File) bool {
	err := parallel.LockFile(f)
	return !errors.Is(err, parallel.ErrFileBusy) && (err != nil || IsFile(f, f.Name()))
}

// discard closes and removes a temporary file.
func discard(f *os.File) error {
	if !parallel.FileLocks {
		return errors.Join(f.Close(), os.Remove(f.Name()))
	}
	return errors.Join(os.Remove(f.Name()), f.Close())
}

// removeOrphan removes a temporary file if no process has it locked any more. It returns false if there was no such file.
func removeOrphan(name string) (there bool) {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return !errors.Is(err, os.ErrNotExist)
	}
	defer f.Close()
	if parallel.LockFile(f) == nil && IsFile(f, name) { // its process has ended, and has not renamed it
		os.Remove(name)
	}
	return true
}

// buffered writes to a file through a buffer, and empties the buffer at the end.
func buffered(f *os.File, write func(io.Writer) error) error {
	w := bufio.NewWriter(f)
	if err := write(w); err != nil {
		return err
	}
	return w.Flush()
}

// writeThrough writes to a device or a pipe that exists, which no other file may replace.
func writeThrough(path string, write func(io.Writer) error) error {
	var err error
	if f := stream(path); f != nil {
		err = buffered(f, write) // which others go on writing to
	} else if f, err = os.OpenFile(path, os.O_WRONLY, 0); err == nil {
		err = errors.Join(buffered(f, write), f.Close())
	}
	if errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return WritingError(path, err)
}

// WritingError says which file could not be written, and why, without the name of a temporary file; nil if err is nil.
func WritingError(file string, err error) error {
	var path *os.PathError
	var link *os.LinkError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &path) && errors.Is(err, os.ErrNotExist):
		folder := filepath.Dir(file)
		if _, wrong := os.Stat(folder); wrong == nil { // such as /proc
			return fmt.Errorf("writing %s: folder %s takes no new files", file, folder)
		}
		return fmt.Errorf("writing %s: folder %s does not exist", file, folder)
	case errors.As(err, &path):
		err = path.Err
	case errors.As(err, &link):
		err = link.Err
	}
	return fmt.Errorf("writing %s: %w", file, err)
}
