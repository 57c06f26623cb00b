package coscheduling

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/lab/internal/cluster"
)

// Case is a cluster with the jobs that it is given.
type Case struct {
	Name     string         // of the case among others
	Cluster  cluster.Config // Simulate sets its Policy, Key, From, To and Stop
	Clusters int            // the jobs are dealt in turn to so many clusters; 0: 1
	Mix      cluster.Mix    `yaml:"workload"`
	Jobs     Random
	Load     float64 // nominal node-time of the jobs over the node-time of the clusters until the last job arrives; 0: a backlog
}

// Run is a policy in a case.
type Run struct {
	Case   Case
	Policy policy.Policy
}

// Options say how to simulate.
type Options struct {
	Seed         uint64
	Workers      int // 0: one for each processor
	Replications int
	Jobs         int // of a replication, with the jobs that are not counted; not used for a backlog, which has as many as needed
	// Seconds is the time in which a backlog is watched, after WarmUp of it.
	Seconds  float64
	Progress func(done int) // replications of all runs
}

// The share of the jobs, or of the time of a backlog, that is not counted at the beginning. The other constant says
// when a run with arrivals is given up, in multiples of the time of the last arrival. The jobs that are left then count
// as if they ended.
const (
	WarmUp   = .1
	patience = 3
)

// Simulate simulates all runs in all replications. The jobs of a replication are the same for all policies. Cases with the same
// source have the same jobs but for their types and their number. There must be at least one replication.
func Simulate(ctx context.Context, runs []Run, o Options) ([]Outcome, error) {
	if o.Replications < 1 {
		return nil, fmt.Errorf("coscheduling: %d replications; at least 1 is needed", o.Replications)
	}
	if err := checkTime(runs, o); err != nil {
		return nil, err
	}
	sums, err := parallel.Grid(ctx, len(runs), o.Replications, o.Workers, o.Progress, func(i, r int) ([]float64, error) {
		return runs[i].replicate(ctx, r, o)
	})
	all := make([]Outcome, len(runs))
	for i, run := range runs {
		all[i] = Outcome{Run: run, Replications: sums[i]}
	}
	return all, err
}

// What the streams of a replication are for.
const (
	ofJobs = iota
	ofTypes
	ofClusters
)

// replicate simulates one replication and returns its sums. The jobs are dealt to the clusters in turn. Jobs in the warm-up
// do not count, and a run with arrivals is given up after three times the time in which jobs arrive.
func (run *Run) replicate(ctx context.Context, replication int, o Options) (Sums, error) {
	began, key := time.Now(), des.Seed(o.Seed).At(uint64(replication))
	clusters := max(run.Case.Clusters, 1)
	jobs, err := run.Case.jobs(key, clusters, o)
	if err != nil {
		return nil, err
	}
	c := run.Case.Cluster
	c.Policy, c.Key = run.Policy, key.At(ofClusters)
	counted := int(math.Ceil(WarmUp * float64(len(jobs))))
	if run.Case.Load == 0 {
		c.From, c.To = WarmUp*o.Seconds, (1+WarmUp)*o.Seconds
		c.Stop, counted = c.To, len(jobs)
	} else if counted >= len(jobs) {
		return nil, fmt.Errorf("coscheduling: %d jobs are too few: the first %d do not count", len(jobs), counted)
	} else {
		last := jobs[len(jobs)-1].Arrival
		c.From, c.To, c.Stop = jobs[counted].Arrival, last, patience*last
	}
	sums := make(Sums, run.Width())
	for k := range clusters {
		var dealt []cluster.Job
		for i := k; i < len(jobs); i += clusters {
			dealt = append(dealt, jobs[i])
		}
		r, err := cluster.Run(ctx, c, dealt)
		if err != nil {
			return sums, err
		}
		sums.addCluster(r, run)
		for i := range r.Records {
			if k+i*clusters >= counted {
				sums.addJob(&r.Records[i], run)
			}
		}
	}
	sums[seconds] = time.Since(began).Seconds()
	return sums, nil
}

// jobs returns the jobs of a replication: drawn sizes and dedicated times, types of the mix with equal probability, and arrival
// times in seconds that offer the load of the case. Jobs of a backlog arrive at time 0. The error comes from checkLength, or says
// that there are too many jobs.
func (c *Case) jobs(key des.Key, clusters int, o Options) ([]cluster.Job, error) {
	if c.Load == 0 {
		if err := checkLength((1+WarmUp)*o.Seconds, o.Seconds*float64(c.Cluster.Nodes*clusters)); err != nil {
			return nil, err
		}
	}
	jobs, err := c.enough(key.At(ofJobs), clusters, o)
	if err != nil {
		return nil, err
	}
	types := key.At(ofTypes).Stream()
	for i := range jobs {
		jobs[i].Type = c.Mix.Types[int(types.Float64()*float64(len(c.Mix.Types)))]
	}
	stretch := 0. // of a backlog all jobs are there at the start
	if c.Load > 0 {
		stretch = work(jobs) / (c.Load * float64(c.Cluster.Nodes*clusters)) / jobs[len(jobs)-1].Arrival
	}
	longest := 0.
	for i := range jobs {
		jobs[i].Arrival *= stretch
		longest = max(longest, jobs[i].Dedicated, jobs[i].Arrival)
	}
	if c.Load == 0 {
		return jobs, checkLength(longest, 0)
	}
	return jobs, checkLength(longest, work(jobs))
}

// pace is about how many node-seconds of running jobs a processor simulates in a second, under any policy.
const pace = 2000

// checkLength returns a *[parallel.LimitError] if a run would hardly end, given its longest time in seconds and the node-seconds
// of its jobs.
func checkLength(longest, nodeSeconds float64) error {
	if err := parallel.Check("a simulated time in seconds", parallel.Clock, longest, cluster.LongestRun); err != nil {
		return err
	}
	return parallel.Check("the run", parallel.Time, nodeSeconds/pace, 0)
}

// checkTime returns a *[parallel.LimitError] if all replications of all runs would take more than a day of one processor in all.
// The time of a run is estimated from the jobs of its first replication. The error of a run that cannot be simulated is returned,
// too.
func checkTime(runs []Run, o Options) error {
	key, nodeSeconds := des.Seed(o.Seed).At(0), 0.0
	for i := range runs {
		c := &runs[i].Case
		clusters := max(c.Clusters, 1)
		jobs, err := c.jobs(key, clusters, o)
		switch {
		case err != nil:
			return err
		case c.Load == 0:
			nodeSeconds += (1 + WarmUp) * o.Seconds * float64(c.Cluster.Nodes*clusters)
		default:
			nodeSeconds += work(jobs)
		}
	}
	return parallel.Check("the simulation", parallel.Time, float64(o.Replications)*nodeSeconds/pace, 0)
}

// work returns the node-seconds that jobs need on a dedicated machine.
func work(jobs []cluster.Job) (sum float64) {
	for i := range jobs {
		sum += float64(jobs[i].Nodes) * jobs[i].Dedicated
	}
	return sum
}

// plenty is the work of a backlog over the node-time in which it is watched.
const plenty = 2.5

// enough returns the jobs of the source: of a backlog so many that the clusters are never short of them.
func (c *Case) enough(key des.Key, clusters int, o Options) ([]cluster.Job, error) {
	n, need := 64, plenty*o.Seconds*float64(c.Cluster.Nodes*clusters)
	if c.Load > 0 {
		n, need = o.Jobs, 0
	}
	jobs := c.Jobs.Draw(key, n)
	for ; work(jobs) < need; n *= 2 {
		if 2*n > mostOfBacklog {
			return nil, parallel.TooManyJobs(mostOfBacklog, 0)
		}
		jobs = c.Jobs.Draw(key, 2*n)
	}
	return jobs, nil
}

// mostOfBacklog is the largest number of jobs of a backlog, which all lie in memory.
const mostOfBacklog = 1 << 20
