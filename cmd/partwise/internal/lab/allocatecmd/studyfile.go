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
		root.Keys(studyKeys...)
		root.Head(&s.Title)
		if root.Kind == modelfile.Mapping {
			(&fileReader{s}).read(root)
		}
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// fileReader reads the parts of a study file into a study.
type fileReader struct{ *Study }

func (r *fileReader) read(c *modelfile.Cursor) {
	if v := c.Field("nodes"); v.There() {
		r.Nodes = v.Whole(1, maxNodes)
	}
	if v := c.Field("days"); v.There() {
		r.Days = v.Whole(1, MostDays)
	}
	if v := c.Field("load"); v.There() {
		r.Loads = v.OneOrMany("load", (*modelfile.Cursor).Load)
	}
	if v := c.Field("parameter"); v.There() {
		r.parameter(v)
	}
	r.jobs(c.Field("jobs"))
	for _, item := range c.Field("draw").NonEmpty("measures") {
		r.Measures = append(r.Measures, modelfile.Word(item, "a measure", measure.OfJobs()...))
	}
	r.Speedup = curvesOfParallelism(c.Field("speedup"))
	sizes := c.Field("sizes")
	if r.Sizes = curvesOfParallelism(sizes); c.Has("speedup") {
		sizes.Fail("cannot stand beside \"speedup\"", "make a study of its own of it")
	}
	if r.Speedup != nil {
		return
	}
	r.strategies(c.Need("strategies", "list what to compare, strategies: [sev, avg, asp]"))
	v := c.Field("optimum")
	if r.Optimum = modelfile.Word(v, "a measure", measure.OfJobs()...); r.Parameter == nil {
		v.Fail("there is no parameter whose best value could be looked for", "add parameter: {values: [...]}")
	}
}

func (r *fileReader) parameter(c *modelfile.Cursor) {
	c.Keys("name", "values")
	p := &Parameter{Name: "parameter"}
	if v := c.Field("name"); v.There() {
		p.Name = v.Text("a name")
	}
	p.Values = readNumbers(c.Need("values", "list the values, values: {from: 0, to: 1, step: 0.1}"))
	if c.Valid() {
		r.Parameter = p
	}
}

// readNumbers reads a number that is not negative, a range or a list of them.
func readNumbers(c *modelfile.Cursor) []float64 {
	return c.OneOrMany("number", (*modelfile.Cursor).Nonnegative)
}

func (r *fileReader) strategies(c *modelfile.Cursor) {
	for _, item := range c.NonEmpty("policies") {
		s, at := readStrategy(item)
		switch {
		case !item.Valid() || !r.means(s, at):
		case slices.ContainsFunc(r.Strategies, func(other Strategy) bool { return other.Name == s.Name }):
			at.Fail(fmt.Sprintf("there is already a policy %q", s.Name), "give each a name of its own")
		default:
			r.Strategies = append(r.Strategies, s)
		}
	}
}

// readStrategy reads a policy as text, or with a name of its own, and returns where its text stands.
func readStrategy(c *modelfile.Cursor) (s Strategy, at *modelfile.Cursor) {
	const what = "a policy such as sev or avg:stubborn"
	if c.Kind != modelfile.Mapping {
		text := c.Text(what)
		return Strategy{Name: text, Text: text}, c
	}
	c.Keys("name", "strategy")
	at = c.Need("strategy", "name it, such as strategy: avg:stubborn")
	s.Text = at.Text(what)
	if s.Name = s.Text; c.Has("name") {
		s.Name = c.Field("name").Text("a name")
	}
	return s, at
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
	c.Keys("lifetimes", "parallelism", "sigma", "length")
	if v := c.Field("lifetimes"); v.There() {
		r.Jobs.Lifetimes = uniformLog(v, (*modelfile.Cursor).PositiveTime)
	}
	if v := c.Field("parallelism"); v.There() {
		r.Jobs.Parallelism = uniformLog(v, readParallelism)
	}
	if p := c.Field("sigma"); p.There() {
		p.Keys("min", "max")
		r.Jobs.SigmaMin, r.Jobs.SigmaMax = p.Need("min", "").Nonnegative(), p.Need("max", "").Nonnegative()
		if p.Valid() && r.Jobs.SigmaMin > r.Jobs.SigmaMax {
			p.Fail("max is less than min", "")
		}
	}
	if v := c.Field("length"); v.There() {
		r.Jobs.Length = v.PositiveTime()
	}
}

// readParallelism reads an average parallelism.
func readParallelism(c *modelfile.Cursor) float64 {
	v := c.Number()
	if v < 1 && c.Valid() {
		c.Fail(c.Got()+" is less than 1", "")
	}
	return v
}

// uniformLog reads {min, max} or, of several stages, {ends: [...], weights: [...]}.
func uniformLog(c *modelfile.Cursor, read func(*modelfile.Cursor) float64) (u UniformLog) {
	c.Keys("min", "max", "ends", "weights")
	if !c.Valid() {
		return u
	}
	var ends []float64
	weights := []float64{1}
	if c.Has("ends") {
		ends = c.Field("ends").Numbers("numbers", read)
		weights = c.Need("weights", "give the share of each stage, weights: [0.6, 0.4]").Numbers("numbers", (*modelfile.Cursor).Positive)
	} else {
		ends = []float64{read(c.Need("min", "")), read(c.Need("max", ""))}
	}
	if !c.Valid() {
		return u
	}
	u, err := NewUniformLogStages(ends, weights)
	if wrong := (*workload.ParameterError)(nil); errors.As(err, &wrong) {
		c.FailField(wrong.Parameter, wrong.Problem, "")
	}
	return u
}

func curvesOfParallelism(c *modelfile.Cursor) *ParallelismCurves {
	c.Keys("A", "sigma")
	p := &ParallelismCurves{A: readParallelism(c.Need("A", ""))}
	p.Sigma = readNumbers(c.Need("sigma", "list the values, sigma: {from: 0, to: 2, step: 0.1}"))
	if !c.Valid() {
		return nil
	}
	return p
}
