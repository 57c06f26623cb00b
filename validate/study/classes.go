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

// name returns the name of the class in results and model files: its numbers of nodes in words, such as 3 to 8 nodes.
func (c *jobClass) name() string {
	switch {
	case c.Sizes.From == c.Sizes.To && c.Sizes.To == 1:
		return "1 node"
	case c.Sizes.From == c.Sizes.To:
		return fmt.Sprintf("%d nodes", c.Sizes.To)
	}
	return fmt.Sprintf("%d to %d nodes", c.Sizes.From, c.Sizes.To)
}

// chooseClasses divides the jobs of a log into classes by the nodes that they asked for, for a draft. A job can use
// a.Most times those nodes, rounded up to units of the machine. Neighbouring sizes make a class; its MaxNodes is their
// geometric mean, weighted by the work of the jobs and rounded to units. The classes are in ascending order of sizes.
//
// The function answer returns a positive number for a division into classes, such as a mean response time. The most
// classes are one for each size. The result has the fewest classes whose answer differs from that of the most classes
// by less than the share within; so do all divisions into more classes. An error of answer that wraps
// [markov.ErrTooLarge] ends the search earlier: the last division before it has the most classes then. Any other error
// is returned.
func chooseClasses(jobs *joblog.List, m policy.Machine, a replay.Assumptions, within float64, answer func([]jobClass) (float64, error)) (
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

// mergedClasses returns the classes of jobs on machine m that sizes form when they are cut behind each of the indices
// ends. Class k, from 0, holds sizes[ends[k−1]:ends[k]]. ends is the result of [divideSizes].
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

// jobsBySize returns the jobs of a log summed up by the nodes that they can use, in ascending order. These are the
// factor most times the nodes that they asked for, rounded up to units, and at most all. Jobs that took no time are
// left out. The error is that the speedup of a shape says nothing of a number of nodes.
func jobsBySize(jobs *joblog.List, m policy.Machine, most float64, shape workload.Shape) ([]jobsOfSize, error) {
	var all []jobsOfSize
	for i := range jobs.Len() {
		logged := jobs.At(i)
		if logged.Run <= 0 || logged.Nodes() <= 0 {
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
	return all, nil
}

// joinSizes joins jobs of neighbouring sizes, given in ascending order, into one class. Its MaxNodes is the geometric
// mean of the most nodes that the sizes can use, weighted by work, in whole units of the machine.
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

// divideSizes divides sizes, in ascending order, into k classes of neighbours that can use about as many nodes. The sum
// over all sizes of work·(log maxNodes − its mean in the class)² is the least. The result holds, for each class, the
// index behind its last size.
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

// spreadOfSizes returns Σ work·(log maxNodes − mean)² of sizes that would form a class, where mean is weighted by work.
// It tells how badly one number of nodes stands for all, and is the cost of a class in [divideSizes].
func spreadOfSizes(sizes []jobsOfSize) float64 {
	work, first, second := 0.0, 0.0, 0.0
	origin := math.Log(float64(sizes[0].maxNodes))
	for _, of := range sizes {
		x := math.Log(float64(of.maxNodes)) - origin
		work, first, second = work+of.work, first+of.work*x, second+of.work*x*x
	}
	return max(0, second-first*first/work)
}
