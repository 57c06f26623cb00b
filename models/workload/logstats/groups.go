package logstats

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/partwise/partwise/models/workload/joblog"
)

// By is what the jobs of a group have in common: a [joblog.Label], the size, or the month of submission.
type By string

// What is no label.
const (
	BySize  By = "size"
	ByMonth By = "month"
)

// EachBy returns all that jobs can have in common.
func EachBy() []By {
	var all []By
	for _, l := range joblog.Labels() {
		all = append(all, By(l))
	}
	return append(all, BySize, ByMonth)
}

// Group is the jobs of a log that have the same label, similar sizes, or the same month of submission.
type Group struct {
	Name     string // "" where the log does not tell
	Jobs     int
	NodeTime float64 // node-seconds of these jobs
	Waits    int     // the number of jobs whose wait the log tells
	// Waiting are the logged waits of these jobs in seconds: their mean, median and 95 % quantile; NaN where the log tells none of them.
	Waiting struct{ Mean, Median, P95 float64 }

	waits []float64
	order float64 // of sizes, their largest
	came  int32   // number of groups whose first job came earlier
}

// periodOfDays is the length of a month of a log without dates, in days.
const periodOfDays = 30

// GroupsOf returns the jobs of a log, in the order of their submission, by what they have in common. Groups by label come in the
// order of their node-seconds, the largest first; sizes and months ascend. names are those of the log, and date tells the date of
// a time in seconds; if it is nil, months are periods of 30 days from the first submission. The error comes from the jobs.
func GroupsOf(jobs joblog.Jobs, names *joblog.Names, by By, date func(seconds float64) time.Time) ([]Group, error) {
	all, _, err := Grouped(jobs, names, by, date)
	return all, err
}

// Grouped returns the groups of [GroupsOf], and for each job the index of its group.
func Grouped(jobs joblog.Jobs, names *joblog.Names, by By,
	date func(seconds float64) time.Time) (all []Group, of []int32, err error) {
	jobs, names = given(jobs, names)
	at := map[string]int32{}
	first := math.NaN()
	for j, err := range jobs {
		if err != nil {
			return nil, nil, err
		}
		if math.IsNaN(first) {
			first = j.Submit
		}
		name, order := "", 0.0
		switch by {
		case BySize:
			sizes := joblog.SizesOf(j.Nodes())
			name, order = sizes.String(), float64(sizes.To)
		case ByMonth:
			name = monthOf(j.Submit, first, date)
		default:
			name = names.Of(joblog.Label(by), j)
		}
		i, found := at[name]
		if !found {
			i = int32(len(all))
			at[name] = i
			all = append(all, Group{Name: name, order: order, came: i})
		}
		all[i].add(j)
		of = append(of, i)
	}
	for i := range all {
		all[i].summarize()
	}
	switch by {
	case ByMonth: // as the jobs come
	case BySize:
		slices.SortFunc(all, func(a, b Group) int { return cmp.Compare(a.order, b.order) })
	default:
		slices.SortStableFunc(all, func(a, b Group) int { return cmp.Compare(b.NodeTime, a.NodeTime) })
	}
	sorted := make([]int32, len(all))
	for i := range all {
		sorted[all[i].came] = int32(i)
	}
	for job, came := range of {
		of[job] = sorted[came]
	}
	return all, of, nil
}

// monthOf returns the name of the month of a time, as [Statistics.Calendar] names its periods.
func monthOf(seconds, first float64, date func(float64) time.Time) string {
	if date != nil {
		return date(seconds).Format("2006-01")
	}
	from := int((seconds-first)/(periodOfDays*86400)) * periodOfDays
	return fmt.Sprintf("days %d–%d", from+1, from+periodOfDays)
}

// add adds a job to the group.
func (g *Group) add(j *joblog.Job) {
	g.Jobs++
	g.NodeTime += j.NodeTime()
	if Waited(j) {
		g.waits = append(g.waits, j.Wait)
	}
}

// summarize sets Waits and Waiting, and releases the single waits.
func (g *Group) summarize() {
	g.Waits = len(g.waits)
	if len(g.waits) == 0 {
		g.Waiting.Mean, g.Waiting.Median, g.Waiting.P95 = math.NaN(), math.NaN(), math.NaN()
		return
	}
	slices.Sort(g.waits)
	g.Waiting.Mean, g.Waiting.Median, g.Waiting.P95 = stat.Mean(g.waits, nil), quantile(g.waits, 0.5), quantile(g.waits, 0.95)
	g.waits = nil // the waits of a million jobs take as much memory as the columns of a log
}

// waited returns the sum of the logged waits of the jobs of the group, in seconds. It is 0 if the log has no waits of these jobs.
func (g *Group) waited() float64 {
	if g.Waits == 0 || math.IsNaN(g.Waiting.Mean) {
		return 0
	}
	return g.Waiting.Mean * float64(g.Waits)
}

// SharesOfWaiting returns, for each group, the waits of its jobs divided by the waits of the jobs of all groups, as a fraction.
// All shares are NaN if no job waited, or if the log has no waits.
func SharesOfWaiting(groups []Group) []float64 {
	all := 0.0
	for i := range groups {
		all += groups[i].waited()
	}
	shares := make([]float64, len(groups))
	for i := range groups {
		shares[i] = groups[i].waited() / all
	}
	return shares
}

// ByWaiting returns a sorted copy of groups: groups whose jobs waited longest in all, summed over the jobs, come first. Groups
// with equal waits keep their order.
func ByWaiting(groups []Group) []Group {
	sorted := slices.Clone(groups)
	slices.SortStableFunc(sorted, func(a, b Group) int { return cmp.Compare(b.waited(), a.waited()) })
	return sorted
}
