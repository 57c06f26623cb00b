// [MeasureSlurm] measures what it costs to resize jobs under Slurm, on one host: a controller, its database and a daemon for
// each of several nodes, in a directory of their own, which script cluster.sh of this package starts and stops.
//
//	FindSlurm → what is not installed
//	StartSlurm → SlurmCluster → Transitions → what repartitions cost; Close stops and removes it
//
// A job is an allocation of whole nodes and does nothing. It shrinks by an update of its number of nodes, and expands as
// Slurm's documentation has it: a second job, which depends on it, is granted the nodes, and then gives its allocation up.
// Slurm tells nobody to stop, moves no data and starts no processes: what is measured is what the batch system takes, to
// which an application adds its own. Tested with Slurm 22.05.
//
// Slurm resizes a job only once that has no database of accounts, and where single processors are selected (cons_tres)
// a job that expands may be granted nodes which it has already. The cluster has the database, and selects whole nodes.
//
// Reference: A. B. Yoo, M. A. Jette, M. Grondona, SLURM: Simple Linux Utility for Resource Management, JSSPP 2003,
// LNCS 2862.

package testbed

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/partwise/partwise/validate/des"
)

// slurmScript is the shell script that installs the packages of a cluster and runs one; its head says how it is called.
//
//go:embed cluster.sh
var slurmScript string

// FindSlurm returns a [MissingError] that says which programs are not installed, if any.
func FindSlurm() error {
	return Installed("slurm", "on Debian: cluster.sh install", "munged", "mariadbd", "mariadb-install-db", "mariadb-admin",
		"slurmdbd", "slurmctld", "slurmd", "sacctmgr", "sinfo", "squeue", "salloc", "scontrol", "scancel", "timeout")
}

// SlurmCluster is a Slurm that runs.
type SlurmCluster struct {
	nodes     int
	directory string
	script    *exec.Cmd
	input     io.Closer
	ended     chan struct{}
	errors    bytes.Buffer
}

// allocation is a job: the number that Slurm gave it, and how many nodes it has been told to have.
type allocation struct {
	*SlurmCluster
	id    string
	nodes int
}

// slurmPatience is how long the daemons may take to end; those that do not are killed by the script.
const slurmPatience = 90 * time.Second

// StartSlurm starts a cluster of so many nodes in a directory that must not exist, and waits until all nodes are there. It
// stops, too, when the process that started it ends in whatever way.
func StartSlurm(ctx context.Context, nodes int, directory string) (*SlurmCluster, error) {
	if err := FindSlurm(); err != nil {
		return nil, err
	}
	directory, err := filepath.Abs(directory)
	if err != nil {
		return nil, err
	}
	c := &SlurmCluster{nodes: nodes, directory: directory, ended: make(chan struct{})}
	c.script = exec.Command("sh", "-c", slurmScript, "cluster.sh", "run", strconv.Itoa(nodes), directory)
	c.script.Stderr = &c.errors
	var output io.Reader
	if c.input, output, err = begin(c.script); err != nil {
		return nil, err
	}
	ready := make(chan bool, 1)
	go func() {
		lines := bufio.NewScanner(output)
		ready <- lines.Scan() && lines.Text() == "ready"
		io.Copy(io.Discard, output)
		c.script.Wait()
		close(c.ended)
	}()
	select {
	case ok := <-ready:
		if ok {
			return c, nil
		}
		<-c.ended
		return nil, fmt.Errorf("testbed: the cluster did not start: %s", strings.TrimSpace(c.errors.String()))
	case <-ctx.Done():
		c.script.Process.Signal(syscall.SIGTERM)
		return nil, errors.Join(context.Cause(ctx), c.Close())
	}
}

// Close ends all daemons, waits until they have ended, and removes the directory.
func (c *SlurmCluster) Close() error {
	c.input.Close()
	select {
	case <-c.ended:
		return nil
	case <-time.After(slurmPatience):
		return fmt.Errorf("testbed: the cluster in %s did not end within %v", c.directory, slurmPatience)
	}
}

// run runs a client of the cluster and returns what it says.
func (c *SlurmCluster) run(ctx context.Context, name string, arguments ...string) (string, error) {
	command := exec.CommandContext(ctx, name, arguments...)
	command.Dir = c.directory // where scontrol leaves files about jobs that it has resized
	command.Env = append(os.Environ(), "SLURM_CONF="+filepath.Join(c.directory, "slurm.conf"))
	out, err := command.CombinedOutput()
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if err != nil {
		return "", fmt.Errorf("testbed: %s: %w: %s", strings.Join(command.Args, " "), err, bytes.TrimSpace(out))
	}
	return string(out), nil
}

// allocate waits for an allocation and returns the number of its job.
func (c *SlurmCluster) allocate(ctx context.Context, nodes int, more ...string) (string, error) {
	out, err := c.run(ctx, "salloc", append([]string{"--no-shell", "--nodes", strconv.Itoa(nodes)}, more...)...)
	if err != nil {
		return "", err
	}
	return granted(out)
}

// granted finds the number of the job in what salloc says.
func granted(out string) (string, error) {
	const before = "Granted job allocation "
	for line := range strings.Lines(out) {
		if _, id, ok := strings.Cut(line, before); ok {
			return strings.TrimSpace(id), nil
		}
	}
	return "", fmt.Errorf("testbed: salloc granted nothing: %s", strings.TrimSpace(out))
}

// Start allocates nodes for a job.
func (c *SlurmCluster) Start(ctx context.Context, nodes int) (SystemJob, error) {
	id, err := c.allocate(ctx, nodes)
	return &allocation{c, id, nodes}, err
}

// queued returns what squeue says of the job.
func (a *allocation) queued(ctx context.Context, format string) (string, error) {
	out, err := a.run(ctx, "squeue", "--noheader", "--states", "all", "--jobs", a.id, "--format", format)
	return strings.TrimSpace(out), err
}

// Nodes returns how many nodes the job has.
func (a *allocation) Nodes(ctx context.Context) (int, error) {
	out, err := a.queued(ctx, "%D")
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(out)
}

// Resize shrinks the job or expands it. What expanding takes is the step Start.
func (a *allocation) Resize(ctx context.Context, nodes int) (r Reconfiguration, err error) {
	has := a.nodes
	a.nodes = nodes
	if nodes < has {
		_, err = a.run(ctx, "scontrol", "update", "JobId="+a.id, "NumNodes="+strconv.Itoa(nodes))
		return r, err
	}
	began := time.Now()
	helper, err := a.allocate(ctx, nodes-has, "--dependency", "expand:"+a.id)
	if err != nil {
		return r, err
	}
	_, err = a.run(ctx, "scontrol", "update", "JobId="+helper, "NumNodes=0")
	r.Start = time.Since(began).Seconds()
	return r, err
}

// End cancels the job and waits until its nodes are free.
func (a *allocation) End(ctx context.Context) error {
	_, err := a.run(ctx, "scancel", a.id)
	for err == nil {
		var state string
		if state, err = a.queued(ctx, "%t"); err == nil && state != "R" && state != "CG" {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	return err
}

// slurmPause is how long Slurm has between two repartitions for what it does after it has answered: the nodes of a job that
// handed them over are free for others only when their daemons have said so, some tenths of a second later.
const slurmPause = 500 * time.Millisecond

// Transitions measures, so many times each, what the repartitions of dynamic equi-partitioning cost, in random order of
// departures. Notify is until jobs that shrink have given up their nodes, or those of the job that left are free again,
// found out by asking; Data is zero; Start is until the job that came has its nodes, or those that stay have expanded.
func (c *SlurmCluster) Transitions(ctx context.Context, times int, seed des.Key) ([]Transition, error) {
	return Transitions(ctx, c, c.nodes, times, slurmPause, seed)
}

// MeasureSlurm starts a cluster in a temporary directory, measures its transitions and stops it. Jobs have no data: the number
// of elements of their arrays does not matter.
func MeasureSlurm(ctx context.Context, nodes, times, _ int, seed des.Key) (all []Transition, err error) {
	folder, err := newFolder("partwise-slurm-")
	if err != nil {
		return nil, err
	}
	defer folder.Remove()
	c, err := StartSlurm(ctx, nodes, filepath.Join(folder.Path, "cluster"))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	return c.Transitions(ctx, times, seed)
}
