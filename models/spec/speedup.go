package spec

import (
	"errors"
	"sort"

	"github.com/partwise/partwise/models/workload"
)

// speedups are the keys of a speedup; linear is a word.
var speedups = []string{"linear", "amdahl", "power", "dowdy", "downey", "table"}

// speedup reads a speedup.
func (c *cursor) speedup() (workload.Speedup, bool) {
	if c.kind == text && c.value == "linear" {
		return workload.Linear{}, true
	}
	if c.kind != mapping {
		remedy := "write linear, or one such as {amdahl: {serial: 0.05}}"
		if c.kind == text {
			remedy = suggest(c.value, speedups)
		}
		c.expected("a speedup", remedy)
		return nil, false
	}
	o, _ := c.object(speedups[1:]...)
	name, body, ok := o.oneOf(speedups[1:]...)
	if !ok || !o.ok {
		return nil, false
	}
	if form, ok := formulas[name]; ok {
		return body.parameters(form.make, form.parameters...)
	}
	return body.table()
}

// formula is a speedup with its parameters, in the order in which make takes them.
type formula struct {
	parameters []string
	make       func([]float64) (workload.Speedup, error)
}

// formulas are the speedups that are given by numbers.
var formulas = map[string]formula{
	"amdahl": {[]string{"serial"}, func(v []float64) (workload.Speedup, error) { return workload.NewAmdahl(v[0]) }},
	"power":  {[]string{"exponent"}, func(v []float64) (workload.Speedup, error) { return workload.NewPower(v[0]) }},
	"dowdy":  {[]string{"beta"}, func(v []float64) (workload.Speedup, error) { return workload.NewDowdy(v[0]) }},
	"downey": {[]string{"A", "sigma"}, func(v []float64) (workload.Speedup, error) {
		return workload.NewDowney(v[0], v[1])
	}},
}

// parameters reads the named numbers of a speedup and makes it.
func (c *cursor) parameters(make func([]float64) (workload.Speedup, error), names ...string) (workload.Speedup, bool) {
	o, ok := c.object(names...)
	if !ok {
		return nil, false
	}
	var v []float64
	for _, name := range names {
		x, fine := o.plain(name, (*cursor).number)
		v, ok = append(v, x), ok && fine
	}
	if !ok || !o.ok {
		return nil, false
	}
	s, err := make(v)
	if err != nil {
		o.invalidParameter(err)
	}
	return s, err == nil
}

// invalidParameter notes an error of package workload at the parameter it concerns.
func (o *object) invalidParameter(err error) {
	var e *workload.ParameterError
	if !errors.As(err, &e) {
		o.fail(err.Error(), "")
		return
	}
	if at, ok := o.field(e.Parameter); ok {
		at.fail(e.Problem, "")
		return
	}
	o.fail(e.Problem, "")
}

// table reads a speedup as pairs of a number of nodes and its speedup.
func (c *cursor) table() (workload.Speedup, bool) {
	if c.kind != mapping {
		c.expected("a table of speedups by number of nodes", "write one such as {1: 1, 2: 1.95, 4: 3.7}")
		return nil, false
	}
	pairs := make(map[float64]*cursor)
	var nodes, speedup []float64
	ok := len(c.entries) > 0
	if !ok {
		c.fail("is empty", "")
	}
	for _, e := range c.entries {
		at, value := c.child(e.key.value, e.key), c.child(e.key.value, e.value)
		n, isNumber := parseNumber(e.key.value)
		switch {
		case !isNumber || !isDecimal(e.key.value) || n < 1:
			at.fail("is not a number of nodes", "")
			ok = false
			continue
		case pairs[n] != nil:
			at.fail("is given twice", "")
			ok = false
			continue
		}
		pairs[n] = &at
		s, fine := value.positive("a speedup")
		nodes, speedup, ok = append(nodes, n), append(speedup, s), ok && fine
	}
	if !ok {
		return nil, false
	}
	t, err := workload.NewTable(nodes, speedup)
	if err != nil {
		c.tableFault(err, pairs)
		return nil, false
	}
	return t, true
}

// tableFault notes an error of a table; what the constructor finds beyond the checks above concerns one node.
func (c *cursor) tableFault(err error, pairs map[float64]*cursor) {
	problem := err.Error()
	var e *workload.ParameterError
	if errors.As(err, &e) {
		problem = e.Problem
	}
	at := c
	if one := pairs[1]; one != nil {
		at = one
	}
	at.fail(problem, "")
}

// covers checks that a speedup is known for every n of sizes.
func (c *cursor) covers(s workload.Speedup, sizes []float64) bool {
	t, ok := s.(*workload.Table)
	if !ok {
		return true
	}
	sizes = append([]float64(nil), sizes...)
	sort.Float64s(sizes)
	low, high := t.Range()
	at := c.child("table", c.lookup("table"))
	for _, n := range []float64{sizes[0], sizes[len(sizes)-1]} {
		if !t.Covers(n) {
			at.fail("covers "+short(low)+" to "+short(high)+" nodes; jobs run on "+
				short(sizes[0])+" to "+short(sizes[len(sizes)-1]), "add the missing ends")
			return false
		}
	}
	return true
}
