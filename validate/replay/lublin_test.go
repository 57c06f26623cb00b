package replay

import (
	"math"
	"math/rand/v2"

	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
)

// Lublin returns n jobs of Lublin's model at a load of 0.7.
func Lublin(r *rand.Rand, nodes, n int) ([]joblog.Job, error) {
	entry, err := workload.JobModelNamed("lublin99")
	if err != nil {
		return nil, err
	}
	model, err := entry.New(nil)
	if err != nil {
		return nil, err
	}
	source, err := model.Jobs(nodes, r)
	if err != nil {
		return nil, err
	}
	log, err := FromJobs(workload.FirstJobs(source, n), nodes)
	if err != nil {
		return nil, err
	}
	jobs, err := jobsAt(log, 0.7)
	for i := range jobs {
		jobs[i].Submit = math.Round(jobs[i].Submit)
	}
	return jobs, err
}

// jobsAt returns the chosen jobs of a log at a load; 0 is that of the log.
func jobsAt(log *Log, load float64) ([]joblog.Job, error) {
	at, err := log.At(load)
	if err != nil {
		return nil, err
	}
	list, err := at.List()
	if err != nil {
		return nil, err
	}
	return list.Jobs(), nil
}
