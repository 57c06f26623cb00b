package metric

import (
	"math"
	"slices"
	"sort"
	"time"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/validate/internal/batches"
	"github.com/partwise/partwise/validate/machine"
)

// Month holds the measures of the jobs that were submitted in a month. Utilization and efficiency count all jobs that
// ran in the month, whenever they were submitted. The offered load comes from the jobs submitted in the month. It is
// taken over the part of the month between the first and the last submission of the log.
type Month struct {
	From   time.Time // its first day
	Jobs   int
	Values Values
}

// Log adds up the records of the jobs of a log, for measures and intervals. Its memory is proportional to the number of
// months.
type Log struct {
	Deadline float64 // response time beyond which a job is late, set before the first job is added; 0: no deadline

	on    Machine
	date  func(seconds float64) time.Time // nil: the log has no dates
	brief bool                            // the log keeps response and waiting times alone; see [NewBriefLog]

	total       Sums
	first, last float64 // first submission, last end
	latest      float64 // last submission
	months      []month
	promises    int
	broken      int
	nodeTime    float64 // held by jobs, also while they stand still
	response    Histogram
	slowdown    Histogram
	sizes       []SizeClass     // by the logarithm of their largest number of nodes
	course      *batches.Series // sums over stretches of equally many jobs, in the order of their arrival
}

// month holds the sums of a month from begin to end, in the time of the log: sums over the jobs that were submitted in
// the month, and the node-time within it.
type month struct {
	Sums
	from       time.Time
	begin, end float64
}

// NewLog returns an empty log of a machine. date returns the local date at a time in seconds of the log; it is nil if
// the log has no dates.
func NewLog(on Machine, date func(seconds float64) time.Time) *Log {
	return &Log{on: on, date: date, first: math.Inf(1), last: math.Inf(-1), latest: math.Inf(-1),
		course: batches.NewSeries(int(Width), 1)}
}

// NewBriefLog returns an empty log that keeps the response and waiting times of jobs alone, for the steps of a search.
// Its Measures are the mean response and waiting times, and its ratios equal the ratios of a log that keeps all.
func NewBriefLog(on Machine) *Log {
	l := NewLog(on, nil)
	l.brief, l.course = true, batches.NewSeries(briefWidth, 1)
	return l
}

// briefWidth is the number of components of [Sums] that a brief log keeps: those up to the waiting times.
const briefWidth = waitSum + 1

// addBriefly adds the response and waiting times of a job to the sums and the course of a brief log, and counts its
// promise.
func (l *Log) addBriefly(r *machine.Record) {
	one := [briefWidth]float64{Jobs: 1, Response: r.Response(), waitSum: r.Wait()}
	for k, x := range one {
		l.total[k] += x
	}
	l.course.Add(r.Number, one[:])
	l.addPromise(r)
}

// addPromise counts a job that was promised a start, and whether the promise was broken.
func (l *Log) addPromise(r *machine.Record) {
	if math.IsNaN(r.Promised) {
		return
	}
	l.promises++
	if r.Start > r.Promised {
		l.broken++
	}
}

// Add adds the record of a job that has ended to the sums of the log. If the log has dates, it also adds the record to
// the months in which the job was submitted and ran. A brief log counts response and waiting times alone. The record is
// not kept.
func (l *Log) Add(r *machine.Record) {
	if l.brief {
		l.addBriefly(r)
		return
	}
	var one Sums
	one.Add(r, l.on, &l.slowdown)
	if l.Deadline > 0 && one[Response] > l.Deadline {
		one[lateJobs]++
	}
	l.total.add(&one)
	l.course.Add(r.Number, one[:])
	l.nodeTime += r.NodeTime
	l.addSize(r, &one)
	l.response.Add(one[Response])
	l.first, l.last, l.latest = min(l.first, r.Submit), max(l.last, r.End), max(l.latest, r.Submit)
	l.addPromise(r)
	if l.date != nil {
		one[Held], one[Useful] = 0, 0 // node-time belongs to the months in which the job ran
		l.month(r.Submit).add(&one)
		for at := r.Start; at < min(r.End, joblog.Longest); { // longer runs would make months that are never shown
			b := l.month(at)
			b.AddNodeTime(r, b.begin, b.end)
			at = b.end
		}
	}
}

// month returns the month that contains a time of the log, in seconds. It inserts the month, in order, if it is new.
// The log must have dates. The pointer is valid until the next month is inserted.
func (l *Log) month(at float64) *month {
	i := sort.Search(len(l.months), func(i int) bool { return at < l.months[i].end })
	if i < len(l.months) && l.months[i].begin <= at {
		return &l.months[i]
	}
	second := math.Floor(at) // months begin at whole seconds, so that arithmetic is exact
	t := l.date(second)
	from, to := beginOfMonth(t, 0), beginOfMonth(t, 1)
	begin := second - t.Sub(from).Seconds()
	b := month{from: from, begin: begin, end: begin + to.Sub(from).Seconds()}
	l.months = slices.Insert(l.months, i, b)
	return &l.months[i]
}

// beginOfMonth returns the first second of a month in the time zone of t: the month that comes so many months after the
// month of t. It is midnight, unless clocks are put forward at midnight. Then time.Date returns a time of the day
// before, and the month begins when the clocks change.
func beginOfMonth(t time.Time, after time.Month) time.Time {
	from := time.Date(t.Year(), t.Month()+after, 1, 0, 0, 0, 0, t.Location())
	if from.Day() != 1 {
		_, from = from.ZoneBounds()
	}
	return from
}

// Jobs returns how many jobs have ended.
func (l *Log) Jobs() int { return int(l.total[Jobs]) }

// Measures returns the measures of all jobs by name: the measures of [Sums.Measures], the node-hours, the percentiles
// and the offered load. Utilization is taken from the first submission to the last end, the offered load from the first
// submission to the last. Measures without jobs are NaN. The offered load is infinite if all jobs are submitted at
// once. A brief log has the mean response and waiting times alone.
func (l *Log) Measures() Values {
	if l.brief {
		return Values{measure.MeanResponseTime: l.total[Response] / l.total[Jobs],
			measure.MeanWaitingTime: l.total[waitSum] / l.total[Jobs]}
	}
	total := l.total
	total[Capacity] = (l.last - l.first) * float64(l.on.Nodes)
	v := total.Measures(l.on.Nodes)
	v[measure.OfferedLoad] = l.total[offeredTime] / ((l.latest - l.first) * float64(l.on.Nodes))
	l.addNodeHours(v)
	l.addDistribution(v)
	return v
}

// Months returns the measures of the jobs of each month of submission, in order. Months without submissions are left
// out. The list is nil if the log has no dates.
func (l *Log) Months() []Month {
	var months []Month
	for i := range l.months {
		b := &l.months[i]
		if b.Sums[Jobs] == 0 {
			continue
		}
		begin, end := max(b.begin, l.first), b.end
		sums := b.Sums
		sums[Capacity] = (min(end, l.last) - begin) * float64(l.on.Nodes)
		v := sums.Measures(l.on.Nodes)
		v[measure.OfferedLoad] = sums[offeredTime] / ((min(end, l.latest) - begin) * float64(l.on.Nodes))
		months = append(months, Month{b.from, int(sums[Jobs]), v})
	}
	return months
}

// Promises returns how many jobs were promised a start by their policy, and how many of these started later than
// promised. A policy with broken promises has an error.
func (l *Log) Promises() (made, broken int) { return l.promises, l.broken }
