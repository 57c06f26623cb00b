package replay

import (
	"math"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/workload/logstats"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/metric"
)

// Grouping divides the jobs of a log into groups by one property: partition, user, account, quality of service, size,
// or month of submission. It is never modified.
type Grouping struct {
	By     logstats.By
	Groups []logstats.Group // in the order of [logstats.GroupsOf]

	of    []int32 // the group of each job, in the order of submission
	place []int32 // how many jobs of the same group came before each job
}

// Groupings returns the chosen jobs of the log grouped in each of several ways, such as by user, in the order of by. A
// way is left out if all jobs fall into one group, because the group is then the whole log. This is so if the log does
// not record the label, or if all jobs have the same label. If the log has no dates or is stretched, months are periods
// of 30 days.
//
// It reads the log once for each way. The error comes from reading the log, or says that l was not made by [Choose];
// the groupings are nil then.
func (l *Log) Groupings(by ...logstats.By) ([]Grouping, error) {
	offered, err := l.At(0)
	if err != nil {
		return nil, err
	}
	var all []Grouping
	for _, b := range by {
		groups, of, err := logstats.Grouped(offered.Jobs(), &l.Range.Names, b, offered.Date())
		if err != nil {
			return nil, err
		}
		if len(groups) < 2 {
			continue
		}
		g := Grouping{By: b, Groups: groups, of: of, place: make([]int32, len(of))}
		came := make([]int32, len(groups))
		for job, i := range of {
			g.place[job] = came[i]
			came[i]++
		}
		all = append(all, g)
	}
	return all, nil
}

// GroupsRun is what came of the jobs of a run, by what they have in common.
type GroupsRun struct {
	By     logstats.By
	Groups []GroupRun // in the order of the [Grouping]
}

// GroupRun is the result of a run for the jobs of one group. Times are in seconds: means over the replications.
type GroupRun struct {
	logstats.Group
	MeanResponseTime float64
	MeanWaitingTime  float64          // from submission to start
	Log              *metric.GroupLog // of the last replication
}

// groupLogs are the logs of the groups of a run.
type groupLogs struct {
	groupings []Grouping
	logs      [][]*metric.GroupLog // for each grouping, the log of each of its groups
}

// newGroupLogs returns an empty log for each group of each of the groupings, to which one replication adds its jobs as
// they end.
func newGroupLogs(groupings []Grouping) *groupLogs {
	l := &groupLogs{groupings, make([][]*metric.GroupLog, len(groupings))}
	for k := range groupings {
		for _, g := range groupings[k].Groups {
			l.logs[k] = append(l.logs[k], metric.NewGroupLog(g.Jobs))
		}
	}
	return l
}

// add adds r, the record of a job that has ended, to the log of its group, once for each grouping. r.Number counts
// among all chosen jobs of the log. A job that a grouping does not have is left out.
func (l *groupLogs) add(r *machine.Record) {
	for k := range l.groupings {
		if g := &l.groupings[k]; r.Number < len(g.of) {
			l.logs[k][g.of[r.Number]].Add(int(g.place[r.Number]), r)
		}
	}
}

// result returns, for each grouping, its groups with their logs, mean response times and mean waiting times in seconds.
// The replication must have ended. The result is nil without groupings.
func (l *groupLogs) result() []GroupsRun {
	var all []GroupsRun
	for k := range l.groupings {
		run := GroupsRun{By: l.groupings[k].By}
		for i, g := range l.groupings[k].Groups {
			one := GroupRun{Group: g, Log: l.logs[k][i]}
			one.MeanResponseTime, one.MeanWaitingTime = one.Log.Means()
			run.Groups = append(run.Groups, one)
		}
		all = append(all, run)
	}
	return all
}

// RatioInGroup returns, for the jobs of one group, the mean response time under EASY divided by the run's. It is 1,
// with the interval from 1 to 1, for EASY itself, which has no baseline. The group is r.Groups[k].Groups[i], both
// indices from 0; the baseline must have the same groups. The group gains where the interval lies above 1, and loses
// where it lies below 1.
//
// The interval comes from [metric.GroupLog.RatioOf], at the level [measure.Confidence]. Its half width is infinite for
// fewer than [metric.FewestJobs] jobs, and for several replications. Low and High then have no meaning.
func (r *Run) RatioInGroup(k, i int) metric.Interval {
	if r.Baseline == nil {
		return metric.Interval{Mean: 1, Low: 1, High: 1}
	}
	own, easy := &r.Groups[k].Groups[i], &r.Baseline.Groups[k].Groups[i]
	e, err := own.Log.RatioOf(easy.Log, measure.Confidence)
	if err != nil || !r.isOneReplication() {
		e.HalfWidth = math.Inf(1)
	}
	e.Mean = easy.MeanResponseTime / own.MeanResponseTime
	return e
}

// GroupOutcomes counts the groups of one [Grouping] by how their mean response time in a run differs from EASY.
type GroupOutcomes struct {
	Judged int // groups whose ratio to EASY has an interval; other groups have too few jobs
	Gain   int // groups among the judged that take significantly less time than under EASY
	Lose   int // groups among the judged that take significantly more time
	Worst  int // index of the group with the smallest ratio among the groups that lose; −1 if no group loses
}

// GroupOutcomes counts the groups of r.Groups[k] by the intervals of [Run.RatioInGroup]. A difference is significant if
// the interval does not contain 1.
func (r *Run) GroupOutcomes(k int) GroupOutcomes {
	o, worst := GroupOutcomes{Worst: -1}, 1.0
	for i := range r.Groups[k].Groups {
		e := r.RatioInGroup(k, i)
		if !e.IsKnown() {
			continue
		}
		o.Judged++
		if e.Low > 1 {
			o.Gain++
		}
		if e.High < 1 {
			o.Lose++
			if o.Worst < 0 || e.Mean < worst {
				o.Worst, worst = i, e.Mean
			}
		}
	}
	return o
}
