package fit

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/phasetype"
)

// Family is the name of a family of phase-type distributions.
type Family string

// The families of this package, listed by [Families]. An [Entry] of [Options] adds another.
const (
	CF1              Family = "cf1"              // acyclic, in canonical form 1
	HyperErlang      Family = "hyper-erlang"     // mixtures of Erlang distributions, over all partitions of the order
	Hyperexponential Family = "hyperexponential" // mixtures of exponentials
	Coxian           Family = "coxian"           // acyclic, in Coxian form
	General          Family = "general"          // any (alpha, T)
)

// Criterion ranks candidates; the smallest value is the best.
type Criterion string

// The criteria.
const (
	BIC Criterion = "bic" // −2·log L + df·log n
	AIC Criterion = "aic" // −2·log L + 2·df
)

// MaxPhases is the largest order that can be fitted.
const MaxPhases = 50

// Method is the way in which the likelihood is maximised: for canonical form 1, the Coxian and general families, and
// mixtures.
type Method string

// The methods.
const (
	Auto  Method = ""      // L-BFGS, and EM where that did not converge
	LBFGS Method = "lbfgs" // limited-memory quasi-Newton on the logarithms of the parameters
	EM    Method = "em"    // expectation-maximisation: slower, but no step decreases the likelihood
)

// Options determine what is fitted and how. The zero value fits canonical form 1 with 1 to 10 phases.
type Options struct {
	Families  []Family  // of this package; default: CF1, or none if there are Own
	Own       []Entry   // families of the caller, fitted besides Families
	MinPhases int       // default 1
	MaxPhases int       // default: the larger of MinPhases and 10
	Criterion Criterion // default: BIC
	Method    Method
	MaxIter   int     // largest number of likelihood evaluations of an ascent (default 1000), or of EM steps (default 2000 to 5000)
	Tolerance float64 // gain of mean log-likelihood per step below which an ascent has converged; default 1e-10
	Workers   int     // number of goroutines, default the number of processors; results do not depend on it
	// Memory is the largest number of bytes, default [parallel.DefaultMemory]. In [Arrivals] it limits the ascents at a
	// time. The error for needing more wraps a *[parallel.LimitError].
	Memory int64
	Seed   uint64 // of the random starts of the general family
}

// Fitted holds the results that every fit has, of a distribution or an arrival process.
type Fitted struct {
	Family Family `json:"family"` // [ERCHMM] for an arrival process
	Phases int    `json:"phases"`
	Scores
	Iterations int     `json:"iterations"` // likelihood evaluations or EM steps of the ascent that led to the fit
	Converged  bool    `json:"converged"`
	Seconds    float64 `json:"seconds"` // that the fit took
	Warnings   []error `json:"-"`       // [ErrNoConvergence], [ErrZeros], [ErrConstant], [ErrFewValues], [ErrNotApplicable] of other families
}

// Candidate is one fitted distribution with its scores.
type Candidate struct {
	Fitted
	Dist     phasetype.Dist
	Goodness Goodness
	Queue    Queue
}

// PhaseType fits the families of o to s by maximum likelihood, at each order from MinPhases to MaxPhases. It returns
// one candidate for each family and order, in the unit of s, the best by the criterion first. Among equals, fewer
// parameters come first. Families of the caller are fitted by their own function and scored like the others. A fit that
// did not converge has Converged false and a warning. A family of the caller that does not apply to the data is left
// out; then all candidates have a warning. s is not changed.
//
// The error is
//   - a *[SampleError] if s is not a sample, or if its observations of positive weight are all lower bounds, or zeros
//     without a resolution,
//   - an *[OptionError] if an option has a wrong value, or if no family has these orders,
//   - an error that wraps a *[parallel.LimitError] if the fit needs more than Memory,
//   - a *[CandidateError] if a distribution cannot be represented in floating-point numbers, if the data are impossible
//     under it, if an Entry fails, or if all candidates were left out,
//   - the error of ctx.
func PhaseType(ctx context.Context, s Sample, o Options) ([]Candidate, error) {
	return during(ctx, func() ([]Candidate, error) { return phaseType(ctx, s, o) })
}

// phaseType returns the candidates of [PhaseType], best first. It does not check ctx: if ctx has ended, the candidates
// are incomplete, and [PhaseType] drops them. [PhaseType] describes the errors.
func phaseType(ctx context.Context, s Sample, o Options) ([]Candidate, error) {
	o, err := o.forSample(s, 0)
	if err != nil {
		return nil, err
	}
	entries, err := o.entries()
	if err != nil {
		return nil, err
	}
	p, err := newProblem(ctx, s, o)
	if err != nil {
		return nil, err
	}
	f := p.families(ctx)
	var all []Candidate
	for _, e := range entries {
		found, err := f.candidates(ctx, e)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	switch {
	case len(all) == 0 && len(f.leftOut) > 0:
		return nil, f.leftOut[0]
	case len(all) == 0:
		return nil, &OptionError{"phases", fmt.Sprintf("no family has %d to %d phases", o.MinPhases, o.MaxPhases)}
	}
	for i := range all {
		all[i].Warnings = append(all[i].Warnings, f.leftOut...)
	}
	slices.SortStableFunc(all, func(a, b Candidate) int { return a.compare(b.Fitted, o.Criterion) })
	return all, nil
}

// compare returns a negative number if f is better than g: by the criterion, then by fewer free parameters, then by
// fewer phases. It returns a positive number if f is worse, and 0 for equals. Candidates are sorted by it.
func (f Fitted) compare(g Fitted, by Criterion) int {
	order := cmp.Compare(f.BIC, g.BIC)
	if by == AIC {
		order = cmp.Compare(f.AIC, g.AIC)
	}
	return cmp.Or(order, cmp.Compare(f.DegreesOfFreedom, g.DegreesOfFreedom), cmp.Compare(f.Phases, g.Phases))
}

// candidates returns the fits of one family at all requested orders, in ascending order, with their scores and the
// seconds that each took. The seconds include the fits of lower orders and of contained families that had to be made
// first. The error is a *[CandidateError] of a fit or a score, or the error of ctx. With an error, the result holds the
// fits made before it.
func (f *families) candidates(ctx context.Context, e Entry) ([]Candidate, error) {
	start := time.Now()
	var found []Candidate
	p := f.problem
	err := e.of(f).each(ctx, p.opts.MinPhases, p.opts.MaxPhases, func(s solution) error {
		c, err := p.candidate(ctx, e.Name, s)
		if err != nil {
			return err
		}
		c.Seconds = time.Since(start).Seconds()
		start = time.Now()
		found = append(found, c)
		return nil
	})
	return found, err
}

// OptionError says which option or argument has a wrong value. Option is its name as the flags of the command fit write
// it: "phases" for MinPhases and MaxPhases, "iterations" for MaxIter.
type OptionError struct {
	Option, Problem string
}

// Error returns the name of the option and what is wrong with its value.
func (e *OptionError) Error() string { return "fit: " + e.Option + ": " + e.Problem }

// withDefaults returns a copy of the options with the defaults of [Options] in place of zeros and of missing families.
// A negative number of workers counts as 0. A MaxIter of 0 stays: its default depends on the algorithm. The error is an
// *[OptionError] for an option with a wrong value.
func (o Options) withDefaults() (Options, error) {
	if len(o.Families) == 0 && len(o.Own) == 0 {
		o.Families = []Family{CF1}
	}
	if o.MinPhases == 0 {
		o.MinPhases = 1
	}
	if o.MaxPhases == 0 {
		o.MaxPhases = max(o.MinPhases, 10)
	}
	if o.Criterion == "" {
		o.Criterion = BIC
	}
	if err := o.check(); err != nil {
		return o, err
	}
	if o.Tolerance == 0 {
		o.Tolerance = 1e-10
	}
	if o.Memory == 0 {
		o.Memory = parallel.DefaultMemory
	}
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	return o, nil
}

// check returns an *[OptionError] that names the first option with a wrong value, or nil. The orders must be a range
// between 1 and the constant MaxPhases, and criterion and method must be known. Memory, Workers, MaxIter and Tolerance
// must not be negative, and Tolerance must be finite. Families are checked by [Options.entries].
func (o Options) check() error {
	switch {
	case o.MinPhases < 1 || o.MaxPhases < o.MinPhases:
		return &OptionError{"phases", fmt.Sprintf("%d to %d is not a range of orders", o.MinPhases, o.MaxPhases)}
	case o.MaxPhases > MaxPhases:
		return &OptionError{"phases", fmt.Sprintf("%d phases, at most %d are supported", o.MaxPhases, MaxPhases)}
	case o.Criterion != BIC && o.Criterion != AIC:
		return &OptionError{"criterion", fmt.Sprintf("%q is neither bic nor aic", string(o.Criterion))}
	case o.Method != Auto && o.Method != LBFGS && o.Method != EM:
		return &OptionError{"method", fmt.Sprintf("%q is neither lbfgs nor em", string(o.Method))}
	case o.Memory < 0:
		return &OptionError{"memory", fmt.Sprintf("%d bytes are negative", o.Memory)}
	case o.Workers < 0:
		return &OptionError{"workers", fmt.Sprintf("%d is negative", o.Workers)}
	case o.MaxIter < 0:
		return &OptionError{"iterations", fmt.Sprintf("%d is negative", o.MaxIter)}
	case !(o.Tolerance >= 0) || math.IsInf(o.Tolerance, 1):
		return &OptionError{"tolerance", fmt.Sprintf("%v is not a nonnegative number", o.Tolerance)}
	}
	return nil
}
