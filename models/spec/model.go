package spec

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/partwise/partwise/models"
)

// Version is the version of the files this package reads.
const Version = 1

// Model is what a model file says.
type Model struct {
	File     string // as it was named
	Title    string // the name of the file without its extension if it has no title
	TimeUnit TimeUnit
	System   *models.System
	Expect   []Expectation
	Require  []Requirement
	Warnings []error // doubts, each an *[Error]
}

// Load reads the model file path after the settings were applied to it. The error is [Errors] if the file is wrong,
// that of the operating system if it cannot be read.
func Load(path string, sets ...Set) (*Model, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, data, sets...)
}

// Parse reads a model from the text of a file. The name appears in errors, says by its extension whether the text is
// JSON (.json) or YAML, and relative paths in the text refer to its directory. The error is [Errors].
func Parse(name string, data []byte, sets ...Set) (*Model, error) {
	var errs collector
	root := readTree(newSource(name, data), data, &errs)
	if root == nil {
		return nil, errs.err()
	}
	root = apply(root, sets, &errs)
	if err := errs.err(); err != nil {
		return nil, err
	}
	return decodeModel(root, name, &errs, newKnown())
}

// modelKeys are the keys of a model file.
var modelKeys = []string{
	"version", "title", "time_unit", "machine", "arrivals", "jobs", "dynamic?", "static?", "expect?", "require?",
}

func decodeModel(root *node, name string, errs *collector, k *known) (*Model, error) {
	d := &decoder{errs: errs, unit: Second, known: k}
	m := &Model{File: name, Title: baseName(name), TimeUnit: Second}
	c := d.root(root)
	if o, ok := c.object(modelKeys...); ok {
		o.head(&m.Title)
		o.model(m)
	}
	if err := errs.err(); err != nil {
		return nil, err
	}
	m.Warnings = d.warnings
	return m, nil
}

func baseName(path string) string {
	base := filepath.Base(path)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// head reads the version and the title.
func (o *object) head(title *string) {
	if v, ok := o.field("version"); ok {
		if n, ok := v.number("a version"); ok && n != Version {
			v.fail("version "+v.got()+" is not known", "this program reads version 1")
		}
	}
	if v, ok := o.field("title"); ok {
		if s, ok := v.text("a title"); ok {
			*title = s
		}
	}
}

// model reads the parts of a model; what depends on a part that is wrong is not looked at.
func (o *object) model(m *Model) {
	if v, ok := o.field("time_unit"); ok {
		if m.TimeUnit, ok = v.timeUnit(); !ok {
			m.TimeUnit = Second
		}
		o.d.unit = m.TimeUnit
	}
	s := &models.System{}
	m.System = s
	sized := false
	if v, there := o.need("machine", "say how many nodes it has, machine: {nodes: 8}"); there {
		sized = v.machine(s)
	}
	ok := sized
	load := 0.0
	if v, there := o.need("arrivals", "say how jobs arrive, such as arrivals: {rate: 0.01}"); there {
		var fine bool
		s.Arrivals, load, fine = v.arrivals()
		ok = ok && fine
	}
	ok = o.parts(m, sized) && ok
	if ok && load > 0 {
		o.rescale(m, load)
	}
}

// parts reads what is checked against the machine, as far as that is known.
func (o *object) parts(m *Model, sized bool) (ok bool) {
	jobs, there := o.need("jobs", "give jobs: {demand: ..., speedup: ...} or jobs: {service: [...]}")
	if !sized {
		o.check()
		return false
	}
	ok = there && jobs.jobs(m.System)
	if v, there := o.field("dynamic"); there {
		ok = v.dynamic(m.System) && ok
	}
	if v, there := o.field("static"); there {
		ok = v.static(m.System) && ok
	}
	if v, there := o.field("expect"); there {
		m.Expect, _ = v.expectations(m.System)
	}
	if v, there := o.field("require"); there {
		m.Require, _ = v.requirements(m.System)
	}
	return ok
}

// check looks for mistakes in the distributions and the speedup of a model whose number of partitions is not known.
func (o *object) check() {
	for _, key := range []string{"jobs", "dynamic", "static"} {
		part, ok := o.field(key)
		if !ok || part.kind != mapping {
			continue
		}
		for _, e := range part.entries {
			v := part.child(e.key.value, e.value)
			switch e.key.value {
			case "speedup":
				v.speedup()
			case "demand":
				v.dist()
			case "service", "shrink", "expand":
				v.checkList()
			}
		}
	}
}

// checkList looks for mistakes in the distributions of a list.
func (c *cursor) checkList() {
	if c.kind != list {
		return
	}
	for i := range c.items {
		if at := c.item(i); at.kind != null {
			at.dist()
		}
	}
}

// rescale brings the arrivals to the load that the file asks for.
func (o *object) rescale(m *Model, load float64) {
	scaled, err := m.System.WithLoad(load)
	if err != nil {
		arrivals, _ := o.field("arrivals")
		at := arrivals.child("load", arrivals.lookup("load"))
		at.fail("the arrivals cannot be rescaled to it", err.Error())
		return
	}
	m.System = scaled
}
