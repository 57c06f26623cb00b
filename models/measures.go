package models

import (
	"context"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/multiserver"
	"github.com/partwise/partwise/models/measure"
)

// Measures is what a policy does to a system in the long run. Times are in the unit of the system.
type Measures struct {
	TrafficIntensity float64 // dynamic λ·E[B_N]/N, static λ·(E[set-up]+E[B_K])/K
	MaxArrivalRate   float64 // the arrival rate at which the traffic intensity is 1
	// The rest is zero unless Stable.
	Stable           bool
	MeanResponseTime float64
	MeanJobs         float64
	VarianceJobs     float64
	MeanWaitingJobs  float64 // E[(jobs − partitions)⁺]
	MeanWaitingTime  float64
	ProbabilityWait  float64 // an arriving job finds all partitions taken
	MeanExecuting    float64 // dynamic: jobs that make progress; static: busy partitions
	// Utilization is P(executing, level ≥ 1) of dynamic partitioning or, where only resized jobs stop, the share of the
	// nodes whose jobs make progress; busy partitions / K of a static one.
	Utilization      float64
	Throughput       float64
	DecayRate        float64 // caudal characteristic
	ProbabilityEmpty float64
	Repartitions     *Repartitions   // nil for a policy that never repartitions
	Classes          []ClassMeasures // of the system's classes that arrive
	levels           func(ctx context.Context) ([]float64, error)
	delays           func(ctx context.Context, class string) (waiting, response *multiserver.Delay, err error)
	follow           func(ctx context.Context, class string) (*response, error)
	Diagnostics      markov.Diagnostics
}

// LevelProbabilities returns P(number of jobs = i) from 0 until the rest is below 1e-12, at most 10,000 values; nil if
// the policy is unstable. They are computed when asked for; the error is that of ctx if it ends.
func (m *Measures) LevelProbabilities(ctx context.Context) ([]float64, error) {
	if m == nil || m.levels == nil {
		return nil, nil
	}
	return m.levels(ctx)
}

// Forget drops what is computed on request, and with it the solution that it would be computed from.
func (m *Measures) Forget() { m.levels, m.delays, m.follow = nil, nil, nil }

// Quantiles returns the times that jobs of a class, or any jobs if class is empty, wait and take with the probabilities p at
// most. Under static partitioning they are exact. Under dynamic partitioning a job is followed through the repartitions for
// its response time: bound is the largest error of the probabilities, and there is no waiting time. There are none at all for
// other policies, and if the policy is unstable. The error wraps [markov.ErrTooLarge] where following a job would take too long.
func (m *Measures) Quantiles(ctx context.Context, class string, p []float64) (waiting, response []float64, bound float64, err error) {
	switch {
	case m == nil:
	case m.delays != nil:
		wait, stay, err := m.delays(ctx, class)
		if err == nil {
			waiting, err = quantiles(ctx, wait, p)
		}
		if err == nil {
			response, err = quantiles(ctx, stay, p)
		}
		return waiting, response, 0, err
	case m.follow != nil:
		r, err := m.follow(ctx, class)
		if err != nil {
			return nil, nil, 0, err
		}
		for _, p := range p {
			if err := ctx.Err(); err != nil {
				return nil, nil, 0, err
			}
			response = append(response, (r.Quantile(1-p, false)+r.Quantile(1-p, true))/2)
		}
		return nil, response, r.Off(), nil
	}
	return nil, nil, 0, nil
}

func quantiles(ctx context.Context, d *multiserver.Delay, p []float64) ([]float64, error) {
	all := make([]float64, len(p))
	for i := range p {
		var err error
		if all[i], err = d.Quantile(ctx, p[i]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Repartitions says how often the machine repartitions. Only those that cost time count.
type Repartitions struct {
	Probability   float64 // p_r, the share of time
	Rate          float64 // started = ShrinkRate + ExpandRate
	ShrinkRate    float64
	ExpandRate    float64
	AbandonedRate float64 // interrupted by an arrival below N jobs
	// MeanOverhead is the mean time a repartition takes if nothing interrupts it: that of the C_i, weighted by the rates
	// at which they are started; 0 if none is.
	MeanOverhead float64
	Partial      bool // only the resized jobs stand still, the others go on
}

// starts counts the flow into repartitions of a kind, and reports whether they are such.
func (r *Repartitions) starts(kind byte, flow float64) bool {
	switch kind {
	case executing:
	case expanding:
		r.ExpandRate += flow
	default:
		r.ShrinkRate += flow
	}
	return kind != executing
}

// solved lists every scalar measure of a chain, in the order of output.
var solved = []struct {
	name string
	of   func(*Measures) (float64, bool)
}{
	{measure.MeanResponseTime, plain(func(m *Measures) float64 { return m.MeanResponseTime })},
	{measure.MeanJobs, plain(func(m *Measures) float64 { return m.MeanJobs })},
	{measure.VarianceJobs, plain(func(m *Measures) float64 { return m.VarianceJobs })},
	{measure.MeanWaitingJobs, plain(func(m *Measures) float64 { return m.MeanWaitingJobs })},
	{measure.MeanWaitingTime, plain(func(m *Measures) float64 { return m.MeanWaitingTime })},
	{measure.ProbabilityWait, plain(func(m *Measures) float64 { return m.ProbabilityWait })},
	{measure.MeanExecutingJobs, plain(func(m *Measures) float64 { return m.MeanExecuting })},
	{measure.Utilization, plain(func(m *Measures) float64 { return m.Utilization })},
	{measure.Throughput, plain(func(m *Measures) float64 { return m.Throughput })},
	{measure.TrafficIntensity, plain(func(m *Measures) float64 { return m.TrafficIntensity })},
	{measure.DecayRate, plain(func(m *Measures) float64 { return m.DecayRate })},
	{measure.ProbabilityEmpty, plain(func(m *Measures) float64 { return m.ProbabilityEmpty })},
	{measure.ProbabilityRepartition, dynamic(func(r *Repartitions) float64 { return r.Probability })},
	{measure.RepartitionRate, dynamic(func(r *Repartitions) float64 { return r.Rate })},
	{measure.ShrinkRate, dynamic(func(r *Repartitions) float64 { return r.ShrinkRate })},
	{measure.ExpandRate, dynamic(func(r *Repartitions) float64 { return r.ExpandRate })},
	{measure.AbandonedRate, dynamic(func(r *Repartitions) float64 { return r.AbandonedRate })},
}

// Table returns the measures that chains have, in the order of output.
func Table() []measure.Measure {
	all := make([]measure.Measure, len(solved))
	for i, s := range solved {
		all[i] = measure.Must(s.name)
	}
	return all
}

// Of returns the measure of the given name; ok is false if it does not exist for the policy.
func (m *Measures) Of(name string) (v float64, ok bool) {
	for _, s := range solved {
		if s.name == name && (m.Stable || name == measure.TrafficIntensity) {
			return s.of(m)
		}
	}
	if name == measure.MaxArrivalRate {
		return m.MaxArrivalRate, true
	}
	return 0, false
}

func plain(f func(*Measures) float64) func(*Measures) (float64, bool) {
	return func(m *Measures) (float64, bool) { return f(m), true }
}

func dynamic(f func(*Repartitions) float64) func(*Measures) (float64, bool) {
	return func(m *Measures) (float64, bool) {
		if m.Repartitions == nil {
			return 0, false
		}
		return f(m.Repartitions), true
	}
}
