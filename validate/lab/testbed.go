package lab

import (
	"context"
	"io"

	"github.com/partwise/partwise/validate/lab/internal/testbed"
)

// MostProcesses is the largest number of nodes of a machine of processes.
const MostProcesses = testbed.MostNodes

type (
	// TestbedStudy says what is measured, predicted and run on a machine of processes.
	TestbedStudy = testbed.Study
	// Measured is what a study measured: the costs of repartitions, and run times of jobs alone.
	Measured = testbed.Measured
	// Transition is what repartitions for one reason cost that leave so many jobs running.
	Transition = testbed.Transition
	// Reconfiguration is a change of partitions with the times of its steps in seconds.
	Reconfiguration = testbed.Reconfiguration
	// Prediction is what is expected of a policy at a load, for the jobs of each replication.
	Prediction = testbed.Prediction
	// TestbedComparison is a measure of an experiment, predicted and real.
	TestbedComparison = testbed.Comparison
)

// The reasons for repartitions that a study measures.
const (
	AfterArrival   = testbed.Arrival
	AfterDeparture = testbed.Departure
)

// StartProcesses starts a machine with a process for each node, which are copies of this program. Its method Close ends them, and so
// does the end of ctx.
func StartProcesses(ctx context.Context, nodes int) (*testbed.Machine, error) {
	return testbed.Start(ctx, nodes)
}

// IsProcess reports whether this process was started to be a node. A program that starts machines asks so first, and calls
// [ServeProcess] if it is.
func IsProcess() bool { return testbed.IsNode() }

// ServeProcess is the process of a node. It writes the address of its socket to out, and returns when in ends.
func ServeProcess(in io.Reader, out io.Writer) error { return testbed.Serve(in, out) }

// WatchIdle begins to watch the host's processors. Its method Share returns the share of their time that nobody used.
func WatchIdle() testbed.Idle { return testbed.NewIdle() }

// Expected returns the comparisons before anything is run: predictions alone.
func Expected(predictions []Prediction) []TestbedComparison { return testbed.Expectations(predictions) }

// CompareProcesses compares what a machine of processes did with what was predicted; real[i] belongs to predictions[i].
func CompareProcesses(predictions []Prediction, real []testbed.Observations) []TestbedComparison {
	return testbed.Compare(predictions, real)
}
