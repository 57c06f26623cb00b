package modelfile

import (
	"cmp"
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile/internal/tree"
)

// Model is what a model file says.
type Model struct {
	File     string // as it was named
	Title    string // the name of the file without its extension if it has no title
	TimeUnit measure.TimeUnit
	System   *models.System
	Expect   []Expectation
	Require  []Requirement
	Warnings []error // each an *[Error]
	Assumed  []Assumption
	Servers  int      // of a queue in Kendall's notation, which is static:Servers; 0 for a model file
	Files    []string // that the file refers to: measurements and distributions

	root        *tree.Node // what the model was read from, by itself
	dists       *distributionReader
	exponential []Assumption // of overheads
}

// Assumption is what a model takes for a field that its file leaves out, where another value would change the answers.
type Assumption struct {
	Name  string // such as stops
	Value string // as files write it
	Other Set    // a setting that gives the field another value, such as dynamic.stops=resized
	// Series names the series of a study that make the assumption, or counts these series if there are more than three. Series
	// is "" for a model, and if all series of a study make the assumption. See [Study.Assumed].
	Series string
}

// The names of assumptions.
const (
	assumedMinNodes = "min_nodes"
	Overhead        = "overhead"
	Distribution    = "overhead_distribution" // of overheads of which only the mean is given
	Stops           = "stops"
	assumedSetup    = "setup" // of jobs under static partitioning, where dynamic partitioning has overheads
)

// Assumes reports whether the file leaves out the field of a name, and another value would change the answers.
func (m *Model) Assumes(name string) bool {
	return slices.ContainsFunc(m.Assumed, func(a Assumption) bool { return a.Name == name })
}

// assumptions returns what the file leaves open.
func (m *Model) assumptions(c *tree.Cursor) []Assumption {
	says := func(section string, keys ...string) bool {
		return slices.ContainsFunc(keys, func(key string) bool { return c.Field(section).Field(key).There() })
	}
	var all []Assumption
	assume := func(is bool, name, value, path, other string) {
		if is {
			all = append(all, Assumption{Name: name, Value: value, Other: Set{Path: path, Value: other}})
		}
	}
	s := m.System
	if s.Nodes > 1 && s.Speedup != nil && !says("machine", "min_nodes") {
		assume(true, assumedMinNodes, "1", "machine.min_nodes", strconv.Itoa(s.Machine().Divisors()[1]))
	}
	assume(s.Partitions() > 1 && !says("dynamic", "overhead", "shrink", "expand"), Overhead, "0"+m.TimeUnit.Name, "dynamic.overhead",
		"60s")
	all = append(all, m.exponential...)
	assume(s.StopsMatter() && !says("dynamic", "stops"), Stops, string(models.AllStop), "dynamic.stops", string(models.ResizedStop))
	assume(!s.Free() && !says("static", "setup"), assumedSetup, "0s", "static.setup.exponential.mean", "60s")
	return all
}

// Load reads the model file path after the settings were applied to it. A queue in Kendall's notation stands for a file, see
// [QueueModel].
//
// The error is [Errors] if the file is wrong, and that of the operating system if the file cannot be read. It is a *[QueueError] if
// the notation is wrong or says nothing of the arrival rate.
func Load(path string, sets ...Set) (*Model, error) {
	if IsQueue(path) {
		return loadQueue(path, sets)
	}
	data, err := tree.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, data, sets...)
}

// Parse reads a model from the text of a file. The name appears in errors, says by its extension whether the text is
// JSON (.json) or YAML, and relative paths in the text refer to its directory. The error is [Errors].
func Parse(name string, data []byte, sets ...Set) (*Model, error) {
	return parseModel(name, data, newDistributionReader(), sets)
}

// parseModel reads a model with a reader of its distributions.
func parseModel(name string, data []byte, dists *distributionReader, sets []Set) (*Model, error) {
	var errs tree.Collector
	root := tree.ReadTree(name, data, &errs)
	if root == nil {
		return nil, errs.Err()
	}
	return applied(root, name, &errs, dists, sets)
}

// applied returns the model that a tree describes with settings in it.
func applied(root *tree.Node, name string, errs *tree.Collector, dists *distributionReader, sets []Set) (*Model, error) {
	root = editor(errs).Apply(root, sets)
	if err := errs.Err(); err != nil {
		return nil, err
	}
	m, err := decodeModel(root, name, errs, dists)
	if err == nil {
		m.root, m.dists = root, dists
	}
	return m, err
}

// With returns the model of the same text with further settings, which are applied after those of the model. The text is not read
// again, but the files that it names are. The error is [Errors]; for a model that was read from no text it says so.
func (m *Model) With(sets ...Set) (*Model, error) {
	if m == nil || m.root == nil {
		return nil, errors.New("modelfile: the model was read from no file")
	}
	return applied(m.root, m.File, new(tree.Collector), newDistributionReader(), sets)
}

// Resampler returns a function that reads the model again with other measurements. Each distribution that the file fits is fitted to
// as many measurements, drawn from those of the file with replacement; of job logs, weeks are drawn. The i-th model of a seed is
// always the same, and several may be made at a time. The error is [ErrNothingFitted], or that a job log cannot be read again.
func (m *Model) Resampler(seed uint64) (func(i int) (*Model, error), error) {
	if m == nil {
		return nil, ErrNothingFitted
	}
	again, err := m.dists.Resampler(seed)
	if err != nil {
		return nil, err
	}
	return func(i int) (*Model, error) {
		return decodeModel(m.root, m.File, new(tree.Collector), again(i))
	}, nil
}

// editor puts settings into models and studies. The name of a distribution or a speedup may be left out of their paths,
// and dynamic.overhead and the lists of overheads give way to each other.
func editor(errs *tree.Collector) *tree.Editor {
	return &tree.Editor{Errs: errs, Implied: slices.Concat(familyNames, speedupNames()),
		Beside: besideOverhead}
}

// modelReader reads the parts of a model file. It skips checks that depend on a wrong part.
type modelReader struct {
	model  *Model
	system *models.System
	dists  *distributionReader
}

func decodeModel(root *tree.Node, name string, errs *tree.Collector, dists *distributionReader) (*Model, error) {
	m := &Model{File: name, Title: baseName(name), System: &models.System{}}
	c := tree.Root(root, errs)
	c.Keys(modelKeys...)
	c.Head(&m.Title)
	c = c.In(cmp.Or(c.Field("time_unit").TimeUnit(), c.Unit()))
	r := (modelReader{m, m.System, dists})
	if c.Kind == tree.Mapping {
		r.read(c)
	}
	if err := errs.Err(); err != nil {
		return nil, err
	}
	m.TimeUnit, m.Warnings, m.Files = c.Unit(), c.Warnings(), dists.Files()
	m.Assumed = m.assumptions(c)
	return m, nil
}

func baseName(path string) string {
	base := filepath.Base(path)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// read reads all parts. What is checked against the machine is read as far as the machine is known.
func (r *modelReader) read(c *tree.Cursor) {
	machine := c.Need("machine", "say how many nodes it has, machine: {nodes: 8}")
	r.machine(machine)
	sized := machine.Valid()
	arrivals, load := r.dists.Arrivals(c.Need("arrivals", "say how jobs arrive, such as arrivals: {rate: 0.01}"))
	r.system.Arrivals = arrivals
	jobs := c.Need("jobs", "give jobs: {demand: ..., speedup: ...} or jobs: {service: [...]}")
	if !sized {
		for _, key := range []string{"jobs", "dynamic", "static"} {
			r.check(c.Field(key))
		}
		return
	}
	r.jobs(jobs)
	r.dynamic(c.Field("dynamic"))
	r.static(c.Field("static"))
	if c.Valid() && load > 0 {
		r.rescale(c, load)
	}
	r.model.Expect = tree.Each(c.Field("expect").Sequence("expectations {policy: ..., measure: ..., value: ...}"), r.expectation)
	r.model.Require = tree.Each(c.Field("require").Sequence("requirements {policy: ..., measure: ..., at_most: ...}"), r.requirement)
}

// check looks for mistakes in what a part of a model says whatever the number of partitions, which is not known.
func (r *modelReader) check(part *tree.Cursor) {
	for _, e := range part.Entries {
		v := part.Field(e.Key.Value)
		if !v.There() {
			continue
		}
		switch e.Key.Value {
		case "speedup":
			readSpeedup(v)
		case "demand":
			r.dists.Dist(v)
		case "stops":
			whoStops(v)
		case "overhead":
			r.overhead(v)
		case "service", "shrink", "expand":
			if v.Kind == tree.List {
				tree.Each(v.Sequence(""), orNull(r.dists.Dist))
			}
		}
	}
}

// rescale brings the arrivals to the load that the file asks for.
func (r *modelReader) rescale(c *tree.Cursor, load float64) {
	scaled, err := r.system.WithLoad(load)
	if e := new(models.RescalingError); errors.As(err, &e) {
		c.Field("arrivals").Field("load").Fail(e.Problem(), e.Remedy())
		return
	}
	if err != nil {
		c.Field("arrivals").Field("load").Fail("the arrivals cannot be rescaled to it", err.Error())
		return
	}
	r.model.System = scaled
}
