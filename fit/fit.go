package fit

import (
	"fmt"
	"math"
	"runtime"
	"sort"
	"time"

	"github.com/partwise/partwise/phasetype"
)

// Family names a class of phase-type distributions.
type Family string

// The families. Those that PhaseType accepts are listed by [Families].
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
	CV  Criterion = "cv"  // minus the cross-validated log-likelihood
)

// MaxPhases is the largest order that can be fitted.
const MaxPhases = 50

// Method is the way a likelihood is maximised, for the families that have a choice.
type Method string

// The methods.
const (
	Auto  Method = ""      // the faster one, then EM where it did not converge
	LBFGS Method = "lbfgs" // limited-memory quasi-Newton on the logarithms of the rates
	EM    Method = "em"    // expectation-maximisation: slower, each step increases the likelihood
)

// Options says what to fit and how. The zero value fits canonical form 1 with 1 to 10 phases.
type Options struct {
	Families  []Family  // default: CF1
	MinPhases int       // default 1
	MaxPhases int       // default: the larger of MinPhases and 10
	Criterion Criterion // default: BIC
	Method    Method
	MaxIter   int     // likelihood evaluations of one ascent, or steps of EM; default 1000, and 2000 to 5000
	Tolerance float64 // gain of mean log-likelihood per step below which an ascent has converged; default 1e-10
	Workers   int     // default: the number of processors; results do not depend on it
	Folds     int     // of cross-validation; default 5
	Seed      uint64  // for the random starts of the general family and the folds
}

// Candidate is one fitted distribution with its scores.
type Candidate struct {
	Family            Family
	Phases            int
	Dist              phasetype.Dist
	LogLikelihood     float64 // of the data under Dist
	MeanLogLikelihood float64 // divided by the sum of weights
	DegreesOfFreedom  int     // free parameters of the family at this order
	AIC, BIC          float64
	CrossValidated    float64 // with the criterion CV: mean log-likelihood of values that were left out of the fit
	KS                float64 // largest distance between the distribution functions of data and Dist
	Iterations        int     // likelihood evaluations of the ascent that won
	Converged         bool
	Likelihood        string // "density", or "interval" for rounded values
	Samples           int    // values used
	Zeros             int    // values dropped because they are 0 and no resolution was given
	Seconds           float64
	Goodness          Goodness
	Queue             Queue
	Warnings          []error
}

// PhaseType fits the families of o, at each order from MinPhases to MaxPhases, to s by maximum likelihood and returns
// one candidate for each family and order, best first by the criterion (ties: fewer parameters first). A fit that did
// not converge is returned with Converged false and a warning.
//
// The error is a *[SampleError] if s is not a sample, an *[OptionError] if o asks for what is not there.
func PhaseType(s Sample, o Options) ([]Candidate, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	p, err := newProblem(s, o)
	if err != nil {
		return nil, err
	}
	var all []Candidate
	for _, name := range o.Families {
		found, err := p.family(name)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	if o.Criterion == CV {
		if err := crossValidate(s, o, all); err != nil {
			return nil, err
		}
	}
	rank(all, o.Criterion)
	return all, nil
}

// rank sorts by the criterion; equals by free parameters, then phases, then as they were.
func rank(all []Candidate, by Criterion) {
	score := func(c Candidate) float64 {
		switch by {
		case AIC:
			return c.AIC
		case CV:
			return -c.CrossValidated
		}
		return c.BIC
	}
	sort.SliceStable(all, func(i, j int) bool {
		a, b := all[i], all[j]
		switch {
		case score(a) != score(b):
			return score(a) < score(b)
		case a.DegreesOfFreedom != b.DegreesOfFreedom:
			return a.DegreesOfFreedom < b.DegreesOfFreedom
		}
		return a.Phases < b.Phases
	})
}

// family fits one family at all requested orders.
func (p *problem) family(name Family) ([]Candidate, error) {
	start := time.Now()
	var found []Candidate
	err := families[name](p, func(s solution) error {
		if s.phases < p.opts.MinPhases {
			return nil
		}
		c, err := p.candidate(name, s)
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

// OptionError says which option cannot be met.
type OptionError struct {
	Option, Problem string
}

func (e *OptionError) Error() string { return "fit: " + e.Option + ": " + e.Problem }

func (o Options) withDefaults() (Options, error) {
	if len(o.Families) == 0 {
		o.Families = []Family{CF1}
	}
	for _, f := range o.Families {
		if _, ok := families[f]; !ok {
			return o, &OptionError{"family", fmt.Sprintf("%q is not one of %v", string(f), Families())}
		}
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
	switch {
	case o.MinPhases < 1 || o.MaxPhases < o.MinPhases:
		return o, &OptionError{"phases", fmt.Sprintf("%d to %d is not a range of orders", o.MinPhases, o.MaxPhases)}
	case o.MaxPhases > MaxPhases:
		return o, &OptionError{"phases", fmt.Sprintf("%d phases, at most %d are supported", o.MaxPhases, MaxPhases)}
	case o.Criterion != BIC && o.Criterion != AIC && o.Criterion != CV:
		return o, &OptionError{"criterion", fmt.Sprintf("%q is none of bic, aic and cv", string(o.Criterion))}
	case o.Folds < 0 || o.Folds == 1:
		return o, &OptionError{"folds", fmt.Sprintf("%d folds, at least 2 are needed", o.Folds)}
	case o.Method != Auto && o.Method != LBFGS && o.Method != EM:
		return o, &OptionError{"method", fmt.Sprintf("%q is neither lbfgs nor em", string(o.Method))}
	case o.MaxIter < 0:
		return o, &OptionError{"iterations", fmt.Sprintf("%d is negative", o.MaxIter)}
	case !(o.Tolerance >= 0) || math.IsInf(o.Tolerance, 1):
		return o, &OptionError{"tolerance", fmt.Sprintf("%v is not a nonnegative number", o.Tolerance)}
	}
	if o.Folds == 0 {
		o.Folds = 5
	}
	if o.Tolerance == 0 {
		o.Tolerance = 1e-10
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	return o, nil
}
