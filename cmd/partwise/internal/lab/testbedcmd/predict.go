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

// Measures are what is compared.
type Measures struct {
	MeanResponseTime       float64
	ProbabilityRepartition float64 // p_r
	RepartitionRate        float64
}

// table lists them, with the names that they have everywhere.
var table = []struct {
	name string
	of   func(*Measures) float64
}{
	{"mean_response_time", func(m *Measures) float64 { return m.MeanResponseTime }},
	{"probability_repartition", func(m *Measures) float64 { return m.ProbabilityRepartition }},
	{"repartition_rate", func(m *Measures) float64 { return m.RepartitionRate }},
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
	AllStop, ResizedStop Measures   // of the chains; the same under static partitioning
	Simulated            []Measures // of whole nodes, for each replication: the means of several runs with its jobs
	// Phased is Simulated where those that are resized work on to the ends of their phases, wait for each other there, and
	// stand still for the other steps of the repartition; see [machine.Points].
	Phased []Measures
	// SimulatedBySample and PhasedBySample are the means over all replications with each sample of what was measured: how far
	// they are apart is how far the measurements leave open what will happen.
	SimulatedBySample, PhasedBySample []Measures
}

// Predict solves the chains of an experiment and simulates its jobs on whole nodes, with what was measured and the system
// that was made of it.
func (s *Study) Predict(ctx context.Context, m *Measured, sys *models.System, e Experiment, workers int) (Prediction, error) {
	p := Prediction{Experiment: e, Simulated: make([]Measures, len(e.Jobs)), Phased: make([]Measures, len(e.Jobs))}
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
		to.MeanResponseTime = solved.MeanResponseTime
		if q := solved.Repartitions; q != nil {
			to.ProbabilityRepartition, to.RepartitionRate = q.Probability, q.Rate
		}
	}
	samples, err := s.samples(m, e.Policy)
	if err != nil {
		return p, err
	}
	of := make([]simulated, len(e.Jobs))
	err = parallel.Each(ctx, len(e.Jobs), workers, func(r int) (err error) {
		of[r], err = simulate(ctx, samples, e.Jobs[r], des.Seed(uint64(r)))
		return err
	})
	for r := range of {
		p.Simulated[r], p.Phased[r] = mean(of[r].whole), mean(of[r].phased)
	}
	p.SimulatedBySample, p.PhasedBySample = bySample(of, func(x *simulated) []Measures { return x.whole }),
		bySample(of, func(x *simulated) []Measures { return x.phased })
	return p, err
}

// Run runs the jobs of a replication on a machine.
func (s *Study) Run(ctx context.Context, m *testbed.Machine, e Experiment, replication int) (Measures, error) {
	if s == nil || replication < 0 || replication >= len(e.Jobs) {
		return Measures{}, errNoStudy
	}
	o, err := m.Run(ctx, s.workload(e.Jobs[replication]), e.Policy, des.Seed(uint64(replication)))
	if err != nil {
		return Measures{}, err
	}
	var got Measures
	for _, j := range o.Jobs {
		got.MeanResponseTime += (j.End - j.Submit) / float64(len(o.Jobs))
	}
	for _, r := range o.Reconfigurations {
		if r.Resized > 0 {
			got.ProbabilityRepartition += r.Total() / o.End
			got.RepartitionRate += 1 / o.End
		}
	}
	return got, nil
}

// Comparison is a measure of an experiment, predicted and real.
type Comparison struct {
	Policy               policy.Policy
	Load                 float64
	Measure              string
	AllStop, ResizedStop float64
	Simulated, Phased    metric.Interval // 95 %
	Real                 metric.Interval // 95 %
	// Difference is real − simulated, and PhasedDifference real − phased, replication by replication, at the confidence
	// that makes all differences of the study hold together with 95 %. The intervals hold both what differs from one replication
	// to another and what the measurements leave open.
	Difference, PhasedDifference metric.Interval
	Agrees, PhasedAgrees         bool // the interval holds 0
}

// Expectations returns the comparisons as they are before anything is run.
func Expectations(predictions []Prediction) []Comparison {
	var all []Comparison
	for i := range predictions {
		p := &predictions[i]
		for _, q := range table {
			simulated, phased := make([]float64, len(p.Simulated)), make([]float64, len(p.Simulated))
			for r := range simulated {
				simulated[r], phased[r] = q.of(&p.Simulated[r]), q.of(&p.Phased[r])
			}
			all = append(all, Comparison{Policy: p.Policy, Load: p.Load, Measure: q.name, AllStop: q.of(&p.AllStop),
				ResizedStop: q.of(&p.ResizedStop), Simulated: metric.Student(simulated, confidence),
				Phased: metric.Student(phased, confidence)})
		}
	}
	return all
}

// Compare compares what machines did with what was predicted. real[i][r] belongs to replication r of predictions[i].
func Compare(predictions []Prediction, real [][]Measures) []Comparison {
	all := Expectations(predictions)
	joint := 1 - (1-confidence)/float64(len(all))
	for k := range all {
		c, p, of := &all[k], &predictions[k/len(table)], table[k%len(table)].of
		n := len(p.Simulated)
		measured, difference, phased := make([]float64, n), make([]float64, n), make([]float64, n)
		for r := range measured {
			measured[r] = of(&real[k/len(table)][r])
			difference[r], phased[r] = measured[r]-of(&p.Simulated[r]), measured[r]-of(&p.Phased[r])
		}
		c.Real = metric.Student(measured, confidence)
		c.Difference = widened(metric.Student(difference, joint), p.SimulatedBySample, of, joint)
		c.PhasedDifference = widened(metric.Student(phased, joint), p.PhasedBySample, of, joint)
		c.Agrees = !(math.Abs(c.Difference.Mean) > c.Difference.HalfWidth)
		c.PhasedAgrees = !(math.Abs(c.PhasedDifference.Mean) > c.PhasedDifference.HalfWidth)
	}
	return all
}

// widened returns the interval of a difference from a prediction that samples of what was measured give different values of.
func widened(i metric.Interval, samples []Measures, of func(*Measures) float64, confidence float64) metric.Interval {
	values := make([]float64, len(samples))
	for k := range samples {
		values[k] = of(&samples[k])
	}
	open := metric.Student(values, confidence) // of their mean; what is wanted is that of one of them
	half := math.Hypot(i.HalfWidth, open.HalfWidth*math.Sqrt(float64(len(values))))
	i.Low, i.High, i.HalfWidth = i.Mean-half, i.Mean+half, half
	return i
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
	if len(all) == 0 {
		return nil, errNoStudy
	}
	return parallel.Grid(ctx, len(all), len(all[0].Jobs), len(machines), step, func(i, r int) (Measures, error) {
		m := <-machines
		defer func() { machines <- m }()
		return s.Run(ctx, m, all[i].Experiment, r)
	})
}
