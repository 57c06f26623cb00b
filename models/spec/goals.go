package spec

import (
	"fmt"
	"slices"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/spec/tree"
)

// BestStatic names the best static policy in expectations and requirements.
const BestStatic = "best-static"

// Position is a place in a file.
type Position struct {
	File         string
	Line, Column int
	Path         string
}

// Subject is what an expectation or a requirement speaks of.
type Subject struct {
	Policy  string // dynamic, static:K or best-static
	Measure models.Measure
	At      Position
}

// Expectation is a measure with the value it should have.
type Expectation struct {
	Subject
	Value     float64 // times and rates in the unit of the model
	Tolerance float64 // relative
}

// DefaultTolerance is the relative tolerance of an expectation that names none.
const DefaultTolerance = 1e-6

// Requirement is a measure with bounds; nil where there is none.
type Requirement struct {
	Subject
	AtMost, AtLeast *float64
}

// expectations reads the list under expect.
func (r *modelReader) expectations(c *tree.Cursor) ([]Expectation, bool) {
	return tree.ListOf(c, "expectations {policy: ..., measure: ..., value: ...}", r.expectation)
}

func (r *modelReader) expectation(c *tree.Cursor) (e Expectation, ok bool) {
	o, ok := c.Object("policy", "measure", "value", "tolerance")
	if !ok {
		return e, false
	}
	subject, okSubject := r.subject(o)
	e = Expectation{Subject: subject, Tolerance: DefaultTolerance}
	okTolerance := true
	if v, ok := o.Field("tolerance"); ok {
		e.Tolerance, okTolerance = v.Nonnegative("a tolerance")
	}
	v, ok := o.Need("value", "give the value that is expected")
	if !ok || !okSubject || !okTolerance || !o.Valid() {
		return e, false
	}
	e.Value, ok = measured(v, subject.Measure.Unit)
	return e, ok
}

// requirements reads the list under require.
func (r *modelReader) requirements(c *tree.Cursor) ([]Requirement, bool) {
	return tree.ListOf(c, "requirements {policy: ..., measure: ..., at_most: ...}", r.requirement)
}

func (r *modelReader) requirement(c *tree.Cursor) (q Requirement, ok bool) {
	o, ok := c.Object("policy", "measure", "at_most", "at_least")
	if !ok {
		return q, false
	}
	if q.Subject, ok = r.subject(o); !ok || !o.Valid() {
		return q, false
	}
	for key, bound := range map[string]**float64{"at_most": &q.AtMost, "at_least": &q.AtLeast} {
		if v, there := o.Field(key); there {
			x, fine := measured(v, q.Measure.Unit)
			*bound, ok = &x, ok && fine
		}
	}
	if q.AtMost == nil && q.AtLeast == nil {
		c.Fail("at_most or at_least is needed", "")
		return q, false
	}
	return q, ok
}

// measured reads a value of the dimension of a measure.
func measured(c *tree.Cursor, u models.Unit) (float64, bool) {
	switch u {
	case models.Time:
		return c.Time("a time")
	case models.Rate:
		return c.Rate("a rate")
	}
	return c.Number("a number")
}

// subject reads the policy and the measure.
func (r *modelReader) subject(o *tree.Object) (Subject, bool) {
	s := Subject{At: Position{o.Source.Name, o.Line, o.Column, o.Path()}}
	okPolicy, okMeasure := false, false
	if v, ok := o.Need("policy", "name dynamic, static:K or best-static"); ok {
		s.Policy, okPolicy = r.policy(v)
	}
	if v, ok := o.Need("measure", "name one, such as mean_response_time"); ok {
		s.Measure, okMeasure = measure(v)
	}
	if okPolicy && okMeasure && s.Policy != models.Dynamic {
		okMeasure = staticMeasure(o, s.Measure)
	}
	return s, okPolicy && okMeasure
}

// policy reads a policy of which there is one row of results.
func (r *modelReader) policy(c *tree.Cursor) (string, bool) {
	name, ok := c.Text("a policy")
	if !ok || name == BestStatic {
		return name, ok
	}
	policies, err := r.system.ParsePolicies(name)
	if err != nil {
		remedy := fmt.Sprintf("use dynamic, best-static or static:K with K one of %v", r.system.Divisors())
		c.Fail(fmt.Sprintf("no policy %q", name), remedy)
		return "", false
	}
	if name == models.Static && len(policies) > 1 {
		c.Fail("static is more than one policy", "write static:K or best-static")
		return "", false
	}
	return policies[0].String(), true
}

func measure(c *tree.Cursor) (models.Measure, bool) {
	names := make([]string, len(models.Table))
	for i, m := range models.Table {
		names[i] = m.Name
	}
	name, ok := c.Word("a measure", names...)
	if !ok {
		return models.Measure{}, false
	}
	return models.Table[slices.Index(names, name)], true
}

// staticMeasure notes as a mistake a measure that only policies with repartitions have.
func staticMeasure(o *tree.Object, m models.Measure) bool {
	stable := models.Measures{Stable: true}
	if _, ok := m.Of(&stable); ok {
		return true
	}
	o.FailField("measure", fmt.Sprintf("a static policy has no %s", m.Name), "it belongs to policy: dynamic")
	return false
}
