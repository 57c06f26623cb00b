package models

import (
	"context"
	"reflect"
	"sync"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/internal/jobtimes"
	"github.com/partwise/partwise/models/measure"
)

// Measures are the long-run measures of a policy on a system. Times are in the unit of the system. Tags name the measures
// of [Table], in the order of output.
type Measures struct {
	// All fields except TrafficIntensity, MaxArrivalRate, Rigid and Diagnostics are zero unless Stable.
	Stable           bool
	MeanResponseTime float64 `measure:"mean_response_time"`
	MeanJobs         float64 `measure:"mean_jobs"`
	VarianceJobs     float64 `measure:"variance_jobs"`
	MeanWaitingJobs  float64 `measure:"mean_waiting_jobs"` // E[(jobs − partitions)⁺]
	MeanWaitingTime  float64 `measure:"mean_waiting_time"`
	ProbabilityWait  float64 `measure:"probability_wait"`    // P(an arriving job finds all partitions taken)
	MeanExecuting    float64 `measure:"mean_executing_jobs"` // dynamic: jobs that make progress; static: busy partitions
	// Utilization under dynamic partitioning is P(executing, level ≥ 1). If only resized jobs stop, it is the share of the
	// nodes whose jobs make progress. Under static partitioning it is the mean number of busy partitions over K. A rule for
	// resizing may leave partitions idle: these do not count either.
	Utilization      float64         `measure:"utilization"`
	Throughput       float64         `measure:"throughput"`
	TrafficIntensity float64         `measure:"traffic_intensity"` // dynamic λ·E[B_N]/N, static λ·(E[set-up]+E[B_K])/K
	MaxArrivalRate   float64         // the arrival rate at which the traffic intensity is 1
	DecayRate        float64         `measure:"decay_rate"` // caudal characteristic
	ProbabilityEmpty float64         `measure:"probability_empty"`
	Repartitions     *Repartitions   // nil for a policy that never repartitions
	Rigid            *RigidMeasures  // nil for a policy that resizes jobs or gives all the same share
	Variances        *TimeVariances  // nil for a policy under which variances of times are not known
	Classes          []ClassMeasures // of the classes with a positive share of the arrivals
	levels           func(ctx context.Context) ([]float64, error)
	times            func(ctx context.Context, class string) (jobtimes.Distributions, error)
	Diagnostics      markov.Diagnostics
}

// LevelProbabilities returns P(number of jobs = i) for i = 0, 1, … until the rest is below 1e-12, at most 10,000 values.
// It returns nil if the policy is unstable. The values are computed at each call. The error comes from ctx.
func (m *Measures) LevelProbabilities(ctx context.Context) ([]float64, error) {
	if m == nil || m.levels == nil {
		return nil, nil
	}
	return m.levels(ctx)
}

// Forget drops everything that is computed on request, together with the solution from which it would be computed.
func (m *Measures) Forget() {
	if m != nil {
		m.levels, m.times = nil, nil
	}
}

// Quantiles returns quantiles of the waiting time and of the response time of the jobs of a class, or of all jobs if
// class is empty: for each p the least t with P(time ≤ t) ≥ p, in the unit of the system's times. The bound is the
// largest error of P(time ≤ t) at a quantile t; it includes the error bound of the solution. Under dynamic partitioning
// only the response time is known, by following one job through the repartitions. Under first come, first served, rigid jobs have
// both. If the policy is unstable, all results are nil. The error wraps [ErrNoChain] if the chain of the policy follows no job. It
// wraps [markov.ErrTooLarge] if following a job would take too long, or comes from ctx.
func (m *Measures) Quantiles(ctx context.Context, class string, p []float64) (waiting, response []float64, bound float64, err error) {
	if m == nil || m.times == nil {
		return nil, nil, 0, nil
	}
	times, err := m.times(ctx, class)
	if err != nil {
		return nil, nil, 0, err
	}
	return times.Quantiles(ctx, p)
}

// Repartitions tells how often the machine repartitions. Only repartitions that cost time count.
type Repartitions struct {
	Probability   float64 `measure:"probability_repartition"` // p_r, the share of time
	Rate          float64 `measure:"repartition_rate"`        // started = ShrinkRate + ExpandRate
	ShrinkRate    float64 `measure:"shrink_rate"`
	ExpandRate    float64 `measure:"expand_rate"`
	AbandonedRate float64 `measure:"abandoned_rate"` // interrupted by an arrival below N jobs
	// MeanOverhead is the mean time of a repartition that nothing interrupts: the mean of the C_i, weighted by the rates at
	// which they start; 0 if none starts.
	MeanOverhead float64
	Partial      bool // only the resized jobs stand still; the others continue
}

// RigidMeasures are the measures of policies whose jobs keep the nodes that they ask for.
type RigidMeasures struct {
	// IdleBlocked is E[idle nodes; a job waits]/P, the share of the nodes that are idle although a job waits.
	IdleBlocked float64 `measure:"idle_blocked"`
	// SaturatedUtilization is the share of the nodes that jobs hold at the largest stable arrival rate. It is also set if the policy
	// is not stable.
	SaturatedUtilization float64 `measure:"saturated_utilization"`
}

// read adds the contribution of a transition with the given flow to the measures. After the last transition, sum must be
// called.
func (c *Sharing) read(m *Measures, level int, s Shared, by int, to Shared, flow float64) {
	switch {
	case by < 0:
		m.Throughput += flow
	case by > 0 && to.Running() <= level:
		m.ProbabilityWait += flow / c.sys.Arrivals.Rate()
	}
	if s.Shares == to.Shares {
		return
	}
	r := m.Repartitions
	if s.Kind != executing {
		r.AbandonedRate += flow
	}
	switch to.Kind {
	case executing:
		return
	case expanding:
		r.ExpandRate += flow
	default:
		r.ShrinkRate += flow
	}
	d := c.cost(to.Kind, to.Shares)
	r.MeanOverhead += flow * d.Mean() / (1 - d.Atom())
}

// sum completes the rate and the mean overhead after all calls of read.
func (r *Repartitions) sum() {
	if r.Rate = r.ShrinkRate + r.ExpandRate; r.Rate > 0 {
		r.MeanOverhead /= r.Rate
	}
}

// Table returns the measures of chains, in the order of output.
func Table() (all []measure.Measure) {
	for _, f := range fields() {
		all = append(all, measure.Must(f.name))
	}
	return all
}

// Of returns the measure with the given name. ok is false if the measure does not exist for the policy.
func (m *Measures) Of(name string) (v float64, ok bool) {
	if m == nil {
		return 0, false
	}
	if name == measure.MaxArrivalRate {
		return m.MaxArrivalRate, true
	}
	if name == measure.SaturatedUtilization && m.Rigid != nil {
		return m.Rigid.SaturatedUtilization, true
	}
	if !m.Stable && name != measure.TrafficIntensity {
		return 0, false
	}
	f, ok := fieldsByName()[name]
	if !ok {
		return 0, false
	}
	part := reflect.ValueOf(m.parts()[f.part]).Elem()
	if !part.IsValid() {
		return 0, false
	}
	return part.Field(f.index).Float(), true
}

// parts returns pointers to the structures whose fields are measures, in the order of output. A pointer is nil where the
// policy lacks the measures of its structure.
func (m *Measures) parts() [4]any { return [...]any{m, m.Variances, m.Repartitions, m.Rigid} }

// field is the place of a measure: a field of one of the parts of [Measures].
type field struct {
	name        string
	part, index int
}

// fields returns the fields with a tag "measure", in the order of output. They are listed once, because reading the tags takes
// longer than reading the values of a row.
var fields = sync.OnceValue(func() (all []field) {
	for p, part := range new(Measures).parts() {
		of := reflect.TypeOf(part).Elem()
		for i := range of.NumField() {
			if name, ok := of.Field(i).Tag.Lookup("measure"); ok {
				all = append(all, field{name, p, i})
			}
		}
	}
	return all
})

// fieldsByName returns the fields by the names of their measures.
var fieldsByName = sync.OnceValue(func() map[string]field {
	byName := map[string]field{}
	for _, f := range fields() {
		byName[f.name] = f
	}
	return byName
})
