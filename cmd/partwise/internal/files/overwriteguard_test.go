package files_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/partwise/partwise/cmd/partwise/internal/files"
)

// TestOneFileHasOnePurpose: a command neither overwrites what it reads, by whatever name, nor writes one file twice.
func TestOneFileHasOnePurpose(t *testing.T) {
	dir := t.TempDir()
	read, link := filepath.Join(dir, "read"), filepath.Join(dir, "link")
	if err := os.WriteFile(read, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(read, link); err != nil {
		t.Skip("no symbolic links")
	}
	var s files.Set
	if err := s.Reads(read); err != nil {
		t.Fatal(err)
	}
	if err := s.Writes("output", filepath.Join(dir, "new")); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{link: "is read by the same command", filepath.Join(dir, "new"): "is written by --output",
		"-": "needs a name other than -"} {
		if err := s.Writes("plot", name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("--plot %s: error %v, want %q", name, err, want)
		}
	}
}
