package study

import (
	"context"
	"fmt"
	"slices"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate"
	"github.com/partwise/partwise/validate/metric"
	"github.com/partwise/partwise/validate/replay"
)

// Chain is what a Markov chain says of the machine of the log if jobs were independent, and why it differs from the
// log. In an answer with a Pool, machine and log belong to the Pool.
type Chain struct {
	Division Division          // the unit of the chain; without loads if the study was given a unit
	Draft    *Draft            // the model; nil if no model could be made
	Asked    *policy.Selection // dynamic partitioning and every static split
	Decision decide.Decision   // of these policies
	// Report compares the chain with replays of the log under the assumptions of the chain, for some of the stable
	// policies. It is nil if the chain could not be compared.
	Report *validate.LogReport
	// Ratio is, on the log, the mean response time under the best static split over that under dynamic partitioning.
	// Jobs can use any number of nodes there. Its mean is 0 if one of the two was not replayed.
	Ratio   metric.Interval
	Samples *decide.BootstrapResult // of weeks drawn again; nil if no samples were asked for
	Missing error                   // why there is no chain, or no comparison; nil if there are both
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

// Agreement compares two winners, each dynamic partitioning or the best static split: the winner by the chain, and the
// winner by the replays of the log.
//
//   - [Unknown]: c.Report is nil, or c.Ratio was not set.
//   - [NotSignificant]: the advantage is negligible by the chain, or the interval of c.Ratio contains 1 or is not
//     known.
//   - [Agree]: chain and log prefer the same partitioning.
//   - [Differ]: the log prefers the other one, also where its jobs can use no more nodes than the classes of the
//     chain. If the log agrees with the chain there, the result is NotSignificant.
func (c *Chain) Agreement() Agreement {
	if c.Report == nil || c.Ratio.Mean == 0 {
		return Unknown
	}
	by := c.Report.Predicted.Ratio
	dynamic, static := c.Ratio.Low > 1, c.Ratio.High < 1 // wins by the log, significantly
	switch {
	case !c.Ratio.IsKnown() || decide.Negligible(by):
		return NotSignificant
	case by > 1 && dynamic || by < 1 && static:
		return Agree
	case (dynamic || static) && !c.Report.Agrees():
		return Differ
	}
	return NotSignificant
}

// solveChains makes the step [SolvingChain]. It fits a model to the jobs of the log and solves its Markov chain under
// dynamic partitioning and every static split. It sets Draft, Asked and Decision of w.Chain; the fields Report and
// Ratio are left to [work.explainChain]. Then it sets Chain.Rigid, the chain of the jobs as rigid jobs; see
// [work.solveRigid].
//
// If a part of the first chain fails, Chain.Missing says why, and the study goes on. An error is returned only if ctx
// has ended.
func (w *work) solveChains(ctx context.Context) (err error) {
	if w.Chain.Missing, err = reasonOrError(ctx, w.solveDraft(ctx)); err != nil {
		return err
	}
	return w.solveRigid(ctx)
}

// solveDraft fits the draft of a model to the jobs of w.oneMachine, and solves its chain under dynamic partitioning and
// every static split. These are the jobs of the log or, where each partition is a machine of its own, of one partition.
// It sets Draft, Asked and Decision of w.Chain, one after the other: those before a failure stay set. It also tells the
// observer how many replays [work.explain] will make.
//
// The error is [ErrPools] if no partition was chosen, or an *[UnstableError] if no policy is stable. It may also be an
// error of reading the log, of [DivisionOf], [NewDraft], [policy.Table.Select] or [decide.Solve].
func (w *work) solveDraft(ctx context.Context) (err error) {
	if w.oneMachine.Pools != nil { // no pool was chosen: the log cannot be replayed
		return ErrPools
	}
	c := &w.Chain
	jobs, err := w.jobsOf(w.oneMachine)
	if err != nil {
		return err
	}
	if c.Division, err = w.divisionOf(w.oneMachine); err != nil {
		return err
	}
	m := policy.Machine{Nodes: w.oneMachine.Nodes, Unit: c.Division.Unit}
	if c.Draft, err = NewDraft(ctx, jobs, m, w.Assumptions, w.Memory); err != nil {
		return err
	}
	s := c.Draft.System
	c.Asked, err = w.Table.Select(s.Machine(), policy.Chain, policy.Dynamic{}.Name(), policy.EveryStatic)
	if err != nil {
		return err
	}
	if c.Decision, err = c.Draft.solve(ctx, c.Asked.Run, w.chainSettings(), w.Workers); err != nil {
		return err
	}
	policies := w.comparedPolicies()
	if policies == nil {
		return &UnstableError{Load: s.Load(), Logged: c.Draft.LoggedLoad(), Unit: s.MinNodes}
	}
	_, draws := w.explainedLog()
	w.Observer.planned(ExplainingChain, (&validate.LogComparison{Draws: draws}).Replays()*len(policies))
	return nil
}

// UnstableError tells that no policy is stable by the chain.
type UnstableError struct {
	Load   float64 // of the chain, whose jobs run on one unit at this load
	Logged float64 // load of the jobs on the nodes that they had
	Unit   int     // in nodes
}

// Error returns a message with both loads.
func (e *UnstableError) Error() string {
	return fmt.Sprintf("study: no policy is stable at load %.4g in units of %d nodes; on the nodes that jobs had the load was %.4g",
		e.Load, e.Unit, e.Logged)
}

// chainSettings returns the settings with which the chains of the study are solved. The program chooses the numerical
// method of each chain, [markov.Auto]. The chains share the memory of the settings of the study; nil is the default of
// [markov.NewMemory].
func (w *work) chainSettings() markov.Settings {
	return markov.Settings{Method: markov.Auto, Memory: w.Memory}
}

// comparedPolicies returns the policies for which [work.explain] compares the chain with the log. They are dynamic
// partitioning, the best static split by the chain, and the best static split on the log. Policies that are unstable by
// the chain are left out, and so is the split of the log if the rivals were not replayed. The result has the order of
// Chain.Decision.Results; it is nil if no policy is stable.
func (w *work) comparedPolicies() (all []policy.Policy) {
	best := []policy.Policy{policy.Dynamic{}}
	if w.Chain.Decision.Best != nil {
		best = append(best, w.Chain.Decision.Best.Policy)
	}
	for _, run := range w.Rivals.onOneMachine() {
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

// explained is the number of logs that are drawn for each random assumption of the chain, and explainedLong that number for
// a long log. One drawn log of a million jobs tells as much as many drawn logs of a few thousand jobs.
const explained, explainedLong = 4, 1

// weeksLikeLog is the number of weeks of a sample from which on they are replayed in place of the log to explain the chain.
// The replays of a million jobs and of their drawn logs take much longer than those of the weeks.
const weeksLikeLog = 30

// explainedLog returns the log whose jobs are replayed to explain the chain, and the number of logs that are drawn for each
// random assumption. The log is w.oneMachine, or its weeks if the sample has at least weeksLikeLog weeks.
func (w *work) explainedLog() (log *replay.Log, draws int) {
	switch {
	case w.Sample == nil:
		return w.oneMachine, explained
	case w.ChainInWeeks():
		return w.weeksOfOne, explained
	}
	return w.oneMachine, explainedLong
}

// ChainInWeeks reports whether the comparison of the chain with the log replays the weeks of a.Sample alone.
func (a *Answer) ChainInWeeks() bool { return a.Sample != nil && a.Sample.Weeks >= weeksLikeLog }

// explainChain makes the step [ExplainingChain]. It sets Report and Ratio of w.Chain, the comparison of chain and log;
// see [work.explain]. The comparison is left out if Chain.Missing is set already.
//
// If the comparison fails, Chain.Missing says why, and the study goes on. An error is returned only if ctx has ended.
func (w *work) explainChain(ctx context.Context) (err error) {
	if w.Chain.Missing == nil {
		w.Chain.Missing, err = reasonOrError(ctx, w.explain(ctx))
	}
	return err
}

// explain sets Report and Ratio of w.Chain, which explain why chain and log differ; [work.solveDraft] must have
// succeeded. Report compares the mean response times that the chain predicts with replays under the policies of
// [work.comparedPolicies]. It also holds replays of drawn logs, each of which makes one assumption of the chain true,
// such as independent jobs. Ratio is set by [work.setLogRatio]: static over dynamic, on the log. The observer hears how
// many replays are done.
//
// The error is a *[replay.SettingError] if the cost of a resize does not fit the machine of the draft. It may also be
// an error of reading the log, of the speedup, of [validate.LogComparison.Explain] or of [metric.Log.RatioOf]. Report
// is set beside an error of RatioOf.
func (w *work) explain(ctx context.Context) error {
	c := &w.Chain
	s := c.Draft.System
	costs, err := w.Assumptions.Cost.On(s.Machine(), 1, w.Assumptions.Stops)
	if err != nil {
		return err
	}
	log, draws := w.explainedLog()
	logged, err := w.jobsOf(log)
	if err != nil {
		return err
	}
	jobs, err := newChainJobs(logged, s, c.Draft.assumptions.Speedup, w.Assumptions.Most)
	if err != nil {
		return err
	}
	policies := w.comparedPolicies()
	predicted := make([]float64, len(policies))
	for i, p := range policies {
		predicted[i] = c.Decision.Of(p).Measures.MeanResponseTime
	}
	workers := w.Workers
	if draws == explainedLong {
		workers = 1 // each keeps the times and the order of all jobs
	}
	compare := validate.LogComparison{System: s, Jobs: jobs, Costs: costs, Hour: 3600, Draws: draws, Seed: seed, Workers: workers,
		Progress: func(done, of int) { w.Observer.advanced(ExplainingChain, float64(done)/float64(of)) }}
	report, err := compare.Explain(ctx, policies, predicted)
	if err != nil {
		return err
	}
	c.Report = &report
	return w.setLogRatio()
}

// setLogRatio sets Chain.Ratio: on the log, the mean response time of the best static split divided by the mean
// response time of dynamic partitioning. Both are runs of the rivals. Ratio stays 0 if one of the two was not replayed.
// It stays 0 as well if Chain.Report, which must be set, lacks one of the two, so that the chain decides nothing. The
// error comes from [metric.Log.RatioOf].
func (w *work) setLogRatio() error {
	dynamic, static := runUnder(w.Rivals.onOneMachine(), policy.Dynamic{}), runUnder(w.Rivals.onOneMachine(), policy.Static{})
	if dynamic == nil || static == nil || !w.Chain.Report.HasDecision() {
		return nil
	}
	ratio, err := dynamic.Log.RatioOf(static.Log, measure.Confidence)
	w.Chain.Ratio = ratio
	return err
}

// resample makes the step [ResamplingChain], which tells how sure the decision of the chain is. It sets Chain.Samples,
// the decisions by chains that are fitted to weeks of the log drawn with replacement. Nothing happens if
// Settings.Samples is 0 or Chain.Missing is set. The observer hears how many samples are solved.
//
// If this fails, Chain.Missing says why, and the study goes on. An error is returned only if ctx has ended.
func (w *work) resample(ctx context.Context) (err error) {
	c := &w.Chain
	if w.Settings.Samples == 0 || c.Missing != nil {
		return nil
	}
	set := w.chainSettings()
	c.Samples, err = decide.Bootstrap(ctx, &c.Decision, c.Draft.resampler(ctx, seed),
		decide.BootstrapOptions{Samples: w.Settings.Samples, Settings: set, Workers: w.Workers,
			Progress: func(n int) { w.Observer.advanced(ResamplingChain, float64(n)/float64(w.Settings.Samples)) }})
	c.Missing, err = reasonOrError(ctx, err)
	return err
}
