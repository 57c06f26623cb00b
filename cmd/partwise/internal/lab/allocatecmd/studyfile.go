package allocatecmd

import (
	_ "embed"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
)

// studyKeys are the keys of a study file of allocation.
var studyKeys = []string{"version", "title", "nodes", "days", "load", "strategies", "parameter", "draw", "optimum",
	"jobs", "speedup", "sizes"}

//go:embed allocation.schema.json
var schema []byte

// StudySchema returns the JSON Schema of study files, for editors.
func StudySchema() []byte { return slices.Clone(schema) }

// IsStudy reports whether the text of the file name is a study of allocation, by its keys: models and other studies have
// none of them. A text that cannot be read is not a study.
func IsStudy(name string, data []byte) bool {
	study := false
	_ = modelfile.Read(name, data, func(root *modelfile.Cursor) {
		study = slices.ContainsFunc([]string{"strategies", "speedup", "sizes"}, func(key string) bool { return root.Lookup(key) != nil })
	})
	return study
}

// LoadStudy reads the study file path; its policies are those of the table. The error is [modelfile.Errors] if the file has
// mistakes, and an error of the operating system if the file cannot be read.
func LoadStudy(path string, table policy.Table) (*Study, error) {
	data, err := modelfile.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return ParseStudy(path, data, table)
}

// ParseStudy reads a study from the text of the file name, as [LoadStudy] does.
func ParseStudy(name string, data []byte, table policy.Table) (*Study, error) {
	s := NewStudy(table)
	s.File, s.Title = name, strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
	err := modelfile.Read(name, data, func(root *modelfile.Cursor) {
		if o, ok := root.Object(studyKeys...); ok {
			o.Head(&s.Title)
			(&fileReader{s}).read(o)
		}
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// fileReader reads the parts of a study file into a study.
type fileReader struct{ *Study }

func (r *fileReader) read(o *modelfile.Object) {
	if c, ok := o.Field("nodes"); ok {
		r.Nodes, _ = c.Whole("a number of nodes", 1, maxNodes)
	}
	if c, ok := o.Field("days"); ok {
		r.Days, _ = c.Whole("a number of days", 1, MostDays)
	}
	if c, ok := o.Field("load"); ok {
		r.Loads, _ = c.OneOrMany("load", (*modelfile.Cursor).Load)
	}
	if c, ok := o.Field("parameter"); ok {
		r.parameter(c)
	}
	if c, ok := o.Field("jobs"); ok {
		r.jobs(c)
	}
	if c, ok := o.Field("draw"); ok {
		r.draw(c)
	}
	r.curves(o)
	if r.Speedup != nil {
		return
	}
	if c, ok := o.Need("strategies", "list what to compare, strategies: [sev, avg, asp]"); ok {
		r.strategies(c)
	}
	if c, ok := o.Field("optimum"); ok {
		r.Optimum, _ = c.Word("a measure", measure.OfJobs()...)
		if r.Parameter == nil {
			c.Fail("there is no parameter whose best value could be looked for", "add parameter: {values: [...]}")
		}
	}
}

func (r *fileReader) parameter(c *modelfile.Cursor) {
	o, ok := c.Object("name", "values")
	if !ok {
		return
	}
	p := &Parameter{Name: "parameter"}
	if at, ok := o.Field("name"); ok {
		p.Name, _ = at.Text("a name")
	}
	if at, ok := o.Need("values", "list the values, values: {from: 0, to: 1, step: 0.1}"); ok {
		if p.Values, ok = at.OneOrMany("number", (*modelfile.Cursor).Nonnegative); ok {
			r.Parameter = p
		}
	}
}

func (r *fileReader) draw(c *modelfile.Cursor) {
	items, _ := c.NonEmpty("measures")
	for _, item := range items {
		if name, ok := item.Word("a measure", measure.OfJobs()...); ok {
			r.Measures = append(r.Measures, name)
		}
	}
}

func (r *fileReader) strategies(c *modelfile.Cursor) {
	items, _ := c.NonEmpty("policies")
	names := map[string]bool{}
	for _, item := range items {
		s, at, ok := readStrategy(item)
		if !ok || !r.means(s, at) {
			continue
		}
		if names[s.Name] {
			at.Fail(fmt.Sprintf("there is already a policy %q", s.Name), "give each a name of its own")
			continue
		}
		names[s.Name] = true
		r.Strategies = append(r.Strategies, s)
	}
}

// readStrategy reads a policy as text, or with a name of its own, and returns where its text stands.
func readStrategy(c *modelfile.Cursor) (s Strategy, at *modelfile.Cursor, ok bool) {
	if c.Kind != modelfile.Mapping {
		s.Text, ok = c.Text("a policy such as sev or avg:stubborn")
		s.Name = s.Text
		return s, c, ok
	}
	o, _ := c.Object("name", "strategy")
	v, ok := o.Need("strategy", "name it, such as strategy: avg:stubborn")
	if !ok || !o.Valid() {
		return s, c, false
	}
	if s.Text, ok = v.Text("a policy such as sev or avg:stubborn"); !ok {
		return s, c, false
	}
	s.Name = s.Text
	if n, there := o.Field("name"); there {
		s.Name, ok = n.Text("a name")
	}
	return s, v, ok
}

// means checks that the text is a policy, with whatever stands in place of its *.
func (r *fileReader) means(s Strategy, at *modelfile.Cursor) bool {
	texts := []string{s.Text}
	switch varied := strings.Contains(s.Text, "*"); {
	case varied && r.Parameter == nil:
		at.Fail("there is nothing to stand in place of *", "add parameter: {values: [...]}")
		return false
	case varied:
		texts = nil
		for _, v := range r.Parameter.Values {
			texts = append(texts, s.With(v))
		}
	}
	for _, text := range texts {
		if err := r.checkPolicy(text); err != nil {
			at.Fail(err.Error(), "")
			return false
		}
	}
	return true
}

// checkPolicy returns what is wrong with the text of a policy.
func (r *fileReader) checkPolicy(text string) error {
	p, err := r.Table.Parse(text)
	var unknown *policy.UnknownError
	switch {
	case errors.As(err, &unknown):
		name, _, _ := strings.Cut(text, ":")
		return fmt.Errorf("unknown policy %q; %s", name, modelfile.Suggest(name, r.Table.Names()))
	case err != nil:
		return err
	}
	if r.Sizes != nil {
		switch p.(type) {
		case policy.Molding, policy.Fraction:
		default:
			return fmt.Errorf("%s does not choose the sizes of jobs", text)
		}
	}
	if r.Nodes < 1 { // which is a mistake of its own
		return nil
	}
	return p.Check(policy.Machine{Nodes: r.Nodes, Unit: 1})
}

func (r *fileReader) jobs(c *modelfile.Cursor) {
	o, ok := c.Object("lifetimes", "parallelism", "sigma", "length")
	if !ok {
		return
	}
	if at, ok := o.Field("lifetimes"); ok {
		r.Jobs.Lifetimes = uniformLog(at, (*modelfile.Cursor).PositiveTime)
	}
	if at, ok := o.Field("parallelism"); ok {
		r.Jobs.Parallelism = uniformLog(at, readParallelism)
	}
	if at, ok := o.Field("sigma"); ok {
		if p, ok := at.Object("min", "max"); ok {
			low, high := p.Number("min", (*modelfile.Cursor).Nonnegative), p.Number("max", (*modelfile.Cursor).Nonnegative)
			if p.Valid() && low > high {
				at.Fail("max is less than min", "")
			}
			r.Jobs.Sigma = &[2]float64{low, high}
		}
	}
	if at, ok := o.Field("length"); ok {
		r.Jobs.Length, _ = at.PositiveTime("a time")
	}
}

// readParallelism reads an average parallelism.
func readParallelism(c *modelfile.Cursor, what string) (float64, bool) {
	v, ok := c.Number(what)
	if ok && v < 1 {
		c.Fail(c.Got()+" is less than 1", "")
		return 0, false
	}
	return v, ok
}

// uniformLog reads {min, max} or, of several stages, {ends: [...], weights: [...]}.
func uniformLog(c *modelfile.Cursor, read func(*modelfile.Cursor, string) (float64, bool)) *UniformLog {
	o, ok := c.Object("min", "max", "ends", "weights")
	if !ok || !o.Valid() {
		return nil
	}
	var ends []float64
	weights := []float64{1}
	if o.Has("ends") {
		ends = o.Numbers("ends", "number", read)
		weights = modelfile.Needed(o, "weights", "give the share of each stage, weights: [0.6, 0.4]", func(c *modelfile.Cursor) ([]float64, bool) {
			return c.Numbers("number", (*modelfile.Cursor).Positive)
		})
	} else {
		ends = []float64{o.Number("min", read), o.Number("max", read)}
	}
	if !o.Valid() {
		return nil
	}
	u, err := NewUniformLogStages(ends, weights)
	if err != nil {
		failStages(o, err)
		return nil
	}
	return &u
}

// failStages notes why there is no such distribution at the field that is wrong.
func failStages(o *modelfile.Object, err error) {
	if wrong := (*workload.ParameterError)(nil); errors.As(err, &wrong) {
		o.FailField(wrong.Parameter, wrong.Problem, "")
		return
	}
	o.Fail(err.Error(), "")
}

// curves reads what is drawn without a simulation.
func (r *fileReader) curves(o *modelfile.Object) {
	if c, ok := o.Field("speedup"); ok {
		r.Speedup = curvesOfParallelism(c)
	}
	if c, ok := o.Field("sizes"); ok {
		if r.Sizes = curvesOfParallelism(c); o.Has("speedup") {
			c.Fail("cannot stand beside \"speedup\"", "make a study of its own of it")
		}
	}
}

func curvesOfParallelism(c *modelfile.Cursor) *ParallelismCurves {
	o, ok := c.Object("A", "sigma")
	if !ok {
		return nil
	}
	p := &ParallelismCurves{A: o.Number("A", readParallelism)}
	p.Sigma = modelfile.Needed(o, "sigma", "list the values, sigma: {from: 0, to: 2, step: 0.1}", func(c *modelfile.Cursor) ([]float64, bool) {
		return c.OneOrMany("number", (*modelfile.Cursor).Nonnegative)
	})
	if !o.Valid() {
		return nil
	}
	return p
}
