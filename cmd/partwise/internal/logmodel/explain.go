package logmodel

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate"
	"github.com/partwise/partwise/validate/des"
)

// Forecast is the mean response times of policies and what they say should be done.
type Forecast struct {
	Means []float64 // by policy
	// Dynamic and Best are the positions of dynamic partitioning and of the best static one among the policies; −1: there
	// is none. Ratio is the mean of the one over that of the other, above 1 where dynamic partitioning pays.
	Dynamic, Best int
	Ratio         float64
}

// forecast compares means.
func forecast(policies []policy.Policy, means []float64) Forecast {
	f := Forecast{Means: means, Dynamic: -1, Best: -1}
	for i, p := range policies {
		switch p.(type) {
		case policy.Dynamic:
			f.Dynamic = i
		case policy.Static:
			if f.Best < 0 || means[i] < means[f.Best] {
				f.Best = i
			}
		}
	}
	if f.Dynamic >= 0 && f.Best >= 0 {
		f.Ratio = means[f.Best] / means[f.Dynamic]
	}
	return f
}

// Effect is what an assumption does.
type Effect struct {
	Assumption Assumption
	Means      []float64 // mean response times where it holds, by policy
	Factors    []float64 // those over the means of its base
}

// Report is what the chain and the log say of the same policies.
type Report struct {
	Policies            []policy.Policy
	Predicted, Replayed Forecast
	// Unbounded is the log with jobs that can use any number of nodes, where Replayed bounds jobs as the classes of the system do;
	// nil if the system has no classes.
	Unbounded *Forecast
	Because   []Effect
}

// LevelAway is the relative difference of mean response times above which a sentence is due.
const LevelAway = 0.25

// HasDecision reports whether there is something to decide: dynamic partitioning and a static one.
func (r *Report) HasDecision() bool { return r.Replayed.Ratio > 0 }

// Agrees reports whether the chain and the replay decide the same: both for dynamic partitioning, or both for static. The
// numbers of partitions that are best may differ. A replay without a practical difference agrees with either decision.
func (r *Report) Agrees() bool {
	p, c := &r.Predicted, &r.Replayed
	if !r.HasDecision() {
		return true
	}
	return (p.Ratio > 1) == (c.Ratio > 1) || decide.Negligible(c.Ratio)
}

// Options steer an explanation.
type Options struct {
	Draws   int // of each random assumption
	Seed    uint64
	Workers int
	// Progress, if not nil, is told how many jobs of all that are to be replayed have been, by several workers at once.
	Progress func(done, of int)
}

// replayed returns the mean response times of jobs under several policies.
type replayed func(ctx context.Context, jobs []workload.Job) ([]float64, error)

// counted returns a replay that tells of its progress: of the log, and of the draws of all assumptions.
func (o *Options) counted(replay replayed, jobs, draws int) replayed {
	if o.Progress == nil {
		return replay
	}
	of := jobs * (1 + draws)
	var done atomic.Int64
	return func(ctx context.Context, jobs []workload.Job) ([]float64, error) {
		means, err := replay(ctx, jobs)
		o.Progress(min(int(done.Add(int64(len(jobs)))), of), of)
		return means, err
	}
}

// Explain replays the log of a case and logs for which the assumptions of the chain hold. predicted has the mean response
// times by the chain of the policies.
func Explain(ctx context.Context, c *Case, policies []policy.Policy, predicted []float64, o Options) (Report, error) {
	if c == nil || len(c.Jobs) < 2 || o.Draws < 1 || len(policies) != len(predicted) {
		return Report{}, errors.New("logmodel: needs at least two jobs, one draw, and a prediction for each policy")
	}
	r := Report{Policies: policies, Predicted: forecast(policies, predicted)}
	replay := o.counted(c.replay(policies, o.Seed), len(c.Jobs), len(drawsOf(o.Draws)))
	came, err := replay(ctx, c.Jobs)
	if err != nil {
		return r, err
	}
	r.Replayed = forecast(policies, came)
	if len(c.System.Classes) > 0 {
		free := slices.Clone(c.Jobs)
		for i := range free {
			free[i].Max = 0
		}
		means, err := c.replay(policies, o.Seed)(ctx, free)
		if err != nil {
			return r, err
		}
		f := forecast(policies, means)
		r.Unbounded = &f
	}
	r.Because, err = c.effects(ctx, replay, came, predicted, o)
	return r, err
}

// replay returns the function that replays jobs under the policies.
func (c *Case) replay(policies []policy.Policy, seed uint64) replayed {
	return func(ctx context.Context, jobs []workload.Job) ([]float64, error) {
		means := make([]float64, len(policies))
		for i, p := range policies {
			s, err := validate.Simulate(ctx, c.System, p, validate.Options{Fidelity: validate.MachineFidelity, Replay: jobs,
				Costs: c.Costs, Seed: seed, Workers: 1})
			if err == nil && s.Partial {
				err = ctx.Err()
			}
			if err != nil {
				return nil, fmt.Errorf("logmodel: %v: %w", p, err)
			}
			e, _ := s.Measure(measure.MeanResponseTime)
			means[i] = e.Mean
		}
		return means, nil
	}
}

// draw is one log of an assumption.
type draw struct{ assumption, number int }

// drawsOf lists the logs of all assumptions, so many of each random one.
func drawsOf(each int) []draw {
	var draws []draw
	for i, a := range table {
		n := 1
		if a.Random() {
			n = each
		}
		for k := range n {
			draws = append(draws, draw{i, k})
		}
	}
	return draws
}

// effects replays the logs of all assumptions.
func (c *Case) effects(ctx context.Context, replay replayed, came, predicted []float64, o Options) (
	[]Effect, error) {
	draws := drawsOf(o.Draws)
	means := make([][]float64, len(draws))
	err := parallel.Each(ctx, len(draws), o.Workers, func(i int) (err error) {
		d := draws[i]
		key := des.Seed(o.Seed).At(uint64(d.assumption)).At(uint64(d.number))
		means[i], err = replay(ctx, table[d.assumption].jobs(c, key))
		return err
	})
	if err != nil {
		return nil, err
	}
	bases := map[string][]float64{"": came, Chain: predicted}
	effects := make([]Effect, len(table))
	for i, a := range table {
		bases[a.Name] = average(draws, means, i)
		effects[i] = Effect{Assumption: a, Means: bases[a.Name]}
		for k, m := range effects[i].Means {
			effects[i].Factors = append(effects[i].Factors, m/bases[a.Base][k])
		}
	}
	return effects, nil
}

// average returns the means over the draws of an assumption.
func average(draws []draw, means [][]float64, assumption int) []float64 {
	sum := make([]float64, len(means[0]))
	n := 0.0
	for i, d := range draws {
		if d.assumption == assumption {
			n++
			floats.Add(sum, means[i])
		}
	}
	for k := range sum {
		sum[k] /= n
	}
	return sum
}
