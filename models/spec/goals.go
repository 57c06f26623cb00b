package spec

import (
	"fmt"
	"slices"

	"github.com/partwise/partwise/models"
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
func (c *cursor) expectations(s *models.System) ([]Expectation, bool) {
	return listOf(c, "expectations {policy: ..., measure: ..., value: ...}", func(item *cursor) (Expectation, bool) {
		return item.expectation(s)
	})
}

// listOf reads a list of which every item is read by the same function; it reads all of them, for all their mistakes.
func listOf[T any](c *cursor, what string, read func(item *cursor) (T, bool)) ([]T, bool) {
	items, ok := c.sequence(what)
	if !ok {
		return nil, false
	}
	all := make([]T, len(items))
	for i := range items {
		v, fine := read(&items[i])
		all[i], ok = v, ok && fine
	}
	return all, ok
}

func (c *cursor) expectation(s *models.System) (e Expectation, ok bool) {
	o, ok := c.object("policy", "measure", "value", "tolerance")
	if !ok {
		return e, false
	}
	subject, okSubject := o.subject(s)
	e = Expectation{Subject: subject, Tolerance: DefaultTolerance}
	okTolerance := true
	if v, ok := o.field("tolerance"); ok {
		e.Tolerance, okTolerance = v.nonnegative("a tolerance")
	}
	v, ok := o.need("value", "give the value that is expected")
	if !ok || !okSubject || !okTolerance || !o.ok {
		return e, false
	}
	e.Value, ok = v.measured(subject.Measure.Unit)
	return e, ok
}

// requirements reads the list under require.
func (c *cursor) requirements(s *models.System) ([]Requirement, bool) {
	return listOf(c, "requirements {policy: ..., measure: ..., at_most: ...}", func(item *cursor) (Requirement, bool) {
		return item.requirement(s)
	})
}

func (c *cursor) requirement(s *models.System) (r Requirement, ok bool) {
	o, ok := c.object("policy", "measure", "at_most", "at_least")
	if !ok {
		return r, false
	}
	if r.Subject, ok = o.subject(s); !ok || !o.ok {
		return r, false
	}
	for key, bound := range map[string]**float64{"at_most": &r.AtMost, "at_least": &r.AtLeast} {
		if v, there := o.field(key); there {
			x, fine := v.measured(r.Measure.Unit)
			*bound, ok = &x, ok && fine
		}
	}
	if r.AtMost == nil && r.AtLeast == nil {
		c.fail("at_most or at_least is needed", "")
		return r, false
	}
	return r, ok
}

// subject reads the policy and the measure.
func (o *object) subject(s *models.System) (Subject, bool) {
	r := Subject{At: Position{o.src.name, o.line, o.col, o.path()}}
	okPolicy, okMeasure := false, false
	if v, ok := o.need("policy", "name dynamic, static:K or best-static"); ok {
		r.Policy, okPolicy = v.policy(s)
	}
	if v, ok := o.need("measure", "name one, such as mean_response_time"); ok {
		r.Measure, okMeasure = v.measure()
	}
	if okPolicy && okMeasure && r.Policy != models.Dynamic {
		okMeasure = o.staticMeasure(r.Measure)
	}
	return r, okPolicy && okMeasure
}

// policy reads a policy of which there is one row of results.
func (c *cursor) policy(s *models.System) (string, bool) {
	name, ok := c.text("a policy")
	if !ok || name == BestStatic {
		return name, ok
	}
	policies, err := s.ParsePolicies(name)
	if err != nil {
		remedy := fmt.Sprintf("use dynamic, best-static or static:K with K one of %v", s.Divisors())
		c.fail(fmt.Sprintf("no policy %q", name), remedy)
		return "", false
	}
	if name == models.Static && len(policies) > 1 {
		c.fail("static is more than one policy", "write static:K or best-static")
		return "", false
	}
	return policies[0].String(), true
}

func (c *cursor) measure() (models.Measure, bool) {
	names := make([]string, len(models.Table))
	for i, m := range models.Table {
		names[i] = m.Name
	}
	name, ok := c.word("a measure", names...)
	if !ok {
		return models.Measure{}, false
	}
	return models.Table[slices.Index(names, name)], true
}

// staticMeasure notes as a mistake a measure that only policies with repartitions have.
func (o *object) staticMeasure(m models.Measure) bool {
	stable := models.Measures{Stable: true}
	if _, ok := m.Of(&stable); ok {
		return true
	}
	at, _ := o.field("measure")
	at.fail(fmt.Sprintf("a static policy has no %s", m.Name), "it belongs to policy: dynamic")
	return false
}
