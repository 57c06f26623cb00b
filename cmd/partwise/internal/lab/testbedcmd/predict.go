package testbedcmd

import (
	"context"
	"fmt"
	"math"

	"github.com/partwise/partwise/cmd/partwise/internal/lab/testbed"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/des"
	"github.com/partwise/partwise/validate/metric"
)

// Measures are what is compared: the mean response time, the probability of a repartition p_r and the rate of repartitions.
type Measures [3]float64

// measureNames are the names that they have everywhere.
var measureNames = [len(Measures{})]string{"mean_response_time", "probability_repartition", "repartition_rate"}

func mean(all []Measures) (m Measures) {
	for _, x := range all {
		for q, v := range x {
			m[q] += v / float64(len(all))
		}
	}
	return m
}

// column returns one of the measures.
func column(all []Measures, q int) []float64 {
	values := make([]float64, len(all))
	for i := range all {
		values[i] = all[i][q]
	}
	return values
}

// Experiment is a policy at a load, with the jobs of each replication.
type Experiment struct {
	Policy policy.Policy
	Load   float64 // of the model
	Jobs   [][]testbed.Job
}

// Experiments returns those of policies and loads. The jobs of a replication are the same under all policies, and at all loads
// but for their submissions.
func (s *Study) Experiments(sys *models.System, loads []float64, policies []policy.Policy, replications, jobs int, seed des.Key) ([]Experiment, error) {
	var all []Experiment
	for _, load := range loads {
		at, err := sys.WithLoad(load)
		if err != nil {
			return nil, err
		}
		interarrival, err := s.Interarrival.Scale(1 / at.Arrivals.Rate() / s.Interarrival.Mean())
		if err != nil {
			return nil, err
		}
		gaps, demands := des.NewTimes(interarrival), des.NewTimes(s.Demand)
		lists := make([][]testbed.Job, replications)
		for r := range lists {
			stream := seed.At(uint64(r)).Stream()
			now := 0.0
			for i := range jobs {
				now += gaps.Draw(&stream)
				j := s.job(max(demands.Draw(&stream), 1e-3*s.Demand.Mean()))
				j.ID, j.Submit = i+1, now
				lists[r] = append(lists[r], j)
			}
		}
		for _, p := range policies {
			all = append(all, Experiment{p, load, lists})
		}
	}
	return all, nil
}

// Prediction is what is expected of an experiment.
type Prediction struct {
	Experiment
	AllStop, ResizedStop Measures // of the chains; the same under static partitioning
	Simulated            Forecast // of whole nodes
	// Phased is Simulated where those that are resized work on to the ends of their phases, wait for each other there, and
	// stand still for the other steps of the repartition; see [machine.Points].
	Phased Forecast
}

// Forecast is what is simulated of an experiment.
type Forecast struct {
	Replications []Measures // the means of several runs with the jobs of each replication
	// Samples are the means over all replications with each sample of what was measured: how far they are apart is how far the
	// measurements leave open what will happen.
	Samples []Measures
}

// Predict solves the chains of an experiment and simulates its jobs on whole nodes, with what was measured and the system
// that was made of it.
func (s *Study) Predict(ctx context.Context, m *Measured, sys *models.System, e Experiment, workers int) (Prediction, error) {
	p := Prediction{Experiment: e}
	at, err := sys.WithLoad(e.Load)
	if err != nil {
		return p, err
	}
	for stops, to := range map[models.Stops]*Measures{models.AllStop: &p.AllStop, models.ResizedStop: &p.ResizedStop} {
		one := *at
		one.Stops = stops
		chain, err := one.Chain(e.Policy)
		if err != nil {
			return p, err
		}
		solved, err := chain.Solve(ctx, markov.Settings{})
		if err != nil {
			return p, fmt.Errorf("policy %s at load %v: %w", e.Policy, e.Load, err)
		}
		to[0] = solved.MeanResponseTime
		if q := solved.Repartitions; q != nil {
			to[1], to[2] = q.Probability, q.Rate
		}
	}
	samples, err := s.samples(m, e.Policy)
	if err != nil {
		return p, err
	}
	runs, err := parallel.Grid(ctx, len(samples), len(e.Jobs), workers, nil, func(k, r int) ([2]Measures, error) {
		return samples[k].simulate(ctx, e.Jobs[r], des.Seed(uint64(r)).At(uint64(k)))
	})
	for kind, f := range []*Forecast{&p.Simulated, &p.Phased} {
		byReplication := make([][]Measures, len(e.Jobs))
		for k := range runs {
			var one []Measures
			for r := range runs[k] {
				one, byReplication[r] = append(one, runs[k][r][kind]), append(byReplication[r], runs[k][r][kind])
			}
			f.Samples = append(f.Samples, mean(one))
		}
		for _, one := range byReplication {
			f.Replications = append(f.Replications, mean(one))
		}
	}
	return p, err
}

// Run runs the jobs of a replication on a machine.
func (s *Study) Run(ctx context.Context, m *testbed.Machine, e Experiment, replication int) (Measures, error) {
	o, err := m.Run(ctx, s.workload(e.Jobs[replication]), e.Policy, des.Seed(uint64(replication)))
	if err != nil {
		return Measures{}, err
	}
	var got Measures
	for _, j := range o.Jobs {
		got[0] += (j.End - j.Submit) / float64(len(o.Jobs))
	}
	for _, r := range o.Reconfigurations {
		if r.Resized > 0 {
			got[1] += r.Total() / o.End
			got[2] += 1 / o.End
		}
	}
	return got, nil
}

// Comparison is a measure of an experiment, predicted and real.
type Comparison struct {
	Policy      policy.Policy   `key:"policy" head:"policy" form:"text"`
	Load        float64         `key:"load" head:"load" form:"shortest"`
	Measure     string          `key:"measure" head:"measure"`
	AllStop     float64         `key:"chain_all_stop" head:"all stop" form:"extra"`
	ResizedStop float64         `key:"chain_resized_stop" head:"resized stop"`
	Simulated   metric.Interval `key:"simulated" head:"whole nodes" form:"halfwidth"` // 95 %
	Phased      metric.Interval `key:"simulated_phases" head:"phases" form:"halfwidth"`
	Real        metric.Interval `key:"real" head:"real" form:"halfwidth"`
	// Difference is real − simulated, and PhasedDifference real − phased, replication by replication, at the confidence
	// that makes all differences of the study hold together with 95 %. The intervals hold both what differs from one replication
	// to another and what the measurements leave open. A prediction agrees if the interval holds 0.
	Difference       metric.Interval `key:"difference" form:"halfwidth"`
	Agrees           bool            `key:"agrees"`
	PhasedDifference metric.Interval `key:"difference_phases" form:"halfwidth"`
	PhasedAgrees     bool            `key:"agrees_phases"`
}

// Expectations returns the comparisons as they are before anything is run.
func Expectations(predictions []Prediction) (all []Comparison) {
	for i := range predictions {
		p := &predictions[i]
		for q, name := range measureNames {
			all = append(all, Comparison{Policy: p.Policy, Load: p.Load, Measure: name, AllStop: p.AllStop[q], ResizedStop: p.ResizedStop[q],
				Simulated: metric.Student(column(p.Simulated.Replications, q), confidence),
				Phased:    metric.Student(column(p.Phased.Replications, q), confidence)})
		}
	}
	return all
}

// Compare compares what machines did with what was predicted. real[i][r] belongs to replication r of predictions[i].
func Compare(predictions []Prediction, real [][]Measures) []Comparison {
	all := Expectations(predictions)
	joint := 1 - (1-confidence)/float64(len(all))
	for k := range all {
		c, i, q := &all[k], k/len(measureNames), k%len(measureNames)
		c.Real = metric.Student(column(real[i], q), confidence)
		c.Difference, c.Agrees = predictions[i].Simulated.difference(real[i], q, joint)
		c.PhasedDifference, c.PhasedAgrees = predictions[i].Phased.difference(real[i], q, joint)
	}
	return all
}

// difference returns by how much a measure of a machine is larger than the forecast, of which samples of what was measured give
// different values, and whether zero is in the interval.
func (f *Forecast) difference(real []Measures, q int, confidence float64) (d metric.Interval, agrees bool) {
	x := column(real, q)
	for r := range x {
		x[r] -= f.Replications[r][q]
	}
	d = metric.Student(x, confidence)
	open := metric.Student(column(f.Samples, q), confidence) // of their mean; what is wanted is that of one of them
	d.HalfWidth = math.Hypot(d.HalfWidth, open.HalfWidth*math.Sqrt(float64(len(f.Samples))))
	d.Low, d.High = d.Mean-d.HalfWidth, d.Mean+d.HalfWidth
	return d, !(math.Abs(d.Mean) > d.HalfWidth)
}

// PredictAll predicts the experiments of policies and loads, with what was measured.
func (s *Study) PredictAll(ctx context.Context, m *Measured, loads []float64, policies []policy.Policy, replications, jobs int,
	seed des.Key, workers int) ([]Prediction, error) {
	sys, err := s.System(m)
	if err != nil {
		return nil, err
	}
	experiments, err := s.Experiments(sys, loads, policies, replications, jobs, seed)
	if err != nil {
		return nil, err
	}
	all := make([]Prediction, len(experiments))
	for i, e := range experiments {
		if all[i], err = s.Predict(ctx, m, sys, e, workers); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// RunAll runs all replications of the experiments that were predicted, as many at a time as there are machines in the
// channel, and puts the machines back. It calls step with the number of replications that are done.
func (s *Study) RunAll(ctx context.Context, machines chan *testbed.Machine, all []Prediction, step func(done int)) ([][]Measures, error) {
	return parallel.Grid(ctx, len(all), len(all[0].Jobs), len(machines), step, func(i, r int) (Measures, error) {
		m := <-machines
		defer func() { machines <- m }()
		return s.Run(ctx, m, all[i].Experiment, r)
	})
}
