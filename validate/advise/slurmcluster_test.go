package advise_test

import (
	"bufio"
	"bytes"
	"io"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/partwise/partwise/testdata/needs"
)

// startSlurm starts a Slurm of its own in a directory that must not exist, with so many nodes on this host: a controller, its
// database and a daemon for each node, which testdata/cluster.sh starts and stops. It stops with the test, also if the test is
// killed. Without Slurm the test is skipped.
func startSlurm(t *testing.T, nodes int, directory string) {
	t.Helper()
	for _, program := range []string{"munged", "mariadbd", "slurmdbd", "slurmctld", "slurmd", "salloc"} {
		needs.Program(t, program)
	}
	var stderr bytes.Buffer
	script := exec.Command("sh", "testdata/cluster.sh", "run", strconv.Itoa(nodes), directory)
	script.Stderr = &stderr
	input, err := script.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := script.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := script.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	ready := make(chan bool, 1)
	go func() {
		defer close(ended)
		lines := bufio.NewScanner(output)
		ready <- lines.Scan() && lines.Text() == "ready"
		io.Copy(io.Discard, output)
		script.Wait()
	}()
	t.Cleanup(func() { // the daemons end with the input of the script
		input.Close()
		select {
		case <-ended:
		case <-time.After(90 * time.Second):
			t.Errorf("the cluster in %s does not end", directory)
		}
	})
	if !<-ready {
		<-ended
		t.Fatalf("the cluster did not start: %s", &stderr)
	}
}
