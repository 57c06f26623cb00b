package policy

import (
	"github.com/partwise/partwise/models/workload"
)

// Dynamic is dynamic equi-partitioning: the nodes are divided evenly among the jobs, up to N of them, and divided anew
// whenever that number changes.
//
// Reference: N. Islam, A. Prodromidis, M. S. Squillante, Dynamic partitioning in different distributed-memory
// environments, JSSPP 1996, LNCS 1162, section 2.1.
type Dynamic struct{ plain[Dynamic] }

// name returns the name of the policy in the table.
func (Dynamic) name() string { return "dynamic" }

// MostJobs returns the number of units: each job needs one.
func (Dynamic) MostJobs(units int) int { return units }

// entry returns the line of the table: how the policy is written, what runs it, and who described it.
func (Dynamic) entry() Entry {
	return Entry{
		Name:    "dynamic",
		Example: "dynamic",
		RunsOn:  Chain | WholeNodes,
		Jobs:    workload.Malleable,
		Mixed:   true,
		Summary: "divides the nodes evenly among all jobs whenever one arrives or departs",
		Source:  "Islam, Prodromidis, Squillante 1996",
		New:     func(string) (Policy, error) { return Dynamic{}, nil },
	}
}
