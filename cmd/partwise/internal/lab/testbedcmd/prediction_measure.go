package testbedcmd

import (
	"context"
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/partwise/partwise/cmd/partwise/internal/lab/testbed"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/validate/des"
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
	Transitions []testbed.Transition
	Nodes       []int       // for which Alone was measured: all, of a large machine the divisors
	Alone       [][]float64 // run times of a job of the mean demand on so many nodes
}

// interval returns the mean of what was measured, with its interval.
func interval(x []float64) metric.Interval { return metric.Student(x, confidence) }

// alone returns the mean run time on the i-th number of nodes.
func (m *Measured) alone(i int) float64 { return stat.Mean(m.Alone[i], nil) }

// confidence of the intervals.
const confidence = 0.95

// mostAlone is the largest machine on which run times are measured for all numbers of nodes.
const mostAlone = 32

// workload returns that of some jobs.
func (s *Study) workload(jobs []testbed.Job) testbed.Workload {
	return testbed.Workload{Jobs: jobs, Phase: s.Phase, Elements: s.Elements}
}

// job returns one with a demand.
func (s *Study) job(demand float64) testbed.Job {
	return testbed.Job{Job: workload.Job{ID: 1, Kind: workload.Malleable, Work: demand, Speedup: s.Speedup}}
}

// Measure measures what repartitions cost, and how long jobs run alone.
func (s *Study) Measure(ctx context.Context, m *testbed.Machine, seed des.Key) (*Measured, error) {
	w := s.workload([]testbed.Job{s.job(s.Demand.Mean())})
	transitions, err := m.Transitions(ctx, w, s.Times, s.Gap, seed)
	if err != nil {
		return nil, err
	}
	for _, t := range transitions {
		if len(t.Samples) < 2 {
			return nil, fmt.Errorf("testbedcmd: %d repartitions to %d jobs were measured: more rounds, or longer gaps, are needed",
				len(t.Samples), t.Running)
		}
	}
	all := &Measured{Transitions: transitions}
	for _, n := range s.sizes() {
		times, err := m.Alone(ctx, w, n, s.runs())
		if err != nil {
			return nil, err
		}
		all.Nodes, all.Alone = append(all.Nodes, n), append(all.Alone, times)
	}
	return all, nil
}

// sizes returns the numbers of nodes on which a job is measured alone.
func (s *Study) sizes() (all []int) {
	for n := 1; n <= s.Nodes; n++ {
		if s.Nodes <= mostAlone || s.Nodes%n == 0 {
			all = append(all, n)
		}
	}
	return all
}

// runs returns how many times it is measured on each.
func (s *Study) runs() int { return max(3, s.Times/2) }

// Duration returns about how long Measure takes.
func (s *Study) Duration() time.Duration {
	alone := 0.0
	for _, n := range s.sizes() {
		alone += s.Demand.Mean() / s.Speedup.At(float64(n)) * float64(s.runs())
	}
	return time.Duration(s.Times*(2*s.Nodes+1))*s.Gap + time.Duration(alone*float64(time.Second))
}

// System returns the model of a machine that has been measured: demands and speedups are those that jobs had alone, a C_i has
// the mean and the variability of the measured ones. A job that comes to the empty machine pays nothing, since what it takes
// to start is part of the time that it runs alone.
func (s *Study) System(m *Measured) (*models.System, error) {
	n := s.Nodes
	speedup, err := m.speedup()
	if err != nil {
		return nil, err
	}
	gap, err := phasetype.Exponential(1) // which is scaled to the loads
	if err != nil {
		return nil, err
	}
	arrivals, err := phasetype.Renewal(gap)
	if err != nil {
		return nil, err
	}
	sys := &models.System{Nodes: n, MinNodes: 1, Arrivals: arrivals, Speedup: speedup, Service: make([]phasetype.Dist, n)}
	if sys.Demand, err = s.Demand.Scale(m.alone(0) / s.Demand.Mean()); err != nil {
		return nil, err
	}
	for i := range n {
		if sys.Service[i], err = sys.Demand.Scale(1 / speedup.At(float64(n)/float64(i+1))); err != nil {
			return nil, err
		}
	}
	sys.Shrink, sys.Expand, err = m.overheads((*testbed.Reconfiguration).Total)
	return sys, err
}

// overheads returns distributions with the means and, but for the least, the squared coefficients of variation of what
// repartitions took, or some of their steps: of those that shrink to 1, 2, …, N jobs, and of those that expand to 1, 2, ….
func (m *Measured) overheads(of func(*testbed.Reconfiguration) float64) (shrink, expand []phasetype.Dist, err error) {
	n := m.Nodes[len(m.Nodes)-1]
	shrink, expand = make([]phasetype.Dist, n), make([]phasetype.Dist, n-1)
	for i := range m.Transitions {
		t := &m.Transitions[i]
		if t.Why == testbed.Arrival && t.Running == 1 {
			continue
		}
		cost, err := phasetype.TwoMoments(Moments(t.Values(of)))
		if err != nil {
			return nil, nil, err
		}
		if t.Why == testbed.Arrival {
			shrink[t.Running-1] = cost
		} else {
			expand[t.Running-1] = cost
		}
	}
	return shrink, expand, nil
}

// speedup returns the one that jobs had.
func (m *Measured) speedup() (workload.Speedup, error) {
	var points []float64
	for i, n := range m.Nodes {
		points = append(points, float64(n), m.alone(0)/m.alone(i))
	}
	return workload.NewSpeedup("table", points...)
}

// leastSCV is that of the distributions of at most twenty phases.
const leastSCV = 1.0 / 20

// Moments returns the mean and the squared coefficient of variation, at least 1/20, of times.
func Moments(x []float64) (mean, scv float64) {
	mean, variance := stat.MeanVariance(x, nil)
	return mean, math.Max(leastSCV, variance/(mean*mean))
}
