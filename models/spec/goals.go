package spec

import (
	"errors"
	"fmt"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
)

// Position is a place in a file.
type Position struct {
	File         string
	Line, Column int
	Path         string
}

// Expectation is an expectation with the place where it stands.
type Expectation struct {
	decide.Expectation
	At Position
}

// DefaultTolerance is the relative tolerance of an expectation that names none.
const DefaultTolerance = 1e-6

// Requirement is a requirement with the place where it stands.
type Requirement struct {
	decide.Requirement
	At Position
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
	e.At, e.Subject, e.Tolerance = o.position(), subject, DefaultTolerance
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
	r.At = o.position()
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

func (o *object) position() Position { return Position{o.src.name, o.line, o.col, o.path()} }

// subject reads the policy and the measure.
func (o *object) subject(s *models.System) (decide.Subject, bool) {
	var r decide.Subject
	okPolicy, okMeasure := false, false
	if v, ok := o.need("policy", "name dynamic, static:K or best-static"); ok {
		r.Policy, okPolicy = v.policy(s)
	}
	if v, ok := o.need("measure", "name one, such as mean_response_time"); ok {
		r.Measure, okMeasure = v.measure()
	}
	if okPolicy && okMeasure {
		if _, static := r.Policy.(policy.Static); static || r.Policy == nil {
			okMeasure = o.staticMeasure(r.Measure)
		}
	}
	return r, okPolicy && okMeasure
}

// policy reads a policy of which there is one row of results, nil for the best static one.
func (c *cursor) policy(s *models.System) (policy.Policy, bool) {
	name, ok := c.text("a policy")
	if !ok || name == policy.BestStatic {
		return nil, ok
	}
	if name == policy.EveryStatic {
		c.fail("static is more than one policy", "write static:K or best-static")
		return nil, false
	}
	asked, err := policy.Standard().Select(s.Machine(), policy.Chain, name)
	if err != nil {
		problem, remedy := fmt.Sprintf("no policy %q", name), "use "+alternatives(policy.Standard().Choices(policy.Chain))
		var parameter *policy.ParameterError
		var runner *policy.RunnerError
		switch {
		case errors.As(err, &parameter):
			remedy = parameter.Problem
		case errors.As(err, &runner):
			problem, remedy = err.Error(), "goals speak of what is solved"
		}
		c.fail(problem, remedy)
		return nil, false
	}
	return asked.Named[0], true
}

func (c *cursor) measure() (measure.Measure, bool) {
	all := models.Table()
	names := make([]string, len(all))
	for i, m := range all {
		names[i] = m.Name
	}
	name, ok := c.word("a measure", names...)
	if !ok {
		return measure.Measure{}, false
	}
	return measure.Must(name), true
}

// staticMeasure notes as a mistake a measure that only policies with repartitions have.
func (o *object) staticMeasure(m measure.Measure) bool {
	stable := models.Measures{Stable: true}
	if _, ok := stable.Of(m.Name); ok {
		return true
	}
	at, _ := o.field("measure")
	at.fail(fmt.Sprintf("a static policy has no %s", m.Name), "it belongs to policy: dynamic")
	return false
}
