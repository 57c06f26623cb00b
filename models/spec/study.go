package spec

import (
	"fmt"
	"os"
	"slices"
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

	root  *node            // the file, as it is written
	trees map[string]*node // the model files, as they are written, by path
	known *known
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

// studyKeys are the keys of a study file.
var studyKeys = []string{"version", "title", "load", "reference", "over", "series"}

// LoadStudy reads the study file path after the settings were applied to it; those of keys that only models have apply
// to the models of all series. A model file is a study of one series at the loads 0.02, 0.04, …, 0.98. The error is
// [Errors] if a file is wrong, that of the operating system if path cannot be read.
func LoadStudy(path string, sets ...Set) (*Study, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return ParseStudy(path, data, sets...)
}

// ParseStudy reads a study, or a model, from the text of a file, see [Parse] and [LoadStudy].
func ParseStudy(name string, data []byte, sets ...Set) (*Study, error) {
	var errs collector
	src := newSource(name, data)
	root := readTree(src, data, &errs)
	if root == nil {
		return nil, errs.err()
	}
	s := &Study{File: name, root: root, trees: make(map[string]*node), known: newKnown()}
	r := studyReader{errs: &errs, study: s}
	if isStudy(root) {
		own, models := divide(sets, func(key string) bool { return slices.Contains(studyKeys, key) || !slices.Contains(modelOnly, key) })
		r.sets = models
		if root = apply(root, own, &errs); len(errs.list) == 0 {
			r.read(root)
		}
	} else {
		around, own := divide(sets, func(key string) bool { return slices.Contains(studyOnly, key) })
		empty := &node{src: src, line: 1, col: 1, kind: mapping}
		root, settings := apply(root, own, &errs), apply(empty, around, &errs)
		if len(errs.list) == 0 {
			r.alone(root, settings)
		}
	}
	if err := errs.err(); err != nil {
		return nil, err
	}
	return s, nil
}

// The keys that tell studies from models.
var (
	studyOnly = []string{"series", "load", "reference", "over"}
	modelOnly = []string{"machine", "arrivals", "jobs", "dynamic", "static", "time_unit", "expect", "require"}
)

// divide splits settings by what their first key belongs to.
func divide(sets []Set, first func(key string) bool) (yes, no []Set) {
	for _, s := range sets {
		if first(s.key()) {
			yes = append(yes, s)
		} else {
			no = append(no, s)
		}
	}
	return yes, no
}

// isStudy tells a study from a model by the keys that only one of them has.
func isStudy(root *node) bool {
	study, model := 0, 0
	for _, e := range root.entries {
		switch {
		case slices.Contains(studyOnly, e.key.value):
			study++
		case slices.Contains(modelOnly, e.key.value):
			model++
		}
	}
	return study > model || root.lookup("series") != nil
}

// studyReader reads the models of a study; what several series name is read, and fitted, once.
type studyReader struct {
	errs  *collector
	study *Study
	sets  []Set // of all models, after those of a series
	grid  []axis
}

// read reads a study file.
func (r *studyReader) read(root *node) {
	s := r.study
	s.Title = baseName(s.File)
	o, ok := r.settings(root)
	if !ok {
		return
	}
	v, ok := o.need("series", "list what to draw, series: [{name: ..., model: m.yaml}]")
	if !ok {
		return
	}
	items, ok := v.sequence("series {name: ..., model: ...}")
	if ok && len(items) == 0 {
		v.fail("is empty", "")
	}
	if !r.bounded(&o, len(items)) {
		return
	}
	names := make(map[string]bool)
	for i := range items {
		r.series(&items[i], names)
	}
}

// alone makes a study of a model; the loads and axes are in the settings.
func (r *studyReader) alone(model, settings *node) {
	s := r.study
	o, ok := r.settings(settings)
	if !ok || !r.bounded(&o, 1) {
		return
	}
	if len(r.grid) == 0 {
		m, err := decodeModel(model, s.File, r.errs, s.known)
		if err == nil {
			s.Title, s.Series = m.Title, []Series{{Name: m.Title, Of: m.Title, Model: m}}
		}
		return
	}
	r.combine(model, s.File, func(m *Model, at []string) {
		if s.Title == "" {
			s.Title = m.Title
		}
		s.Series = append(s.Series, Series{s.combination(at), s.Title, m, at})
	})
}

// settings reads what is said of all series.
func (r *studyReader) settings(root *node) (object, bool) {
	d := &decoder{errs: r.errs, unit: Second}
	c := d.root(root)
	o, ok := c.object(studyKeys...)
	if !ok {
		return o, false
	}
	o.head(&r.study.Title)
	r.ranges(&o)
	if v, ok := o.field("reference"); ok {
		r.study.Reference = r.model(&v)
	}
	return o, true
}

// ranges reads the loads and the axes.
func (r *studyReader) ranges(o *object) {
	s := r.study
	if v, ok := o.field("load"); ok {
		s.Loads = v.loads()
	} else {
		s.Loads, s.NoLoads = DefaultLoads(), true
	}
	if v, ok := o.field("over"); ok {
		r.grid = v.grid()
	}
	for _, a := range r.grid {
		s.Axes = append(s.Axes, a.Axis)
	}
}

// series reads an entry of the list, of which every combination of the axes makes one.
func (r *studyReader) series(c *cursor, names map[string]bool) {
	o, ok := c.object("name", "model", "set?")
	if !ok {
		return
	}
	root, path, ok := r.varied(&o)
	if !ok {
		return
	}
	name, named := "", false
	at := c
	if v, there := o.field("name"); there {
		if name, ok = v.text("a name"); !ok {
			return
		}
		at, named = &v, true
	}
	r.combine(root, path, func(m *Model, values []string) {
		one := Series{Name: name, Model: m, At: values}
		if !named {
			one.Name = m.Title
		}
		one.Of = one.Name
		if len(values) > 0 {
			one.Name += ", " + r.study.combination(values)
		}
		if names[one.Name] {
			at.fail(fmt.Sprintf("there is already a series %q", one.Name), "give each a name of its own")
			return
		}
		names[one.Name] = true
		r.study.Series = append(r.study.Series, one)
	})
}

// varied returns the tree of the model that a series names, with its settings.
func (r *studyReader) varied(o *object) (root *node, path string, ok bool) {
	set, there := o.field("set")
	if there && set.kind != mapping {
		set.expected("settings by path", "write them such as {machine.nodes: 16}")
		return nil, "", false
	}
	v, ok := o.need("model", "name its model file")
	if !ok {
		return nil, "", false
	}
	if path, root = r.tree(&v); root == nil {
		return nil, path, false
	}
	before := len(r.errs.list)
	if there {
		for _, e := range set.entries {
			at := set.child(e.key.value, e.key)
			if steps, ok := at.steps(e.key.value); ok {
				root = place(root, steps, e.value, set.src, r.errs)
			}
		}
	}
	root = apply(root, r.sets, r.errs)
	return root, path, len(r.errs.list) == before
}

// steps reads a key that is a path.
func (c *cursor) steps(path string) ([]step, bool) {
	steps, err := parsePath(path)
	if err != nil {
		c.fail(err.Error(), "")
	}
	return steps, err == nil
}

// model reads the model file that the node names.
func (r *studyReader) model(c *cursor) *Model {
	path, root := r.tree(c)
	if root == nil {
		return nil
	}
	m, err := decodeModel(root, path, r.errs, r.study.known)
	if err != nil {
		return nil
	}
	return m
}

// tree reads the model file that the node names into nodes, nil if it cannot be read.
func (r *studyReader) tree(c *cursor) (string, *node) {
	path, ok := c.filePath("the name of a model file")
	if !ok {
		return path, nil
	}
	if root, ok := r.study.trees[path]; ok {
		return path, root
	}
	_, data, ok := c.named("the name of a model file")
	if !ok {
		return path, nil
	}
	root := readTree(newSource(path, data), data, r.errs)
	if root != nil && isStudy(root) {
		c.fail(path+" is a study, not a model", "name a model file")
		root = nil
	}
	r.study.trees[path] = root
	return path, root
}
