package modelfile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/partwise/partwise/fit"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile/internal/tree"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/phasetype"
)

// fit reads a distribution that is to be fitted to measurements, and fits it. Without a number of phases the best of
// one to ten by the Bayesian criterion is taken.
func (r *distributionReader) fit(c *tree.Cursor) (d phasetype.Dist, err error) {
	c.Keys("file", "column", "weights", "censored", "swf", "sizes", "unit", "family", "phases", "resolution", "nodes", "on_nodes")
	columns := columnsOf(c)
	if columns.Log == "" && c.Has("sizes") {
		c.FailField("sizes", "only the jobs of a log have sizes", "add swf: work")
	}
	unit := sampleUnit(c, columns.Log)
	if columns.Log != "" {
		const problem, remedy = "belongs to a table", "a log says itself on how many nodes its jobs ran: use swf: work"
		c.Excludes(problem, remedy, "nodes", "on_nodes")
	}
	if r.speedup == nil {
		c.Excludes("makes run times on one node, which only the demand of jobs is", "leave it out", "nodes", "on_nodes")
	}
	if columns.Nodes != "" {
		c.Excludes(`cannot stand beside "nodes"`,
			"give the nodes once, and leave resolution to times of one number of nodes", "on_nodes", "resolution")
	}
	key := fitKey{columns: columns, phases: c.Field("phases").Whole(1, fit.MaxPhases),
		family:     tree.Word(c.Field("family"), "a family", fit.Families()...),
		resolution: c.Field("resolution").In(unit).NonnegativeTime()}
	v := c.Need("file", "name the table of measurements")
	if !c.Valid() {
		return d, nil
	}
	if columns.Log == workload.Work || columns.Nodes != "" || columns.OnNodes > 0 {
		key.speedup = workload.SpeedupText(r.speedup)
	}
	key.path = v.FilePath("the name of a file")
	if !v.Valid() {
		return d, nil
	}
	r.files[key.path] = true
	found := r.fitted(v, key, c)
	if !c.Valid() {
		return d, nil
	}
	for _, w := range found.warnings {
		c.Warn("%s", w)
	}
	return found.Dist.Scale(unit.Convert(1, c.Unit()))
}

// fitted returns the fit of a key, which is made once. The node names the table of measurements, and of is the mapping that
// has the options.
func (r *distributionReader) fitted(c *tree.Cursor, key fitKey, of *tree.Cursor) (found fitted) {
	if found, ok := r.fits[key]; ok {
		return found
	}
	var err error
	if r.again != nil {
		found, err = r.again.refit(key)
	} else {
		found, err = best(c, key)
	}
	if err != nil {
		failFit(of, err)
	}
	if of.Valid() {
		r.fits[key] = found
	}
	return found
}

// fitKey is what a fit depends on.
type fitKey struct {
	path       string
	columns    workload.Columns // but for the speedup, since not all speedups can be compared
	speedup    string           // of the jobs, as [workload.ParseSpeedup] reads it; "": the fit does not depend on it
	family     fit.Family       // "": any
	phases     int              // 0: any number
	resolution float64          // of a rounded clock
}

// reading returns which values to take, with the speedup of the jobs.
func (k *fitKey) reading() (workload.Columns, error) {
	columns := k.columns
	if k.speedup == "" {
		return columns, nil
	}
	var err error
	columns.Speedup, err = workload.ParseSpeedup(k.speedup)
	return columns, err
}

// fitted is the outcome of a fit, in the unit of its table.
type fitted struct {
	fit.Candidate
	warnings []string
	values   fit.Sample // what it was fitted to
}

// best reads the table of the key, which the node names, and fits it.
func best(c *tree.Cursor, key fitKey) (fitted, error) {
	columns, err := key.reading()
	if err != nil {
		return fitted{}, err
	}
	samples, warnings := samplesOf(c, key.path, columns)
	if !c.Valid() {
		return fitted{}, nil
	}
	// Reading a file takes no context: its fits are of a few phases, and take a fraction of a second.
	values := fit.Sample{
		Values: samples.Values, Weights: samples.Weights, Censored: samples.Censored, Resolution: key.resolution * columns.OneNodeFactor(),
	}
	if key.resolution == 0 {
		values.Resolution = secondsOfGaps(columns.Log, values.Values, 1)
	}
	o := fit.Options{MinPhases: key.phases, MaxPhases: key.phases}
	if key.family != "" {
		o.Families = []fit.Family{key.family}
	}
	found, err := fit.PhaseType(context.Background(), values, o)
	if err != nil {
		return fitted{}, err
	}
	warnings = append(warnings, words.Texts(found[0].Warnings, error.Error)...)
	return fitted{found[0], warnings, values}, nil
}

// columnsOf reads which values to take from the table.
func columnsOf(c *tree.Cursor) workload.Columns {
	return workload.Columns{
		Value:    columnName(c.Field("column")),
		Weight:   columnName(c.Field("weights")),
		Censored: columnName(c.Field("censored")),
		Nodes:    columnName(c.Field("nodes")),
		OnNodes:  c.Field("on_nodes").Whole(1, maxNodeCount),
		Log:      tree.Word(c.Field("swf"), "a quantity", workload.Interarrival, workload.RunTime, workload.Work),
		Sizes:    sizes(c.Field("sizes")),
	}
}

// sizes reads the nodes of the jobs of a log that are taken, such as 2:64 or 8.
func sizes(c *tree.Cursor) (s joblog.Sizes) {
	if c.Kind != tree.Text && c.Kind != tree.Number {
		c.Expected("numbers of nodes such as 2:64", "")
		return s
	}
	s, err := joblog.ParseSizes(c.Value)
	if err != nil {
		c.Fail(err.Error(), "for example 2:64")
	}
	return s
}

// mostColumns bounds the number of a column; no table comes near.
const mostColumns = 1_000_000

// columnName reads the name of a column or its number from 1.
func columnName(c *tree.Cursor) string {
	if c.Kind == tree.Number {
		c.Whole(1, mostColumns)
		return c.Value
	}
	return c.Text("the name of a column")
}

// sampleUnit reads the unit of the measurements; logs are in seconds, others in the unit of the model unless they say.
func sampleUnit(c *tree.Cursor, log workload.Quantity) measure.TimeUnit {
	usual := c.Unit()
	if log != "" {
		usual = measure.Second()
	}
	return cmp.Or(c.Field("unit").TimeUnit(), usual)
}

// samplesOf reads the table of measurements at path, which the node names.
func samplesOf(c *tree.Cursor, path string, columns workload.Columns) (s workload.Samples, warnings []string) {
	f, err := os.Open(path)
	if err != nil {
		c.FailFile(path, err)
		return s, nil
	}
	defer f.Close()
	if s, err = workload.ReadSamples(f, path, columns); err != nil {
		failData(c, err)
	}
	for _, problem := range slices.Sorted(maps.Keys(s.Skipped)) {
		left := words.Count(s.Skipped[problem], "value")
		warnings = append(warnings, fmt.Sprintf("%s: %s left out: %s", path, left, problem))
	}
	return s, warnings
}

// failData notes a mistake in a table, at its row.
func failData(c *tree.Cursor, err error) {
	var e *workload.DataError
	if !errors.As(err, &e) {
		c.Failf("%v", err)
		return
	}
	if e.Row == 0 && !c.Errs().Concealed(e.File) {
		c.Failf("%v", e)
		return
	}
	at := &tree.Error{File: e.File, Line: e.Row, Problem: e.Problem}
	if e.Column != "" {
		at.Path = "column " + e.Column
	}
	if e.Column != "" && !strings.Contains(e.Problem, "; ") {
		at.Remedy = "correct the row; partwise fit with --skip-invalid leaves out such rows"
	}
	c.Errs().Add(at)
}

// failFit notes why a fit is not possible.
func failFit(c *tree.Cursor, err error) {
	var option *fit.OptionError
	var sample *fit.SampleError
	switch {
	case errors.As(err, &option) && c.Has(option.Option):
		c.FailField(option.Option, option.Problem, "")
	case errors.As(err, &option):
		c.Failf("%s: %s", option.Option, option.Problem)
	case errors.As(err, &sample):
		c.FailField("file", "cannot be fitted: "+sample.Problem, "")
	default:
		c.Failf("%v", err)
	}
}
