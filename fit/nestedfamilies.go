package fit

import (
	"context"
	"errors"
	"math"

	"github.com/partwise/partwise/phasetype"
)

// families holds the families of this package as they are fitted to one sample. A family contains others, whose fits are
// among its starts:
//
//	hyperexponential ⊂ hyper-Erlang ⊂ canonical form 1 = Coxian ⊂ general.
//
// Each family is fitted only once at each order.
type families struct {
	problem                       *problem
	hyperexponential, hyperErlang *nested[mixture]
	cf1                           *nested[cf1Point]
	general                       *nested[dense]

	leftOut []error // a *CandidateError for each candidate of an [Entry] that does not apply to the data
}

// families returns the families of the package that contain one another, without fits: hyperexponential, hyper-Erlang,
// canonical form 1 and general phase-type. A family is fitted when its orders are needed. Its fits also start from the
// fits of the families that it contains. ctx is the context of all later fits.
func (p *problem) families(ctx context.Context) *families {
	f := &families{problem: p}
	mixtures := p.mixtureFit(ctx)
	f.hyperexponential = mixtures.hyperexponential(ctx)
	f.hyperErlang = mixtures.hyperErlang(ctx, f.hyperexponential)
	f.cf1 = p.canonicalForm(ctx, f.hyperexponential, f.hyperErlang)
	f.general = p.general(ctx, f.cf1)
	return f
}

// nested is a family whose orders contain all lower orders. Its methods are for one goroutine.
type nested[P any] struct {
	name    Family
	problem *problem
	// fit fits distributions of m phases. below is the fit with one phase less. contained holds the fits with m phases of
	// the families that this family contains.
	fit       func(m int, below P, contained []P) (reached[P], error)
	contained func(m int) ([]containedFit[P], error) // nil stands for none
	// unsurpassed reports that no distribution of any order of the family is likelier than the given distribution; nil
	// stands for never. Then the orders above need no fit.
	unsurpassed func(P) bool
	wider       func(P) P // the same distribution written with one more phase
	dist        func(P) (phasetype.Dist, error)
	parameters  func(P) int

	found []scored[P] // by order, from 1
}

// scored is a fit with its distribution and the mean log-likelihood of the data.
type scored[P any] struct {
	reached[P]
	dist  phasetype.Dist
	score float64 // −Inf if err
	start P       // from which the search of the order above starts; see [nested.next]
	err   error   // if the distribution cannot be represented
	final bool    // it is the fit of the order below, and the fit of all orders above
}

// containedFit is a fit of another family or order as a point of a family that contains it. The score is the score of
// the fit in its own form, from which the score of the point differs by rounding.
type containedFit[P any] struct {
	reached[P]
	score float64
}

// order returns the fit with m phases. Fits with fewer phases are made first, and all are stored in n.found. Neither
// one more phase nor a larger family can be worse. If the fit with one phase less, or a fit of a family that is
// contained, is likelier, it is the result. The error is a *[CandidateError], or comes from ctx.
func (n *nested[P]) order(ctx context.Context, m int) (scored[P], error) {
	for len(n.found) < m {
		if err := n.next(ctx); err != nil {
			return scored[P]{}, err
		}
	}
	s := n.found[m-1]
	if s.err != nil {
		return s, &CandidateError{n.name, m, s.err}
	}
	return s, nil
}

// next fits the lowest order that has no fit yet, and appends the fit to n.found. If no distribution of the family is
// likelier than the fit of the order below, it is this fit with one more phase. Otherwise the search starts from the
// fit of the order below and fits of the families that are contained. The likeliest of the result and of these starts
// is appended. The error comes from a fit or from ctx. If a distribution cannot be represented, only the appended fit
// has the error.
//
// The search of the order above starts from the appended fit, or from the result of this search if both are equally
// likely up to sameScore. A fit of the order below, with one more phase that has no weight, is a worse start: no step
// of EM gives weight to a branch without weight.
func (n *nested[P]) next(ctx context.Context) error {
	m := len(n.found) + 1
	var below scored[P]
	if m > 1 {
		below = n.found[m-2]
		if below.final || n.unsurpassed != nil && n.unsurpassed(below.at) {
			n.found = append(n.found, n.repeated(below))
			return ctx.Err()
		}
	}
	var contained []containedFit[P]
	if n.contained != nil {
		var err error
		if contained, err = n.contained(m); err != nil {
			return err
		}
	}
	points := make([]P, len(contained))
	for i, c := range contained {
		points[i] = c.at
	}
	fitted, err := n.fit(m, below.start, points)
	if err != nil {
		return err
	}
	own := n.scored(ctx, fitted)
	best := own
	if m > 1 {
		contained = append(contained, containedFit[P]{n.widened(below), below.score})
	}
	for _, c := range contained {
		if !(c.score > best.score) {
			continue
		}
		if other := n.scored(ctx, c.reached); other.score > best.score {
			best = other
		}
	}
	best.start = best.at
	if best.score-own.score <= sameScore {
		best.start = own.at
	}
	n.found = append(n.found, best)
	return ctx.Err()
}

// repeated returns the fit of an order, which no distribution of the family surpasses, as the fit of the order above: the
// same distribution, written with one more phase. It keeps the score, from which the score of the other form differs by
// rounding.
func (n *nested[P]) repeated(below scored[P]) scored[P] {
	s := scored[P]{reached: n.widened(below), score: below.score, final: true}
	s.start = s.at
	if s.dist, s.err = n.dist(s.at); s.err != nil {
		s.score = math.Inf(-1)
	}
	return s
}

// sameScore is the difference of mean log-likelihoods up to which two fits are equally likely: which of them is likelier
// depends on where their ascents ended.
const sameScore = 1e-9

// widened returns the point of a fit written with one more phase: the distribution, the steps and the convergence are
// the same.
func (n *nested[P]) widened(s scored[P]) reached[P] {
	r := s.reached
	r.at = n.wider(s.at)
	return r
}

// scored returns a fit with its distribution and its score, the mean log-likelihood of the data. Fits of different
// orders and families are compared by it. If the parameters are no distribution in floating-point numbers, the score is
// −Inf, and the fit holds the error. If ctx ends, the score is meaningless; [nested.next] returns the error of ctx.
func (n *nested[P]) scored(ctx context.Context, r reached[P]) scored[P] {
	s := scored[P]{reached: r, score: math.Inf(-1)}
	if s.dist, s.err = n.dist(r.at); s.err == nil {
		s.score = n.problem.score(ctx, s.dist)
	}
	return s
}

// each calls done with the fits of the orders from least to most, in ascending order. It stops at the first error: a
// *[CandidateError], the error of done, or the error of ctx.
func (n *nested[P]) each(ctx context.Context, least, most int, done func(solution) error) error {
	for m := least; m <= most; m++ {
		s, err := n.order(ctx, m)
		if err != nil {
			return err
		}
		mean := s.score
		if s.final { // the score of another form
			mean = n.problem.score(ctx, s.dist)
		}
		err = done(solution{m, n.parameters(s.at), s.dist, mean, s.steps, s.converged})
		if err != nil {
			return err
		}
	}
	return nil
}

// pointsOf returns the fits with m phases of the given families, which are contained in another family, as starting
// points of the other family. point turns a fit into such a point. The points have the steps and the convergence of the
// fits, but no mean log-likelihood, and come with the scores of the fits. Fits with up to m phases that were not made
// before are made. A fit that failed, or that cannot be represented, is left out. The error comes from ctx.
func pointsOf[P, Q any](
	ctx context.Context, m int, point func(scored[Q]) (P, error), contained ...*nested[Q],
) ([]containedFit[P], error) {
	var out []containedFit[P]
	for _, n := range contained {
		s, err := n.order(ctx, m)
		if lost := new(CandidateError); errors.As(err, &lost) {
			continue
		}
		if err != nil {
			return nil, err
		}
		at, err := point(s)
		if err != nil {
			continue
		}
		out = append(out, containedFit[P]{reached[P]{at: at, steps: s.steps, converged: s.converged}, s.score})
	}
	return out, nil
}
