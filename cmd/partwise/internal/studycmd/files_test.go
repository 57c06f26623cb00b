//go:build unix

package studycmd

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/models/policy"
)

// TestStudyReadsItsLogOnce: the log may be a named pipe, whose bytes come once, and no file but the page is written.
func TestStudyReadsItsLogOnce(t *testing.T) {
	text, err := os.ReadFile("../../../../testdata/joblogs/sacct.txt")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	pipe := filepath.Join(dir, "log")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip("no named pipes here: ", err)
	}
	written := make(chan error, 1)
	go func() {
		w, err := os.OpenFile(pipe, os.O_WRONLY, 0)
		if err != nil {
			written <- err
			return
		}
		_, err = w.Write(text)
		w.Close()
		written <- err
	}()
	out := t.TempDir()
	t.Chdir(out)
	p := &cli.Program{Unlisted: []cli.Command{Study()}, Policies: policy.Standard()}
	line := []string{"study", pipe, "--nodes", "32", "--min-nodes", "16", "--format", "json", "--quiet"}
	if code := p.Run(context.Background(), line, os.Stdin, io.Discard, os.Stderr); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	if err := <-written; err != nil {
		t.Error(err)
	}
	if names := namesIn(t, out); !slices.Equal(names, []string{pageName}) {
		t.Errorf("the study wrote %q", names)
	}
}

// namesIn returns the names of the files in a folder.
func namesIn(t *testing.T, folder string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
