package cli

import (
	"io"

	"github.com/partwise/partwise/cmd/partwise/internal/files"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
)

// Open opens a file, or standard input for "-", and returns its name for people. An interrupt ends the reading.
func (inv *Invocation) Open(path string) (io.ReadCloser, string, error) {
	return files.Open(inv.Context, path, inv.Stdin)
}

// NameOf returns the name of a file for people, as [Invocation.Open] does.
func NameOf(path string) string { return files.NameOf(path) }

// Reads says that the command reads files. It returns an error if a flag writes one of the files, or if standard output is
// one of them.
func (inv *Invocation) Reads(names ...string) error {
	if inv.Output == "" && inv.File == "" {
		if err := files.Holds(inv.Stdout, names...); err != nil {
			return err
		}
	}
	return inv.Files.Reads(names...)
}

// Writes says that a flag writes a file. It returns an error if the command reads the file, another flag writes it, or it cannot
// be written.
func (inv *Invocation) Writes(flag, name string) error {
	if err := inv.Files.Writes(flag, name); err != nil {
		return err
	}
	return output.Check(name)
}
