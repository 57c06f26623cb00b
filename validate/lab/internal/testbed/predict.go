package testbed

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/metric"
)

// Measures are what is compared: the mean response time, the probability of a repartition p_r and the rate of repartitions.
type Measures [3]float64

// measureNames are the names that they have everywhere.
var measureNames = [len(Measures{})]string{"mean_response_time", "probability_repartition", "repartition_rate"}

// Observations are values of each of the measures, one for each replication or sample.
type Observations [len(Measures{})][]float64

// Prediction is what is expected of a policy at a load, for the jobs of each replication.
type Prediction struct {
	Policy               policy.Policy
	Load                 float64 // of the model
	Jobs                 [][]Job
	AllStop, ResizedStop Measures // of the chains; the same under static partitioning
	Simulated            Forecast // of whole nodes
	// Phased is Simulated with resizes at the ends of phases. The resized jobs work on to the ends of their phases,
	// wait for each other there, and stand still for the other steps; see [machine.Points].
	Phased Forecast
}

// Forecast is what is simulated of an experiment.
type Forecast struct {
	Replications Observations // the means of several runs with the jobs of each replication
	// Samples are the means over all replications with each sample of what was measured: how far they are apart is how far the
	// measurements leave open what will happen.
	Samples Observations
}

// Predict solves the chains of policies at loads, and simulates the jobs on whole nodes, with what was measured. The jobs of a
// replication are the same under all policies, and at all loads but for their submissions.
func (s *Study) Predict(ctx context.Context, m *Measured, loads []float64, policies []policy.Policy, replications, jobs int,
	seed des.Key, workers int) (all []Prediction, err error) {
	sys, err := s.System(m, (*Reconfiguration).Total)
	if err != nil {
		return nil, err
	}
	samples, err := s.samples(m)
	if err != nil {
		return nil, err
	}
	for _, load := range loads {
		at, err := sys.WithLoad(load)
		if err != nil {
			return nil, err
		}
		lists := make([][]Job, replications)
		for r := range lists {
			lists[r] = s.draw(at.Arrivals.Rate(), jobs, seed.At(uint64(r)))
		}
		for _, policy := range policies {
			p := Prediction{Policy: policy, Load: load, Jobs: lists}
			if err := p.solve(ctx, at); err != nil {
				return nil, fmt.Errorf("policy %s at load %v: %w", policy, load, err)
			}
			if err := p.simulate(ctx, samples, workers); err != nil {
				return nil, err
			}
			all = append(all, p)
		}
	}
	return all, nil
}

// draw draws the jobs of a replication, which are submitted as a Poisson process.
func (s *Study) draw(rate float64, jobs int, key des.Key) (all []Job) {
	stream, demands := key.Stream(), des.NewTimes(s.Demand)
	now := 0.0
	for i := range jobs {
		now += stream.Exp() / rate
		j := s.job(max(demands.Draw(&stream), 1e-3*s.Demand.Mean()))
		j.ID, j.Submit = i+1, now
		all = append(all, j)
	}
	return all
}

// solve sets the measures of the chains of a system, once where all jobs stop during a repartition, once where only resized
// jobs stop.
func (p *Prediction) solve(ctx context.Context, sys *models.System) error {
	for _, reading := range []struct {
		stops models.Stops
		to    *Measures
	}{{models.AllStop, &p.AllStop}, {models.ResizedStop, &p.ResizedStop}} {
		one := *sys
		one.Stops = reading.stops
		chain, err := one.Chain(p.Policy)
		if err != nil {
			return err
		}
		solved, err := chain.Solve(ctx, markov.Settings{})
		if err != nil {
			return err
		}
		for q, name := range measureNames {
			reading.to[q], _ = solved.Of(name)
		}
	}
	return nil
}

// simulate sets the two forecasts: it simulates the jobs of each replication on each sample of the machine, and keeps the
// means by replication and by sample.
func (p *Prediction) simulate(ctx context.Context, samples []sample, workers int) error {
	runs, err := parallel.Grid(ctx, len(samples), len(p.Jobs), workers, nil, func(k, r int) ([2]Measures, error) {
		return samples[k].simulate(ctx, p.Policy, p.Jobs[r], des.Seed(uint64(r)).At(uint64(k)))
	})
	for kind, f := range []*Forecast{&p.Simulated, &p.Phased} {
		for q := range measureNames {
			byReplication, bySample := make([]float64, len(p.Jobs)), make([]float64, len(samples))
			for k := range runs {
				for r, run := range runs[k] {
					byReplication[r] += run[kind][q] / float64(len(samples))
					bySample[k] += run[kind][q] / float64(len(p.Jobs))
				}
			}
			f.Replications[q], f.Samples[q] = byReplication, bySample
		}
	}
	return err
}

// Run runs all replications of what was predicted on a machine. It calls step with the number of replications that are done.
func (s *Study) Run(ctx context.Context, m *Machine, predictions []Prediction, step func(done int)) ([]Observations, error) {
	if s == nil || m == nil {
		return nil, errNothing
	}
	all := make([]Observations, len(predictions))
	for i, p := range predictions {
		for r, jobs := range p.Jobs {
			o, err := m.Run(ctx, s.workload(jobs), p.Policy, des.Seed(uint64(r)))
			if err != nil {
				return nil, err
			}
			for q, v := range measured(o) {
				all[i][q] = append(all[i][q], v)
			}
			step(i*len(p.Jobs) + r + 1)
		}
	}
	return all, nil
}

// measured returns the measures of a run: the mean response time in seconds, the share of the time in which a repartition
// was under way, and repartitions a second.
func measured(o *Outcome) (got Measures) {
	for _, j := range o.Jobs {
		got[0] += (j.End - j.Submit) / float64(len(o.Jobs))
	}
	for _, r := range o.Reconfigurations {
		if r.Resized > 0 {
			got[1] += r.Total() / o.End
			got[2] += 1 / o.End
		}
	}
	return got
}

// Comparison is a measure of an experiment, predicted and real.
type Comparison struct {
	Policy      policy.Policy
	Load        float64
	Measure     string
	AllStop     float64
	ResizedStop float64
	Simulated   metric.Interval // 95 %
	Phased      metric.Interval
	Real        metric.Interval
	// Difference is real − simulated, and PhasedDifference real − phased, replication by replication. Their confidence is so
	// high that all intervals of the study hold together with 95 %. The intervals hold both what differs from one replication
	// to another and what the measurements leave open. A prediction agrees if the interval holds 0.
	Difference       metric.Interval
	Agrees           bool
	PhasedDifference metric.Interval
	PhasedAgrees     bool
}

// Expectations returns a comparison for each prediction and measure, with the predictions alone: the machine has not run
// yet.
func Expectations(predictions []Prediction) (all []Comparison) {
	for i := range predictions {
		p := &predictions[i]
		for q, name := range measureNames {
			all = append(all, Comparison{Policy: p.Policy, Load: p.Load, Measure: name, AllStop: p.AllStop[q], ResizedStop: p.ResizedStop[q],
				Simulated: interval(p.Simulated.Replications[q]),
				Phased:    interval(p.Phased.Replications[q])})
		}
	}
	return all
}

// Compare compares what machines did with what was predicted. real[i] belongs to predictions[i].
func Compare(predictions []Prediction, real []Observations) []Comparison {
	all := Expectations(predictions)
	joint := 1 - (1-measure.Confidence)/float64(len(all))
	for k := range all {
		c, i, q := &all[k], k/len(measureNames), k%len(measureNames)
		c.Real = interval(real[i][q])
		c.Difference, c.Agrees = predictions[i].Simulated.difference(real[i][q], q, joint)
		c.PhasedDifference, c.PhasedAgrees = predictions[i].Phased.difference(real[i][q], q, joint)
	}
	return all
}

// difference returns a measure of the machine minus its forecast, and whether zero is in the interval. The interval
// includes the uncertainty of the forecast, which differs between samples of the measurements.
func (f *Forecast) difference(real []float64, q int, confidence float64) (d metric.Interval, agrees bool) {
	d = metric.Student(floats.SubTo(make([]float64, len(real)), real, f.Replications[q]), confidence)
	open := metric.Student(f.Samples[q], confidence) // of their mean; √sampleCount makes it the interval of one sample
	d.HalfWidth = math.Hypot(d.HalfWidth, open.HalfWidth*math.Sqrt(sampleCount))
	return d.About(d.Mean), !(math.Abs(d.Mean) > d.HalfWidth)
}
