package cli

import (
	"os"
	"path/filepath"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
)

// files are the files of a call: what it writes must be neither what it reads nor anything else that it writes.
type files struct {
	read    []string
	written []writtenFile
}

// writtenFile is a file that a flag asks to write.
type writtenFile struct{ flag, name string }

// Reads says that the command reads files. It returns an error if a flag asks to write one of them.
func (inv *Invocation) Reads(names ...string) error {
	for _, name := range names {
		for _, w := range inv.files.written {
			if areSame(w.name, name) {
				return overwrites(w, "is read by the same command")
			}
		}
	}
	inv.files.read = append(inv.files.read, names...)
	return nil
}

// writes says that a flag asks to write a file. It returns an error if that would be in vain, or if the command reads the
// file or writes it for another flag.
func (inv *Invocation) writes(flag, name string) error {
	w := writtenFile{flag, name}
	for _, read := range inv.files.read {
		if areSame(name, read) {
			return overwrites(w, "is read by the same command")
		}
	}
	for _, other := range inv.files.written {
		if areSame(name, other.name) || samePath(name, other.name) {
			return overwrites(w, "is written by --"+other.flag)
		}
	}
	inv.files.written = append(inv.files.written, w)
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

// samePath reports whether two names of files that are not there yet are one.
func samePath(a, b string) bool {
	if _, err := os.Stat(a); err == nil {
		return false // a device, or another file
	}
	a, errA := filepath.Abs(a)
	b, errB := filepath.Abs(b)
	return errA == nil && errB == nil && a == b
}
