package replay

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/phasetype"
)

// Classes returns a system with the jobs of a log in classes by the nodes that they asked for, in place of the jobs of sys. The
// machine, the arrivals and the overheads stay. A job can use a.Most times the nodes that it asked for, at least one unit, and
// all jobs have the speedup of a. Neighbouring sizes make a class. Its demand has the mean of its jobs in seconds and their
// squared coefficient of variation, at least 1/2.
//
// There are as few classes as one class more changes the mean response time under dynamic partitioning by less than the share
// within, by the chain in which all jobs stop in a repartition. Where that chain of one class more is larger than st allows,
// the classes before it are returned.
func Classes(ctx context.Context, sys *models.System, jobs []joblog.Job, a Assumptions, within float64, st markov.Settings) (
	*models.System, error) {
	if err := sys.Check(); err != nil {
		return nil, err
	}
	if !(a.Most > 0) {
		return nil, fmt.Errorf("replay: jobs on at most %g times the nodes that they asked for", a.Most)
	}
	sizes, err := jobsBySize(jobs, sys.Machine(), a.Most, a.Speedup)
	if err != nil {
		return nil, err
	}
	var last *models.System
	before := math.NaN()
	for k := 1; k <= len(sizes); k++ {
		with, err := inClasses(sys, sizes, divide(sizes, k), a.Speedup)
		if err != nil {
			return nil, err
		}
		stopped := *with
		stopped.Stops = models.AllStop
		answer, err := (&models.DEP{System: &stopped}).Solve(ctx, st)
		switch {
		case last != nil && errors.Is(err, markov.ErrTooLarge):
			return last, nil
		case err != nil:
			return nil, err
		case !answer.Stable:
			return nil, answer.Unstable()
		case math.Abs(answer.MeanResponseTime/before-1) < within:
			return last, nil
		}
		last, before = with, answer.MeanResponseTime
	}
	if last == nil {
		return nil, errors.New("replay: no jobs to make classes of")
	}
	return last, nil
}

// inClasses returns a system whose jobs are of classes of sizes that end at ends.
func inClasses(sys *models.System, sizes []jobsOfSize, ends []int, s workload.Speedup) (*models.System, error) {
	with := *sys
	with.Classes, with.Demand, with.Speedup, with.PhaseMap = nil, phasetype.Dist{}, nil, nil
	from := 0
	for _, to := range ends {
		c, err := class(sizes[from:to], sys.Machine(), s)
		if err != nil {
			return nil, err
		}
		with.Classes = append(with.Classes, c)
		from = to
	}
	var err error
	with.Service, err = models.ServiceTimesOfClasses(sys.Machine(), with.Classes)
	return &with, err
}

// jobsOfSize are the jobs of a log that can use the same number of nodes.
type jobsOfSize struct {
	maxNodes     int
	jobs         float64
	work, square float64 // Σ of their run times on one node in seconds, and of the squares
}

// jobsBySize returns the jobs of a log by the nodes that they can use, ascending: the factor most times those that they asked
// for, rounded up to units, and at most all. Jobs that took no time are left out. The error is that the speedup says nothing of a
// number of nodes.
func jobsBySize(jobs []joblog.Job, m policy.Machine, most float64, s workload.Speedup) ([]jobsOfSize, error) {
	var all []jobsOfSize
	shape := workload.WithSpeedup(workload.Malleable, s)
	for i := range jobs {
		if jobs[i].Run <= 0 || jobs[i].Nodes() <= 0 {
			continue
		}
		j, err := shape.Job(i, &jobs[i])
		if err != nil {
			return nil, err
		}
		units := math.Ceil(most * float64(j.Nodes) / float64(m.Unit))
		size := m.Unit * int(min(units, float64(m.Partitions())))
		at, found := slices.BinarySearchFunc(all, size, func(of jobsOfSize, size int) int { return of.maxNodes - size })
		if !found {
			all = slices.Insert(all, at, jobsOfSize{maxNodes: size})
		}
		all[at].add(jobsOfSize{jobs: 1, work: j.Work, square: j.Work * j.Work})
	}
	return all, nil
}

func (of *jobsOfSize) add(o jobsOfSize) {
	of.jobs += o.jobs
	of.work += o.work
	of.square += o.square
}

// class returns neighbouring sizes as one class: its MaxNodes is their geometric mean, weighted by work, rounded to units. The
// demand has the mean of the jobs and their squared coefficient of variation, at least 1/2, which takes two phases.
func class(sizes []jobsOfSize, m policy.Machine, s workload.Speedup) (models.Class, error) {
	var sum jobsOfSize
	logs := 0.0
	for _, of := range sizes {
		sum.add(of)
		logs += of.work * math.Log(float64(of.maxNodes))
	}
	if s == nil {
		s = workload.Linear{}
	}
	mean := sum.work / sum.jobs
	demand, err := phasetype.TwoMoments(mean, max(sum.square/sum.jobs/(mean*mean)-1, 0.5))
	units := math.Round(math.Exp(logs/sum.work) / float64(m.Unit))
	most := m.Unit * min(max(int(units), 1), m.Partitions())
	return models.Class{Name: fmt.Sprintf("up to %d nodes", most), Share: sum.jobs, Demand: demand, Speedup: s, MaxNodes: most}, err
}

// divide divides sizes, ascending, into k classes of neighbours that can use about as many nodes: the sum over all sizes of
// work·(log maxNodes − its mean in the class)² is the least. The result holds the ends of the classes.
func divide(sizes []jobsOfSize, k int) []int {
	n := len(sizes)
	// least[c][j] is the least sum of the first j sizes in c classes, the last of which begins at from[c][j].
	least, from := make([][]float64, k+1), make([][]int, k+1)
	for c := range least {
		least[c], from[c] = slices.Repeat([]float64{math.Inf(1)}, n+1), make([]int, n+1)
	}
	least[0][0] = 0
	for c := 1; c <= k; c++ {
		for j := c; j <= n; j++ {
			for i := c - 1; i < j; i++ {
				if sum := least[c-1][i] + spread(sizes[i:j]); sum < least[c][j] {
					least[c][j], from[c][j] = sum, i
				}
			}
		}
	}
	ends := make([]int, k)
	for c, j := k, n; c > 0; c, j = c-1, from[c][j] {
		ends[c-1] = j
	}
	return ends
}

// spread returns Σ work·(log maxNodes − mean)².
func spread(sizes []jobsOfSize) float64 {
	work, first, second := 0.0, 0.0, 0.0
	origin := math.Log(float64(sizes[0].maxNodes))
	for _, of := range sizes {
		x := math.Log(float64(of.maxNodes)) - origin
		work, first, second = work+of.work, first+of.work*x, second+of.work*x*x
	}
	return max(0, second-first*first/work)
}
