package policy

import (
	"fmt"
	"strconv"

	"github.com/partwise/partwise/models/workload"
)

// Capped is dynamic equi-partitioning among at most Jobs jobs; the others wait.
type Capped struct {
	named[Capped]
	Jobs int
}

// name returns the name of the policy in the table.
func (Capped) name() string { return "capped" }

// MostJobs returns Jobs.
func (c Capped) MostJobs(int) int { return c.Jobs }

// entry returns the line of the table: how the policy is written, what runs it, and who described it.
func (Capped) entry() Entry {
	return Entry{
		Name:      "capped",
		Parameter: "K",
		Means:     "the largest number of jobs that run",
		Example:   "capped:4",
		RunsOn:    Chain | WholeNodes,
		Jobs:      workload.Malleable,
		Mixed:     true,
		Summary:   "divides the nodes evenly among at most K jobs",
		New:       counted("a number of jobs", func(k int) Policy { return Capped{Jobs: k} }),
	}
}

// String returns "capped:" and the number of jobs.
func (c Capped) String() string { return "capped:" + strconv.Itoa(c.Jobs) }

// Check holds that no more jobs run than the machine has partitions.
func (c Capped) Check(m Machine) error {
	if n := m.Partitions(); c.Jobs < 1 || c.Jobs > n {
		return &ParameterError{Policy: c.String(), Problem: fmt.Sprintf("at most K jobs can run at once, K = 1..%d", n),
			Example: Capped{Jobs: max(1, n)}.String()}
	}
	return nil
}
