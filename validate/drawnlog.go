package validate

import (
	"io"
	"sort"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/machine"
)

// LoggedJobs are the jobs of a log in the order of their submission. A [machine.List] holds all of them in memory. For a
// long log, an implementation may keep less of each job, and make the job in Get.
type LoggedJobs interface {
	// Len returns the number of jobs.
	Len() int
	// Get overwrites j with job i, counted from 0. Several goroutines may call it at a time.
	Get(i int, j *workload.Job)
}

var _ LoggedJobs = machine.List(nil)

// readSubmits sets submits to the times when the jobs of a log were submitted.
func readSubmits(submits []float64, jobs LoggedJobs) {
	var j workload.Job
	for i := range submits {
		jobs.Get(i, &j)
		submits[i] = j.Submit
	}
}

// unbounded are jobs that can use any number of nodes.
type unbounded struct{ LoggedJobs }

// Get overwrites j with job i, without its largest number of nodes.
func (u unbounded) Get(i int, j *workload.Job) {
	u.LoggedJobs.Get(i, j)
	j.Max = 0
}

// drawnLog is a workload of the jobs of a log at other times, in another order, or with the work of a model.
//
// Its jobs are made when they are read. Copies of the jobs of a long log would take most of the memory of a comparison.
type drawnLog struct {
	logged  LoggedJobs
	submits []float64  // by place in the workload; nil: as logged
	order   []int32    // by place in the workload: the number of the job in the log; nil: the order of the log
	model   *modelWork // nil: the jobs of the log
}

// asLogged returns the workload of the jobs of a log as they are.
func asLogged(jobs LoggedJobs) *drawnLog { return &drawnLog{logged: jobs} }

// Jobs returns a source of the jobs. Jobs of a drawn log have their place, counted from 1, as ID. The random key is not
// used, so that each run has the same jobs.
func (d *drawnLog) Jobs(des.Key) workload.Source {
	at, next := 0, d.loggedJob
	if d.model != nil {
		next = d.model.jobs()
	}
	return workload.SourceFunc(func(j *workload.Job) error {
		if at == d.logged.Len() {
			return io.EOF
		}
		next(at, j)
		if d.submits != nil {
			j.ID, j.Submit = at+1, d.submits[at]
		}
		at++
		return nil
	})
}

// loggedJob overwrites j with the job of the log that has the given place in the workload.
func (d *drawnLog) loggedJob(place int, j *workload.Job) {
	if d.order != nil {
		place = int(d.order[place])
	}
	d.logged.Get(place, j)
}

// modelWork draws malleable jobs of a model: first the class, by its share, then the demand.
type modelWork struct {
	classes []models.Class
	demands []*des.Times // by class
	shares  []float64    // of the classes so far
	key     des.Key
}

// newModelWork returns the jobs of a system. The same key gives the same jobs.
func newModelWork(s *models.System, key des.Key) *modelWork {
	m := &modelWork{classes: s.Classes, key: key}
	if len(m.classes) == 0 {
		m.classes = []models.Class{{Share: 1, Demand: s.Demand, Speedup: s.Speedup}}
	}
	for _, class := range m.classes {
		m.demands, m.shares = append(m.demands, des.NewTimes(class.Demand)), append(m.shares, class.Share)
	}
	floats.CumSum(m.shares, m.shares)
	return m
}

// jobs returns a function that overwrites j with the next job, without a time of submission. The place is not used.
func (m *modelWork) jobs() func(place int, j *workload.Job) {
	stream := m.key.Stream()
	return func(_ int, j *workload.Job) {
		k := 0
		if len(m.classes) > 1 {
			k = sort.SearchFloat64s(m.shares, stream.Float64()*m.shares[len(m.shares)-1])
		}
		*j = workload.Job{User: -1, Application: -1, Kind: workload.Malleable, Max: m.classes[k].MaxNodes,
			Work: m.demands[k].Draw(&stream), Speedup: m.classes[k].Speedup}
	}
}
