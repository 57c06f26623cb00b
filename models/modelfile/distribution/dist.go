package distribution

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/partwise/partwise/models/modelfile/tree"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
)

// Families are the keys of a distribution.
var Families = []string{
	"exponential", "erlang", "hyperexponential", "coxian", "moments", "phase_type", "mixture", "sum", "scale",
	"fit", "file",
}

// Reader reads distributions. It remembers what it has fitted, so that models which share measurements share the fit.
type Reader struct {
	fits  map[fitKey]fitted
	files map[string]bool
	again *resampling // not nil: what is fitted, is fitted to measurements drawn again
	// speedup is that of the jobs whose demand is read; nil: there is none to compare with.
	speedup workload.Speedup
}

// NewReader returns a reader that has read nothing.
func NewReader() *Reader { return &Reader{fits: make(map[fitKey]fitted), files: make(map[string]bool)} }

// Files returns the files that were read for distributions, in the order of their paths.
func (r *Reader) Files() []string { return slices.Sorted(maps.Keys(r.files)) }

// Dist reads a distribution, with times in the unit of the cursor.
func (r *Reader) Dist(c *tree.Cursor) (d phasetype.Dist, ok bool) {
	if c.Kind != tree.Mapping {
		c.Expected("a distribution", "write one such as {exponential: {mean: 30}}")
		return d, false
	}
	o, _ := c.Object(Families...)
	name, body, ok := o.OneOf(Families...)
	if !ok || !o.Valid() {
		return d, false
	}
	switch name {
	case "exponential":
		return exponential(body)
	case "erlang":
		return erlang(body)
	case "hyperexponential":
		return hyperexponential(body)
	case "coxian":
		return coxian(body)
	case "moments":
		return moments(body)
	case "phase_type":
		return phaseType(body)
	case "mixture":
		return r.mixture(body)
	case "sum":
		return r.sum(body)
	case "scale":
		return r.scale(body)
	case "fit":
		return r.fit(body)
	}
	return r.file(body)
}

// Positive reads a distribution of times that are never zero; what says whose times they are, such as "a job".
func (r *Reader) Positive(c *tree.Cursor, what string) (phasetype.Dist, bool) {
	d, ok := r.Dist(c)
	if ok && d.Atom() > 0 {
		c.Fail(fmt.Sprintf("is zero with probability %.12g", d.Atom()),
			what+" takes time; only repartitions and set-ups may take none")
		return d, false
	}
	return d, ok
}

// Demand reads the run times on one node of jobs with the speedup s. Work that is to be fitted to a log is made by it, and
// a file of work that was fitted with another is warned of.
func (r *Reader) Demand(c *tree.Cursor, s workload.Speedup) (phasetype.Dist, bool) {
	r.speedup = s
	defer func() { r.speedup = nil }()
	return r.Positive(c, "a job")
}

// accept reports whether there is no error, and notes one as Fail does.
func accept(c *tree.Cursor, err error) bool {
	if err != nil {
		Fail(c, err)
	}
	return err == nil
}

// Fail notes an error of package phasetype at the element it concerns, as far as that is written below c.
func Fail(c *tree.Cursor, err error) {
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

func exponential(c *tree.Cursor) (d phasetype.Dist, ok bool) {
	o, ok := c.Object("mean", "rate")
	if !ok {
		return d, false
	}
	name, _, ok := o.OneOf("mean", "rate")
	if !ok {
		return d, false
	}
	if name == "rate" {
		rate := tree.Needed(o, "rate", "", tree.As((*tree.Cursor).PositiveRate, "a rate"))
		return made(o, func() (phasetype.Dist, error) { return phasetype.Exponential(rate) })
	}
	mean := o.Time("mean")
	return made(o, func() (phasetype.Dist, error) { return phasetype.Erlang(1, mean) })
}

// made returns what make does of the values of a mapping, if all of them could be read.
func made[T any](o *tree.Object, make func() (T, error)) (v T, ok bool) {
	if !o.Valid() {
		return v, false
	}
	v, err := make()
	return v, accept(o.Cursor, err)
}

func erlang(c *tree.Cursor) (d phasetype.Dist, ok bool) {
	o, ok := c.Object("mean", "phases")
	if !ok {
		return d, false
	}
	mean := o.Time("mean")
	phases := tree.Needed(o, "phases", "say how many phases", func(c *tree.Cursor) (int, bool) {
		return c.Whole("the number of phases", 1, phasetype.MaxPhases)
	})
	return made(o, func() (phasetype.Dist, error) { return phasetype.Erlang(phases, mean) })
}

func hyperexponential(c *tree.Cursor) (d phasetype.Dist, ok bool) {
	o, ok := c.Object("mean", "scv", "weights", "means")
	if !ok {
		return d, false
	}
	if o.Has("weights") || o.Has("means") {
		return weightedMeans(o)
	}
	mean := o.Time("mean")
	scv := o.Number("scv", func(c *tree.Cursor, what string) (float64, bool) {
		v, ok := c.Number(what)
		if ok && v < 1 {
			c.Fail(c.Got()+" is less than 1, the least of a hyperexponential",
				"use {moments: {mean: ..., scv: ...}} for less variable times")
		}
		return v, ok && v >= 1
	})
	return made(o, func() (phasetype.Dist, error) { return phasetype.BalancedHyperexponential(mean, scv) })
}

func weightedMeans(o *tree.Object) (d phasetype.Dist, ok bool) {
	const remedy = "give either mean and scv, or weights and means"
	if !o.Excludes("cannot stand beside weights and means", remedy, "mean", "scv") {
		return d, false
	}
	weights := o.Numbers("weights", "number", (*tree.Cursor).Nonnegative)
	means := o.Numbers("means", "time", (*tree.Cursor).PositiveTime)
	if !o.Valid() || !o.SameLength("means", len(means), "weights", len(weights)) {
		return d, false
	}
	return made(o, func() (phasetype.Dist, error) { return phasetype.Hyperexponential(weights, means) })
}

func coxian(c *tree.Cursor) (d phasetype.Dist, ok bool) {
	o, ok := c.Object("rates", "continue")
	if !ok {
		return d, false
	}
	rates := o.Numbers("rates", "rate", (*tree.Cursor).PositiveRate)
	goOn := tree.Needed(o, "continue", "give the probability of going on after each phase but the last",
		func(c *tree.Cursor) ([]float64, bool) {
			if c.Kind == tree.List && len(c.Items) == 0 { // a single phase has none
				return nil, true
			}
			return c.Numbers("probability", (*tree.Cursor).Probability)
		})
	return made(o, func() (phasetype.Dist, error) { return phasetype.Coxian(rates, goOn) })
}

func phaseType(c *tree.Cursor) (d phasetype.Dist, ok bool) {
	o, ok := c.Object("alpha", "T", "exit")
	if !ok {
		return d, false
	}
	return matrices(o)
}

// matrices reads alpha and T, and exit if it is there.
func matrices(o *tree.Object) (d phasetype.Dist, ok bool) {
	alpha := o.Numbers("alpha", "probability", (*tree.Cursor).Nonnegative)
	t := o.Matrix("T")
	var exit []float64
	if o.Has("exit") {
		exit = o.Numbers("exit", "rate", (*tree.Cursor).Nonnegative)
	}
	return made(o, func() (phasetype.Dist, error) { return phasetype.NewWithExit(alpha, t, exit) })
}

// part is a distribution of a compound, with its weight in a mixture.
type part struct {
	weight float64
	dist   phasetype.Dist
}

func (r *Reader) mixture(c *tree.Cursor) (d phasetype.Dist, ok bool) {
	weights, dists, ok := compound(c, "components {weight: ..., of: ...}", r.component)
	if !ok {
		return d, false
	}
	d, err := phasetype.Mixture(weights, dists)
	if e := (*phasetype.Error)(nil); errors.As(err, &e) {
		c.Fail("the weights "+e.Problem, "")
		return d, false
	}
	return d, accept(c, err)
}

// component reads an entry of a mixture.
func (r *Reader) component(c *tree.Cursor) (p part, ok bool) {
	o, ok := c.Object("name", "weight", "of")
	if !ok {
		return p, false
	}
	tree.Optional(o, "name", "", func(c *tree.Cursor) (string, bool) { return c.Text("a name") })
	p.weight = o.Number("weight", (*tree.Cursor).Nonnegative)
	p.dist = tree.Needed(o, "of", "name the distribution of the component", r.Dist)
	return p, o.Valid()
}

func (r *Reader) sum(c *tree.Cursor) (d phasetype.Dist, ok bool) {
	_, dists, ok := compound(c, "distributions", func(c *tree.Cursor) (part, bool) {
		d, ok := r.Dist(c)
		return part{1, d}, ok
	})
	if !ok {
		return d, false
	}
	d, err := phasetype.Sum(dists...)
	return d, accept(c, err)
}

// compound reads the parts of a mixture or a sum, and checks the number of phases of what is made of them.
func compound(c *tree.Cursor, what string, read func(*tree.Cursor) (part, bool)) (weights []float64, dists []phasetype.Dist, ok bool) {
	if _, ok := c.NonEmpty(what); !ok {
		return nil, nil, false
	}
	parts, ok := tree.ListOf(c, what, read)
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

func (r *Reader) scale(c *tree.Cursor) (d phasetype.Dist, ok bool) {
	o, ok := c.Object("by", "of")
	if !ok {
		return d, false
	}
	by := o.Number("by", (*tree.Cursor).Positive)
	d = tree.Needed(o, "of", "name the distribution to scale", r.Dist)
	return made(o, func() (phasetype.Dist, error) { return d.Scale(by) })
}
