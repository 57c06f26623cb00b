package modelfile

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile/internal/tree"
	"github.com/partwise/partwise/models/words"
)

// Study is what a study file says: models to be solved at a range of loads.
type Study struct {
	File      string // as it was named
	Title     string
	Loads     []float64
	NoLoads   bool   // the file says nothing of loads; Loads are the default ones
	Reference *Model // its capacity is load 1 for all series; nil: each model's own
	Axes      []Axis // what the models are varied over
	// Series holds, of each series in turn, its model at every combination of values of the axes, the last axis running
	// fastest.
	Series []Series

	root  *tree.Node            // the file, as it is written
	trees map[string]*tree.Node // the model files, as they are written, by path
	dists *distributionReader
}

// Axis is a path in the model files with the values that it takes, one after the other.
type Axis struct {
	Path   string
	Values []string // as they are written
}

// Series is a model of a study under its name.
type Series struct {
	Name  string
	Of    string // the name without the values on the axes, which all combinations share
	Model *Model
	At    []string // the value on each axis
}

// Files returns the files that the study refers to: models, measurements and distributions.
func (s *Study) Files() []string {
	return append(slices.Sorted(maps.Keys(s.trees)), s.dists.Files()...)
}

// Assumed returns what the models of the series assume, each value of a name once. Series says where an assumption is true,
// unless all series make it.
func (s *Study) Assumed() []Assumption {
	var all []Assumption
	names := map[string][]string{}
	for _, one := range s.Series {
		for _, a := range one.Model.Assumed {
			key := a.Name + "=" + a.Value
			if names[key] == nil {
				all = append(all, a)
			}
			names[key] = append(names[key], one.Name)
		}
	}
	for i, a := range all {
		in := names[a.Name+"="+a.Value]
		switch {
		case len(in) == len(s.Series):
		case len(in) <= 3:
			all[i].Series = words.And(in)
		default:
			all[i].Series = fmt.Sprintf("%d of %d series", len(in), len(s.Series))
		}
	}
	return all
}

// LoadStudy reads the study file path after the settings were applied to it; those of keys that only models have apply
// to the models of all series. A model file, or a queue in Kendall's notation, is a study of one series at the loads 0.02, 0.04, …,
// 0.98. The error is [Errors] if a file is wrong, a *[QueueError] if the notation is wrong, that of the operating system if path
// cannot be read.
func LoadStudy(path string, sets ...Set) (*Study, error) {
	if IsQueue(path) {
		return queueStudy(path, sets)
	}
	data, err := tree.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return ParseStudy(path, data, sets...)
}

// queueStudy returns the study of a queue in Kendall's notation.
func queueStudy(notation string, sets []Set) (*Study, error) {
	q, err := parseQueue(notation)
	if err != nil {
		return nil, err
	}
	s, err := ParseStudy(queueFile, q.model(), sets...)
	if err != nil {
		return nil, q.unseen(err)
	}
	for i := range s.Series {
		s.Series[i].Model.Servers, s.Series[i].Model.Assumed = q.servers, nil
	}
	return s, nil
}

// ParseStudy reads a study, or a model, from the text of a file, see [Parse] and [LoadStudy].
func ParseStudy(name string, data []byte, sets ...Set) (*Study, error) {
	errs := new(tree.Collector)
	root := tree.ReadTree(name, data, errs)
	if root == nil {
		return nil, errs.Err()
	}
	s := &Study{File: name, root: root, trees: make(map[string]*tree.Node), dists: newDistributionReader()}
	r := studyReader{errs: errs, edit: editor(errs), study: s}
	if isStudy(root) {
		r.ofStudy(root, sets)
	} else {
		r.ofModel(root, sets)
	}
	if err := errs.Err(); err != nil {
		return nil, err
	}
	return s, nil
}

// The keys that models and studies share, and those that tell them apart, as [tree.Cursor.Object] takes them.
var (
	headKeys  = []string{"version", "title"}
	modelOnly = []string{"time_unit", "machine", "arrivals", "jobs", "dynamic?", "static?", "expect?", "require?"}
	studyOnly = []string{"load", "reference", "over", "series"}
	modelKeys = slices.Concat(headKeys, modelOnly)
	studyKeys = slices.Concat(headKeys, studyOnly)
)

// isModel reports whether only models have a key.
func isModel(key string) bool {
	return slices.Contains(modelOnly, key) || slices.Contains(modelOnly, key+"?")
}

// divide splits settings by what their first key belongs to.
func divide(sets []Set, first func(key string) bool) (yes, no []Set) {
	for _, s := range sets {
		if path, err := tree.ParsePath(s.Path); err == nil && first(path[0].Key) {
			yes = append(yes, s)
		} else {
			no = append(no, s)
		}
	}
	return yes, no
}

// isStudy tells a study from a model by the keys that only one of them has.
func isStudy(root *tree.Node) bool {
	study, model := 0, 0
	for _, e := range root.Entries {
		switch {
		case slices.Contains(studyOnly, e.Key.Value):
			study++
		case isModel(e.Key.Value):
			model++
		}
	}
	return study > model || root.Lookup("series") != nil
}

// studyReader reads the models of a study. A file that several series name is read and fitted once.
type studyReader struct {
	errs  *tree.Collector
	edit  *tree.Editor
	study *Study
	sets  []Set // of all models, after those of a series
	grid  []axis
	total int // combinations of the values of the axes
}

// ofStudy reads a study file after the settings of its own keys were applied to it; the others are those of its models.
func (r *studyReader) ofStudy(root *tree.Node, sets []Set) {
	var own []Set
	r.sets, own = divide(sets, isModel)
	root = r.edit.Apply(root, own)
	if r.errs.Noted() > 0 {
		return
	}
	r.study.Title = baseName(r.study.File)
	c := r.settings(root)
	v := c.Need("series", "list what to draw, series: [{name: ..., model: m.yaml}]")
	items := v.NonEmpty("series {name: ..., model: ...}")
	if !r.bounded(c, len(v.Items)) {
		return
	}
	names := make(map[string]bool)
	for _, item := range items {
		r.series(item, names)
	}
}

// ofModel makes a study of a model file and of the settings of keys that only studies have, such as the loads and the axes.
func (r *studyReader) ofModel(root *tree.Node, sets []Set) {
	around, own := divide(sets, func(key string) bool { return slices.Contains(studyOnly, key) })
	empty := &tree.Node{Source: root.Source, Line: 1, Column: 1, Kind: tree.Mapping}
	root, settings := r.edit.Apply(root, own), r.edit.Apply(empty, around)
	if r.errs.Noted() > 0 || !r.bounded(r.settings(settings), 1) {
		return
	}
	s := r.study
	r.combine(root, s.File, func(m *Model, at []string) {
		s.Title = cmp.Or(s.Title, m.Title)
		s.Series = append(s.Series, Series{cmp.Or(s.combination(at), m.Title), s.Title, m, at})
	})
}

// settings reads what is said of all series.
func (r *studyReader) settings(root *tree.Node) *tree.Cursor {
	c := tree.Root(root, r.errs)
	c.Keys(studyKeys...)
	s := r.study
	c.Head(&s.Title)
	if s.NoLoads = !c.Has("load"); s.NoLoads {
		s.Loads, _ = measure.Expand([]float64{0.02, 0.98, 0.02}, maxPoints) // which cannot fail
	} else {
		s.Loads = c.Field("load").OneOrMany("load", (*tree.Cursor).Load)
	}
	r.grid = readGrid(c.Field("over"))
	for _, a := range r.grid {
		s.Axes = append(s.Axes, a.Axis)
	}
	s.Reference = r.model(c.Field("reference"))
	return c
}

// series reads an entry of the list, of which every combination of the axes makes one.
func (r *studyReader) series(c *tree.Cursor, names map[string]bool) {
	c.Keys("name", "model", "set?")
	before := r.errs.Noted() // a series with an unknown key is read for its other mistakes
	root, path := r.varied(c)
	name := c.Field("name").Text("a name")
	if r.errs.Noted() > before || root == nil { // without a new mistake, if another series names the file as well
		return
	}
	r.combine(root, path, func(m *Model, values []string) {
		one := Series{Name: name, Model: m, At: values}
		if !c.Has("name") {
			one.Name = m.Title
		}
		one.Of = one.Name
		if len(values) > 0 {
			one.Name += ", " + r.study.combination(values)
		}
		if names[one.Name] {
			c.FailField("name", fmt.Sprintf("there is already a series %q", one.Name), "give each a name of its own")
			return
		}
		names[one.Name] = true
		r.study.Series = append(r.study.Series, one)
	})
}

// varied returns the tree of the model that a series names, with its settings.
func (r *studyReader) varied(c *tree.Cursor) (root *tree.Node, path string) {
	path, root = r.file(c.Need("model", "name its model file"))
	if set := c.Field("set"); set.There() {
		set.Pairs("settings by path", "them such as {machine.nodes: 16}", func(key, value *tree.Cursor) {
			if path := key.Steps(); path != nil && root != nil {
				root = r.edit.Place(root, path, value.Node)
			}
		})
	}
	if root == nil {
		return nil, path
	}
	return r.edit.Apply(root, r.sets), path
}

// model reads the model file that the node names.
func (r *studyReader) model(c *tree.Cursor) *Model {
	path, root := r.file(c)
	if root == nil {
		return nil
	}
	m, _ := decodeModel(root, path, r.errs, r.study.dists)
	return m
}

// file reads the model file that the node names into nodes, nil if it cannot be read.
func (r *studyReader) file(c *tree.Cursor) (string, *tree.Node) {
	path := c.FilePath("the name of a model file")
	if root, ok := r.study.trees[path]; ok {
		return path, root
	}
	data := c.ReadFile(path)
	if !c.Valid() {
		return path, nil
	}
	root := tree.ReadTree(path, data, r.errs)
	if root != nil && isStudy(root) {
		c.Fail(path+" is a study, not a model", "name a model file")
		root = nil
	}
	r.study.trees[path] = root
	return path, root
}

// ratePath matches the paths of values that only scale the times between arrivals.
var ratePath = regexp.MustCompile(`^arrivals\.(load|rate|interarrival(\.\w+)?\.mean)$`)

// IsRate reports whether the value at a path of a model file only scales the times between arrivals, as a load does.
func IsRate(path string) bool { return ratePath.MatchString(path) }

// Rescaled returns the last axis whose values change nothing, because a load rescales the arrivals: a load of the study, if
// hasLoads says that it has loads, or the load of the model. It returns false if there is no such axis.
func (s *Study) Rescaled(hasLoads bool) (Axis, bool) {
	step := 1 // between models that differ in the axis only
	for _, axis := range slices.Backward(s.Axes) {
		rate := func(i int) float64 { return s.Series[i].Model.System.Arrivals.Rate() }
		if IsRate(axis.Path) && len(axis.Values) > 1 && (hasLoads || rate(0) == rate(step)) {
			return axis, true
		}
		step *= len(axis.Values)
	}
	return Axis{}, false
}
