package replay

import (
	"math"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/machine"
)

// Assumptions are what no log tells of its jobs.
type Assumptions struct {
	Cost    Cost             // of a resize
	Stops   models.Stops     // who stands still for it
	Speedup workload.Speedup // of jobs on other nodes than they asked for; nil: linear
	Points  machine.Points   // in the course of a job at which it can be resized; zero: anywhere
	// Least and Most are the factors of the nodes that a malleable job asked for, between which it runs. They hold where
	// only some jobs are malleable, and under easy-malleable, which starts jobs on the nodes that they ask for. Other
	// policies give malleable jobs any number of nodes.
	Least, Most float64
	Sigma       float64 // of Downey's speedup, under policies that mold jobs by their parallelism
}

// Usual returns what is assumed of a log where nobody says otherwise: a resize takes 60 s, for which the resized jobs stand
// still; programs have a serial fraction of 1 %; malleable jobs run on .5 to 2 times the nodes that they asked for; molded
// jobs have Downey's sigma 1.
func Usual() Assumptions {
	return Assumptions{Cost: Cost{Name: "60s", Seconds: 60}, Stops: models.ResizedStop, Speedup: workload.Amdahl{Serial: 0.01},
		Least: 0.5, Most: 2, Sigma: 1}
}

// MaxNodes returns how many nodes of a machine a job can use that asked for some: the factor most times these, rounded up to
// units, and at most all.
func MaxNodes(asked int, m policy.Machine, most float64) int {
	return m.Unit * int(min(math.Ceil(most*float64(asked)/float64(m.Unit)), float64(m.Partitions())))
}
