package replay

import (
	"math"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/sched"
)

// Assumptions are the properties of jobs and machine that no log records. A [Study] replays the log under these
// assumptions.
type Assumptions struct {
	Cost    Cost             // of a resize
	Stops   models.Stops     // the jobs that stand still during a resize
	Speedup workload.Speedup // of jobs on other nodes than they asked for; nil: linear
	Points  machine.Points   // scheduling points of a job, at which it can be resized; zero: any time
	// Least and Most bound the nodes of a malleable job, as factors of the nodes that it asked for. The bounds hold
	// where only some jobs are malleable, and under easy-malleable, which starts jobs on the nodes that they ask for.
	// Other policies give malleable jobs any number of nodes.
	Least, Most float64
	Sigma       float64 // of Downey's speedup, under policies that mold jobs by their parallelism
	// StartWindow is a rule by the clock of the log, to which EASY keeps with rigid and with malleable jobs; nil: jobs
	// start at any time. Other policies do not know it.
	StartWindow *sched.StartWindow
}

// Usual returns the assumptions that hold unless the user states others:
//
//   - A resize takes 60 s, during which the resized jobs stand still.
//   - Programs have a serial fraction of 1 %.
//   - Malleable jobs run on 0.5 to 2 times the nodes that they asked for.
//   - Molded jobs have Downey's speedup with sigma 1.
func Usual() Assumptions {
	return Assumptions{Cost: Cost{Name: "60s", Seconds: 60}, Stops: models.ResizedStop, Speedup: workload.Amdahl{Serial: 0.01},
		Least: 0.5, Most: 2, Sigma: 1}
}

// MaxNodes returns the largest number of nodes on which a malleable job runs that asked for asked nodes. It is asked
// multiplied by the factor most, rounded up to units of machine m, and at most all whole units of m. The unit must be at
// least 1.
func MaxNodes(asked int, m policy.Machine, most float64) int {
	return m.Unit * int(min(math.Ceil(most*float64(asked)/float64(m.Unit)), float64(m.Partitions())))
}

// orLinear returns the speedup of jobs on other nodes than they asked for: a.Speedup, or a linear speedup if it is nil.
func (a *Assumptions) orLinear() workload.Speedup {
	if a.Speedup == nil {
		return workload.Linear{}
	}
	return a.Speedup
}
