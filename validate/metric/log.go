package metric

import (
	"math"
	"slices"
	"time"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/validate/estimate"
	"github.com/partwise/partwise/validate/machine"
)

// Month are the measures of the jobs that were submitted in a month, the load that they offered among them: work over
// what the machine could do between the first of the month, or of the log, and the last.
type Month struct {
	From   time.Time // its first day
	Jobs   int
	Values Values
}

// batchSize is the number of terminations in a batch, as in the paper that compares EASY with conservative backfilling.
const batchSize = 3333

// Log adds up the records of a log. Its memory is proportional to the number of months and of batches.
type Log struct {
	on   Machine
	date func(seconds float64) time.Time // nil: the log tells no dates

	total       Sums
	first, last float64 // submission, end
	latest      float64 // submission
	months      []month
	batch       Sums
	batches     [][3]float64 // means of response, wait, bounded slowdown
	promises    int
	broken      int
}

// month are the sums of a month, which lasts from begin to end in the time of the log.
type month struct {
	Sums
	from       time.Time
	begin, end float64
	held       float64 // node-time in the month, of whatever jobs
	useful     float64 // that of their useful work
}

// NewLog returns the metrics of a machine. date tells the date of a time of the log, where
// the machine stands; nil if the log does not know it.
func NewLog(on Machine, date func(seconds float64) time.Time) *Log {
	return &Log{on: on, date: date, first: math.Inf(1), last: math.Inf(-1), latest: math.Inf(-1)}
}

// Add adds a job that has ended.
func (m *Log) Add(r *machine.Record) {
	m.total.Add(r, m.on, nil)
	m.first, m.last, m.latest = min(m.first, r.Submit), max(m.last, r.End), max(m.latest, r.Submit)
	if !math.IsNaN(r.Promised) {
		m.promises++
		if r.Start > r.Promised {
			m.broken++
		}
	}
	m.batch.Add(r, m.on, nil)
	if n := m.batch[Jobs]; n == batchSize {
		m.batches = append(m.batches, [3]float64{m.batch[Response] / n, m.batch[Wait] / n, m.batch[Bounded] / n})
		m.batch = Sums{}
	}
	if m.date != nil {
		m.month(r.Submit).Add(r, m.on, nil)
		m.hold(r)
	}
}

// month returns the month of a time.
func (m *Log) month(at float64) *month {
	for i := len(m.months) - 1; i >= 0; i-- {
		if b := &m.months[i]; b.begin <= at && at < b.end {
			return b
		}
	}
	t := m.date(at)
	from := time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, t.Location())
	begin := at - t.Sub(from).Seconds()
	b := month{from: from, begin: begin, end: begin + from.AddDate(0, 1, 0).Sub(from).Seconds()}
	i, _ := slices.BinarySearchFunc(m.months, at, func(b month, at float64) int {
		if b.begin <= at {
			return -1
		}
		return 1
	})
	m.months = slices.Insert(m.months, i, b)
	return &m.months[i]
}

// hold spreads the node-time of a job, and its useful work, evenly over the months in which it ran.
func (m *Log) hold(r *machine.Record) {
	for at := r.Start; at < r.End; {
		b := m.month(at)
		until := min(r.End, b.end)
		share := (until - at) / (r.End - r.Start)
		b.held += r.Busy * share
		b.useful += r.Useful * share
		at = until
	}
}

// Jobs returns how many jobs have ended.
func (m *Log) Jobs() int { return int(m.total[Jobs]) }

// Measures returns the measures of all jobs, the offered load among them, where it exists; utilization is from the first
// submission to the last end. They are NaN where there are no jobs.
func (m *Log) Measures() Values {
	total := m.total
	total[Capacity] = (m.last - m.first) * float64(m.on.Nodes)
	v := total.Measures(m.on.Nodes)
	v[measure.OfferedLoad] = m.total[Offered] / ((m.latest - m.first) * float64(m.on.Nodes))
	return v
}

// Months returns the measures by the month of submission, in order; nil if the log tells no dates.
func (m *Log) Months() []Month {
	var months []Month
	for i := range m.months {
		b := &m.months[i]
		if b.Sums[Jobs] == 0 {
			continue
		}
		begin, end := max(b.begin, m.first), b.end
		sums := b.Sums
		sums[Held], sums[Useful] = b.held, b.useful
		sums[Capacity] = (min(end, m.last) - begin) * float64(m.on.Nodes)
		v := sums.Measures(m.on.Nodes)
		v[measure.OfferedLoad] = sums[Offered] / ((min(end, m.latest) - begin) * float64(m.on.Nodes))
		months = append(months, Month{b.from, int(sums[Jobs]), v})
	}
	return months
}

// Intervals returns the confidence intervals of response, waiting time and bounded slowdown from batches of 3333
// terminations, the first of which is left out because the machine was empty then. They are infinite with fewer than two batches.
//
// Reference: Mu'alem and Feitelson, IEEE Trans. Parallel Distrib. Syst. 12 (2001) 529–543, section 3.1.
func (m *Log) Intervals(confidence float64) (response, wait, slowdown estimate.Interval) {
	var x [3][]float64
	for _, b := range m.batches[min(1, len(m.batches)):] {
		for k := range x {
			x[k] = append(x[k], b[k])
		}
	}
	return estimate.Student(x[0], confidence), estimate.Student(x[1], confidence), estimate.Student(x[2], confidence)
}

// Promises returns how many jobs were promised a start, and how many started later.
func (m *Log) Promises() (made, broken int) { return m.promises, m.broken }
