package workload

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"sort"

	"github.com/partwise/partwise/models/workload/joblog"
)

// feitelson96 is a model made from the logs of six machines, after its published description:
//
//   - Sizes have a harmonic distribution of order 1.5, P(n) ~ n^−1.5, in which small sizes and powers of two are
//     raised.
//   - Run times are hyperexponential. The long branch is the more likely the larger the job, so larger jobs run
//     somewhat longer.
//   - A job is run again and again, each time when the run before has ended. The number of runs has a harmonic
//     distribution of order 2.5. Because nobody knows when a run will end, it is submitted here when the run before
//     would have ended without waiting.
//   - Arrivals of new jobs are Poisson.
//
// The description does not give the factors by which sizes are raised, nor the means of the branches and their
// probabilities. They are chosen here. Small and Long are the modifications with which Mu'alem and Feitelson made the
// model more like the log of the CTC: more small jobs, and longer runs.
//
// References: D. G. Feitelson, Packing schemes for gang scheduling, Job Scheduling Strategies for Parallel Processing,
// LNCS 1162 (1996) 89–110. A. W. Mu'alem, D. G. Feitelson, IEEE Trans. Parallel Distrib. Syst. 12 (2001) 529–543.
type feitelson96 struct{ Small, Long bool }

// Parameters of the model.
const (
	feitelsonSizeOrder   = 1.5
	feitelsonSmallOrder  = 2.0
	feitelsonPowerOfTwo  = 5    // how much powers of two are raised
	feitelsonFew         = 4    // sizes up to which
	feitelsonRaised      = 1.5  // all are raised so much
	feitelsonRepeatOrder = 2.5  // of the number of runs
	feitelsonMostRuns    = 1000 // of one job
	feitelsonGap         = 900  // seconds between new jobs
	feitelsonShort       = 60   // seconds, mean of the short branch
	feitelsonLongRun     = 7200 // of the long one
	feitelsonLongFactor  = 3    // by which it is longer with Long
	feitelsonShortShare  = 0.85 // probability of the short branch for the smallest jobs
	feitelsonShortSlope  = 0.20 // and how much less likely it is for the largest
)

// feitelsonMostNodes bounds the nodes: each size has its entry in a table.
const feitelsonMostNodes = 10_000_000

// Jobs returns the jobs.
func (m feitelson96) Jobs(nodes int, u Uniform) (iter.Seq[joblog.Job], error) {
	if nodes < 1 {
		return nil, invalid("nodes", "%d is not a number of nodes", nodes)
	}
	if nodes > feitelsonMostNodes {
		return nil, invalid("nodes", "%d are more than %d, the most that the model has", nodes, feitelsonMostNodes)
	}
	if u == nil {
		return nil, invalid("u", "there are no random numbers")
	}
	f := &feitelsonJobs{model: m, nodes: nodes, u: u}
	order := feitelsonSizeOrder
	if m.Small {
		order = feitelsonSmallOrder
	}
	f.sizes = cumulative(nodes, func(n int) float64 {
		w := math.Pow(float64(n), -order)
		if n&(n-1) == 0 {
			w *= feitelsonPowerOfTwo
		}
		if n <= feitelsonFew {
			w *= feitelsonRaised
		}
		return w
	})
	f.runs = cumulative(feitelsonMostRuns, func(r int) float64 { return math.Pow(float64(r), -feitelsonRepeatOrder) })
	f.fresh = f.gap()
	return f.jobs, nil
}

// cumulative returns the distribution function of 1..n with the given weights.
func cumulative(n int, weight func(i int) float64) []float64 {
	c := make([]float64, n)
	total := 0.0
	for i := range c {
		total += weight(i + 1)
		c[i] = total
	}
	for i := range c {
		c[i] /= total
	}
	return c
}

// drawn returns the number that u falls on.
func drawn(c []float64, u Uniform) int {
	x := u.Float64()
	return 1 + min(sort.Search(len(c), func(i int) bool { return c[i] > x }), len(c)-1)
}

// exponential returns an exponential number of the given mean.
func exponential(mean float64, u Uniform) float64 { return -mean * math.Log(1-u.Float64()) }

// feitelsonJobs merges new jobs with those that are run again.
type feitelsonJobs struct {
	model       feitelson96
	nodes       int
	u           Uniform
	sizes, runs []float64
	fresh       float64  // when the next new job comes
	again       []repeat // the next one first
	users       int
}

// repeat is a job that will be run again.
type repeat struct {
	at    float64
	left  int // runs, this one among them
	nodes int
	user  int
	last  int // the run before
}

func (f *feitelsonJobs) gap() float64 { return exponential(feitelsonGap, f.u) }

// jobs gives the jobs.
func (f *feitelsonJobs) jobs(yield func(joblog.Job) bool) {
	for id := 1; ; id++ {
		q := f.next()
		j := made(id, math.Floor(q.at), f.run(q.nodes), q.nodes)
		j.User, j.Application = q.user, q.user
		if j.Preceding = q.last; q.last > 0 {
			j.ThinkTime = 0
		}
		if q.left--; q.left > 0 {
			q.at, q.last = q.at+j.Run, id
			// Of equal times the earlier job comes first.
			place, _ := slices.BinarySearchFunc(f.again, q.at, func(r repeat, at float64) int { return cmp.Or(cmp.Compare(r.at, at), -1) })
			f.again = slices.Insert(f.again, place, q)
		}
		if !yield(j) {
			return
		}
	}
}

// next returns the next job: a new one, or one that is run again.
func (f *feitelsonJobs) next() (q repeat) {
	if len(f.again) > 0 && f.again[0].at <= f.fresh {
		q, f.again = f.again[0], f.again[1:]
		return q
	}
	f.users++
	q = repeat{at: f.fresh, left: drawn(f.runs, f.u), nodes: drawn(f.sizes, f.u), user: f.users, last: -1}
	f.fresh += f.gap()
	return q
}

// run returns a run time, at least a second.
func (f *feitelsonJobs) run(nodes int) float64 {
	short := feitelsonShortShare - feitelsonShortSlope*float64(nodes)/float64(f.nodes)
	mean := float64(feitelsonShort)
	if f.u.Float64() >= short {
		mean = feitelsonLongRun
		if f.model.Long {
			mean *= feitelsonLongFactor
		}
	}
	return math.Ceil(exponential(mean, f.u))
}
