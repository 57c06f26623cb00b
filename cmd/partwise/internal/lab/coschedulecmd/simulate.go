package coschedulecmd

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"github.com/partwise/partwise/cmd/partwise/internal/lab/cluster"
	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/des"
)

// Case is a cluster with the jobs that it is given.
type Case struct {
	Name     string         // of the case among others
	Cluster  cluster.Config // Simulate sets its Policy, Key, From, To and Stop
	Clusters int            // the jobs are dealt in turn to so many clusters; 0: 1
	Mix      cluster.Mix
	Source   Source
	Load     float64 // nominal node-time of the jobs over that of the clusters until the last arrives; 0: a backlog
}

// Run is a policy in a case.
type Run struct {
	Case   Case
	Policy policy.Policy
}

// Options say how to simulate. Zeros are the defaults.
type Options struct {
	Seed         uint64
	Workers      int     // 0: one for each processor
	Confidence   float64 // of intervals; 0: 0.95
	Replications int     // 0: 5
	Jobs         int     // of a replication, with those that are not counted; 0: 100. Of a backlog there are as many as needed.
	// Seconds is the time in which a backlog is watched, after WarmUp of it; 0: 60.
	Seconds  float64
	Progress func(done int) // parts of Parts
}

// The share of the jobs, or of the time of a backlog, that is not counted at the beginning; and when a run with arrivals
// is given up, in times of the last arrival: the jobs that are left then count as if they ended.
const (
	WarmUp   = .1
	patience = 3
)

func (o Options) withDefaults() Options {
	o.Confidence, o.Replications, o.Jobs = cmp.Or(o.Confidence, .95), cmp.Or(o.Replications, 5), cmp.Or(o.Jobs, 100)
	o.Seconds = cmp.Or(o.Seconds, 60)
	return o
}

// Parts returns the number of parts that Progress is told of.
func (o Options) Parts(runs int) int { return runs * o.withDefaults().Replications }

// Simulate simulates all runs in all replications. The jobs of a replication are the same for all policies and, but for
// their types and their number, for all cases with the same source.
func Simulate(ctx context.Context, runs []Run, o Options) ([]Outcome, error) {
	o = o.withDefaults()
	for _, run := range runs {
		if run.Case.Source == nil || len(run.Case.Mix.Types) == 0 || !(run.Case.Load >= 0) || math.IsInf(run.Case.Load, 1) {
			return nil, fmt.Errorf("coschedulecmd: case %q needs jobs, their types and a load", run.Case.Name)
		}
	}
	if o.Replications < 1 || o.Jobs < 2 || !(o.Seconds > 0) {
		return nil, fmt.Errorf("coschedulecmd: there are no %d replications of %d jobs, or %v s", o.Replications, o.Jobs, o.Seconds)
	}
	sums, err := parallel.Grid(ctx, len(runs), o.Replications, o.Workers, o.Progress, func(i, r int) (Sums, error) {
		begin := time.Now()
		sums, err := runs[i].replicate(ctx, r, o)
		if err != nil {
			return Sums{}, err
		}
		sums.Seconds = time.Since(begin).Seconds()
		return *sums, nil
	})
	all := make([]Outcome, len(runs))
	for i, run := range runs {
		all[i] = Outcome{Run: run, Confidence: o.Confidence, Replications: sums[i]}
	}
	return all, err
}

// What the streams of a replication are for.
const (
	ofJobs = iota
	ofTypes
	ofClusters
)

// replicate simulates one replication.
func (run Run) replicate(ctx context.Context, replication int, o Options) (*Sums, error) {
	key := des.Seed(o.Seed).At(uint64(replication))
	clusters := max(run.Case.Clusters, 1)
	jobs, err := run.Case.jobs(key, replication, clusters, o)
	if err != nil {
		return nil, err
	}
	c := run.Case.Cluster
	c.Policy, c.Key = run.Policy, key.At(ofClusters)
	counted := int(math.Ceil(WarmUp * float64(len(jobs))))
	if run.Case.Load == 0 {
		c.From, c.To = WarmUp*o.Seconds, (1+WarmUp)*o.Seconds
		c.Stop = c.To
	} else {
		last := jobs[len(jobs)-1].Arrival
		c.From, c.To, c.Stop = jobs[counted].Arrival, last, patience*last
		if !(c.To > c.From) {
			return nil, fmt.Errorf("%w: the last %d of %d jobs arrive all at once", ErrNoLoad, len(jobs)-counted, len(jobs))
		}
	}
	sums := newSums(run.Case.Mix)
	for k := range clusters {
		var dealt []cluster.Job
		var numbers []int
		for i := k; i < len(jobs); i += clusters {
			dealt, numbers = append(dealt, jobs[i]), append(numbers, i)
		}
		r, err := cluster.Run(ctx, c, dealt)
		if err != nil {
			return nil, err
		}
		sums.addCluster(r)
		if run.Case.Load == 0 {
			continue
		}
		for i := range r.Records {
			if numbers[i] >= counted {
				sums.addJob(&r.Records[i])
			}
		}
	}
	return sums, nil
}

// jobs makes the jobs of a replication. The types do not depend on the mix but for its length.
func (c *Case) jobs(key des.Key, replication, clusters int, o Options) ([]cluster.Job, error) {
	jobs, err := c.enough(key.At(ofJobs), replication, clusters, o)
	if err != nil {
		return nil, err
	}
	types := key.At(ofTypes).Stream()
	work := 0.
	for i := range jobs {
		jobs[i].Type = c.Mix.Types[int(types.Float64()*float64(len(c.Mix.Types)))]
		work += float64(jobs[i].Nodes) * jobs[i].Dedicated
	}
	stretch := 0. // of a backlog all jobs are there at the start
	if c.Load > 0 {
		last := jobs[len(jobs)-1].Arrival
		if !(last > 0) {
			return nil, fmt.Errorf("%w: all %d arrive at once", ErrNoLoad, len(jobs))
		}
		stretch = work / (c.Load * float64(c.Cluster.Nodes*clusters)) / last
	}
	for i := range jobs {
		jobs[i].Arrival *= stretch
	}
	return jobs, nil
}

// plenty is the work of a backlog over the node-time in which it is watched.
const plenty = 2.5

// enough returns the jobs of the source: of a backlog so many that the clusters are never short of them.
func (c *Case) enough(key des.Key, replication, clusters int, o Options) ([]cluster.Job, error) {
	if c.Load > 0 {
		return c.Source.Jobs(key, replication, o.Jobs)
	}
	need := plenty * o.Seconds * float64(c.Cluster.Nodes*clusters)
	for n := 64; ; n *= 2 {
		jobs, err := c.Source.Jobs(key, replication, n)
		if err != nil {
			return nil, err
		}
		for i := range jobs {
			need -= float64(jobs[i].Nodes) * jobs[i].Dedicated
		}
		if need <= 0 {
			return jobs, nil
		}
		need = plenty * o.Seconds * float64(c.Cluster.Nodes*clusters)
	}
}
