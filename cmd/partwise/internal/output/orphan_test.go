package output

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

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
	var orphans []*os.File
	for range 3 {
		f, err := temporary(path)
		if err != nil {
			t.Fatal(err)
		}
		orphans = append(orphans, f)
	}
	for _, k := range []int{0, 2} { // their locks end as with a killed process
		orphans[k].Close()
	}
	if err := WriteFile(path, Text("1\n")); err != nil {
		t.Fatal(err)
	}
	if got, want := namesOf(t, folder), []string{"result.csv", filepath.Base(orphans[1].Name())}; !slices.Equal(got, want) {
		t.Errorf("files %v, want %v", got, want)
	}
	orphans[1].Close()
	if err := Check(path); err != nil {
		t.Fatal(err)
	}
	if got := namesOf(t, folder); !slices.Equal(got, []string{"result.csv"}) {
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
