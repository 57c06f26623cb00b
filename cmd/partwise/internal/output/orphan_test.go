package output_test

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/markov/parallel"
)

// TestOrphansAreRemoved: temporary files of a process that was killed go with the next run that writes the same file. The temporary
// file of a process that still writes stays.
func TestOrphansAreRemoved(t *testing.T) {
	if !parallel.FileLocks {
		t.Skip("no locks on this system")
	}
	folder := t.TempDir()
	path := filepath.Join(folder, "result.csv")
	names := []string{"result.csv.0.partwise.tmp", "result.csv.1.partwise.tmp", "result.csv.2.partwise.tmp"}
	create := func(name string) *os.File {
		f, err := os.Create(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	first := create(names[0])
	if err := parallel.LockFile(first); err != nil {
		t.Fatal(err)
	}
	err := output.WriteFile(path, func(io.Writer) error { // which still writes while the file is written again
		if got := namesOf(t, folder); !slices.Equal(got, names[:2]) {
			t.Errorf("files %v, want %v", got, names[:2])
		}
		first.Close() // its lock ends as with a killed process
		create(names[2]).Close()
		if err := output.WriteFile(path, output.Text("1\n")); err != nil {
			t.Fatal(err)
		}
		if got, want := namesOf(t, folder), []string{"result.csv", names[1]}; !slices.Equal(got, want) {
			t.Errorf("files %v, want %v", got, want)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	create(names[1]).Close()
	if err := output.Check(path); err != nil {
		t.Fatal(err)
	}
	if got := namesOf(t, folder); !slices.Equal(got, []string{"result.csv"}) {
		t.Errorf("files %v, want the result alone", got)
	}
}

// TestWritersOfOneFile: of several that write the same file at the same time, none takes the temporary file of another away.
func TestWritersOfOneFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "result.csv")
	var writers sync.WaitGroup
	for range 8 {
		writers.Go(func() {
			for range 300 {
				if err := output.WriteFile(path, output.Text("1\n")); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	writers.Wait()
	if got := namesOf(t, filepath.Dir(path)); !slices.Equal(got, []string{"result.csv"}) {
		t.Errorf("files %v, want the result alone", got)
	}
}

// namesOf returns the names in a folder, in order.
func namesOf(t *testing.T, folder string) (names []string) {
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
