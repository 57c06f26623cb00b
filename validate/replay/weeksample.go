package replay

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/partwise/partwise/models/workload/joblog"
)

// Sample is some weeks of a long log, in which a study searches the worth in nodes and the rule. They follow each other
// without the weeks between them, at the same hours of the week, and are common to all policies. Break-evens need no
// weeks: their searches replay the whole log at few costs; see [fewSteps].
//
// The weeks only say where to look. What a search finds is replayed on the whole log, and its interval comes from the
// whole log; see [anchors]. Therefore the weeks are not drawn at random. They are like the log: the weeks of the log, in
// the order of the mean response time of their jobs, are divided into strata of neighbours, and one week stands for each.
type Sample struct {
	Log       *Log // of the weeks
	Weeks, Of int  // that were taken, of so many whole weeks of the log with jobs
}

// check returns a *[SettingError] if the sample was not made by [Study.DrawSample]. A nil sample is allowed: it means
// that the whole log is replayed.
func (m *Sample) check() error {
	if m == nil || m.Log.check() == nil {
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
		return &SettingError{"load", "a sample stands for the log at its own load; bring the log to the other load with AtLoad " +
			"before the sample is drawn"}
	}
	if slices.ContainsFunc(s.Nodes, otherNodes) || slices.ContainsFunc(runs,
		func(r *Run) bool { return r != nil && r.Policy != nil && otherNodes(r.Nodes) }) {
		return &SettingError{"nodes", fmt.Sprintf("a sample stands for the log on its own %d nodes; study other numbers without a sample", s.Log.Nodes)}
	}
	return nil
}

// week is seven days in seconds.
const week = 7 * 86400

const (
	// fewestOfLong is the least number of jobs of a log that is long.
	fewestOfLong = 200_000
	// fewestOfSample is the least number of jobs of a sample.
	fewestOfSample = 20_000
	// fewestWeeks is the least number of weeks of a sample.
	fewestWeeks = 5
	// shareOfSample is the share of the jobs of a longer log that a sample has.
	shareOfSample = 0.05
	// mostOfSample is the largest share of the weeks that is worth taking.
	mostOfSample = 0.5
)

// DrawSample returns weeks of a long log, in which searches replay its jobs to save time; see [Sample]. The weeks have
// about a twentieth of the jobs, but at least 20,000 jobs, and there are at least five. run is a run of the study on the
// whole log with its results, by which weeks are told apart, such as EASY.
//
// The result is nil if the log has fewer than 200,000 jobs, or if this takes more than half of the weeks: then searches
// replay the whole log.
//
// The error is a *[SettingError] if the study or the run has another load or number of nodes than the log. It may say that
// the run has no results, or come from [Study.Check] or from reading the log. The sample is nil beside an error.
func (s *Study) DrawSample(run *Run) (*Sample, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	runs := []*Run{run}
	if err := cmp.Or(s.checkBesideSample(runs), s.checkRuns(runs)); err != nil {
		return nil, err
	}
	if s.Log.Offer.Jobs < fewestOfLong {
		return nil, nil
	}
	weeks, err := s.Log.weeksOf(run)
	if err != nil {
		return nil, err
	}
	share := max(shareOfSample, fewestOfSample/float64(s.Log.Offer.Jobs))
	n := max(fewestWeeks, int(math.Ceil(share*float64(len(weeks)))))
	if float64(n) > mostOfSample*float64(len(weeks)) {
		return nil, nil
	}
	log, err := s.Log.ofWeeks(typicalWeeks(n, weeks))
	if err != nil {
		return nil, err
	}
	return &Sample{Log: log, Weeks: n, Of: len(weeks)}, nil
}

// partsOfRun is the largest number of parts into which a run is cut to tell its weeks apart.
const partsOfRun = 512

// weekOfLog is a week of a log, by its number from 0, with about the mean response time of its jobs in seconds.
type weekOfLog struct {
	number   int
	response float64
}

// weeksOf returns the whole weeks of the log that have jobs, in the order of their mean response times under a run. A job
// counts with the mean of its part of the run, which has at most partsOfRun parts of equally many jobs. The result is
// empty if there are too few jobs for parts. The error comes from reading the log.
func (l *Log) weeksOf(run *Run) ([]weekOfLog, error) {
	var parts []float64
	for n := partsOfRun; parts == nil && n > 0; n /= 2 {
		parts = run.Log.ResponseByPart(n)
	}
	if parts == nil {
		return nil, nil
	}
	var weeks []weekOfLog
	whole := int((l.Offer.Last - l.Offer.First) / week)
	at, jobs := 0, 0
	for j, err := range (Offered{l, 1}).Jobs() {
		if err != nil {
			return nil, err
		}
		number := int((j.Submit - l.Offer.First) / week)
		if number == whole {
			break
		}
		if len(weeks) == 0 || weeks[len(weeks)-1].number != number {
			weeks, jobs = append(weeks, weekOfLog{number: number}), 0
		}
		w := &weeks[len(weeks)-1]
		jobs++
		w.response += (parts[at*len(parts)/l.Offer.Jobs] - w.response) / float64(jobs)
		at++
	}
	slices.SortStableFunc(weeks, func(a, b weekOfLog) int { return cmp.Compare(a.response, b.response) })
	return weeks, nil
}

// typicalWeeks returns the numbers of n weeks. The given weeks, in the order of their mean response times, are divided into
// n strata of neighbours, of about equally many weeks. The week of each whose time is nearest to the mean of the stratum
// is taken.
func typicalWeeks(n int, weeks []weekOfLog) []int {
	taken := make([]int, n)
	for i := range taken {
		stratum := weeks[i*len(weeks)/n : (i+1)*len(weeks)/n]
		mean := 0.0
		for _, w := range stratum {
			mean += w.response / float64(len(stratum))
		}
		far := func(w weekOfLog) float64 { return math.Abs(w.response - mean) }
		taken[i] = slices.MinFunc(stratum, func(a, b weekOfLog) int { return cmp.Compare(far(a), far(b)) }).number
	}
	return taken
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

// searchedLog returns the log that searches replay: the weeks of s.Sample or, without a sample, the whole log.
func (s *Study) searchedLog() *Log {
	if s.Sample != nil {
		return s.Sample.Log
	}
	return s.Log
}
