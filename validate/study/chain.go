package study

import (
	"context"
	"fmt"
	"slices"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate"
	"github.com/partwise/partwise/validate/metric"
	"github.com/partwise/partwise/validate/replay"
)

// Chain is what a Markov chain says of the machine of the log if jobs were independent, and why it differs from the log. In an answer with a
// Pool, machine and log are those of the Pool.
type Chain struct {
	Draft    *Draft            // the model; nil if none could be made
	Asked    *policy.Selection // dynamic partitioning and every static split
	Decision decide.Decision   // of these policies
	// Report compares the chain with replays of the log under the assumptions of the chain, for some of the stable policies. It is nil
	// if the chain could not be compared.
	Report *validate.LogReport
	// Ratio is, on the log, the mean response time under the best static split over that under dynamic partitioning. Jobs can use any
	// number of nodes there. Its mean is 0 if one of the two was not replayed.
	Ratio   metric.Interval
	Samples *decide.BootstrapResult // of weeks drawn again; nil if none were asked for
	Missing error                   // why there is no chain, or no comparison; nil: there is
	Rigid   RigidChain              // rigid jobs in their order
}

// Agreement says whether chain and log prefer the same partitioning, dynamic or static.
type Agreement string

// The agreements.
const (
	Agree          Agreement = "agree"
	Differ         Agreement = "differ"          // significantly
	NotSignificant Agreement = "not_significant" // not significantly
	Unknown        Agreement = "unknown"         // the log has nothing to compare
)

// Agreement compares the winner by the chain with the winner of the replays. Each winner counts only if its advantage is more than
// negligible by the chain, and significant on the log. The two differ only if the log decides otherwise also where its jobs can use no
// more nodes than the classes of the chain.
func (c *Chain) Agreement() Agreement {
	if c.Report == nil || c.Ratio.Mean == 0 {
		return Unknown
	}
	by := c.Report.Predicted.Ratio
	dynamic, static := c.Ratio.Low > 1, c.Ratio.High < 1 // wins by the log, significantly
	switch {
	case !bounded(c.Ratio) || decide.Negligible(by):
		return NotSignificant
	case by > 1 && dynamic || by < 1 && static:
		return Agree
	case (dynamic || static) && !c.Report.Agrees():
		return Differ
	}
	return NotSignificant
}

// solveChain sets the part Chain of the answer, up to the decision by the chain. If there is no chain, Chain.Missing
// tells why. Other errors are returned.
func (w *work) solveChain(ctx context.Context) (err error) {
	w.Chain.Missing, err = missing(ctx, w.decide(ctx))
	return err
}

// decide makes the draft of a model, solves its chain under dynamic partitioning and every static split, and sets
// Draft, Asked and Decision of w.Chain. The error is an *[UnstableError] if no policy is stable.
func (w *work) decide(ctx context.Context) (err error) {
	if w.one.Pools != nil { // no pool was chosen: the log cannot be replayed
		return ErrPools
	}
	c := &w.Chain
	jobs, err := jobsOf(w.one)
	if err != nil {
		return err
	}
	if c.Draft, err = NewDraft(ctx, jobs, policy.Machine{Nodes: w.one.Nodes, Unit: w.asked}, w.Assumptions, w.Memory); err != nil {
		return err
	}
	s := c.Draft.System
	c.Asked, err = w.Table.Select(s.Machine(), policy.Chain, policy.Dynamic{}.Name(), policy.EveryStatic)
	if err != nil {
		return err
	}
	if c.Decision, err = decide.Solve(ctx, s, c.Asked.Run, w.method(), w.Workers); err != nil {
		return err
	}
	policies := w.compared()
	if policies == nil {
		return &UnstableError{s.Load()}
	}
	w.Observer.planned(ExplainingChain, (&validate.LogComparison{Draws: explained}).Replays()*len(policies))
	return nil
}

// UnstableError tells that no policy is stable by the chain at the load of the log.
type UnstableError struct{ Load float64 }

func (e *UnstableError) Error() string {
	return fmt.Sprintf("study: no policy is stable at load %.4g", e.Load)
}

// method returns the settings with which the chains of the study are solved: their method, and their bound on memory.
func (w *work) method() markov.Settings {
	return markov.Settings{Method: markov.Auto, Memory: w.Memory}
}

// compared returns the policies that the chain explains, without those that are unstable by the chain: dynamic
// partitioning, the best static split by the chain, and the best static split on the log.
func (w *work) compared() (all []policy.Policy) {
	best := []policy.Policy{policy.Dynamic{}}
	if w.Chain.Decision.Best != nil {
		best = append(best, w.Chain.Decision.Best.Policy)
	}
	for _, run := range w.Rivals.onOne() {
		if _, static := run.Policy.(policy.Static); static {
			best = append(best, run.Policy)
		}
	}
	for _, r := range w.Chain.Decision.Results {
		if r.Measures.Stable && slices.Contains(best, r.Policy) {
			all = append(all, r.Policy)
		}
	}
	return all
}

// explained is the number of logs that are drawn for each random assumption of the chain.
const explained = 4

// explainChain sets Rigid and Report of w.Chain: it solves the chain of rigid jobs, and replays the log with one assumption of the chain made true after the other.
// If this is not possible, Chain.Missing tells why.
func (w *work) explainChain(ctx context.Context) (err error) {
	if err := w.solveRigid(ctx); err != nil {
		return err
	}
	if w.Chain.Missing == nil {
		w.Chain.Missing, err = missing(ctx, w.explain(ctx))
	}
	return err
}

// explain sets Report and Ratio of the chain. The report replays the log with one assumption of the chain after the other, and so
// says why the two differ.
func (w *work) explain(ctx context.Context) error {
	c := &w.Chain
	s := c.Draft.System
	costs, err := w.Assumptions.Cost.On(s.Machine(), 1, w.Assumptions.Stops)
	if err != nil {
		return err
	}
	jobs, err := w.onChain(s)
	if err != nil {
		return err
	}
	policies := w.compared()
	predicted := make([]float64, len(policies))
	for i, p := range policies {
		predicted[i] = c.Decision.Of(p).Measures.MeanResponseTime
	}
	compare := validate.LogComparison{System: s, Jobs: jobs, Costs: costs, Hour: 3600, Draws: explained, Seed: seed, Workers: w.Workers,
		Progress: func(done, of int) { w.Observer.advanced(ExplainingChain, float64(done)/float64(of)) }}
	report, err := compare.Explain(ctx, policies, predicted)
	if err != nil {
		return err
	}
	c.Report = &report
	return w.compareLog()
}

// onChain returns the jobs of the log under the assumptions of the chain, for the simulation that explains its error. All jobs are
// malleable and have the speedup of the system. If the system has classes, a job uses at most [replay.MaxNodes] of the nodes that it
// asked for.
func (w *work) onChain(s *models.System) ([]workload.Job, error) {
	logged, err := jobsOf(w.weeks)
	if err != nil {
		return nil, err
	}
	jobs, _, err := workload.OnMachine(logged, s.Nodes, workload.WithSpeedup(workload.Malleable, w.Chain.Draft.assumptions.Speedup))
	if err != nil {
		return nil, err
	}
	if len(s.Classes) > 0 {
		for i := range jobs {
			jobs[i].Max = replay.MaxNodes(jobs[i].Nodes, s.Machine(), w.Assumptions.Most)
		}
	}
	return jobs, nil
}

// compareLog sets Ratio of the chain, from the replays of dynamic partitioning and of the best static split.
func (w *work) compareLog() error {
	dynamic, static := named(w.Rivals.onOne(), policy.Dynamic{}), named(w.Rivals.onOne(), policy.Static{})
	if dynamic == nil || static == nil || !w.Chain.Report.HasDecision() {
		return nil
	}
	ratio, err := dynamic.Log.RatioOf(static.Log, measure.Confidence)
	w.Chain.Ratio = ratio
	return err
}

// resample sets Samples of the chain, if they are asked for.
func (w *work) resample(ctx context.Context) (err error) {
	c := &w.Chain
	if w.Settings.Samples == 0 || c.Missing != nil {
		return nil
	}
	set := w.method()
	c.Samples, err = decide.Bootstrap(ctx, &c.Decision, c.Draft.Resampler(ctx, seed), decide.BootstrapOptions{Samples: w.Settings.Samples, Settings: set,
		Workers: w.Workers, Progress: func(n int) { w.Observer.advanced(ResamplingChain, float64(n)/float64(w.Settings.Samples)) }})
	c.Missing, err = missing(ctx, err)
	return err
}
