package study

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/validate/replay"
)

// jobClass is the jobs of a log that asked for similar numbers of nodes.
type jobClass struct {
	Sizes    joblog.Sizes // the nodes that the jobs asked for
	Jobs     int
	MaxNodes int // the most nodes that a job of the class can use
}

// name returns the name of the class in results and model files: the numbers of nodes that its jobs asked for. Examples
// are 1 node, 4 nodes, and 3 to 8 nodes.
func (c *jobClass) name() string {
	switch {
	case c.Sizes.From == c.Sizes.To && c.Sizes.To == 1:
		return "1 node"
	case c.Sizes.From == c.Sizes.To:
		return fmt.Sprintf("%d nodes", c.Sizes.To)
	}
	return fmt.Sprintf("%d to %d nodes", c.Sizes.From, c.Sizes.To)
}

// chooseClasses divides the jobs of a log into the classes of a draft. Jobs of a class asked for similar numbers of
// nodes, and can all use MaxNodes nodes. The result is in ascending order of sizes.
//
// A size is the number of nodes that a job can use: a.Most times the nodes that it asked for, rounded up to units, and
// at most all. For each k from 1 to the number of sizes, [divideSizes] makes k classes of neighbouring sizes. The
// function answer is called with each of these divisions. It returns a positive number, here the mean response time by
// a chain. Each call solves a chain, so that many sizes take long.
//
// The division into the most classes is taken as exact. The result is the division into the fewest classes such that it
// and all divisions into more classes have nearly the same answer. Nearly means that the relative difference from the
// exact answer is below within.
//
// If answer fails for two or more classes with an error that wraps [markov.ErrTooLarge], the division before counts as
// exact. Any other error of answer is returned, and so is ErrTooLarge for one class. It is also an error if a.Most is
// not positive, or if no job has a run time. Another error says that the speedup has no value for the nodes of a job.
func chooseClasses(jobs *joblog.List, m policy.Machine, a replay.Assumptions, within float64,
	answer func([]jobClass) (float64, error)) (
	[]jobClass, error) {
	if !(a.Most > 0) {
		return nil, fmt.Errorf("study: jobs on at most %g times the nodes that they asked for", a.Most)
	}
	sizes, err := jobsBySize(jobs, m, a.Most, workload.WithSpeedup(workload.Malleable, a.Speedup))
	if err != nil {
		return nil, err
	}
	if len(sizes) == 0 {
		return nil, errors.New("study: no jobs to make classes of")
	}
	var divisions [][]jobClass
	var answers []float64
	for k := 1; k <= len(sizes); k++ {
		classes := mergedClasses(sizes, divideSizes(sizes, k), m)
		v, err := answer(classes)
		if k > 1 && errors.Is(err, markov.ErrTooLarge) {
			break
		}
		if err != nil {
			return nil, err
		}
		divisions, answers = append(divisions, classes), append(answers, v)
	}
	fewest := len(answers) - 1
	for most := answers[fewest]; fewest > 0 && math.Abs(answers[fewest-1]/most-1) < within; {
		fewest--
	}
	return divisions[fewest], nil
}

// mergedClasses returns the classes that result from cutting sizes at the given indices. Class k, counted from 0, joins
// the jobs of sizes[ends[k−1]:ends[k]]; see [joinSizes]. ends is a result of [divideSizes]. m gives the unit to which
// MaxNodes of a class is rounded.
func mergedClasses(sizes []jobsOfSize, ends []int, m policy.Machine) (all []jobClass) {
	from := 0
	for _, to := range ends {
		all = append(all, joinSizes(sizes[from:to], m))
		from = to
	}
	return all
}

// jobsOfSize sums up the jobs of a log that can use the same number of nodes.
type jobsOfSize struct {
	maxNodes int
	asked    joblog.Sizes
	jobs     int
	work     float64 // Σ of their run times on one node in seconds
}

// jobsBySize sums up the jobs of a log that can use the same number of nodes. This number is the nodes that a job asked
// for multiplied by the factor most, rounded up to units of m, and at most all nodes. An entry counts its jobs, and
// sums their run times on one node in seconds. It also has the fewest and the most nodes that they asked for.
//
// Jobs that ran for no time count, because they arrive and their demand is fitted, too. Jobs without a run time or a
// number of nodes are left out.
//
// The result is in ascending order of the numbers of nodes, and each entry has work; see [withWork]. It is nil if no job
// has a positive run time. The error is that the speedup of the shape has no value for the nodes of a job.
func jobsBySize(jobs *joblog.List, m policy.Machine, most float64, shape workload.Shape) ([]jobsOfSize, error) {
	var all []jobsOfSize
	for i := range jobs.Len() {
		logged := jobs.At(i)
		if logged.Run < 0 || logged.Nodes() <= 0 {
			continue
		}
		j, err := shape.Job(i, &logged)
		if err != nil {
			return nil, err
		}
		size := replay.MaxNodes(j.Nodes, m, most)
		at, found := slices.BinarySearchFunc(all, size, func(of jobsOfSize, size int) int { return of.maxNodes - size })
		if !found {
			all = slices.Insert(all, at, jobsOfSize{maxNodes: size, asked: joblog.Sizes{From: j.Nodes, To: j.Nodes}})
		}
		of := &all[at]
		of.asked = joblog.Sizes{From: min(of.asked.From, j.Nodes), To: max(of.asked.To, j.Nodes)}
		of.jobs++
		of.work += j.Work
	}
	return withWork(all), nil
}

// withWork returns the sizes that have work, in the same order. The jobs of a size without work join the size before
// it, or the first size that has work: no distribution can be fitted to demands of zero alone. The result is nil if no
// size has work. The argument is overwritten.
func withWork(sizes []jobsOfSize) []jobsOfSize {
	var idle *jobsOfSize // the sizes before the first that has work
	all := sizes[:0]
	for _, of := range sizes {
		switch {
		case of.work > 0:
			if idle != nil {
				of.take(idle)
				idle = nil
			}
			all = append(all, of)
		case len(all) > 0:
			all[len(all)-1].take(&of)
		case idle != nil:
			idle.take(&of)
		default:
			idle = &of
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

// take adds the jobs of another size, which can then use as many nodes as the jobs of this size.
func (of *jobsOfSize) take(other *jobsOfSize) {
	of.asked = joblog.Sizes{From: min(of.asked.From, other.asked.From), To: max(of.asked.To, other.asked.To)}
	of.jobs += other.jobs
	of.work += other.work
}

// joinSizes joins the jobs of neighbouring sizes, at least one and in ascending order, into one class. Its Jobs counts
// all these jobs. Its MaxNodes is the geometric mean of the numbers of nodes that the sizes can use, weighted by work.
// The work must be positive. The mean is rounded to whole units of m, at least one unit and at most all. Its Sizes
// reach from the fewest to the most nodes that a job asked for.
func joinSizes(sizes []jobsOfSize, m policy.Machine) jobClass {
	c := jobClass{Sizes: joblog.Sizes{From: sizes[0].asked.From, To: sizes[len(sizes)-1].asked.To}}
	work, logs := 0.0, 0.0
	for _, of := range sizes {
		c.Jobs += of.jobs
		work += of.work
		logs += of.work * math.Log(float64(of.maxNodes))
	}
	units := math.Round(math.Exp(logs/work) / float64(m.Unit))
	c.MaxNodes = m.Unit * min(max(int(units), 1), m.Partitions())
	return c
}

// divideSizes divides n sizes, in ascending order, into k ≤ n classes of neighbours that can use about as many nodes.
// It makes the least sum, over all sizes, of
//
//	work·(log maxNodes − mean of the class)²,
//
// with means weighted by work, by dynamic programming in O(k·n³) time. The result has an element for each class: the
// index behind its last size in sizes.
func divideSizes(sizes []jobsOfSize, k int) []int {
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
				if sum := least[c-1][i] + spreadOfSizes(sizes[i:j]); sum < least[c][j] {
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

// spreadOfSizes returns the cost of a class of some sizes, at least one, in [divideSizes]:
//
//	Σ work·(log maxNodes − mean)², the mean weighted by work.
//
// It is 0 for one size, and grows the worse one number of nodes stands for all.
func spreadOfSizes(sizes []jobsOfSize) float64 {
	work, first, second := 0.0, 0.0, 0.0
	origin := math.Log(float64(sizes[0].maxNodes))
	for _, of := range sizes {
		x := math.Log(float64(of.maxNodes)) - origin
		work, first, second = work+of.work, first+of.work*x, second+of.work*x*x
	}
	return max(0, second-first*first/work)
}
