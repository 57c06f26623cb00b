package workload

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Uniform gives random numbers, uniform in [0, 1).
type Uniform interface{ Float64() float64 }

// Estimator says what a scheduler takes the run time of a job to be. An estimate may be shorter than the run time. One that is
// not positive stands for the run time.
type Estimator interface {
	Name() string
	// Estimate returns the estimate, in seconds, of the run time of a job on the nodes that it asks for. The job, which is
	// submitted at time now, is not changed; only some may look at its run time.
	Estimate(j *Job, now float64, u Uniform) float64
}

// Learner is an estimator that learns from the jobs that have ended.
type Learner interface {
	Estimator
	Ended(j *Job, now float64)
}

// runTime returns the run time of a job on the nodes that it asks for, measured or not; 0 if it asks for no number.
func runTime(j *Job) float64 {
	if j.Run == 0 && j.Nodes > 0 {
		return j.RunOn(j.Nodes)
	}
	return j.Run
}

// Logged is what users requested, and the run time where they requested nothing, or a multiple of that.
//
// Reference: Mu'alem and Feitelson, section 4.5, after D. Zotkin, P. J. Keleher, Job-length estimation and performance
// in backfilling schedulers, HPDC 1999, 236–243.
type Logged struct{ Factor float64 } // 0: 1

// Name returns "logged", or "times:" and the factor.
func (l Logged) Name() string {
	if l.Factor == 0 {
		return "logged"
	}
	return form("times", l.Factor)
}

// Estimate returns Factor times the user's estimate.
func (l Logged) Estimate(j *Job, _ float64, _ Uniform) float64 {
	estimate := j.Requested
	if !(estimate > 0) {
		estimate = runTime(j)
	}
	if l.Factor == 0 {
		return estimate
	}
	return l.Factor * estimate
}

// estimates are a function of the job and of chance.
type estimates struct {
	name string
	of   func(j *Job, u Uniform) float64
}

// Name returns the estimates as [ParseEstimator] takes them.
func (e estimates) Name() string { return e.name }

// Estimate returns the value of the function.
func (e estimates) Estimate(j *Job, _ float64, u Uniform) float64 { return e.of(j, u) }

// uniform returns estimates that are uniform between the run time and f times the run time.
//
// Reference: Mu'alem and Feitelson, IEEE Trans. Parallel Distrib. Syst. 12 (2001) 529–543, section 4.2.
func uniform(f float64) Estimator {
	return estimates{form("uniform", f), func(j *Job, u Uniform) float64 { return runTime(j) * (1 + u.Float64()*(f-1)) }}
}

// Parameters of the model.
const (
	shareTooShort  = 0.10
	tooShort       = 0.99
	shortRun       = 90
	shortRunFactor = 10
	longestRequest = 24 * 3600
)

// modelled returns the estimate of a user, at most a day. With probability 0.1 it is 0.99 times the run time. Otherwise
// it is the run time over a uniform number, so that the run time is uniform between 0 and the estimate. For runs below
// 90 seconds it is ten times as long.
//
// Reference: Mu'alem and Feitelson, section 4.3.
func modelled(j *Job, u Uniform) float64 {
	run := runTime(j)
	if u.Float64() < shareTooShort {
		return tooShort * run
	}
	estimate := run / (1 - u.Float64()) // uniform in (0, 1]
	if run < shortRun {
		estimate *= shortRunFactor
	}
	return min(estimate, longestRequest)
}

// history estimates the run time of a job as the mean plus 1½ standard deviations of earlier run times. These are the
// run times of the same user with the same application on the same number of nodes. If there was no such job in the
// last week, they are those of all jobs; older jobs are forgotten. The first jobs get what their users requested, or a
// day.
//
// Reference: Mu'alem and Feitelson, section 4.4.
type history struct {
	groups map[group]*runTimes
	all    runTimes
}

type group struct{ user, application, nodes int }

// runTimes are the three numbers that suffice, and when the last was added.
type runTimes struct {
	n          int
	sum, sumSq float64
	last       float64
}

// Parameters of the estimates from history.
const (
	historyDeviations = 1.5
	historyMemory     = 7 * 24 * 3600
)

// newHistory returns a history without jobs.
func newHistory() *history { return &history{groups: map[group]*runTimes{}} }

// Name returns "history".
func (*history) Name() string { return "history" }

// Estimate returns the mean and 1½ standard deviations of the run times that are known.
func (h *history) Estimate(j *Job, now float64, _ Uniform) float64 {
	if r := h.groups[group{j.User, j.Application, j.Nodes}]; r != nil && now-r.last <= historyMemory {
		return r.upper()
	}
	switch {
	case h.all.n > 0:
		return h.all.upper()
	case j.Requested > 0:
		return j.Requested
	}
	return longestRequest
}

// Ended adds the run time of a job.
func (h *history) Ended(j *Job, now float64) {
	key := group{j.User, j.Application, j.Nodes}
	r := h.groups[key]
	if r == nil {
		r = new(runTimes)
		h.groups[key] = r
	}
	if now-r.last > historyMemory {
		*r = runTimes{}
	}
	r.add(runTime(j), now)
	h.all.add(runTime(j), now)
}

func (r *runTimes) add(run, now float64) {
	r.n++
	r.sum += run
	r.sumSq += run * run
	r.last = now
}

func (r *runTimes) upper() float64 {
	n := float64(r.n)
	mean := r.sum / n
	return mean + historyDeviations*math.Sqrt(max(0, r.sumSq/n-mean*mean))
}

// estimatorEntry is a line of the table of estimates.
type estimatorEntry struct {
	name      string
	parameter string  // the factor, for messages; empty if there is none
	least     float64 // value of the factor
	make      func(factor float64) Estimator
}

// estimators is the table of all estimates.
var estimators = []estimatorEntry{
	{"logged", "", 0, func(float64) Estimator { return Logged{} }},
	{"actual", "", 0, func(float64) Estimator {
		return estimates{"actual", func(j *Job, _ Uniform) float64 { return runTime(j) }}
	}},
	{"uniform", "the largest factor F ≥ 1", 1, uniform},
	{"times", "the factor F > 0", math.SmallestNonzeroFloat64, func(f float64) Estimator { return Logged{f} }},
	{"model", "", 0, func(float64) Estimator { return estimates{"model", modelled} }},
	{"history", "", 0, func(float64) Estimator { return newHistory() }},
}

// ParseEstimator returns the maker of estimators, one for each run, that text names, as "logged" or "uniform:4".
func ParseEstimator(text string) (func() Estimator, error) {
	name, parameter, given := strings.Cut(text, ":")
	i := slices.IndexFunc(estimators, func(e estimatorEntry) bool { return e.name == name })
	if i < 0 {
		return nil, fmt.Errorf("workload: unknown estimates %q: use %s", text, strings.Join(EstimatorForms(), ", "))
	}
	e, factor := estimators[i], 0.0
	if e.parameter != "" {
		var err error
		if factor, err = strconv.ParseFloat(parameter, 64); err != nil || !(factor >= e.least) || math.IsInf(factor, 1) {
			return nil, fmt.Errorf("workload: estimates %q: %s:F needs %s", text, name, e.parameter)
		}
	} else if given {
		return nil, fmt.Errorf("workload: estimates %q: %s takes no parameter", text, name)
	}
	return func() Estimator { return e.make(factor) }, nil
}

// EstimatorForms lists the estimates as [ParseEstimator] takes them: "logged", "uniform:F".
func EstimatorForms() []string {
	forms := make([]string, len(estimators))
	for i, e := range estimators {
		forms[i] = e.name
		if e.parameter != "" {
			forms[i] += ":F"
		}
	}
	return forms
}
