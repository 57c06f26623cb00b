package modelfile

import (
	"errors"
	"fmt"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile/internal/tree"
	"github.com/partwise/partwise/models/policy"
)

// Expectation is an expectation with the place where it stands, such as model.yaml:12:5: expect[0].
type Expectation struct {
	decide.Expectation
	At string
}

// defaultTolerance is the relative tolerance of an expectation that names none.
const defaultTolerance = 1e-6

// Requirement is a requirement with the place where it stands.
type Requirement struct {
	decide.Requirement
	At string
}

// expectations reads the list under expect.
func (r *modelReader) expectations(c *tree.Cursor) ([]Expectation, bool) {
	return tree.ListOf(c, "expectations {policy: ..., measure: ..., value: ...}", r.expectation)
}

func (r *modelReader) expectation(c *tree.Cursor) (e Expectation, ok bool) {
	o, _ := c.Object("policy", "measure", "value", "tolerance")
	e.At = position(o)
	e.Subject = r.subject(o)
	e.Tolerance = tree.Optional(o, "tolerance", defaultTolerance, tree.As((*tree.Cursor).Nonnegative, "a tolerance"))
	if v, there := o.Need("value", "give the value that is expected"); there && o.Valid() {
		e.Value, _ = measured(v, e.Measure.Unit)
	}
	return e, o.Valid()
}

// requirements reads the list under require.
func (r *modelReader) requirements(c *tree.Cursor) ([]Requirement, bool) {
	return tree.ListOf(c, "requirements {policy: ..., measure: ..., at_most: ...}", r.requirement)
}

func (r *modelReader) requirement(c *tree.Cursor) (q Requirement, ok bool) {
	o, _ := c.Object("policy", "measure", "at_most", "at_least")
	q.At = position(o)
	if q.Subject = r.subject(o); !o.Valid() {
		return q, false
	}
	for key, bound := range map[string]**float64{"at_most": &q.AtMost, "at_least": &q.AtLeast} {
		if v, there := o.Field(key); there {
			x, _ := measured(v, q.Measure.Unit)
			*bound = &x
		}
	}
	if q.AtMost == nil && q.AtLeast == nil {
		c.Fail("at_most or at_least is needed", "")
	}
	return q, o.Valid()
}

// measured reads a value of the dimension of a measure.
func measured(c *tree.Cursor, u measure.Unit) (float64, bool) {
	switch u {
	case measure.Time:
		return c.Time("a time")
	case measure.Rate:
		return c.Rate("a rate")
	}
	return c.Number("a number")
}

func position(o *tree.Object) string {
	return fmt.Sprintf("%s:%d:%d: %s", o.Source.Name, o.Line, o.Column, o.Path())
}

// subject reads the policy and the measure.
func (r *modelReader) subject(o *tree.Object) decide.Subject {
	s := decide.Subject{Policy: tree.Needed(o, "policy", "name dynamic, static:K or best-static", r.policy),
		Measure: tree.Needed(o, "measure", "name one, such as mean_response_time", measureOf)}
	_, static := s.Policy.(policy.Static)
	stable := models.Measures{Stable: true}
	if _, ok := stable.Of(s.Measure.Name); o.Valid() && !ok && (static || s.Policy == nil) {
		o.FailField("measure", fmt.Sprintf("a static policy has no %s", s.Measure.Name), "it belongs to policy: dynamic")
	}
	return s
}

// policy reads a policy of which there is one row of results, nil for the best static one.
func (r *modelReader) policy(c *tree.Cursor) (policy.Policy, bool) {
	name, ok := c.Text("a policy")
	if !ok || name == policy.BestStatic {
		return nil, ok
	}
	if name == policy.EveryStatic {
		c.Fail("static is more than one policy", "write static:K or best-static")
		return nil, false
	}
	asked, err := policy.Standard().Select(r.system.Machine(), policy.Chain, measure.InUnit(name, c.Unit()))
	if err == nil {
		return asked.Named[0], true
	}
	problem := fmt.Sprintf("no policy %q", name)
	remedy := "use " + tree.Alternatives(policy.Standard().Choices(policy.Chain))
	var parameter *policy.ParameterError
	var runner *policy.RunnerError
	switch {
	case errors.As(err, &parameter):
		remedy = parameter.Problem
	case errors.As(err, &runner):
		problem, remedy = err.Error(), "goals speak of what is solved"
	}
	c.Fail(problem, remedy)
	return nil, false
}

func measureOf(c *tree.Cursor) (m measure.Measure, ok bool) {
	name, ok := c.Word("a measure", tree.Texts(models.Table(), func(m measure.Measure) string { return m.Name })...)
	if ok {
		m = measure.Must(name)
	}
	return m, ok
}
