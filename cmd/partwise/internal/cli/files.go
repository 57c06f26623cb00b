package cli

import (
	"github.com/partwise/partwise/models/words"
	"os"
	"path/filepath"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
)

// files are the files of a call: what it writes must be neither what it reads nor anything else that it writes.
type files struct {
	read    []string
	written []writtenFile
}

// writtenFile is a file that a flag asks to write.
type writtenFile struct{ flag, name string }

// standardStream is how people name standard input as an argument, and standard output as the file of --output; deviceOfInput is
// how the system names standard input.
const standardStream, deviceOfInput = "-", "/dev/stdin"

// Reads says that the command reads files. It returns an error if a flag writes one of the files, or if standard output is
// one of them.
func (inv *Invocation) Reads(names ...string) error {
	for _, name := range names {
		if name == standardStream {
			name = deviceOfInput
		}
		for _, w := range inv.files.written {
			if areSame(w.name, name) {
				return overwrites(w, "is read by the same command")
			}
		}
		if f, ok := inv.Stdout.(*os.File); ok && inv.Output+inv.File == "" && output.IsFile(f, name) {
			return Usagef("write to another file", "standard output: %s is read by the same command", name)
		}
		inv.files.read = append(inv.files.read, name)
	}
	return nil
}

// Writes says that a flag writes files. It returns an error if the command reads one of the files, or another flag writes
// it, or it is standard output.
func (inv *Invocation) Writes(flag string, names ...string) error {
	for _, name := range names {
		if err := isNamed(flag, name); err != nil {
			return err
		}
		if err := inv.Unread(flag, name); err != nil {
			return err
		}
		w := writtenFile{flag, name}
		for _, other := range inv.files.written {
			if areSame(name, other.name) || samePath(name, other.name) {
				return overwrites(w, "is written by --"+other.flag)
			}
		}
		inv.files.written = append(inv.files.written, w)
	}
	return nil
}

// File is a text with the name of its file.
type File = struct{ Name, Text string }

// WriteFolder writes files into the folder that a flag names.
func (inv *Invocation) WriteFolder(flag, folder string, files []File) error {
	paths := words.Texts(files, func(f File) string { return filepath.Join(folder, f.Name) })
	if err := inv.Writes(flag, paths...); err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	for i, f := range files {
		if err := output.WriteFile(paths[i], output.Text(f.Text)); err != nil {
			return err
		}
	}
	return nil
}

// isNamed returns an error if a flag that writes files names standard output.
func isNamed(flag, name string) error {
	if name == standardStream {
		return Usagef("name a file, or ./- for one of this name: standard output is for the result", "--%s needs a name other than -", flag)
	}
	return nil
}

// Unread returns an error if the command has read the file that a flag writes. The command may still read the file later.
func (inv *Invocation) Unread(flag, name string) error {
	for _, read := range inv.files.read {
		if areSame(name, read) {
			return overwrites(writtenFile{flag, name}, "is read by the same command")
		}
	}
	return nil
}

// writes is Writes of one file; it also returns an error if the file cannot be written.
func (inv *Invocation) writes(flag, name string) error {
	if err := inv.Writes(flag, name); err != nil {
		return err
	}
	return output.Check(name)
}

func overwrites(w writtenFile, why string) error {
	return Usagef("write to another file", "--%s: %s %s", w.flag, w.name, why)
}

// areSame reports whether two names lead to one regular file.
func areSame(a, b string) bool {
	x, errA := os.Stat(a)
	y, errB := os.Stat(b)
	return errA == nil && errB == nil && x.Mode().IsRegular() && os.SameFile(x, y)
}

// samePath reports whether two names of files that do not exist yet lead to one file.
func samePath(a, b string) bool {
	if _, err := os.Stat(a); err == nil {
		return false // a device, or another file
	}
	return strings.EqualFold(output.Target(a), output.Target(b)) // which some systems take for the same name
}
