package lab

import (
	"context"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/validate/lab/internal/families"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/replay"
)

type (
	// FamilyJobs is a machine and its jobs, which all families run.
	FamilyJobs = families.Workload
	// Family is a way to share the machine, with a policy that stands for it.
	Family = families.Family
	// FamilyOptions say how to run families.
	FamilyOptions = families.Options
	// FamilyOutcome is what a family made of the jobs.
	FamilyOutcome = families.Outcome
)

// Families returns all families for some jobs; costs are the costs of resizing a job, nil for none.
func Families(jobs *FamilyJobs, costs machine.Costs) []Family { return families.Standard(jobs, costs) }

// RunFamilies runs the jobs under every family. The error names the policy, or comes from ctx.
func RunFamilies(ctx context.Context, jobs *FamilyJobs, all []Family, o FamilyOptions) ([]FamilyOutcome, error) {
	return families.Run(ctx, jobs, all, o)
}

// BestFamily returns the index of the outcome with the least mean response time. tied has, in order, its index and the indices
// of all outcomes that do not differ significantly from the best.
func BestFamily(outcomes []FamilyOutcome) (best int, tied []int) { return families.Best(outcomes) }

// FamilyJobsOfLog returns the jobs of a log, in the order of their submission, on a machine of so many nodes. Resized jobs get
// multiples of unit nodes.
func FamilyJobsOfLog(log []joblog.Job, nodes, unit int, assume replay.Assumptions) (*FamilyJobs, error) {
	return families.FromLog(log, nodes, unit, assume)
}

// FamilyJobsOfSystem draws jobs of a system, each of which asks for the nodes of one of so many equal partitions. A system without a
// speedup is an error.
func FamilyJobsOfSystem(s *models.System, jobs, partitions int, seed uint64) (*FamilyJobs, error) {
	return families.FromSystem(s, jobs, partitions, seed)
}
