package spec

import (
	"fmt"
	"math"
	"os"
	"strconv"
)

// Study is what a study file says: models to be solved at a range of loads.
type Study struct {
	File      string // as it was named
	Title     string
	Loads     []float64
	Reference *Model // its capacity is load 1 for all series; nil: each model's own
	Series    []Series
}

// Series is a model of a study under its name.
type Series struct {
	Name  string
	Model *Model
}

// maxLoads bounds the number of loads of a study.
const maxLoads = 100_000

// DefaultLoads are the loads of a study that names none: 0.02, 0.04, …, 0.98.
func DefaultLoads() []float64 { return loadRange(0.02, 0.98, 0.02) }

// loadRange returns from, from + step, … up to to, each rounded to 12 digits.
func loadRange(from, to, step float64) []float64 {
	n := int(math.Floor((to-from)/step*(1+1e-12) + 1e-9))
	loads := make([]float64, n+1)
	for i := range loads {
		loads[i] = round12(from + float64(i)*step)
	}
	return loads
}

// round12 rounds to 12 significant digits.
func round12(v float64) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 12, 64), 64)
	if err != nil {
		return v
	}
	return r
}

// studyKeys are the keys of a study file.
var studyKeys = []string{"version", "title", "load", "reference", "series"}

// LoadStudy reads the study file path after the settings were applied to it. A model file is a study of one series at
// the loads 0.02, 0.04, …, 0.98. The error is [Errors] if a file is wrong, that of the operating system if path cannot
// be read.
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
	root := readTree(newSource(name, data), data, &errs)
	if root == nil {
		return nil, errs.err()
	}
	root = apply(root, sets, &errs)
	if err := errs.err(); err != nil {
		return nil, err
	}
	if !isStudy(root) {
		m, err := decodeModel(root, name, &errs, fits{})
		if err != nil {
			return nil, err
		}
		return &Study{File: name, Title: m.Title, Loads: DefaultLoads(), Series: []Series{{m.Title, m}}}, nil
	}
	r := studyReader{errs: &errs, trees: make(map[string]*node), fits: fits{}}
	s := r.study(root, name)
	if err := errs.err(); err != nil {
		return nil, err
	}
	return s, nil
}

// isStudy tells a study from a model by the keys that only one of them has.
func isStudy(root *node) bool {
	study, model := 0, 0
	for _, e := range root.entries {
		switch e.key.value {
		case "series", "load", "reference":
			study++
		case "machine", "arrivals", "jobs", "dynamic", "static", "time_unit", "expect", "require":
			model++
		}
	}
	return study > model || root.lookup("series") != nil
}

// studyReader reads the models of a study; what several series name is read, and fitted, once.
type studyReader struct {
	errs  *collector
	trees map[string]*node // nil for a file that cannot be read
	fits  fits
}

func (r *studyReader) study(root *node, name string) *Study {
	d := &decoder{errs: r.errs, unit: Second}
	c := d.root(root)
	o, ok := c.object(studyKeys...)
	if !ok {
		return nil
	}
	s := &Study{File: name, Title: baseName(name), Loads: DefaultLoads()}
	o.head(&s.Title)
	if v, ok := o.field("load"); ok {
		s.Loads = v.loads()
	}
	if v, ok := o.field("reference"); ok {
		s.Reference = r.model(&v, nil)
	}
	v, ok := o.need("series", "list what to draw, series: [{name: ..., model: m.yaml}]")
	if !ok {
		return nil
	}
	items, ok := v.sequence("series {name: ..., model: ...}")
	if ok && len(items) == 0 {
		v.fail("is empty", "")
	}
	names := make(map[string]bool)
	for i := range items {
		if one, ok := r.series(&items[i], names); ok {
			s.Series = append(s.Series, one)
		}
	}
	return s
}

func (r *studyReader) series(c *cursor, names map[string]bool) (s Series, ok bool) {
	o, ok := c.object("name", "model", "set?")
	if !ok {
		return s, false
	}
	var set *cursor
	if v, there := o.field("set"); there {
		if v.kind != mapping {
			v.expected("settings by path", "write them such as {machine.nodes: 16}")
			return s, false
		}
		set = &v
	}
	v, ok := o.need("model", "name its model file")
	if !ok {
		return s, false
	}
	if s.Model = r.model(&v, set); s.Model == nil {
		return s, false
	}
	s.Name = s.Model.Title
	at := c
	if v, there := o.field("name"); there {
		if s.Name, ok = v.text("a name"); !ok {
			return s, false
		}
		at = &v
	}
	if names[s.Name] {
		at.fail(fmt.Sprintf("there is already a series %q", s.Name), "give each a name of its own")
		return s, false
	}
	names[s.Name] = true
	return s, o.ok
}

// model reads the model file that the node names and applies the settings to it.
func (r *studyReader) model(c *cursor, set *cursor) *Model {
	path, root := r.tree(c)
	if root == nil {
		return nil
	}
	before := len(r.errs.list)
	if isStudy(root) {
		c.fail(path+" is a study, not a model", "name a model file")
		return nil
	}
	if set != nil {
		for _, e := range set.entries {
			at := set.child(e.key.value, e.key)
			steps, err := parsePath(e.key.value)
			if err != nil {
				at.fail(err.Error(), "")
				continue
			}
			root = place(root, steps, e.value, c.src, r.errs)
		}
	}
	if len(r.errs.list) > before {
		return nil
	}
	m, err := decodeModel(root, path, r.errs, r.fits)
	if err != nil {
		return nil
	}
	return m
}

func (r *studyReader) tree(c *cursor) (string, *node) {
	path, ok := c.filePath("the name of a model file")
	if !ok {
		return path, nil
	}
	if root, ok := r.trees[path]; ok {
		return path, root
	}
	_, data, ok := c.named("the name of a model file")
	if !ok {
		return path, nil
	}
	root := readTree(newSource(path, data), data, r.errs)
	r.trees[path] = root
	return path, root
}

// loads reads a list of loads or {from, to, step}.
func (c *cursor) loads() []float64 {
	if c.kind == list {
		v, _ := c.numbers("load", (*cursor).positive)
		return v
	}
	if c.kind != mapping {
		c.expected("a list of loads or {from: 0.02, to: 0.98, step: 0.02}", "")
		return nil
	}
	o, _ := c.object("from", "to", "step")
	from, okFrom := o.plain("from", (*cursor).positive)
	to, okTo := o.plain("to", (*cursor).positive)
	step, okStep := o.plain("step", (*cursor).positive)
	switch {
	case !okFrom || !okTo || !okStep || !o.ok:
		return nil
	case to < from:
		at, _ := o.field("to")
		at.fail(fmt.Sprintf("%s is less than from", at.got()), "")
		return nil
	case (to-from)/step > maxLoads:
		at, _ := o.field("step")
		at.fail(fmt.Sprintf("makes more than %d loads", maxLoads), "take larger steps")
		return nil
	}
	return loadRange(from, to, step)
}
