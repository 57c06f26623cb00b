package validate

import (
	"math"
	"slices"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
)

// Failure returns the first comparison that failed, with its first rejected row; nil and nil if no comparison failed.
func (v *Validation) Failure() (*Comparison, *Row) {
	for _, variant := range v.Variants {
		for i := range variant.Comparisons {
			if row := variant.Comparisons[i].Failure(); row != nil {
				return &variant.Comparisons[i], row
			}
		}
	}
	return nil, nil
}

// ValidatedRow is the comparison of one measure of a policy with its solution, in the first variant and on divided nodes.
type ValidatedRow struct {
	Policy  policy.Policy
	*Row         // in the first variant
	Divided *Row // on divided nodes; nil if the policy is not compared there beside the model
}

// Passes reports whether the row passes in the first variant and, if it is compared there, on divided nodes.
func (r *ValidatedRow) Passes() bool { return r.Pass && (r.Divided == nil || r.Divided.Pass) }

// Rows returns the rows of all comparisons in the first variant, in their order, with the rows of the same measure on divided
// nodes. A row for each policy of v.Unstable follows. It has the traffic intensity as analytic value, and NaN as simulated value.
func (v *Validation) Rows() (rows []ValidatedRow) {
	for k, variant := range v.Variants {
		for i := range variant.Comparisons {
			c := &variant.Comparisons[i]
			if k == 0 {
				for j := range c.Rows {
					rows = append(rows, ValidatedRow{Policy: c.Policy, Row: &c.Rows[j]})
				}
				continue
			}
			for j := range rows {
				if rows[j].Policy == c.Policy {
					rows[j].Divided = c.OfClass(rows[j].Class, rows[j].Measure)
				}
			}
		}
	}
	for i := range v.Unstable {
		u, nan := &v.Unstable[i], math.NaN()
		rows = append(rows, ValidatedRow{Policy: u.Policy,
			Row: &Row{Measure: measure.TrafficIntensity, Analytic: u.Measures.TrafficIntensity,
				Simulated: nan, Low: nan, High: nan, P: nan, Pass: true}})
	}
	return rows
}

// Estimate returns this variant's estimate for the policy, class and measure of a row of [Validation.Rows]. ok is false if the
// policy was not simulated in this variant, or if its simulation lacks the measure.
func (a *Variant) Estimate(r *ValidatedRow) (e Estimate, ok bool) {
	i := slices.IndexFunc(a.Runs, func(s Simulation) bool { return s.Policy == r.Policy })
	if i < 0 {
		return e, false
	}
	return a.Runs[i].OfClass(r.Class, r.Measure)
}
