package validate

import (
	"context"
	"errors"

	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/internal/simulation"
	"github.com/partwise/partwise/validate/machine"
)

// ErrMachineFidelity is the kind of the error of a policy or a system that is simulated at [MachineFidelity] only.
var ErrMachineFidelity = errors.New("needs machine fidelity")

// Fidelity says which machine is simulated: how closely it follows the analytic model or a real machine.
type Fidelity string

// The fidelities.
const (
	// ModelFidelity is exactly the machine of the models. Partitions are average partitions, and all jobs stop in a
	// repartition. If the system says that only resized jobs stop, it is the chain of this case.
	ModelFidelity Fidelity = "model"
	// MachineFidelity is the machine with whole nodes. Each job has the speed of its own partition, and demands are
	// drawn whole. Only the resized jobs and the new job stop, or all jobs if the system says so.
	MachineFidelity Fidelity = "machine"
	// DividedFidelity is MachineFidelity with nodes divided into small parts. Jobs have equal shares, or as many nodes
	// as they can use. A repartition happens whenever the number of running jobs changes. The simulator of whole nodes
	// then must agree with the chain; see [Comparable].
	DividedFidelity Fidelity = "divided"
)

// Machine returns the words for the machine that is simulated: the chain's machine, whole nodes or divided nodes.
func (f Fidelity) Machine() string {
	switch f {
	case MachineFidelity:
		return "whole nodes"
	case DividedFidelity:
		return "divided nodes"
	}
	return "the chain's machine"
}

// Options are the settings of a simulation. The zero value works; see [Defaults].
type Options struct {
	Fidelity Fidelity // "" is ModelFidelity
	// Precision is the relative half width of the interval of the mean response time at which the simulation stops;
	// 0 is 1 %.
	Precision  float64
	Confidence float64 // of all intervals; 0 is 0.95
	// Replications is the number of independent runs, all lengthened until the precision is reached; 0 is 32. A single
	// run gets its intervals from batch means.
	Replications int
	// Sample, if not nil, holds demands, from which the demand of each job is drawn with equal probabilities, at
	// machine fidelity. Demands are run times on one node. If the system has measured run times, they are run times on
	// the smallest partition.
	Sample []float64
	// Costs, if not nil, are the costs of resizing jobs and replace the overheads of the system. Points are the
	// scheduling points at which jobs can be resized. Both hold at machine fidelity, under policies that resize jobs.
	Costs  machine.Costs
	Points machine.Points
	// Table has the entries of the policies. They say which policies resize jobs, and which run rigid jobs on the nodes that
	// the jobs ask for. nil is [policy.Standard].
	Table policy.Table
	// SlowdownBound is the shortest run time that counts in the bounded slowdown of a [Replay]. It should be ten seconds
	// in the time unit of the system; 0 is 10.
	SlowdownBound float64
	// Seed and Point name the random numbers: the streams are keyed by seed, point, replication and purpose. Simulations
	// of different policies or systems with the same seed and point have common random numbers.
	Seed, Point uint64
	// Percentiles says that percentiles of the waiting time are estimated, too. Percentiles of the response time always
	// are.
	Percentiles bool
	Workers     int   // goroutines; 0 is one for each processor. The result does not depend on it.
	MinJobs     int64 // departures simulated at least, all replications together, whatever the precision
	// MaxJobs bounds the number of departures, all replications together. Each replication may exceed its share by the
	// rest of its last batch; 0 is 2·10⁹.
	MaxJobs int64
	// Memory is the number of bytes that the jobs in the system may take, all replications together; 0 is 4 GiB. A
	// simulation that needs more ends with a *[parallel.LimitError].
	Memory float64
	// Progress, if not nil, is called from time to time with the state of the simulation, one call at a time.
	Progress func(Progress)
}

// Progress is the state of a simulation under way.
type Progress struct {
	Policy       policy.Policy
	Replications int
	Jobs         int64 // departures simulated
	Planned      int64 // departures planned before the precision is looked at again
	// Expected is about how many departures are needed for the precision. It follows from the half width reached, by
	// the square law. Before the first look it is the number of planned departures. It never exceeds what MaxJobs
	// allows.
	Expected  int64
	Precision float64 // relative half width reached, 0 before the first look
	Target    float64
}

// key returns the key of the random numbers. Key r below it belongs to replication r.
func (o *Options) key() des.Key { return des.Seed(o.Seed).At(o.Point) }

// mostLength returns the number of jobs that a replication may have at most, at least 1: its share of o.MaxJobs.
func (o *Options) mostLength() int { return max(1, int(o.MaxJobs)/o.Replications) }

// What a job in the system takes, with room for its list to grow: at model fidelity most jobs wait, and are but the time of
// their arrival.
const bytesOfArrival = 32

// observer returns the observer that ends a replication when ctx is done or its jobs take too much memory.
func (o *Options) observer(ctx context.Context) simulation.Observer {
	return simulation.Observer{Most: o.mostJobs(), Stop: ctx.Err}
}

// mostJobs returns the largest number of jobs in the system of a replication for which the memory suffices.
func (o *Options) mostJobs() int {
	bytes := float64(bytesOfArrival)
	if o.Fidelity != ModelFidelity {
		bytes = machine.BytesOfJob
	}
	return parallel.MostInMemory(bytes*float64(o.Replications), o.Memory)
}
