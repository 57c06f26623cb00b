package replay

import (
	"errors"
	"math"

	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/validate/machine"
)

// MadeLog describes a job log that a model of jobs makes.
type MadeLog struct {
	Model workload.JobModel
	Nodes int
	Jobs  int
	Load  float64 // that the jobs offer; 0: the load of the model
	// Estimator adds the run times that users would request; nil: none. The estimator must not learn from run times, because
	// these jobs have not run.
	Estimator workload.Estimator
	Seed      uint64
}

// Streams of the random numbers of a log that is made.
const (
	madeJobs = iota
	madeEstimates
)

// Make returns the jobs in the order of their submission. To offer a load, the times between submissions are stretched, and
// submissions then rounded to whole seconds. The same seed makes the same jobs.
//
// It is an error if there is no model. Other errors come from the model, or from [Stretched].
func (m *MadeLog) Make() ([]joblog.Job, error) {
	if m == nil || m.Model == nil {
		return nil, errors.New("replay: there is no model of jobs")
	}
	key := machine.Seed(m.Seed)
	stream := key.At(madeJobs).Stream()
	endless, err := m.Model.Jobs(m.Nodes, &stream)
	if err != nil {
		return nil, err
	}
	jobs := workload.FirstJobs(endless, m.Jobs)
	if m.Estimator != nil {
		m.estimate(jobs, key.At(madeEstimates))
	}
	if m.Load == 0 {
		return jobs, nil
	}
	if jobs, err = Stretched(jobs, m.Nodes, m.Load); err != nil {
		return nil, err
	}
	for i := range jobs {
		jobs[i].Submit = math.Round(jobs[i].Submit)
	}
	return jobs, nil
}

// estimate writes what users request into jobs, each with a stream of its own.
func (m *MadeLog) estimate(jobs []joblog.Job, key machine.Key) {
	for i := range jobs {
		j := &jobs[i]
		stream := key.At(uint64(i)).Stream()
		shaped := workload.AsLogged(j)
		j.Estimate = math.Ceil(m.Estimator.Estimate(&shaped, j.Submit, &stream))
	}
}
