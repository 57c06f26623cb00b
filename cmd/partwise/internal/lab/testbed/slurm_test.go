package testbed

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/partwise/partwise/validate/des"
)

var (
	longRuns = flag.Bool("long", false, "measure each transition of systems that are installed")
	rewrite  = flag.Bool("update", false, "with -long: measure 50 times, and rewrite the files of testdata/testbed")
)

// Flags returns -long and -update, for the tests outside the package.
func Flags() (long, update *bool) { return longRuns, rewrite }

func TestSlurmTransitions(t *testing.T) {
	if err := FindSlurm(); err != nil {
		t.Skip(err)
	}
	if !*longRuns {
		t.Skip("a cluster takes half a minute; -long starts it")
	}
	const nodes = 4
	times := 2
	if *rewrite {
		times = 50
	}
	directory := filepath.Join(t.TempDir(), "cluster")
	c, err := StartSlurm(t.Context(), nodes, directory)
	if err != nil {
		t.Fatal(err)
	}
	version, err := c.Version(t.Context())
	if err != nil {
		t.Error(err)
	}
	idle := NewIdle()
	all, err := c.Transitions(t.Context(), times, des.Seed(1))
	if err != nil {
		t.Error(err)
	}
	share := idle.Share()
	if left := Processes(t, directory); len(left) == 0 {
		t.Error("no process of the cluster was found while it ran: the test would not find one that is left")
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if left := Processes(t, directory); len(left) > 0 {
		t.Errorf("left: %s", left)
	}
	if _, err := os.Stat(directory); !os.IsNotExist(err) {
		t.Errorf("%s is left: %v", directory, err)
	}
	if t.Failed() {
		return
	}
	CheckTransitions(t, all, nodes, times)
	for _, x := range all {
		for _, r := range x.Samples {
			if r.Total() > 1 {
				t.Logf("slow: %+v", r)
			}
			if r.Data != 0 || x.Why == Departure && r.Start <= 0 {
				t.Errorf("%+v", r)
			}
		}
	}
	if *rewrite {
		KeepTransitions(t, "slurm.csv", version, nodes, 0, share, all)
	}
}

// asOwner is the variable of the environment that makes the test binary start a cluster in the directory that it names.
// Version returns what Slurm says of itself.
func (c *SlurmCluster) Version(ctx context.Context) (string, error) {
	out, err := c.run(ctx, "salloc", "--version")
	return strings.TrimSpace(out), err
}

const asOwner = "PARTWISE_TESTBED_SLURM"

// OwnCluster starts a cluster and stays, if the environment asks for one.
func OwnCluster() {
	if directory := os.Getenv(asOwner); directory != "" {
		if _, err := StartSlurm(context.Background(), 1, directory); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("started")
		time.Sleep(time.Hour)
	}
}

// TestKilledOwner: a cluster ends when the process is killed that started it.
func TestKilledOwner(t *testing.T) {
	if err := FindSlurm(); err != nil {
		t.Skip(err)
	}
	if !*longRuns {
		t.Skip("a cluster takes half a minute; -long starts it")
	}
	directory := filepath.Join(t.TempDir(), "cluster")
	owner := exec.Command(os.Args[0])
	owner.Env = append(os.Environ(), asOwner+"="+directory)
	output, err := owner.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(output).ReadString('\n')
	if err != nil || line != "started\n" {
		t.Errorf("%q, %v", line, err)
	}
	owner.Process.Kill()
	owner.Wait()
	for end := time.Now().Add(slurmPatience); ; time.Sleep(100 * time.Millisecond) {
		left := Processes(t, directory)
		if len(left) == 0 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("left: %s", left)
		}
	}
	if _, err := os.Stat(directory); !os.IsNotExist(err) {
		t.Errorf("%s is left: %v", directory, err)
	}
}

func TestStartSaysWhyItFails(t *testing.T) {
	if err := FindSlurm(); err != nil {
		t.Skip(err)
	}
	_, err := StartSlurm(t.Context(), 1, t.TempDir()) // which exists
	if err == nil || !strings.Contains(err.Error(), "mkdir") {
		t.Error(err)
	}
}

func TestGranted(t *testing.T) {
	for out, want := range map[string]string{
		"salloc: Granted job allocation 17\n": "17",
		"salloc: Pending job allocation 8\nsalloc: job 8 queued and waiting for resources\n" +
			"salloc: job 8 has been allocated resources\nsalloc: Granted job allocation 8\n": "8",
		"salloc: error: Job submit/allocate failed: Invalid node name specified\n": "",
	} {
		id, err := granted(out)
		if id != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", out, id, err)
		}
	}
}

// TestLeftSlurmClusterIsRemoved: what a measurement of Slurm leaves that is killed, the next one removes.
func TestLeftSlurmClusterIsRemoved(t *testing.T) {
	if err := FindSlurm(); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	left := filepath.Join(dir, "partwise-slurm-1")
	if err := os.MkdirAll(filepath.Join(left, "cluster"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(left, lockFile), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := MeasureSlurm(ended, 1, 1, 0, des.Seed(1)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if names, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || names != nil {
		t.Errorf("left: %v, %v", names, err)
	}
}
