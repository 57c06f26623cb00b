package study

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/models/workload/logstats"
	"github.com/partwise/partwise/validate/replay"
)

// Gains is a log under EASY, and under EASY with shares of the jobs malleable. The Worth of the runs says how many
// nodes EASY alone needs to be as fast. The Groups of the runs say which jobs gain and which lose, by what jobs have in
// common; see [replay.Run.RatioInGroup].
type Gains struct {
	EASY *replay.Run
	Runs []*replay.Run // with the shares of [replay.ForecastShares], ascending
	// Curve are the runs with these and further shares, ascending. Runs with further shares have response and waiting times
	// alone; see [replay.Study.Brief].
	Curve []*replay.Run
	Days  float64 // from the first to the last submission
	// Impossible is why the jobs cannot be replayed; nil: they were.
	Impossible error
	// SameLoad is why forecasts are for another stretch of the log with the same load only; nil: the other load was
	// replayed, too.
	SameLoad error
	// NoWorth is why the runs have no Worth: EASY cannot run the jobs on another number of nodes; nil: they have.
	NoWorth error
}

// curveShares are the shares of malleable jobs that a study replays besides [replay.ForecastShares].
var curveShares = []float64{0.05, 0.1, 0.35, 0.75}

// Verdict returns whether resizing pays, see [replay.ResizingPays], and the run with the least share of malleable jobs
// from which on it pays. The run is nil if resizing does not pay, if the log does not decide, or if there are no runs.
func (g *Gains) Verdict() (replay.Verdict, *replay.Run) { return replay.ResizingPays(g.Runs) }

// Last returns the run with the largest share of malleable jobs; nil if there are no runs.
func (g *Gains) Last() *replay.Run {
	if len(g.Runs) == 0 {
		return nil
	}
	return g.Runs[len(g.Runs)-1]
}

// Decisive returns the run whose share of malleable jobs the later parts of a study use, such as Variations and Apart.
// It is the run with the least share from which on resizing pays. If resizing does not pay, or the log does not decide,
// it is the run with the largest share. It is nil if there are no runs.
func (g *Gains) Decisive() *replay.Run {
	if _, from := g.Verdict(); from != nil {
		return from
	}
	return g.Last()
}

// TooFew reports whether the log has too few jobs for a verdict: the ratio to EASY has no interval for the largest
// share of malleable jobs. It is false if nothing was replayed.
func (g *Gains) TooFew() bool { return g.Last() != nil && !g.Last().Ratio().IsKnown() }

// OneNode reports whether each job runs on a machine of one node, so that no job can be resized. Where partitions are machines of
// their own, partitions without jobs do not count. It is false if nothing was replayed.
func (g *Gains) OneNode() bool {
	switch {
	case g == nil || g.EASY == nil:
		return false
	case len(g.EASY.Pools) > 0:
		return !slices.ContainsFunc(g.EASY.Pools, func(p replay.PoolRun) bool { return p.Jobs > 0 && p.Nodes > 1 })
	}
	return g.EASY.Nodes <= 1
}

// HelpsPool reports whether the jobs of a partition take significantly less time with the share of malleable jobs of
// [Gains.Decisive]. It is false if the log was not replayed, or was not replayed with this partition as a machine of its own.
func (g *Gains) HelpsPool(name string) bool {
	if g == nil || g.Decisive() == nil {
		return false
	}
	run := g.Decisive()
	i := slices.IndexFunc(run.Pools, func(p replay.PoolRun) bool { return p.Name == name })
	return i >= 0 && run.RatioInPool(i).Low > 1
}

// replayShares makes the step [ReplayingShares]: it replays the log under EASY and with each share of malleable jobs.
// If the log cannot be replayed, Gains.Impossible says why, only Days is set besides, and the study goes on. Otherwise
// the step sets these fields of w.Gains:
//
//   - EASY is the run of all jobs under EASY, in which no job is malleable: the baseline.
//   - Curve holds the runs with malleable jobs, one for each share, in ascending order.
//   - Runs holds those runs of Curve whose shares are forecast, see [replay.ForecastShares].
//   - Days is the length of the log in days.
//
// It also sets the waits of an only candidate for the machine by [work.waitsOnOnly]. It prepares the later steps: it stores
// the runs as known results, sets w.Pool by [work.choosePool], and w.Sample by [work.drawSample]. It replays the candidate
// with the other unit by [work.replayOtherUnit]. The observer is told how many replays this step, [ReplayingLoads] and
// [Varying] make.
//
// Any other error ends the study: an error of reading the log, of ctx, of [replay.Study.DrawSample], or an internal
// error.
func (w *work) replayShares(ctx context.Context) error {
	runs := w.replays.Runs()
	w.Observer.planned(ReplayingShares, len(runs))
	study := w.observedReplays(ReplayingShares, len(runs))
	var err error
	if study.Groupings, err = w.log.Groupings(groupings()...); err != nil {
		return err
	}
	runs, err = study.Run(ctx, w.Workers)
	w.Gains.Days = w.Log.days()
	if errors.As(err, new(*replay.RunError)) || errors.As(err, new(*replay.SettingError)) {
		if w.Gains.Impossible, err = reasonOrError(ctx, err); err != nil {
			return err
		}
		return w.waitsOnOnly(ctx)
	}
	if err != nil {
		return err
	}
	w.Gains.EASY, w.Gains.Curve = runs[0], runs[1:]
	if err := w.waitsOnOnly(ctx); err != nil {
		return err
	}
	w.replays.Known = runs
	for _, run := range w.Gains.Curve {
		if slices.Contains(replay.ForecastShares(), run.Share) {
			w.Gains.Runs = append(w.Gains.Runs, run)
		}
	}
	if err := w.choosePool(runs[0]); err != nil {
		return err
	}
	if err := w.drawSample(); err != nil {
		return err
	}
	w.Observer.planned(ReplayingLoads, 2*len(runs))
	w.Observer.planned(Varying, variationReplays)
	return w.replayOtherUnit(ctx)
}

// choosePool chooses one pool of a log in pools, for the parts of the answer that need one machine, such as chain and
// rule. It is the pool whose jobs wait longest under EASY; see [replay.Run.WaitingPool]. easy is the run of EASY on all
// pools. w.Pool becomes this pool, and w.oneMachine and w.weeksOfOne become the log of its jobs.
//
// Without pools nothing is set. The error comes from [replay.Log.Pool].
func (w *work) choosePool(easy *replay.Run) (err error) {
	number := easy.WaitingPool()
	if number < 0 {
		return nil
	}
	w.Pool = &w.log.Pools.List[number]
	if w.oneMachine, err = w.log.Pool(number); err != nil {
		return err
	}
	w.weeksOfOne = w.oneMachine
	return nil
}

// jobsOf returns the chosen jobs of a log at its load, in the order of their submission. The list may belong to the log
// itself, and must not be changed. The jobs of the whole log are the list of w.Log: a second copy would take some 40 MB
// for a million jobs. The error comes from reading the log. It wraps [joblog.ErrTooMany] if there are more jobs than
// the choice of the log allows in memory.
func (w *work) jobsOf(log *replay.Log) (*joblog.List, error) {
	if log == w.log && w.Log.Jobs != nil {
		return w.Log.Jobs, nil
	}
	offered, err := log.At(0)
	if err != nil {
		return nil, err
	}
	return offered.List()
}

// drawSample takes weeks of a long log, in which later steps search to save time; see [replay.Sample]. It sets w.Sample
// and w.replays.Sample, and w.weeksOfOne to the weeks of the one machine of chain and rule. The observer is told which
// share of the jobs is in the weeks.
//
// w.Sample is nil, and nothing else is set, where the whole log is to be replayed. The error comes from
// [replay.Study.DrawSample] or [replay.Log.Pool].
func (w *work) drawSample() (err error) {
	if w.Sample, err = w.replays.DrawSample(w.Gains.EASY); err != nil || w.Sample == nil {
		return err
	}
	w.replays.Sample = w.Sample
	w.Observer.sampled(float64(w.Sample.Log.Offer.Jobs) / float64(w.log.Offer.Jobs))
	if w.weeksOfOne = w.Sample.Log; w.Pool != nil {
		w.weeksOfOne, err = w.Sample.Log.Pool(w.Gains.EASY.WaitingPool())
	}
	return err
}

// observedReplays returns a copy of w.replays, the study of EASY and malleable jobs, for step p. While it replays, it
// tells the observer which fraction of the step is done. The fraction is the number of ended jobs divided by the number
// of jobs of the log times replays. It is told after every 1024 jobs, and is at most 1.
func (w *work) observedReplays(p Part, replays int) replay.Study {
	study, jobs := w.replays, float64(w.Log.Offer.Jobs*replays)
	var ended atomic.Int64
	study.Ended = func() {
		if n := ended.Add(1); n%(1<<10) == 0 {
			w.Observer.advanced(p, min(float64(n)/jobs, 1))
		}
	}
	return study
}

// replayLoads makes the step [ReplayingLoads]. It replays the runs of Gains.Curve, and EASY, at two loads: the lowest
// and the highest that are expected of another stretch of the log. Each run records the results, so that
// [replay.Run.Forecasts] allows for the load that another stretch happens to have.
//
// Nothing happens if Gains.Impossible is set. If a policy cannot run the jobs at these loads, Gains.SameLoad says why.
// The study then goes on, unless ctx has ended: then this failure is returned. Any other error of
// [replay.Study.Foretell] is returned.
func (w *work) replayLoads(ctx context.Context) error {
	if w.Gains.Impossible != nil {
		return nil
	}
	study := w.observedReplays(ReplayingLoads, 2*(1+len(w.Gains.Curve)))
	err := study.Foretell(ctx, w.Workers, w.Gains.Curve)
	if errors.As(err, new(*replay.RunError)) {
		w.Gains.SameLoad, err = reasonOrError(ctx, err)
	}
	return err
}

// findBreakevens makes the step [FindingBreakevens]. For each share of [replay.ForecastShares] it searches the cost of
// a resize up to which resizing pays, and sets w.Breakevens. The replays at the costs tried become known runs of
// w.replays, so that later steps need not repeat them. The observer hears about which fraction of the time has passed.
//
// Nothing happens if Gains.Impossible is set. The replays wait for memory beside the chains; see
// [work.reserveReplays]. Every error of [replay.Study.Breakevens] is returned, and ends the study.
func (w *work) findBreakevens(ctx context.Context) error {
	if w.Gains.Impossible != nil {
		return nil
	}
	release, err := w.reserveReplays(ctx, w.Gains.Curve)
	if err != nil {
		return err
	}
	defer release()
	study := w.replays
	study.Policies, study.Shares = []policy.Policy{policy.EASYMalleable{}}, replay.ForecastShares()
	study.Foreseen = func(done, left float64) { w.Observer.advanced(FindingBreakevens, done/(done+left)) }
	w.Breakevens, err = study.Breakevens(ctx, w.Workers)
	for i := range w.Breakevens {
		w.replays.Known = append(w.replays.Known, w.Breakevens[i].Replays...)
	}
	return err
}

// groupings returns in which ways the jobs are grouped to tell who gains and who loses: all of [logstats.EachBy] but
// months. These are the labels of jobs, such as user and partition, and the size. Months are left out, because they
// tell nothing that an operator could act on.
func groupings() []logstats.By {
	return slices.DeleteFunc(logstats.EachBy(), func(by logstats.By) bool { return by == logstats.ByMonth })
}

// findWorth makes the step [FindingWorth]. It sets Worth of w.Gains.Runs: the number of nodes on which EASY alone, with
// rigid jobs, has the mean response time of the run.
//
// Nothing happens if Gains.Impossible is set. If EASY cannot run the jobs on another number of nodes, Gains.NoWorth
// says why. The study then goes on, unless ctx has ended: then this failure is returned. Any other error of
// [replay.Study.WorthInNodes] is returned.
func (w *work) findWorth(ctx context.Context) (err error) {
	if w.Gains.Impossible != nil {
		return nil
	}
	err = w.replays.WorthInNodes(ctx, w.Workers, w.Gains.Runs)
	if errors.As(err, new(*replay.RunError)) {
		w.Gains.NoWorth, err = reasonOrError(ctx, err)
	}
	return err
}

// variationReplays is about how many times the variations replay a log.
const variationReplays = 17

// vary makes the step [Varying]: it replays the log with the share of malleable jobs of [Gains.Decisive] under other
// assumptions, one changed at a time. It sets w.Variations, which the page shows under “If the assumptions are wrong”.
// These runs become known runs: for a long log, the search for break-evens begins with their costs of a resize. The
// observer hears which fraction is done.
//
// Nothing happens if Gains.Impossible is set. Every error of [replay.Study.Variations] is returned, and ends the study.
func (w *work) vary(ctx context.Context) (err error) {
	if w.Gains.Impossible != nil {
		return nil
	}
	study := w.observedReplays(Varying, variationReplays)
	w.Variations, err = study.Variations(ctx, w.Workers, w.Gains.Decisive().Share)
	for i := range w.Variations {
		w.replays.Known = append(w.replays.Known, w.Variations[i].Run)
	}
	return err
}
