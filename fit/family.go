package fit

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/partwise/partwise/phasetype"
)

// Entry is an entry of the table of families. [Options].Own adds entries of the caller to the entries of the package.
type Entry struct {
	Name Family
	// MinPhases and MaxPhases are the smallest and the largest order of the family. Fit is called once for each of these
	// orders that lies within the orders of [Options]. If both are 0, the family chooses its order by the data: Fit is
	// called once, with the largest order of Options, and returns a distribution of at most that order.
	MinPhases, MaxPhases int
	// Parameters returns the number of free parameters of a fitted distribution; nil stands for
	// [phasetype.Dist.NumParameters].
	Parameters func(d phasetype.Dist) int
	// Fit returns the distribution of the family that fits s best, and whether the fit converged. The distribution is
	// in the unit of s and has no atom at zero. Fit must not change s. If s has no resolution, s contains zeros that
	// the likelihood leaves out. Calls of Fit never overlap. An error ends [PhaseType] with a *[CandidateError]. An
	// error that wraps [ErrNotApplicable] only leaves the candidate out; then all other candidates have a warning.
	Fit func(ctx context.Context, s Sample, phases int) (d phasetype.Dist, converged bool, err error)

	of func(f *families) orderedFits // replaces Fit for families of this package
}

// orderedFits are the fits of one family to one sample.
type orderedFits interface {
	// each calls done with the solutions of the orders from least to most, in ascending order.
	each(ctx context.Context, least, most int, done func(solution) error) error
}

// solution is a fitted distribution before it becomes a candidate.
type solution struct {
	phases     int
	parameters int // number of free parameters
	dist       phasetype.Dist
	mean       float64 // log-likelihood per unit of weight, in the unit of the data; see [problem.score]
	iterations int
	converged  bool
}

// table returns the families of this package, sorted by name, each with the function that selects its fits from the
// fits of all families. A new family of the package is one more entry.
func table() []Entry {
	return []Entry{
		{Name: CF1, of: func(f *families) orderedFits { return f.cf1 }},
		{Name: Coxian, of: func(f *families) orderedFits { return coxian{f.cf1} }},
		{Name: General, of: func(f *families) orderedFits { return f.general }},
		{Name: HyperErlang, of: func(f *families) orderedFits { return f.hyperErlang }},
		{Name: Hyperexponential, of: func(f *families) orderedFits { return f.hyperexponential }},
	}
}

// Families returns the names of the families that this package can fit by [PhaseType], in alphabetical order. Entries
// of [Options].Own are not among them.
func Families() []Family {
	var names []Family
	for _, e := range table() {
		names = append(names, e.Name)
	}
	return names
}

// entries returns the requested families without repetitions. The families of the package come first, in the order of
// Families; the families of the caller, Own, follow. The error is an *[OptionError] for an unknown name in Families, or
// the error of [Entry.check] for an entry of Own.
func (o Options) entries() ([]Entry, error) {
	all := table()
	var chosen []Entry
	for at, name := range o.Families {
		if slices.Contains(o.Families[:at], name) {
			continue
		}
		i := slices.IndexFunc(all, func(e Entry) bool { return e.Name == name })
		if i < 0 {
			return nil, &OptionError{"family", fmt.Sprintf("%q is not one of %v", string(name), Families())}
		}
		chosen = append(chosen, all[i])
	}
	for _, e := range o.Own {
		if err := e.check(all); err != nil {
			return nil, err
		}
		e.of = func(f *families) orderedFits { return ownFamily{e, f} }
		chosen, all = append(chosen, e), append(all, e)
	}
	return chosen, nil
}

// check returns an *[OptionError] for the first fault of an entry of the caller, or nil. The faults are: no name, the
// name of an entry in others, no function Fit, and phases that are not a range between 1 and the constant MaxPhases.
// Phases 0 to 0 are right: then the data decide the order.
func (e Entry) check(others []Entry) error {
	fail := func(format string, args ...any) error {
		return &OptionError{"own family", fmt.Sprintf("%q ", string(e.Name)) + fmt.Sprintf(format, args...)}
	}
	switch {
	case e.Name == "":
		return fail("is not a name")
	case slices.ContainsFunc(others, func(o Entry) bool { return o.Name == e.Name }):
		return fail("is the name of another family")
	case e.Fit == nil:
		return fail("has no function Fit")
	case !e.choosesOrder() && (e.MinPhases < 1 || e.MaxPhases < e.MinPhases || e.MaxPhases > MaxPhases):
		return fail("has %d to %d phases; give a range between 1 and %d, or 0 and 0 if the data decide",
			e.MinPhases, e.MaxPhases, MaxPhases)
	}
	return nil
}

// choosesOrder reports whether Fit of the entry chooses the number of phases by the data: MinPhases and MaxPhases are
// 0. It is false for the families of the package, which have no Fit.
func (e Entry) choosesOrder() bool { return e.Fit != nil && e.MinPhases == 0 && e.MaxPhases == 0 }

// ownFamily is the family of an entry with Fit. Candidates that do not apply to the data are added to leftOut of
// families.
type ownFamily struct {
	Entry
	families *families
}

// each fits the family of the caller at its orders from least to most that lie between MinPhases and MaxPhases. It goes
// up the orders, and calls done with each fit. A family that chooses its order is fitted once, with at most most
// phases; it may have fewer. Two kinds of fits are left out and added to leftOut of families: a fit that returns
// [ErrNotApplicable], and a fit of any other family with fewer phases than asked for.
//
// The error is a *[CandidateError] if Fit fails or returns a wrong fit: no phases, too many phases, an atom at 0, or a
// negative number of parameters. Otherwise the error comes from done or ctx.
func (e ownFamily) each(ctx context.Context, least, most int, done func(solution) error) error {
	if e.choosesOrder() {
		least = most
	} else {
		least, most = max(e.MinPhases, least), min(e.MaxPhases, most)
	}
	for m := least; m <= most; m++ {
		d, converged, err := e.Fit(ctx, e.families.problem.sample, m)
		s := solution{phases: d.Phases(), parameters: d.NumParameters(), dist: d, converged: converged}
		if err == nil && e.Parameters != nil {
			s.parameters = e.Parameters(d)
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
		case s.phases == 0 || s.phases > m:
			err = fmt.Errorf("the distribution of Fit has %s, but must have 1 to %d", phasesOf(s.phases), m)
		case s.phases < m && !e.choosesOrder():
			err = fmt.Errorf("the distribution of Fit has %s: %w", phasesOf(s.phases), ErrNotApplicable)
		case d.Atom() > 0:
			err = fmt.Errorf("the distribution of Fit is 0 with probability %g", d.Atom())
		case s.parameters < 0:
			err = fmt.Errorf("the number of free parameters is %d", s.parameters)
		}
		switch {
		case errors.Is(err, ErrNotApplicable):
			e.families.leftOut = append(e.families.leftOut, &CandidateError{e.Name, m, err})
			continue
		case err != nil:
			return &CandidateError{e.Name, m, err}
		}
		s.mean = e.families.problem.score(ctx, d)
		if err := done(s); err != nil {
			return err
		}
	}
	return nil
}
