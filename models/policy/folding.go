package policy

import (
	"github.com/partwise/partwise/models/workload"
)

// Folding halves the largest partition when a job arrives and gives the nodes of one that departs to the job that has
// the fewest.
//
// Reference: C. McCann, J. Zahorjan, Processor allocation policies for message-passing parallel computers, ACM
// SIGMETRICS 1994, 19–32.
type Folding struct{ plain[Folding] }

// name returns the name of the policy in the table.
func (Folding) name() string { return "folding" }

// entry returns the line of the table: how the policy is written, what runs it, and who described it.
func (Folding) entry() Entry {
	return Entry{
		Name:    "folding",
		Example: "folding",
		RunsOn:  WholeNodes,
		Jobs:    workload.Malleable,
		Summary: "halves one partition for an arrival, gives the nodes of a departure to one job",
		Source:  "McCann, Zahorjan 1994",
		New:     func(string) (Policy, error) { return Folding{}, nil },
	}
}
