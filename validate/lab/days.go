package lab

import (
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/lab/internal/days"
)

// MostDays is the largest number of days of a study.
const MostDays = days.MostDays

type (
	// DaysStudy says which policies are compared on the days of Downey's workload; its method Simulate sets its Rows.
	DaysStudy = days.Study
	// DaysStrategy is a policy under the name that a study gives it.
	DaysStrategy = days.Strategy
	// DaysOptions say how to simulate.
	DaysOptions = days.Options
	// DaysOutcome is what a policy made of the jobs at a load.
	DaysOutcome = days.Outcome
	// BestParameter is the best value of the parameter of a policy at a load.
	BestParameter = days.BestRow
	// CurvePoint is a point of a curve of a study that simulates nothing.
	CurvePoint = days.Point
)

// NewDaysStudy returns a study of Downey's experiment without policies: 120 days on 64 nodes at the load 0.75.
func NewDaysStudy(table policy.Table) *DaysStudy { return days.NewStudy(table) }

// DaysFigures returns table 1 and the figures of Downey's report.
func DaysFigures() []*DaysStudy { return days.Figures() }

// DaysMeasures returns the names of the measures of an outcome, in the order in which results show them.
func DaysMeasures() []string { return days.Measures() }

// BestOfDays returns the index of the outcome with the largest value of a measure if largest, otherwise with the least value. It also
// returns, in order, the indices of all outcomes that do not differ significantly from the best, itself among them. All outcomes are
// of the same days.
func BestOfDays(outcomes []DaysOutcome, name string, largest bool) (best int, tied []int) {
	return days.Best(outcomes, name, largest)
}
