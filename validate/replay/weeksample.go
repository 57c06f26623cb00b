package replay

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/validate/metric"
)

// Sample is some weeks of a log, on which a study replays what it searches and varies. The weeks are common to all
// policies. They follow each other without the weeks between them, at the same hours of the week.
//
// A ratio to EASY has two factors: the ratio of the whole log under the assumptions of the study, and what a change of
// the assumptions makes of the times in these weeks,
//
//	R(changed) = R(whole log) · T(weeks)/T(weeks, changed),
//
// with T the mean response time of the run with malleable jobs. The two times of the weeks are of the same jobs, so
// that the quotient varies less than a ratio. Logarithms of the two factors count as independent: the squares of the
// widths of their intervals are added.
//
// The interval of the second factor is too narrow if a few busy weeks have most of the waiting. In a test log of 48 weeks,
// 12 drawn weeks gave an interval of 90 % that contained the quotient of the whole log in 68 of 100 draws. Three causes
// are known. Queues break off at the ends of weeks that are moved together. Draws without busy weeks vary too little. The
// jobs after the last whole week of the log are never drawn.
//
// Reference: A. M. Law, Simulation Modeling and Analysis, 5th ed., McGraw-Hill (2015), section 11.4, on control
// variates.
type Sample struct {
	Log       *Log   // of the weeks
	Weeks, Of int    // that were drawn, of so many whole weeks of the log
	whole     []*Run // runs on the whole log
	inWeeks   []*Run // the same runs in the weeks, in the order of whole
	easy      *Run   // EASY in the weeks
}

// check returns a *[SettingError] if the sample was not made by [Study.DrawSample]. A nil sample is allowed: it means
// that the whole log is replayed.
func (m *Sample) check() error {
	if m == nil || m.easy != nil && m.Log.check() == nil {
		return nil
	}
	return &SettingError{"study", "a sample must be one of DrawSample"}
}

// checkBesideSample returns a *[SettingError] if a sample is to stand for another load, or another number of nodes, than
// the log has: in s.Loads, in s.Nodes, or in one of the runs. The runs of a sample have the load and the nodes of the
// log. A study with several loads draws a sample at each of them.
func (s *Study) checkBesideSample(runs []*Run) error {
	otherLoad := func(load float64) bool { return load != 0 }
	otherNodes := func(nodes int) bool { return nodes != s.Log.Nodes }
	if slices.ContainsFunc(s.Loads, otherLoad) || slices.ContainsFunc(runs, func(r *Run) bool { return r != nil && otherLoad(r.Load) }) {
		return &SettingError{"load", "a sample stands for the log at its own load; bring the log to the other load with AtLoad before the sample is drawn"}
	}
	if slices.ContainsFunc(s.Nodes, otherNodes) || slices.ContainsFunc(runs, func(r *Run) bool { return r != nil && r.Policy != nil && otherNodes(r.Nodes) }) {
		return &SettingError{"nodes", fmt.Sprintf("a sample stands for the log on its own %d nodes; study other numbers without a sample", s.Log.Nodes)}
	}
	return nil
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
	// widthEnough is a width of the interval of a ratio: the logarithm of the upper over the lower end. An interval that is
	// no wider is narrow enough, whatever the whole log gives: 2 % on either side. Near a break-even this width moves the
	// cost by about 10 %.
	widthEnough = 0.04
	// probeCost is the cost of a resize with which the sample is tried, in seconds: far from the usual costs, near
	// break-evens.
	probeCost = 900
)

// DrawSample draws weeks of a long log, on which searches and variations are replayed instead of the whole log, to save
// time. whole are runs of the study on the whole log with their results. They are replayed in the drawn weeks, also at
// a cost of 15 minutes a resize. The sample keeps both, to carry results in the weeks over to the whole log.
//
// The first draw has about 20,000 jobs; each further one has half as many weeks more. The draws end when the intervals
// of all ratios to EASY at 15 minutes are narrow. An interval is narrow if it reaches at most 2 % to either side. It is
// narrow as well if it is wider than the interval of the whole log by at most a tenth.
//
// The result is nil if half of the weeks are not enough, or have fewer than 20,000 jobs: then the whole log is to be
// replayed. It is also nil without runs, and if a run of whole is nil. The same seed of the study draws the same weeks.
// workers replays run at a time, one for each processor if it is 0.
//
// The error is a *[SettingError] if the study or one of the runs has another load or number of nodes than the log. It
// may say that a run has no results, or come from ctx, from reading the log or from [Study.Run]. An example is a
// *[RunError] if a policy cannot run the jobs in these weeks. The sample is nil beside an error.
func (s *Study) DrawSample(ctx context.Context, workers int, whole []*Run) (*Sample, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	if err := s.checkBesideSample(whole); err != nil {
		return nil, err
	}
	weeks := int((s.Log.Offer.Last - s.Log.Offer.First) / week)
	most := int(mostOfSample * float64(weeks))
	each := float64(s.Log.Offer.Jobs) / math.Max(1, float64(weeks))
	if s.Log.Offer.First == s.Log.Offer.Last || len(whole) == 0 || slices.Contains(whole, nil) {
		return nil, nil
	}
	if err := cmp.Or(ctx.Err(), s.checkRuns(whole)); err != nil {
		return nil, err
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

// ofWeeks returns the log of the weeks with the given numbers, moved together without gaps, in ascending order. Week 0
// begins with the first submission. The jobs are copies at the same hour of the week, and keep their pools. Weeks are
// counted in logged time; the result stretches its times as l does. l is not changed. The error comes from reading the
// log, or from [ChooseList] if the weeks have no jobs.
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

// emptyCopy returns a copy of the pools with their names and nodes, but without jobs and node-time. [Pools.addJob] then
// counts the jobs of a sample. The result is nil if p is nil.
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

// addJob counts j, a job of a sample, in its pool: in the number of jobs, in the node-time, and in the list p.of.
// number is the number of the job among the chosen jobs of l, from 0, which determines its pool. If p is nil, it does
// nothing.
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
// reports whether the weeks are enough; see [Study.DrawSample]. For this it also replays probes: copies of the runs
// that resize jobs, with a cost of 15 minutes a resize.
//
// hardest is the index of the run whose interval was too wide in fewer weeks. Its probe is replayed first, to save
// time: if its interval is still too wide, the other runs stay without results. wide is the index of a run whose probe
// is too wide, or hardest if the intervals of all probes are narrow enough. s is the study of the whole log. The error
// comes from [Study.replay].
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

// narrow reports whether the weeks are enough for a probe, a run in these weeks at a cost of 15 minutes a resize. They
// are enough if the interval of its ratio to EASY is at most 4 % wide, from end to end. They are also enough if it is
// at most a tenth wider than the interval of the run on the whole log. A ratio without an interval is not enough.
func (m *Sample) narrow(probe *Run) bool {
	control := m.controlOf(probe)
	with := control.ratio(probe)
	return with.IsKnown() && relativeWidth(with) <= max(widthEnough, (1+widerBySample)*relativeWidth(control.whole.Ratio()))
}

// relativeWidth returns the width of the interval of a ratio on a logarithmic scale: log(High/Low). It does not depend
// on the size of the ratio.
func relativeWidth(e metric.Interval) float64 { return math.Log(e.High / e.Low) }

// control is a run on the whole log, and the same run in the weeks of a sample. Runs with changed assumptions are
// compared with the second, and the result is carried over to the first: the method of control variates.
type control struct{ whole, part *Run }

// controlOf returns the control of a run r with changed assumptions: the pair of runs without the change, on the whole
// log and in the weeks of the sample. It is the first pair with the policy, the share of malleable jobs and Mixed of r.
// Costs and other assumptions are not compared. The result is nil without a sample, or if no run of the sample has
// these.
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

// ratio returns the ratio to EASY that is expected on the whole log for run r. The run was replayed with changed
// assumptions in the weeks of a sample. It is the product of two ratios; see [Sample]. One is the ratio of the
// unchanged run on the whole log. The other is the mean response time of the unchanged run in the weeks divided by the
// mean response time of r.
func (c *control) ratio(r *Run) metric.Interval {
	return productOfRatios(c.whole.Ratio(), r.ratioTo(c.part))
}

// productOfRatios returns the product of the ratios a and b with its interval. Their logarithms count as independent:
// on a logarithmic scale, the squares of the distances of an end from the mean are added. If one of the intervals is
// not known, or reaches down to 0, the interval of the product is from −∞ to +∞.
func productOfRatios(a, b metric.Interval) metric.Interval {
	e := metric.Interval{Mean: a.Mean * b.Mean, DF: a.DF, HalfWidth: math.Inf(1), Low: math.Inf(-1), High: math.Inf(1)}
	if !a.IsKnown() || !b.IsKnown() || !(a.Low > 0) || !(b.Low > 0) {
		return e
	}
	e.Low = e.Mean * math.Exp(-math.Hypot(math.Log(a.Mean/a.Low), math.Log(b.Mean/b.Low)))
	e.High = e.Mean * math.Exp(math.Hypot(math.Log(a.High/a.Mean), math.Log(b.High/b.Mean)))
	e.HalfWidth = (e.High - e.Low) / 2
	return e
}

// searchedLog returns the log that searches and variations replay. It is the log of the weeks of s.Sample or, without a
// sample, the whole log.
func (s *Study) searchedLog() *Log {
	if s.Sample != nil {
		return s.Sample.Log
	}
	return s.Log
}
