package spec

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
)

// Allocation is what a study file of strategies of allocation says. It either lets strategies loose on the days of a
// workload, or, with Speedup or Sizes, draws what is known without.
type Allocation struct {
	File       string // as it was named
	Title      string
	Nodes      int
	Days       int
	Loads      []float64
	Strategies []Strategy
	Parameter  *Parameter
	Measures   []string // to be drawn; nil if the file does not say
	Optimum    string   // the measure whose largest value is looked for among those of the parameter; "" if none is
	Jobs       AllocationJobs
	Speedup    *ParallelismCurves // speedups against the number of nodes
	Sizes      *ParallelismCurves // sizes that the strategies mean a job to have, against sigma
}

// Strategy is a strategy under the name that the study gives it. A * in its text stands for the values of the parameter.
type Strategy struct{ Name, Text string }

// With returns the text of the strategy with a value in place of the *.
func (s Strategy) With(value float64) string {
	return strings.ReplaceAll(s.Text, "*", strconv.FormatFloat(value, 'g', -1, 64))
}

// Parameter is what the * in strategies stands for.
type Parameter struct {
	Name   string
	Values []float64
}

// AllocationJobs says what jobs come; what is nil or 0 is that of Downey's experiments.
type AllocationJobs struct {
	Lifetimes, Parallelism *workload.UniformLog
	Sigma                  *[2]float64
	Length                 float64 // seconds
}

// ParallelismCurves are curves of jobs with one average parallelism and several sigmas.
type ParallelismCurves struct {
	A     float64
	Sigma []float64
}

// checkPolicy returns what is wrong with the text of a policy, or with that of one that is to have sizes of its own.
func checkPolicy(table policy.Table, text string, sized bool) error {
	p, err := table.Parse(text)
	var unknown *policy.UnknownError
	switch {
	case errors.As(err, &unknown):
		name, _, _ := strings.Cut(text, ":")
		return fmt.Errorf("no policy %q; %s", name, suggest(name, table.Names()))
	case err != nil:
		return err
	}
	if sized {
		switch p.(type) {
		case policy.Molding, policy.Fraction:
		default:
			return fmt.Errorf("%s does not choose the sizes of jobs", text)
		}
	}
	return nil
}

// allocationKeys are the keys of a study file of allocation.
var allocationKeys = []string{"version", "title", "nodes", "days", "load", "strategies", "parameter", "draw", "optimum",
	"jobs", "speedup", "sizes"}

// The defaults and bounds of study files of allocation.
const (
	defaultNodes, mostAllocationNodes = 64, 1 << 20
	defaultDays, mostDays             = 120, 100_000_000
	defaultAllocationLoad             = 0.75
)

// IsAllocation tells a study of allocation from models and other studies, by its keys. The name is that of the file; a text
// that cannot be read is none.
func IsAllocation(name string, data []byte) bool {
	var errs collector
	root := readTree(newSource(name, data), data, &errs)
	if root == nil {
		return false
	}
	for _, key := range []string{"strategies", "speedup", "sizes"} {
		if root.lookup(key) != nil {
			return true
		}
	}
	return false
}

// LoadAllocation reads the study file path. The error is [Errors] if the file is wrong, that of the operating system if
// it cannot be read.
func LoadAllocation(path string, table policy.Table) (*Allocation, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return ParseAllocation(path, data, table)
}

// ParseAllocation reads a study from the text of a file, see [Parse] and [LoadAllocation].
func ParseAllocation(name string, data []byte, table policy.Table) (*Allocation, error) {
	var errs collector
	root := readTree(newSource(name, data), data, &errs)
	if root == nil {
		return nil, errs.err()
	}
	d := &decoder{errs: &errs, unit: Second}
	a := &Allocation{File: name, Title: baseName(name), Nodes: defaultNodes, Days: defaultDays,
		Loads: []float64{defaultAllocationLoad}}
	c := d.root(root)
	if o, ok := c.object(allocationKeys...); ok {
		o.head(&a.Title)
		r := allocationReader{a, table}
		r.read(&o)
	}
	if err := errs.err(); err != nil {
		return nil, err
	}
	return a, nil
}

// allocationReader reads the parts of a study.
type allocationReader struct {
	*Allocation
	table policy.Table // of the policies that may be named
}

func (r *allocationReader) read(o *object) {
	if c, ok := o.field("nodes"); ok {
		r.Nodes, _ = c.whole("a number of nodes", 1, mostAllocationNodes)
	}
	if c, ok := o.field("days"); ok {
		r.Days, _ = c.whole("a number of days", 1, mostDays)
	}
	if c, ok := o.field("load"); ok {
		r.Loads, _ = c.oneOrMany((*cursor).positive)
	}
	if c, ok := o.field("parameter"); ok {
		r.parameter(&c)
	}
	if c, ok := o.field("jobs"); ok {
		r.jobs(&c)
	}
	if c, ok := o.field("draw"); ok {
		r.draw(&c)
	}
	r.curves(o)
	if r.Speedup != nil {
		return
	}
	if c, ok := o.need("strategies", "list what to compare, strategies: [sev, avg, asp]"); ok {
		r.strategies(&c)
	}
	if c, ok := o.field("optimum"); ok {
		r.Optimum, _ = c.word("a measure", measure.OfJobs()...)
		if r.Parameter == nil {
			c.fail("there is no parameter whose best value could be looked for", "add parameter: {values: [...]}")
		}
	}
}

// oneOrMany reads a number, a list of numbers and ranges A:B:STEP, or {from, to, step}.
func (c *cursor) oneOrMany(read func(*cursor, string) (float64, bool)) (all []float64, ok bool) {
	switch c.kind {
	case mapping:
		return c.stepped(read)
	case list:
		if len(c.items) == 0 {
			c.fail("is empty", "")
			return nil, false
		}
		ok = true
		for i := range c.items {
			item := c.item(i)
			some, fine := item.oneOrMany(read)
			all, ok = append(all, some...), ok && fine
		}
		return all, ok
	}
	if numbers, isRange, ok := c.textRange(read); isRange {
		return numbers, ok
	}
	v, ok := read(c, "a number, a list of numbers, or {from: 0.1, to: 1, step: 0.1}")
	return []float64{v}, ok
}

func (r *allocationReader) parameter(c *cursor) {
	o, ok := c.object("name", "values")
	if !ok {
		return
	}
	p := &Parameter{Name: "parameter"}
	if at, ok := o.field("name"); ok {
		p.Name, _ = at.text("a name")
	}
	if at, ok := o.need("values", "list the values, values: {from: 0, to: 1, step: 0.1}"); ok {
		if p.Values, ok = at.oneOrMany((*cursor).nonnegative); ok {
			r.Parameter = p
		}
	}
}

func (r *allocationReader) draw(c *cursor) {
	items, _ := c.sequence("measures")
	for i := range items {
		if name, ok := items[i].word("a measure", measure.OfJobs()...); ok {
			r.Measures = append(r.Measures, name)
		}
	}
	if c.kind == list && len(items) == 0 {
		c.fail("is empty", "")
	}
}

func (r *allocationReader) strategies(c *cursor) {
	items, ok := c.sequence("strategies")
	if ok && len(items) == 0 {
		c.fail("is empty", "")
	}
	names := map[string]bool{}
	for i := range items {
		s, at, ok := items[i].strategy()
		if !ok || !r.means(s, at) {
			continue
		}
		if names[s.Name] {
			at.fail(fmt.Sprintf("there is already a strategy %q", s.Name), "give each a name of its own")
			continue
		}
		names[s.Name] = true
		r.Strategies = append(r.Strategies, s)
	}
}

// strategy reads a strategy as text, or with a name of its own, and returns where its text stands.
func (c *cursor) strategy() (s Strategy, at *cursor, ok bool) {
	if c.kind != mapping {
		s.Text, ok = c.text("a strategy such as sev or avg:stubborn")
		s.Name = s.Text
		return s, c, ok
	}
	o, _ := c.object("name", "strategy")
	v, ok := o.need("strategy", "name it, such as strategy: avg:stubborn")
	if !ok || !o.ok {
		return s, c, false
	}
	if s.Text, ok = v.text("a strategy such as sev or avg:stubborn"); !ok {
		return s, c, false
	}
	s.Name = s.Text
	if n, there := o.field("name"); there {
		s.Name, ok = n.text("a name")
	}
	return s, &v, ok
}

// means checks that the strategy is one, with whatever stands in place of its *.
func (r *allocationReader) means(s Strategy, at *cursor) bool {
	texts := []string{s.Text}
	switch varied := strings.Contains(s.Text, "*"); {
	case varied && r.Parameter == nil:
		at.fail("there is nothing to stand in place of *", "add parameter: {values: [...]}")
		return false
	case varied:
		texts = nil
		for _, v := range r.Parameter.Values {
			texts = append(texts, s.With(v))
		}
	}
	for _, text := range texts {
		if err := checkPolicy(r.table, text, r.Sizes != nil); err != nil {
			at.fail(err.Error(), "")
			return false
		}
	}
	return true
}

func (r *allocationReader) jobs(c *cursor) {
	o, ok := c.object("lifetimes", "parallelism", "sigma", "length")
	if !ok {
		return
	}
	if at, ok := o.field("lifetimes"); ok {
		r.Jobs.Lifetimes = at.uniformLog((*cursor).positiveTime)
	}
	if at, ok := o.field("parallelism"); ok {
		r.Jobs.Parallelism = at.uniformLog((*cursor).parallelism)
	}
	if at, ok := o.field("sigma"); ok {
		if p, ok := at.object("min", "max"); ok {
			low, okLow := p.plain("min", (*cursor).nonnegative)
			high, okHigh := p.plain("max", (*cursor).nonnegative)
			if okLow && okHigh && low > high {
				at.fail("max is less than min", "")
			}
			r.Jobs.Sigma = &[2]float64{low, high}
		}
	}
	if at, ok := o.field("length"); ok {
		r.Jobs.Length, _ = at.positiveTime("a time")
	}
}

// parallelism reads an average parallelism.
func (c *cursor) parallelism(what string) (float64, bool) {
	v, ok := c.number(what)
	if ok && v < 1 {
		c.fail(c.got()+" is less than 1", "")
		return 0, false
	}
	return v, ok
}

// uniformLog reads {min, max} or, of several stages, {ends: [...], weights: [...]}.
func (c *cursor) uniformLog(read func(*cursor, string) (float64, bool)) *workload.UniformLog {
	o, ok := c.object("min", "max", "ends", "weights")
	if !ok || !o.ok {
		return nil
	}
	var ends []float64
	weights := []float64{1}
	if at, staged := o.field("ends"); staged {
		var okEnds, okWeights bool
		ends, okEnds = at.numbers("number", read)
		if at, okWeights = o.need("weights", "give the share of each stage, weights: [0.6, 0.4]"); okWeights {
			weights, okWeights = at.numbers("number", (*cursor).positive)
		}
		ok = okEnds && okWeights
	} else {
		low, okLow := o.plain("min", read)
		high, okHigh := o.plain("max", read)
		ends, ok = []float64{low, high}, okLow && okHigh
	}
	if !ok {
		return nil
	}
	u, err := workload.NewStagedUniformLog(ends, weights)
	if err != nil {
		o.invalidParameter(err)
		return nil
	}
	return &u
}

// curves reads what is drawn without a simulation.
func (r *allocationReader) curves(o *object) {
	if c, ok := o.field("speedup"); ok {
		r.Speedup = c.curvesOfParallelism()
	}
	if c, ok := o.field("sizes"); ok {
		if r.Sizes = c.curvesOfParallelism(); o.names("speedup") {
			c.fail("cannot stand beside \"speedup\"", "make a study of its own of it")
		}
	}
}

func (c *cursor) curvesOfParallelism() *ParallelismCurves {
	o, ok := c.object("A", "sigma")
	if !ok {
		return nil
	}
	p := &ParallelismCurves{}
	a, okA := o.plain("A", (*cursor).parallelism)
	at, okSigma := o.need("sigma", "list the values, sigma: {from: 0, to: 2, step: 0.1}")
	if okSigma {
		p.Sigma, okSigma = at.oneOrMany((*cursor).nonnegative)
	}
	if p.A = a; !okA || !okSigma || math.IsInf(a, 0) {
		return nil
	}
	return p
}
