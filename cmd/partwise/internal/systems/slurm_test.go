package systems_test

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/partwise/partwise/cmd/partwise/internal/lab/testbed"
	"github.com/partwise/partwise/models/policy"
)

var long = flag.Bool("long", false, "run the controller on a Slurm of this machine, where it is installed")

// TestControllerOnSlurm runs the controller on a real Slurm of four nodes: a job starts on all of them, makes room for a second
// one, and has all of them again when that is gone, after a requeue.
func TestControllerOnSlurm(t *testing.T) {
	if !*long {
		t.Skip("starts a Slurm; with -long")
	}
	if err := testbed.FindSlurm(); err != nil {
		t.Skip(err)
	}
	dir := filepath.Join(t.TempDir(), "cluster")
	cluster, err := testbed.StartSlurm(t.Context(), 4, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	t.Setenv("SLURM_CONF", filepath.Join(dir, "slurm.conf"))
	t.Chdir(t.TempDir()) // scontrol and jobs write there
	run := func(name string, args ...string) string {
		t.Helper()
		var stderr bytes.Buffer
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, &stderr)
		}
		return strings.TrimSpace(string(out))
	}
	submit := func() string {
		return run("sbatch", "--parsable", "--hold", "--requeue", "--no-kill", "--nodes=1-4", "--wrap=trap : USR1; sleep 600")
	}
	control := func() {
		t.Helper()
		cmd := controller(t, policy.Resize{}, policy.Machine{Nodes: 4, Unit: 1})
		cmd.Args = append(cmd.Args, "--once", "--go", "--name", "all", "--grace", "1")
		cmd.Env = os.Environ()
		t.Logf("%+v", decisions(t, cmd, 1))
	}
	runs := func(job, nodes string) {
		t.Helper()
		want, got := "R "+nodes, ""
		for end := time.Now().Add(5 * time.Minute); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
			if got = run("squeue", "--noheader", "--format=%t %D", "--jobs="+job); got == want {
				return
			}
		}
		t.Fatalf("job %s is %q, want %q\n%s", job, got, want, run("squeue"))
	}
	first := submit()
	control()
	runs(first, "4")
	second := submit()
	control()
	runs(first, "2")
	runs(second, "2")
	run("scancel", second)
	for run("squeue", "--noheader", "--jobs="+second, "--states=all", "--format=%t") == "CG" {
		time.Sleep(100 * time.Millisecond)
	}
	control()
	runs(first, "4")
}
