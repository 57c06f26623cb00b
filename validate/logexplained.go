package validate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/machine"
)

// LogForecast holds the mean response times of policies, by the chain or by replays of a log, and the policy that they
// favour.
type LogForecast struct {
	Means []float64 // by policy
	// Dynamic and Best are the indices of dynamic partitioning and of the best static policy among the policies; −1 if
	// the policies lack it. Ratio is the mean response time of Best divided by the mean response time of Dynamic: above
	// 1, dynamic partitioning pays.
	Dynamic, Best int
	Ratio         float64
}

// forecast returns the decision that mean response times of policies lead to. means has one for each policy, and is
// kept in the result.
func forecast(policies []policy.Policy, means []float64) LogForecast {
	f := LogForecast{Means: means, Dynamic: -1, Best: -1}
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

// LogEffect says by which factor an assumption of the chain changes the mean response times of policies.
type LogEffect struct {
	Assumption LogAssumption
	Means      []float64 // mean response times where it holds, by policy
	Factors    []float64 // Means over the means where the base of the assumption holds
}

// LogReport compares the mean response times of policies by the chain and by replays of a log.
type LogReport struct {
	Policies            []policy.Policy
	Predicted, Replayed LogForecast
	// Unbounded is the log with jobs that can use any number of nodes; in Replayed, jobs are bounded like the classes
	// of the system. It is nil if the system has no classes.
	Unbounded *LogForecast
	Because   []LogEffect
}

// HasDecision reports whether dynamic partitioning and a static policy are among the policies, so that there is a
// decision between them.
func (r *LogReport) HasDecision() bool { return r.Replayed.Ratio > 0 }

// Agrees reports whether the chain and the replay lead to the same decision: both for dynamic partitioning, or both for
// static partitioning. The best numbers of partitions may differ. A replay without a practical difference agrees with
// either decision.
func (r *LogReport) Agrees() bool {
	p, c := &r.Predicted, &r.Replayed
	if !r.HasDecision() {
		return true
	}
	return (p.Ratio > 1) == (c.Ratio > 1) || decide.Negligible(c.Ratio)
}

// replayed replays jobs under several policies and returns their mean response times, one for each policy.
type replayed func(ctx context.Context, jobs machine.Workload) ([]float64, error)

// counted returns a replay function that also reports to c.Progress how many jobs have been replayed. The total counts
// the log and so many drawn logs. Several goroutines may call the result, and with it c.Progress, at a time. Without
// c.Progress it returns replay itself.
func (c *LogComparison) counted(replay replayed, draws int) replayed {
	if c.Progress == nil {
		return replay
	}
	of := c.Jobs.Len() * (1 + draws)
	var done atomic.Int64
	return func(ctx context.Context, jobs machine.Workload) ([]float64, error) {
		means, err := replay(ctx, jobs)
		c.Progress(min(int(done.Add(int64(c.Jobs.Len()))), of), of)
		return means, err
	}
}

// Explain replays the log under each policy, and then drawn logs for each of which one assumption of the chain holds.
// predicted holds the mean response times by the chain, one for each policy, in the time unit of the system. The effect
// of an assumption is the factor by which it changes the mean response times. The error says if the comparison lacks
// jobs, draws, predictions or the length of an hour; otherwise it comes from a replay or from ctx.
func (c *LogComparison) Explain(ctx context.Context, policies []policy.Policy, predicted []float64) (LogReport, error) {
	if c == nil || c.Jobs == nil || c.Jobs.Len() < 2 || c.Draws < 1 || len(policies) != len(predicted) {
		return LogReport{}, errors.New("validate: needs at least two jobs, one draw, and a prediction for each policy")
	}
	if !(c.Hour > 0) || math.IsInf(c.Hour, 1) {
		return LogReport{}, fmt.Errorf("validate: an hour has %v units of time; use a positive length", c.Hour)
	}
	r := LogReport{Policies: policies, Predicted: forecast(policies, predicted)}
	replay := c.counted(c.replay(policies), len(c.draws()))
	came, err := replay(ctx, asLogged(c.Jobs))
	if err != nil {
		return r, err
	}
	r.Replayed = forecast(policies, came)
	if len(c.System.Classes) > 0 {
		means, err := c.replay(policies)(ctx, asLogged(unbounded{c.Jobs}))
		if err != nil {
			return r, err
		}
		f := forecast(policies, means)
		r.Unbounded = &f
	}
	r.Because, err = c.effects(ctx, replay, came, predicted)
	return r, err
}

// replay returns the function that replays jobs under the policies at machine fidelity. Jobs are replayed as by [Replay], without
// intervals and percentiles: the comparison needs the mean response times alone.
func (c *LogComparison) replay(policies []policy.Policy) replayed {
	return func(ctx context.Context, jobs machine.Workload) ([]float64, error) {
		replayed, err := replacementOf(jobs)
		if err != nil {
			return nil, err
		}
		means := make([]float64, len(policies))
		for i, p := range policies {
			if means[i], err = c.meanResponse(ctx, p, replayed); err != nil {
				return nil, fmt.Errorf("validate: %v: %w", p, err)
			}
		}
		return means, nil
	}
}

// meanResponse replays jobs under policy p and returns their mean response time, in the time unit of the system. The error comes
// from the replay, or from ctx; the time beside it has no meaning.
func (c *LogComparison) meanResponse(ctx context.Context, p policy.Policy, jobs *replacement) (float64, error) {
	s, o, _, err := prepareReplay(ctx, c.System, p, jobs, Options{Costs: c.Costs, Seed: c.Seed})
	if err != nil {
		return 0, err
	}
	m, err := s.wholeNodes(c.System, o)
	if err != nil {
		return 0, err
	}
	sum := 0.0
	m.Most, m.Done = o.mostJobs(), func(r *machine.Record) { sum += r.Response() }
	_, err = machine.Run(ctx, m, o.key().At(0))
	return sum / float64(jobs.offer.Jobs), err
}

// draw is one log that is drawn for an assumption: the index of the assumption and the number of the log.
type draw struct{ assumption, number int }

// Replays returns how many logs [LogComparison.Explain] replays under each policy: the log itself, and the logs drawn
// for all assumptions.
func (c *LogComparison) Replays() int { return 1 + len(c.draws()) }

// draws lists the logs of all assumptions: c.Draws logs for each random assumption, one log for each other assumption.
func (c *LogComparison) draws() []draw {
	var draws []draw
	for i, a := range logAssumptions {
		n := 1
		if a.random() {
			n = c.Draws
		}
		for k := range n {
			draws = append(draws, draw{i, k})
		}
	}
	return draws
}

// effects replays the drawn logs of all assumptions and returns their effects, in the order of logAssumptions. came
// holds the mean response times of the log itself, and predicted the mean response times by the chain, one for each
// policy. The error comes from replay or from ctx.
func (c *LogComparison) effects(ctx context.Context, replay replayed, came, predicted []float64) ([]LogEffect, error) {
	draws := c.draws()
	means := make([][]float64, len(draws))
	err := parallel.Workers(ctx, len(draws), c.Workers, func() func(i int) error {
		buffer := newLogBuffer(c.Jobs.Len())
		return func(i int) (err error) {
			d := draws[i]
			key := des.Seed(c.Seed).At(uint64(d.assumption)).At(uint64(d.number))
			means[i], err = replay(ctx, logAssumptions[d.assumption].jobs(c, key, buffer))
			return err
		}
	})
	if err != nil {
		return nil, err
	}
	bases := map[string][]float64{"": came, ChainBase: predicted}
	effects := make([]LogEffect, len(logAssumptions))
	for i, a := range logAssumptions {
		bases[a.Name] = average(draws, means, i)
		effects[i] = LogEffect{Assumption: a, Means: bases[a.Name]}
		for k, m := range effects[i].Means {
			effects[i].Factors = append(effects[i].Factors, m/bases[a.Base][k])
		}
	}
	return effects, nil
}

// average returns, for each policy, the mean over the drawn logs of one assumption. means[i] has the mean response
// times of draws[i], one for each policy. The assumption must have a drawn log.
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
