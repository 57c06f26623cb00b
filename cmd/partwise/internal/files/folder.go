package files

import (
	"os"
	"path/filepath"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/words"
)

// File is a text with the name of its file.
type File = struct{ Name, Text string }

// WriteFolder writes files into the folder that a flag names. It makes the folder if the folder does not exist. Before it writes
// anything it returns an error if one of the files has another purpose in the same command.
func (s *Set) WriteFolder(flag, folder string, all []File) error {
	paths := words.Texts(all, func(f File) string { return filepath.Join(folder, f.Name) })
	if err := s.Writes(flag, paths...); err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	for i, f := range all {
		if err := output.WriteFile(paths[i], output.Text(f.Text)); err != nil {
			return err
		}
	}
	return nil
}
