package replay

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/metric"
)

// Worth says what the policy of a run is worth in nodes. Nodes is the number of nodes with which EASY alone has the
// mean response time of the run. EASY runs the same jobs, all of them rigid; the run has the nodes of the log. Mean is
// the number at which the two times are equal. Low and High are the numbers at which the lower and the upper end of the
// interval of their ratio fall to 1. All three are interpolated between the numbers that were replayed, so they need not
// be whole; [Worth.More] says how many whole nodes are enough.
//
// A number is +Inf if EASY is slower on any number of nodes: malleable jobs may end earlier than rigid jobs that never
// wait. If EASY is faster even on the fewest nodes that the largest job allows, the number is these fewest nodes.
// HalfWidth is infinite, and Low and High are NaN, if the ratio has no interval. Mean is 0 if the worth was not
// searched.
//
// For a log in pools, the nodes are added to one pool, and the two times concern the jobs of this pool; see
// [Run.WaitingPool].
type Worth struct {
	Nodes metric.Interval
	Own   int    // nodes of the machine of the log, or of the pool
	Pool  string // the name of the pool; "": all jobs share one machine
}

// More returns the least whole number of nodes beyond w.Own that is enough for the number n, which is an end or the
// mean of w.Nodes: ⌈n⌉ − w.Own, and 0 if this is negative. It is +Inf if n is, and NaN if n is unknown.
func (w *Worth) More(n float64) float64 { return max(0, math.Ceil(n)-float64(w.Own)) }

// Numbers of nodes are tried in steps of nodesStep, relative to each other. The largest number is mostTimes times the
// number of the log.
const (
	nodesStep = 1.02
	mostTimes = 64
)

// WorthInNodes finds what resizing is worth in nodes: for each run, the number of nodes with which EASY alone has the
// same mean response time. It sets Worth of the runs, which [Study.Run] has made on the nodes of the log. For a log in
// pools, nodes are added for all runs to the pool whose jobs wait longest in the first run; Worth names it. With a
// sample, the search replays the weeks of the sample, and the whole log near the crossings; see [anchors].
//
// EASY's mean response time falls with the number of nodes. But a log is one sample: from one number to the next the
// time goes up and down by about a per cent. So the result is the number at which the isotonic regression of the ratios
// crosses 1, as in [Study.Breakevens]. All runs share the replays of EASY.
//
// workers replays run at a time, one for each processor if it is 0. s.Done and s.Ended are not called.
//
// The error is a *[RunError] if EASY cannot run the jobs. It is a *[SettingError] if a run has other nodes or other
// pools than the log. It is one as well if a sample would stand for another load. It may also be any other error of
// [Study.Run], come from the shape of a job, or say that a run has no results. No Worth is set then.
func (s *Study) WorthInNodes(ctx context.Context, workers int, runs []*Run) error {
	if err := s.Check(); err != nil {
		return err
	}
	if err := s.checkRuns(runs); err != nil {
		return err
	}
	if s.Sample != nil {
		if err := s.checkBesideSample(runs); err != nil {
			return err
		}
	}
	if len(runs) == 0 {
		return nil
	}
	for _, r := range runs {
		if r.Nodes != s.Log.Nodes {
			return &SettingError{"nodes", fmt.Sprintf("the worth counts from the %d nodes of the log; use a run on these nodes, not on %d",
				s.Log.Nodes, r.Nodes)}
		}
	}
	on := s.wholeMachine(runs[0])
	if s.Log.Pools != nil {
		on = s.poolPart(runs[0].WaitingPool())
	}
	scale, own, err := s.numbersOfNodes(on)
	if err != nil {
		return err
	}
	slots := newSlots(workers)
	whole := newEasyOnNodes(s, s.Log, on, scale, slots)
	easy := whole
	if s.Sample != nil {
		easy = newEasyOnNodes(s, s.Sample.Log, on, scale, slots)
	}
	found := make([]metric.Interval, len(runs))
	err = parallel.Each(ctx, len(runs), len(runs), func(i int) (err error) {
		search := &nodesSearch{easyOnNodes: easy, whole: whole, run: runs[i].onPart(on), own: own, last: len(scale) - 1}
		found[i], err = search.interval(ctx)
		return err
	})
	if err != nil {
		return err
	}
	for i, run := range runs {
		run.Worth = Worth{Nodes: found[i], Own: on.Nodes, Pool: on.Name}
	}
	return nil
}

// onPart returns the results of a run for the jobs of pool number p.number, as a new run: Load, Log, Measures, and the
// baseline for the same jobs. Its Setting is not set. If the run has no pools it is the run itself; nil for nil.
func (r *Run) onPart(p part) *Run {
	if r == nil || r.Pools == nil {
		return r
	}
	own := &r.Pools[p.number]
	return &Run{Load: r.Load, Log: own.Log, Measures: own.Measures, replications: r.replications, Baseline: r.Baseline.onPart(p)}
}

// numbersOfNodes returns the numbers of nodes on which EASY is tried for the jobs of a part of the log, in ascending
// order. own is the index, from 0, of on.Nodes, the part's own number. The first is the number that the largest job
// needs. The last is at most 64 times the own number, and at most [machine.MostNodes]. Neighbours differ by 2 %, but by
// at least 1. The error comes from [Study.nodesNeeded].
func (s *Study) numbersOfNodes(on part) (scale []int, own int, err error) {
	easy := s.newRun(policy.EASY{}, 0)
	least, err := s.nodesNeeded(easy, on)
	if err != nil {
		return nil, 0, err
	}
	most := min(mostTimes*on.Nodes, machine.MostNodes)
	for n := on.Nodes; n > least; {
		n = max(least, min(n-1, int(math.Round(float64(n)/nodesStep))))
		scale = append(scale, n)
	}
	slices.Reverse(scale)
	own = len(scale)
	for n := on.Nodes; n <= most; n = max(n+1, int(math.Round(float64(n)*nodesStep))) {
		scale = append(scale, n)
	}
	return scale, own, nil
}

// easyOnNodes is EASY on other numbers of nodes than the log has. Each number is replayed once, for all runs and all
// ends of intervals that ask for it.
type easyOnNodes struct {
	of      *Study
	on      part  // of the log, whose nodes vary
	scale   []int // numbers of nodes, ascending
	slots   slots
	mu      sync.Mutex
	replays map[loadAndNodes]func() (*Run, error)
}

// newEasyOnNodes returns EASY on other nodes for the jobs of a log: the log of the study s, or the weeks of its sample. The
// nodes are those of the part on of the log.
func newEasyOnNodes(s *Study, log *Log, on part, scale []int, slots slots) *easyOnNodes {
	of := *s
	of.Log, of.Sample = log, nil
	if log.Pools != nil {
		on = of.poolPart(on.number)
	} else {
		on.Jobs, on.NodeTime = log.Offer.Jobs, log.Offer.NodeTime
	}
	return &easyOnNodes{of: &of, on: on, scale: scale, slots: slots, replays: map[loadAndNodes]func() (*Run, error){}}
}

// loadAndNodes is what a replay of EASY depends on: the requested load, 0 as logged, and the index of the number of
// nodes.
type loadAndNodes struct {
	load float64
	at   int
}

// replay returns EASY at a load on the number of nodes e.scale[at], for the jobs of e.on. The first call for a load and
// number replays the jobs with its ctx, when a slot is free. Other calls wait for its result, also if it is an error.
// The error comes from [Study.replayPart].
func (e *easyOnNodes) replay(ctx context.Context, load float64, at int) (*Run, error) {
	key := loadAndNodes{load, at}
	e.mu.Lock()
	result, known := e.replays[key]
	if !known {
		result = sync.OnceValues(func() (*Run, error) {
			easy, on := e.of.newRun(policy.EASY{}, load), e.on
			easy.Nodes, on.Nodes = e.scale[at], e.scale[at]
			return easy, e.slots.do(ctx, func() error { return e.of.replayPart(ctx, easy, on) })
		})
		e.replays[key] = result
	}
	e.mu.Unlock()
	return result()
}

// nodesSearch searches the worth of one run.
type nodesSearch struct {
	*easyOnNodes              // in which the worth is searched: in the weeks of a sample, or in the whole log
	whole        *easyOnNodes // of the whole log; the same without a sample
	run          *Run         // on the whole log
	own          int          // index of the number of the log
	last         int          // largest index that is tried: the end of scale, or an index from which on more nodes change nothing
	ownEasy      *Run         // EASY in the weeks on the own nodes; nil without a sample
	anchors      *anchors     // at indices of scale; nil without a sample
}

// replayNodes returns the replays of EASY at the load of the run on the numbers of nodes n.scale[in.from] to
// n.scale[in.to], in this order. Numbers that are not known yet are replayed concurrently. The error comes from
// [Study.replayPart]; the result is nil then.
func (n *nodesSearch) replayNodes(ctx context.Context, in span) ([]*Run, error) {
	all := make([]*Run, in.to-in.from+1)
	err := parallel.Each(ctx, len(all), len(all), func(k int) (err error) {
		if in.from+k == n.own && n.anchors == nil && n.run.Baseline != nil {
			all[k] = n.run.Baseline
			return nil
		}
		all[k], err = n.replay(ctx, n.run.Load, in.from+k)
		return err
	})
	if err != nil {
		return nil, err
	}
	if n.anchors == nil {
		for k, easy := range all {
			n.lowerLast(in.from+k, easy)
		}
	}
	return all, nil
}

// lowerLast lowers n.last to an index, but not below n.own, if no job of the whole log waits under EASY on this number of
// nodes: further nodes change nothing.
func (n *nodesSearch) lowerLast(at int, easy *Run) {
	if easy.Measures[measure.MeanWaitingTime] == 0 {
		n.last = min(n.last, max(at, n.own))
	}
}

// values returns three values for each index of n.scale in a range, both ends included: the mean response time of EASY on
// this number of nodes divided by the mean response time of the run, and both ends of the interval of this ratio. If
// [Run.Ratio] of the run has no interval, it returns the ratio alone. With a sample the values are those of the whole log
// as far as they are known; see [anchors]. The error comes from [Study.replayPart].
func (n *nodesSearch) values(ctx context.Context, from, to int) ([][]float64, error) {
	easy, err := n.replayNodes(ctx, span{from, to})
	var all [][]float64
	for k, r := range easy {
		if n.anchors != nil {
			all = append(all, n.anchors.values(from+k, n.ownEasy.ratioTo(r).Mean))
		} else {
			all = append(all, n.knownEnds(n.run.ratioTo(r)))
		}
	}
	return all, err
}

// knownEnds returns a ratio and both ends of its interval, or the ratio alone if [Run.Ratio] of the run has no interval.
func (n *nodesSearch) knownEnds(ratio metric.Interval) []float64 {
	if !n.run.Ratio().IsKnown() {
		return []float64{ratio.Mean}
	}
	return meanAndEnds(ratio)
}

// beginInWeeks replays EASY on the own nodes in the weeks of the sample, and makes the first anchor there. The error comes
// from [Study.replayPart].
func (n *nodesSearch) beginInWeeks(ctx context.Context) (err error) {
	n.anchors = &anchors{farthest: 1}
	n.ownEasy, err = n.replay(ctx, n.run.Load, n.own)
	n.anchors.add(n.own, n.knownEnds(n.run.Ratio()), 1)
	return err
}

// replayAnchor replays EASY on the whole log on the number of nodes at an index, and makes an anchor of it. The error comes
// from [Study.replayPart].
func (n *nodesSearch) replayAnchor(ctx context.Context, at int) error {
	inWeeks, err := n.replay(ctx, n.run.Load, at)
	if err != nil {
		return err
	}
	easy, err := n.whole.replay(ctx, n.run.Load, at)
	if err != nil {
		return err
	}
	n.lowerLast(at, easy)
	n.anchors.add(at, n.knownEnds(n.run.ratioTo(easy)), n.ownEasy.ratioTo(inWeeks).Mean)
	return nil
}

// interval returns the worth of the run: the number of nodes on which EASY alone has the same mean response time, with
// its interval. Mean, Low and High are the [nodesSearch.crossing] of the ratio and of the two ends of its interval; see
// [intervalOfCrossings]. So each is +Inf if EASY is slower on any number of nodes. It is the fewest nodes if EASY is
// faster even on these.
//
// If [Run.Ratio] of the run has no interval, Low and High are NaN and HalfWidth is infinite. The error comes from
// [Study.replayPart], such as the error of ctx; the interval is incomplete then.
func (n *nodesSearch) interval(ctx context.Context) (metric.Interval, error) {
	place := func(k int) (float64, error) {
		return n.crossing(func(from, to int) (of []float64, err error) {
			all, err := n.values(ctx, from, to)
			for _, v := range all {
				of = append(of, v[k])
			}
			return of, err
		})
	}
	crossings := len(n.knownEnds(n.run.Ratio()))
	if n.whole != n.easyOnNodes {
		if err := n.beginInWeeks(ctx); err != nil {
			return metric.Interval{}, err
		}
		add := func(at int) error { return n.replayAnchor(ctx, at) }
		if err := n.anchors.settle(ctx, crossings, n.last, place, add); err != nil {
			return metric.Interval{}, err
		}
	}
	return intervalOfCrossings(crossings, func(k int) (float64, error) {
		at, err := place(k)
		return interpolate(at, func(i int) float64 { return float64(n.scale[i]) }), err
	})
}

// About a crossing, all numbers of nodes within windowOfNodes steps are tried.
const windowOfNodes = 5

// crossing returns the place at which values fall to 1: an index of n.scale plus the part of the way to the next index.
// values returns the values at a range of indices, both ends included. [crossingOf] finds the place. It is +Inf if the
// values exceed 1 up to index n.last, and 0 if they exceed 1 nowhere. The error comes from values.
func (n *nodesSearch) crossing(values func(from, to int) ([]float64, error)) (float64, error) {
	above := func(i int) (bool, error) {
		v, err := values(i, i)
		return err == nil && v[0] > 1, err
	}
	at, err := n.bracket(above)
	switch {
	case err != nil:
		return 0, err
	case at.from > n.last:
		return math.Inf(1), nil
	case at.to < 0:
		return 0, nil
	}
	if at, err = bisect(at, values); err != nil {
		return 0, err
	}
	return crossingOf(at.wider(windowOfNodes, n.last), n.last, windowOfNodes, values)
}

// bracket returns two indices of n.scale: the value is above 1 at the first, and not at the second. above reports
// whether the value is above 1 at an index. The search begins at n.own, and doubles the distance from try to try. Both
// indices are negative if the value is above 1 nowhere, and both lie beyond n.last if it is above 1 everywhere. The
// error comes from above.
func (n *nodesSearch) bracket(above func(i int) (bool, error)) (span, error) {
	up, err := above(n.own)
	if err != nil {
		return span{}, err
	}
	for before, step := n.own, 1; ; step *= 2 {
		i := max(n.own-step, 0)
		if up {
			i = min(n.own+step, n.last)
		}
		if i == before && up {
			return span{n.last + 1, n.last + 1}, nil
		}
		if i == before {
			return span{-1, -1}, nil
		}
		is, err := above(i)
		switch {
		case err != nil:
			return span{}, err
		case up && !is:
			return span{before, i}, nil
		case !up && is:
			return span{i, before}, nil
		}
		before = i
	}
}
