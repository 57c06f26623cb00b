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
var familyNames = []string{"exponential", "erlang", "hyperexponential", "coxian", "moments", "phase_type", "mixture", "sum",
	"scale", "fit", "file"}

// family reads the distribution of a key. The error says why the distribution does not exist. It is noted unless a mistake in the
// values has been noted.
func (r *distributionReader) family(name string, c *tree.Cursor) (d phasetype.Dist, err error) {
	switch name {
	case "exponential":
		return exponential(c)
	case "erlang":
		return erlang(c)
	case "hyperexponential":
		return hyperexponential(c)
	case "coxian":
		return coxian(c)
	case "moments":
		return moments(c)
	case "phase_type":
		c.Keys("alpha", "T", "exit")
		return distributionMatrices(c)
	case "mixture":
		return r.mixture(c)
	case "sum":
		return r.sum(c)
	case "scale":
		return r.scale(c)
	case "fit":
		return r.fit(c)
	}
	return r.file(c)
}

// distributionReader reads distributions. It remembers its fits, so that models that share measurements share the fit.
type distributionReader struct {
	fits  map[fitKey]fitted
	files map[string]bool
	again *resampling // not nil: what is fitted, is fitted to measurements drawn again
	// speedup is that of the jobs whose demand is read; nil: there is none to compare with.
	speedup workload.Speedup
	// oneNode says that every job has one node, so that the run times of jobs are those on one node.
	oneNode bool
}

// newDistributionReader returns a reader that has read nothing.
func newDistributionReader() *distributionReader {
	return &distributionReader{fits: make(map[fitKey]fitted), files: make(map[string]bool)}
}

// Files returns the files that were read for distributions, in the order of their paths.
func (r *distributionReader) Files() []string { return slices.Sorted(maps.Keys(r.files)) }

// Dist reads a distribution, with times in the unit of the cursor.
func (r *distributionReader) Dist(c *tree.Cursor) (d phasetype.Dist) {
	if c.Kind != tree.Mapping {
		mean := "30"
		if _, err := measure.ParseTime(c.Value, measure.Second()); err == nil {
			mean = c.Value // which was probably meant so
		}
		c.Expected("a distribution", fmt.Sprintf("write one such as {exponential: {mean: %s}}", mean))
		return d
	}
	c.Keys(familyNames...)
	name, body := c.OneOf(familyNames...)
	if !c.Valid() {
		return d
	}
	d, err := r.family(name, body)
	fail(body, err)
	return d
}

// Positive reads a distribution of times that are never zero; what says whose times they are, such as "a job".
func (r *distributionReader) Positive(c *tree.Cursor, what string) phasetype.Dist {
	d := r.Dist(c)
	if c.Valid() && d.Atom() > 0 {
		c.Fail(fmt.Sprintf("is zero with probability %.12g", d.Atom()),
			what+" takes time; only repartitions and set-ups may take none")
	}
	return d
}

// Demand reads the run times on one node of jobs with the speedup s. A fit to the work of a log uses s to convert run times to one
// node. Demand warns of a file of work that was fitted with another speedup.
func (r *distributionReader) Demand(c *tree.Cursor, s workload.Speedup) phasetype.Dist {
	r.speedup = s
	defer func() { r.speedup = nil }()
	return r.Positive(c, "a job")
}

// fail notes an error of package phasetype, if there is one, at the element it concerns, as far as that is written below c. It
// notes nothing if a value below c is wrong already.
func fail(c *tree.Cursor, err error) {
	if err == nil || !c.Valid() {
		return
	}
	var e *phasetype.Error
	if !errors.As(err, &e) {
		c.Failf("%v", err)
		return
	}
	v := c.Lookup(e.Field)
	if v == nil {
		c.Failf("%s: %s", e.Where(), e.Problem)
		return
	}
	c.Child(e.Field, v).FailAt(e.Problem, e.Row, e.Col)
}

func exponential(c *tree.Cursor) (phasetype.Dist, error) {
	c.Keys("mean", "rate")
	name, v := c.OneOf("mean", "rate")
	if name == "rate" {
		d, err := phasetype.Exponential(v.PositiveRate())
		return d, atRate(err)
	}
	return phasetype.Erlang(1, v.PositiveTime())
}

func erlang(c *tree.Cursor) (phasetype.Dist, error) {
	c.Keys("mean", "phases")
	return phasetype.Erlang(c.Need("phases", "say how many phases").Whole(1, phasetype.MaxPhases), c.Need("mean", "").PositiveTime())
}

func hyperexponential(c *tree.Cursor) (d phasetype.Dist, err error) {
	c.Keys("mean", "scv", "weights", "means")
	if !c.Has("weights") && !c.Has("means") {
		mean, v := c.Need("mean", "say how long the times are on average, such as mean: 30").PositiveTime(),
			c.Need("scv", "say how variable the times are: 1 is exponential, such as scv: 4")
		scv := v.Number()
		if scv < 1 && v.Valid() {
			v.Fail(v.Got()+" is less than 1, the least of a hyperexponential",
				"use {moments: {mean: ..., scv: ...}} for less variable times")
		}
		return phasetype.BalancedHyperexponential(mean, scv)
	}
	const remedy = "give either mean and scv, or weights and means"
	if !c.Excludes("cannot stand beside weights and means", remedy, "mean", "scv") {
		return d, nil
	}
	weights := c.Need("weights", "").Numbers("numbers", (*tree.Cursor).Nonnegative)
	means := c.Need("means", "").Numbers("times", (*tree.Cursor).PositiveTime)
	c.SameLength("means", len(means), "weights", len(weights))
	return phasetype.Hyperexponential(weights, means)
}

func coxian(c *tree.Cursor) (phasetype.Dist, error) {
	c.Keys("rates", "continue")
	rates := c.Need("rates", "").Numbers("rates", (*tree.Cursor).PositiveRate)
	goingOn := c.Need("continue", "give the probability of going on after each phase but the last")
	// A single phase has none.
	return phasetype.Coxian(rates, tree.Each(goingOn.Sequence("probabilities"), (*tree.Cursor).Probability))
}

// distributionMatrices reads alpha and T, and exit if it is there.
func distributionMatrices(c *tree.Cursor) (phasetype.Dist, error) {
	alpha, t := c.Need("alpha", "").Numbers("probabilities", (*tree.Cursor).Nonnegative), c.Need("T", "").Matrix()
	exit := c.Field("exit").Numbers("rates", (*tree.Cursor).Nonnegative)
	if exit == nil {
		return phasetype.New(alpha, t)
	}
	return phasetype.FromRates(alpha, t, exit)
}

func (r *distributionReader) scale(c *tree.Cursor) (phasetype.Dist, error) {
	c.Keys("by", "of")
	by := c.Need("by", "").Positive()
	return r.Dist(c.Need("of", "name the distribution to scale")).Scale(by)
}

func (r *distributionReader) mixture(c *tree.Cursor) (d phasetype.Dist, err error) {
	var weights []float64
	dists := compound(c, "components {weight: ..., of: ...}", func(c *tree.Cursor) phasetype.Dist {
		c.Keys("name", "weight", "of")
		c.Field("name").Text("a name")
		weights = append(weights, c.Need("weight", "").Nonnegative())
		return r.Dist(c.Need("of", "name the distribution of the component"))
	})
	if !c.Valid() {
		return d, nil
	}
	d, err = phasetype.Mixture(weights, dists)
	if e := (*phasetype.Error)(nil); errors.As(err, &e) {
		err = errors.New("the weights " + e.Problem)
	}
	return d, err
}

func (r *distributionReader) sum(c *tree.Cursor) (d phasetype.Dist, err error) {
	dists := compound(c, "distributions", r.Dist)
	if c.Valid() {
		return phasetype.Sum(dists...)
	}
	return d, nil
}

// compound reads the parts of a mixture or a sum, and checks the number of phases of what is made of them.
func compound(c *tree.Cursor, what string, read func(*tree.Cursor) phasetype.Dist) []phasetype.Dist {
	dists := tree.Each(c.NonEmpty(what), read)
	phases := 0
	for _, d := range dists {
		phases += d.Phases()
	}
	if phases > phasetype.MaxPhases && c.Valid() {
		c.Failf("has %d phases, at most %d are supported", phases, phasetype.MaxPhases)
	}
	return dists
}
