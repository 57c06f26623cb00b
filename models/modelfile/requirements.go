package modelfile

import (
	"errors"
	"fmt"
	"strings"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile/internal/tree"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/words"
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

func (r *modelReader) expectation(c *tree.Cursor) (e Expectation) {
	c.Keys("policy", "measure", "value", "tolerance")
	e.Subject, e.At, e.Tolerance = r.subject(c), position(c), defaultTolerance
	if v := c.Field("tolerance"); v.There() {
		e.Tolerance = v.Nonnegative()
	}
	v := c.Need("value", "give the value that is expected")
	if c.Valid() {
		e.Value = measured(v, e.Measure.Unit)
	}
	return e
}

func (r *modelReader) requirement(c *tree.Cursor) (q Requirement) {
	c.Keys("policy", "measure", "at_most", "at_least")
	q.Subject, q.At = r.subject(c), position(c)
	if !c.Valid() {
		return q
	}
	bound := func(key string) *float64 {
		v := c.Field(key)
		if !v.There() {
			return nil
		}
		x := measured(v, q.Measure.Unit)
		return &x
	}
	if q.AtMost, q.AtLeast = bound("at_most"), bound("at_least"); q.AtMost == nil && q.AtLeast == nil {
		c.Failf("at_most or at_least is needed")
	}
	return q
}

// measured reads a value of the dimension of a measure.
func measured(c *tree.Cursor, u measure.Unit) float64 {
	switch u {
	case measure.Time:
		return c.Time()
	case measure.Rate:
		return c.Rate()
	}
	return c.Number()
}

func position(c *tree.Cursor) string {
	return fmt.Sprintf("%s:%d:%d: %s", c.Source.Name, c.Line, c.Column, c.Path())
}

// subject reads the policy and the measure.
func (r *modelReader) subject(c *tree.Cursor) decide.Subject {
	s := decide.Subject{Policy: r.policy(c.Need("policy", "name dynamic, static:K or best-static")),
		Measure: measureOf(c.Need("measure", "name one, such as mean_response_time"))}
	_, static := s.Policy.(policy.Static)
	stable := models.Measures{Stable: true}
	if _, ok := stable.Of(s.Measure.Name); c.Valid() && !ok && (static || s.Policy == nil) {
		c.FailField("measure", fmt.Sprintf("a static policy has no %s", s.Measure.Name), "it belongs to policy: dynamic")
	}
	return s
}

// policy reads a policy of which there is one row of results, nil for the best static one.
func (r *modelReader) policy(c *tree.Cursor) policy.Policy {
	name := c.Text("a policy")
	if !c.Valid() || name == policy.BestStatic {
		return nil
	}
	if name == policy.EveryStatic {
		c.Fail("static is more than one policy", "write static:K or best-static")
		return nil
	}
	asked, err := policy.Standard().Select(r.system.Machine(), policy.Chain, measure.InUnit(name, c.Unit()))
	if unknown := (*policy.UnknownError)(nil); errors.As(err, &unknown) {
		word, _, _ := strings.Cut(name, ":")
		known := append(policy.Standard().On(policy.Chain).Names(), policy.BestStatic)
		if nearest, near := words.Nearest(word, known); near {
			c.Fail(fmt.Sprintf("unknown policy %q", name), fmt.Sprintf("did you mean %q?", nearest+name[len(word):]))
			return nil
		}
	}
	if err != nil {
		c.Fail(strings.TrimPrefix(err.Error(), "policy "), "")
		return nil
	}
	return asked.Named[0]
}

func measureOf(c *tree.Cursor) (m measure.Measure) {
	name := tree.Word(c, "a measure", words.Texts(models.Table(), func(m measure.Measure) string { return m.Name })...)
	if c.Valid() {
		m = measure.Must(name)
	}
	return m
}
