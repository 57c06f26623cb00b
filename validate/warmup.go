package validate

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/validate/internal/batches"
	"github.com/partwise/partwise/validate/internal/simulation"
	"github.com/partwise/partwise/validate/metric"
)

const (
	// forgotten is how many of its time constants a run leaves out, so that it forgets the empty machine. Jobs that depart while
	// a machine fills are the short ones. With exponential run times, the share of what is missing after w mean times is
	// (1 + w)·exp(−w): after 12 mean times 1/13,000.
	forgotten = 12
	// forgottenQueue is the same for the queue. It fills faster than it forgets, and waiting is a part of the response time.
	forgottenQueue = 2
)

// warmUpJobs returns the number of jobs that arrive until a run has forgotten that it began with an empty machine, as far as
// the system tells. The batch means of large machines are too noisy for MSER to see how the machine fills. For arrivals of rate λ,
//
//	12·λ·(run time + modulation of the arrivals + overhead) + 2·2·(Ca² + Cs²)/(1 − ρ)².
//
// The times in the first term are time constants, see [timeConstant] and [modulation]. The second term is the relaxation of a
// queue as Brownian motion with Ca² the dispersion of the arrivals and Cs² the SCV of run times. In M/M/1 it is 2·4/(1 − ρ)² jobs.
// It is left out if the traffic intensity ρ is not known.
//
// It costs events only where twice the warm-up is longer than the first stage: with exponential run times from 400 busy nodes on.
// A simulation of 1,000 nodes at load .5 has 388,000 jobs at least, not 320,000.
func (s subject) warmUpJobs(sys *models.System, o Options, rho float64) float64 {
	run, scv := s.runTime(sys, o)
	constant := run + modulation(sys.Arrivals) + s.overhead(sys)
	jobs := forgotten * s.rate * constant
	if rho < 1 {
		jobs += forgottenQueue * 2 * (sys.Arrivals.Dispersion() + scv) / ((1 - rho) * (1 - rho))
	}
	return jobs
}

// runTime returns the time constant of the run times of jobs when many are in the system, and the SCV of the run times. Classes of
// rigid jobs have the longest of their time constants and the largest of their SCVs.
func (s subject) runTime(sys *models.System, o Options) (constant, scv float64) {
	if len(o.Sample) > 0 {
		m := sampleMoments(o.Sample)
		return timeConstant(m) / speedup(sys).At(float64(s.smallest(sys))), m[1]/(m[0]*m[0]) - 1
	}
	for _, c := range s.asking {
		constant = max(constant, timeConstant(moments(c.Demand))/c.Speedup.At(float64(c.Nodes)))
		scv = max(scv, c.Demand.SCV())
	}
	if s.asking == nil {
		service := sys.Service[s.k-1]
		constant, scv = timeConstant(moments(service)), service.SCV()
	}
	return constant, scv
}

// overhead returns the longest time constant of what stops or delays jobs under the policy: a set-up, a repartition, the time
// between repartitions.
func (s subject) overhead(sys *models.System) (constant float64) {
	var times []phasetype.Dist
	switch p := s.policy.(type) {
	case policy.Splitting:
		times = append(times, sys.Setup[s.k])
	case policy.Spacing:
		if minimum, err := p.MinimumTime(); err == nil {
			times = append(times, minimum)
		}
	}
	if s.resizes {
		times = slices.Concat(times, sys.Shrink, sys.Expand)
	}
	for _, d := range times {
		constant = max(constant, timeConstant(moments(d)))
	}
	return constant
}

// moments returns the first three moments of a distribution, zeros if it has no phases.
func moments(d phasetype.Dist) (m [3]float64) {
	if d.Phases() == 0 {
		return m
	}
	return [3]float64{d.Moment(1), d.Moment(2), d.Moment(3)}
}

// sampleMoments returns the first three moments of values.
func sampleMoments(values []float64) (m [3]float64) {
	n := float64(len(values))
	for _, x := range values {
		m[0] += x / n
		m[1] += x * x / n
		m[2] += x * x * x / n
	}
	return m
}

// timeConstant returns how long a time with the moments m1, m2 and m3 lasts on: the larger of its mean m1 and of m3/(3·m2). The
// second is the mean of the slow exponential if there is one that causes most of the variance. It is left out if a moment is too
// large or too small for a number.
func timeConstant(m [3]float64) float64 {
	if slow := m[2] / (3 * m[1]); slow > m[0] && !math.IsInf(slow, 0) {
		return slow
	}
	return m[0]
}

// modulation returns the time in which the phase of an arrival process is forgotten: −1/Re λ for the eigenvalue λ ≠ 0 of D0 + D1
// nearest to the imaginary axis. It is 0 for one phase, and if this eigenvalue is not larger than the rounding errors.
func modulation(m phasetype.MAP) float64 {
	var q mat.Dense
	if m.Phases() < 2 {
		return 0
	}
	q.Add(m.D0(), m.D1())
	var eigen mat.Eigen
	if !eigen.Factorize(&q, mat.EigenNone) {
		return 0
	}
	values := eigen.Values(nil)
	slices.SortFunc(values, func(a, b complex128) int { return cmp.Compare(real(b), real(a)) })
	const rounding = 1e-13
	if slowest := -real(values[1]); slowest > rounding*mat.Norm(&q, math.Inf(1)) {
		return 1 / slowest
	}
	return 0
}

// settle sets x.warmup, once all replications have the same length. It is at least what the system needs, and the MSER truncation
// of the batch means of the response time, averaged over the replications. MSER of a single run mistakes a long busy period for a
// warm-up. So it leaves out high values more often than low ones. In the average only the common start of the runs is left.
//
// The warm-up is longer if what follows it still drifts, but at most half the replication. x.drifting says that half is not enough.
func (x *experiment) settle() {
	series := x.replications[0].series
	n, size := series.Batches(), series.Size()
	mean := make([]float64, n)
	for _, rep := range x.replications {
		floats.Add(mean, rep.series.Ratio(simulation.ResponseSum, simulation.Departed))
	}
	from := max(batches.MSER(mean), min((x.subject.warmUp+size-1)/size, n/2))
	x.drifting = x.drifts(from)
	for x.drifting && from < n/2 {
		from = min(from+(n-from+partsOfDrift-1)/partsOfDrift, n/2)
		x.drifting = x.drifts(from)
	}
	x.warmup = from * size
}

const (
	// partsOfDrift is the number of parts into which a replication is divided. The first part is compared with all others.
	partsOfDrift = 8
	// drift is the level of the test for a drift in each direction. It is small because the test comes after what should suffice.
	drift = 0.0005
)

// drifts reports whether the mean response time of the first part of the replications from a batch on differs significantly from
// that of the other parts. It tests the differences of all replications by Student's test. A single replication is not tested.
func (x *experiment) drifts(from int) bool {
	var differences []float64
	for _, rep := range x.replications {
		n := rep.series.Batches()
		part := (n - from) / partsOfDrift
		if part == 0 || len(x.replications) < 2 {
			return false
		}
		first, rest := rep.series.Sum(from, from+part), rep.series.Sum(from+part, n)
		differences = append(differences, response.of(first)-response.of(rest))
	}
	i := metric.Student(differences, x.o.Confidence)
	return math.Abs(i.Mean) > metric.Quantile(len(differences)-1, 1-drift)*i.StdErr
}
