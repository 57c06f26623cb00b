package modelfile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/partwise/partwise/fit"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile/internal/tree"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/phasetype"
)

// fit reads a distribution that is to be fitted to measurements, and fits it. Without a number of phases the best of
// one to ten by the Bayesian criterion is taken.
func (r *distributionReader) fit(c *tree.Cursor) (d phasetype.Dist, err error) {
	o, _ := c.Object("file", "column", "weights", "censored", "swf", "sizes", "unit", "family", "phases", "resolution")
	columns := columnsOf(o)
	if columns.Log == workload.Work {
		columns.Speedup = r.speedup
	}
	if columns.Log == "" && o.Has("sizes") {
		o.FailField("sizes", "only the jobs of a log have sizes", "add swf: work")
	}
	options, unit := fitOptions(o), sampleUnit(o, columns.Log)
	resolution := tree.Optional(o, "resolution", 0, func(c *tree.Cursor) (float64, bool) {
		return c.In(unit).NonnegativeTime("a time") // of a rounded clock
	})
	v, ok := o.Need("file", "name the table of measurements")
	if !ok || !o.Valid() {
		return d, nil
	}
	path, ok := v.FilePath("the name of a file")
	if !ok {
		return d, nil
	}
	r.files[path] = true
	found, ok := r.fitted(v, fitKey{path, columns, fmt.Sprint(options.Families), options.MaxPhases, resolution}, options, o)
	if !ok {
		return d, nil
	}
	for _, w := range found.warnings {
		c.Warn("%s", w)
	}
	return found.dist.Scale(unit.Convert(1, c.Unit()))
}

// fitted returns the fit of a key, which is made once. The node names the table of measurements.
func (r *distributionReader) fitted(c *tree.Cursor, key fitKey, options fit.Options, o *tree.Object) (found fitted, ok bool) {
	if found, ok = r.fits[key]; ok {
		return found, true
	}
	if r.again != nil {
		found, ok = r.again.refit(key, o)
	} else {
		found, ok = best(c, key, options, o)
	}
	if ok {
		r.fits[key] = found
	}
	return found, ok
}

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
	values   fit.Sample // what it was fitted to
	family   fit.Family
	phases   int
}

// best reads the table of the key, which the node names, and fits it.
func best(c *tree.Cursor, key fitKey, options fit.Options, o *tree.Object) (fitted, bool) {
	samples, warnings, ok := samplesOf(c, key.path, key.columns)
	if !ok {
		return fitted{}, false
	}
	// Reading a file takes no context: its fits are of a few phases, and take a fraction of a second.
	values := fit.Sample{
		Values: samples.Values, Weights: samples.Weights, Censored: samples.Censored, Resolution: key.resolution,
	}
	found, err := fit.PhaseType(context.Background(), values, options)
	if err != nil {
		failFit(o, err)
		return fitted{}, false
	}
	warnings = append(warnings, tree.Texts(found[0].Warnings, error.Error)...)
	return fitted{found[0].Dist, warnings, values, found[0].Family, found[0].Phases}, true
}

// columnsOf reads which values to take from the table.
func columnsOf(o *tree.Object) workload.Columns {
	return workload.Columns{
		Value:    tree.Optional(o, "column", "", columnName),
		Weight:   tree.Optional(o, "weights", "", columnName),
		Censored: tree.Optional(o, "censored", "", columnName),
		Log:      tree.Optional(o, "swf", "", tree.WordAs("a quantity", workload.Interarrival, workload.RunTime, workload.Work)),
		Sizes:    tree.Optional(o, "sizes", joblog.Sizes{}, sizes),
	}
}

// sizes reads the nodes of the jobs of a log that are taken, such as 2:64 or 8.
func sizes(c *tree.Cursor) (s joblog.Sizes, ok bool) {
	if c.Kind != tree.Text && c.Kind != tree.Number {
		c.Expected("numbers of nodes such as 2:64", "")
		return s, false
	}
	s, err := joblog.ParseSizes(c.Value)
	if err != nil {
		c.Fail(err.Error(), "for example 2:64")
	}
	return s, err == nil
}

// mostColumns bounds the number of a column; no table comes near.
const mostColumns = 1_000_000

// columnName reads the name of a column or its number from 1.
func columnName(c *tree.Cursor) (string, bool) {
	if c.Kind == tree.Number {
		_, ok := c.Whole("the number of a column", 1, mostColumns)
		return c.Value, ok
	}
	return c.Text("the name of a column")
}

func fitOptions(o *tree.Object) (f fit.Options) {
	if o.Has("family") {
		f.Families = []fit.Family{tree.Needed(o, "family", "", tree.WordAs("a family", fit.Families()...))}
	}
	f.MinPhases = tree.Optional(o, "phases", 0, tree.WholeAs("the number of phases", 1, fit.MaxPhases))
	f.MaxPhases = f.MinPhases
	return f
}

// sampleUnit reads the unit of the measurements; logs are in seconds, others in the unit of the model unless they say.
func sampleUnit(o *tree.Object, log workload.Quantity) measure.TimeUnit {
	usual := o.Unit()
	if log != "" {
		usual = measure.Second()
	}
	return cmp.Or(tree.Optional(o, "unit", usual, (*tree.Cursor).TimeUnit), usual) // other times are read for their mistakes, too
}

// samplesOf reads the table of measurements at path, which the node names.
func samplesOf(c *tree.Cursor, path string, columns workload.Columns) (s workload.Samples, warnings []string, ok bool) {
	f, err := os.Open(path)
	if err != nil {
		c.FailFile(path, err)
		return s, nil, false
	}
	defer f.Close()
	s, err = workload.ReadSamples(f, path, columns)
	if err != nil {
		failData(c, err)
		return s, nil, false
	}
	for _, problem := range slices.Sorted(maps.Keys(s.Skipped)) {
		left := tree.Count(s.Skipped[problem], "value", "values")
		warnings = append(warnings, fmt.Sprintf("%s: %s left out: %s", path, left, problem))
	}
	return s, warnings, true
}

// failData notes a mistake in a table, at its row.
func failData(c *tree.Cursor, err error) {
	var e *workload.DataError
	if !errors.As(err, &e) {
		c.Fail(err.Error(), "")
		return
	}
	if e.Row == 0 && !c.Errs().Concealed(e.File) {
		c.Fail(e.Error(), "")
		return
	}
	at := &tree.Error{File: e.File, Line: e.Row, Problem: e.Problem}
	if e.Column != "" {
		at.Path = "column " + e.Column
	}
	c.Errs().Add(at)
}

// failFit notes why a fit is not possible.
func failFit(o *tree.Object, err error) {
	var option *fit.OptionError
	var sample *fit.SampleError
	switch {
	case errors.As(err, &option) && o.Has(option.Option):
		o.FailField(option.Option, option.Problem, "")
	case errors.As(err, &option):
		o.Fail(fmt.Sprintf("%s: %s", option.Option, option.Problem), "")
	case errors.As(err, &sample):
		o.FailField("file", "cannot be fitted: "+sample.Problem, "")
	default:
		o.Fail(err.Error(), "")
	}
}
