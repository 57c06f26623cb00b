package spec

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sort"

	"github.com/partwise/partwise/fit"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
)

// fit reads a distribution that is to be fitted to measurements, and fits it. Without a number of phases the best of
// one to ten by the Bayesian criterion is taken.
func (c *cursor) fit() (phasetype.Dist, bool) {
	o, ok := c.object("file", "column", "weights", "censored", "swf", "unit", "family", "phases", "resolution")
	if !ok {
		return phasetype.Dist{}, false
	}
	columns, okColumns := o.columns()
	options, okOptions := o.fitOptions()
	unit, okUnit := o.sampleUnit(columns.Log)
	resolution, okResolution := o.resolution(unit)
	v, okFile := o.need("file", "name the table of measurements")
	if !okColumns || !okOptions || !okUnit || !okResolution || !okFile || !o.ok {
		return phasetype.Dist{}, false
	}
	path, ok := v.filePath("the name of a file")
	if !ok {
		return phasetype.Dist{}, false
	}
	key := fitKey{path, columns, fmt.Sprint(options.Families), options.MaxPhases, resolution}
	c.d.known.files[path] = true
	best, ok := c.d.known.fits[key]
	if !ok {
		if best, ok = v.best(key, options, &o); !ok {
			return phasetype.Dist{}, false
		}
		c.d.known.fits[key] = best
	}
	for _, w := range best.warnings {
		c.warn("%s", w)
	}
	return c.made(best.dist.Scale(unit.Convert(1, c.d.unit)))
}

// known is what the models of a study share: the fits made so far, and the files that were read for distributions.
type known struct {
	fits  map[fitKey]fitted
	files map[string]bool
}

func newKnown() *known { return &known{fits: make(map[fitKey]fitted), files: make(map[string]bool)} }

// fitKey is what a fit depends on.
type fitKey struct {
	path       string
	columns    workload.Columns
	families   string
	phases     int
	resolution float64
}

// fitted is the outcome of a fit, in the unit of its table.
type fitted struct {
	dist     phasetype.Dist
	warnings []string
}

// best reads the table of the key, which the node names, and fits it.
func (c *cursor) best(key fitKey, options fit.Options, o *object) (fitted, bool) {
	samples, warnings, ok := c.samples(key.path, key.columns)
	if !ok {
		return fitted{}, false
	}
	found, err := fit.PhaseType(context.Background(), fit.Sample{
		Values: samples.Values, Weights: samples.Weights, Censored: samples.Censored, Resolution: key.resolution,
	}, options)
	if err != nil {
		o.unfitted(err)
		return fitted{}, false
	}
	for _, w := range found[0].Warnings {
		warnings = append(warnings, w.Error())
	}
	return fitted{found[0].Dist, warnings}, true
}

// columns reads which values to take from the table.
func (o *object) columns() (c workload.Columns, ok bool) {
	ok = true
	for key, name := range map[string]*string{"column": &c.Value, "weights": &c.Weight, "censored": &c.Censored} {
		if v, there := o.field(key); there {
			var fine bool
			*name, fine = v.columnName()
			ok = ok && fine
		}
	}
	if v, there := o.field("swf"); there {
		q, fine := v.word("a quantity", string(workload.Interarrival), string(workload.RunTime), string(workload.Work))
		c.Log, ok = workload.Quantity(q), ok && fine
	}
	return c, ok
}

// columnName reads the name of a column or its number from 1.
func (c *cursor) columnName() (string, bool) {
	if c.kind == number {
		_, ok := c.whole("the number of a column", 1, maxNodeCount)
		return c.value, ok
	}
	return c.text("the name of a column")
}

func (o *object) fitOptions() (f fit.Options, ok bool) {
	ok = true
	if v, there := o.field("family"); there {
		var names []string
		for _, name := range fit.Families() {
			names = append(names, string(name))
		}
		name, fine := v.word("a family", names...)
		f.Families, ok = []fit.Family{fit.Family(name)}, fine
	}
	if v, there := o.field("phases"); there {
		n, fine := v.whole("the number of phases", 1, fit.MaxPhases)
		f.MinPhases, f.MaxPhases, ok = n, n, ok && fine
	}
	return f, ok
}

// sampleUnit reads the unit of the measurements; logs are in seconds, others in the unit of the model unless they say.
func (o *object) sampleUnit(log workload.Quantity) (TimeUnit, bool) {
	if v, ok := o.field("unit"); ok {
		return v.timeUnit()
	}
	if log != "" {
		return Second, true
	}
	return o.d.unit, true
}

// resolution reads the rounding of the clock, in the unit of the measurements.
func (o *object) resolution(unit TimeUnit) (float64, bool) {
	v, ok := o.field("resolution")
	if !ok {
		return 0, true
	}
	own := o.d.unit
	o.d.unit = unit
	defer func() { o.d.unit = own }()
	return v.nonnegativeTime("a time")
}

// samples reads the table of measurements at path, which the node names.
func (c *cursor) samples(path string, columns workload.Columns) (s workload.Samples, warnings []string, ok bool) {
	f, err := os.Open(path)
	if err != nil {
		c.fail(unreadable(path, err), "")
		return s, nil, false
	}
	defer f.Close()
	s, err = workload.ReadSamples(f, path, columns)
	if err != nil {
		c.badData(err)
		return s, nil, false
	}
	problems := make([]string, 0, len(s.Skipped))
	for problem := range s.Skipped {
		problems = append(problems, problem)
	}
	sort.Strings(problems)
	for _, problem := range problems {
		left := count(s.Skipped[problem], "value", "values")
		warnings = append(warnings, fmt.Sprintf("%s: %s left out: %s", path, left, problem))
	}
	return s, warnings, true
}

// badData notes a mistake in a table, at its row.
func (c *cursor) badData(err error) {
	var e *workload.DataError
	if !errors.As(err, &e) {
		c.fail(err.Error(), "")
		return
	}
	if e.Row == 0 {
		c.fail(e.Error(), "")
		return
	}
	at := &Error{File: e.File, Line: e.Row, Problem: e.Problem}
	if e.Column != "" {
		at.Path = "column " + e.Column
	}
	c.d.errs.add(at)
}

// unfitted notes why a fit is not possible.
func (o *object) unfitted(err error) {
	var option *fit.OptionError
	var sample *fit.SampleError
	switch {
	case errors.As(err, &option):
		if at, ok := o.field(option.Option); ok {
			at.fail(option.Problem, "")
			return
		}
		o.fail(fmt.Sprintf("%s: %s", option.Option, option.Problem), "")
	case errors.As(err, &sample):
		at, _ := o.field("file")
		at.fail("cannot be fitted: "+sample.Problem, "")
	default:
		o.fail(err.Error(), "")
	}
}
