package decide

import (
	"math"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
)

// Subject is what a goal speaks of: a measure of a policy, or of the best static one if the policy is nil.
type Subject struct {
	Policy  policy.Policy
	Measure measure.Measure
}

// PolicyName returns how files name the policy.
func (s *Subject) PolicyName() string {
	if s.Policy == nil {
		return policy.BestStatic
	}
	return s.Policy.String()
}

// Needs returns the policies that must be solved to know the measure.
func (s *Subject) Needs(m policy.Machine) []policy.Policy {
	if s.Policy == nil {
		return policy.Statics(m)
	}
	return []policy.Policy{s.Policy}
}

// value returns the measure that a goal speaks of; ok is false if it does not exist, because the policy is unstable.
func (d *Decision) value(s *Subject) (v float64, ok bool) {
	r := d.Best
	if s.Policy != nil {
		r = d.Of(s.Policy)
	}
	if r == nil {
		return 0, false
	}
	return r.Measures.Of(s.Measure.Name)
}

// Expectation is a measure with the value it should have.
type Expectation struct {
	Subject
	Value     float64 // times and rates in the unit of the system
	Tolerance float64 // relative
}

// Judgement is what became of an expectation.
type Judgement struct {
	Found    float64
	Exists   bool    // otherwise the policy is unstable
	Relative float64 // error; an expected 0 has no relative error, and the absolute one is taken
	Pass     bool
}

// Judge compares a measure with what was expected.
func (d *Decision) Judge(e *Expectation) Judgement {
	var j Judgement
	if e == nil {
		return j
	}
	if j.Found, j.Exists = d.value(&e.Subject); !j.Exists {
		return j
	}
	j.Relative = math.Abs(j.Found - e.Value)
	if e.Value != 0 {
		j.Relative /= math.Abs(e.Value)
	}
	j.Pass = j.Relative <= e.Tolerance
	return j
}

// Requirement is a measure with bounds; nil where there is none.
type Requirement struct {
	Subject
	AtMost, AtLeast *float64
}

// Meets reports whether a requirement is met, and the value that was found; exists is false if there is none.
func (d *Decision) Meets(r *Requirement) (found float64, exists, met bool) {
	found, exists = d.value(&r.Subject)
	met = exists && (r.AtMost == nil || found <= *r.AtMost) && (r.AtLeast == nil || found >= *r.AtLeast)
	return found, exists, met
}
