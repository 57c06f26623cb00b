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

// Month holds the measures of the jobs that were submitted in a month. Utilization and efficiency are those of the
// month itself, whenever the jobs were submitted that ran in it; the offered load is that of the jobs of the month over
// the part of the month that lies between the first submission of the log and the last.
type Month struct {
	From   time.Time // its first day
	Jobs   int
	Values Values
}

// Log adds up the records of a log. Its memory is proportional to the number of months.
type Log struct {
	Deadline float64 // response time beyond which a job is late, set before the first job is added; 0: there is none

	on   Machine
	date func(seconds float64) time.Time // nil: the log has no dates

	total       Sums
	first, last float64 // submission, end
	latest      float64 // submission
	months      []month
	promises    int
	broken      int
	nodeTime    float64 // that jobs were on nodes
	response    Histogram
	slowdown    Histogram
	sizes       []SizeClass     // by the logarithm of their largest number of nodes
	course      *batches.Series // sums over stretches of equally many jobs, in the order in which these came
}

// month holds the sums of a month, which lasts from begin to end in the time of the log: of the jobs that were
// submitted in it, and of the node-time in it.
type month struct {
	Sums
	from       time.Time
	begin, end float64
}

// NewLog returns an empty log of a machine. date returns the local date at a time of the log; it is nil if the log has
// no dates.
func NewLog(on Machine, date func(seconds float64) time.Time) *Log {
	return &Log{on: on, date: date, first: math.Inf(1), last: math.Inf(-1), latest: math.Inf(-1), course: batches.NewSeries(int(Width), 1)}
}

// Add adds a job that has ended.
func (l *Log) Add(r *machine.Record) {
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
	if !math.IsNaN(r.Promised) {
		l.promises++
		if r.Start > r.Promised {
			l.broken++
		}
	}
	if l.date != nil {
		one[Held], one[Useful] = 0, 0 // those of the months in which it ran
		l.month(r.Submit).add(&one)
		for at := r.Start; at < min(r.End, joblog.Longest); { // no month without submissions is shown
			b := l.month(at)
			b.AddNodeTime(r, b.begin, b.end)
			at = b.end
		}
	}
}

// month returns the month of a time.
func (l *Log) month(at float64) *month {
	i := sort.Search(len(l.months), func(i int) bool { return at < l.months[i].end })
	if i < len(l.months) && l.months[i].begin <= at {
		return &l.months[i]
	}
	second := math.Floor(at) // months begin with whole seconds, of which the arithmetic is exact
	t := l.date(second)
	from := time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, t.Location())
	begin := second - t.Sub(from).Seconds()
	b := month{from: from, begin: begin, end: begin + from.AddDate(0, 1, 0).Sub(from).Seconds()}
	l.months = slices.Insert(l.months, i, b)
	return &l.months[i]
}

// Jobs returns how many jobs have ended.
func (l *Log) Jobs() int { return int(l.total[Jobs]) }

// Measures returns the measures of all jobs: those of [Sums.Measures], utilization from the first submission to the
// last end, and the offered load from the first submission to the last. Those of no jobs are NaN, and the offered load
// of jobs that are submitted all at once is infinite.
func (l *Log) Measures() Values {
	total := l.total
	total[Capacity] = (l.last - l.first) * float64(l.on.Nodes)
	v := total.Measures(l.on.Nodes)
	v[measure.OfferedLoad] = l.total[offeredTime] / ((l.latest - l.first) * float64(l.on.Nodes))
	l.addNodeHours(v)
	l.addDistribution(v)
	return v
}

// Months returns the measures by the month of submission, in order; nil if the log has no dates.
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

// Promises returns how many jobs were promised a start, and how many started later.
func (l *Log) Promises() (made, broken int) { return l.promises, l.broken }
