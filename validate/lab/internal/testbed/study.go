package testbed

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/metric"
)

// Study says what is run. Times are in seconds of the machine of processes.
type Study struct {
	Nodes    int
	Demand   phasetype.Dist // run time on one node
	Speedup  workload.Speedup
	Phase    time.Duration // of a job, after which it can be resized
	Elements int           // of the array of a job
	Times    int           // that each transition is measured
	Gap      time.Duration // between two of them
}

// Measured is what was measured on a machine.
type Measured struct {
	Transitions []Transition
	Nodes       []int       // for which Alone was measured: all, of a large machine the divisors
	Alone       [][]float64 // run times of a job of the mean demand on so many nodes
}

// errNothing is the error of a study without what it is made of.
var errNothing = errors.New("testbed: a study, a machine and what was measured on the machine are needed")

// interval returns the mean of what was measured, with its interval.
func interval(x []float64) metric.Interval { return metric.Student(x, measure.Confidence) }

// alone returns the mean run time, in seconds, of a job that has m.Nodes[i] nodes for itself.
func (m *Measured) alone(i int) float64 { return stat.Mean(m.Alone[i], nil) }

// mostAlone is the largest machine on which run times are measured for all numbers of nodes.
const mostAlone = 32

// workload returns some jobs with the phases and the arrays of the study.
func (s *Study) workload(jobs []Job) Workload {
	return Workload{Jobs: jobs, Phase: s.Phase, Elements: s.Elements}
}

// job returns a malleable job with a demand, its run time on one node in seconds.
func (s *Study) job(demand float64) Job {
	return Job{Job: workload.Job{ID: 1, Kind: workload.Malleable, Work: demand, Speedup: s.Speedup}}
}

// Measure measures on a machine what repartitions cost, s.Times times each, and how long a job of the mean demand runs
// alone. It takes real time, in which the machine runs nothing else. The error says which repartitions were not measured
// often enough.
func (s *Study) Measure(ctx context.Context, m *Machine, seed des.Key) (*Measured, error) {
	if s == nil || m == nil {
		return nil, errNothing
	}
	w := s.workload([]Job{s.job(s.Demand.Mean())})
	transitions, err := m.Transitions(ctx, w, s.Times, s.Gap, seed)
	if err != nil {
		return nil, err
	}
	for _, t := range transitions {
		if len(t.Samples) < 2 {
			return nil, fmt.Errorf("testbed: %d repartitions to %d jobs were measured: more rounds, or longer gaps, are needed",
				len(t.Samples), t.Running)
		}
	}
	all := &Measured{Transitions: transitions}
	for n := 1; n <= s.Nodes; n++ {
		if s.Nodes > mostAlone && s.Nodes%n != 0 {
			continue
		}
		times, err := m.Alone(ctx, w, n, max(3, s.Times/2))
		if err != nil {
			return nil, err
		}
		all.Nodes, all.Alone = append(all.Nodes, n), append(all.Alone, times)
	}
	return all, nil
}

// leastSCV is the least SCV of a distribution of at most twenty phases.
const leastSCV = 1.0 / 20

// Moments returns the mean and the squared coefficient of variation, at least 1/20, of times.
func Moments(x []float64) (mean, scv float64) {
	mean, variance := stat.MeanVariance(x, nil)
	return mean, math.Max(leastSCV, variance/(mean*mean))
}
