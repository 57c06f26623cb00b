package replay

import (
	"context"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/validate/metric"
)

// Sample is some weeks of a log, on which a study replays what it searches and varies. The weeks are common to all policies. They follow each
// other without the weeks between them, at the same hours of the week.
//
// A ratio to EASY has two factors: the ratio of the whole log under the assumptions of the study, and what a change of the assumptions makes of
// the times in these weeks,
//
//	R(changed) = R(whole log) · T(weeks)/T(weeks, changed),
//
// with T the mean response time of the run with malleable jobs. The two times of the weeks are of the same jobs, so that the quotient varies
// less than a ratio. Logarithms of the two factors count as independent: the squares of the widths of their intervals are added.
//
// Reference: A. M. Law, Simulation Modeling and Analysis, 5th ed., McGraw-Hill (2015), section 11.4, on control variates.
type Sample struct {
	Log       *Log   // of the weeks
	Weeks, Of int    // that were drawn, of so many whole weeks of the log
	whole     []*Run // runs on the whole log
	inWeeks   []*Run // the same runs in the weeks, in the order of whole
	easy      *Run   // EASY in the weeks
}

// check returns a *[SettingError] unless the sample was made by [Study.DrawSample]; nil is no sample.
func (m *Sample) check() error {
	if m == nil || m.easy != nil && m.Log.check() == nil {
		return nil
	}
	return &SettingError{"study", "a sample must be one of DrawSample"}
}

// week is seven days in seconds.
const week = 7 * 86400

const (
	// fewestOfSample is the number of jobs of the first weeks that are drawn.
	fewestOfSample = 20_000
	// mostOfSample is the largest share of the weeks that is worth drawing.
	mostOfSample = 0.5
	// widerBySample is by how much the sample may widen the intervals of the whole log, relative to their widths.
	widerBySample = 0.1
	// widthEnough is the logarithm of the upper over the lower end of an interval of a ratio, below which the interval is narrow enough whatever the
	// whole log gives: 2 % on either side. Near a break-even it moves the cost by about 10 %.
	widthEnough = 0.04
	// probeCost is the cost of a resize with which the sample is tried, in seconds: far from the usual costs, near break-evens.
	probeCost = 900
)

// DrawSample draws weeks of a long log, on which searches and variations are replayed instead of the whole log, to save
// time. It draws more weeks until they are enough. Then the intervals of ratios to EASY reach at most 2 % to either
// side, or are wider than those of the whole log by at most a tenth. This holds also where a resize takes a quarter of
// an hour.
//
// whole are runs of the study on the whole log with their results. DrawSample returns nil if half of the weeks are not
// enough, or if the log is short: then the whole log is replayed. The weeks are drawn from the seed of the study. The
// error is that of [Study.Check], a *[RunError], or that of ctx.
func (s *Study) DrawSample(ctx context.Context, workers int, whole []*Run) (*Sample, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	weeks := int((s.Log.Offer.Last - s.Log.Offer.First) / week)
	most := int(mostOfSample * float64(weeks))
	each := float64(s.Log.Offer.Jobs) / math.Max(1, float64(weeks))
	if s.Log.Offer.First == s.Log.Offer.Last || len(whole) == 0 || slices.Contains(whole, nil) {
		return nil, nil
	}
	order, hardest := rand.New(rand.NewPCG(s.Seed, uint64(weeks))).Perm(weeks), len(whole)-1
	for n := int(math.Ceil(fewestOfSample / each)); n <= most; n += max(1, n/2) {
		log, err := s.Log.ofWeeks(order[:n])
		if err != nil {
			return nil, err
		}
		sample := &Sample{Log: log, Weeks: n, Of: weeks, whole: whole}
		enough, wide, err := sample.replayWeeks(ctx, workers, s, hardest)
		if err != nil {
			return nil, err
		}
		if enough {
			return sample, nil
		}
		hardest = wide
	}
	return nil, nil
}

// ofWeeks returns the log of the weeks with the given numbers, in ascending order, one after the other without gaps.
// Weeks are numbered from 0, from the first submission on. The jobs are copied; they keep their hour of the week. The
// error is that of reading the log.
func (l *Log) ofWeeks(numbers []int) (*Log, error) {
	place := map[int]int{} // by the number of the week
	for i, n := range slices.Sorted(slices.Values(numbers)) {
		place[n] = i
	}
	jobs, pools := new(joblog.List), l.Pools.emptyCopy()
	at := 0
	for j, err := range (Offered{l, 1}).Jobs() {
		if err != nil {
			return nil, err
		}
		n := int((j.Submit - l.Offer.First) / week)
		if to, drawn := place[n]; drawn {
			moved := *j
			moved.Submit -= float64(n-to) * week
			jobs.Add(&moved)
			pools.addJob(l, at, j)
		}
		at++
	}
	c := l.Choice
	c.Range, c.Apart, c.MostLost = joblog.Range{Names: l.Range.Names}, nil, 0
	in, err := ChooseList(jobs, c)
	if err == nil {
		in.Pools = pools
	}
	return in, err
}

// emptyCopy returns a copy of the pools without jobs, to which [Pools.addJob] adds those of a sample. It is nil for
// nil.
func (p *Pools) emptyCopy() *Pools {
	if p == nil {
		return nil
	}
	e := &Pools{List: slices.Clone(p.List), Shared: p.Shared}
	for i := range e.List {
		e.List[i].Jobs, e.List[i].NodeTime = 0, 0
	}
	return e
}

// addJob adds job j to the number of jobs and to the node-time of its pool. number is its number among the chosen jobs
// of log l, from 0. On nil it does nothing.
func (p *Pools) addJob(l *Log, number int, j *joblog.Job) {
	if p == nil {
		return
	}
	i := l.poolOf(number)
	p.of = append(p.of, i)
	p.List[i].Jobs++
	p.List[i].NodeTime += j.NodeTime()
}

// replayWeeks replays the runs m.whole, and EASY, in the weeks of the sample, and sets m.inWeeks and m.easy. enough
// reports whether intervals by the sample are narrow enough; see [Study.DrawSample]. For this it also replays runs at a
// high cost of a resize. hardest is the index of the run whose interval was too wide in fewer weeks. This run is
// replayed first, and the others only if its interval is narrow enough. wide is the index of a run whose interval is
// too wide. s is the study of the whole log. The error is that of a replay.
func (m *Sample) replayWeeks(ctx context.Context, workers int, s *Study, hardest int) (enough bool, wide int, err error) {
	of := *s
	of.Log, of.Done, of.Ended, of.Groupings, of.Known = m.Log, nil, nil, nil, nil
	easy := of.newRun(policy.EASY{}, 0)
	m.inWeeks, m.easy = nil, easy
	probes := map[int]*Run{} // by the index of the run
	for i, run := range m.whole {
		part := &Run{Setting: run.Setting, replications: run.replications, Baseline: easy, searched: true}
		if run.Baseline == nil {
			part = easy
		}
		m.inWeeks = append(m.inWeeks, part)
		if run.Resizes() && run.Cost.Flat() {
			probe := *part
			probe.Cost = Cost{Name: "15min", Seconds: probeCost}
			probes[i] = &probe
		}
	}
	if probes[hardest] != nil {
		first := []*Run{m.inWeeks[hardest], probes[hardest]}
		if err := of.replayAll(ctx, first, workers); err != nil || !m.narrow(first[1]) {
			return false, hardest, err
		}
	}
	var left []*Run
	for _, run := range append(slices.Clone(m.inWeeks), easy) {
		if run.Log == nil && !slices.Contains(left, run) {
			left = append(left, run)
		}
	}
	tried := slices.Sorted(maps.Keys(probes))
	for _, i := range tried {
		if probes[i].Log == nil {
			left = append(left, probes[i])
		}
	}
	if err := of.replayAll(ctx, left, workers); err != nil {
		return false, hardest, err
	}
	for _, i := range tried {
		if !m.narrow(probes[i]) {
			return false, i, nil
		}
	}
	return true, hardest, nil
}

// narrow reports whether the weeks are enough for a probe, a run at a high cost of a resize in these weeks. They are if
// the interval of its ratio to EASY is narrow, or hardly wider than that of the whole log; see [Study.DrawSample].
func (m *Sample) narrow(probe *Run) bool {
	control := m.controlOf(probe)
	with := control.ratio(probe)
	return hasInterval(with) && relativeWidth(with) <= max(widthEnough, (1+widerBySample)*relativeWidth(control.whole.Ratio()))
}

// relativeWidth returns the width of the interval of a ratio: the logarithm of its upper over its lower end.
func relativeWidth(e metric.Interval) float64 { return math.Log(e.High / e.Low) }

// control is a run on the whole log, and the same run in the weeks of a sample. Runs with changed assumptions are
// compared with the second, and the result is carried over to the first: the method of control variates.
type control struct{ whole, part *Run }

// controlOf returns the control of a run with changed assumptions: the runs without the change that have its policy,
// share of malleable jobs and Mixed. One is on the whole log, the other in the weeks of the sample. It returns nil
// without a sample or without such a run.
func (m *Sample) controlOf(r *Run) *control {
	if m == nil {
		return nil
	}
	for i, whole := range m.whole {
		if whole.Policy == r.Policy && whole.Share == r.Share && whole.Mixed == r.Mixed {
			return &control{whole, m.inWeeks[i]}
		}
	}
	return nil
}

// ratio returns the ratio to EASY, as expected on the whole log, of a run r with changed assumptions in the weeks of a
// sample. It is the product of two ratios; see [Sample]. One is that of the unchanged run on the whole log. The other
// is the mean response time of the unchanged run in the weeks over that of r.
func (c *control) ratio(r *Run) metric.Interval {
	return productOfRatios(c.whole.Ratio(), r.ratioTo(c.part))
}

// productOfRatios returns the product of two ratios with intervals, whose logarithms count as independent: the squares
// of the widths are added. The half width is infinite if one of the intervals is not known.
func productOfRatios(a, b metric.Interval) metric.Interval {
	e := metric.Interval{Mean: a.Mean * b.Mean, DF: a.DF, HalfWidth: math.Inf(1), Low: math.Inf(-1), High: math.Inf(1)}
	if !hasInterval(a) || !hasInterval(b) || !(a.Low > 0) || !(b.Low > 0) {
		return e
	}
	e.Low = e.Mean * math.Exp(-math.Hypot(math.Log(a.Mean/a.Low), math.Log(b.Mean/b.Low)))
	e.High = e.Mean * math.Exp(math.Hypot(math.Log(a.High/a.Mean), math.Log(b.High/b.Mean)))
	e.HalfWidth = (e.High - e.Low) / 2
	return e
}

// searchedLog returns the log that searches and variations replay: the weeks of the sample or, without a sample, the
// whole log.
func (s *Study) searchedLog() *Log {
	if s.Sample != nil {
		return s.Sample.Log
	}
	return s.Log
}
