package joblog_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/testdata/needs"
)

const testdata = "../../../testdata/joblogs/"

// The same made-up jobs in every format are the same jobs, in nodes and in GPUs.
func TestOneLogInAllFormats(t *testing.T) {
	for _, unit := range []joblog.Unit{InNodes, InGPUs} {
		var want totals
		for file, format := range map[string]joblog.Format{"sacct.txt": sacct, "sacct.json": sacctJSON, "pbs.txt": pbs,
			"helios.csv": helios, "philly.json": philly, "elastisim.json": elastiSim, "kueue.json": kubernetes, "kube-jobs.json": kubernetes} {
			if unit == InGPUs && format == elastiSim {
				continue
			}
			text, err := os.ReadFile(testdata + file)
			if err != nil {
				t.Fatal(err)
			}
			if got := joblog.Recognise(text); got != format {
				t.Errorf("%s is recognised as %q", file, got)
			}
			l, err := joblog.Read(bytes.NewReader(text), file, joblog.Options{Unit: unit})
			if err != nil {
				t.Fatal(err)
			}
			got := totalsOf(&l)
			got.Unfinished, got.Found, got.Waits, got.Estimates = 0, "", "", "" // which some formats do not tell
			if format == elastiSim || file == "kube-jobs.json" {                // in which jobs that were cancelled have failed
				got.Completed, got.Failed, got.Cancelled = want.Completed, want.Failed, want.Cancelled
			}
			if want.Gaps == "" {
				want = got
				continue
			}
			if want.Completed == 0 {
				want.Completed, want.Failed, want.Cancelled = got.Completed, got.Failed, got.Cancelled
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, %s: %s", file, unit, diff)
			}
		}
	}
}

// The script writes the files that are committed.
func TestMadeUpLogs(t *testing.T) {
	dir := t.TempDir()
	for _, program := range []string{"sh", "awk"} {
		needs.Program(t, program)
	}
	if out, err := exec.Command("sh", testdata+"generate.sh", dir).CombinedOutput(); err != nil {
		t.Fatalf("generate.sh: %v: %s", err, out)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 8 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		made, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		committed, err := os.ReadFile(testdata + filepath.Base(file))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(made, committed) {
			t.Errorf("%s is not what generate.sh writes", filepath.Base(file))
		}
	}
}
