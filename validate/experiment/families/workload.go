package families

import (
	"errors"
	"fmt"
	"math"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/swf"
	"github.com/partwise/partwise/validate/des"
	"github.com/partwise/partwise/validate/machine"
)

// FromLog returns the jobs of a log, in the order of their submission, on a machine of so many nodes. Each asks for the
// nodes that it had, on which it runs as logged; they are its average parallelism, too, of Downey's speedup with the given
// sigma, as no log tells how jobs run on other numbers, and it is given no more nodes than make it faster.
func FromLog(log []swf.Job, nodes int, sigma float64) (*Workload, error) {
	shape := workload.WithParallelism(workload.Malleable, func(int) float64 { return sigma })
	jobs, err := workload.AllJobs(workload.FromLog(swf.Jobs(log), shape))
	if err != nil {
		return nil, err
	}
	for i := range jobs {
		if d, ok := jobs[i].Speedup.(workload.Downey); ok {
			jobs[i].Max = int(min(math.Ceil(d.Saturation()), float64(nodes)))
		}
	}
	return &Workload{Nodes: nodes, Unit: 1, Jobs: jobs}, nil
}

// FromSystem draws so many jobs of a system, each of which asks for the nodes of one of so many equal partitions. The error
// is that the system has no speedup, as where its run times were measured, or that no such partitions can be made.
func FromSystem(s *models.System, jobs, partitions int, seed uint64) (*Workload, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	switch {
	case s.Speedup == nil:
		return nil, errors.New("families: run times that were measured say nothing of other numbers of nodes; a demand and a " +
			"speedup are needed")
	case partitions < 1 || s.Partitions()%partitions != 0:
		return nil, fmt.Errorf("families: %d partitions cannot be split into %d", s.Partitions(), partitions)
	}
	w := &Workload{Nodes: s.Nodes, Unit: s.MinNodes}
	source := (&machine.Random{Arrivals: s.Arrivals, Demand: s.Demand, Speedup: s.Speedup}).Jobs(des.Seed(seed).At(jobStream))
	for range jobs {
		var j workload.Job
		if err := source.Next(&j); err != nil {
			return nil, err
		}
		j.Nodes = s.Nodes / partitions
		j.Run = j.RunOn(j.Nodes)
		w.Jobs = append(w.Jobs, j)
	}
	return w, nil
}
