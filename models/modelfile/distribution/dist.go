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
	name, v, ok := o.OneOf("mean", "rate")
	if !ok || !o.Valid() {
		return d, false
	}
	if name == "rate" {
		rate, ok := v.PositiveRate("a rate")
		if !ok {
			return d, false
		}
		d, err := phasetype.Exponential(rate)
		return d, accept(c, err)
	}
	mean, ok := v.PositiveTime("a time")
	if !ok {
		return d, false
	}
	d, err := phasetype.Erlang(1, mean)
	return d, accept(c, err)
}

func erlang(c *tree.Cursor) (d phasetype.Dist, ok bool) {
	o, ok := c.Object("mean", "phases")
	if !ok {
		return d, false
	}
	mean, okMean := o.NeedTime("mean")
	phases, okPhases := 0, false
	if v, ok := o.Need("phases", "say how many phases"); ok {
		phases, okPhases = v.Whole("the number of phases", 1, phasetype.MaxPhases)
	}
	if !okMean || !okPhases || !o.Valid() {
		return d, false
	}
	d, err := phasetype.Erlang(phases, mean)
	return d, accept(c, err)
}

func hyperexponential(c *tree.Cursor) (d phasetype.Dist, ok bool) {
	o, ok := c.Object("mean", "scv", "weights", "means")
	if !ok {
		return d, false
	}
	if o.Has("weights") || o.Has("means") {
		return weightedMeans(o)
	}
	mean, okMean := o.NeedTime("mean")
	scv, okSCV := o.NeedNumber("scv", (*tree.Cursor).Number)
	if okSCV && scv < 1 {
		v, _ := o.Field("scv")
		v.Fail(v.Got()+" is less than 1, the least of a hyperexponential",
			"use {moments: {mean: ..., scv: ...}} for less variable times")
		return d, false
	}
	if !okMean || !okSCV || !o.Valid() {
		return d, false
	}
	d, err := phasetype.BalancedHyperexponential(mean, scv)
	return d, accept(c, err)
}

func weightedMeans(o *tree.Object) (d phasetype.Dist, ok bool) {
	const remedy = "give either mean and scv, or weights and means"
	if !o.Excludes("cannot stand beside weights and means", remedy, "mean", "scv") {
		return d, false
	}
	weights, okWeights := o.NeedNumbers("weights", "number", (*tree.Cursor).Nonnegative)
	means, okMeans := o.NeedNumbers("means", "time", (*tree.Cursor).PositiveTime)
	if !okWeights || !okMeans || !o.Valid() || !o.SameLength("means", len(means), "weights", len(weights)) {
		return d, false
	}
	d, err := phasetype.Hyperexponential(weights, means)
	return d, accept(o.Cursor, err)
}

func coxian(c *tree.Cursor) (d phasetype.Dist, ok bool) {
	o, ok := c.Object("rates", "continue")
	if !ok {
		return d, false
	}
	rates, okRates := o.NeedNumbers("rates", "rate", (*tree.Cursor).PositiveRate)
	cont, okCont := []float64(nil), true
	if v, ok := o.Need("continue", "give the probability of going on after each phase but the last"); !ok {
		okCont = false
	} else if v.Kind != tree.List || len(v.Items) > 0 { // a single phase has none
		cont, okCont = v.Numbers("probability", (*tree.Cursor).Probability)
	}
	if !okRates || !okCont || !o.Valid() {
		return d, false
	}
	d, err := phasetype.Coxian(rates, cont)
	return d, accept(c, err)
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
	alpha, okAlpha := o.NeedNumbers("alpha", "probability", (*tree.Cursor).Nonnegative)
	t, okT := o.NeedMatrix("T")
	exit, okExit := []float64(nil), true
	if o.Has("exit") {
		exit, okExit = o.NeedNumbers("exit", "rate", (*tree.Cursor).Nonnegative)
	}
	if !okAlpha || !okT || !okExit || !o.Valid() {
		return d, false
	}
	d, err := phasetype.NewWithExit(alpha, t, exit)
	return d, accept(o.Cursor, err)
}

func (r *Reader) mixture(c *tree.Cursor) (d phasetype.Dist, ok bool) {
	items, ok := c.NonEmpty("components {weight: ..., of: ...}")
	if !ok {
		return d, false
	}
	weights := make([]float64, len(items))
	parts := make([]phasetype.Dist, len(items))
	for i, item := range items {
		w, d, fine := r.component(item)
		weights[i], parts[i], ok = w, d, ok && fine
	}
	if !ok || !supported(c, parts) {
		return d, false
	}
	d, err := phasetype.Mixture(weights, parts)
	if e := (*phasetype.Error)(nil); errors.As(err, &e) {
		c.Fail("the weights "+e.Problem, "")
		return d, false
	}
	return d, accept(c, err)
}

// component reads an entry of a mixture.
func (r *Reader) component(c *tree.Cursor) (weight float64, d phasetype.Dist, ok bool) {
	o, ok := c.Object("name", "weight", "of")
	if !ok {
		return 0, d, false
	}
	if v, named := o.Field("name"); named {
		_, ok = v.Text("a name")
	}
	weight, okWeight := o.NeedNumber("weight", (*tree.Cursor).Nonnegative)
	v, okOf := o.Need("of", "name the distribution of the component")
	if okOf {
		d, okOf = r.Dist(v)
	}
	return weight, d, ok && okWeight && okOf && o.Valid()
}

// supported checks the number of phases of a compound before it is made.
func supported(c *tree.Cursor, parts []phasetype.Dist) bool {
	phases := 0
	for _, d := range parts {
		phases += d.Phases()
	}
	if phases > phasetype.MaxPhases {
		c.Fail(fmt.Sprintf("has %d phases, at most %d are supported", phases, phasetype.MaxPhases), "")
		return false
	}
	return true
}

func (r *Reader) sum(c *tree.Cursor) (d phasetype.Dist, ok bool) {
	items, ok := c.NonEmpty("distributions")
	if !ok {
		return d, false
	}
	parts := make([]phasetype.Dist, len(items))
	for i, item := range items {
		d, fine := r.Dist(item)
		parts[i], ok = d, ok && fine
	}
	if !ok || !supported(c, parts) {
		return d, false
	}
	d, err := phasetype.Sum(parts...)
	return d, accept(c, err)
}

func (r *Reader) scale(c *tree.Cursor) (d phasetype.Dist, ok bool) {
	o, ok := c.Object("by", "of")
	if !ok {
		return d, false
	}
	by, okBy := o.NeedNumber("by", (*tree.Cursor).Positive)
	v, okOf := o.Need("of", "name the distribution to scale")
	if !okOf {
		return d, false
	}
	d, okOf = r.Dist(v)
	if !okBy || !okOf || !o.Valid() {
		return d, false
	}
	d, err := d.Scale(by)
	return d, accept(c, err)
}
