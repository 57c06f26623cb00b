package policy

import (
	"fmt"
	"math"

	"github.com/partwise/partwise/models/workload"
)

// Limited is dynamic equi-partitioning that does not resize jobs whose demand is at most Demand, in the time unit of
// the machine.
type Limited struct {
	named[Limited]
	Demand float64
}

// name returns the name of the policy in the table.
func (Limited) name() string { return "limited" }

// entry returns the line of the table: how the policy is written, what runs it, and who described it.
func (Limited) entry() Entry {
	return Entry{
		Name:      "limited",
		Parameter: "DEMAND",
		Means:     "the demand up to which a job is not resized",
		Example:   "limited:600",
		RunsOn:    WholeNodes,
		Jobs:      workload.Malleable,
		Summary:   "divides the nodes evenly, but never resizes jobs with a demand up to DEMAND",
		Source:    "Islam, Prodromidis, Squillante 1996",
		New: measured("a demand, the largest with which a job is not resized",
			func(demand float64) Policy { return Limited{Demand: demand} }),
	}
}

// String returns "limited:" and the demand.
func (l Limited) String() string { return fmt.Sprint("limited:", l.Demand) }

// Check holds that the demand is one; it concerns jobs, not the machine.
func (l Limited) Check(Machine) error {
	if !(l.Demand >= 0) || math.IsInf(l.Demand, 1) {
		return notA("limited", l.Demand, "a demand")
	}
	return nil
}
