package files

import (
	"os"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
)

// Set is the set of the files of one command: what the command reads, and what its flags say that it writes. The zero value is
// empty.
type Set struct {
	read    []string
	written []written
}

// elsewhere is the remedy of a file that has two purposes.
const elsewhere = "write to another file"

// written is a file that a flag names for writing.
type written struct{ flag, name string }

// StandardStream names standard input as an argument, and standard output as the file of --output.
const StandardStream = "-"

// device returns the name of a file to read as the system has it.
func device(name string) string {
	if name == StandardStream {
		return "/dev/stdin"
	}
	return name
}

// Reads adds files that the command reads. It returns an error if a flag writes one of the files.
func (s *Set) Reads(names ...string) error {
	for _, name := range names {
		name = device(name)
		for _, w := range s.written {
			if areSame(w.name, name) {
				return overwrites(w, "is read by the same command")
			}
		}
		s.read = append(s.read, name)
	}
	return nil
}

// Holds returns an error if an open file, as which the shell passes standard output, is one of the files to read.
func Holds(open any, names ...string) error {
	f, ok := open.(*os.File)
	if !ok {
		return nil
	}
	for _, name := range names {
		name = device(name)
		if output.IsFile(f, name) {
			return fault.Usagef(elsewhere, "standard output: %s is read by the same command", name)
		}
	}
	return nil
}

// Writes adds files that a flag writes. It returns an error if the command reads one of the files, another flag writes it,
// or the name means standard output.
func (s *Set) Writes(flag string, names ...string) error {
	for _, name := range names {
		if err := Named(flag, name); err != nil {
			return err
		}
		if err := s.Unread(flag, name); err != nil {
			return err
		}
		w := written{flag, name}
		for _, other := range s.written {
			if areSame(name, other.name) || samePath(name, other.name) {
				return overwrites(w, "is written by --"+other.flag)
			}
		}
		s.written = append(s.written, w)
	}
	return nil
}

// Named returns an error if a flag that writes files names standard output.
func Named(flag, name string) error {
	if name == StandardStream {
		return fault.Usagef("name a file, or ./- for one of this name: standard output is for the result",
			"--%s needs a name other than -", flag)
	}
	return nil
}

// Unread returns an error if the command has read the file that a flag writes. The command may still read the file later.
func (s *Set) Unread(flag, name string) error {
	for _, read := range s.read {
		if areSame(name, read) {
			return overwrites(written{flag, name}, "is read by the same command")
		}
	}
	return nil
}

func overwrites(w written, why string) error {
	return fault.Usagef(elsewhere, "--%s: %s %s", w.flag, w.name, why)
}

// areSame reports whether two names lead to one regular file.
func areSame(a, b string) bool {
	x, errA := os.Stat(a)
	y, errB := os.Stat(b)
	return errA == nil && errB == nil && x.Mode().IsRegular() && os.SameFile(x, y)
}

// samePath reports whether two names of files that do not exist yet lead to one file. Some systems take names that differ in
// their capital letters for the same name.
func samePath(a, b string) bool {
	if _, err := os.Stat(a); err == nil {
		return false // a device, or another file
	}
	return strings.EqualFold(output.Target(a), output.Target(b))
}
