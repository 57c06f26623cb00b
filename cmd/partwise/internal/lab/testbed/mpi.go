// [MeasureMPI] measures what it costs to resize applications of MPI that have data: each is started by mpirun, grows by
// spawned processes (MPI_Comm_spawn, MPI_Intercomm_merge), shrinks by processes that end, and divides an array of real data
// anew each time. The program is program/resize.c, in which steps are measured by MPI_Wtime.
//
//	FindMPI → what is not installed
//	StartMPI → MPIMachine → Transitions → what repartitions cost; Close ends what is left
//
// All processes are on this host, whatever the number of its processors: they wait without taking one. What a network costs is
// not in the figures. Tested with Open MPI 4.1; MPICH 4.0 on Debian does not spawn.
//
// Reference: Message Passing Interface Forum, MPI: A message-passing interface standard, version 3.1, 2015, chapter 10.

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

// mpiProgram is the application, in C; its head says what it reads and writes.
//
//go:embed program/resize.c
var mpiProgram string

// mpiRemedy is how to install what is missing.
const mpiRemedy = "on Debian: apt-get install openmpi-bin libopenmpi-dev"

// FindMPI returns a [MissingError] that says what is not installed, if anything: mpirun must be that of Open MPI, and mpicc needs
// the header mpi.h, which some systems install apart from it.
func FindMPI() error {
	if err := Installed("mpi", mpiRemedy, "mpicc", "mpirun"); err != nil {
		return err
	}
	if version, err := MPIVersion(context.Background()); err != nil || !strings.Contains(version, "Open MPI") {
		return &MissingError{System: "mpi", Programs: []string{"mpirun of Open MPI"}, Remedy: mpiRemedy}
	}
	compiler := exec.Command("mpicc", "-E", "-")
	compiler.Stdin = strings.NewReader("#include <mpi.h>\n")
	if compiler.Run() != nil {
		return &MissingError{System: "mpi", Programs: []string{"mpi.h"}, Remedy: mpiRemedy}
	}
	return nil
}

// MPIVersion returns what mpirun says of itself.
func MPIVersion(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "mpirun", "--version").Output()
	line, _, _ := strings.Cut(string(out), "\n")
	return line, err
}

// MPIMachine is a host that runs applications.
type MPIMachine struct {
	nodes, elements int
	folder          *folder
}

// mpiApplication is a job: its mpirun.
type mpiApplication struct {
	command *exec.Cmd
	input   io.WriteCloser
	output  *bufio.Scanner
	errors  bytes.Buffer
	nodes   int
	ctx     context.Context // that ends it
	ended   bool            // by itself
}

// StartMPI compiles the program for arrays of so many elements. Close removes it.
func StartMPI(ctx context.Context, nodes, elements int) (*MPIMachine, error) {
	if err := FindMPI(); err != nil {
		return nil, err
	}
	folder, err := newFolder("partwise-mpi-")
	if err != nil {
		return nil, err
	}
	m := &MPIMachine{nodes: nodes, elements: elements, folder: folder}
	compiler := exec.CommandContext(ctx, "mpicc", "-O2", "-o", m.program(), "-x", "c", "-")
	compiler.Stdin = strings.NewReader(mpiProgram)
	if out, err := compiler.CombinedOutput(); err != nil {
		folder.Remove()
		return nil, fmt.Errorf("testbed: mpicc: %w: %s", err, bytes.TrimSpace(out))
	}
	return m, nil
}

func (m *MPIMachine) program() string { return filepath.Join(m.folder.Path, "resize") }

// mpiPatience is how long an application may take to end before it is killed.
const mpiPatience = 10 * time.Second

// Close removes the program.
func (m *MPIMachine) Close() error { return m.folder.Remove() }

// Start starts an application and waits until all of its processes have their part of the array.
func (m *MPIMachine) Start(ctx context.Context, nodes int) (SystemJob, error) {
	a := &mpiApplication{nodes: nodes, ctx: ctx}
	// Processes that end alone must not wait for the others in MPI_Finalize, and several applications must not be bound to
	// the same processor.
	a.command = exec.CommandContext(ctx, "mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none",
		"--mca", "async_mpi_finalize", "1", "-n", strconv.Itoa(nodes), m.program(), strconv.Itoa(m.elements))
	a.command.Env = append(os.Environ(), "TMPDIR="+m.folder.Path)
	a.command.Cancel = func() error { return a.command.Process.Signal(syscall.SIGTERM) }
	a.command.WaitDelay = mpiPatience
	a.command.Stderr = &a.errors
	var output io.Reader
	var err error
	if a.input, output, err = begin(a.command); err != nil {
		return nil, err
	}
	a.output = bufio.NewScanner(output)
	line, err := a.answer()
	if err == nil && line != fmt.Sprintf("started %d", nodes) {
		err = errors.Join(fmt.Errorf("testbed: %q is not the answer of an application on %d nodes", line, nodes), a.End(ctx))
	}
	return a, err
}

// answer waits for a line.
func (a *mpiApplication) answer() (string, error) {
	if a.output.Scan() {
		return a.output.Text(), nil
	}
	err := a.command.Wait()
	a.ended = true
	if a.ctx.Err() != nil {
		return "", context.Cause(a.ctx)
	}
	return "", fmt.Errorf("testbed: an application ended by itself: %v: %s", err, bytes.TrimSpace(a.errors.Bytes()))
}

// Nodes returns how many processes the application has.
func (a *mpiApplication) Nodes(context.Context) (int, error) { return a.nodes, nil }

// Resize gives the application other nodes.
func (a *mpiApplication) Resize(_ context.Context, nodes int) (r Reconfiguration, err error) {
	if _, err := fmt.Fprintf(a.input, "resize %d\n", nodes); err != nil {
		return r, err
	}
	line, err := a.answer()
	if err == nil {
		a.nodes, r, err = ParseResized(line)
	}
	return r, err
}

// ParseResized reads the answer of the program to a resize: the processes that it has, and the steps.
func ParseResized(line string) (nodes int, r Reconfiguration, err error) {
	const form = "resized %d %g %g %g %d"
	if _, err := fmt.Sscanf(line, form, &nodes, &r.Notify, &r.Data, &r.Start, &r.Bytes); err != nil {
		return 0, r, fmt.Errorf("testbed: %q is not the answer of an application that was resized (%s): %w", line, form, err)
	}
	return nodes, r, nil
}

// End ends the application and waits until its processes have ended.
func (a *mpiApplication) End(ctx context.Context) error {
	if a.ended {
		return nil
	}
	a.input.Close()
	late := time.AfterFunc(mpiPatience, func() { a.command.Process.Signal(syscall.SIGTERM) })
	defer late.Stop()
	if err := a.command.Wait(); err != nil && a.ctx.Err() == nil {
		return fmt.Errorf("testbed: mpirun: %w: %s", err, bytes.TrimSpace(a.errors.Bytes()))
	}
	return context.Cause(ctx)
}

// mpiPause is how long processes that are not needed any more have between two repartitions to end.
const mpiPause = 50 * time.Millisecond

// Transitions measures, so many times each, what the repartitions of dynamic equi-partitioning cost, in random order of
// departures. Notify is until applications that are resized have stopped, or the mpirun of the one that left has ended, and what
// mpirun takes to pass on commands and answers; Start is until spawned processes are there, with a communicator, or the
// application that came; Data is until arrays are divided among the processes, after Start where an application grows.
func (m *MPIMachine) Transitions(ctx context.Context, times int, seed des.Key) ([]Transition, error) {
	return Transitions(ctx, m, m.nodes, times, mpiPause, seed)
}

// MeasureMPI compiles the program and measures the transitions of applications that have an array of so many elements of
// eight bytes.
func MeasureMPI(ctx context.Context, nodes, times, elements int, seed des.Key) (all []Transition, err error) {
	m, err := StartMPI(ctx, nodes, elements)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	return m.Transitions(ctx, times, seed)
}
