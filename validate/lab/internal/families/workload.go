package families

import (
	"errors"
	"fmt"
	"math"

	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/replay"
)

// FromLog returns the jobs of a log, in the order of their submission, on a machine of so many nodes. Resized jobs get
// multiples of unit nodes. Each policy runs them as a replay does: all jobs count, from the first one on.
func FromLog(log []joblog.Job, nodes, unit int, assume replay.Assumptions) (*Workload, error) {
	w := &Workload{Nodes: nodes, Unit: unit, log: log, assume: assume}
	var err error
	w.Jobs, _, err = w.under(Family{Policy: policy.Dynamic{}})
	return w, err
}

// under returns the jobs as a policy takes them, and the machine that it runs them on.
func (w *Workload) under(f Family) ([]workload.Job, machine.Config, error) {
	s := replay.Setting{Policy: f.Policy, Nodes: w.Nodes, Unit: w.Unit, Assumptions: w.assume}
	s.Cost = replay.Cost{Name: "0s"}
	c, err := s.Machine()
	if err != nil {
		return nil, c, err
	}
	c.Costs = f.Costs
	if w.log != nil {
		jobs, err := workload.FromLog(joblog.ListOf(w.log), s.Shape())
		return jobs, c, err
	}
	jobs := make([]workload.Job, len(w.Jobs))
	for i, j := range w.Jobs {
		jobs[i] = j
		jobs[i].Kind = s.Kind()
		if s.Kind() == workload.Rigid {
			jobs[i] = j.Rigid()
		}
	}
	return jobs, c, nil
}

// FromSystem draws so many jobs of a system, each of which asks for the nodes of one of so many equal partitions. The error
// is that the system has no speedup, as where its run times were measured.
func FromSystem(s *models.System, jobs, partitions int, seed uint64) (*Workload, error) {
	if s == nil || partitions < 1 {
		return nil, errors.New("families: a system and at least one partition are needed")
	}
	if s.Speedup == nil {
		return nil, errors.New("families: run times that were measured say nothing of other numbers of nodes; a demand and a " +
			"speedup are needed")
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

// Simulating programs of mostWork node-seconds under all policies that share nodes in time takes halfMinute seconds of one processor.
const mostWork, halfMinute = 12_000, 30.0

// shortestDedicated is the shortest mean run time of time-shared jobs, in seconds. Shorter run times are too near the slices of
// the policies to say anything.
const shortestDedicated = 0.1

// Affordable returns the mean run time of time-shared jobs, in seconds: the wanted time, or a shorter one with which the simulation
// of all families takes half a minute at most. The error is a *[parallel.LimitError] if the shorter time is below 0.1 s, which is
// too near the slices of the policies. mostJobs is the number of jobs whose mean run time could be 0.1 s.
func (w *Workload) Affordable(wanted float64) (seconds float64, mostJobs int, err error) {
	if w == nil || !(wanted > 0) {
		return 0, 0, fmt.Errorf("families: a mean run time of %v s, or no jobs to give it to", wanted)
	}
	work := w.workOfSecond()
	mostJobs = int(math.Round(float64(len(w.Jobs)) * mostWork / work / shortestDedicated))
	if !(work*wanted > mostWork) {
		return wanted, mostJobs, nil
	}
	seconds = rounded(mostWork / work)
	if seconds < wanted && seconds < shortestDedicated {
		err = &parallel.LimitError{Resource: parallel.Time,
			What: fmt.Sprintf("%d jobs are too many to simulate programs that share nodes in time: "+
				"in half a minute their mean run time could only be %s s", len(w.Jobs), words.Round(seconds, 2))}
	}
	return seconds, mostJobs, err
}

// workOfSecond returns the node-seconds of all jobs together, when their run times are scaled to a mean of one second.
func (w *Workload) workOfSecond() float64 {
	work := 0.0
	for i := range w.Jobs {
		work += float64(w.Jobs[i].Asked(w.Nodes)) * w.run(i)
	}
	return work / w.MeanRun()
}

// checkTime returns a *[parallel.LimitError] if simulating the jobs as programs takes more than a day of one processor.
// Policies that share nodes in time simulate jobs in this way. dedicated is the mean run time of a job in seconds.
func (w *Workload) checkTime(dedicated float64) error {
	return parallel.Check("the simulation of programs", parallel.Time, halfMinute*dedicated*w.workOfSecond()/mostWork, 0)
}
