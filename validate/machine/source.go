package machine

import (
	"errors"
	"fmt"
	"math"

	"github.com/partwise/partwise/models/workload"
)

// Request is a job of a replay.
type Request struct {
	Arrival float64 // time from the beginning; not before that of the job before
	Demand  float64 // work, positive
	// Speedup of this job: S(n) is the work that it does on n nodes in a unit of time. If it is nil that is Config.Speed[n].
	Speedup workload.Speedup
}

// ErrEnded says that all jobs of a replay have departed.
var ErrEnded = errors.New("machine: all jobs of the replay have departed")

// checkJobs checks where the jobs come from.
func (c *Config) checkJobs() error {
	last := 0.0
	for i, q := range c.Replay {
		if !(q.Arrival >= last) || math.IsInf(q.Arrival, 1) || !(q.Demand > 0) || math.IsInf(q.Demand, 1) {
			return fmt.Errorf("machine: job %d of the replay comes at %v, after one at %v, with a demand of %v",
				i, q.Arrival, last, q.Demand)
		}
		last = q.Arrival
	}
	for i, x := range c.Sample {
		if !(x > 0) || math.IsInf(x, 1) {
			return fmt.Errorf("machine: demand %d of the sample is %v; it must be positive", i, x)
		}
	}
	switch {
	case c.Replay != nil && len(c.Replay) == 0:
		return errors.New("machine: no jobs to replay")
	case c.Sample != nil && len(c.Sample) == 0:
		return errors.New("machine: no demands in the sample")
	case c.Replay == nil && c.Arrivals.Phases() == 0:
		return errors.New("machine: no arrivals")
	case c.Replay == nil && c.Sample == nil && c.Demand.Atom() > 0:
		return errors.New("machine: demands must be positive")
	}
	return nil
}

// announce puts the next arrival into the calendar, if there is one.
func (r *machineRun) announce() {
	switch {
	case r.replay == nil:
		r.calendar.Schedule(r.now+r.arrivals.gap(), occurrence{kind: arrives})
	case r.announced < uint64(len(r.replay)):
		r.calendar.Schedule(r.replay[r.announced].Arrival, occurrence{kind: arrives})
	}
	r.announced++
}

// demandOf returns the work of the i-th job to come, drawn from its own stream.
func (r *machineRun) demandOf(i uint64) float64 {
	if r.replay != nil {
		return r.replay[i].Demand
	}
	stream := r.keys.At(i).Stream()
	if r.sample != nil {
		return r.sample[int(stream.Float64()*float64(len(r.sample)))]
	}
	return r.demand.draw(&stream)
}

// speedOf returns the work that a job does in a unit of time.
func (r *machineRun) speedOf(j *workedJob) float64 {
	if r.replay != nil && j.nodes > 0 {
		if s := r.replay[j.number].Speedup; s != nil {
			return s.At(float64(j.nodes))
		}
	}
	return r.speed[j.nodes]
}

// ended says why nothing will happen any more.
func (r *machineRun) ended() error {
	if n := len(r.running) + r.waiting.len(); n > 0 {
		return fmt.Errorf("machine: policy %s: leaves %d jobs where they are for ever", r.decide.Name(), n)
	}
	return ErrEnded
}
