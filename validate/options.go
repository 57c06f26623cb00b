package validate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models/measure"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/des"
	"github.com/partwise/partwise/validate/machine"
)

// Fidelity says which machine is simulated.
type Fidelity string

// The fidelities.
const (
	// ModelFidelity is exactly the machine of the models: average partitions, everybody stops in a repartition; or the
	// chain that stops the resized jobs, if the system says so.
	ModelFidelity Fidelity = "model"
	// MachineFidelity is the real one: whole nodes, each job at the speed of its own partition, only the resized jobs and
	// the newcomer stop, or all if the system says so, demands are drawn whole.
	MachineFidelity Fidelity = "machine"
	// DividedFidelity is MachineFidelity with the nodes divided into parts so small that jobs have equal shares, or as many
	// nodes as they can use, and with a repartition whenever the number of running jobs changes: run by the simulator of whole
	// nodes, it must agree with the chain. See [Comparable].
	DividedFidelity Fidelity = "divided"
)

// Options steer a simulation. The zero value works; see [Defaults].
type Options struct {
	Fidelity Fidelity // "" is ModelFidelity
	// Precision is the relative half width of the interval of the mean response time at which the simulation stops;
	// 0 is 1 %.
	Precision  float64
	Confidence float64 // of all intervals; 0 is 0.95
	// Replications is the number of independent runs, all lengthened until the precision is reached; 0 is 32. A single
	// run gets its intervals from batch means.
	Replications int
	// Sample, if not nil, holds demands: those of the jobs are drawn from it with equal probabilities, at machine
	// fidelity. They are run times on one node, or, of a system whose run times were measured, on the smallest partition.
	Sample []float64
	// Replay, if not nil, holds the jobs that come, in the order of their submission, in place of the arrivals and
	// demands of the system, at machine fidelity. There is one run, which ends when all have departed, and no precision
	// to be reached.
	Replay []workload.Job
	// Costs, if not nil, are those of resizing jobs in place of the system's overheads, and Points the places in the course
	// of a job at which it can be resized, at machine fidelity, under policies that resize jobs.
	Costs  machine.Costs
	Points machine.Points
	// SlowdownBound is the run time that shorter ones count as in the bounded slowdown of a replay, ten seconds in the
	// time unit of the system; 0 is 10.
	SlowdownBound float64
	// Seed and Point name the random numbers: the streams are keyed by seed, point, replication and purpose. Simulations
	// of different policies or systems with the same seed and point have common random numbers.
	Seed, Point uint64
	Workers     int   // goroutines; 0 is one for each processor. The result does not depend on it.
	MinJobs     int64 // departures simulated at least, all replications together, whatever the precision
	// MaxJobs bounds the departures simulated, all replications together, but for the rest of the last batch of each
	// replication; 0 is 2·10⁹.
	MaxJobs int64
	// Memory is how many bytes the jobs in the system may take, those of all replications together; 0 is 4 GiB. A simulation
	// that needs more ends with a *[des.TooManyError].
	Memory float64
	// Progress, if not nil, hears from time to time how far the simulation is; never two calls at once.
	Progress func(Progress)
}

// Progress is the state of a simulation under way.
type Progress struct {
	Policy       policy.Policy
	Replications int
	Jobs         int64 // departures simulated
	Planned      int64 // departures planned before the precision is looked at again
	// Expected is about how many departures the precision will take: of the half width reached, by the square law; before
	// the first look, as many as are planned. It is never more than MaxJobs allows.
	Expected  int64
	Precision float64 // relative half width reached, 0 before the first look
	Target    float64
}

// Defaults returns the options that a zero value stands for, where zero does not mean zero.
func Defaults() Options {
	return Options{
		Fidelity: ModelFidelity, Precision: 0.01, Confidence: measure.Confidence, Replications: 32, MaxJobs: 2_000_000_000,
		Memory: parallel.DefaultMemory,
	}
}

func (o Options) withDefaults() (Options, error) {
	d := Defaults()
	o.Fidelity = cmp.Or(o.Fidelity, d.Fidelity)
	o.Precision = cmp.Or(o.Precision, d.Precision)
	o.Confidence = cmp.Or(o.Confidence, d.Confidence)
	o.Replications = cmp.Or(o.Replications, d.Replications)
	o.MaxJobs = cmp.Or(o.MaxJobs, d.MaxJobs)
	o.Memory = cmp.Or(o.Memory, d.Memory)
	if o.Replay != nil {
		o.Replications = 1
	}
	switch {
	case o.Fidelity != ModelFidelity && o.Fidelity != MachineFidelity && o.Fidelity != DividedFidelity:
		return o, fmt.Errorf("validate: unknown fidelity %q; use %s, %s or %s", o.Fidelity, ModelFidelity, MachineFidelity,
			DividedFidelity)
	case (o.Sample != nil || o.Replay != nil) && o.Fidelity != MachineFidelity:
		return o, fmt.Errorf("validate: demands that are not phase-type need %s fidelity", MachineFidelity)
	case (o.Costs != nil || !o.Points.Everywhere()) && o.Fidelity != MachineFidelity:
		return o, fmt.Errorf("validate: costs and scheduling points of single jobs need %s fidelity", MachineFidelity)
	case o.Replay != nil && len(o.Replay) == 0:
		return o, errors.New("validate: no jobs to replay")
	case o.Sample != nil && o.Replay != nil:
		return o, fmt.Errorf("validate: demands come from a sample or from a replay, not from both")
	case !(o.Memory > 0):
		return o, fmt.Errorf("validate: jobs cannot take %v bytes of memory", o.Memory)
	case !(o.Precision > 0):
		return o, fmt.Errorf("validate: precision %v must be positive", o.Precision)
	case !(o.Confidence > 0 && o.Confidence < 1):
		return o, fmt.Errorf("validate: confidence %v must lie between 0 and 1", o.Confidence)
	case o.Replications < 0 || o.Workers < 0 || o.MaxJobs < 0 || o.MinJobs < 0:
		return o, fmt.Errorf("validate: replications, workers and jobs must not be negative")
	}
	return o, nil
}

// key returns the key of the random numbers; below it, key r is that of replication r.
func (o *Options) key() des.Key { return des.Seed(o.Seed).At(o.Point) }

// What a job in the system takes, with room for its list to grow: at model fidelity most jobs wait, and are but the time of
// their arrival.
const bytesOfArrival = 32

// observer returns the observer that ends a replication when ctx is done or its jobs take too much memory.
func (o *Options) observer(ctx context.Context) des.Observer {
	bytes := float64(bytesOfArrival)
	if o.Fidelity != ModelFidelity {
		bytes = machine.BytesOfJob
	}
	return des.Observer{Most: max(1, int(o.Memory/bytes/float64(o.Replications))), Stop: ctx.Err}
}
