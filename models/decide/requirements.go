package decide

import (
	"fmt"
	"math"
	"strings"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/words"
)

// Subject is what a goal refers to: a measure of a policy. A nil Policy stands for the best static policy.
type Subject struct {
	Policy  policy.Policy
	Measure measure.Measure
}

// PolicyName returns the name of the policy in files.
func (s *Subject) PolicyName() string {
	if s.Policy == nil {
		return policy.BestStatic
	}
	return s.Policy.String()
}

// Needs returns the policies that must be solved to know the measure. The best static policy needs all static ones.
func (s *Subject) Needs(m policy.Machine) []policy.Policy {
	if s.Policy == nil {
		return policy.Statics(m)
	}
	return []policy.Policy{s.Policy}
}

// value returns the measure that a goal refers to. ok is false if the policy is unstable or was not solved, or if it does
// not have the measure.
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

// Expectation is a measure and the value that the measure should have.
type Expectation struct {
	Subject
	Value     float64 // times and rates in the unit of the system
	Tolerance float64 // relative
}

// Judgement is the result of comparing a measure with an expectation.
type Judgement struct {
	Found    float64
	Exists   bool    // false if there is no value, in general because the policy is unstable
	Relative float64 // |Found − Value|/|Value|, or |Found − Value| if Value is 0
	Pass     bool
}

// Judge compares a measure with an expectation. The measure passes if Relative is at most the Tolerance.
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

// Requirement is a measure and its bounds. A nil bound is none.
type Requirement struct {
	Subject
	AtMost, AtLeast *float64
}

// Meets reports whether a measure is within its bounds, and returns the measure. exists is false if there is no value;
// the requirement is then not met.
func (d *Decision) Meets(r *Requirement) (found float64, exists, met bool) {
	found, exists = d.value(&r.Subject)
	met = exists && (r.AtMost == nil || found <= *r.AtMost) && (r.AtLeast == nil || found >= *r.AtLeast)
	return found, exists, met
}

// InWords says what a requirement demands and what there is, and whether the requirement is met. Times are in a unit.
func (d *Decision) InWords(goal *Requirement, timeUnit string) (text string, met bool) {
	name := goal.PolicyName() + " " + goal.Measure.Name
	v, exists, met := d.Meets(goal)
	unit := goal.Measure.Unit.In(timeUnit)
	says := func(than string, limit float64) string {
		return fmt.Sprintf("%s is %s, at %s %s is required", name, strings.TrimSpace(words.Round(v, 6)+" "+unit), than,
			strings.TrimSpace(words.Shortest(limit)+" "+unit))
	}
	switch {
	case !exists:
		return name + " does not exist: unstable", met
	case goal.AtMost != nil && (met || v > *goal.AtMost):
		return says("most", *goal.AtMost), met
	}
	return says("least", *goal.AtLeast), met
}
