package modelfile

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile/internal/tree"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
)

// familyNames are the keys of a distribution.
var familyNames []string

// families holds the reader of each key. The error of a reader says why the distribution does not exist; the error is left out
// if the reader noted a mistake in the values.
var families = make(map[string]func(r *distributionReader, c *tree.Cursor) (phasetype.Dist, error))

// init fills the table. A declaration could not: mixtures, sums and scaled distributions are read by the table themselves.
func init() {
	for _, f := range []struct {
		name string
		read func(r *distributionReader, c *tree.Cursor) (phasetype.Dist, error)
	}{
		{"exponential", exponential}, {"erlang", erlang}, {"hyperexponential", hyperexponential}, {"coxian", coxian},
		{"moments", moments}, {"phase_type", phaseType}, {"mixture", mixture}, {"sum", sum}, {"scale", scale},
		{"fit", (*distributionReader).fit}, {"file", (*distributionReader).file},
	} {
		familyNames = append(familyNames, f.name)
		families[f.name] = f.read
	}
}

// distributionReader reads distributions. It remembers its fits, so that models that share measurements share the fit.
type distributionReader struct {
	fits  map[fitKey]fitted
	files map[string]bool
	again *resampling // not nil: what is fitted, is fitted to measurements drawn again
	// speedup is that of the jobs whose demand is read; nil: there is none to compare with.
	speedup workload.Speedup
}

// newDistributionReader returns a reader that has read nothing.
func newDistributionReader() *distributionReader {
	return &distributionReader{fits: make(map[fitKey]fitted), files: make(map[string]bool)}
}

// Files returns the files that were read for distributions, in the order of their paths.
func (r *distributionReader) Files() []string { return slices.Sorted(maps.Keys(r.files)) }

// Dist reads a distribution, with times in the unit of the cursor.
func (r *distributionReader) Dist(c *tree.Cursor) (d phasetype.Dist, ok bool) {
	if c.Kind != tree.Mapping {
		mean := "30"
		if _, err := measure.ParseTime(c.Value, measure.Second()); err == nil {
			mean = c.Value // which was probably meant so
		}
		c.Expected("a distribution", fmt.Sprintf("write one such as {exponential: {mean: %s}}", mean))
		return d, false
	}
	o, _ := c.Object(familyNames...)
	name, body, ok := o.OneOf(familyNames...)
	if !ok || !o.Valid() {
		return d, false
	}
	d, err := families[name](r, body)
	return d, accept(o, body, err)
}

// accept notes an error as fail does, unless a value of the mapping o is wrong already. It reports whether none is.
func accept(o *tree.Object, c *tree.Cursor, err error) bool {
	if o.Valid() && err != nil {
		fail(c, err)
	}
	return o.Valid()
}

// Positive reads a distribution of times that are never zero; what says whose times they are, such as "a job".
func (r *distributionReader) Positive(c *tree.Cursor, what string) (phasetype.Dist, bool) {
	d, ok := r.Dist(c)
	if ok && d.Atom() > 0 {
		c.Fail(fmt.Sprintf("is zero with probability %.12g", d.Atom()),
			what+" takes time; only repartitions and set-ups may take none")
		return d, false
	}
	return d, ok
}

// Demand reads the run times on one node of jobs with the speedup s. A fit to the work of a log uses s to convert run times to one
// node. Demand warns of a file of work that was fitted with another speedup.
func (r *distributionReader) Demand(c *tree.Cursor, s workload.Speedup) (phasetype.Dist, bool) {
	r.speedup = s
	defer func() { r.speedup = nil }()
	return r.Positive(c, "a job")
}

// fail notes an error of package phasetype at the element it concerns, as far as that is written below c.
func fail(c *tree.Cursor, err error) {
	var e *phasetype.Error
	if !errors.As(err, &e) {
		c.Fail(err.Error(), "")
		return
	}
	v := c.Lookup(e.Field)
	if v == nil {
		c.Fail(e.Where()+": "+e.Problem, "")
		return
	}
	c.Child(e.Field, v).FailAt(e.Problem, e.Row, e.Col)
}

func exponential(_ *distributionReader, c *tree.Cursor) (d phasetype.Dist, err error) {
	o, _ := c.Object("mean", "rate")
	switch name, _, _ := o.OneOf("mean", "rate"); name {
	case "mean":
		return phasetype.Erlang(1, o.Time("mean"))
	case "rate":
		return phasetype.Exponential(tree.Needed(o, "rate", "", tree.As((*tree.Cursor).PositiveRate, "a rate")))
	}
	return d, nil
}

func erlang(_ *distributionReader, c *tree.Cursor) (phasetype.Dist, error) {
	o, _ := c.Object("mean", "phases")
	mean := o.Time("mean")
	return phasetype.Erlang(tree.Needed(o, "phases", "say how many phases",
		tree.WholeAs("the number of phases", 1, phasetype.MaxPhases)), mean)
}

func hyperexponential(_ *distributionReader, c *tree.Cursor) (d phasetype.Dist, err error) {
	o, _ := c.Object("mean", "scv", "weights", "means")
	if !o.Has("weights") && !o.Has("means") {
		return phasetype.BalancedHyperexponential(o.Time("mean"), o.Number("scv", balancedSCV))
	}
	const remedy = "give either mean and scv, or weights and means"
	if !o.Excludes("cannot stand beside weights and means", remedy, "mean", "scv") {
		return d, nil
	}
	weights := o.Numbers("weights", "number", (*tree.Cursor).Nonnegative)
	means := o.Numbers("means", "time", (*tree.Cursor).PositiveTime)
	if o.Valid() {
		o.SameLength("means", len(means), "weights", len(weights))
	}
	return phasetype.Hyperexponential(weights, means)
}

// balancedSCV reads the squared coefficient of variation of a hyperexponential distribution.
func balancedSCV(c *tree.Cursor, what string) (float64, bool) {
	v, ok := c.Number(what)
	if ok && v < 1 {
		c.Fail(c.Got()+" is less than 1, the least of a hyperexponential",
			"use {moments: {mean: ..., scv: ...}} for less variable times")
	}
	return v, ok && v >= 1
}

func coxian(_ *distributionReader, c *tree.Cursor) (phasetype.Dist, error) {
	o, _ := c.Object("rates", "continue")
	rates := o.Numbers("rates", "rate", (*tree.Cursor).PositiveRate)
	return phasetype.Coxian(rates, tree.Needed(o, "continue", "give the probability of going on after each phase but the last",
		func(c *tree.Cursor) ([]float64, bool) {
			if c.Kind == tree.List && len(c.Items) == 0 { // a single phase has none
				return nil, true
			}
			return c.Numbers("probability", (*tree.Cursor).Probability)
		}))
}

func phaseType(_ *distributionReader, c *tree.Cursor) (phasetype.Dist, error) {
	o, _ := c.Object("alpha", "T", "exit")
	return distributionMatrices(o)
}

// distributionMatrices reads alpha and T, and exit if it is there.
func distributionMatrices(o *tree.Object) (phasetype.Dist, error) {
	alpha, t := o.Numbers("alpha", "probability", (*tree.Cursor).Nonnegative), o.Matrix("T")
	var exit []float64
	if o.Has("exit") {
		exit = o.Numbers("exit", "rate", (*tree.Cursor).Nonnegative)
	}
	if exit == nil {
		return phasetype.New(alpha, t)
	}
	return phasetype.FromRates(alpha, t, exit)
}

func scale(r *distributionReader, c *tree.Cursor) (phasetype.Dist, error) {
	o, _ := c.Object("by", "of")
	by := o.Number("by", (*tree.Cursor).Positive)
	return tree.Needed(o, "of", "name the distribution to scale", r.Dist).Scale(by)
}

// part is a distribution of a compound, with its weight in a mixture.
type part struct {
	weight float64
	dist   phasetype.Dist
}

func mixture(r *distributionReader, c *tree.Cursor) (d phasetype.Dist, err error) {
	weights, dists, ok := compound(c, "components {weight: ..., of: ...}", r.component)
	if !ok {
		return d, nil
	}
	d, err = phasetype.Mixture(weights, dists)
	if e := (*phasetype.Error)(nil); errors.As(err, &e) {
		err = errors.New("the weights " + e.Problem)
	}
	return d, err
}

// component reads an entry of a mixture.
func (r *distributionReader) component(c *tree.Cursor) (p part, ok bool) {
	o, _ := c.Object("name", "weight", "of")
	tree.Optional(o, "name", "", tree.TextAs("a name"))
	p.weight = o.Number("weight", (*tree.Cursor).Nonnegative)
	p.dist = tree.Needed(o, "of", "name the distribution of the component", r.Dist)
	return p, o.Valid()
}

func sum(r *distributionReader, c *tree.Cursor) (d phasetype.Dist, err error) {
	_, dists, ok := compound(c, "distributions", func(c *tree.Cursor) (part, bool) {
		d, ok := r.Dist(c)
		return part{1, d}, ok
	})
	if !ok {
		return d, nil
	}
	return phasetype.Sum(dists...)
}

// compound reads the parts of a mixture or a sum, and checks the number of phases of what is made of them.
func compound(c *tree.Cursor, what string, read func(*tree.Cursor) (part, bool)) (weights []float64, dists []phasetype.Dist, ok bool) {
	parts, ok := tree.ManyOf(c, what, read)
	phases := 0
	for _, p := range parts {
		weights, dists, phases = append(weights, p.weight), append(dists, p.dist), phases+p.dist.Phases()
	}
	if ok && phases > phasetype.MaxPhases {
		c.Fail(fmt.Sprintf("has %d phases, at most %d are supported", phases, phasetype.MaxPhases), "")
		return nil, nil, false
	}
	return weights, dists, ok
}
