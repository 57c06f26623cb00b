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
	o.Part("nodes", func(c *modelfile.Cursor) { r.Nodes, _ = c.Whole("a number of nodes", 1, maxNodes) })
	o.Part("days", func(c *modelfile.Cursor) { r.Days, _ = c.Whole("a number of days", 1, MostDays) })
	o.Part("load", func(c *modelfile.Cursor) { r.Loads, _ = c.OneOrMany("load", (*modelfile.Cursor).Load) })
	o.Part("parameter", r.parameter)
	o.Part("jobs", r.jobs)
	o.Part("draw", func(c *modelfile.Cursor) {
		items, _ := c.NonEmpty("measures")
		for _, item := range items {
			name, _ := item.Word("a measure", measure.OfJobs()...)
			r.Measures = append(r.Measures, name)
		}
	})
	o.Part("speedup", func(c *modelfile.Cursor) { r.Speedup = curvesOfParallelism(c) })
	o.Part("sizes", func(c *modelfile.Cursor) {
		if r.Sizes = curvesOfParallelism(c); o.Has("speedup") {
			c.Fail("cannot stand beside \"speedup\"", "make a study of its own of it")
		}
	})
	if r.Speedup != nil {
		return
	}
	if c, ok := o.Need("strategies", "list what to compare, strategies: [sev, avg, asp]"); ok {
		r.strategies(c)
	}
	o.Part("optimum", func(c *modelfile.Cursor) {
		r.Optimum, _ = c.Word("a measure", measure.OfJobs()...)
		if r.Parameter == nil {
			c.Fail("there is no parameter whose best value could be looked for", "add parameter: {values: [...]}")
		}
	})
}

func (r *fileReader) parameter(c *modelfile.Cursor) {
	o, ok := c.Object("name", "values")
	if !ok {
		return
	}
	p := &Parameter{Name: "parameter"}
	o.Part("name", func(c *modelfile.Cursor) { p.Name, _ = c.Text("a name") })
	p.Values = modelfile.Needed(o, "values", "list the values, values: {from: 0, to: 1, step: 0.1}", readNumbers)
	if o.Valid() {
		r.Parameter = p
	}
}

// readNumbers reads a number that is not negative, a range or a list of them.
func readNumbers(c *modelfile.Cursor) ([]float64, bool) {
	return c.OneOrMany("number", (*modelfile.Cursor).Nonnegative)
}

func (r *fileReader) strategies(c *modelfile.Cursor) {
	items, _ := c.NonEmpty("policies")
	for _, item := range items {
		s, at, ok := readStrategy(item)
		switch {
		case !ok || !r.means(s, at):
		case slices.ContainsFunc(r.Strategies, func(other Strategy) bool { return other.Name == s.Name }):
			at.Fail(fmt.Sprintf("there is already a policy %q", s.Name), "give each a name of its own")
		default:
			r.Strategies = append(r.Strategies, s)
		}
	}
}

// readStrategy reads a policy as text, or with a name of its own, and returns where its text stands.
func readStrategy(c *modelfile.Cursor) (s Strategy, at *modelfile.Cursor, ok bool) {
	at, ok = c, true
	var o *modelfile.Object
	if c.Kind == modelfile.Mapping {
		o, _ = c.Object("name", "strategy")
		if at, ok = o.Need("strategy", "name it, such as strategy: avg:stubborn"); !ok || !o.Valid() {
			return s, c, false
		}
	}
	s.Text, ok = at.Text("a policy such as sev or avg:stubborn")
	if s.Name = s.Text; ok && o != nil {
		o.Part("name", func(c *modelfile.Cursor) { s.Name, ok = c.Text("a name") })
	}
	return s, at, ok
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
	o.Part("lifetimes", func(c *modelfile.Cursor) { r.Jobs.Lifetimes = uniformLog(c, (*modelfile.Cursor).PositiveTime) })
	o.Part("parallelism", func(c *modelfile.Cursor) { r.Jobs.Parallelism = uniformLog(c, readParallelism) })
	o.Part("sigma", func(c *modelfile.Cursor) {
		if p, ok := c.Object("min", "max"); ok {
			r.Jobs.SigmaMin, r.Jobs.SigmaMax = p.Number("min", (*modelfile.Cursor).Nonnegative), p.Number("max", (*modelfile.Cursor).Nonnegative)
			if p.Valid() && r.Jobs.SigmaMin > r.Jobs.SigmaMax {
				c.Fail("max is less than min", "")
			}
		}
	})
	o.Part("length", func(c *modelfile.Cursor) { r.Jobs.Length, _ = c.PositiveTime("a time") })
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
func uniformLog(c *modelfile.Cursor, read func(*modelfile.Cursor, string) (float64, bool)) (u UniformLog) {
	o, ok := c.Object("min", "max", "ends", "weights")
	if !ok || !o.Valid() {
		return u
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
		return u
	}
	u, err := NewUniformLogStages(ends, weights)
	if wrong := (*workload.ParameterError)(nil); errors.As(err, &wrong) {
		o.FailField(wrong.Parameter, wrong.Problem, "")
	}
	return u
}

func curvesOfParallelism(c *modelfile.Cursor) *ParallelismCurves {
	o, ok := c.Object("A", "sigma")
	if !ok {
		return nil
	}
	p := &ParallelismCurves{A: o.Number("A", readParallelism)}
	p.Sigma = modelfile.Needed(o, "sigma", "list the values, sigma: {from: 0, to: 2, step: 0.1}", readNumbers)
	if !o.Valid() {
		return nil
	}
	return p
}
