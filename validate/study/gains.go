package study

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync/atomic"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/models/workload/logstats"
	"github.com/partwise/partwise/validate/metric"
	"github.com/partwise/partwise/validate/replay"
)

// Gains is a log under EASY, and under EASY with shares of the jobs malleable. The Worth of the runs says how many nodes EASY alone needs to
// be as fast. The Groups of the runs say which jobs gain and which lose, by what jobs have in common; see [replay.Run.RatioInGroup].
type Gains struct {
	EASY  *replay.Run
	Runs  []*replay.Run // with the shares of [replay.ForecastShares], ascending
	Curve []*replay.Run // with these and further shares, ascending; they have no Worth unless they are among Runs
	Days  float64       // from the first to the last submission
	// Impossible is why the jobs cannot be replayed; nil: they were.
	Impossible error
	// SameLoad is why forecasts are for another stretch of the log with the same load only; nil: the other load was replayed, too.
	SameLoad error
	// NoWorth is why the runs have no Worth: EASY cannot run the jobs on another number of nodes; nil: they have.
	NoWorth error
}

// curveShares are the shares of malleable jobs beyond those of [replay.ForecastShares].
var curveShares = []float64{0.05, 0.1, 0.35, 0.75}

// Verdict returns whether resizing pays, and the run with the least share of malleable jobs from which on it does. The run is nil if
// resizing does not pay, or if that is not clear.
func (g *Gains) Verdict() (replay.Verdict, *replay.Run) { return replay.ResizingPays(g.Runs) }

// Last returns the run with the largest share of malleable jobs; nil if there are no runs.
func (g *Gains) Last() *replay.Run {
	if len(g.Runs) == 0 {
		return nil
	}
	return g.Runs[len(g.Runs)-1]
}

// Decisive returns the run with the share of malleable jobs from which on resizing pays, otherwise the run with the
// largest share. It is nil if there are no runs. Later parts of a study are about its share.
func (g *Gains) Decisive() *replay.Run {
	if _, from := g.Verdict(); from != nil {
		return from
	}
	return g.Last()
}

// TooFew reports whether the log has too few jobs for a verdict: the ratio to EASY has no interval. It is false if
// nothing was replayed.
func (g *Gains) TooFew() bool { return g.Last() != nil && !hasInterval(g.Last().Ratio()) }

// hasInterval reports whether an interval has a finite half width. It has none if there were too few jobs.
func hasInterval(e metric.Interval) bool {
	return !math.IsInf(e.HalfWidth, 0) && !math.IsNaN(e.HalfWidth)
}

// replayShares replays the log under EASY and with each share of malleable jobs, and sets the part Gains of the answer.
// It also chooses the pool and draws the sample of the later parts. If the log cannot be replayed, Gains.Impossible
// says why. The error is that of ctx, or a fault of the program.
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
		w.Gains.Impossible, err = reasonOrError(ctx, err)
		return err
	}
	if err != nil {
		return err
	}
	w.Gains.EASY, w.Gains.Curve = runs[0], runs[1:]
	w.replays.Known = runs
	for _, run := range w.Gains.Curve {
		if slices.Contains(replay.ForecastShares(), run.Share) {
			w.Gains.Runs = append(w.Gains.Runs, run)
		}
	}
	if err := w.choosePool(runs[0]); err != nil {
		return err
	}
	if err := w.drawSample(ctx, runs); err != nil {
		return err
	}
	w.Observer.planned(ReplayingLoads, 2*len(runs))
	w.Observer.planned(Varying, variationReplays)
	return w.replayOtherUnit(ctx)
}

// choosePool sets w.Pool, the pool that the parts of the answer are about that need one machine, and its log. easy is
// EASY on all pools; the pool is the one whose jobs wait longest. Without pools nothing is set. The error is that of
// reading the log.
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

// jobsOf returns the chosen jobs of a log at its load, in the order of their submission. They must not be changed.
func jobsOf(log *replay.Log) (*joblog.List, error) {
	offered, err := log.At(0)
	if err != nil {
		return nil, err
	}
	return offered.List()
}

// drawSample draws weeks of a long log, given the runs of the whole log. It sets w.Sample, the sample of the later
// replays, and w.weeksOfOne, the weeks of the one machine. w.Sample is nil where the whole log is replayed. The error
// is that of [replay.Study.DrawSample] or of the pool.
func (w *work) drawSample(ctx context.Context, runs []*replay.Run) (err error) {
	if w.Sample, err = w.replays.DrawSample(ctx, w.Workers, runs); err != nil || w.Sample == nil {
		return err
	}
	w.replays.Sample = w.Sample
	w.Observer.sampled(float64(w.Sample.Log.Offer.Jobs) / float64(w.log.Offer.Jobs))
	if w.weeksOfOne = w.Sample.Log; w.Pool != nil {
		w.weeksOfOne, err = w.Sample.Log.Pool(runs[0].WaitingPool())
	}
	return err
}

// observedReplays returns a copy of w.replays, the study of EASY and malleable jobs. It tells the observer which
// fraction of part p is done, by the number of jobs of so many replays that have ended.
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

// replayLoads replays the runs at the lowest and the highest load that is expected of another stretch of the log, and
// records the results in the runs. Their forecasts then hold for the load that another stretch happens to have. If
// these replays are not possible, Gains.SameLoad says why. The error is that of ctx.
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

// findBreakevens sets the part Breakevens of the answer: for each share of malleable jobs, the cost of a resize up to
// which resizing pays. It replays the log at a few costs around each crossing. Nothing is set if the log cannot be
// replayed. The error is that of the replays.
func (w *work) findBreakevens(ctx context.Context) (err error) {
	if w.Gains.Impossible != nil {
		return nil
	}
	study := w.replays
	study.Policies, study.Shares = []policy.Policy{policy.EASYMalleable{}}, replay.ForecastShares()
	study.Foreseen = func(done, left float64) { w.Observer.advanced(FindingBreakevens, done/(done+left)) }
	w.Breakevens, err = study.Breakevens(ctx, w.Workers)
	for i := range w.Breakevens {
		w.replays.Known = append(w.replays.Known, w.Breakevens[i].Replays...)
	}
	return err
}

// groupings returns what jobs are grouped by to tell who gains: every label of jobs, and their size. Months are left
// out, because they tell nothing that an operator could act on.
func groupings() []logstats.By {
	return slices.DeleteFunc(logstats.EachBy(), func(by logstats.By) bool { return by == logstats.ByMonth })
}

// findWorth sets Worth of w.Gains.Runs: the number of nodes on which EASY alone has the same mean response time. If
// EASY cannot run the jobs on other nodes, Gains.NoWorth says why. The error is that of ctx, or of the replays.
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

// vary sets the part Variations of the answer: the gains under other assumptions than those of the user, one changed at
// a time. Nothing is set if the log cannot be replayed. The error is that of the replays.
func (w *work) vary(ctx context.Context) (err error) {
	if w.Gains.Impossible != nil {
		return nil
	}
	study := w.observedReplays(Varying, variationReplays)
	w.Variations, err = study.Variations(ctx, w.Workers, w.Gains.Decisive().Share)
	return err
}
